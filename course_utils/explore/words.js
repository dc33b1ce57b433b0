import { clickable, html, svg } from "./base.js";
import { button, line, picker, settings } from "./controls.js";
import { BLUE, drawing, GREEN, label, measures, ORANGE, strip } from "./drawing.js";
import { add, dot, norm, scaled } from "./layers.js";

/** The words that are nearest to a vector, as [similarity, place], without those left out. */
export function nearest(vector, vectors, by, without, count) {
  const size = norm(vector) || 1;
  const found = vectors.map((other, place) => [
    by === "cosine" ? dot(vector, other) / (size * (norm(other) || 1)) : dot(vector, other),
    place,
  ]);
  return found
    .filter(([, place]) => !without.includes(place))
    .sort((one, other) => other[0] - one[0])
    .slice(0, count);
}

/** How to place vectors of length 1 in the plane in which some of them spread most. */
function plane(vectors) {
  const mean = scaled(vectors.reduce(add), 1 / vectors.length),
    centre = (vector) => vector.map((value, i) => value - mean[i]),
    directions = [];
  let centred = vectors.map(centre);
  for (let axis = 0; axis < 2; axis++) {
    let direction = mean.map((_, i) => Math.cos(i + axis));
    for (let step = 0; step < 60; step++) {
      const along = centred.map((vector) => dot(vector, direction));
      direction = direction.map((_, i) => centred.reduce((sum, vector, n) => sum + along[n] * vector[i], 0));
      direction = scaled(direction, 1 / (norm(direction) || 1));
    }
    directions.push(direction);
    centred = centred.map((vector) => add(vector, scaled(direction, -dot(vector, direction))));
  }
  return (vector) => directions.map((direction) => dot(centre(vector), direction));
}

const number = (value) => (Math.abs(value) < 1_000 ? value.toFixed(2) : Math.round(value).toLocaleString("en"));
const unit = (vector) => scaled(vector, 1 / (norm(vector) || 1));

