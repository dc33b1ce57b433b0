"""The translators of lecture 05: weights, decoding, and whose layers they use."""

import keras
import numpy as np
import pytest
from keras import layers, ops

import course_utils as cu
from course_utils.checks import redrawn
from course_utils.layers import BahdanauAttention, LuongAttention
from lectures import lecture_05
from lectures.lecture_05 import translators
from lectures.lecture_05.translators import RecurrentTranslator, reverse_words
from tools.source import assemble, lectures

LOOKING = ("bahdanau", "dot", "general")
KINDS = {"plain": {}, "reversed": {"reverse": True}}
KINDS |= {kind: {"attention": kind} for kind in LOOKING}
SOURCE_WORDS, TARGET_WORDS = 20, 30


def make(kind):
    """Small embeddings and zero biases would hide what a pad does: draw every weight."""
    model = RecurrentTranslator(SOURCE_WORDS, TARGET_WORDS, 6, 8, **KINDS[kind])
    model(sentences())
    return redrawn(model, 0.4)


@pytest.fixture(params=KINDS)
def translator(request):
    return make(request.param)


def sentences():
    """Sources of 7, 4 and 1 words, targets of 6, 3 and 2."""
    draw = np.random.default_rng(0)
    source = draw.integers(4, SOURCE_WORDS, size=(3, 7)).astype("int32")
    target = draw.integers(4, TARGET_WORDS, size=(3, 6)).astype("int32")
    target[:, 0] = 2
    return {
        "source": source * (np.arange(7) < np.array([[7], [4], [1]])),
        "target": target * (np.arange(6) < np.array([[6], [3], [2]])),
    }


def array(tensor):
    return ops.convert_to_numpy(tensor)


@pytest.mark.slow
@pytest.mark.parametrize("kind", LOOKING)
def test_weights_are_a_mean_over_the_real_source_words(kind):
    given = sentences()
    weights = array(make(kind).alignment(given["source"], given["target"]))
    assert weights.shape == (3, 6, 7)
    assert np.abs(weights.sum(axis=-1) - 1).max() < 1e-5
    assert (weights[np.broadcast_to(given["source"][:, None] == 0, weights.shape)] == 0).all()
    assert make("plain").alignment(given["source"], given["target"]) is None


def test_reversing_turns_words_and_leaves_pads_at_the_end():
    ids = np.array([[5, 6, 7, 0], [8, 0, 0, 0], [9, 4, 5, 6]])
    assert array(reverse_words(ids)).tolist() == [[7, 6, 5, 0], [8, 0, 0, 0], [6, 5, 4, 9]]


def test_the_class_is_the_functional_model_of_the_lecture():
    source, target = (keras.Input((None,), dtype="int32") for _ in range(2))
    read = layers.Embedding(SOURCE_WORDS, 6)
    encoder = layers.GRU(8)
    write = layers.Embedding(TARGET_WORDS, 6)
    decoder = layers.GRU(8, return_sequences=True)
    vocabulary = layers.Dense(TARGET_WORDS)
    last = encoder(read(source), mask=ops.not_equal(source, 0))
    logits = vocabulary(decoder(write(target), initial_state=last))
    model = keras.Model({"source": source, "target": target}, logits)
    ours = make("plain")
    read.set_weights(ours.source_embedding.get_weights())
    write.set_weights(ours.target_embedding.get_weights())
    encoder.set_weights(ours.encoder.get_weights())
    decoder.set_weights(ours.decoder.get_weights())
    vocabulary.set_weights(ours.to_words.get_weights())
    assert np.abs(array(model(sentences())) - array(ours(sentences()))).max() < 1e-5


@pytest.mark.slow
def test_an_empty_sentence_is_refused_and_decoding_is_bounded(translator):
    with pytest.raises(ValueError, match="rows of at least one token"):
        cu.decoding.greedy(translator, np.zeros((1, 3), "int32"), 5)
    logits = translator.to_words
    bias = logits.get_weights()[1]
    bias[3] = -1e4  # it never says <eos>
    logits.set_weights([logits.get_weights()[0], bias])
    assert cu.decoding.greedy(translator, sentences()["source"], 5).shape == (3, 5)


