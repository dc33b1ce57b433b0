import {
  add,
  axes,
  dense,
  drawing,
  heat,
  label,
  norm,
  ORANGE,
  reader,
  rows,
  sigmoid,
  slider,
  transpose,
  verdicts,
} from "./base.js";

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
  const text = reader(stage, data, draw);
  const radius = { min: 0.1, max: 3, step: "any", value: data.radius };
  text.controls.append(
    slider(
      "spectral radius of U",
      radius,
      (value) => value.toFixed(2),
      (value) => {
        factor = value / data.radius;
        draw();
      },
    ),
  );

  function draw() {
    const { read, ids, at } = text.look();
    if (!ids.length) return text.empty(say);
    const used = { ...data, U: data.U.map((row) => row.map((value) => value * factor)) };
    const hidden = states(ids, used);
    const logits = hidden.map((h) => dense(h, data.V, data.c)[0]);
    const slopes = gradients(hidden, used);
    stage.dataset.numbers = JSON.stringify({ logits, slopes });
    const picture = drawing(1080, 316, "The state word by word, the logit, and the gradient, as curves");
    const frame = rows(picture, read.length, at);
    picture.append(
      label("state: a column for each word, a row for each unit; orange above 0, blue below", frame.x, 16),
    );
    picture.append(heat(transpose(hidden), frame.x, 22, frame.width / read.length, 84 / hidden[0].length, 1));
    const colours = verdicts(picture, { ...frame, y: 140 }, logits);
    const title = "norm of ∂ logit at the end / ∂ state: what each step still counts (logarithmic)";
    const back = axes(picture, { ...frame, y: 238, height: 62, low: 1e-6, high: 1e6, log: true, title });
    for (const [value, text] of [
      [1e-6, "10⁻⁶"],
      [1, "1"],
      [1e6, "10⁶"],
    ])
      back.tick(value, text);
    back.curve(slopes, ORANGE);
    text.show(picture, colours);
    say(
      `After “${read[at]}” (word ${at + 1} of ${read.length}) the logit is ${logits[at].toFixed(2)}: probability of praise ` +
        `${(100 * sigmoid(logits[at])).toFixed(0)} %. The gradient there has norm ${slopes[at].toPrecision(2)}.`,
      text.unknown(),
    );
  }
  draw();
}