export function start(stage, data, say) {
  const titles = Object.keys(data.tables);
  let table = data.tables[titles[0]],
    by = "cosine",
    project = plane(table.shown.map((one) => unit(table.vectors[one]))),
    text = data.first;
  const known = new Set(titles.flatMap((title) => data.tables[title].words));
  const typed = line("word, or a − b + c", text, take, [...known]);
  const which = picker("vectors", titles, (place) => {
    table = data.tables[titles[place]];
    project = plane(table.shown.map((one) => unit(table.vectors[one])));
    if (parsed().some(({ place }) => place < 0)) take(table.words[table.shown[0]]);
  });
  const kinds = ["cosine", "dot product"];
  const measure = picker("nearest by", kinds, (place) => (by = kinds[place]));
  const examples = data.examples.map((example) => button(example, () => take(example)));
  const bars = html("div"),
    map = html("div"),
    colours = "Orange: what you asked for (a ring: the sum). Blue: its neighbours. Green: some groups.",
    key = html("p", {}, `${colours} Point at a dot to read it, press to take it.`);
  stage.append(
    settings(typed, which, measure),
    settings("try", ...examples),
    html("div", { class: "panels" }, bars, map),
  );

  function take(next) {
    text = next;
    typed.set(next);
  }

  /** The sign, the word and its place, of each word of the sum. */
  function parsed() {
    const signed = text
      .toLowerCase()
      .replace(/[−–]/g, "-")
      .replace(/\s+([+-])\s+/g, "\n$1 ");
    return signed.split("\n").map((part) => {
      const [, sign, word] = part.trim().match(/^([+-]?)\s*(.*)$/);
      return { sign: sign === "-" ? -1 : 1, word, place: table.words.indexOf(word) };
    });
  }

  function draw() {
    const parts = parsed(),
      unknown = parts.filter(({ place }) => place < 0);
    bars.replaceChildren();
    map.replaceChildren();
    if (!text.trim()) return say("Type a word, or a sum such as a − b + c.");
    if (unknown.length) return say(`“${unknown[0].word}” is not among the ${table.words.length} words here.`);
    const { vectors } = table,
      given = parts.map(({ place }) => place);
    const parted = parts.map(({ sign, place }) =>
      scaled(vectors[place], parts.length > 1 ? sign / (norm(vectors[place]) || 1) : sign),
    );
    const sum = parted.reduce(add),
      found = nearest(sum, vectors, by, given, 10);
    stage.dataset.numbers = JSON.stringify({ found });
    bars.append(list(found));
    const near = found.map(([, place]) => place);
    map.append(view(vectors, given, near, parts.length > 1 ? sum : undefined), key);
    say(
      `Nearest to ${text.trim()} by ${by}: ${found
        .slice(0, 3)
        .map(([value, place]) => `${table.words[place]} (${number(value)})`)
        .join(", ")}.`,
    );
  }

  function list(found) {
    const picture = drawing(420, 24 + 30 * found.length, "The ten nearest words, as bars", "group");
    const largest = Math.max(...found.map(([value]) => Math.abs(value)));
    found.forEach(([value, place], row) => {
      const y = 8 + 30 * row,
        word = table.words[place];
      const bar = { x: 120, y, width: 220 * Math.max(0, value / largest), height: 20, fill: BLUE };
      const one = svg(
        "g",
        {},
        label(word, 112, y + 16, { "text-anchor": "end" }),
        svg("rect", bar),
        label(number(value), 126 + bar.width, y + 16),
      );
      picture.append(clickable(one, `take ${word}`, () => take(word)));
    });
    return picture;
  }

  /** The map: what is asked for and its neighbours are labelled, others where there is room, or when pointed at. */
  function view(vectors, given, found, sum) {
    const picture = strip(stage, 350, "The words on the plane in which their vectors spread most", "group", 560);
    const { width, wide } = measures(picture);
    const shown = [...new Set([...given, ...found, ...table.shown])];
    const places = [...shown.map((place) => vectors[place]), ...(sum ? [sum] : [])].map((vector) =>
      project(unit(vector)),
    );
    const across = [0, 1].map((axis) => {
      const values = places.map((place) => place[axis]),
        low = Math.min(...values);
      return (place) => (place[axis] - low) / (Math.max(...values) - low || 1);
    });
    const at = (place) => [20 + (width - 110) * across[0](place), 328 - 308 * across[1](place)];
    const points = places.map(at);
    const dots = points.map(([x, y]) => [x - 5, x + 5, y - 5, y + 5]),
      labels = []; // where they stand: left, right, top, bottom
    shown.forEach((place, n) => {
      const [x, y] = points[n],
        word = table.words[place],
        size = wide(word);
      const fill = given.includes(place) ? ORANGE : found.includes(place) ? BLUE : GREEN;
      const sides = [5, -4, 14].flatMap((down) => [x + 8, x - 8 - size].map((left) => [left, y + down]));
      const boxes = [...sides, [x - size / 2, y - 9], [x - size / 2, y + 21]];
      const room = (avoided) =>
        boxes.find(([left, base]) => {
          const hit = avoided.some(
            ([l, r, top, low]) => left < r && l < left + size && base - 13 < low && top < base + 3,
          );
          return !hit && left >= 0 && left + size <= width;
        });
      const free = room([...labels, ...dots]) ?? (fill === GREEN ? undefined : room(labels));
      if (free) labels.push([free[0], free[0] + size, free[1] - 13, free[1] + 3]);
      const [left, base] = free ?? boxes[0];
      const dot = svg("circle", { cx: x, cy: y, r: 6, fill });
      const one = svg("g", { class: free ? "point" : "point crowded" }, dot, label(word, left, base));
      picture.append(clickable(one, `take ${word}`, () => take(word)));
    });
    if (sum) {
      const [cx, cy] = points.at(-1);
      picture.append(svg("circle", { cx, cy, r: 10, fill: "none", stroke: ORANGE, "stroke-width": 3 }));
    }
    return picture;
  }
  return draw;
}
