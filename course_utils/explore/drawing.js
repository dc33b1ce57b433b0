// Drawings, their colours and their curves.
import { html, svg } from "./base.js";

export const BLUE = "#0072B2",
  ORANGE = "#D55E00",
  GREEN = "#009E73";

/** A drawing of `width` times `height` units, as wide as there is room; "group" where one can click. */
export function drawing(width, height, description, role = "img") {
  const viewBox = `0 0 ${width} ${height}`;
  return svg("svg", {
    viewBox,
    role,
    "aria-label": description,
    style: `max-width: ${1.3 * width}px`,
  });
}

/** A drawing as wide as the stage, at most 1080 units: on a telephone its letters stay legible. */
export function strip(stage, height, description, role, widest = 1080) {
  const width = Math.min(widest, Math.max(340, stage.clientWidth || widest)),
    picture = drawing(width, height, description, role);
  if (width < 500) picture.classList.add("small");
  return picture;
}

/** How many units a drawing is wide, and about how many a word of so many letters takes in it. */
export function measures(picture) {
  const { width } = picture.viewBox.baseVal,
    letter = width < 500 ? 7 : 8.5;
  return { width, wide: (word) => letter * word.length };
}

/** Call `moved` with the place across a drawing, in its units, at which a pointer is pressed or drawn. */
export function followed(picture, moved) {
  const follow = (event) => {
    const box = picture.getBoundingClientRect();
    moved(((event.clientX - box.left) / box.width) * measures(picture).width);
  };
  picture.addEventListener("pointerdown", follow);
  picture.addEventListener("pointermove", (event) => event.buttons && follow(event));
}

export function label(text, x, y, attributes = {}) {
  return svg("text", { x, y, ...attributes }, text);
}

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

/** The frame of curves in a drawing: labels of ticks stand left of it. */
export const framed = (picture) => ({ x: 56, width: measures(picture).width - 70 });

/** The frame of drawings with a column for each word, of which one is marked. */
export function rows(picture, words, at) {
  const frame = { ...framed(picture), from: -0.5, to: words - 0.5 },
    step = frame.width / words,
    { height } = picture.viewBox.baseVal;
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
