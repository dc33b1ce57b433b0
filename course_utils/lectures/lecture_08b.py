"""Lab 08b: gates on text: their start, W tied by distance, tiny attention, bands, controls.

Sources: Liu, Dai, So and Le, "Pay attention to MLPs" (2021), section 4; controls: Gururangan
et al., "Annotation artifacts in natural language inference data" (2018).

Pairs of sentences: does the second follow from the first?

    roles     who did what to whom; the second sentence may be in the passive voice
    clause    two clauses, an adjective each; the second sentence gives a noun its own one, or
              that of the other clause
    verdict   praise of one thing, blame of another; the second sentence judges one of the two
              in other words: what is "superb" is "good", and "not bad"
    negation  one of two clauses is negated; the second sentence says one again, or denies it

The course's pairs come in fours: two first sentences A, B, each with two second ones A', B'. A'
follows from A alone, B' from B alone. A and B hold the same words in another order, so exactly
two of the four are right for a model that reads the second sentence alone, or the first alone,
or counts the words of both. Phrases of one to four words open half of the first sentences'
clauses, and second sentences have four forms, so that words move from place to place.

Easier fours are for training alone: their first sentences have one clause, and differ in its
subject or in what is said of it. There a comparison of single words is of use.
"""

from collections.abc import Sequence
from hashlib import blake2b
from random import Random

import numpy as np
from scipy.sparse import hstack
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import MaxAbsScaler

from course_utils import plotting
from course_utils.data.base import Dataset, Split, one_of, tokenize, whole_number
from course_utils.data.download import prepared, records
from course_utils.data.reviews import DAMNING, FILM_SUBJECTS, NEGATORS, PRAISING, Drawer
from course_utils.lectures.lecture_05 import softmax
from course_utils.lectures.lecture_08 import gmlp_block_parameters

# What the paper prints of its models for text, in millions.
PRINTED = {"18 blocks": 59, "36 blocks": 102, "72 blocks": 187, "144 blocks": 357}

# Assumed. The printed counts themselves tell it: (357 − 59) million / 126 blocks is 2.365
# million a block, and what then remains of 59, 16.4 million, is 512 channels for 32,100 pieces.
VOCAB_SIZE = 32_000


def initial_weights(gate, S, draw):
    """W and b of a new gate for S tokens, sampled so that training can start.

    f(Z) = W norm(Z) + b. An additive gate, Z + f(Z), a multiplicative one, Z ⊙ f(Z), and a
    split one, Z_1 ⊙ f(Z_2), return Z (or Z_1) within 0.01. A linear gate returns f(Z): numbers
    of about the size of norm(Z), other ones for each token, and nothing that is added to all.

    Args:
        gate: "linear", "additive", "multiplicative" or "split".
        S: the number of tokens.
        draw: a `numpy.random.Generator`.

    Returns:
        A pair of arrays: W (S, S) and b (S,).
    """
    size = (3 / S) ** 0.5 if gate == "linear" else 1e-4 / S
    b = np.ones(S) if gate in ("multiplicative", "split") else np.zeros(S)
    return draw.uniform(-size, size, (S, S)), b


def toeplitz(t):
    """One weight for each distance: W (S, S) with W[i, j] = t[i − j + S − 1].

    t: an array (2S − 1,).
    """
    S = (len(t) + 1) // 2
    return t[np.arange(S)[:, None] - np.arange(S) + S - 1]


def attentive_gate(passed, mixed, q, k, v, W_O):
    """Tiny attention inside the split gate: Z_1 ⊙ (mixed + softmax(q kᵀ / √w) v W_O).

    `softmax` normalises the last axis.

    Args:
        passed: Z_1, (S, D/2).
        mixed: W norm(Z_2) + b, (S, D/2).
        q, k, v: query, key and value of the S tokens, (S, w) each.
        W_O: (w, D/2).

    Returns:
        An array (S, D/2).
    """
    return passed * (mixed + softmax(q @ k.T / q.shape[1] ** 0.5) @ v @ W_O)


def band_share(W):
    """How much of W's squared weight its diagonals' means explain, and how much by chance.

    Args:
        W: (S, S).

    Returns:
        Two numbers from 0 to 1: the share Σ_d n_d m_d² / Σ_ij W_ij², where diagonal d has n_d
        entries with the mean m_d; and its mean for independent entries, the number of
        diagonals over the number of entries. A Toeplitz matrix has the share 1.
    """
    S, explained = len(W), 0.0
    for offset in range(1 - S, S):
        diagonal = np.diagonal(W, offset)
        explained += len(diagonal) * diagonal.mean() ** 2
    return explained / (W**2).sum(), (2 * S - 1) / S**2


