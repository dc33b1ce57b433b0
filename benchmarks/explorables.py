"""How long the built notebooks' explorables take to answer, by control, in Chromium.

    python -m benchmarks.explorables

Prints the median of twenty uses of each control in milliseconds, from the event to the end of
all that it draws, and fails where one is above 100.
"""

import sys
from statistics import median

import nbformat

from course_utils import explore
from tools.lint_slides import browser, watched
from tools.shows import ROOT

LIMIT = 100  # milliseconds
USE = """async () => {
  const found = [];
  const controls = [...document.querySelectorAll(".explore input, .explore select")];
  for (const control of controls) {
    const times = [], name = control.closest(".control").textContent.trim().slice(0, 30);
    for (let use = 0; use < 20; use++) {
      if (control.type === "range") control.value = use % 2 ? control.max : control.min;
      else if (control.type === "checkbox") control.checked = !control.checked;
      else if (control.tagName === "SELECT") control.selectedIndex = use % control.length;
      const began = performance.now();
      control.dispatchEvent(new Event(control.type === "checkbox" ? "change" : "input"));
      if (control.tagName === "SELECT") control.dispatchEvent(new Event("change"));
      document.body.offsetHeight;
      times.push(performance.now() - began);
      await new Promise(requestAnimationFrame);
    }
    found.push([name, times]);
  }
  return found;
}"""


def pages():
    """Yield the name of each built notebook with an explorable, and its HTML."""
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        for cell in nbformat.read(path, 4).cells:
            for output in cell.get("outputs", []):
                html = output.get("data", {}).get("text/html", "")
                if explore.MARK in html:
                    yield path.stem, explore.renewed(html)


def main():
    """Print a line for each control; return how many are too slow."""
    slow = 0
    with browser() as running:
        for name, html in pages():
            page, *_ = watched(running)
            page.set_content(f"<!doctype html><meta charset=utf-8>{html}")
            for control, times in page.evaluate(USE):
                slow += median(times) > LIMIT
                print(f"{name:24} {control:32} {median(times):6.1f} ms", flush=True)
    return slow


if __name__ == "__main__":
    sys.exit(main() > 0)
