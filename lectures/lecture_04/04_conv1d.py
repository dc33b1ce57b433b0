# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
#   title: Convolution over time
# ---

# %% [markdown] slideshow={"slide_type": "slide"} tags=["title"]
# # Convolution over time
#
# **Lecture 4** · a short filter that reads every position of a text at once

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Read a long review aloud, slowly, and ask which words the class needed in order to
# know the verdict. Three or four, next to each other: "was never dull".

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What you will be able to do
#
# 1. build a convolution with stride, dilation and causal padding, equal to Keras' layer
# 2. compute how many words a stack of layers sees
# 3. find out what a network has learned: by what excites its filters, and by changing its input
# 4. keep padding out of a convolutional network
# 5. put a recurrent layer on top of a convolution

# %% [markdown] slideshow={"slide_type": "skip"}
# **You need** lectures 1 to 3: embeddings, padding masks, the recurrent loop, LSTM and GRU.
# **It takes** ninety minutes, of which the seven exercises take about forty-five.
#
# Cells that begin with a file name show that file's code. After an exercise, the rest of the
# notebook runs on your own definition if it is correct, and on the course's otherwise.

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) The third point is the heart: a network solves a task that it should not be able to
# solve, and we find out how.

# %% slideshow={"slide_type": "skip"} name="start"
import course_utils as cu

session = cu.start(seed=0)  # before Keras is imported, so that its backend starts quietly
LECTURE = "04_conv1d"

import keras
import numpy as np
from keras import layers, ops

from course_utils import training
from lectures.lecture_01.plots import bars
from lectures.lecture_04 import (
    KINDS,
    by_phenomenon,
    framed_reviews,
    put_in_front,
    record,
)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Where the LSTM is slow
#
# An LSTM needs the state of word 99 before it can read word 100. To find a phrase of three
# words in a review of 100, it takes 100 steps, one after another.

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
rows = cu.results.load_table(LECTURE, "step-time")
drawing, axes = cu.plotting.figure(8, 3.2)
said = []
for name in ("LSTM(32)", "Conv1D(32, 7), global max"):
    points = [(row["length"], row["milliseconds"]) for row in rows if row["layer"] == name]
    length, taken = np.array(sorted(points)).T
    axes.loglog(length, taken, marker="o", markersize=4, label=name)
    said.append(
        f"{name} {taken[0]:.1f} ms at {length[0]:.0f}, {taken[-1]:.1f} at {length[-1]:.0f}"
    )
axes.set_xticks(length, [f"{int(value):,}" for value in length])
axes.minorticks_off()
axes.set(xlabel="words", ylabel="milliseconds")
axes.legend()
cu.plotting.show(
    drawing, "Milliseconds of a training step, both axes logarithmic: " + "; ".join(said)
)

# %% [markdown] slideshow={"slide_type": "-"}
# Recorded with TensorFlow on two CPU cores, for batches of 32 texts, 32 numbers per word: at
# 2,048 words the convolution takes a fifth of the LSTM's time.

# %% [raw]
# near(
#     cell("step-time", "Conv1D(32, 7), global max", 2048, "milliseconds")
#     / cell("step-time", "LSTM(32)", 2048, "milliseconds"),
#     1 / 5,
#     0.02,
# )

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Ask for the slope of a layer whose time doubles when the length doubles: 1. Both
# approach it; at short lengths they are flatter, as they would be if part of a step's time did
# not depend on the length. Keep the plot in mind for attention, whose work grows with the
# square of the length.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The idea: a window that slides

# %% slideshow={"slide_type": "-"}
cu.figures.show("04_window")

# %% [markdown] slideshow={"slide_type": "-"}
# $$y_t = b + \sum_j x_{t \cdot s + j \cdot d}\, K_j$$

