// Turns TeX into SVG while a deck is built, so that the deck itself carries no typesetter.
// stdin: [[tex, display], …] as JSON; stdout: [{html, error}, …] in the same order.
const fs = require("fs");

const settings = {
  loader: { load: ["adaptors/liteDOM", "input/tex-full", "output/svg"] },
  tex: { packages: { "[-]": ["noundefined", "noerrors"] }, tags: "none" },
  svg: { fontCache: "local" }, // each formula brings its glyphs: it can move to the speaker view
};

const hidden = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)";

require("mathjax").init(settings).then((MathJax) => {
  const adaptor = MathJax.startup.adaptor;
  const formulas = JSON.parse(fs.readFileSync(0, "utf8"));
  const typeset = formulas.map(([tex, display]) => {
    const picture = MathJax.tex2svg(tex, { display });
    const error = adaptor.outerHTML(picture).match(/data-mjx-error="([^"]*)"/);
    adaptor.setAttribute(adaptor.firstChild(picture), "aria-hidden", "true");
    // Screen readers read the MathML; those that know none say its TeX.
    const said = tex.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");
    const mathml = MathJax.tex2mml(tex, { display }).replace("<math", () => `<math alttext="${said}"`);
    const spoken = `<span style="${hidden}">${mathml}</span>`;
    const html = adaptor.outerHTML(picture).replace("</mjx-container>", `${spoken}$&`);
    return { html, error: error ? error[1] : "" };
  });
  process.stdout.write(JSON.stringify(typeset));
});
