// Controls, and the texts that are read. What is changed by one of them is drawn by itself.
import { changing, html } from "./base.js";
import { followed, framed } from "./drawing.js";

let controls = 0; // so that each has an id of its own

function named(title, control, ...more) {
  control.id = `explore-${Date.now()}-${controls++}`;
  return html("div", { class: "control" }, html("label", { for: control.id }, title), control, ...more);
}

/** A row of controls. */
export const settings = (...children) => html("div", { class: "settings" }, ...children);

/** Names such as "block 1", "block 2", … */
export const numbered = (name, count) => Array.from({ length: count }, (_, place) => `${name} ${place + 1}`);

/** A slider; `said` turns its value into words, `moved` is called with each new value. */
export function slider(title, { min = 1, max, step = 1, value = min, said = String }, moved) {
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
    changing(input, () => moved(Number(input.value)));
  });
  element.limit = (most) => (input.max = most);
  element.set(value);
  return element;
}

/** A list to pick from; `picked` is called with the place in the list. */
export function picker(title, names, picked, value = 0) {
  const options = names.map((name, at) => html("option", { value: at }, name));
  const change = () => changing(select, () => picked(Number(select.value)));
  const select = html("select", { onchange: change }, ...options);
  const element = named(title, select);
  element.set = (at) => (select.value = at);
  element.set(value);
  return element;
}

/** A box to tick. */
export function toggle(title, value, switched) {
  const change = () => changing(input, () => switched(input.checked));
  const input = html("input", { type: "checkbox", onchange: change });
  input.checked = value;
  return html("label", { class: "control" }, input, title);
}

export function button(title, pressed) {
  const element = html("button", { type: "button", onclick: () => changing(element, pressed) }, title);
  return element;
}

/** A line to type into; `typed` is called at each change. The words that are known complete the last one. */
export function line(title, value, typed, known) {
  const input = html("input", { type: "text", spellcheck: "false", autocomplete: "off" });
  input.value = value;
  input.addEventListener("input", () => changing(input, () => typed(input.value)));
  const element = named(title, input);
  const words = known.filter((word) => !word.startsWith("<")).sort();
  const list = html("datalist", { id: `${input.id}-words` });
  const complete = () => {
    const [, before = "", begun] = input.value.match(/^(.*\s)?(\S*)$/);
    const fitting = words.filter((word) => word.startsWith(begun.toLowerCase())).slice(0, 20);
    list.replaceChildren(...fitting.map((word) => html("option", { value: before + word })));
  };
  input.addEventListener("input", complete);
  input.setAttribute("list", list.id);
  const count = html("summary", {}, `the ${words.length.toLocaleString("en")} words it knows`);
  element.append(list, html("details", {}, count, html("p", { tabindex: 0 }, words.join(" · "))));
  complete();
  element.set = (text) => (input.value = text);
  element.classList.add("wide");
  return element;
}

/** The words of a text, as the course's `tokenize` finds them. */
export function tokenize(text) {
  const plain = text
    .normalize("NFC")
    .toLowerCase()
    .replace(/[’‘ʼ＇]/g, "'");
  return plain.match(/[\p{L}\p{N}]+(?:'[\p{L}\p{N}]+)*/gu) ?? [];
}

/** The ids of words in a vocabulary, and which words it does not have. */
export function coder(vocabulary) {
  const index = new Map(vocabulary.map((word, id) => [word, id]));
  return {
    ids: (words) => words.map((word) => index.get(word) ?? 1),
    unknown: (words) => [...new Set(words.filter((word) => !index.has(word)))],
  };
}

/** What has to be said of unknown words, and of a text of which only the first words are read. */
function warning(unknown, isCut, most) {
  const cut = isCut ? `Only the first ${most} words are read.` : "";
  return unknown.length ? `Not in the vocabulary, read as <unknown>: ${unknown.join(", ")}. ${cut}` : cut;
}

/** Views of which one is shown, by title: each gets its place and returns what draws it. */
export function views(stage, makers) {
  let shown = 0;
  const titles = Object.keys(makers),
    places = titles.map(() => html("div"));
  const show = (view) => {
    shown = view;
    places.forEach((place, other) => (place.hidden = other !== view));
  };
  stage.append(settings(picker("see", titles, show)), ...places);
  const draws = titles.map((title, view) => makers[title](places[view]));
  show(0);
  return () => draws[shown]();
}

/** Controls for a text that is taken from a list or typed, its words, and a place for a drawing.
 *
 * `look` returns the words, their ids and which of them is looked at; `show` puts a drawing under
 * the words and colours them. Of the text no more than `most` words are read.
 */
export function reader(parent, { words, texts }, most = 160) {
  const code = coder(words),
    names = Object.keys(texts);
  const chips = html("div", { class: "words" }),
    place = html("div");
  let text = texts[names[0]],
    read = [],
    isCut = false,
    at = -1;

  const type = (value) => {
    text = value;
    list.set(names.length);
    at = -1;
  };
  const typed = line("text", text, type, words);
  const list = picker("take", [...names, "your own"], (chosen) => {
    if (chosen < names.length) typed.set((text = texts[names[chosen]]));
    else typed.querySelector("input").focus();
    at = -1;
  });
  const word = slider("word", { max: 1 }, (value) => (at = value - 1));
  const controls = settings(list, word);
  parent.append(controls, settings(typed), chips, place);
  return {
    controls,
    /** Put a sentence in front of the text, or take it away again. */
    front(sentence, on) {
      typed.set((text = on ? `${sentence} ${text}` : text.replace(sentence, "").trim()));
      at = -1;
    },
    look() {
      const all = tokenize(text);
      read = all.slice(0, most);
      isCut = all.length > most;
      if (at < 0 || at >= read.length) at = read.length - 1;
      word.limit(Math.max(1, read.length));
      word.set(at + 1);
      return { read, ids: code.ids(read), at };
    },
    show(picture, colours) {
      place.replaceChildren(picture);
      followed(picture, (x) => {
        const frame = framed(picture),
          over = Math.floor(((x - frame.x) / frame.width) * read.length);
        if (over !== at && over >= 0 && over < read.length) changing(picture, () => (at = over));
      });
      chips.replaceChildren(
        ...read.map((one, number) => {
          const turn = () => changing(chip, () => (at = number));
          const chip = html("span", { style: `background: ${colours[number]}`, onclick: turn }, one);
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
    unknown: () => warning(code.unknown(read).slice(0, 5), isCut, most),
  };
}

/** Controls for an English sentence that is taken from a list or typed; `look` returns its words. */
export function sentence({ texts, english }, changed = () => {}) {
  const code = coder(english);
  let text = texts[0];
  const take = (value) => {
    text = value;
    changed();
  };
  const type = (value) => {
    list.set(texts.length);
    take(value);
  };
  const typed = line("English", text, type, english);
  const list = picker("take", [...texts, "your own"], (place) => {
    typed.set(texts[place] ?? text);
    take(texts[place] ?? text);
  });
  return {
    controls: [list, typed],
    take(place) {
      list.set(place);
      typed.set((text = texts[place]));
    },
    /** The first words, their ids, and what has to be said of the text. */
    look(most) {
      const all = tokenize(text),
        words = all.slice(0, most);
      return { words, ids: code.ids(words), heard: warning(code.unknown(words), all.length > most, most) };
    },
  };
}