# %% [markdown] slideshow={"slide_type": "skip"}
# $x_t$ is the vector of word $t$, $y_t$ has one number per filter. The **kernel** $K$, $k$
# words wide, has a matrix $K_j$, (channels, filters), for each position $j$ of the window; the
# channels are the components of a word vector. Each word vector in the window is multiplied by
# the matrix of its position, the products are added, and so is the bias $b$. A **filter** is
# one column of all these matrices; its output is largest for windows whose vectors agree with
# its weights (exercise 04.4 prints them). The **stride** $s$ says how far the window moves from
# one output to the next, the **dilation** $d$ how far apart the words in a window are; both are
# 1 unless stated otherwise. $t$ and $j$ count from 0.
#
# The same $K$ is used at every position, so the number of parameters, kernel · channels ·
# filters + filters, does not depend on the length of the text. With stride 1, if the input
# shifts by one word, the output shifts by one step: convolution is **equivariant** to shifts,
# except at the edges of the text. With a window of width 1, it is a `Dense` layer applied to
# every word.

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Slide a strip of paper with a hole over a sentence on the board: the filter stays.
# Inside the window, order counts: "never was dull" gets another answer. Ask for the number of
# parameters of 32 filters of width 7 on 128 channels: 7 · 128 · 32 + 32 = 28,704.

# %% [markdown] slideshow={"slide_type": "slide"}
# ### By hand: one channel, one filter
#
# $x = 3, 1, 0, 2, 5$ and $K = 1, 0, -1$: each output is "first minus third".
#
# $$y_0 = 3 - 0 = 3 \qquad y_1 = 1 - 2 = -1 \qquad y_2 = 0 - 5 = -5$$

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
x, K = np.array([3, 1, 0, 2, 5]), np.array([1, 0, -1])
print("deep learning:   ", [int(x[t : t + 3] @ K) for t in range(3)])
print("numpy.convolve:  ", np.convolve(x, K, "valid").tolist())

# %% [markdown] slideshow={"slide_type": "-"}
# NumPy flips the kernel, deep learning does *not*. Mathematics calls ours
# **cross-correlation**.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Five numbers and a window of three give three outputs. How many for a window of
# five? One. Of six? None, and Keras raises an error.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ### Exercise 04.1 · Build the convolution
#
# Only windows that lie inside the sequence (padding `valid`). Each spans
# `wide = (k - 1) * dilation + 1` steps, and `(steps - wide) // stride + 1` of them fit. Loop
# over the positions of the *window*, not over the text: a few large products instead of many
# small ones.

# %% builds="lectures.lecture_04.convolve" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
convolve = cu.exercises.use("04.1", convolve)

# %% [markdown] slideshow={"slide_type": "notes"}
# (9 minutes) Let them draw the windows for 10 words, kernel 3, stride 2: they start at 0, 2, 4
# and 6. With dilation 2, a window of three spans five words.

# %% [markdown] slideshow={"slide_type": "slide"}
# ### Three kinds of padding
#
# | padding | zeros | outputs for $S$ words | use |
# | --- | --- | --- | --- |
# | `valid` | none | $S - k + 1$ | whole windows only |
# | `same` | on both sides | $S$ | keep the length |
# | `causal` | all on the left | $S$ | never look ahead |
#
# With stride 1; with dilation $d$, put $(k - 1)\, d + 1$ in place of $k$.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Draw five words and a window of three and let them place the zeros. Which padding
# may a forecast use? Only the causal one.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ### Exercise 04.2 · A causal convolution
#
# Build it on top of `convolve`: one output per step, and none that sees a later step.

# %% builds="lectures.lecture_04.causal_convolution" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
causal_convolution = cu.exercises.use("04.2", causal_convolution)

# %% [markdown] slideshow={"slide_type": "notes"}
# (6 minutes) Ask for the test that finds every leak of the future: change one word and see
# which outputs move.

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
x = np.random.default_rng(0).normal(size=(2, 23, 4)).astype("float32")
with cu.full_precision():
    strided = layers.Conv1D(5, 4, strides=3, bias_initializer="normal")
    causal = layers.Conv1D(5, 4, padding="causal", dilation_rate=3, bias_initializer="normal")
    theirs = [ops.convert_to_numpy(layer(x)) for layer in (strided, causal)]
ours = [
    convolve(x, *strided.get_weights(), stride=3),
    causal_convolution(x, *causal.get_weights(), dilation=3),
]
for mine, keras_own in zip(ours, theirs, strict=True):
    equal = np.allclose(mine, keras_own, atol=1e-5)
    print("output", mine.shape, "equal to Keras' Conv1D:", equal)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## How far does a stack see?

