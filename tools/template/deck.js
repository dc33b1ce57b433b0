(async () => {
  const WIDTH = 1280,
    HEIGHT = 720;

  // Measure with the fonts that will be shown.
  await Promise.all([...document.fonts].map((font) => font.load()));
  await Promise.all([...document.images].map((image) => image.decode().catch(() => {})));

  // The short path leaves the exercises out: about 45 of the 90 minutes.
  const address = new URL(location.href);
  const short = address.searchParams.has("short");
  if (short) {
    for (const slide of document.querySelectorAll("section.exercise")) slide.remove();
    for (const column of document.querySelectorAll(".slides > section")) {
      if (!column.firstElementChild) column.remove();
    }
  }
  const numbers = [...document.querySelectorAll(".foot span:last-child")];
  numbers.forEach((one, place) => {
    one.textContent = `${place + 1} / ${numbers.length}`;
  });
  const timed = [...document.querySelectorAll("[data-timing]")];
  const seconds = timed.reduce((sum, slide) => sum + Number(slide.dataset.timing), 0);

  // How far a slide's text and pictures reach beyond its end; negative where there is room.
  const excess = (section) => section.offsetHeight - HEIGHT;

  // Code grows where there is room for it, since it is what the back row cannot read.
  const wide = (section) => [...section.querySelectorAll("pre")].some((pre) => pre.scrollWidth > pre.clientWidth);
  const growCode = (section) => {
    section.classList.add("unwrapped", "larger");
    if (excess(section) > -40 || wide(section)) section.classList.remove("larger");
    section.classList.remove("unwrapped");
  };

  // What is a little too full is set smaller: pictures first, as far as their letters can be
  // read, then the text, never the code. The linter reports what still does not fit.
  const shrinkPictures = (section) => {
    const pictures = [...section.querySelectorAll("figure img")];
    for (const picture of pictures) {
      const smallest = picture.parentElement.dataset.legible * picture.getAttribute("height");
      const less = Math.ceil(Math.max(0, excess(section)) / pictures.length);
      picture.style.maxHeight = `${Math.max(smallest, picture.offsetHeight - less)}px`;
    }
  };
  document.body.classList.add("measuring");
  for (const section of document.querySelectorAll(".slides section")) {
    if (section.querySelector("section")) continue;
    if (excess(section) <= 0) {
      growCode(section);
      continue;
    }
    shrinkPictures(section);
    for (const smaller of ["closer", "tight"]) {
      if (excess(section) > 0) section.classList.add(smaller);
    }
    for (const picture of section.querySelectorAll("figure img")) picture.style.maxHeight = "";
    shrinkPictures(section);
  }
  document.body.classList.remove("measuring");

  Reveal.on("pdf-ready", () => {
    // On paper no slide is hidden: all are in the PDF's tags and outline.
    for (const slide of document.querySelectorAll(".slides section")) {
      slide.removeAttribute("aria-hidden");
      slide.removeAttribute("hidden");
    }
    if (!address.searchParams.has("showNotes")) return;
    // The notes stand below their slide; long ones flow on to the next page.
    const page = document.createElement("style");
    page.textContent = "@page { size: 1280px 1810px; margin: 0 }";
    document.head.append(page);
    document.documentElement.classList.add("with-notes");
  });
  await Reveal.initialize({
    width: WIDTH,
    height: HEIGHT,
    margin: 0,
    center: false,
    hash: true,
    navigationMode: "linear",
    transition: "none",
    backgroundTransition: "none",
    controls: true,
    controlsTutorial: false,
    progress: true,
    totalTime: seconds,
    pdfMaxPagesPerSlide: 1,
    pdfSeparateFragments: false,
    plugins: [RevealNotes],
  });
  const what = { keyCode: 69, key: "E", description: "With or without the exercises" };
  Reveal.addKeyBinding(what, () => {
    if (short) address.searchParams.delete("short");
    else address.searchParams.set("short", "");
    address.hash = "";
    location.href = address.href;
  });
  document.documentElement.dataset.deckReady = "1";
})();
