"""What moves computes what Keras computes, asks for nothing from outside, and never breaks."""

import json
from contextlib import contextmanager

import keras
import numpy as np
import pytest
from keras import layers

from course_utils import explore, models, plotting
from course_utils.data import Vocabulary, tokenize
from lectures.lecture_05.translators import RecurrentTranslator
from tools import lint_slides, slides_npm
from tools.shows import ROOT

pytestmark = pytest.mark.slow

WORDS = "the plot was never dull superb not a film it popcorn and so".split()
ENGLISH = "this old cow does not hear the quiet bird".split()
EIGHT = "the plot was superb the film was dull"
VOCABULARY = Vocabulary(WORDS)
PAIR = {
    "source": Vocabulary(["<sos>", "<eos>", *ENGLISH]),
    "target": Vocabulary("<sos> <eos> cette vieille vache n' entend pas".split()),
}
SENTENCES = {"source": len(PAIR["source"]), "target": len(PAIR["target"])}


def picture():
    """A figure that stands where scripts do not run."""
    drawing, axis = plotting.figure()
    axis.plot([0, 1])
    return drawing, "A line that rises."


def scattered(model, spread=0.3):
    """The model with weights that are far from where they start."""
    draw = np.random.default_rng(8)
    sizes = [np.shape(one) for one in model.get_weights()]
    model.set_weights([draw.normal(scale=spread, size=size) for size in sizes])
    return model


def text_model(reader):
    """A network that reads reviews and gives the logit of praise."""
    ids = keras.Input((None,), dtype="int32")
    x = reader(layers.Embedding(len(VOCABULARY), 6, mask_zero=True)(ids))
    return scattered(keras.Model(ids, layers.Dense(1)(x)), 0.6)


def encoded(text):
    return np.array([VOCABULARY.encode(tokenize(text))])


def reviews():
    """Twenty reviews of 5 to 24 words, one with a word that nobody knows."""
    draw = np.random.default_rng(3)
    made = [" ".join(draw.choice(WORDS, size=5 + number)) for number in range(20)]
    return [*made[:-1], f"{made[-1]} xylophone"]


def sentences():
    draw = np.random.default_rng(4)
    return [" ".join(draw.choice(ENGLISH, size=3 + number % 8)) for number in range(20)]


def digits():
    draw = np.random.default_rng(5)
    return {f"number {one}": draw.random((8, 8)).astype("float32") for one in range(20)}


def state():
    model = text_model(layers.SimpleRNN(5))
    page = explore.state(model, VOCABULARY, {"one": "the plot"}, picture())

    def expected(text, numbers):
        return float(model(encoded(text))[0, 0]), numbers["logits"][-1]

    return page, reviews(), expected


def gates():
    model = text_model(layers.LSTM(5))
    page = explore.gates(model, VOCABULARY, {"one": "the plot"}, picture())

    def expected(text, numbers):
        return float(model(encoded(text))[0, 0]), numbers["logits"][-1]

    return page, reviews(), expected


def scan():
    page = explore.scan(*kept_and_written(), VOCABULARY, {"one": EIGHT}, picture())

    def expected(text, numbers):
        states = looped(*steps_of(text, numbers["unit"]))
        return [states, states], [numbers["states"], numbers["scanned"]]

    return page, [*reviews()[:-1], "plot"], expected


def kept_and_written():
    """What each word of the vocabulary keeps of five states, and what it writes into them."""
    draw, shape = np.random.default_rng(7), (len(VOCABULARY), 5)
    return draw.uniform(0.05, 1, shape), draw.normal(size=shape)


def steps_of(text, unit):
    """The numbers a and b of a text's first eight words."""
    return [part[encoded(text)[0, :8], unit] for part in kept_and_written()]


def looped(kept, written):
    """The states of h = a h + b, one after the other."""
    states = [0.0]
    for a, b in zip(kept, written, strict=True):
        states.append(a * states[-1] + b)
    return states[1:]


