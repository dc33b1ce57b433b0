import { coder, reader, slider, tokenize } from "./controls.js";
import { axes, heat, label, ORANGE, rows, strip, verdicts } from "./drawing.js";
import { add, dense, norm, sigmoid, transpose } from "./layers.js";

const LOW = 1e-12,
  HIGH = 1e3; // of the gradient's axis

/** A small number as people write it: 1.1·10⁻³⁰. */
function written(value) {
  if (value > 1e-3 && value < 1e4) return value.toPrecision(2);
  const [digits, power] = value.toExponential(1).split("e");
  const raised = { "-": "⁻", "+": "" };
  return `${digits}·10${[...power].map((sign) => raised[sign] ?? "⁰¹²³⁴⁵⁶⁷⁸⁹"[sign]).join("")}`;
}

/** The states h_1 … h_T of h_t = tanh(x_t W + h_{t−1} U + b), one vector a word. */
function states(ids, { table, W, U, b }) {
  let h = new Array(b.length).fill(0);
  return ids.map((id) => (h = add(dense(table[id], W, b), dense(h, U)).map(Math.tanh)));
}

/** The norm of ∂ logit / ∂ h_t for t = 1 … T: how much the state of a step still counts. */
function gradients(states, { U, V }) {
  const back = transpose(U);
  let g = V.map((row) => row[0]);
  const norms = [norm(g)];
  for (let t = states.length - 1; t > 0; t--) {
    g = dense(
      g.map((value, i) => value * (1 - states[t][i] ** 2)),
      back,
    );
    norms.push(norm(g));
  }
  return norms.reverse();
}

export function start(stage, data, say) {
  let factor = 1;
  const text = reader(stage, data);
  const radius = { min: 0.1, max: 3, step: "any", value: data.radius, said: (value) => value.toFixed(2) };
  text.controls.append(slider("spectral radius of U", radius, (value) => (factor = value / data.radius)));

  const code = coder(data.words);
  const ends = Object.values(data.texts).map((one) => {
    const ids = code.ids(tokenize(one));
    return ids.length ? dense(states(ids, data).at(-1), data.V, data.c)[0] : 0;
  });
  const same = ends.length > 1 && Math.max(...ends) - Math.min(...ends) < 0.5;

  return () => {
    const { read, ids, at } = text.look();
    if (!ids.length) return text.empty(say);
    const used = { ...data, U: data.U.map((row) => row.map((value) => value * factor)) };
    const hidden = states(ids, used);
    const logits = hidden.map((h) => dense(h, data.V, data.c)[0]);
    const slopes = gradients(hidden, used);
    stage.dataset.numbers = JSON.stringify({ logits, slopes });
    const picture = strip(stage, 338, "The state word by word, the logit, and the gradient, as curves");
    const frame = rows(picture, read.length, at);
    picture.append(label("state, a row for each unit: orange > 0, blue < 0", frame.x, 16));
    picture.append(heat(transpose(hidden), frame.x, 22, frame.width / read.length, 84 / hidden[0].length, 1));
    const colours = verdicts(picture, { ...frame, y: 140 }, logits);
    const title = "norm of ∂ last logit / ∂ state, logarithmic";
    const back = axes(picture, { ...frame, y: 238, height: 84, low: LOW, high: HIGH, log: true, title });
    for (const [power, raised] of Object.entries({ [-12]: "⁻¹²", [-6]: "⁻⁶", 0: "⁰", 3: "³" }))
      back.tick(10 ** power, `10${raised}`);
    const first = slopes.findIndex((slope) => slope >= LOW);
    back.curve(slopes.slice(first), ORANGE, (index) => first + index);
    if (first) picture.append(label("← vanished: below 10⁻¹²", frame.x + 8, 300));
    text.show(picture, colours);
    say(
      `After “${read[at]}” (word ${at + 1} of ${read.length}) the logit is ${logits[at].toFixed(2)}: probability of praise ` +
        `${(100 * sigmoid(logits[at])).toFixed(0)} %. The gradient of the last logit has norm ${written(slopes[at])} there, ` +
        `${written(slopes[0])} at the first word.`,
      same &&
        "All the reviews of the list get nearly this logit: this run did not learn. Train again with another seed.",
      text.unknown(),
    );
  };
}
