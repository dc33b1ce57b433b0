import { clickable, html, svg } from "./base.js";
import { button, sentence, settings } from "./controls.js";
import { BLUE, label, measures, ORANGE, strip } from "./drawing.js";
import { argmax, dense, dot, sigmoid, softmax } from "./layers.js";

const START = 2,
  END = 3,
  LONGEST = 40;

/** One step of a GRU whose reset gate works on h U, as Keras' does. */
export function step(x, h, { W, U, b: [own, recurrent] }) {
  const units = h.length,
    sums = dense(x, W, own),
    back = dense(h, U, recurrent);
  return h.map((value, unit) => {
    const update = sigmoid(sums[unit] + back[unit]);
    const reset = sigmoid(sums[units + unit] + back[units + unit]);
    const candidate = Math.tanh(sums[2 * units + unit] + reset * back[2 * units + unit]);
    return update * value + (1 - update) * candidate;
  });
}

/** The states of all words of the source. */
function encode(ids, { source, encoder }) {
  let h = new Array(encoder.U.length).fill(0);
  return ids.map((id) => (h = step(source[id], h, encoder)));
}

/** The new state after a word, where it attends (α), and the logits of the next word. */
function decode(id, state, encoded, { target, decoder, W_c, words: [V, c] }) {
  const s = step(target[id], state, decoder),
    alpha = softmax(encoded.map((h) => dot(s, h)));
  const found = dense([...dense(alpha, encoded), ...s], W_c).map(Math.tanh);
  return { s, alpha, logits: dense(found, V, c) };
}

export function start(stage, data, say) {
  let forced = new Map(),
    shown = Infinity,
    at = 0;
  const text = sentence(data, again);
  const [list, typed] = text.controls;
  const first = button("from the start", () => {
    shown = 0;
    at = 0;
  });
  const next = button("next word", () => {
    shown = Math.min(shown, written.length - 1) + 1;
    at = shown - 1;
  });
  const plot = html("div"),
    other = settings();
  stage.append(settings(list, first, next), settings(typed), plot, other);
  let written = [];

  function again() {
    forced = new Map();
    shown = Infinity;
    at = 0;
  }

  /** Write the French, by the likeliest word or by the one that was forced. */
  function translated(ids) {
    const encoded = encode(ids, data),
      steps = [];
    let state = encoded.at(-1),
      id = START;
    while (steps.length < LONGEST && id !== END) {
      const { s, alpha, logits } = decode(id, state, encoded, data),
        probabilities = softmax(logits);
      state = s;
      id = forced.get(steps.length) ?? argmax(logits);
      steps.push({ id, alpha, logits, probabilities });
    }
    return steps;
  }

  function draw() {
    const { words, ids, heard } = text.look(24);
    plot.replaceChildren();
    other.replaceChildren();
    if (!words.length) return say("Type an English sentence: there is no word to translate yet.");
    written = translated(ids);
    stage.dataset.numbers = JSON.stringify({
      logits: written.map(({ logits }) => logits),
      alpha: written.map(({ alpha }) => alpha),
    });
    const seen = written.slice(0, shown);
    at = Math.min(at, Math.max(0, seen.length - 1));
    next.disabled = seen.length === written.length;
    plot.append(lines(words, ids, seen));
    if (!seen.length) return say("Press “next word”: the decoder has the last state and <sos>.", heard);
    offer(seen[at]);
    const largest = argmax(seen[at].alpha);
    say(
      `Before it writes “${data.french[seen[at].id]}”, the decoder attends to “${words[largest]}” with weight ` +
        `${seen[at].alpha[largest].toFixed(2)}.`,
      heard,
    );
  }

  /** The likeliest words of a step, to force one of them. */
  function offer({ id, probabilities }) {
    const likely = probabilities
      .map((p, place) => [p, place])
      .sort((one, two) => two[0] - one[0])
      .slice(0, 5);
    other.append(
      `French word ${at + 1} (press any below the lines); force another:`,
      ...likely.map(([p, place]) => {
        const share = p < 0.001 ? "<0.1" : (100 * p).toFixed(p > 0.0995 ? 0 : 1);
        const force = button(`${data.french[place]} ${share} %`, () => {
          forced = new Map([...forced].filter(([step]) => step < at).concat([[at, place]]));
          shown = Infinity;
        });
        force.setAttribute("aria-pressed", place === id);
        return force;
      }),
    );
  }

  function lines(words, ids, seen) {
    const about = "English above, French below; the thicker a line, the more is read";
    const picture = strip(stage, 290, about, "group");
    const { width, wide } = measures(picture),
      edge = width / 15;
    const spread = (count, place) => edge + (count > 1 ? ((width - 2 * edge) * place) / (count - 1) : width / 2 - edge);
    const all = written.length;
    // Where words are too wide to stand side by side, they take turns on two to four rows.
    const turns = (texts) =>
      Math.min(4, Math.ceil((Math.max(...texts.map(wide)) * texts.length) / (width - 2 * edge)) || 1);
    const above = turns(words),
      below = turns(written.map(({ id }) => data.french[id]));
    picture.setAttribute("viewBox", `0 ${72 - 18 * above} ${width} ${146 + 18 * (above + below)}`);
    seen.forEach(({ alpha }, row) =>
      alpha.forEach((weight, place) => {
        if (weight < 0.02) return;
        const ends = { x1: spread(words.length, place), y1: 78, x2: spread(all, row), y2: 212 };
        const looks = {
          stroke: row === at ? ORANGE : BLUE,
          "stroke-width": 14 * weight,
          opacity: row === at ? 0.9 : 0.45,
        };
        picture.append(svg("line", { ...ends, ...looks }));
      }),
    );
    words.forEach((word, place) =>
      picture.append(
        label(word, spread(words.length, place), 70 - 18 * (place % above), {
          "text-anchor": "middle",
          opacity: ids[place] === 1 ? 0.5 : 1,
        }),
      ),
    );
    seen.forEach(({ id }, row) => {
      const x = spread(all, row),
        y = 230 + 18 * (row % below),
        weight = row === at ? "bold" : "normal";
      const word = label(data.french[id], x, y, { "text-anchor": "middle", "font-weight": weight });
      if (forced.has(row)) word.setAttribute("text-decoration", "underline");
      picture.append(clickable(svg("g", {}, word), `word ${row + 1}: ${data.french[id]}`, () => (at = row)));
    });
    return picture;
  }
  return draw;
}