def diagonal_means(W):
    """The mean of every diagonal of W (S, S): (2S − 1,), as `toeplitz` takes them.

    Entry k is about the distance i − j = k − (S − 1).
    """
    S = len(W)
    return np.array([np.diagonal(W, -distance).mean() for distance in range(1 - S, S)])


def show_gates(matrices, alt):
    """Show each W of `{title: W}`, and below it the mean weight up to 12 tokens away."""
    figure, axes = plotting.figure(3.4 * len(matrices) + 0.4, 5.4, len(matrices), rows=2)
    axes = np.asarray(axes).reshape(2, len(matrices))
    axes[0, 0].get_gridspec().set_height_ratios([1.9, 1])
    for (title, W), (above, below) in zip(matrices.items(), axes.T, strict=True):
        limit = np.quantile(np.abs(W), 0.995) or 1.0
        above.imshow(W, cmap="RdBu_r", vmin=-limit, vmax=limit)
        above.grid(False)
        above.set(title=title, xlabel="input token j")
        distances = np.arange(-12, 13)
        # Turned round, so that what stands to the right of token i is drawn to the right.
        means = diagonal_means(W)[len(W) - 1 - distances]
        below.bar(distances, means, color=plotting.COLOURS[0])
        below.set(xlabel="j − i: left and right of token i")
    axes[0, 0].set(ylabel="output token i")
    axes[1, 0].set(ylabel="mean weight")
    plotting.show(figure, alt)


def show_plateaus(lines, baselines, every, left):
    """Show losses by batches, a thin line a run, and the unigram baselines, dashed.

    lines: `{title: [losses of a run, ...]}`, a loss after `every` batches. baselines: one a
    seed. left: a dotted line at this share of the first one says who left the plateau.
    """
    figure, axis = plotting.figure(9, 3.5)
    said = []
    for colour, (title, runs) in zip(plotting.COLOURS, lines.items(), strict=False):
        axis.plot([], [], color=colour, label=title)
        for line in runs:
            steps = every * np.arange(1, len(line) + 1)
            axis.plot(steps, line, color=colour, linewidth=1.4)
            said.append(f"{title}: {line[0]:.2f} to {line[-1]:.2f}")
    for baseline in baselines:
        axis.axhline(baseline, color="#555555", linestyle="--", linewidth=1)
    for baseline in baselines[:1]:
        axis.axhline(left * baseline, color="#555555", linestyle=":", linewidth=1)
    axis.set(xlabel="batches", ylabel="validation loss, nats")
    axis.legend(ncols=2)
    alt = "Loss by batches, guess by frequency dashed. " + "; ".join(said or ["no run yet"])
    plotting.show(figure, alt + ".")


def gmlp_text_parameters(
    max_length, embed_dim, mlp_dim, num_layers, vocab_size=VOCAB_SIZE, **settings
):
    """Count the parameters of a gMLP for text, without the scores' bias.

    One table embeds the vocabulary and, transposed, scores it. settings: gate, toeplitz and
    tiny_attention, as in `lecture_08.gmlp_block_parameters`.
    """
    block = gmlp_block_parameters(max_length, embed_dim, mlp_dim, **settings)
    return vocab_size * embed_dim + num_layers * block + 2 * embed_dim


def controls(dataset: Dataset, seed: int = 0) -> dict[str, float]:
    """Test accuracies of models that read too little: a model of pairs has to beat them all.

    "majority": the commoner target in training. Three logistic regressions: "second alone",
    which words the second text holds; "bag of both", which words the first holds, which the
    second, and which both; "overlap and lengths", five numbers, see `overlap`. The strength of
    each (scikit-learn's C) is chosen on the validation part; the test part is read once.

    dataset: of `load_sentence_pairs` or `load_rte`. seed: of the solver's order.
    """
    parts = [dataset.train, dataset.val, dataset.test]
    majority = np.bincount(dataset.train.targets, minlength=2).argmax()
    bags = CountVectorizer(analyzer=tokenize, binary=True, dtype="float64")
    bags.fit([*dataset.train.inputs["first"], *dataset.train.inputs["second"]])
    firsts, seconds = (
        [bags.transform(part.inputs[name]) for part in parts] for name in ("first", "second")
    )
    pairs = zip(firsts, seconds, strict=True)
    both = [hstack([one, two, one.multiply(two)], format="csr") for one, two in pairs]
    return {
        "majority": float((dataset.test.targets == majority).mean()),
        "second alone": _regression(seconds, parts, seed),
        "bag of both": _regression(both, parts, seed),
        "overlap and lengths": _regression([overlap(part) for part in parts], parts, seed),
    }


