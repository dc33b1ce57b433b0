// What all explorables begin with: elements of a page, and their start.

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

/** Change something, draw the stage again, and leave the focus where it was, on an element that may be new. */
export function changing(element, change) {
  const stage = element.closest(".stage"),
    all = () => [...stage.querySelectorAll("[tabindex], button, select, input")],
    place = all().indexOf(element);
  change();
  stage.draw();
  if (!stage.contains(document.activeElement)) all()[place]?.focus();
}

/** Something to click: it can be reached and pressed by keyboard, too; `pressed` changes something. */
export function clickable(element, description, pressed) {
  const press = () => changing(element, pressed);
  const attributes = { tabindex: 0, role: "button", "aria-label": description, onclick: press };
  attributes.onkeydown = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    press();
  };
  return made(element, attributes, []);
}

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

/** Start every explorable of a name that stands in the document and has not started.
 *
 * `start` gets the stage, the data and what says a sentence, and returns what draws.
 */
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
    root.append(stage); // so that it has a width
    try {
      const data = root.querySelector("script[type='application/json']").textContent;
      stage.draw = start(stage, unpack(JSON.parse(data)), say);
      stage.draw();
    } catch (error) {
      say(`This could not be started, so its picture stands here: ${error.message}`);
      stage.replaceWith(status);
      continue;
    }
    const picture = root.querySelector("img");
    (picture.closest("figure") ?? picture).hidden = true;
    root.append(status);
  }
}
