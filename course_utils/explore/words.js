import {
  add,
  BLUE,
  button,
  clickable,
  dot,
  drawing,
  GREEN,
  html,
  label,
  line,
  norm,
  ORANGE,
  picker,
  scaled,
  svg,
} from "./base.js";

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
  const typed = line("word, or a − b + c", text, take, [
    ...new Set(titles.flatMap((title) => data.tables[title].words)),
  ]);
  const which = picker("vectors", titles, (place) => {
    table = data.tables[titles[place]];
    project = plane(table.shown.map((one) => unit(table.vectors[one])));
    if (parsed().some(({ place }) => place < 0)) return take(table.words[table.shown[0]]);
    draw();
  });
  const measure = picker("nearest by", ["cosine", "dot product"], (place) => {
    by = place ? "dot product" : "cosine";
    draw();
  });
  const examples = data.examples.map((example) => button(example, () => take(example)));
  const bars = html("div"),
    map = html("div");
  stage.append(
    html("div", { class: "settings" }, typed, which, measure),
    html("div", { class: "settings" }, "try", ...examples),
    html("div", { class: "panels" }, bars, map),
  );

  function take(next) {
    text = next;
    typed.set(next);
    draw();
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
    const found = nearest(parted.reduce(add), vectors, by, given, 10);
    stage.dataset.numbers = JSON.stringify({ found });
    bars.append(list(found));
    map.append(
      view(
        vectors,
        given,
        found.map(([, place]) => place),
      ),
    );
    say(
      `Nearest to ${text.trim()} by ${by}: ${found
        .slice(0, 3)
        .map(([value, place]) => `${table.words[place]} (${number(value)})`)
        .join(", ")}.`,
    );
  }

  function list(found) {
    const picture = drawing(480, 24 + 30 * found.length, "The ten nearest words, as bars", "group");
    const largest = Math.max(...found.map(([value]) => Math.abs(value)));
    found.forEach(([value, place], row) => {
      const y = 8 + 30 * row,
        word = table.words[place];
      const bar = { x: 150, y, width: 250 * Math.max(0, value / largest), height: 20, fill: BLUE };
      const one = svg(
        "g",
        {},
        label(word, 142, y + 16, { "text-anchor": "end" }),
        svg("rect", bar),
        label(number(value), 158 + bar.width, y + 16),
      );
      picture.append(clickable(one, `take ${word}`, () => take(word)));
    });
    return picture;
  }

  function view(vectors, given, found) {
    const picture = drawing(640, 420, "The words on the plane in which their vectors spread most");
    const shown = [...new Set([...given, ...found, ...table.shown])];
    const places = shown.map((place) => project(unit(vectors[place])));
    const [xs, ys] = [0, 1].map((axis) => places.map((place) => place[axis]));
    const span = (values) => [Math.min(...values), Math.max(...values) - Math.min(...values) || 1];
    const [[left, width], [low, height]] = [span(xs), span(ys)];
    const taken = []; // by labels; where there is no room, a point stands alone
    shown.forEach((place, n) => {
      const x = 20 + (520 * (xs[n] - left)) / width,
        y = 400 - (380 * (ys[n] - low)) / height,
        word = table.words[place];
      const fill = given.includes(place) ? ORANGE : found.includes(place) ? BLUE : GREEN;
      const opacity = fill === GREEN ? 0.6 : 1;
      picture.append(svg("circle", { cx: x, cy: y, r: 5, fill, opacity }, svg("title", {}, word)));
      if (taken.some(([left, right, at]) => Math.abs(at - y) < 15 && left < x + 8 * word.length && x < right)) return;
      taken.push([x, x + 12 + 8 * word.length, y]);
      picture.append(label(word, x + 8, y + 5, { opacity }));
    });
    return picture;
  }
  draw();
}