def receptive():
    ids = keras.Input((None,), dtype="int32")
    embedding, convolution = layers.Embedding(len(VOCABULARY), 6), layers.Conv1D(4, 3)
    pooled = layers.GlobalMaxPooling1D()(keras.ops.relu(convolution(embedding(ids))))
    model = scattered(keras.Model(ids, layers.Dense(1)(pooled)))
    best = int(np.argmax(model.layers[-1].get_weights()[0][:, 0]))
    given = {"one": "the plot"}, ["the plot was dull"], "it was so"
    page = explore.receptive(model, VOCABULARY, *given, picture())

    def expected(text, numbers):
        found = keras.ops.relu(convolution(embedding(encoded(text))))
        return np.asarray(found)[0, :, best], numbers["responses"]

    return page, reviews(), expected


def words():
    draw = np.random.default_rng(6)
    vectors = draw.normal(size=(len(WORDS), 7)).astype("float32")
    tables = {"drawn": (WORDS, vectors, {"some": ["plot", "film"]})}
    page = explore.words(tables, "plot", ["plot − dull + film"], picture())
    asked = [
        f"{a} − {b} + {c}" for a, b, c in (draw.choice(WORDS, 3, False) for _ in range(20))
    ]

    def expected(text, numbers):
        a, b, c = (
            WORDS.index(word) for word in text.replace("− ", "").replace("+ ", "").split()
        )
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        wanted = unit[a] - unit[b] + unit[c]
        cosines = unit @ wanted / np.linalg.norm(wanted)
        cosines[[a, b, c]] = -np.inf
        return np.sort(cosines)[::-1][:10], [value for value, _ in numbers["found"]]

    return page, asked, expected


def alignment():
    model = RecurrentTranslator(*SENTENCES.values(), embed_dim=6, units=5, attention="dot")
    first = {"source": np.array([[4, 5]]), "target": np.array([[2, 4]])}
    model(first)
    page = explore.alignment(scattered(model, 0.8), PAIR, ["this old cow"], picture())

    def expected(text, numbers):
        source = np.array([PAIR["source"].encode(text.split())])
        written = [2, *(int(np.argmax(one)) for one in numbers["logits"][:-1])]
        logits = model({"source": source, "target": np.array([written])})
        return np.asarray(logits)[0], numbers["logits"]

    return page, sentences(), expected


def attention():
    sizes = {"embed_dim": 8, "num_heads": 2, "mlp_dim": 12, "num_layers": 2, "max_length": 64}
    model = models.Transformer(*SENTENCES.values(), **sizes)
    model.build()
    page = explore.attention(scattered(model), PAIR, ["this old cow"], picture())

    def expected(text, numbers):
        source = np.array([PAIR["source"].encode(text.split())])
        given = {"source": source, "target": np.array([numbers["target"]])}
        return np.asarray(model(given))[0], numbers["logits"]

    return page, sentences(), expected


def digit():
    size = {"embed_dim": 8, "num_heads": 2, "mlp_dim": 12, "num_layers": 2, "classes": 10}
    model = scattered(models.vision_transformer(8, 1, 2, **size))
    page = explore.digit(model, digits(), picture())

    def expected(name, numbers):
        return np.asarray(model(digits()[name][None, ..., None]))[0], numbers["logits"]

    return page, list(digits()), expected


def mixing():
    size = {"embed_dim": 6, "num_layers": 2, "classes": 10}
    gated = scattered(models.gmlp_model(8, 1, 2, mlp_dim=8, **size))
    mixer = models.mixer_model(8, 1, 2, token_mlp_dim=5, channel_mlp_dim=7, **size)
    networks = {"gMLP": (gated, list("0123456789")), "Mixer": (mixer, ["a"])}
    page = explore.mixing(networks, digits(), picture())

    def expected(name, numbers):
        return np.asarray(gated(digits()[name][None, ..., None]))[0], numbers["logits"]

    return page, list(digits()), expected


