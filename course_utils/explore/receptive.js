import { changing, html, svg } from "./base.js";
import { button, coder, picker, reader, settings, slider, toggle, tokenize, views } from "./controls.js";
import { axes, BLUE, diverging, followed, label, measures, ORANGE, rows, strip } from "./drawing.js";
import { argmax } from "./layers.js";

const WORDS = 60; // that the drawing of a stack has below it
const PRESETS = {
  "one convolution of width 5": [[5, 1, 1]],
  "three of width 3": [
    [3, 1, 1],
    [3, 1, 1],
    [3, 1, 1],
  ],
  "dilations 1, 2, 4": [
    [3, 1, 1],
    [3, 1, 2],
    [3, 1, 4],
  ],
  "the slides: conv 7, pool 5, conv 7": [
    [7, 1, 1],
    [5, 5, 1, "pool"],
    [7, 1, 1],
  ],
};

const kind = (layer) => layer[3] ?? "conv";

/** Which steps of the layer below an output of (kernel, stride, dilation) reads. */
const reads = (output, [kernel, stride, dilation]) =>
  Array.from({ length: kernel }, (_, tap) => output * stride + tap * dilation);

/** How many outputs every layer has, from the words up. */
function lengths(stack, words) {
  const found = [words];
  for (const [kernel, stride, dilation] of stack) {
    found.push(Math.max(0, Math.floor((found.at(-1) - (kernel - 1) * dilation - 1) / stride) + 1));
  }
  return found;
}

/** What one filter answers to each window of ids: the sum of products, 0 where it is negative. */
export function responses(ids, filter, { table, K, b }) {
  const found = [];
  for (let start = 0; start + K.length <= ids.length; start++) {
    let sum = b[filter];
    for (let tap = 0; tap < K.length; tap++) {
      const vector = table[ids[start + tap]];
      for (let channel = 0; channel < vector.length; channel++) sum += vector[channel] * K[tap][channel][filter];
    }
    found.push(Math.max(0, sum));
  }
  return found;
}

export const start = (stage, data, say) =>
  views(stage, {
    "what excites a filter": (place) => filtered(place, data, say, stage),
    "how far a stack sees": (place) => stacked(place, say, stage),
  });

/** The stack of layers that one builds, and which words one output sees. */
function stacked(parent, say, stage) {
  let stack = structuredClone(PRESETS["three of width 3"]),
    at = 0;
  const sliders = html("div"),
    plot = html("div"),
    names = Object.keys(PRESETS);
  const preset = picker(
    "stack",
    [...names, "your own"],
    (place) => {
      if (place < names.length) stack = structuredClone(PRESETS[names[place]]);
      edit();
    },
    1,
  );
  const output = slider("output", { max: 1 }, (value) => (at = value - 1));
  const more = button("add a layer", () => {
    if (stack.length < 5) stack.push([3, 1, 1]);
    own();
  });
  const fewer = button("remove the top", () => {
    if (stack.length > 1) stack.pop();
    own();
  });
  parent.append(settings(preset, output, more, fewer), sliders, plot);
  edit();

  function own() {
    preset.set(names.length);
    edit();
  }

  /** A row of sliders for each layer, the top first. */
  function edit() {
    const rows = stack.map((layer, number) => {
      const parts = Object.entries({ kernel: 9, stride: 5, dilation: 8 }).map(([title, max], part) =>
        slider(title, { max, value: layer[part] }, (value) => {
          layer[part] = value;
          preset.set(names.length);
        }),
      );
      return settings(html("strong", {}, `layer ${number + 1}, ${kind(layer)}`), ...parts);
    });
    sliders.replaceChildren(...rows.reverse());
  }

  function draw() {
    const counts = lengths(stack, WORDS),
      top = counts.at(-1);
    const field = stack.reduce(
      ([field, jump], [kernel, stride, dilation]) => [field + (kernel - 1) * dilation * jump, jump * stride],
      [1, 1],
    )[0];
    if (!top) {
      const drawn = counts.slice(0, counts.indexOf(0)),
        [kernel, , dilation] = stack[drawn.length - 1];
      plot.replaceChildren(
        picture(
          drawn,
          stack.map(() => new Set()),
        ),
      );
      return say(
        `Too deep for a text of ${WORDS} words: layer ${drawn.length} reads ${(kernel - 1) * dilation + 1} steps at once ` +
          `and gets ${drawn.at(-1)}. One output on top would see ${field} words. Make a layer smaller, or remove one.`,
      );
    }
    at = Math.min(at, top - 1);
    output.limit(top);
    output.set(at + 1);
    let seen = new Set([at]);
    const levels = [seen];
    for (const layer of [...stack].reverse()) {
      seen = new Set([...seen].flatMap((one) => reads(one, layer)));
      levels.unshift(seen);
    }
    plot.replaceChildren(picture(counts, levels));
    const [first, last] = [Math.min(...levels[0]), Math.max(...levels[0])];
    const jump = stack.reduce((product, [, stride]) => product * stride, 1);
    stage.dataset.numbers = JSON.stringify({ field, jump });
    const gaps = levels[0].size < field ? ` Only ${levels[0].size} of them are read.` : "";
    say(
      `One output sees ${field} words, here ${first + 1} to ${last + 1}.${gaps} The next output begins ${jump} further on.`,
    );
  }

  function picture(counts, levels) {
    const height = 44,
      base = 14 + height * (counts.length - 1);
    const drawn = strip(stage, base + 40, "Layers as rows of dots, and what one output sees of the words below");
    const step = (measures(drawn).width - 72) / WORDS;
    const centres = [Array.from({ length: WORDS }, (_, word) => 64 + step * (word + 0.5))];
    stack.slice(0, counts.length - 1).forEach((layer, number) =>
      centres.push(
        Array.from({ length: counts[number + 1] }, (_, one) => {
          const below = reads(one, layer).map((place) => centres[number][place]);
          return (below[0] + below.at(-1)) / 2;
        }),
      ),
    );
    const lines = svg("g"),
      dots = svg("g");
    centres.forEach((row, level) =>
      row.forEach((x, one) => {
        const y = base - height * level,
          on = levels[level].has(one);
        if (on && level) {
          for (const place of reads(one, stack[level - 1])) {
            const ends = { x1: x, y1: y, x2: centres[level - 1][place], y2: y + height };
            lines.append(svg("line", { ...ends, stroke: ORANGE, "stroke-width": 1.5 }));
          }
        }
        const r = Math.min(on ? 6 : 3, step * (on ? 0.5 : 0.35));
        dots.append(svg("circle", { cx: x, cy: y, r, fill: on ? ORANGE : "#8b95a5" }));
      }),
    );
    drawn.append(lines, dots, label(`words, 1 to ${WORDS}`, 64, base + 30));
    centres
      .slice(1)
      .forEach((_, number) => drawn.append(label(kind(stack[number]), 0, base + 5 - height * (number + 1))));
    followed(drawn, (x) => {
      const far = centres.at(-1).map((centre) => Math.abs(centre - x));
      changing(drawn, () => (at = far.indexOf(Math.min(...far))));
    });
    return drawn;
  }
  return draw;
}

