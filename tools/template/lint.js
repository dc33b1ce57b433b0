// Runs inside a deck: shows slide number `index` (from 0) with all its fragments, looks at it.
(index) => {
  const slide = Reveal.getSlides()[index];
  const place = Reveal.getIndices(slide);
  Reveal.slide(place.h, place.v, 999);
  const { width, height } = Reveal.getConfig();
  const scale = Reveal.getScale();
  const frame = document.querySelector(".reveal .slides").getBoundingClientRect();
  const FOOTER = 40, EDGE = 40, SMALLEST = 15.5;
  const problems = [];
  let right = 0, bottom = 0, left = width, top = height, smallest = 99, content = 0;

  const box = (element) => {
    const it = element.getBoundingClientRect();
    const x = (value) => (value - frame.left) / scale, y = (value) => (value - frame.top) / scale;
    return { left: x(it.left), right: x(it.right), top: y(it.top), bottom: y(it.bottom) };
  };
  const px = (number) => `${Math.round(number)} px`;
  const inner = [...slide.querySelectorAll("*")].filter((element) =>
    !element.closest("aside.notes, .licence, .foot, mjx-container span, mjx-container svg *") &&
    element.checkVisibility({ visibilityProperty: true }));

  for (const element of inner) {
    const it = box(element), style = getComputedStyle(element);
    const ownText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const picture = ["IMG", "svg", "CANVAS", "VIDEO", "IFRAME"].includes(element.tagName);
    if (element.tagName === "PRE" || ((ownText || picture) && !element.closest("pre *"))) {
      left = Math.min(left, it.left); right = Math.max(right, it.right);
      top = Math.min(top, it.top); bottom = Math.max(bottom, it.bottom);
      if (!element.closest("h1, h2, h3, .course-name")) content += 1;
    }
    if (ownText && !element.closest("mjx-container, sup, sub")) {
      smallest = Math.min(smallest, parseFloat(style.fontSize));
    }
    if (element.tagName === "PRE" && element.scrollWidth > element.clientWidth + 1) {
      const lines = element.innerText.split("\n");
      const longest = lines.reduce((one, other) => (other.length > one.length ? other : one), "");
      problems.push(`code or output is too wide by ${px(element.scrollWidth - element.clientWidth)}` +
        ` (${longest.length} characters: ${longest.trim().slice(0, 50)})`);
    }
    // A long sentence may wrap; a row of a table that is set in spaces may not.
    if (element.matches("pre.output")) {
      element.style.whiteSpace = "pre";
      const over = element.scrollWidth - element.clientWidth;
      element.style.whiteSpace = "";
      if (over > 1 && / {3,}/.test(element.innerText)) {
        problems.push(`an output in columns is too wide by ${px(over)}`);
      }
    }
    const kind = { TABLE: "table", "MJX-CONTAINER": "formula" }[element.tagName];
    if (kind) {
      const over = box(element.querySelector("svg") || element).right - width + EDGE;
      if (over > 0) problems.push(`a ${kind} is too wide by ${px(over)}`);
    }
    if (element.tagName === "IMG") {
      if (!element.naturalWidth) problems.push(`broken picture ${element.src.slice(0, 60)}`);
      else if (element.closest(".plot") && it.right - it.left < 0.6 * element.naturalWidth) {
        problems.push("a picture is shrunk to less than 0.6 of its size");
      }
      if (!(element.alt || "").trim()) problems.push("a picture has no alt text");
    }
    if (element.tagName === "svg" && !element.closest("mjx-container") &&
        !element.getAttribute("aria-label") && !element.querySelector("title")) {
      problems.push("a drawing has no title");
    }
  }
  for (const error of slide.querySelectorAll("mjx-container > svg [data-mjx-error]")) {
    problems.push(`TeX error: ${error.dataset.mjxError}`);
  }
  const text = inner.filter((element) => !element.closest("pre, code"))
    .flatMap((element) => [...element.childNodes]).filter((node) => node.nodeType === 3)
    .map((node) => node.data).join(" ");
  const raw = text.match(/\$\$|\\(begin|frac|text|sqrt|sum|mathbf|partial)(?![a-z])/);
  if (raw) problems.push(`TeX that nobody set: ${raw[0]}`);
  if (/\|[^|\n]+\|/.test(text)) problems.push("a table that nobody set: its row is torn apart");
  if (!content && !slide.matches(".title")) problems.push("the slide is empty but for its heading");
  if (bottom > height - FOOTER) problems.push(`too full: it ends at ${px(bottom)} of ${height - FOOTER}`);
  const wide = problems.some((one) => one.includes("too wide"));
  if (!wide && (right > width - EDGE + 8 || left < EDGE - 8 || top < 0)) {
    problems.push(`something sticks out: from ${px(left)} to ${px(right)}, top ${px(top)}`);
  }
  if (smallest < SMALLEST) problems.push(`text of ${smallest.toFixed(1)} px`);
  const heading = slide.querySelector("h1, h2, h3");
  return {
    title: heading ? heading.innerText : "(no heading)",
    notes: [...slide.querySelectorAll("aside.notes")].some((one) => one.textContent.trim()),
    problems,
  };
}
