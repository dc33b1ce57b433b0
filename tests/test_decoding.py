"""Greedy, beams, sampling: bounded, equal with and without a cache, right on paper."""

from functools import cache

import keras
import numpy as np
import pytest
from keras import ops
from redrawn import scrambled

from course_utils import decoding, models
from lectures.lecture_05.translators import RecurrentTranslator
from lectures.lecture_06c.language_model import LanguageModel

PAD, START, END = 0, 2, 3
WORDS, STEPS = 12, 7
SIZES = {"embed_dim": 8, "num_heads": 2, "mlp_dim": 12, "num_layers": 2, "max_length": 40}


class Chain:
    """A model on paper: the next word hangs on the last one alone; it counts its steps.

    chances: {word: {next word: chance}}; whoever is not named goes to <eos>.
    """

    variables = ()

    def __init__(self, chances, words=8):
        table = np.full((words, words), -np.inf, "float32")
        table[:, END] = 0.0
        for word, behind in chances.items():
            table[word, END] = -np.inf
            for following, chance in behind.items():
                table[word, following] = np.log(chance)
        self.table, self.steps = table, 0

    def start(self, source, length):
        batch = source if isinstance(source, int) else source.shape[0]
        return {"nothing": ops.zeros((batch, 1))}

    def step(self, tokens, position, state):
        self.steps += 1
        return ops.take(ops.convert_to_tensor(self.table), tokens, axis=0), state


A, B, C = 4, 5, 6
MISSED = {START: {A: 0.6, B: 0.4}, A: {C: 0.4, B: 0.3, END: 0.3}, C: {END: 0.5, A: 0.5}}
TEMPTING = {START: {A: 1.0}, A: {END: 0.51, B: 0.49}, B: {C: 1.0}, C: {7: 1.0}, 7: {END: 1.0}}
ONE = np.array([[5, 6]])


def on_paper(chances, function=decoding.greedy, source=ONE, max_length=9, **arguments):
    model = Chain(chances)
    return function(model, source, max_length, step=model.step, **arguments), model


@cache
def made(kind):
    """A translator of this kind, and its step; compiling that is slow, one will do."""
    keras.utils.set_random_seed(0)
    if kind == "pre":
        model = models.Transformer(WORDS, WORDS, **SIZES)
    else:
        model = RecurrentTranslator(WORDS, WORDS, 6, 8, kind)
    ids = np.ones((1, 3), "int32")
    model({"source": ids, "target": ids})
    scrambled(model)
    return model, decoding.compiled(model.step, model) if kind == "pre" else model.step


@pytest.fixture
def sources(texts):
    return np.where(texts == 0, 0, texts % (WORDS - 4) + 4)[2:, :6]


def without_pads(logits):
    """The logits with <pad>, which no text has inside, as unlikely as can be."""
    logits = np.array(logits, float)
    logits[..., PAD] = -np.inf
    return logits


def log_chances(model, source, tokens):
    """Sum of the log-probabilities of each row's tokens, by one call without a cache."""
    before = np.pad(tokens[:, :-1], ((0, 0), (1, 0)), constant_values=START)
    logits = without_pads(model({"source": source, "target": before}))
    logits -= np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    taken = np.take_along_axis(logits, tokens[..., None], axis=-1)[..., 0]
    ended = np.cumsum(tokens == END, axis=1) - (tokens == END)
    return (taken * (ended == 0)).sum(axis=1)


def rerun(ask, tokens, length):
    """Greedy without a cache: the whole beginning through the whole model at each step."""
    while tokens.shape[1] < length:
        following = without_pads(ask(tokens))[:, -1].argmax(axis=-1)
        tokens = np.concatenate([tokens, following[:, None]], axis=1)
    ended = np.cumsum(tokens == END, axis=1) - (tokens == END)
    return np.where(ended > 0, PAD, tokens)


@pytest.mark.parametrize("kind", ["bahdanau", "pre"])
def test_one_beam_is_greedy_and_more_find_likelier_words(kind, sources):
    model, step = made(kind)
    greedy = decoding.greedy(model, sources, STEPS, step=step)
    one, _ = decoding.beam_search(model, sources, STEPS, num_beams=1, step=step)
    assert np.array_equal(one, greedy)
    beams, scores = decoding.beam_search(model, sources, STEPS, 4, 0.0, step=step)
    assert np.abs(scores - log_chances(model, sources, beams)).max() < 1e-3
    ended = (greedy == END).any(axis=1)  # a beam prefers what is finished
    assert (scores >= log_chances(model, sources, greedy) - 1e-4)[ended].all()


