// What all explorables share: elements, controls, colours, and the layers they compute with.
// A vector is an array of numbers, a matrix an array of vectors, one a row.

const MOST_WORDS = 160; // words of a text that are read

export const BLUE = "#0072B2",
  ORANGE = "#D55E00",
  GREEN = "#009E73";

// Elements ------------------------------------------------------------------------------------

function made(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.flat());
  return element;
}

export function html(tag, attributes = {}, ...children) {
  return made(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return made(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/** A drawing of `width` times `height` units, as wide as there is room; "group" where one can click. */
export function drawing(width, height, description, role = "img") {
  const viewBox = `0 0 ${width} ${height}`;
  return svg("svg", {
    viewBox,
    role,
    "aria-label": description,
    style: `max-width: ${1.3 * width}px; --least: ${0.6 * width}px`,
  });
}

export function label(text, x, y, attributes = {}) {
  return svg("text", { x, y, ...attributes }, text);
}

// Controls ------------------------------------------------------------------------------------

/** Do what changes the page, and leave the focus where it was, though its element was drawn anew. */
function keepingFocus(element, change) {
  const stage = element.closest(".stage"),
    all = () => [...stage.querySelectorAll("[tabindex], button, select, input")],
    place = all().indexOf(element);
  change();
  if (!stage.contains(document.activeElement)) all()[place]?.focus();
}

let controls = 0; // so that each has an id of its own

function named(title, control, ...more) {
  control.id = `explore-${Date.now()}-${controls++}`;
  return html("div", { class: "control" }, html("label", { for: control.id }, title), control, ...more);
}

/** A slider; `said` turns its value into words, `moved` is called with each new value. */
export function slider(title, { min, max, step, value }, said, moved) {
  const input = html("input", { type: "range", min, max, step, value });
  const output = html("output", {}, said(value));
  const element = named(title, input, output);
  element.set = (number) => {
    input.value = number;
    output.textContent = said(Number(input.value));
    input.setAttribute("aria-valuetext", output.textContent);
  };
  input.addEventListener("input", () => {
    element.set(input.value);
    moved(Number(input.value));
  });
  element.limit = (most) => (input.max = most);
  element.set(value);
  return element;
}

/** A list to pick from; `picked` is called with the place in the list. */
export function picker(title, names, picked, value = 0) {
  const options = names.map((name, at) => html("option", { value: at }, name));
  const change = () => keepingFocus(select, () => picked(Number(select.value)));
  const select = html("select", { onchange: change }, ...options);
  const element = named(title, select);
  element.set = (at) => (select.value = at);
  element.set(value);
  return element;
}

/** A box to tick. */
export function toggle(title, value, switched) {
  const input = html("input", { type: "checkbox", onchange: () => switched(input.checked) });
  input.checked = value;
  return html("label", { class: "control" }, input, title);
}

export function button(title, pressed) {
  const element = html("button", { type: "button" }, title);
  element.addEventListener("click", () => keepingFocus(element, pressed));
  return element;
}

/** A line to type into; `typed` is called at each change. */
export function line(title, value, typed, words) {
  const input = html("input", { type: "text", spellcheck: "false", autocomplete: "off" });
  input.value = value;
  input.addEventListener("input", () => typed(input.value));
  const element = named(title, input);
  if (words) {
    const list = html("datalist", { id: `${input.id}-words` });
    list.append(...words.map((word) => html("option", { value: word })));
    input.setAttribute("list", list.id);
    element.append(list);
  }
  element.set = (text) => (input.value = text);
  element.classList.add("wide");
  return element;
}

/** Something to click: it can be reached and pressed by keyboard, too. */
export function clickable(element, description, pressed) {
  const press = () => keepingFocus(element, pressed);
  const attributes = { tabindex: 0, role: "button", "aria-label": description, onclick: press };
  attributes.onkeydown = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    press();
  };
  return made(element, attributes, []);
}

// Colours and curves --------------------------------------------------------------------------

/** How strong a value's colour is, from 0 to 0.75 where it is as large as `largest`. */
const strength = (value, largest) => 0.75 * Math.min(1, Math.abs(value) / largest) || 0;

/** Orange above zero, blue below, stronger the further from it. */
export function diverging(value, largest) {
  const share = (100 * strength(value, largest)).toFixed(1);
  return `color-mix(in srgb, ${value < 0 ? BLUE : ORANGE} ${share}%, transparent)`;
}

/** A matrix as coloured cells at (x, y): one picture, since thousands of elements would be slow. */
export function heat(matrix, x, y, width, height, largest, above = ORANGE) {
  const canvas = html("canvas", { width: matrix[0].length, height: matrix.length });
  const pixels = new ImageData(canvas.width, canvas.height);
  const channels = (colour) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  const [positive, negative] = [above, BLUE].map(channels);
  matrix.flat().forEach((value, cell) => {
    pixels.data.set([...(value < 0 ? negative : positive), 255 * strength(value, largest)], 4 * cell);
  });
  canvas.getContext("2d").putImageData(pixels, 0, 0);
  const size = { width: width * matrix[0].length, height: height * matrix.length };
  const look = { preserveAspectRatio: "none", style: "image-rendering: pixelated" };
  return svg("image", { x, y, ...size, ...look, href: canvas.toDataURL() });
}

/** The frame of drawings with a column for each word, of which one is marked. */
export function rows(picture, words, at) {
  const frame = { x: 66, width: 1000, from: -0.5, to: words - 0.5 },
    step = frame.width / words;
  const [, , , height] = picture.getAttribute("viewBox").split(" ");
  picture.append(svg("rect", { x: frame.x + at * step, y: 0, width: step, height, class: "here" }));
  return frame;
}

/** Axes for curves in a frame at (x, y): `mark` draws a tick, `curve` a line through values. */
export function axes(parent, { x, y, width, height, from, to, low, high, title, log = false }) {
  const scale = log ? Math.log10 : (value) => value;
  const across = (value) => x + (width * (value - from)) / (to - from || 1);
  const up = (value) => {
    const share = (scale(value) - scale(low)) / (scale(high) - scale(low));
    return y + height * (1 - Math.min(1.02, Math.max(-0.02, share)));
  };
  const lines = svg("g");
  parent.append(svg("rect", { x, y, width, height, class: "frame" }), label(title, x, y - 8), lines);
  return {
    across,
    up,
    tick(value, text = String(value)) {
      const at = up(value);
      parent.append(svg("line", { x1: x, x2: x + width, y1: at, y2: at, class: "rule" }));
      parent.append(label(text, x - 6, at + 5, { "text-anchor": "end" }));
    },
    curve(values, colour, at = (index) => index) {
      const points = values.map((value, index) => `${across(at(index)).toFixed(1)},${up(value).toFixed(1)}`);
      lines.append(svg("polyline", { points: points.join(" "), stroke: colour, class: "curve" }));
    },
    mark(index, colour) {
      const place = { x1: across(index), x2: across(index), y1: y, y2: y + height };
      lines.append(svg("line", { ...place, stroke: colour, class: "mark" }));
    },
  };
}

/** The logit of praise after every word, in a frame of `rows`; returns the words' colours. */
export function verdicts(picture, frame, logits) {
  const largest = Math.ceil(Math.max(3, ...logits.map(Math.abs)));
  const curves = axes(picture, { ...frame, height: 62, low: -largest, high: largest, title: "logit of praise" });
  for (const value of [-largest, 0, largest]) curves.tick(value, value.toFixed(0));
  curves.curve(logits, BLUE);
  return logits.map((logit) => diverging(logit, 6));
}

// Texts ---------------------------------------------------------------------------------------

/** The words of a text, as the course's `tokenize` finds them. */
export function tokenize(text) {
  const plain = text
    .normalize("NFC")
    .toLowerCase()
    .replace(/[’‘ʼ＇]/g, "'");
  return plain.match(/[\p{L}\p{N}]+(?:'[\p{L}\p{N}]+)*/gu) ?? [];
}

/** Controls for a text that is taken from a list or typed, its words, and a place for a drawing.
 *
 * `look` returns the words, their ids and which of them is looked at; `show` puts a drawing under
 * the words and colours them; `changed` is called when there is something else to draw.
 */
export function reader(parent, { words, texts }, changed) {
  const index = new Map(words.map((word, id) => [word, id])),
    names = Object.keys(texts);
  const chips = html("div", { class: "words" }),
    place = html("div");
  let text = texts[names[0]],
    read = [],
    at = -1;

  const typed = line("text", text, (value) => {
    text = value;
    list.set(names.length);
    turn(-1);
  });
  const list = picker("take", [...names, "your own"], (chosen) => {
    if (chosen < names.length) typed.set((text = texts[names[chosen]]));
    else typed.querySelector("input").focus();
    turn(-1);
  });
  const range = { min: 1, max: 1, step: 1, value: 1 };
  const word = slider(
    "word",
    range,
    (value) => `${value}`,
    (value) => turn(value - 1),
  );
  const controls = html("div", { class: "settings" }, list, word);
  parent.append(controls, html("div", { class: "settings" }, typed), chips, place);

  function turn(next) {
    at = next;
    changed();
  }
  return {
    controls,
    /** Put a sentence in front of the text, or take it away again. */
    front(sentence, on) {
      typed.set((text = on ? `${sentence} ${text}` : text.replace(sentence, "").trim()));
      turn(-1);
    },
    look() {
      read = tokenize(text).slice(0, MOST_WORDS);
      if (at < 0 || at >= read.length) at = read.length - 1;
      word.limit(Math.max(1, read.length));
      word.set(at + 1);
      return { read, ids: read.map((one) => index.get(one) ?? 1), at };
    },
    show(picture, colours) {
      place.replaceChildren(picture);
      const follow = (event) => {
        const box = picture.getBoundingClientRect(),
          [, , width] = picture.getAttribute("viewBox").split(" ");
        const over = Math.floor((((event.clientX - box.left) / box.width) * width - 66) / (1000 / read.length));
        if (over !== at && over >= 0 && over < read.length) turn(over);
      };
      picture.addEventListener("pointerdown", follow);
      picture.addEventListener("pointermove", (event) => event.buttons && follow(event));
      chips.replaceChildren(
        ...read.map((one, number) => {
          const chip = html("span", { style: `background: ${colours[number]}`, onclick: () => turn(number) }, one);
          if (number === at) chip.className = "here";
          return chip;
        }),
      );
    },
    empty(say) {
      chips.replaceChildren();
      place.replaceChildren();
      say("There is no word to read yet: type a text, or take one from the list.");
    },
    unknown() {
      const found = [...new Set(read.filter((one) => !index.has(one)))].slice(0, 5).join(", ");
      const cut = read.length === MOST_WORDS ? `Only the first ${MOST_WORDS} words are read.` : "";
      return found ? `Not in the vocabulary, read as <unknown>: ${found}. ${cut}` : cut;
    },
  };
}

// Layers --------------------------------------------------------------------------------------

/** What Python sent, its arrays as numbers in rows, of as many dimensions as they had. */
function unpack(value) {
  if (Array.isArray(value)) return value.map(unpack);
  if (value === null || typeof value !== "object") return value;
  if (!("float32" in value)) {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, unpack(part)]));
  }
  const bytes = Uint8Array.from(atob(value.float32), (one) => one.charCodeAt(0));
  let parts = Array.from(new Float32Array(bytes.buffer));
  for (const size of value.shape.slice(1).reverse()) {
    const rows = [];
    for (let start = 0; start < parts.length; start += size) rows.push(parts.slice(start, start + size));
    parts = rows;
  }
  return parts;
}

export const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
export const add = (a, b) => a.map((value, i) => value + b[i]);
export const scaled = (a, factor) => a.map((value) => value * factor);
export const norm = (a) => Math.sqrt(dot(a, a));
export const sigmoid = (value) => 1 / (1 + Math.exp(-value));
export const transpose = (matrix) => matrix[0].map((_, j) => matrix.map((row) => row[j]));

/** x W + b for one vector x. */
export function dense(x, W, b) {
  const out = b ? b.slice() : new Array(W[0].length).fill(0);
  for (let i = 0; i < x.length; i++) {
    const row = W[i],
      value = x[i];
    if (value) for (let j = 0; j < out.length; j++) out[j] += value * row[j];
  }
  return out;
}

export function softmax(scores) {
  const largest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - largest));
  return scaled(powers, 1 / powers.reduce((a, b) => a + b, 0));
}

