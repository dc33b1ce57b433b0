import { html, svg } from "./base.js";
import { picker, settings, toggle } from "./controls.js";
import { drawing, heat } from "./drawing.js";
import { add, argmax, attend, dense, dot, feedForward, gelu, layerNorm, norm, residual, softmax } from "./layers.js";
import { chances, cut, drawable, gridded, titled } from "./pixels.js";

const DIGITS = [..."0123456789"];

/** The logits of an image, (64 pixels), and the attention of every block, averaged over its heads. */
function read(pixels, network, order) {
  const {
      patch,
      patches: [E, b],
      token,
      positions,
      blocks,
      norm: last,
      logits: [V, c],
    } = network,
    seen = [];
  const parts = cut(pixels, patch).map((one) => dense(one, E, b));
  let x = [token, ...order.map((place) => parts[place])].map((row, place) => add(row, positions[place]));
  for (const block of blocks) {
    x = residual(x, block.attention_norm, (rows) => {
      const { outputs, heads } = attend(rows, rows, block.attention, { hidden: () => false });
      const all = heads.map(({ weights }) => weights);
      seen.push(all[0].map((row, i) => row.map((_, j) => all.reduce((sum, of) => sum + of[i][j], 0) / all.length)));
      return outputs;
    });
    x = residual(x, block.feed_forward_norm, (rows) => feedForward(rows, block, gelu));
  }
  return { logits: dense(layerNorm(x[0], last, 1e-6), V, c), seen };
}

/** How much each patch contributes to the class token: every block half residual, half attention. */
function rollout(seen) {
  let share = seen.at(-1)[0].map((_, j) => (j === 0 ? 1 : 0));
  for (const weights of [...seen].reverse()) {
    share = share.map((value, j) => 0.5 * value + 0.5 * share.reduce((sum, of, i) => sum + of * weights[i][j], 0));
  }
  return share.slice(1);
}

export function start(stage, data, say) {
  const straight = data.positions.slice(1).map((_, place) => place),
    side = Math.sqrt(straight.length);
  const shuffled = [...straight].sort(
    (one, other) => ((one * 7 + 5) % straight.length) - ((other * 7 + 5) % straight.length),
  );
  let order = straight,
    at = Math.floor(0.4 * straight.length),
    shown = 0;
  const pixels = drawable(data.digits);
  const inside = cut([...pixels.values.keys()], data.patch); // the pixels of each patch
  const maps = ["fall of the logit", "rollout", "last block", "ink", "likeness of positions"];
  const probabilities = html("div"),
    given = html("div"),
    map = html("div");
  stage.append(
    settings(
      ...pixels.controls,
      picker("map", maps, (place) => (shown = place)),
      toggle("shuffle the patches", false, (on) => (order = on ? shuffled : straight)),
    ),
    html("div", { class: "panels pixels" }, pixels.element, given, probabilities, map),
  );

  function draw() {
    const { logits, seen } = read(pixels.values, data, order),
      chance = softmax(logits);
    const best = argmax(chance),
      shares = rollout(seen);
    stage.dataset.numbers = JSON.stringify({ logits, rollout: shares });
    probabilities.replaceChildren(chances(chance, DIGITS));
    const drawn = [
      () => blanked(logits, best),
      () => ["what reaches the class token", placed(shares)],
      () => ["what it reads in the last block", placed(seen.at(-1)[0].slice(1))],
      () => ["ink", cut(pixels.values, data.patch).map((one) => one.reduce((a, b) => a + b))],
      alike,
    ][shown]();
    const [words, values] = drawn;
    pixels.frame(at, data.patch);
    given.hidden = order === straight;
    given.replaceChildren(...titled("what the network gets", shuffledImage()));
    map.replaceChildren(...gridded(side, values, words, at, (place) => (at = place)));
    const ink = pixels.values.some((value) => value > 0);
    const without = softmax(read(blank(at), data, order).logits),
      other = argmax(without);
    say(
      ink
        ? `It reads ${best}, with ${(100 * chance[best]).toFixed(0)} %.`
        : "A blank canvas: draw a digit, or take one. " +
            `Of no ink at all it says ${best}, with ${(100 * chance[best]).toFixed(0)} %.`,
      ink && `Without the framed patch: ${other}, with ${(100 * without[other]).toFixed(0)} %.`,
      order === straight ? "" : "The patches stand at other positions: does it still read the digit?",
    );
  }

  /** The digit with its patches in the order in which the network gets them. */
  function shuffledImage() {
    const picture = drawing(310, 310, "The image with its patches shuffled"),
      box = { x: 5, y: 5, width: 300, height: 300 },
      found = [];
    inside.forEach((places, token) => {
      for (const [n, place] of places.entries()) found[place] = pixels.values[inside[order[token]][n]];
    });
    const width = side * data.patch,
      rows = Array.from({ length: width }, (_, y) => found.slice(y * width, (y + 1) * width));
    picture.append(
      svg("rect", { ...box, fill: "#fff" }),
      heat(rows, 5, 5, 300 / width, 300 / width, 1, "#000000"),
      svg("rect", { ...box, class: "frame" }),
    );
    return picture;
  }

  const blank = (place) => pixels.values.map((value, pixel) => (inside[place].includes(pixel) ? 0 : value));

  /** Values of the tokens at the places where their patches are. */
  const placed = (values) => {
    const found = [];
    order.forEach((place, token) => (found[place] = values[token]));
    return found;
  };

  function blanked(logits, best) {
    const falls = straight.map((place) => logits[best] - read(blank(place), data, order).logits[best]);
    return [`fall of the logit of ${best}`, falls];
  }

  function alike() {
    const own = data.positions[at + 1];
    const cosines = data.positions.slice(1).map((other) => dot(own, other) / (norm(own) * norm(other)));
    return ["cosine with framed position", cosines];
  }
  return draw;
}
