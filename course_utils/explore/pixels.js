// A digit to draw, and what both image modules show of it.
import { changing, clickable, html, svg } from "./base.js";
import { button, picker, toggle } from "./controls.js";
import { BLUE, diverging, drawing, label } from "./drawing.js";

/** The patches of a square image, row by row, each with its pixels row by row. */
export function cut(pixels, patch) {
  const width = Math.sqrt(pixels.length),
    side = width / patch,
    found = [];
  for (let place = 0; place < side * side; place++) {
    const [top, left] = [patch * Math.floor(place / side), patch * (place % side)];
    found.push(
      Array.from(
        { length: patch * patch },
        (_, at) => pixels[(top + Math.floor(at / patch)) * width + left + (at % patch)],
      ),
    );
  }
  return found;
}

/** A canvas of pixels to draw on by pointer or by keys, filled with the first digit. */
export function drawable(digits) {
  const width = Math.sqrt(digits[0].pixels.length),
    size = 320 / width;
  const values = [...digits[0].pixels],
    picture = drawing(340, 340, "Draw here: drag, or move by arrow keys and press space");
  const cells = values.map((_, place) =>
    svg("rect", {
      x: 4 + size * (place % width),
      y: 4 + size * Math.floor(place / width),
      width: size,
      height: size,
      class: "frame",
    }),
  );
  const framed = svg("rect", { class: "framed" });
  const here = svg("rect", { width: size, height: size, class: "here", visibility: "hidden" });
  let at = 0,
    erasing = false;
  picture.append(svg("rect", { x: 4, y: 4, width: 320, height: 320, fill: "#fff" }), ...cells, framed, here);
  picture.setAttribute("tabindex", "0");
  picture.setAttribute("role", "application");
  picture.style.touchAction = "none";
  picture.addEventListener("pointerdown", (event) => {
    picture.setPointerCapture(event.pointerId);
    ink(event);
  });
  picture.addEventListener("pointermove", (event) => event.buttons && ink(event));
  picture.addEventListener("focus", () => here.setAttribute("visibility", "visible"));
  picture.addEventListener("keydown", (event) => {
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.key === " ") values[at] = values[at] > 0.5 ? 0 : 1;
    else if (event.key in moves) {
      const [column, row] = [at % width, Math.floor(at / width)].map((one, axis) =>
        Math.min(width - 1, Math.max(0, one + moves[event.key][axis])),
      );
      at = row * width + column;
    } else return;
    event.preventDefault();
    changing(picture, paint);
  });

  /** The pixel under the pointer gets ink, and those on the way from the last one. */
  function ink(event) {
    const box = picture.getBoundingClientRect(),
      before = event.type === "pointermove" ? [at % width, Math.floor(at / width)] : undefined;
    const place = [event.clientX - box.left, event.clientY - box.top].map((pixels) =>
      Math.floor(((pixels / box.width) * 340 - 4) / size),
    );
    if (Math.min(...place) < 0 || Math.max(...place) >= width) return;
    const from = before ?? place,
      steps = Math.max(1, Math.abs(place[0] - from[0]), Math.abs(place[1] - from[1]));
    for (let step = 0; step <= steps; step++) {
      const [column, row] = place.map((end, axis) => Math.round(from[axis] + ((end - from[axis]) * step) / steps));
      at = row * width + column;
      values[at] = erasing ? 0 : 1;
    }
    changing(picture, paint);
  }

  function paint() {
    cells.forEach((cell, place) => (cell.style.fill = `rgb(0 0 0 / ${values[place]})`));
    here.setAttribute("x", 4 + size * (at % width));
    here.setAttribute("y", 4 + size * Math.floor(at / width));
  }

  function fill(pixels) {
    pixels.forEach((value, place) => (values[place] = value));
    paint();
  }
  const names = digits.map(({ name }) => name);
  const controls = [
    picker("digit", names, (place) => fill(digits[place].pixels)),
    button("clear", () => fill(new Array(values.length).fill(0))),
    toggle("erase", false, (on) => (erasing = on)),
  ];
  paint();
  /** Frame a patch, of so many pixels a side. */
  function frame(place, patch) {
    const [x, y] = [place % (width / patch), Math.floor(place / (width / patch))];
    const box = { x: 4 + size * patch * x, y: 4 + size * patch * y, width: size * patch, height: size * patch };
    for (const [name, value] of Object.entries(box)) framed.setAttribute(name, value);
  }
  return { values, controls, frame, element: picture };
}

/** The probability of every class that has a name, as bars. */
export function chances(probabilities, names) {
  const left = 20 + 9 * Math.max(...names.map((name) => name.length)),
    room = 230 - left;
  const picture = drawing(300, 10 + 32 * names.length, "The probability of every class");
  names.forEach((name, place) => {
    const y = 8 + 32 * place,
      width = room * probabilities[place];
    picture.append(
      label(name, left - 8, y + 18, { "text-anchor": "end" }),
      svg("rect", { x: left, y, width, height: 24, fill: BLUE }),
      label(`${(100 * probabilities[place]).toFixed(0)} %`, left + 8 + width, y + 18),
    );
  });
  return picture;
}

/** A drawing under its title. */
export const titled = (title, picture) => [html("p", {}, title), picture];

/** A map with a value for every patch, which can be chosen; another patch may be marked. */
export function gridded(side, values, title, at, chosen, marked) {
  const picture = drawing(310, 310, title, "group"),
    size = 300 / side,
    largest = Math.max(0.05, ...values.map(Math.abs));
  const corner = (place) => [5 + size * (place % side), 5 + size * Math.floor(place / side)];
  values.forEach((value, place) => {
    const [x, y] = corner(place),
      looks = { x, y, width: size, height: size, class: place === at ? "chosen" : "frame" };
    const cell = svg(
      "g",
      {},
      svg("rect", { ...looks, style: `fill: ${diverging(value, largest)}` }),
      label(value.toFixed(2), x + size / 2, y + size / 2 + 7, { "text-anchor": "middle" }),
    );
    picture.append(clickable(cell, `patch ${place + 1}: ${value.toFixed(2)}`, () => chosen(place)));
  });
  if (marked !== undefined) {
    const [x, y] = corner(marked).map((start) => start + 5);
    picture.append(svg("rect", { x, y, width: size - 10, height: size - 10, class: "here" }));
  }
  return titled(title, picture);
}