@pytest.mark.slow
def test_greedy_decoding_is_what_the_logits_say(translator):
    source = sentences()["source"]
    written = cu.decoding.greedy(translator, source, 6)
    target = np.concatenate([np.full((3, 1), 2), written[:, :-1]], axis=1)
    logits = array(translator({"source": source, "target": target})).copy()
    logits[..., 0] = -np.inf  # a pad is never written
    assert np.array_equal(np.where(written, logits.argmax(axis=-1), 0), written)


class Called(LuongAttention):
    """Luong's attention written in another way, which notes that it was used."""

    calls = 0

    def call(self, query, value, value_mask=None, return_attention_scores=False):
        Called.calls += 1
        if self.score == "general":
            scores = ops.einsum("btd,de,bse->bts", query, self.W, value)
        else:
            scores = ops.einsum("btd,bsd->bts", query, value)
        if value_mask is not None:
            scores = ops.where(value_mask[:, None, :], scores, -1e9)
        alpha = ops.softmax(scores)
        c = ops.einsum("bts,bsd->btd", alpha, value)
        vector = self.W_c(ops.concatenate([c, query], axis=-1))
        return (vector, alpha) if return_attention_scores else vector


class Asked(BahdanauAttention):
    """Bahdanau's attention written in another way, which notes that it was used."""

    calls = 0

    def attend(self, query, keys, value, value_mask=None, return_attention_scores=False):
        Asked.calls += 1
        s = ops.expand_dims(self.W_s(query), 2)
        scores = ops.sum(self.v.kernel[:, 0] * ops.tanh(s + ops.expand_dims(keys, 1)), axis=-1)
        if value_mask is not None:
            scores = scores + (1 - ops.cast(value_mask, scores.dtype))[:, None] * -1e9
        alpha = ops.softmax(scores)
        return (alpha @ value, alpha) if return_attention_scores else alpha @ value


@pytest.mark.slow
def test_the_notebook_runs_on_the_students_own_layers():
    names = vars(translators) | {
        "LuongAttention": cu.exercises.use("05.5", Called),
        "BahdanauAttention": cu.exercises.use("05.6", Asked),
    }
    assert names["LuongAttention"] is Called and names["BahdanauAttention"] is Asked
    for cell in assemble(lectures(["05_attention"])[0]).cells:
        if "class Translator(" in cell.source:
            exec(cell.source, names)
    Called.calls = Asked.calls = 0
    given = sentences()
    for kind in ("dot", "bahdanau"):
        mine = names["Translator"](SOURCE_WORDS, TARGET_WORDS, 6, 8, attention=kind)
        mine(given)
        mine.set_weights(make(kind).get_weights())
        assert np.abs(array(mine(given)) - array(make(kind)(given))).max() < 1e-5
    assert Called.calls and Asked.calls


def test_equal_weights_are_the_dot_scores_network_without_its_scores():
    mean = translators.EqualTranslator(SOURCE_WORDS, TARGET_WORDS, 6, 8, attention="dot")
    given = sentences()
    mean(given)
    assert mean.count_params() == make("dot").count_params()
    weights = array(redrawn(mean, 0.4).alignment(given["source"], given["target"]))
    real = (given["source"] != 0)[:, None]
    assert np.abs(weights - real / real.sum(axis=-1, keepdims=True)).max() < 1e-6


def test_the_classmates_mask_is_true_at_pads_and_the_courses_is_not():
    model, source = make("dot"), sentences()["source"]
    assert array(translators.classmate(model, source)[2]).all()
    buggy = translators.ClassmatesTranslator(SOURCE_WORDS, TARGET_WORDS, 6, 8, attention="dot")
    buggy(sentences())
    buggy.set_weights(model.get_weights())
    assert (array(buggy.alignment(source, sentences()["target"]))[2, :, 1:] > 0).all()
    encoded, last, mask = lecture_05.encode(model, source)
    assert np.array_equal(array(mask), source != 0)
    assert np.abs(array(last) - array(model.encode(source)[1])).max() < 1e-6