# %% slideshow={"slide_type": "-"}
cu.figures.show("04_receptive")

# %% [markdown] slideshow={"slide_type": "-"}
# The **receptive field** of an output is the number of input words that can change it.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Follow the lines from the top down and count the black dots. Why does the second
# convolution of width 3 on the left add four words and not two? After pooling by two, one step
# stands for two words. On the right, dilation does the same without dropping any step.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ### Exercise 04.3 · The receptive field
#
# **Pooling** by 5 keeps the maximum of every five steps, filter by filter: as a layer it is
# (5, 5, 1), kernel 5, stride 5. After it, neighbouring steps are five
# words apart (a *jump* of 5), so later layers reach five times as far.

# %% [raw]
# given(5)

# %% builds="lectures.lecture_04.receptive_field" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
receptive_field = cu.exercises.use("04.3", receptive_field)

# %% [markdown] slideshow={"slide_type": "notes"}
# (7 minutes) Compute the network of the slides together, conv 7, pool 5, conv 7: 7, then 4 more
# by the pooling, then 6 times 5, which is 41. Adding the kernels gives 19. Does an LSTM have a
# receptive field? All words before; whether it uses them is another question. WaveNet
# generates audio with doubling dilations.

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
for depth in (3, 6, 10):
    plain = receptive_field([(3, 1, 1)] * depth)
    doubled = receptive_field([(3, 1, 2**layer) for layer in range(depth)])
    print(
        f"{depth:2d} layers of width 3: {plain} words; dilations 1, 2, 4, …: {doubled:,} words"
    )

# %% [markdown] slideshow={"slide_type": "skip"}
# Depth alone adds two words a layer. With doubling dilations $n$ layers see $2^{n+1} - 1$
# words.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["lead"]
# ## Does this phrase occur anywhere?
#
# One convolution of width 5, then the maximum over all positions: one number per filter.

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
reviews = cu.data.load_reviews(length=200)
words, test = len(reviews.vocabulary), reviews.test
for kind in KINDS:
    of_kind = np.flatnonzero(test.columns["phenomenon"] == kind)
    shortest = of_kind[(test.inputs[of_kind] > 0).sum(axis=1).argmin()]
    verdict = "praise" if test.targets[shortest] else "criticism"
    print(f"{kind}, {verdict}: {reviews.vocabulary.decode(test.inputs[shortest])}\n")

# %% [markdown] slideshow={"slide_type": "-"}
# *Far*: the first sentence decides. *Turn*: the later of two verdicts. **Predict** each
# accuracy.

# %% shows="lectures.lecture_04.real_words" slideshow={"slide_type": "skip"}
# filled by the build

# %% shows="lectures.lecture_04.phrase_net" slideshow={"slide_type": "skip"}
# filled by the build

# %% slideshow={"slide_type": "skip"}
phrases = phrase_net(words)
phrases.compile(keras.optimizers.Adam(0.01), "binary_crossentropy", metrics=["accuracy"])
run = cu.training.fit(phrases, reviews, epochs=session.pick(quick=5, full=10), batch_size=64)

# %% slideshow={"slide_type": "subslide"} tags=["answers-prediction", "hide-input"]
RIVALS = cu.results.load_table(LECTURE, "rivals")
LABELS = {"phrases": "linear: phrases", "last phrase": "rule: last phrase"}


def rivals(dataset, *names):
    """Recorded accuracies of models without a network, by kind of review."""
    rows = [row for row in RIVALS if row["reviews"] == dataset and row["rival"] in names]
    return {LABELS[row["rival"]]: {kind: row[kind] for kind in KINDS} for row in rows}


accuracy = {"convolution of width 5": by_phenomenon(phrases, test)}
bars(accuracy | rivals("reviews", "phrases"), chance=0.5)

# %% [markdown] slideshow={"slide_type": "fragment"}
# A negated verdict fits into a window, and the maximum finds it at any distance. But how can a
# maximum over windows of five words know which verdict came *last*? The rival, a linear model
# of the three-word phrases in a review, does not. (On *far* it makes errors that the network
# does not make; a possible reason is that it learns each phrase by itself, while the network's
# words share vectors.)