PAGES = [state, gates, scan, receptive, words, alignment, attention, digit, mixing]
CHOOSE = """([place, name]) => {
  const select = document.querySelectorAll(".explore select")[place];
  select.value = [...select.options].findIndex((one) => one.textContent === name);
  select.dispatchEvent(new Event("change"));
}"""
TYPE = """(text) => {
  const input = document.querySelector(".explore input[type=text]");
  input.value = text;
  input.dispatchEvent(new Event("input"));
}"""


MEASURED = """() => {
  const found = [...document.querySelectorAll(".explore svg text")].map((one) => {
    const { a, b } = one.getScreenCTM();
    return [one.textContent, parseFloat(getComputedStyle(one).fontSize) * Math.hypot(a, b)];
  });
  const wide = [...document.querySelectorAll("html, .stage, .stage div")]
    .filter((one) => one.scrollWidth > one.clientWidth + 1)
    .map((one) => [one.className, one.scrollWidth]);
  return [found.filter(([, size]) => size < 12), wide];
}"""


@contextmanager
def opened(shown, folder, query=""):
    """An explorable in an empty page; afterwards nothing may have asked or complained."""
    path = folder / "page.html"
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>page</title><main>'
    path.write_text(head + shown._repr_mimebundle_()["text/html"] + "</main>", encoding="utf-8")
    try:
        with lint_slides.browser() as running:
            page, outside, errors = lint_slides.watched(running)
            page.on("console", lambda one: one.type == "error" and errors.append(one.text))
            page.goto(path.as_uri() + query)
            yield page
            assert not outside and not errors
    except lint_slides.NoBrowser as error:
        pytest.skip(str(error))


def put(page, asked):
    """Choose a digit of the list, or type a text."""
    if asked.startswith("number "):
        page.evaluate(CHOOSE, [0, asked])
    else:
        page.evaluate(TYPE, asked)


@pytest.mark.parametrize("make", PAGES)
def test_it_computes_what_keras_computes(make, tmp_path):
    shown, inputs, expected = make()
    assert len(inputs) == 20
    with opened(shown, tmp_path) as page:
        if make is gates:
            page.evaluate(CHOOSE, [0, "the trained LSTM, word by word"])
        for asked in inputs:
            put(page, asked)
            said = page.evaluate("document.querySelector('[data-numbers]').dataset.numbers")
            numbers = json.loads(said)
            wanted, found = expected(asked, numbers)
            np.testing.assert_allclose(found, wanted, atol=1e-4, err_msg=asked)


@pytest.mark.parametrize("make", PAGES)
def test_it_can_be_used_by_everybody_and_says_what_is_wrong(make, tmp_path):
    axe = slides_npm.modules() / "axe-core" / "axe.min.js"
    with opened(make()[0], tmp_path) as page:
        if make in (digit, mixing):
            page.get_by_role("button", name="clear").click()
        else:
            if make is gates:
                page.evaluate(CHOOSE, [0, "the trained LSTM, word by word"])
            page.evaluate(TYPE, "  ")
            assert page.inner_text(".said").strip(), "an empty text is told"
            page.evaluate(TYPE, "xylophone")
            assert "xylophone" in page.inner_text(".explore"), "an unknown word is told"
        page.add_script_tag(path=axe)
        found = page.evaluate("axe.run('.explore')")["violations"]
        assert not found, [(one["id"], one["nodes"][0]["html"][:200]) for one in found]


@pytest.mark.parametrize("make", PAGES)
def test_on_a_phone_its_letters_are_legible_and_nothing_overflows(make, tmp_path):
    with opened(make()[0], tmp_path) as page:
        page.set_viewport_size({"width": 390, "height": 800})
        page.reload()
        for place in range(page.locator(".explore select").first.locator("option").count()):
            page.evaluate(
                "(n) => { const one = document.querySelector('.explore select'); one.value = n;"
                " one.dispatchEvent(new Event('change')); }",
                place,
            )
            small, wide = page.evaluate(MEASURED)
            assert not small, "letters of less than 12 pixels"
            assert not wide, "what is wider than its place"


