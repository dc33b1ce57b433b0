// Controls, and the texts that are read.
import { html, keepingFocus } from "./base.js";
import { followed, framed } from "./drawing.js";

const MOST_WORDS = 160; // words of a text that are read

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

/** A line to type into; `typed` is called at each change. The words that are known complete the last one. */
export function line(title, value, typed, known) {
  const input = html("input", { type: "text", spellcheck: "false", autocomplete: "off" });
  input.value = value;
  input.addEventListener("input", () => typed(input.value));
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

  const type = (value) => {
    text = value;
    list.set(names.length);
    turn(-1);
  };
  const typed = line("text", text, type, words);
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
      followed(picture, (x) => {
        const frame = framed(picture),
          over = Math.floor(((x - frame.x) / frame.width) * read.length);
        if (over !== at && over >= 0 && over < read.length) turn(over);
      });
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

/** Controls for an English sentence that is taken from a list or typed; `look` returns its words. */
export function sentence({ texts, english }, changed) {
  const index = new Map(english.map((word, id) => [word, id]));
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
        words = all.slice(0, most),
        unknown = [...new Set(words.filter((word) => !index.has(word)))].join(", ");
      const cut = all.length > most ? `Only the first ${most} words are read.` : "";
      const heard = unknown ? `Not in the vocabulary, read as <unknown>: ${unknown}. ${cut}` : cut;
      return { words, ids: words.map((word) => index.get(word) ?? 1), heard };
    },
  };
}
