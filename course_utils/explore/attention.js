import { clickable, html, svg } from "./base.js";
import { numbered, picker, sentence, settings, toggle } from "./controls.js";
import { BLUE, diverging, drawing, heat, label } from "./drawing.js";
import { argmax, attend, dense, feedForward, layerNorm, residual, scaled } from "./layers.js";

const START = 2,
  END = 3,
  LONGEST = 30,
  PADS = 3;
const relu = (value) => Math.max(0, value);

/** Tokens with their positions: √d · vector + wave. */
function embed(ids, table, positions) {
  return ids.map((id, place) =>
    scaled(table[id], Math.sqrt(table[0].length)).map((value, i) => value + positions[place][i]),
  );
}

/** The encoder's states, and what every head of every block did. */
function encode(ids, network, { scale, padding }) {
  const hidden = (_, j) => padding && ids[j] === 0,
    seen = [];
  let x = embed(ids, network.source, network.positions);
  for (const block of network.encoder) {
    x = residual(x, block.attention_norm, (rows) => {
      const { outputs, heads } = attend(rows, rows, block.attention, { hidden, scale });
      seen.push(heads);
      return outputs;
    });
    x = residual(x, block.feed_forward_norm, (rows) => feedForward(rows, block, relu));
  }
  return { states: x.map((row) => layerNorm(row, network.encoder_norm, 1e-6)), seen, hidden };
}

/** The logits after every target token, and what the heads did: self-attention and across. */
function decode(ids, encoded, network, { scale, causal }) {
  const self = [],
    across = [];
  let x = embed(ids, network.target, network.positions);
  for (const block of network.decoder) {
    x = residual(x, block.attention_norm, (rows) => {
      const { outputs, heads } = attend(rows, rows, block.attention, {
        hidden: (i, j) => causal && j > i,
        scale,
      });
      self.push(heads);
      return outputs;
    });
    x = residual(x, block.cross_norm, (rows) => {
      const { outputs, heads } = attend(rows, encoded.states, block.cross_attention, {
        hidden: encoded.hidden,
        scale,
      });
      across.push(heads);
      return outputs;
    });
    x = residual(x, block.feed_forward_norm, (rows) => feedForward(rows, block, relu));
  }
  const [V, c] = network.words;
  return { logits: x.map((row) => dense(layerNorm(row, network.decoder_norm, 1e-6), V, c)), self, across };
}

const PRESETS = {
  "as it was trained": {},
  "without the scale": { scale: false },
  "pads, without their mask": { pads: true, padding: false },
  "with pads, all else off": { pads: true, padding: false, scale: false, causal: false },
  "the decoder may look ahead": { causal: false },
};