# %% [raw]
# abs(cell("rivals", "phrases", "reviews", "turn") - 0.5) < 0.05

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) Vote first, kind by kind. Then let the silence after the question stand. Do not
# answer: look at the filters.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ### Exercise 04.4 · What excites a filter?
#
# A filter cannot say what it seeks, but we can ask which words excite it most. With
# `best = responses.reshape(-1, filters).argmax(axis=0)` each filter's strongest window has a
# number, counted over the windows of all texts: find its text, its place and its words.

# %% builds="lectures.lecture_04.strongest_windows" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
strongest_windows = cu.exercises.use("04.4", strongest_windows)

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### What these filters look for

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
convolution = keras.Model(phrases.input, phrases.layers[2].output)
weights = phrases.layers[-1].get_weights()[0][:, 0]


def responses_to(ids):
    """What each filter answers to each window: 0 where its last word is padding."""
    found = convolution.predict(ids, batch_size=500, verbose=0)
    return found * (ids[:, 4:, None] > 0)


responses = responses_to(test.inputs)
windows = strongest_windows(responses, test.inputs, 5)
pull = weights * responses.max(axis=(0, 1))
chosen = np.argsort(pull)[[0, 1, 2, 3, -4, -3, -2, -1]]  # those that can move the score most
names = [f"{reviews.vocabulary.decode(windows[f])} · {f}" for f in chosen]
figure, axis = cu.plotting.figure(9.5, 3.4)
axis.barh(names, pull[chosen], color=cu.plotting.COLOURS[0])
axis.axvline(0, color=cu.plotting.GREY)
axis.set_xlabel("strongest response × weight")
alt = "; ".join(f"{name}: {by:.1f}" for name, by in zip(names, pull[chosen], strict=True))
decoded = [reviews.vocabulary.decode(ids) for ids in test.inputs[:200]]
some = {kind: decoded[np.argmax(test.columns["phenomenon"] == kind)] for kind in KINDS}
neutral, picture = "It was not cold that night.", (figure, f"Filters and windows. {alt}.")
cu.explore.receptive(phrases, reviews.vocabulary, some, decoded, neutral, picture)

# %% [markdown] slideshow={"slide_type": "-"}
# Filters whose *weight* in the last layer is negative seek criticism, those with a positive one
# praise. For some filters the adjective is the fifth and last word of the window.

# %% [markdown] slideshow={"slide_type": "notes"}
# (7 minutes, with the exercise) Ask first where in a window of five words the adjective will
# stand; then take the filters of the largest weights. Take a *turn* and step through the
# filters: which one fires at the second verdict alone? The other view draws any stack: let the
# class guess each field first, then press another output.

# %% [markdown] slideshow={"slide_type": "slide"}
# ### An intervention: put one neutral word first
#
# *Turn* and *far* begin with a verdict: "The plot was superb. …". *Superb* is the fourth word,
# so no window of five words ends with it; one does end with each later verdict. The
# **intervention** changes the input alone: `put_in_front` puts the last words of "It was not
# cold that night." in front of each test review. **Predict** what one word does to each kind,
# and what six do.

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "hide-input"]
for count in (0, 1, 6):
    found = by_phenomenon(phrases, put_in_front(test, reviews.vocabulary, count))
    print(f"{count} words in front:", {kind: round(value, 2) for kind, value in found.items()})
    if not count and found["turn"] < 0.9:
        print("This run did not learn turn: start again with another seed.")

# %% [markdown] slideshow={"slide_type": "-"}
# One word in front, and *turn* is at chance; the other kinds stay as they were, and five more
# words change nothing. The word adds a single window, which ends with the first adjective:
# **its absence had marked the first verdict.** The network did not use the order but a
# **shortcut** in the data. (If real reviewers close with their verdict, an edge is evidence.)

# %% [raw]
# cell("moved-{}", 0, "turn").min() > 0.99
# all(np.abs(cell("moved-{}", count, "turn") - 0.5).max() < 0.02 for count in range(1, 7))
# min(
#     cell("moved-{}", count, kind).min()
#     for count in range(7)
#     for kind in ("plain", "negation", "far")
# ) > 0.99
# given([1, 6])

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) This is how to treat a result that is too good: look for what the network could
# use, predict what happens without it, and change that alone.

