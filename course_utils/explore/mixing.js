import { html, svg } from "./base.js";
import { numbered, picker, settings, toggle } from "./controls.js";
import { drawing, heat } from "./drawing.js";
import { add, argmax, dense, gelu, layerNorm, softmax, transpose } from "./layers.js";
import { chances, cut, drawable, gridded, titled } from "./pixels.js";

/** A Mixer block: tokens, then channels, each added to what it read. */
function mixerBlock(x, { token_norm, token_mixing, channel_norm, channel_mixing }) {
  const network = (rows, [W, b, V, c]) => rows.map((row) => dense(dense(row, W, b).map(gelu), V, c));
  const columns = transpose(x.map((row) => layerNorm(row, token_norm, 1e-6)));
  const mixed = transpose(network(columns, token_mixing));
  const u = x.map((row, i) => add(row, mixed[i]));
  const made = network(
    u.map((row) => layerNorm(row, channel_norm, 1e-6)),
    channel_mixing,
  );
  return u.map((row, i) => add(row, made[i]));
}

/** A gMLP block: X + (Z_1 ⊙ (W LayerNorm(Z_2) + b)) V, with `gate` "both", "b", "W" or "none". */
function gmlpBlock(x, { norm, U: [U, u], gate_norm, W, b, V: [V, v] }, gate) {
  const z = x.map((row) => dense(layerNorm(row, norm, 1e-6), U, u).map(gelu)),
    half = z[0].length / 2;
  const second = z.map((row) => layerNorm(row.slice(half), gate_norm, 1e-6));
  return x.map((row, i) => {
    const read = gate === "both" || gate === "W" ? dense(W[i], second) : new Array(half).fill(0);
    const shift = gate === "both" || gate === "b" ? b[i] : gate === "W" ? 0 : 1;
    return add(
      row,
      dense(
        z[i].slice(0, half).map((value, k) => value * (read[k] + shift)),
        V,
        v,
      ),
    );
  });
}

/** The logits of an image, and its tokens after each number of blocks. */
function read(pixels, network, gate) {
  const {
    patch,
    patches: [E, b],
    blocks,
    norm,
    logits: [V, c],
  } = network;
  let x = cut(pixels, patch).map((one) => dense(one, E, b));
  const after = [x];
  for (const block of blocks) after.push((x = step(x, block, gate)));
  const rows = x.map((row) => layerNorm(row, norm, 1e-6));
  const mean = rows[0].map((_, k) => rows.reduce((sum, row) => sum + row[k], 0) / rows.length);
  return { logits: dense(mean, V, c), after };
}

const step = (x, block, gate) => (block.token_mixing ? mixerBlock(x, block) : gmlpBlock(x, block, gate));

/** How far each output token of some blocks moves when one input token becomes grey: [i][j]. */
function influence(x, blocks, grey, gate) {
  const run = (rows) => blocks.reduce((now, block) => step(now, block, gate), rows),
    before = run(x);
  return transpose(
    x.map((_, j) => {
      const moved = run(x.map((row, place) => (place === j ? grey : row)));
      return moved.map((row, i) => Math.sqrt(row.reduce((sum, value, k) => sum + (value - before[i][k]) ** 2, 0)));
    }),
  );
}

export function start(stage, data, say) {
  const names = Object.keys(data.networks);
  let network = data.networks[names[0]],
    gate = "both",
    range = 0,
    at = 0,
    large = false;
  const gates = { "W and b": "both", "b alone": "b", "W alone": "W", "neither (a gate of 1)": "none" };
  const pixels = drawable(data.digits);
  const blocks = html("div"),
    probabilities = html("div"),
    reach = html("div"),
    rows = html("div");
  const depth = () =>
    picker("through", ["all blocks", ...numbered("block", network.blocks.length)], (place) => (range = place));
  const choice = picker("gate", Object.keys(gates), (place) => (gate = Object.values(gates)[place]));
  stage.append(
    settings(
      ...pixels.controls,
      picker("network", names, (place) => {
        network = data.networks[names[place]];
        range = 0;
        blocks.replaceChildren(depth());
      }),
      choice,
      blocks,
      toggle("twice the side", false, (on) => (large = on)),
    ),
    html("div", { class: "panels pixels" }, pixels.element, probabilities, reach, rows),
  );
  blocks.append(depth());

  function draw() {
    const width = Math.sqrt(pixels.values.length),
      isGated = Boolean(network.blocks[0].W);
    const image = large ? enlarged(pixels.values, width) : pixels.values;
    const tokens = cut(image, network.patch).length,
      built = network.tokens;
    choice.hidden = !isGated;
    pixels.frame(at, network.patch);
    for (const part of [probabilities, reach, rows]) part.replaceChildren();
    if (tokens !== built) {
      return say(
        `An image of twice the side has ${tokens} tokens, and the weights that mix them belong to ${built} positions: ` +
          "there are none for the others. The network cannot read it.",
      );
    }
    const { logits, after } = read(image, network, gate),
      chance = softmax(logits);
    const best = argmax(chance);
    const grey = dense(new Array(network.patch ** 2).fill(0.4), ...network.patches);
    const chosen = range ? [network.blocks[range - 1]] : network.blocks,
      from = after[range ? range - 1 : 0];
    const table = influence(from, chosen, grey, gate);
    stage.dataset.numbers = JSON.stringify({ logits, table });
    probabilities.append(chances(chance, network.classes));
    reach.append(...titled("column: the token made grey; row: who moves", reached(table)));
    const W = network.blocks[range ? range - 1 : 0].W;
    const title = W
      ? `row ${at + 1} of W, block ${range || 1}; dashed: the mirror position`
      : `what reaches token ${at + 1}`;
    const side = Math.sqrt(built),
      mirror = W && at - (at % side) + (side - 1 - (at % side));
    const row = (W ?? table)[at],
      largest = argmax(row);
    rows.append(...gridded(side, row, title, at, (place) => (at = place), mirror));
    const moved = table.flatMap((row, i) => row.filter((value, j) => j !== i && value > 1e-4)).length;
    const against = !W
      ? ""
      : largest === mirror
        ? ", its mirror position"
        : `; its mirror position is patch ${mirror + 1}`;
    const most = `In row ${at + 1} the largest is patch ${largest + 1}${against}.`;
    say(
      `It says “${network.classes[best] ?? best}”, with ${(100 * chance[best]).toFixed(0)} %.`,
      moved
        ? `${moved} of ${built * (built - 1)} pairs of tokens reach one another.`
        : "No token reaches another one: a bag of patches.",
      most,
    );
  }

  function reached(table) {
    const picture = drawing(310, 310, "How far an output token moves when an input token becomes grey"),
      size = 300 / table.length;
    const largest = Math.max(1e-9, ...table.flat());
    picture.append(
      heat(table, 5, 5, size, size, largest),
      svg("rect", { x: 5, y: 5, width: 300, height: 300, class: "frame" }),
      svg("rect", { x: 5, y: 5 + at * size, width: 300, height: size, class: "here" }),
    );
    return picture;
  }

  const enlarged = (values, width) =>
    Array.from(
      { length: 4 * values.length },
      (_, place) =>
        values[Math.floor(Math.floor(place / (2 * width)) / 2) * width + Math.floor((place % (2 * width)) / 2)],
    );
  return draw;
}