export function layerNorm(x, [gamma, beta], epsilon) {
  const mean = x.reduce((a, b) => a + b, 0) / x.length;
  const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
  const size = Math.sqrt(variance + epsilon);
  return x.map((value, i) => ((value - mean) / size) * gamma[i] + beta[i]);
}

/** x Φ(x), with erf by Abramowitz and Stegun (1964), formula 7.1.26: exact to 2e-7. */
export function gelu(x) {
  const z = Math.abs(x) / Math.SQRT2,
    t = 1 / (1 + 0.3275911 * z);
  const series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const erf = Math.sign(x) * (1 - series * Math.exp(-z * z));
  return 0.5 * x * (1 + erf);
}

/** Attention of queries to what `value` holds, by layers of weights and a number of heads.
 *
 * hidden(i, j): true where query i may not attend to j. Returns the outputs and, for every head,
 * its queries, keys and values, the products q · k, the scores, and the weights.
 */
export function attend(query, value, { query: Q, key: K, value: V, output: O, heads }, { hidden, scale = true }) {
  const [queries, keys, values] = [
    [query, Q],
    [value, K],
    [value, V],
  ].map(([rows, [W, b]]) => rows.map((row) => dense(row, W, b)));
  const width = queries[0].length / heads,
    found = [];
  const outputs = query.map(() => []);
  for (let head = 0; head < heads; head++) {
    const part = (rows) => rows.map((row) => row.slice(head * width, (head + 1) * width));
    const [q, k, v] = [queries, keys, values].map(part);
    const products = q.map((one) => k.map((other) => dot(one, other)));
    const scores = products.map((row, i) =>
      row.map((product, j) => (hidden(i, j) ? -Infinity : product / (scale ? Math.sqrt(width) : 1))),
    );
    const weights = scores.map(softmax);
    weights.forEach((row, i) => outputs[i].push(...dense(row, v)));
    found.push({ q, k, v, products, scores, weights });
  }
  return { outputs: outputs.map((row) => dense(row, O[0], O[1])), heads: found };
}