# %% [markdown] slideshow={"slide_type": "slide"}
# ### Without the edges: who can read a turn?
#
# New training and test reviews, `framed`: in *turn* and *far*, at least 45 words stand before
# the first verdict and after the last that do not judge the film: neutral sentences, and some
# about popcorn or carpets.

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
framed = framed_reviews()
first_turn = np.argmax(framed.test.columns["phenomenon"] == "turn")
print(framed.vocabulary.decode(framed.test.inputs[first_turn]))

# %% slideshow={"slide_type": "subslide"} tags=["hide-input"]
SEEN = {"phrase_5": "5", "text_convnet": "41", "dilated_convnet": "71", "conv_gru": "all"}
panels = {"as they are": "reviews", "neutral ends": "framed_reviews"}
for title, dataset in panels.items():
    found = {
        label: [run["metrics"]["turn"] for run in cu.results.load(LECTURE, name, dataset)]
        for name, label in SEEN.items()
    }
    panels[title] = {"a seed": found}
cu.plotting.dots(panels, "accuracy on turn", "words seen", chance=0.5, limits=(0.35, 1.05))

# %% [markdown] slideshow={"slide_type": "-"}
# One output sees 5 words; 41 (conv 7, pool 5, conv 7); 71 (the second conv with dilation 2);
# or all (conv 5, pool 5, GRU). **Without the edges, outputs that see one verdict only are at
# chance.**

# %% [raw]
# np.abs(recorded("phrase_5", "framed_reviews", "turn") - 0.5).max() < 0.08
# np.abs(recorded("text_convnet", "framed_reviews", "turn") - 0.5).max() < 0.08
# min(
#     recorded(model, "framed_reviews", "turn").min()
#     for model in ("dilated_convnet", "conv_gru")
# ) > 0.95
# given([5, 41, 71])

# %% [markdown] slideshow={"slide_type": "skip"}
# All networks had ten epochs and their learning rate from the same three values, chosen on
# validation reviews; a dot is one of three seeds. The networks with 41 and 71 words differ in
# the dilation alone: $1 + 6 + 4 + 6 \cdot 2 \cdot 5 = 71$. Outputs stand five words apart, so
# any 67 successive words lie in one field; in the test reviews the two adjectives of a *turn*
# are 44 to 66 words apart, at most 67 words together.

# %% [raw]
# len(recorded("phrase_5", "framed_reviews", "turn")) == 3
# given([67], [44, 66])


# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) Let them compute the receptive field of the third network with their own function
# and predict the right panel.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The network of the slides
#
# The slides on which this course is based train this network on IMDB. A colleague copies it and
# trains it on our reviews from six random starts:


# %% slideshow={"slide_type": "-"}
def from_the_slides(vocab_size):
    return keras.Sequential(
        [
            keras.Input((None,), dtype="int32"),
            layers.Embedding(vocab_size, 128),
            layers.Conv1D(32, 7, activation="relu"),
            layers.MaxPooling1D(5),
            layers.Conv1D(32, 7, activation="relu"),
            layers.GlobalMaxPooling1D(),
            layers.Dense(1),
        ]
    )


# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Ask what each layer returns.


# %% slideshow={"slide_type": "skip"} tags=["hide-input"]
def first_losses(make, seed):
    """The loss of the first training steps; no review has more than 120 words."""
    keras.utils.set_random_seed(seed)
    model = make(words)
    model.compile(keras.optimizers.Adam(0.005), "binary_crossentropy")
    batches = [slice(64 * step, 64 * (step + 1)) for step in range(12)]
    train = reviews.train
    return [
        float(model.train_on_batch(train.inputs[batch, :120], train.targets[batch]))
        for batch in batches
    ]


# %% slideshow={"slide_type": "subslide"} tags=["hide-input"]
drawing, axes = cu.plotting.figure(7.5, 2.8)
ends = []
for seed in range(1, 7):
    losses = first_losses(from_the_slides, seed)
    axes.plot(losses, linewidth=14 - 2 * seed, label=f"seed {seed}")  # one may hide another
    ends.append(f"seed {seed}: {losses[0]:.1f} at first, {losses[-1]:.1f} at the end")