def test_a_row_is_translated_as_if_it_were_alone(sources):
    model, step = made("pre")
    together, scores = decoding.beam_search(model, sources, STEPS, step=step)
    for row in (0, 3):
        alone, score = decoding.beam_search(model, sources[row : row + 1], STEPS, step=step)
        assert np.array_equal(alone[0], together[row, : alone.shape[1]])
        assert np.isclose(score[0], scores[row], atol=1e-4)


def test_a_beam_finds_what_greedy_misses():
    greedy, _ = on_paper(MISSED)
    assert greedy.tolist() == [[A, C, END]]  # ties go to the first: <eos> is 3, A is 4
    (found, scores), _ = on_paper(MISSED, decoding.beam_search, num_beams=2, length_penalty=0)
    assert found.tolist() == [[B, END]]
    assert np.isclose(scores[0], np.log(0.4))


@pytest.mark.parametrize(
    ("penalty", "tokens", "chance"), [(0, [A, END], 0.51), (1, [A, B, C, 7, END], 0.49)]
)
def test_the_length_penalty_divides_by_the_length(penalty, tokens, chance):
    how = {"num_beams": 2, "length_penalty": penalty}
    (found, scores), _ = on_paper(TEMPTING, decoding.beam_search, **how)
    assert found.tolist() == [tokens]
    assert np.isclose(scores[0], np.log(chance) / ((5 + len(tokens)) / 6) ** penalty)


@pytest.mark.parametrize("penalty", [0, 2])
def test_one_beam_stops_where_greedy_stops_whatever_the_penalty(penalty):
    how = {"num_beams": 1, "length_penalty": penalty}
    (found, _), beam = on_paper(TEMPTING, decoding.beam_search, max_length=50, **how)
    alone, greedy = on_paper(TEMPTING, max_length=50)
    assert found.tolist() == alone.tolist() == [[A, END]]
    assert beam.steps == greedy.steps == 2


def test_a_model_that_never_ends_is_stopped():
    forever = {START: {A: 1.0}, A: {A: 1.0}}
    found, model = on_paper(forever, max_length=7)
    assert found.tolist() == [[A] * 7]
    assert model.steps == 7
    (found, scores), model = on_paper(forever, decoding.beam_search, max_length=7, num_beams=3)
    assert found.tolist() == [[A] * 7] and scores.tolist() == [0.0]
    assert model.steps == 7
    found = decoding.generate(Chain(forever), np.array([[START]]), 6)
    assert found.tolist() == [[START] + [A] * 5]


@pytest.mark.parametrize("function", [decoding.greedy, decoding.beam_search])
@pytest.mark.parametrize(
    ("source", "max_length", "message"),
    [
        (np.zeros((2, 4)), 5, "rows of at least one token"),
        (np.array([[4, 5], [0, 0]]), 5, "rows of at least one token"),
        (np.zeros((0, 4)), 5, "rows of at least one token"),
        (np.zeros((2, 0)), 5, "rows of at least one token"),
        (np.array([4, 5]), 5, "rows of at least one token"),
        (ONE, 0, "max_length has to be a whole number of at least 1"),
        (ONE, 2.5, "max_length has to be a whole number of at least 1"),
    ],
)
def test_what_cannot_be_translated_is_refused(function, source, max_length, message):
    with pytest.raises(ValueError, match=message):
        on_paper(MISSED, function, source, max_length)


def test_wrong_beams_and_more_words_than_positions_are_refused(sources):
    for name, value in (("num_beams", 0), ("length_penalty", -0.1)):
        with pytest.raises(ValueError, match=f"{name} has to be"):
            on_paper(MISSED, decoding.beam_search, **{name: value})
    model, step = made("pre")
    with pytest.raises(ValueError, match="only 40 positions"):
        decoding.greedy(model, sources, 41, step=step)


