// What the book theme leaves out for screen readers, and formulas that keep their full stop.
document.addEventListener("DOMContentLoaded", () => {
  const sidebar = document.getElementById("pst-primary-sidebar");
  sidebar?.setAttribute("role", "navigation");
  sidebar?.setAttribute("aria-label", document.title);
  for (const fold of document.querySelectorAll(".toctree-l1 > details > summary")) {
    fold.setAttribute("aria-label", fold.closest("li").querySelector("a").textContent);
  }
  // They show their name; the label says another.
  for (const named of document.querySelectorAll(".search-button-field, details.hide > summary")) {
    named.removeAttribute("aria-label");
  }
  for (const corner of document.querySelectorAll("th")) {
    if (corner.textContent.trim()) continue;
    const cell = document.createElement("td");
    cell.className = corner.className;
    corner.replaceWith(cell);
  }
  for (const formula of document.querySelectorAll("span.math")) {
    const after = formula.nextSibling;
    const marks = after?.nodeType === Node.TEXT_NODE && after.data.match(/^[.,;:?!)’”]+/);
    if (!marks) continue;
    after.splitText(marks[0].length);
    const together = document.createElement("span");
    together.className = "together";
    formula.before(together);
    together.append(formula, after);
  }
});