axes.set(xlabel="training step", ylabel="loss", ylim=(0, 11))
axes.legend(ncols=2)
cu.plotting.show(drawing, "Training loss of the slides' network: " + "; ".join(ends))

# %% [markdown] slideshow={"slide_type": "-"}
# Some runs stay at a loss of about 8, on one and the same curve. **What is wrong?** Half of the
# reviews are positive.

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Let them work with the symptom, a loss that stays around 8. What would all outputs
# have to be? At or below 0; at or above 1 they would cost about 8 as well.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ### Exercise 04.5 · Fix it
#
# Find the bug and return the corrected network.

# %% builds="lectures.lecture_04.slides_network" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
slides_network = cu.exercises.use("04.5", slides_network)

# %% slideshow={"slide_type": "skip"}
for seed in (1, 2):
    losses = first_losses(slides_network, seed)
    print(f"fixed, seed {seed}: loss {losses[0]:.2f}, after twelve steps {losses[-1]:.2f}")

# %% [markdown] slideshow={"slide_type": "skip"}
# `Dense(1)` returns any number, and the loss takes it for a probability. Keras clips
# probabilities at $10^{-7}$, whose logarithm is −16.1: if all outputs are negative, a negative
# review costs nothing and a positive one 16.1, 8 on average. A clipped value has no gradient,
# and the loss of such a batch depends on its labels alone: the stuck runs share one curve. If
# some outputs lie between 0 and 1, a run can train, and its bug can go unnoticed. The first
# loss shows it: outputs near 0.5 cost $-\ln 0.5 = 0.69$, and these runs begin far above.
#
# There are two correct endings: `Dense(1, activation="sigmoid")` with `"binary_crossentropy"`,
# and `Dense(1)` with `BinaryCrossentropy(from_logits=True)`; then the threshold is 0, not 0.5.

# %% [raw]
# near(-np.log(1e-7), 16.1, 0.05)
# near(-np.log(1e-7) / 2, 8, 0.1)
# given(0.5)

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Ask for the smallest test that finds such a bug before training: the first loss of
# a balanced two-class problem has to be near ln 2 = 0.69. Write that on the board.

# %% [raw]
# near(np.log(2), 0.69, 0.005)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What can go wrong: padding

# %% slideshow={"slide_type": "-"}
cu.figures.show("04_pads")

# %% [markdown] slideshow={"slide_type": "-"}
# `mask_zero=True` does not help: a `Conv1D` drops the mask, with a warning that is easily
# missed.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Upper half: the window over "film, pad, pad" reads padding, windows further to the
# right nothing else, and one of them may win the maximum. Ask where the mask has to act. Most
# say "before the maximum"; that is one of two places.

# %% [raw]
# given(2)

# %% [markdown] slideshow={"slide_type": "skip"}
# Pooling has a trap of its own: with `padding="same"`, the windows of `MaxPooling1D` can shift
# with the padded length, and with `"valid"` the last words can be lost. `pool_real` first adds
# zeros on the right; after a ReLU they never win.

# %% shows="lectures.lecture_04.pool_real" slideshow={"slide_type": "skip"}
# filled by the build

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ### Exercise 04.6 · A convnet that ignores padding
#
# The first block and the end are given. Between them, pool vectors and mask by
# `pool_real(…, 5)`, and add the second block:
#
# ```python
# ids = keras.Input((None,), dtype="int32")
# x, real = layers.Embedding(vocab_size, embed_dim)(ids), real_words(ids)
# x = layers.Conv1D(32, 7, padding="same", activation="relu")(x * real) * real
# # …
# x = layers.GlobalMaxPooling1D()(x)
# return keras.Model(ids, layers.Dense(1, activation="sigmoid")(x))
# ```

# %% builds="lectures.lecture_04.text_convnet" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
text_convnet = cu.exercises.use("04.6", text_convnet)