def test_a_compiled_step_reads_the_weights_of_today(sources):
    model, step = made("pre")
    kept = model.get_weights()
    before = decoding.greedy(model, sources, 4, step=step)
    model.set_weights([w[::-1] for w in kept])
    after = decoding.greedy(model, sources, 4, step=step)
    start = np.full((len(sources), 1), START)
    expected = rerun(lambda ids: model({"source": sources, "target": ids}), start, 5)[:, 1:]
    model.set_weights(kept)
    assert not np.array_equal(before, after)
    assert np.array_equal(after, expected)


LOGITS = np.log(np.array([[0.05, 0.5, 0.15, 0.3], [0.4, 0.1, 0.3, 0.2]]))


def shares(logits=LOGITS, draws=8000, **arguments):
    """How often each word of each row is drawn."""
    generator = np.random.default_rng(0)
    drawn = decoding.next_tokens(np.repeat(logits, draws, axis=0), generator, **arguments)
    assert drawn.dtype == np.int32
    words = np.arange(logits.shape[1])
    return (drawn.reshape(len(logits), draws, 1) == words).mean(axis=1)


@pytest.mark.parametrize(
    ("arguments", "first", "second"),
    [
        ({"temperature": 0}, {1}, {0}),
        ({"temperature": 0, "top_p": 0.9}, {1}, {0}),
        ({"temperature": 1e-6}, {1}, {0}),
        ({"temperature": 1e-300}, {1}, {0}),
        ({"temperature": 5e-324, "top_p": 0.9}, {1}, {0}),
        ({"temperature": np.float32(1e30)}, {0, 1, 2, 3}, {0, 1, 2, 3}),
        ({"top_p": 0.3}, {1}, {0}),
        ({"top_p": 0.6}, {1, 3}, {0, 2}),
        ({"top_p": 0.85}, {1, 2, 3}, {0, 2, 3}),
        ({"top_p": 1.0}, {0, 1, 2, 3}, {0, 1, 2, 3}),
        ({"temperature": 4.0, "top_p": 0.6}, {1, 2, 3}, {0, 2, 3}),
    ],
)
def test_the_likeliest_words_alone_come(arguments, first, second):
    found = shares(**arguments)
    assert [set(np.flatnonzero(row)) for row in found] == [first, second]
    if arguments == {"top_p": 0.6}:
        assert np.abs(found[0][[1, 3]] - [5 / 8, 3 / 8]).max() < 0.02


def test_a_word_without_a_chance_never_comes():
    logits = np.array([[-np.inf, 0.0, -np.inf, 0.0]])
    for arguments in ({}, {"top_p": 1.0}, {"temperature": 9.0}):
        assert np.flatnonzero(shares(logits, 500, **arguments)[0]).tolist() == [1, 3]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("temperature", (-1, np.nan, np.inf, "1", None)),
        ("top_p", (0, 1.1, np.nan, np.inf, "0.9")),
    ],
)
def test_wrong_settings_of_sampling_are_refused(name, values):
    for value in values:
        with pytest.raises(ValueError, match=name):
            decoding.next_tokens(LOGITS, np.random.default_rng(0), **{name: value})


@pytest.mark.parametrize("row", [[0, np.nan, 1], [0, np.inf, 1], [-np.inf] * 3])
@pytest.mark.parametrize("temperature", [0, 1.0])
def test_logits_without_a_possible_word_are_refused(row, temperature):
    logits = np.array([[0.0, 1, 2], row])
    with pytest.raises(ValueError, match="logits have to be numbers"):
        decoding.next_tokens(logits, np.random.default_rng(0), temperature)


class Broken:
    """A model whose logits are NaN."""

    def start(self, source, max_length):
        return {}

    def step(self, tokens, position, state):
        return np.full((len(tokens), WORDS), np.nan), state


@pytest.mark.parametrize("write", [decoding.greedy, decoding.beam_search, decoding.generate])
def test_a_model_whose_logits_are_none_is_not_decoded(write):
    broken = Broken()
    with pytest.raises(ValueError, match="logits have to be numbers"):
        write(broken, np.array([[4, 5]]), 5, step=broken.step)


