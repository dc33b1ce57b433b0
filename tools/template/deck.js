(async () => {
  "use strict";
  const WIDTH = 1280, HEIGHT = 720;

  // Measure with the fonts that will be shown.
  await Promise.all([...document.fonts].map((font) => font.load()));
  await Promise.all([...document.images].map((image) => image.decode().catch(() => {})));

  // A slide that is a little too full is set a little tighter; the linter reports the rest.
  document.body.classList.add("measuring");
  for (const section of document.querySelectorAll(".slides section")) {
    if (section.querySelector("section")) continue;
    if (section.offsetHeight > HEIGHT) section.classList.add("tight");
  }
  document.body.classList.remove("measuring");

  await Reveal.initialize({
    width: WIDTH, height: HEIGHT, margin: 0, center: false,
    hash: true, navigationMode: "linear", transition: "none", backgroundTransition: "none",
    controls: true, controlsTutorial: false, progress: true, slideNumber: "c/t",
    pdfMaxPagesPerSlide: 1, pdfSeparateFragments: false,
    plugins: [RevealNotes],
  });
  document.documentElement.dataset.deckReady = "1";
})();