# %% [markdown] slideshow={"slide_type": "notes"}
# (9 minutes) Two multiplications by the mask for each convolution: before it, so that no window
# reads padding; after it, so that no bias wins. Before the second one it changes nothing, since
# pooling leaves zeros at pads; keep it as a rule. Without a ReLU, padding would have to be
# minus infinity.

# %% slideshow={"slide_type": "skip"} tags=["hide-input"]
draw = np.random.default_rng(3)
for name, make in (("the slides' network", slides_network), ("yours", text_convnet)):
    model = make(words)
    model.set_weights([w + 0.1 * draw.normal(size=w.shape) for w in model.get_weights()])
    ids = reviews.test.inputs[:50, :120]
    longer = [np.pad(ids, ((0, 0), (0, zeros))) for zeros in (0, 1, 2, 50)]
    first, *scores = [ops.convert_to_numpy(model(rows)) for rows in longer]
    change = ", ".join(f"{np.abs(score - first).max():.0e}" for score in scores)
    print(f"{name:21s} largest change with 1, 2 and 50 more zeros: {change}")

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Convolution first, recurrence on top
#
# A convolution can find phrases, pooling by five shortens the text to a fifth, and a GRU can
# remember which verdict came last.

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Draw the three layers. Which of them knows the order of the two verdicts?

# %% [markdown] slideshow={"slide_type": "subslide"} tags=["exercise"]
# ### Exercise 04.7 · Read the turn
#
# On the reviews with neutral ends, the network of exercise 04.6 is at chance on *turn*. Keep
# its first block, put a recurrent layer on top, and train until `by_phenomenon(model,
# data.val)` says 95 % on *turn*. Adam with a learning rate of 0.01 needs half a minute. No
# layer carries the mask: hand it over, `layer(x, mask=…)`, one True or False per pooled step.

# %% [raw]
# given([0.95, 0.01])

# %% builds="lectures.lecture_04.train_conv_gru" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
train_conv_gru = cu.exercises.use("04.7", train_conv_gru)

# %% slideshow={"slide_type": "skip"}
reader = train_conv_gru(framed)

# %% slideshow={"slide_type": "skip"} tags=["hide-input"]
accuracy = {"convolution and GRU": by_phenomenon(reader, framed.test)}
bars(accuracy | rivals("framed_reviews", "phrases", "last phrase"), chance=0.5)

# %% slideshow={"slide_type": "skip"} tags=["headline"]
found = by_phenomenon(reader, framed.test)
print(f"convolution and GRU, neutral ends: accuracy on turn {found['turn']:.2f}")

# %% [markdown] slideshow={"slide_type": "skip"}
# *Last phrase* is a rule of ours on the weights of a linear model of one to three words: the
# last phrase that weighs enough decides alone.

# %% [markdown] slideshow={"slide_type": "notes"}
# (12 minutes) The mask again: after pooling, the GRU needs the pooled mask by hand, since no
# layer carries it. Ask how many steps the GRU takes for 200 words: forty.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Real reviews: IMDB

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
RUNS = {
    "the slides'\nnetwork": (LECTURE, "listing"),  # that of exercise 04.5
    "convolution\nand GRU": (LECTURE, "conv_gru"),
    "GRU\n(lecture 3)": ("03_lstm_gru", "gru_32"),
    "n-grams,\nsame words": ("01_imdb_embeddings", "counted_500"),
    "n-grams,\nall words": ("01_imdb_embeddings", "bigrams_200k_log_ratios"),
}
dots = {
    label: [run["metrics"]["test_accuracy"] for run in cu.results.load(*run, "imdb")]
    for label, run in RUNS.items()
}
cu.plotting.dots({"IMDB": {"a seed": dots}}, ylabel="test accuracy", limits=(0.85, 0.95))

# %% [markdown] slideshow={"slide_type": "-"}
# The linear model of lecture 1, of words and word pairs, is ahead of each of these networks,
# even on their own input (the last 500 words, in a vocabulary of 5,000). Its regularisation and
# the GRU's learning rate were tuned, the convnets' learning rate was not. On our reviews with
# neutral ends the convolution with a GRU is ahead of both rivals: on *turn* 1.00 against 0.54
# (phrases) and 0.83 (last phrase), on *far* against 0.80.

