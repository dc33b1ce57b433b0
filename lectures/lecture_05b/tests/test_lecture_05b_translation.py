"""Lab 05b: BLEU, beam search, input feeding and the bias against independent ways."""

from itertools import product

import numpy as np
import pytest

import course_utils as cu
from course_utils.data.base import END, START
from lectures import lecture_05b
from lectures.lecture_05 import translation
from lectures.lecture_05.translators import RecurrentTranslator
from lectures.lecture_05b.exercises import Chain


def test_bleu_is_sacrebleus():
    draw = np.random.default_rng(0)
    for size in (5, 40):
        said = [
            [str(word) for word in draw.integers(0, 3, draw.integers(4, 12))]
            for _ in range(size)
        ]
        wanted = [
            [str(word) for word in draw.integers(0, 3, draw.integers(4, 12))] for _ in said
        ]
        ours = lecture_05b.bleu(said, wanted)
        theirs = translation.bleu([" ".join(x) for x in said], [" ".join(x) for x in wanted])
        assert abs(ours - theirs) < 1e-6 and ours > 1


def every_sentence(chain, max_length):
    """The best score of all sentences of up to so many tokens, and the words, by trying all."""
    best = (-np.inf, None)
    for length in range(1, max_length + 1):
        for words in product(range(START + 1, 6), repeat=length):
            if END in words[:-1] or (words[-1] != END and length < max_length):
                continue
            total, state, token = 0.0, START, START
            for word in words:
                log_p, state = chain.step(token, state)
                total, token = total + log_p[word], word
            score = total / ((5 + length) / 6) ** 0.6
            best = max(best, (score, [word for word in words if word != END]))
    return best


@pytest.mark.parametrize("seed", range(4))
def test_a_beam_of_everything_is_exact_and_one_beam_is_greedy(seed):
    chain = Chain(seed, end=0.5)
    words, score = lecture_05b.beam_search(chain.step, START, 6**4, 4)
    best, right = every_sentence(chain, 4)
    assert words == right and score == pytest.approx(best)
    greedy, state, token = [], START, START
    for _ in range(8):
        log_p, state = chain.step(token, state)
        token = int(log_p.argmax())
        if token == END:
            break
        greedy.append(token)
    assert lecture_05b.beam_search(chain.step, START, 1, 8)[0] == greedy


def test_four_short_finished_ones_do_not_stop_the_librarys_search():
    """Four stubs are finished at once; the long sentence, ahead of them all, is returned."""

    class Stubs:
        variables = ()

        def start(self, source, max_length=None):
            return {"at": np.zeros(len(source), "int32")}

        def step(self, tokens, position, state):
            logits = np.full((len(tokens), 9), -9.0, "float32")
            at = int(position)
            logits[:, END] = -3.0 if at < 4 else 5.0
            logits[:, 4 + at % 5] = 3.0 if at < 4 else -9.0
            return logits, state

    source = np.array([[4, 5]])
    tokens, _ = cu.decoding.beam_search(Stubs(), source, 8, 4, step=Stubs().step)
    assert tokens[0].tolist() == [4, 5, 6, 7, END]


def test_input_feeding_is_the_step_and_nothing_but_the_step():
    draw = np.random.default_rng(1)
    model = RecurrentTranslator(20, 30, 6, 8, attention="dot", feed=True)
    given = {"source": draw.integers(4, 20, (2, 5)), "target": draw.integers(4, 30, (2, 4))}
    model(given)
    encoded, before, mask = model.encode(given["source"])
    words = model.target_embedding(given["target"])
    together = np.array(model.decoder(words, before, encoded, mask)[0])
    for t in range(4):
        before = model.decoder.step(before, words[:, t], encoded, mask)
        assert np.abs(np.array(before)[:, 8:] - together[:, t]).max() < 1e-5
    unfed = np.array(model.decoder(words, before * 0, encoded, mask)[0])
    assert np.abs(unfed - together).max() > 1e-3


def test_the_bias_says_the_frequencies():
    targets = np.array([[5, 5, 4, 3], [5, 3, 0, 0]])
    bias = translation.log_frequencies(targets, 8)
    shares = np.exp(bias) / np.exp(bias).sum()
    assert np.allclose(shares[[5, 3, 4, 7]], np.array([3.5, 2.5, 1.5, 0.5]) / 10)


def test_the_choice_is_by_the_mean_and_asks_all_seeds():
    asked = []

    def loss(setting, seed):
        asked.append((setting, seed))
        return {("a", 0): 0.0, ("a", 1): 9.0}.get((setting, seed), 4.0)

    assert lecture_05b.best_setting(loss, ["a", "b"], [0, 1]) == "b"
    assert sorted(asked) == [("a", 0), ("a", 1), ("b", 0), ("b", 1)]


def test_real_pairs_have_the_budget_of_the_records():
    names = {
        "pairs": "pairs",
        "vocab_size": "words",
        "epochs": "epochs",
        "learning_rate": "rate",
    }
    for name in ("plain", "dot", "bahdanau"):
        for run in cu.results.load(lecture_05b.LECTURE, name, "tatoeba_french"):
            for key, recorded in names.items():  # the records' names are older
                assert run["settings"][recorded] == lecture_05b.REAL[key]