def chosen(page, control, name):
    """Choose a name of the list that is called so."""
    page.get_by_label(control, exact=True).select_option(label=name)


def test_every_word_of_the_map_can_be_read_and_taken(tmp_path):
    with opened(words()[0], tmp_path) as page:
        names = page.eval_on_selector_all(".point", "all => all.map((one) => one.textContent)")
        assert {"plot", "film"} < set(names)
        page.locator(".point", has_text="film").press("Enter")
        assert page.inner_text(".said").startswith("Nearest to film")
        assert page.locator(".point:not(.crowded)", has_text="film").count() == 1


def test_a_sentence_is_completed_by_words_that_are_known(tmp_path):
    with opened(attention()[0], tmp_path) as page:
        page.evaluate(TYPE, "the quiet b")
        offered = "all => all.map((one) => one.value)"
        assert page.eval_on_selector_all("datalist option", offered) == ["the quiet bird"]
        page.get_by_text("the 9 words it knows").click()
        assert "bird · cow · does" in page.inner_text("details")


def test_a_gradient_that_vanished_is_told(tmp_path):
    with opened(state()[0], tmp_path) as page:
        page.evaluate(TYPE, "the plot was never dull " * 12)
        page.evaluate(
            "() => { const one = document.querySelectorAll('.explore input[type=range]')[1];"
            " one.value = 0.1; one.dispatchEvent(new Event('input')); }"
        )
        assert "vanished: below 10⁻¹²" in page.text_content(".stage svg")
        assert "·10⁻" in page.inner_text(".said")


def test_a_network_that_did_not_learn_is_told(tmp_path):
    texts = {"one": "the plot was never dull", "two": "superb"}
    for spread, told in ((1e-3, True), (3, False)):
        model = scattered(text_model(layers.SimpleRNN(5)), spread)
        shown = explore.state(model, VOCABULARY, texts, picture())
        with opened(shown, tmp_path) as page:
            assert ("did not learn" in page.inner_text(".said")) == told


def test_each_pass_is_the_librarys(tmp_path):
    with opened(scan()[0], tmp_path) as page:
        for passes in range(4):
            page.get_by_label("passes").fill(str(passes))
            numbers = json.loads(page.get_attribute(".stage", "data-numbers"))
            kept, written = steps_of(EIGHT, numbers["unit"])
            for t, (a, b) in enumerate(numbers["shown"]):
                steps = slice(max(0, t + 1 - 2**passes), t + 1)
                one = np.prod(kept[steps]), looped(kept[steps], written[steps])[-1]
                np.testing.assert_allclose([a, b], one, atol=1e-5)
            assert f"After {passes} of 3 passes the box of “dull”" in page.inner_text(".said")
        np.testing.assert_allclose(numbers["scanned"], looped(kept, written), atol=1e-5)


def test_a_hidden_word_leaves_the_state_as_it_was(tmp_path):
    with opened(scan()[0], tmp_path) as page:
        page.get_by_label("word", exact=True).fill("4")
        for told in (True, False, True):
            page.get_by_role("button", name="hide or show").press("Enter")
            assert ("its own step is 1·h + 0" in page.inner_text(".said")) == told
            struck = page.locator("svg text[text-decoration]").all_text_contents()
            assert struck == ["superb"] * told
        numbers = json.loads(page.get_attribute(".stage", "data-numbers"))
        kept, written = steps_of(EIGHT, numbers["unit"])
        kept[3], written[3] = 1, 0
        np.testing.assert_allclose(numbers["scanned"], looped(kept, written), atol=1e-5)


