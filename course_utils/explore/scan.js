import { svg } from "./base.js";
import { button, picker, reader, slider } from "./controls.js";
import { BLUE, diverging, framed, label, measures, ORANGE, rows, strip } from "./drawing.js";
import { argmax, transpose } from "./layers.js";

const WORDS = 8, // that have room side by side
  BOX = 42, // how high a box is
  ROW = 68; // and from where to where the next one is

/** Two steps h → a·h + b as one: first the earlier, then the later. */
const combine = ([a, b], [c, d]) => [c * a, c * b + d];

/** The steps after each pass of a scan: pass p combines each with that 2ᵖ⁻¹ places before. */
function passes(steps) {
  const found = [steps];
  for (let reach = 1; reach < steps.length; reach *= 2) {
    const below = found.at(-1);
    found.push(below.map((step, t) => (t < reach ? step : combine(below[t - reach], step))));
  }
  return found;
}

/** Which boxes of every row the box at `at` of the last one was made from, itself included. */
function origins(last, at) {
  const found = [new Set([at])];
  for (let row = last; row > 0; row--) {
    const before = [...found[0]].map((t) => t - 2 ** (row - 1));
    found.unshift(new Set([...found[0], ...before.filter((t) => t >= 0)]));
  }
  return found;
}

const sign = (value) => (value < 0 ? "−" : "+");

export function start(stage, data, say) {
  const hidden = new Set(), // words, each with its place
    largest = transpose(data.written).map((unit) => Math.max(...unit.map(Math.abs)));
  let unit = argmax(largest),
    wanted = 3;
  const text = reader(stage, data, WORDS);
  const units = largest.map((_, place) => `${place + 1}`);
  const pass = slider("passes", { min: 0, max: wanted, value: wanted }, (value) => (wanted = value));
  const hide = button("hide or show this word", () => {
    const { read, at } = text.look();
    const word = `${at} ${read[at]}`;
    if (!hidden.delete(word)) hidden.add(word);
  });
  text.controls.append(
    pass,
    picker("unit", units, (place) => (unit = place), unit),
    hide,
  );

  return () => {
    const { read, ids, at } = text.look();
    if (!ids.length) return text.empty(say);
    const off = read.map((word, t) => hidden.has(`${t} ${word}`)),
      found = passes(ids.map((id, t) => (off[t] ? [1, 0] : [data.kept[id][unit], data.written[id][unit]]))),
      most = found.length - 1,
      shown = Math.min(wanted, most);
    pass.limit(most);
    pass.set(shown);
    const states = found[0].reduce((all, [a, b]) => all.concat(a * (all.at(-1) ?? 0) + b), []),
      scanned = found[most].map(([, b]) => b);
    stage.dataset.numbers = JSON.stringify({ unit, states, scanned, shown: found[shown] });
    text.show(
      drawn(found.slice(0, shown + 1), read, off, at, most),
      read.map((_, t) => (off[t] ? "transparent" : diverging(data.written[ids[t]][unit], largest[unit]))),
    );
    const [a, b] = found[shown][at],
      first = Math.max(0, at + 1 - 2 ** shown),
      covers = first === at ? "holds its own step" : `holds the steps of words ${first + 1} to ${at + 1} as one`;
    say(
      `After ${shown} of ${most} passes the box of “${read[at]}” ${covers}: h → ${a.toFixed(3)}·h ${sign(b)} ${Math.abs(b).toFixed(3)}.`,
      first
        ? `Not in it yet: ${first === 1 ? "the first word" : `the first ${first} words`}.`
        : `It begins at the first word: from h = 0 it gives the state, ${states[at].toFixed(3)}, as the loop does.`,
      off[at] && "This word is hidden: its own step is 1·h + 0.",
      text.unknown(),
    );
  };

  /** A row of steps for each pass, and lines to what the chosen box was made from. */
  function drawn(found, read, off, at, most) {
    const picture = strip(stage, 0, "The steps, and what each pass makes of them"),
      { width, wide } = measures(picture),
      { x, width: room } = framed(picture),
      step = room / read.length,
      across = (t) => x + step * (t + 0.5),
      turns = Math.max(...read.map(wide)) > step ? 2 : 1, // rows of words
      top = 4 + 18 * turns,
      gap = width < 500 ? "" : " ",
      lit = origins(found.length - 1, at),
      lines = svg("g"),
      middle = { "text-anchor": "middle" };
    picture.setAttribute("viewBox", `0 0 ${width} ${top + ROW * most + BOX + 4}`);
    rows(picture, read.length, at);
    read.forEach((word, t) => {
      const name = label(word, across(t), top - 6 - 18 * (t % turns), middle);
      if (off[t]) name.setAttribute("text-decoration", "line-through");
      picture.append(name);
    });
    picture.append(lines);
    found.forEach((steps, row) => {
      const y = top + ROW * row;
      picture.append(label(row ? `pass ${row}` : "steps", 0, y + 26));
      steps.forEach(([a, b], t) => {
        const isLit = lit[row].has(t);
        for (const before of row ? [t, t - 2 ** (row - 1)] : []) {
          const ends = { x1: across(before), y1: y - ROW + BOX, x2: across(t), y2: y };
          const looks = { stroke: isLit ? ORANGE : BLUE, "stroke-width": isLit ? 2.5 : 1, opacity: isLit ? 1 : 0.4 };
          if (before >= 0) lines.append(svg("line", { ...ends, ...looks }));
        }
        const place = { x: across(t) - 0.46 * step, y, width: 0.92 * step, height: BOX, rx: 5 };
        const colour = `fill: ${diverging(b, largest[unit])}`;
        picture.append(
          svg("rect", { ...place, class: isLit ? "frame lit" : "frame", style: colour }),
          label(`${a.toFixed(2)}${gap}h`, across(t), y + 17, { ...middle, class: "number" }),
          label(`${sign(b)}${gap}${Math.abs(b).toFixed(2)}`, across(t), y + 35, { ...middle, class: "number" }),
        );
      });
    });
    return picture;
  }
}