def overlap(split: Split) -> np.ndarray:
    """What tells how much two texts have in common, without a word of theirs: (pairs, 5).

    How many words are shared, their share of the second text's, whether they are all of them,
    and the logarithms of both lengths.
    """
    rows = []
    for first, second in zip(split.inputs["first"], split.inputs["second"], strict=True):
        first, second = tokenize(first), tokenize(second)
        words = set(second)
        shared = len(set(first) & words)
        lengths = np.log1p(len(first)), np.log1p(len(second))
        rows.append((shared, shared / max(len(words), 1), shared == len(words), *lengths))
    return np.array(rows, "float64")


def _regression(features, parts, seed):
    scaler = MaxAbsScaler().fit(features[0])
    train, val, test = (scaler.transform(part) for part in features)
    how = {"solver": "liblinear", "random_state": seed}
    models = [LogisticRegression(C=strength, **how) for strength in (0.01, 0.1, 1.0)]
    fitted = [model.fit(train, parts[0].targets) for model in models]
    best = max(fitted, key=lambda model: model.score(val, parts[1].targets))
    return float(best.score(test, parts[2].targets))


KINDS = ("roles", "clause", "verdict", "negation")
# All can be divided into fours of one, two, three or four kinds.
SIZES = {"train": 12_000, "val": 480, "test": 1_920}

PERSONS = (
    "actor baker barber captain clerk cook critic dancer director driver farmer gardener "
    "hunter judge lawyer mayor miner neighbour officer painter pilot reporter singer soldier "
    "student tailor thief waiter widow writer"
).split()
# Regular ones only: their past tense is their participle, in both voices the same word.
VERBS = (
    "accused admired avoided betrayed blamed called defended followed greeted helped hired "
    "ignored insulted invited obeyed pardoned praised recognised replaced rescued "
    "surprised thanked trusted visited warned watched"
).split()
ADJECTIVES = "calm dark gentle loud modern odd quiet serious simple slow".split()
GOOD = ("good", "fine", "a success", "a pleasure", "not bad", "not a failure")
BAD = ("bad", "disappointing", "a failure", "not good", "not a success", "not a pleasure")

# First sentences have the plain form, which stands first; second ones any.
EVENTS = (
    "the {agent} {verb} the {patient}",
    "the {patient} was {verb} by the {agent}",
    "it was the {agent} who {verb} the {patient}",
    "it was the {patient} who was {verb} by the {agent}",
)
CLAUSES = (
    "the {subject} was {adjective}",
    "it was the {subject} that was {adjective}",
    "what was {adjective} was the {subject}",
    "we found that the {subject} was {adjective}",
)
OPENINGS = (
    "again, for once, this time, after the break, to our surprise, in the second half, "
    "from the first minute, on the whole, as always, without any doubt"
).split(", ")
JOINTS = ("and", "but", "while")

RTE = "glue/rte:2.0.0"
RTE_ARCHIVE = "https://dl.fbaipublicfiles.com/glue/data/RTE.zip"
RTE_PAIRS = {"train": 2_490, "validation": 277}
RTE_VALIDATION = 250


