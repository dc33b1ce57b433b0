// Turns TeX into SVG while a deck is built, so that the deck itself carries no typesetter.
// stdin: [[tex, display], …] as JSON; stdout: [{html, error}, …] in the same order.
const fs = require("fs");
const speech = require("speech-rule-engine");

const settings = {
  loader: { load: ["adaptors/liteDOM", "input/tex-full", "output/svg"] },
  tex: { packages: { "[-]": ["noundefined", "noerrors"] }, tags: "none" },
  svg: { fontCache: "local" }, // each formula brings its glyphs: it can move to the speaker view
};

const hidden = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)";

// MathSpeak says capitals and where an index ends: "x Subscript t Baseline upper W".
const voice = { locale: "en", domain: "mathspeak", modality: "speech" };
// In this course ⊤ always transposes.
const words = (mathml) => speech.toSpeech(mathml).replaceAll("normal down tack", "transpose");

(async () => {
  await speech.setupEngine(voice);
  const MathJax = await require("mathjax").init(settings);
  const adaptor = MathJax.startup.adaptor;
  const formulas = JSON.parse(fs.readFileSync(0, "utf8"));
  const typeset = formulas.map(([tex, display]) => {
    const picture = MathJax.tex2svg(tex, { display });
    const error = adaptor.outerHTML(picture).match(/data-mjx-error="([^"]*)"/);
    adaptor.setAttribute(adaptor.firstChild(picture), "aria-hidden", "true");
    // Screen readers read the MathML; those that know none, and PDFs, take its words.
    const mathml = MathJax.tex2mml(tex, { display });
    const said = words(mathml).replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");
    const named = mathml.replace("<math", () => `<math alttext="${said}"`);
    const spoken = `<span style="${hidden}">${named}</span>`;
    const html = adaptor.outerHTML(picture).replace("</mjx-container>", `${spoken}$&`);
    return { html, error: error ? error[1] : "" };
  });
  process.stdout.write(JSON.stringify(typeset));
})();
