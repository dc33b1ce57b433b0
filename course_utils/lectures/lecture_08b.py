"""Lab 08b: gates on text: their start, W tied by distance, tiny attention, bands, controls.

Sources: Liu, Dai, So and Le, "Pay attention to MLPs" (2021), section 4; controls: Gururangan
et al., "Annotation artifacts in natural language inference data" (2018).
"""

import numpy as np
from scipy.sparse import hstack
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import MaxAbsScaler

from course_utils import plotting
from course_utils.data.base import Dataset, Split, tokenize
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