def test_what_a_box_was_made_from_is_lit(tmp_path):
    with opened(scan()[0], tmp_path) as page:
        for word, lit in (("8", 1 + 2 + 4 + 8), ("3", 1 + 1 + 2 + 3), ("1", 4)):
            page.get_by_label("word", exact=True).fill(word)
            assert page.locator(".stage svg .lit").count() == lit


def test_a_stack_too_deep_is_told_and_pooling_named(tmp_path):
    with opened(receptive()[0], tmp_path) as page:
        chosen(page, "see", "how far a stack sees")
        chosen(page, "stack", "the slides: conv 7, pool 5, conv 7")
        assert "layer 2, pool" in page.inner_text(".stage")
        for _ in range(2):
            page.get_by_role("button", name="add a layer").click()
        assert "layer 5 reads 3 steps at once and gets 2" in page.inner_text(".said")
        assert page.locator(".stage svg circle").count() > 60


def test_what_a_switch_changes_is_told(tmp_path):
    with opened(attention()[0], tmp_path) as page:
        for name, told in {
            "without the scale": "as trained.",
            "pads, without their mask": "weight to pads",
            "the decoder may look ahead": "Later words move the logits of earlier ones",
            "as it was trained": "",
        }.items():
            chosen(page, "try", name)
            said = page.inner_text(".stage > p")
            assert told in said and (told or said.strip().count(".") == 1)


def test_a_patch_that_is_pressed_is_left_out_and_shuffled_ones_are_shown(tmp_path):
    with opened(digit()[0], tmp_path) as page:
        for at in (3, 8):
            page.get_by_role("button", name=f"patch {at + 1}:").click()
            assert "Without the framed patch: " in page.inner_text(".said")
            assert page.locator(".framed").get_attribute("x") == str(4 + 80 * (at % 4))
        shuffled = page.get_by_text("what the network gets")
        assert not shuffled.is_visible()
        page.get_by_label("shuffle the patches").check()
        assert shuffled.is_visible()


def test_the_mirror_position_is_marked(tmp_path):
    with opened(mixing()[0], tmp_path) as page:
        page.get_by_role("button", name="patch 6:").click()
        marked = page.locator(".panels svg").last.locator(".here")
        assert [marked.get_attribute(axis) for axis in "xy"] == ["160", "85"]
        assert "its mirror position" in page.inner_text(".said")
        chosen(page, "network", "Mixer")
        assert not marked.count()


def test_without_scripts_and_on_paper_its_picture_stands(tmp_path):
    shown = words()[0]
    html = shown._repr_mimebundle_()["text/html"]
    before, _, scripts = html.partition("<script")
    assert '<img alt="A line that rises."' in before and "<img" not in scripts
    with opened(shown, tmp_path, "?print-pdf") as page:
        assert page.is_visible("img") and not page.query_selector(".stage")


def test_todays_script_takes_the_place_of_an_older_one():
    html = words()[0]._repr_mimebundle_()["text/html"]
    old = html.replace("function startAll", "function startOld")
    assert old != html and explore.renewed(old) == html


def test_a_layer_with_other_weights_is_refused():
    ids = keras.Input((None,), dtype="int32")
    x = layers.SimpleRNN(5, use_bias=False)(layers.Embedding(len(VOCABULARY), 6)(ids))
    model = keras.Model(ids, layers.Dense(1)(x))
    with pytest.raises(ValueError, match="should have 3 arrays of weights, and has 2"):
        explore.state(model, VOCABULARY, {"one": "the plot"}, picture())


def test_our_javascript_is_formatted_and_linted():
    biome = slides_npm.modules() / "@biomejs" / "biome" / "bin" / "biome"
    slides_npm.run("node", str(biome), "check", cwd=ROOT)  # raises, with what biome said
    files = [*ROOT.glob("course_utils/explore/*.js"), *ROOT.glob("tools/template/*.js")]
    assert sum(len(one.read_text(encoding="utf-8").splitlines()) for one in files) <= 2_500