# %% [raw]
# given([500, 5_000])
# near(recorded("conv_gru", "framed_reviews", "turn").min(), 1.00, 0.005)
# near(recorded("conv_gru", "framed_reviews", "far").min(), 1.00, 0.005)
# near(cell("rivals", "phrases", "framed_reviews", "turn"), 0.54, 0.005)
# near(cell("rivals", "last phrase", "framed_reviews", "turn"), 0.83, 0.005)
# near(cell("rivals", "phrases", "framed_reviews", "far"), 0.80, 0.006)
# abs(
#     cell("rivals", "last phrase", "framed_reviews", "far")
#     - cell("rivals", "phrases", "framed_reviews", "far")
# ) < 0.01
# min(
#     recorded(name, "imdb", "test_accuracy", "01_imdb_embeddings").min()
#     for name in ("counted_500", "bigrams_200k_log_ratios")
# ) > max(
#     recorded("listing", "imdb").max(),
#     recorded("conv_gru", "imdb").max(),
#     recorded("gru_32", "imdb", "test_accuracy", "03_lstm_gru").max(),
# )

# %% [markdown] slideshow={"slide_type": "skip"}
# The figure does not show which architecture is best: the networks differ in dropout, mask or
# learning rate.
#
# The accuracy of 88 % hides that the slides' network has no mask: it was trained and tested at
# one padded length. With 50 zeros more, the most affected of 500 probabilities moves by 0.41 to
# 0.52 (three seeds). With a mask none changes.

# %% [raw]
# near(recorded("listing", "imdb"), 0.88, 0.005)
# near(ends(recorded("listing", "imdb", "moved_by_pads")), [0.41, 0.52], 0.005)
# len(recorded("listing", "imdb", "moved_by_pads")) == 3
# given([50, 500])
# max(
#     recorded(model, "imdb", "moved_by_pads").max() for model in ("slides_network", "conv_gru")
# ) < 1e-5

# %% slideshow={"slide_type": "skip"}
if session.profile == "full":  # makes the recorded runs again
    record.record_all(session.seed)

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Ask what they would hand to a customer who has reviews and one processor core:
# n-grams. And if the reviews turn? A model that reads order.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Where this stands today
#
# - **TCN** (temporal convolutional network): dilated causal blocks, each added to its input
# - Speech models (wav2vec 2.0, Whisper) begin with strided convolutions, then Transformers
# - State-space models such as Mamba use a short causal convolution in every block

# %% [raw]
# given(2.0)

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) One sentence a line.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Summary
#
# - $y_t = b + \sum_j x_{ts + jd}\, K_j$: one kernel for all positions; no step waits for others
# - receptive field: add $(k - 1) \cdot d \cdot$ jump, multiply the jump by the stride
# - a maximum answers *whether* a phrase occurs, not *where*, except by its edges: look at what
#   excites a filter, and change the input
# - padding: mask before and after each convolution, pool from the first word
# - before training, the loss of a balanced two-class problem is near 0.69; else look for a bug

# %% [raw]
# near(np.log(2), 0.69, 0.005)

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Both the LSTM and the convnet carry what they found to one fixed place: the last
# state, or the maximum. Lecture 5 asks for a translation out of such a vector, sees it fail on
# long sentences, and lets every output word attend to all input words.

# %% [markdown] slideshow={"slide_type": "skip"}
# ### Papers
#
# - Waibel, Hanazawa, Hinton, Shikano, Lang (1989). [*Phoneme recognition using time-delay
#   neural networks.*](https://doi.org/10.1109/29.21701)
# - Kim (2014). [*Convolutional neural networks for sentence
#   classification.*](https://arxiv.org/abs/1408.5882)
# - van den Oord and others (2016). [*WaveNet: a generative model for raw
#   audio.*](https://arxiv.org/abs/1609.03499)
# - Yu, Koltun (2016). [*Multi-scale context aggregation by dilated
#   convolutions.*](https://arxiv.org/abs/1511.07122)
# - Bai, Kolter, Koltun (2018). [*An empirical evaluation of generic convolutional and recurrent
#   networks for sequence modeling.*](https://arxiv.org/abs/1803.01271) TCN.
