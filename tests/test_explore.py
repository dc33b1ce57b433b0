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

WORDS = "the plot was never dull superb not a film it popcorn and so".split()
ENGLISH = "this old cow does not hear the quiet bird".split()
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


PAGES = [state, gates, receptive, words, alignment, attention, digit, mixing]
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
        page.set_viewport_size({"width": 390, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, "a phone's width"


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
