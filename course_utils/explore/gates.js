import { html } from "./base.js";
import { reader, settings, slider, views } from "./controls.js";
import { axes, BLUE, framed, GREEN, heat, label, ORANGE, rows, strip, verdicts } from "./drawing.js";
import { add, dense, sigmoid, transpose } from "./layers.js";

/** The gates, the cell state and the hidden state of an LSTM at every word. */
function steps(ids, { table, W, U, b }) {
  const units = U.length;
  let h = new Array(units).fill(0),
    c = h;
  return ids.map((id) => {
    const sums = add(dense(table[id], W, b), dense(h, U));
    const [i, f, g, o] = [0, 1, 2, 3].map((block) => sums.slice(block * units, (block + 1) * units));
    const [input, forget, output] = [i, f, o].map((gate) => gate.map(sigmoid));
    c = c.map((value, unit) => forget[unit] * value + input[unit] * Math.tanh(g[unit]));
    h = c.map((value, unit) => output[unit] * Math.tanh(value));
    return { input, forget, output, c, h };
  });
}

/** One unit whose gates are constant: c_t and h_t over a hundred steps, after a pulse at 10. */
export function pulse(biases) {
  const [input, forget, output] = biases.map(sigmoid);
  const cells = [];
  for (let t = 0; t < 100; t++) {
    const candidate = t === 10 ? 1 : 0;
    cells.push(forget * (cells[t - 1] ?? 0) + input * candidate);
  }
  return { forget, cells, hidden: cells.map((c) => output * Math.tanh(c)) };
}

export const start = (stage, data, say) =>
  views(stage, {
    "one unit, by hand": (place) => byHand(place, say, stage),
    "the trained LSTM, word by word": (place) => byText(place, data, say, stage),
  });

/** One unit, whose biases are set by sliders. */
function byHand(parent, say, stage) {
  const biases = [2, 1, 2],
    curves = html("div");
  const sliders = ["input", "forget", "output"].map((gate, place) => {
    const range = { min: -4, max: 7, step: 0.1, value: biases[place], said: (value) => value.toFixed(1) };
    return slider(`bias of the ${gate} gate`, range, (value) => (biases[place] = value));
  });
  parent.append(settings(...sliders), curves);

  return () => {
    const { forget, cells, hidden } = pulse(biases),
      half = Math.log(0.5) / Math.log(forget);
    const picture = strip(stage, 280, "Cell state and hidden state of one unit over a hundred steps");
    const { x, width } = framed(picture);
    const frame = { x, y: 34, width, height: 200, from: 0, to: 99, low: 0, high: 1 };
    const plot = axes(picture, { ...frame, title: "cₜ blue, hₜ orange: a candidate of 1 at step 10" });
    for (const value of [0, 0.5, 1]) plot.tick(value);
    for (const t of [0, 10, 50, 99]) picture.append(label(t, plot.across(t), 258, { "text-anchor": "middle" }));
    plot.curve(cells, BLUE);
    plot.curve(hidden, ORANGE);
    if (10 + half < 99) {
      plot.mark(10 + half, "currentColor");
      const left = half < 60;
      const place = { "text-anchor": left ? "start" : "end" };
      picture.append(label("half is left", plot.across(10 + half) + (left ? 6 : -6), 52, place));
    } else picture.append(label("half is left further right →", x + width - 8, 52, { "text-anchor": "end" }));
    curves.replaceChildren(picture);
    stage.dataset.numbers = JSON.stringify({ cells, hidden });
    say(
      `Forget gate σ(${biases[1].toFixed(1)}) = ${forget.toFixed(3)}: half of the cell state is left after ` +
        `${half < 1000 ? half.toFixed(1) : "more than 1,000"} steps. At step 10 the input gate lets ` +
        `${cells[10].toFixed(2)} of 1 in, and the output gate shows ${hidden[10].toFixed(2)}.`,
    );
  };
}

/** The trained LSTM over a text. */
function byText(parent, data, say, stage) {
  const text = reader(parent, data);

  return () => {
    const { read, ids, at } = text.look();
    if (!ids.length) return text.empty(say);
    const found = steps(ids, data),
      logits = found.map(({ h }) => dense(h, data.V, data.c)[0]);
    stage.dataset.numbers = JSON.stringify({ logits, ...found.at(-1) });
    const picture = strip(stage, 358, "The gates and the cell state word by word, and the logit");
    const frame = rows(picture, read.length, at);
    const strips = { input: "input gate", forget: "forget gate", output: "output gate", c: "cell state cₜ" };
    Object.entries(strips).forEach(([name, title], place) => {
      const y = 22 + 64 * place,
        rows = transpose(found.map((step) => step[name])),
        [largest, colour, said] = name === "c" ? [3, undefined, "orange > 0, blue < 0"] : [1, GREEN, "green is open"];
      picture.append(label(`${title}, a row a unit: ${said}`, frame.x, y - 5));
      const size = [frame.width / read.length, 40 / rows.length];
      picture.append(heat(rows, frame.x, y, ...size, largest, colour));
    });
    const colours = verdicts(picture, { ...frame, y: 290 }, logits);
    text.show(picture, colours);
    const mean = (gate) => (found[at][gate].reduce((a, b) => a + b, 0) / found[at][gate].length).toFixed(2);
    say(
      `At “${read[at]}” (word ${at + 1} of ${read.length}), on average over the units: input gate ${mean("input")}, forget ` +
        `gate ${mean("forget")}, output gate ${mean("output")}; logit ${logits[at].toFixed(2)}.`,
      text.unknown(),
    );
  };
}