export function start(stage, data, say) {
  const trained = { scale: true, causal: true, pads: false, padding: true },
    options = { ...trained },
    kept = new Map(); // translations, by words and switches
  let kind = 0,
    block = data.encoder.length - 1,
    head = 0,
    asking = 0;
  const kinds = ["encoder, self-attention", "decoder, self-attention", "decoder, to the source"];
  const text = sentence(data);
  const query = html("div");
  const ask = (names) => picker("query of", names, (value) => (asking = value), asking);
  const called = {
    scale: "scale by √d",
    causal: "causal mask in the decoder",
    pads: `${PADS} pads after the source`,
    padding: "padding mask",
  };
  const boxes = Object.keys(called).map((name) => toggle(called[name], options[name], (on) => (options[name] = on)));
  const names = Object.keys(PRESETS);
  const preset = picker("try", names, (place) => {
    Object.assign(options, trained, PRESETS[names[place]]);
    Object.keys(called).forEach((name, at) => (boxes[at].querySelector("input").checked = options[name]));
    if (options.pads) text.take(data.texts.length - 1);
    kind = options.causal || options.pads ? 0 : 1;
    attention.set(kind);
  });
  const attention = picker("attention", kinds, (value) => (kind = value));
  stage.append(
    settings(text.controls),
    settings(
      attention,
      picker("block", numbered("block", data.encoder.length), (value) => (block = value), block),
      picker("head", numbered("head", data.encoder[0].attention.heads), (value) => (head = value)),
      query,
    ),
    settings(preset, boxes),
  );
  const bars = html("div"),
    map = html("div"),
    said = html("p");
  stage.append(said, html("div", { class: "panels" }, bars, map));

  /** Translate word by word; `moved`: how far the logits of a word move once later ones are written. */
  function translated(words, options) {
    const key = JSON.stringify([words, options]);
    if (kept.has(key)) return kept.get(key);
    const ids = options.pads ? [...words, ...new Array(PADS).fill(0)] : words;
    const encoded = encode(ids, data, options),
      target = [START],
      first = [];
    let run = decode(target, encoded, data, options);
    while (target.length < LONGEST) {
      const logits = run.logits.at(-1),
        best = argmax(logits);
      first.push(logits);
      if (best === END) break;
      target.push(best);
      run = decode(target, encoded, data, options);
    }
    const changes = first.flatMap((row, place) => row.map((value, i) => Math.abs(value - run.logits[place][i])));
    if (kept.size > 8) kept.clear();
    kept.set(key, { ids, encoded, target, run, moved: Math.max(...changes) });
    return kept.get(key);
  }

  /** What is otherwise than it was trained, in a sentence for each switch. */
  function differences({ ids, encoded, target, moved }, usual, named) {
    const found = target.join() === usual.target.join() ? [] : [`As trained it writes: ${named(usual.target)}.`];
    // A value of each query that is no pad, averaged over the encoder's heads.
    const mean = ({ encoded }, value) => {
      const rows = encoded.seen.flat().flatMap(({ weights }) => weights.filter((_, i) => ids[i]));
      return rows.reduce((sum, row) => sum + value(row), 0) / rows.length;
    };
    const [now, then] = [{ encoded }, usual].map((one) => mean(one, (row) => Math.max(...row)).toFixed(2));
    if (!options.scale) found.push(`A query's largest weight in the encoder is ${now} on average, ${then} as trained.`);
    const lost = 100 * mean({ encoded }, (row) => row.reduce((sum, weight, j) => sum + (ids[j] ? 0 : weight), 0));
    if (options.pads) found.push(`Words give ${lost.toFixed(1)} % of the encoder's weight to pads.`);
    if (!options.causal) found.push(`Later words move the logits of earlier ones by up to ${moved.toFixed(1)}.`);
    return found.join(" ");
  }

  function draw() {
    const { words, ids: given, heard } = text.look(20);
    for (const part of [bars, map, said]) part.replaceChildren();
    if (!words.length) return say("Type an English sentence: there is no word to read yet.");
    const found = translated(given, options),
      { ids, encoded, target, run } = found;
    const named = ([, ...target]) => target.map((id) => data.french[id]).join(" ");
    const read = ids.map((_, place) => words[place] ?? "<pad>"),
      written = target.map((id) => data.french[id]);
    const [from, to, heads] = [
      [read, read, encoded.seen[block]],
      [written, written, run.self[block]],
      [written, read, run.across[block]],
    ][kind];
    asking = Math.min(asking, from.length - 1);
    query.replaceChildren(ask(from));
    stage.dataset.numbers = JSON.stringify({
      logits: run.logits,
      weights: heads.map(({ weights }) => weights),
      target,
    });
    said.textContent = `It translates: ${named(target)}. ${differences(found, translated(given, trained), named)}`;
    const { products, scores, weights, v, q } = heads[head];
    bars.append(listed(to, products[asking], scores[asking], weights[asking], dense(weights[asking], v)));
    map.append(mapped(from, to, weights));
    const largest = argmax(weights[asking]);
    const width = q[0].length;
    say(
      `“${from[asking]}” attends most to “${to[largest]}”: q · k = ${products[asking][largest].toFixed(2)}, ` +
        (options.scale ? `divided by √${width} = ${scores[asking][largest].toFixed(2)}, ` : "not divided, ") +
        `weight ${weights[asking][largest].toFixed(2)}.`,
      heard,
    );
  }

  function listed(words, products, scores, weights, context) {
    const picture = drawing(
      420,
      62 + 25 * words.length,
      "For every key: the product, the score, and the weight as a bar",
    );
    ["key", "q · k", "score", "weight"].forEach((title, column) =>
      picture.append(
        label(title, [84, 154, 224, 238][column], 18, {
          "text-anchor": column < 3 ? "end" : "start",
          "font-weight": "bold",
        }),
      ),
    );
    words.forEach((word, row) => {
      const y = 44 + 25 * row,
        right = { "text-anchor": "end" };
      picture.append(
        label(word, 84, y, right),
        label(products[row].toFixed(2), 154, y, right),
        label(Number.isFinite(scores[row]) ? scores[row].toFixed(2) : "hidden", 224, y, right),
        svg("rect", { x: 238, y: y - 14, width: 130 * weights[row], height: 18, fill: BLUE }),
        label(weights[row].toFixed(2), 244 + 130 * weights[row], y),
      );
    });
    const y = 44 + 25 * words.length,
      largest = Math.max(...context.map(Math.abs));
    picture.append(
      label("Σ weight · value", 224, y, { "text-anchor": "end" }),
      heat([context], 238, y - 14, 170 / context.length, 18, largest),
    );
    return picture;
  }

  function mapped(from, to, weights) {
    const size = Math.min(30, 300 / to.length),
      high = Math.max(18, Math.min(30, 190 / from.length));
    const picture = drawing(420, 100 + high * from.length, "The weights of all queries, a row each", "group");
    weights.forEach((row, i) => {
      const cells = svg("g");
      row.forEach((weight, j) =>
        cells.append(
          svg("rect", {
            x: 90 + j * size,
            y: 90 + i * high,
            width: size,
            height: high,
            class: i === asking ? "chosen" : "frame",
            style: `fill: ${diverging(-weight, 1)}`,
          }),
        ),
      );
      picture.append(
        clickable(cells, `query of ${from[i]}`, () => (asking = i)),
        label(from[i], 84, 90 + (i + 0.65) * high, { "text-anchor": "end" }),
      );
    });
    to.forEach((word, j) =>
      picture.append(label(word, 0, 0, { transform: `translate(${98 + (j + 0.4) * size} 84) rotate(-50)` })),
    );
    return picture;
  }
  return draw;
}
