import {
  attend,
  BLUE,
  clickable,
  dense,
  diverging,
  drawing,
  feedForward,
  heat,
  html,
  label,
  layerNorm,
  line,
  picker,
  residual,
  scaled,
  svg,
  toggle,
  tokenize,
} from "./base.js";

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

export function start(stage, data, say) {
  const index = new Map(data.english.map((word, id) => [word, id]));
  const options = { scale: true, causal: true, padding: true };
  let text = data.texts[0],
    pads = false,
    kind = 0,
    block = data.encoder.length - 1,
    head = 0,
    asking = 0;
  const kinds = ["encoder, self-attention", "decoder, self-attention", "decoder, to the source"];
  const numbers = (title, count) => Array.from({ length: count }, (_, place) => `${title} ${place + 1}`);
  const typed = line(
    "English",
    text,
    (value) => {
      text = value;
      draw();
    },
    data.english.slice(4),
  );
  const list = picker("take", data.texts, (place) => {
    typed.set((text = data.texts[place]));
    draw();
  });
  const chosen = (change) => (value) => {
    change(value);
    draw();
  };
  const query = html("div");
  const asked = picker(
    "query of",
    ["…"],
    chosen((value) => (asking = value)),
  );
  query.append(asked);
  stage.append(
    html("div", { class: "settings" }, list, typed),
    html(
      "div",
      { class: "settings" },
      picker(
        "attention",
        kinds,
        chosen((value) => (kind = value)),
      ),
      picker(
        "block",
        numbers("block", data.encoder.length),
        chosen((value) => (block = value)),
        block,
      ),
      picker(
        "head",
        numbers("head", data.encoder[0].attention.heads),
        chosen((value) => (head = value)),
      ),
      query,
    ),
    html(
      "div",
      { class: "settings" },
      toggle(
        "scale by √d",
        true,
        chosen((on) => (options.scale = on)),
      ),
      toggle(
        "causal mask in the decoder",
        true,
        chosen((on) => (options.causal = on)),
      ),
      toggle(
        `${PADS} pads behind the source`,
        false,
        chosen((on) => (pads = on)),
      ),
      toggle(
        "padding mask",
        true,
        chosen((on) => (options.padding = on)),
      ),
    ),
  );
  const bars = html("div"),
    map = html("div"),
    said = html("p");
  stage.append(said, html("div", { class: "panels" }, bars, map));

  function draw() {
    const typedWords = tokenize(text),
      words = typedWords.slice(0, 20),
      unknown = [...new Set(words.filter((word) => !index.has(word)))];
    for (const part of [bars, map, said]) part.replaceChildren();
    if (!words.length) return say("Type an English sentence: there is no word to read yet.");
    const ids = words.map((word) => index.get(word) ?? 1);
    if (pads) ids.push(...new Array(PADS).fill(0));
    const encoded = encode(ids, data, options),
      target = [START];
    let run = decode(target, encoded, data, options);
    while (target.length < LONGEST) {
      const logits = run.logits.at(-1),
        best = logits.indexOf(Math.max(...logits));
      if (best === END) break;
      target.push(best);
      run = decode(target, encoded, data, options);
    }
    const read = ids.map((_, place) => words[place] ?? "<pad>"),
      written = target.map((id) => data.french[id]);
    const [from, to, heads] = [
      [read, read, encoded.seen[block]],
      [written, written, run.self[block]],
      [written, read, run.across[block]],
    ][kind];
    asking = Math.min(asking, from.length - 1);
    const again = picker(
      "query of",
      from,
      chosen((value) => (asking = value)),
      asking,
    );
    query.replaceChildren(again);
    stage.dataset.numbers = JSON.stringify({
      logits: run.logits,
      weights: heads.map(({ weights }) => weights),
      target,
    });
    said.textContent = `It translates: ${written.slice(1).join(" ")}`;
    const { products, scores, weights, v, q } = heads[head];
    bars.append(listed(to, products[asking], scores[asking], weights[asking], dense(weights[asking], v)));
    map.append(mapped(from, to, weights));
    const largest = weights[asking].indexOf(Math.max(...weights[asking]));
    const width = q[0].length;
    say(
      `“${from[asking]}” attends most to “${to[largest]}”: q · k = ${products[asking][largest].toFixed(2)}, ` +
        (options.scale ? `divided by √${width} = ${scores[asking][largest].toFixed(2)}, ` : "not divided, ") +
        `weight ${weights[asking][largest].toFixed(2)}.`,
      unknown.length ? `Not in the vocabulary: ${unknown.join(", ")}.` : "",
      typedWords.length > words.length ? `Only the first ${words.length} words are read.` : "",
    );
  }

  function listed(words, products, scores, weights, context) {
    const picture = drawing(
      560,
      62 + 26 * words.length,
      "For every key: the product, the score, and the weight as a bar",
    );
    ["key", "q · k", "score", "weight"].forEach((title, column) =>
      picture.append(
        label(title, [100, 180, 260, 300][column], 18, {
          "text-anchor": column < 3 ? "end" : "start",
          "font-weight": "bold",
        }),
      ),
    );
    words.forEach((word, row) => {
      const y = 44 + 26 * row,
        right = { "text-anchor": "end" };
      picture.append(
        label(word, 100, y, right),
        label(products[row].toFixed(2), 180, y, right),
        label(Number.isFinite(scores[row]) ? scores[row].toFixed(2) : "hidden", 260, y, right),
        svg("rect", { x: 300, y: y - 14, width: 190 * weights[row], height: 18, fill: BLUE }),
        label(weights[row].toFixed(2), 306 + 190 * weights[row], y),
      );
    });
    const y = 44 + 26 * words.length,
      largest = Math.max(...context.map(Math.abs));
    picture.append(
      label("Σ weight · value", 250, y, { "text-anchor": "end" }),
      heat([context], 300, y - 14, 220 / context.length, 18, largest),
    );
    return picture;
  }

  function mapped(from, to, weights) {
    const size = Math.min(30, 270 / Math.max(from.length, to.length));
    const picture = drawing(520, 110 + size * from.length, "The weights of all queries, a row each", "group");
    weights.forEach((row, i) => {
      const cells = svg("g");
      row.forEach((weight, j) =>
        cells.append(
          svg("rect", {
            x: 110 + j * size,
            y: 90 + i * size,
            width: size,
            height: size,
            class: i === asking ? "chosen" : "frame",
            style: `fill: ${diverging(-weight, 1)}`,
          }),
        ),
      );
      picture.append(
        clickable(cells, `query of ${from[i]}`, () => {
          asking = i;
          draw();
        }),
        label(from[i], 104, 90 + (i + 0.65) * size, { "text-anchor": "end" }),
      );
    });
    to.forEach((word, j) =>
      picture.append(label(word, 0, 0, { transform: `translate(${118 + (j + 0.4) * size} 84) rotate(-50)` })),
    );
    return picture;
  }
  draw();
}