/** A sublayer's part of a pre-norm block: x + sublayer(norm(x)). */
export function residual(x, weights, sublayer) {
  const made = sublayer(x.map((row) => layerNorm(row, weights, 1e-6)));
  return x.map((row, i) => add(row, made[i]));
}

/** The feed-forward network of a block, for each token. */
export function feedForward(x, { hidden: [W, b], output: [V, c] }, activation) {
  return x.map((row) => dense(dense(row, W, b).map(activation), V, c));
}

// Starting ------------------------------------------------------------------------------------

/** Start every explorable of a name that stands in the document and has not started. */
export function startAll(name, start) {
  if (/print-pdf|view=print/.test(location.search)) return; // paper keeps the picture
  for (const root of document.querySelectorAll(`.explore[data-explore="${name}"]:not([data-on])`)) {
    root.dataset.on = "1";
    const status = html("p", { role: "status", class: "said" });
    const stage = html("div", { class: "stage" });
    // Keys belong to the controls, neither to a deck nor to a notebook's shortcuts.
    for (const kind of ["keydown", "keyup", "keypress"]) {
      stage.addEventListener(kind, (event) => event.key === "Escape" || event.stopPropagation());
    }
    const say = (...parts) => (status.textContent = parts.filter(Boolean).join(" "));
    try {
      const data = root.querySelector("script[type='application/json']").textContent;
      start(stage, unpack(JSON.parse(data)), say);
    } catch (error) {
      say(`This could not be started, so its picture stands here: ${error.message}`);
      root.append(status);
      continue;
    }
    const picture = root.querySelector("img");
    (picture.closest("figure") ?? picture).hidden = true;
    root.append(stage, status);
  }
}