@pytest.mark.parametrize(
    ("write", "how", "message"),
    [
        (decoding.beam_search, {"length_penalty": np.nan}, "length_penalty"),
        (decoding.beam_search, {"length_penalty": np.inf}, "length_penalty has to be finite"),
        (decoding.beam_search, {"length_penalty": "1"}, "length_penalty"),
        (decoding.beam_search, {"num_beams": 2.0}, "num_beams"),
        (decoding.greedy, {"source": np.array([[4.7, 5.0]])}, "ids, which are whole numbers"),
        (decoding.greedy, {"max_length": 2.5}, "max_length"),
        (decoding.generate, {"prompts": np.array([[4.7]])}, "ids, which are whole numbers"),
        (decoding.generate, {"temperature": np.inf}, "temperature has to be finite"),
    ],
)
def test_wrong_settings_of_decoding_are_refused(write, how, message):
    rows = "prompts" if write is decoding.generate else "source"
    model = Repeating()
    given = {rows: np.array([[4, 5]]), "max_length": 5, "step": model.step} | how
    with pytest.raises(ValueError, match=message):
        write(model, **given)


def test_numpy_numbers_are_taken_as_pythons():
    rows, model = np.array([[4, 5]]), Repeating()
    how = {"max_length": np.int64(4), "step": model.step}
    beams = {"num_beams": np.int64(2), "length_penalty": np.float32(0.6)}
    assert decoding.greedy(model, rows, **how).shape == (1, 4)
    assert decoding.beam_search(model, rows, **how, **beams)[0].shape == (1, 4)
    sampled = decoding.generate(
        model, rows, **how, temperature=np.float32(1), top_p=np.int64(1)
    )
    assert sampled.shape == (1, 4)


class Repeating(Broken):
    """A model that says the same word for ever."""

    def step(self, tokens, position, state):
        return np.tile(np.arange(WORDS) == 6, (len(tokens), 1)) * 9.0, state


@pytest.fixture(scope="module")
def language():
    keras.utils.set_random_seed(0)
    model = LanguageModel(WORDS, **SIZES)
    model(np.ones((1, 3), "int32"))
    return scrambled(model)


PROMPTS = np.array([[4, 5, 6], [7, 8, 9], [9, 4, 1]], "int32")


def test_generating_without_temperature_is_the_likeliest_word_without_a_cache(language):
    found = decoding.generate(language, PROMPTS, 9, temperature=0)  # compiles the step
    assert np.array_equal(found[:, :3], PROMPTS)
    expected = rerun(language, PROMPTS, 9)
    assert np.array_equal(found, expected[:, : found.shape[1]])
    assert not expected[:, found.shape[1] :].any()


def test_generating_is_bounded_repeats_itself_by_seed_and_ends_rows(language):
    how = {"temperature": 3.0, "step": language.step}
    one, same, other = (decoding.generate(language, PROMPTS, 20, k, **how) for k in (1, 1, 2))
    assert np.array_equal(one, same) and one.shape[1] <= 20
    assert one.shape != other.shape or not np.array_equal(one, other)
    assert one.min() >= 0 and one.max() < WORDS
    for row in one:
        ends = np.flatnonzero(row[3:] == END)
        if len(ends):
            assert not row[3 + ends[0] + 1 :].any()


@pytest.mark.parametrize(
    ("prompts", "max_length", "message"),
    [
        (np.zeros((2, 0)), 5, "at least one token"),
        (np.zeros((0, 2)), 5, "at least one token"),
        (np.array([[4, 0]]), 5, "no pads"),
        (np.array([4, 5]), 5, "prompts are rows"),
        (np.array([[4, 5]]), 2, "max_length has to be a whole number of at least 3"),
        (np.array([[4, 5]]), 41, "only 40 positions"),
    ],
)
def test_a_prompt_that_cannot_be_continued_is_refused(language, prompts, max_length, message):
    with pytest.raises(ValueError, match=message):
        decoding.generate(language, prompts, max_length)


def test_a_pad_is_never_written():
    padding = {START: {PAD: 0.9, A: 0.1}, A: {PAD: 0.9, END: 0.1}}
    (beam, _), _ = on_paper(padding, decoding.beam_search)
    written = decoding.generate(Chain(padding), np.array([[START]]), 6)
    greedy, _ = on_paper(padding)
    assert greedy.tolist() == beam.tolist() == written[:, 1:].tolist() == [[A, END]]
