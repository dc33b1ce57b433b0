// Takes a self-test: a choice is judged at once, and what was chosen is kept in this browser.
document.addEventListener("DOMContentLoaded", () => {
  for (const test of document.querySelectorAll(".self-test")) take(test);
});

function take(test) {
  const name = `self-test ${test.dataset.lecture}`;
  const questions = [...test.querySelectorAll("ol > li")];
  const buttons = (question) => [...question.querySelectorAll(".choices button")];
  let given = kept(); // the letter chosen, by the key of the question, which a new wording changes
  let told = "";

  function kept() {
    try {
      const found = JSON.parse(localStorage.getItem(name));
      return found?.constructor === Object ? found : {};
    } catch {
      return {};
    }
  }

  function keep() {
    try {
      localStorage.setItem(name, JSON.stringify(given));
    } catch {
      told = "; this browser keeps nothing";
    }
  }

  function show(question) {
    const { key, right } = question.dataset;
    const chosen = given[key];
    for (const button of buttons(question)) {
      const letter = button.dataset.choice;
      button.disabled = Boolean(chosen);
      button.classList.toggle("right", Boolean(chosen) && letter === right);
      button.classList.toggle("wrong", letter === chosen && letter !== right);
      button.querySelector(".told").textContent =
        chosen && letter === right ? "✓ right" : letter === chosen ? "✗ your choice" : "";
    }
    question.querySelector(".verdict").textContent = chosen === right ? "Right." : `Not quite: ${right}) is right.`;
    question.querySelector(".why").hidden = !chosen;
  }

  function count() {
    const answered = questions.filter((one) => given[one.dataset.key]);
    const right = answered.filter((one) => given[one.dataset.key] === one.dataset.right);
    const score =
      answered.length === questions.length
        ? `Done: ${right.length} of ${questions.length} right`
        : `${right.length} right, ${answered.length} of ${questions.length} answered`;
    test.querySelector(".score p").textContent = score + told;
  }

  for (const question of questions) {
    show(question);
    for (const button of buttons(question)) {
      button.addEventListener("click", () => {
        given = { ...kept(), ...given, [question.dataset.key]: button.dataset.choice };
        keep();
        show(question);
        count();
        question.querySelector(".why").focus(); // read aloud; Tab goes on to the next question
      });
    }
  }
  test.querySelector(".score button").addEventListener("click", () => {
    if (Object.keys(given).length && !confirm("Delete all answers of this test?")) return;
    given = {};
    keep();
    questions.forEach(show);
    count();
    buttons(questions[0])[0].focus();
  });
  test.querySelector(".score").hidden = false;
  count();
}
