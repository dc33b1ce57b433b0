// Runs inside a deck: shows slide number `index` (from 0) with all its fragments, looks at it.
(index) => {
  const slide = Reveal.getSlides()[index];
  const place = Reveal.getIndices(slide);
  Reveal.slide(place.h, place.v, 999);
  const { width, height } = Reveal.getConfig();
  const scale = Reveal.getScale();
  const frame = document.querySelector(".reveal .slides").getBoundingClientRect();
  const FOOTER = 40, EDGE = 40, SMALLEST = 15.5, CODE = 22, LABEL = 16;
  const problems = [];
  let right = 0, bottom = 0, left = width, top = height, smallest = 99, content = 0;

  const box = (element) => {
    const it = element.getBoundingClientRect();
    const x = (value) => (value - frame.left) / scale, y = (value) => (value - frame.top) / scale;
    return { left: x(it.left), right: x(it.right), top: y(it.top), bottom: y(it.bottom) };
  };
  const px = (number) => `${Math.round(number)} px`;

  // The labels of a plot or drawing, as they are shown; a drawing's also against their boxes.
  const labels = (image, it) => {
    const shown = (width, height) =>
      Math.min((it.right - it.left) / width, (it.bottom - it.top) / height);
    const small = (size, text) => {
      if (size < LABEL - 0.05) problems.push(`labels of ${size.toFixed(1)} px in a ${text}`);
    };
    const plot = image.closest(".plot");
    if (plot) {
      const size = ["width", "height"].map((side) => Number(image.getAttribute(side)));
      if (size[0]) small(LABEL / plot.dataset.legible * shown(...size), "plot");
      return;
    }
    const data = image.src.match(/^data:image\/svg\+xml;base64,(.*)/);
    if (!data) return;
    const bytes = Uint8Array.from(atob(data[1]), (one) => one.charCodeAt(0));
    const holder = document.createElement("div");
    holder.style.cssText = "position: absolute; left: 0; top: 0; visibility: hidden";
    // DejaVu is among the widest of the fonts that "sans-serif" may stand for.
    holder.innerHTML = new TextDecoder().decode(bytes)
      .replaceAll("sans-serif", "DejaVu Sans, sans-serif");
    document.body.append(holder);
    const svg = holder.querySelector("svg"), whole = svg.getBoundingClientRect();
    const scale = shown(whole.width, whole.height);
    const texts = [...svg.querySelectorAll("text")].filter((one) => one.textContent.trim());
    const sizes = texts.map((one) => [parseFloat(getComputedStyle(one).fontSize), one.textContent]);
    const [size, text] = sizes.reduce((a, b) => (b[0] < a[0] ? b : a), [99, ""]);
    small(size * scale, `drawing: ${text.trim()}`);
    const boxes = [...svg.querySelectorAll("rect, circle, ellipse")]
      .map((one) => one.getBoundingClientRect())
      .filter((one) => one.width * one.height < 0.9 * whole.width * whole.height);
    for (const one of texts) {
      const own = one.getBoundingClientRect();
      const x = (own.left + own.right) / 2, y = (own.top + own.bottom) / 2;
      const around = boxes.filter((box) =>
        box.left < x && x < box.right && box.top < y && y < box.bottom);
      const box = around.sort((a, b) => a.width * a.height - b.width * b.height)[0];
      const over = box ? Math.max(box.left - own.left, own.right - box.right) : -9;
      if (over > -1) {
        problems.push(`a label does not fit into its box: ${one.textContent.trim()}`);
      }
    }
    holder.remove();
  };

  const inner = [...slide.querySelectorAll("*")].filter((element) =>
    !element.closest("aside.notes, .licence, .foot, mjx-container span, mjx-container svg *") &&
    element.checkVisibility({ visibilityProperty: true }));

  // An exercise stands under its own title, with its contract; nothing else does.
  const exercise = (title) => {
    const posed = slide.dataset.exercise;
    if (!posed) return title.startsWith("Exercise ") ? ["it stands under an exercise's title"] : [];
    if (!title.startsWith(`Exercise ${posed} `)) return [`exercise ${posed} stands under another title`];
    if (slide.matches(".solution")) return [];
    const slides = [...document.querySelectorAll(`[data-exercise="${posed}"]:not(.solution)`)];
    const whole = slides.map((one) => one.innerHTML).join(" ");
    const found = [];
    if (slide === slides[0] && !slides.some((one) => one.querySelector(".contract pre"))) {
      found.push("the exercise's slide has no contract");
    }
    if (slide === slides[0] && !/\d minutes/.test(whole)) found.push("the exercise has no minutes");
    return found;
  };
  // Below the last plot a sentence says what it shows; not before the plot itself is shown.
  const conclusion = () => {
    const plot = [...slide.querySelectorAll("figure.plot")].pop();
    if (!plot || slide.matches(".exercise:not(.solution)")) return [];
    const after = [...slide.querySelectorAll(".markdown p, .markdown li")].filter((one) =>
      plot.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
    if ( !after.some((one) => /\.(\W|$)/.test(one.innerText))) return ["a plot without its conclusion"];
    const hidden = plot.closest(".fragment") && !after.some((one) => one.closest(".fragment"));
    return hidden ? ["the conclusion is shown before its plot"] : [];
  };

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
    if (element.matches(".source pre, pre.output, .output pre") &&
        parseFloat(style.fontSize) < CODE && element.innerText.trim()) {
      problems.push(`code or output of ${style.fontSize}`);
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
      const room = element.innerText.split("\n").map((row) => row.trimEnd())
        .filter((row) => row.length > 87 && /\S {3,}/.test(row));
      if (over > 1 && room.length) problems.push(`an output in columns is too wide by ${px(over)}`);
    }
    const kind = { TABLE: "table", "MJX-CONTAINER": "formula" }[element.tagName];
    if (kind) {
      const over = box(element.querySelector("svg") || element).right - width + EDGE;
      if (over > 0) problems.push(`a ${kind} is too wide by ${px(over)}`);
    }
    if (element.tagName === "IMG") {
      if (!element.naturalWidth) problems.push(`broken picture ${element.src.slice(0, 60)}`);
      else labels(element, it);
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
  const title = heading ? heading.innerText : "(no heading)";
  problems.push(...exercise(title), ...conclusion());
  return {
    title,
    notes: [...slide.querySelectorAll("aside.notes")].some((one) => one.textContent.trim()),
    problems,
  };
}