def load_sentence_pairs(
    kinds: Sequence[str] = KINDS, train: int = SIZES["train"], easier: int = 0
) -> Dataset:
    """The course's own pairs of texts; the target is 1 where the second follows from the first.

    Made by a grammar of about 140 words, equally many of each kind, 480 for validation and
    1,920 for the test; texts have up to 18 and 10 words. Fours are never parted.

    Each part: inputs {"first", "second"}, object arrays of str; targets int32 (pairs,), 1 or 0;
    columns "kind" and "four", int32, the number of the four that a pair belongs to.
    kinds: some of "roles", "clause", "verdict", "negation". Pairs of a kind are the same,
        whatever other kinds there are.
    train: how many training pairs, a multiple of 4 · kinds. Test and validation do not depend
        on it.
    easier: how many more training pairs have a first sentence of one clause; a multiple of 4 ·
        the kinds but "roles", which has one event anyhow.
    Raises ValueError for a wrong argument.
    """
    for kind in kinds:
        one_of("kind", kind, KINDS)
    whole_number("train", train, at_least=1)
    whole_number("easier", easier, at_least=0)
    two_clauses = [kind for kind in KINDS[1:] if kind in kinds]
    for name, size, among in (("train", train, kinds), ("easier", easier, two_clauses)):
        if size and (not among or size % (4 * len(among))):
            raise ValueError(
                f"{name} has to be a multiple of 4 for each of its kinds, which are "
                f"{', '.join(among) or 'none'}, got {size}"
            )
    # The test part first, so that it is the same for any size of training.
    sizes = {"test": SIZES["test"], "val": SIZES["val"], "train": train}
    counts = {part: size // (4 * len(kinds)) for part, size in sizes.items()}
    rows: dict[str, list] = {part: [] for part in SIZES}
    for kind in [kind for kind in KINDS if kind in kinds]:
        made = _different_fours(kind, counts)
        if kind in two_clauses:
            write = _Writer(f"easier {kind} 0", easier=True)
            made["train"] += [write.four(kind) for _ in range(easier // (4 * len(two_clauses)))]
        for part, fours in made.items():
            for four in fours:
                number = len(rows[part]) // 4
                rows[part] += [(*pair, kind, number) for pair in four]
    parts = [_mixed(rows[part]) for part in SIZES]
    return _dataset("sentence_pairs", parts, "made by course_utils.lectures.lecture_08b", "CC0")


def load_rte() -> Dataset:
    """RTE, through TFDS: does a hypothesis follow from a passage of news?

    The pairs of four public challenges (Dagan et al., 2006, and those of 2006, 2007 and 2009),
    joined by GLUE (Wang et al., 2018), whose label 0, "entailment", is target 1 here. 2,210 /
    250 / 277 pairs as from `load_sentence_pairs`; the kind is "rte", the four −1.

    Several pairs share a premise, so the parts are cut by premise, upper case and blanks
    disregarded. The published validation part is the test, since the labels of the published
    test are not public. Training pairs with one of its premises are left out. Of the others,
    whole premises in the order of a hash are held out for validation.
    Raises ConnectionError when the pairs are neither here nor to be had.
    """
    train, test = _read_rte("train"), _read_rte("validation")
    of_test = {_premise(row) for row in test}
    train = [row for row in train if _premise(row) not in of_test]
    held_out, left = set(), RTE_VALIDATION
    for premise in sorted({_premise(row) for row in train}, key=_digest):
        if left > 0:
            held_out.add(premise)
            left -= sum(_premise(row) == premise for row in train)
    val = [row for row in train if _premise(row) in held_out]
    train = [row for row in train if _premise(row) not in held_out]
    source = "https://gluebenchmark.com (TFDS glue/rte)"
    licence = "no licence is stated; passages of news, released for research"
    return _dataset("rte", [train, val, test], source, licence)


class _Writer(Drawer):
    """Draws fours: the method of a kind returns [A, B] and [A', B']."""

    def __init__(self, seed: str, easier: bool = False):
        super().__init__(seed)
        self.easier = easier

    def four(self, kind: str) -> list[tuple[str, str, int]]:
        """(A, A', 1), (A, B', 0), (B, A', 0), (B, B', 1)."""
        firsts, seconds = getattr(self, kind)()
        return [
            (first, second, int(row == column))
            for row, first in enumerate(firsts)
            for column, second in enumerate(seconds)
        ]

    def roles(self):
        """An event with two persons, who change places."""
        persons, verb = self.sample(PERSONS, 2), self.choose(VERBS)
        return [
            [form.format(agent=a, patient=b, verb=verb) for a, b in (persons, persons[::-1])]
            for form in (self.first([EVENTS[0]]), _text(self.choose(EVENTS)))
        ]

    def clause(self):
        """Two adjectives change places."""
        words = self.sample(ADJECTIVES, 2)
        return self.judged((words, words[::-1]), (words, words[::-1]))

    def verdict(self):
        """Praise and blame change places; the second sentence has other words for them."""
        words = [self.choose(PRAISING), self.choose(DAMNING)]
        answers = [self.choose(GOOD), self.choose(BAD)]
        return self.judged((words, words[::-1]), (answers, answers[::-1]))

    def negation(self):
        """A negator changes places."""
        (one, other), negator = self.sample(ADJECTIVES, 2), self.choose(NEGATORS)
        said = ((f"{negator} {one}", other), (one, f"{negator} {other}"))
        return self.judged(said, ((f"not {one}", one), (other, f"not {other}")))

    def judged(self, said, true):
        """Two clauses on two subjects, and second sentences on one of them.

        said[i][k]: what the first sentence i says of the subject k. true[k][i]: what is true of
        the subject k after the first sentence i, and not after the other one.
        """
        subjects = self.sample(FILM_SUBJECTS, 2)
        if self.easier:
            return self.one_clause(subjects, said, true)
        first = self.first(
            [
                CLAUSES[0].format(subject=subject, adjective=f"{{{place}}}")
                for place, subject in enumerate(subjects)
            ]
        )
        asked, second = int(self.random() * 2), _text(self.choose(CLAUSES))
        return [
            [first.format(*words) for words in said],
            [second.format(subject=subjects[asked], adjective=word) for word in true[asked]],
        ]

    def one_clause(self, subjects, said, true):
        """As `judged`, of one clause: another subject, or something else said of the same."""
        asked, first = int(self.random() * 2), self.first([CLAUSES[0]])
        words, answers = [said[i][asked] for i in (0, 1)], true[asked]
        if self.random() < 0.5:
            words, answers = words[:1] * 2, answers[:1] * 2
        else:
            subjects = subjects[:1] * 2
        second = _text(self.choose(CLAUSES))
        return [
            [form.format(subject=subjects[i], adjective=told[i]) for i in (0, 1)]
            for form, told in ((first, words), (second, answers))
        ]

    def first(self, clauses: list[str]) -> str:
        """The first sentence: its clauses, half of them behind an opening."""
        text = ""
        for opening, clause in zip(self.sample(OPENINGS, len(clauses)), clauses, strict=True):
            if self.random() < 0.5:
                clause = f"{opening} {clause}" if text else f"{opening}, {clause}"
            text += f", {self.choose(JOINTS)} {clause}" if text else clause
        return _text(text)


def _text(sentence: str) -> str:
    return f"{sentence[0].upper()}{sentence[1:]}."


def _different_fours(kind: str, counts: dict[str, int]) -> dict[str, list]:
    """So many fours for each part, in this order; no first sentence comes in two of them."""
    write, known = _Writer(f"{kind} 0"), set()
    parts: dict[str, list] = {part: [] for part in counts}
    for part, count in counts.items():
        while len(parts[part]) < count:
            four = write.four(kind)
            firsts = {first for first, *_ in four}
            if not known & firsts:
                known |= firsts
                parts[part].append(four)
    return parts


def _mixed(rows: list) -> list:
    drawn = Random("order 0").random
    places = [drawn() for _ in rows]
    return [rows[k] for k in sorted(range(len(rows)), key=places.__getitem__)]


def _split(rows: list) -> Split:
    firsts, seconds, targets, kinds, fours = zip(*rows, strict=True)
    return Split(
        {"first": np.array(firsts, object), "second": np.array(seconds, object)},
        np.array(targets, "int32"),
        columns={"kind": np.array(kinds), "four": np.array(fours, "int32")},
    )


def _dataset(name: str, parts: list[list], source: str, licence: str) -> Dataset:
    classes = ("does not follow", "follows")
    dataset = Dataset(name, *map(_split, parts), None, classes, source, licence)
    return dataset.announce(f", as text; {source}")


def _premise(row: tuple) -> str:
    return " ".join(row[0].lower().split())


def _digest(text: str) -> bytes:
    return blake2b(text.encode()).digest()


def _read_rte(part: str) -> list[tuple]:
    """The rows of a part of TFDS, ordered by hash."""
    builder = prepared(RTE, RTE_ARCHIVE, "RTE's pairs")
    rows: list[tuple] = []
    for batch in records(builder, part, RTE_PAIRS[part]):
        columns = (batch[name].tolist() for name in ("sentence1", "sentence2", "label"))
        rows += [
            (first.decode().strip(), second.decode().strip(), int(label == 0), "rte", -1)
            for first, second, label in zip(*columns, strict=True)
        ]
    return sorted(rows, key=lambda row: (_digest(f"{row[0]}\n{row[1]}"), row[2]))
