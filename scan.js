import { clickable, html, svg } from "./base.js";
import { picker, slider } from "./controls.js";
import { BLUE, diverging, label, measures, ORANGE, strip } from "./drawing.js";

const BOX = 44; // how high a box is, and how far apart two rows are
const ROW = 92;

/** Two steps h → a·h + b as one: first the earlier, then the later. */
export const combine = ([a, b], [c, d]) => [c * a, c * b + d];

/** The steps after each pass of a scan: in pass p each is combined with that 2ᵖ⁻¹ places before. */
export function passes(steps) {
  const found = [steps];
  for (let reach = 1; reach < steps.length; reach *= 2) {
    const below = found.at(-1);
    found.push(below.map((step, t) => (t < reach ? step : combine(below[t - reach], step))));
  }
  return found;
}

export function start(stage, { kept, written, names }, say) {
  const units = kept[0].length,
    most = Math.ceil(Math.log2(names.length)),
    hidden = new Set(),
    plot = html("div");
  let unit = 0,
    shown = 1,
    at = names.length - 1;
  const which = picker(
    "unit",
    Array.from({ length: units }, (_, place) => `${place + 1}`),
    (place) => {
      unit = place;
      draw();
    },
  );
  const pass = slider(
    "passes",
    { min: 0, max: most, step: 1, value: shown },
    (value) => `${value}`,
    (value) => {
      shown = value;
      draw();
    },
  );
  stage.append(html("div", { class: "settings" }, which, pass), plot);

  function draw() {
    const steps = names.map((_, t) => (hidden.has(t) ? [1, 0] : [kept[t][unit], written[t][unit]])),
      found = passes(steps),
      picture = strip(stage, 70 + ROW * shown + BOX, "The steps, and what each pass makes of them", "group"),
      step = measures(picture).width / names.length,
      across = (t) => step * (t + 0.5),
      largest = Math.max(...found.flat().map(([, b]) => Math.abs(b)), 1e-6);
    for (let row = 0; row <= shown; row++) {
      const y = 40 + ROW * row,
        reach = 2 ** (row - 1);
      found[row].forEach(([a, b], t) => {
        const seen = row === shown && t === at;
        if (row && t >= reach) {
          const ends = { x1: across(t - reach), x2: across(t), y1: y - ROW + BOX, y2: y };
          picture.append(svg("line", { ...ends, stroke: seen ? ORANGE : BLUE, class: seen ? "mark" : "rule" }));
        }
        const place = { x: across(t) - 0.44 * step, y, width: 0.88 * step, height: BOX, rx: 5 };
        const box = svg("rect", { ...place, class: "frame", style: `fill: ${diverging(b, largest)}` });
        if (row === shown) clickable(box, `${names[t]}: ${a.toFixed(2)}·h + ${b.toFixed(2)}`, () => choose(t));
        picture.append(box);
        const middle = { "text-anchor": "middle", "pointer-events": "none" };
        picture.append(label(`${a.toFixed(2)} h`, across(t), y + 18, middle));
        picture.append(label(`${b < 0 ? "−" : "+"} ${Math.abs(b).toFixed(2)}`, across(t), y + 36, middle));
      });
    }
    names.forEach((name, t) => {
      const word = label(hidden.has(t) ? "hidden" : name, across(t), 28, { "text-anchor": "middle" });
      picture.append(clickable(word, `hide or show ${name}`, () => hide(t)));
    });
    plot.replaceChildren(picture);
    const [a, b] = found[shown][at],
      first = Math.max(0, at - 2 ** shown + 1),
      states = [];
    for (const [keeps, writes] of steps) states.push((states.at(-1) ?? 0) * keeps + writes);
    stage.dataset.numbers = JSON.stringify({ states, scanned: found.at(-1).map(([, written]) => written) });
    const covers = first < at ? `covers the steps ${first + 1} to ${at + 1}` : `is step ${at + 1} alone`;
    say(
      `After ${shown} of ${most} passes the box of “${names[at]}” ${covers}: h → ${a.toFixed(3)}·h + ${b.toFixed(3)}.`,
      first ? "" : `From h = 0 that is the state, ${states[at].toFixed(3)} by the loop.`,
      "Click a word to hide it: its step becomes 1·h + 0.",
    );
  }

  function choose(t) {
    at = t;
    draw();
  }

  function hide(t) {
    if (!hidden.delete(t)) hidden.add(t);
    draw();
  }
  draw();
}