/** What a filter of the network answers to every window, and which windows excite it most. */
function filtered(parent, data, say, stage) {
  const width = data.K.length;
  const code = coder(data.words);
  const library = data.library.map((text) => code.ids(tokenize(text)));
  const order = data.V.map(([weight], filter) => [weight, filter]).sort((one, other) => other[0] - one[0]);
  let chosen = 0;
  const text = reader(parent, data);
  const names = order.map(([weight, filter]) => `filter ${filter}, weight in the logit ${weight.toFixed(2)}`);
  text.controls.append(
    picker("filter", names, (place) => (chosen = place)),
    toggle("a neutral sentence in front", false, (on) => text.front(data.neutral, on)),
  );
  const list = html("p");
  parent.append(list);

  function strongest(filter) {
    const found = new Map();
    for (const ids of library) {
      responses(ids, filter, data).forEach((response, start) => {
        const words = ids
          .slice(start, start + width)
          .map((id) => data.words[id])
          .join(" ");
        if (response > 0) found.set(words, response);
      });
    }
    return [...found].sort((one, other) => other[1] - one[1]).slice(0, 3);
  }

  return () => {
    const [weight, filter] = order[chosen],
      { read, ids, at } = text.look();
    if (!ids.length) return text.empty(say);
    const found = responses(ids, filter, data),
      exciting = strongest(filter),
      largest = Math.max(1, ...found, ...exciting.map(([, response]) => response)),
      best = argmax(found);
    stage.dataset.numbers = JSON.stringify({ responses: found });
    const picture = strip(stage, 176, "The response of one filter to every window of the text");
    const frame = { ...rows(picture, read.length, at), y: 34, height: 116, low: 0, high: largest };
    const title = `filter ${filter}, response to the ${width} words that end here`;
    const plot = axes(picture, { ...frame, title });
    for (const value of [0, largest]) plot.tick(value, value.toFixed(1));
    plot.curve(found, weight > 0 ? ORANGE : BLUE, (start) => start + width - 1);
    const ending = (place) => found[place - width + 1] ?? 0;
    text.show(
      picture,
      read.map((_, place) => diverging(Math.sign(weight) * ending(place), largest)),
    );
    const excited = exciting.map(([words, response]) => `“${words}” ${response.toFixed(1)}`);
    list.textContent = `Over ${library.length} reviews it answers most to: ${excited.join(", ")}.`;
    if (best < 0) return say(`The text has fewer than ${width} words: there is no window yet.`, text.unknown());
    say(
      `Its largest response counts alone, here to “${read.slice(best, best + width).join(" ")}”: ` +
        `${found[best].toFixed(2)}, which moves the logit by ${(weight * found[best]).toFixed(2)}. ` +
        `To the words that end in “${read[at]}”: ${ending(at).toFixed(2)}.`,
      text.unknown(),
    );
  };
}
