# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   title: Lab 8d · Back to recurrence
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] slideshow={"slide_type": "slide"} tags=["title"]
# # Back to recurrence
#
# **Lab 8d** · recurrent networks that train in parallel, and what they recall badly

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) The course went from recurrence to attention. Today the line leads back: many
# language models of these years mix both.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What you will be able to do
#
# 1. compute one linear recurrence as a loop, a convolution, a matrix and a parallel scan
# 2. build a gated recurrent layer that trains without a loop over the steps
# 3. find and fix a formula that is right on paper and fails in floating point
# 4. say what a state of fixed size recalls badly, and how its size matters

# %% [markdown] slideshow={"slide_type": "skip"}
# **You need** lectures 2 to 4 and 6; lab 3c and lab 8b help. **It takes** ninety minutes,
# thirty-five of them for the exercises; 08d.6 and 08d.7 are homework.

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) The first point is the heart: one function, four ways to compute it, four costs.

# %% slideshow={"slide_type": "skip"} name="start"
import course_utils as cu

session = cu.start(seed=0)  # before Keras is imported, so that its backend starts quietly
LECTURE = "08d_lab_linear_recurrence"

import keras
import numpy as np
from keras import layers, ops

# %% slideshow={"slide_type": "skip"}
from course_utils.data.base import whole_number
from lectures.lecture_03 import marked_symbols
from lectures.lecture_08b import toeplitz
from lectures.lecture_08d import cumulative_scan, pairs_to_recall, recaller, record
from lectures.lecture_08d.recurrences import linear_scan, starting_at

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Two ways to be slow
#
# | $S$ tokens | training | writing one more token |
# | --- | --- | --- |
# | LSTM, GRU | $S$ steps, *one after the other* | one step from a state of fixed size |
# | attention | all at once, but $S^2$ products | reads a cache that grows with the text |
#
# **Predict:** one layer, 64 channels, four texts of 1,024 tokens, on a CPU. Which trains
# faster, an LSTM or our attention?

# %% [raw]
# given(64, 1_024)

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "hide-input"]
rows = cu.results.load_table(LECTURE, "cost")
drawing, axis = cu.plotting.figure(8, 2.2)
told = []
for index, name in enumerate(dict.fromkeys(row["layer"] for row in rows)):
    lengths = [row["length"] for row in rows if row["layer"] == name]
    times = [row["milliseconds a step"] for row in rows if row["layer"] == name]
    axis.loglog(lengths, times, label=name, **cu.plotting.look(index))
    told.append(f"{name} from {times[0]:.0f} to {times[-1]:.0f}")
axis.set_xticks(lengths, lengths)
axis.minorticks_off()
axis.set(xlabel="tokens", ylabel="ms a training step")
axis.legend(loc="center left", bbox_to_anchor=(1, 0.5))
cu.plotting.show(
    drawing, f"Milliseconds a step, {lengths[0]} to {lengths[-1]} tokens: {'; '.join(told)}."
)

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# **The LSTM: 28 ms a step against 258, on two CPU cores.** Attention's time grows with $S^2$.
# The two lines at the bottom are what you build today, a GRU that is linear in its state: 10 ms
# as a loop, 6 by a parallel scan (but at 2,048 tokens 20 and 25).

# %% [raw]
# near(
#     [
#         cell("cost", 1_024, name, "milliseconds a step")
#         for name in ("LSTM", "attention", "minGRU, loop", "minGRU, scan")
#     ],
#     [28, 258, 10, 6],
#     0.5,
# )
# near(
#     [
#         cell("cost", 2_048, name, "milliseconds a step")
#         for name in ("minGRU, loop", "minGRU, scan")
#     ],
#     [20, 25],
#     0.5,
# )

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) A GPU can turn the picture around: attention's products are computed at once, and
# a loop leaves most of it idle. Both columns of the table matter.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Take out what blocks
#
# In lecture 2's step (without its bias), $h_t = \tanh(x_t W + h_{t-1} U)$, only $x_t W$ can be
# computed before $h_{t-1}$ is known. Leave out the tanh, and let each channel read its own
# input and state alone:
#
# $$h_t = a \odot h_{t-1} + b \odot x_t$$
#
# $a$ and $b$ have one number for each channel, and $0 \le a \le 1$ says what is kept. With
# $h_{-1} = 0$ such a **linear recurrence** can be written out:
#
# $$h_2 = b \odot x_2 + a \odot b \odot x_1 + a^2 \odot b \odot x_0$$

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Write $h_1$ and $h_2$ on the board, one below the other, and let them write $h_3$.

# %% shows="lectures.lecture_08d.as_loop" slideshow={"slide_type": "subslide"} heading="As a loop: lecture 2"
# filled by the build

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Ask what is lost: a state that decides by itself, such as a counter that starts
# again. What is gained: $h_t$ is a sum that nobody has to wait for.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 08d.1 · The kernel
#
# The sum above is a causal convolution, as in lecture 4. How much does an input of 1 count in
# $h_t$, if it came $k$ steps before?

# %% builds="lectures.lecture_08d.recurrence_kernel" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
recurrence_kernel = cu.exercises.use("08d.1", recurrence_kernel)

# %% [markdown] slideshow={"slide_type": "notes"}
# (5 minutes) One line. Ask afterwards which channel remembers longest: that whose $a$ is near
# 1.

# %% shows="lectures.lecture_08d.as_convolution" slideshow={"slide_type": "slide"} heading="As a convolution: lecture 4"
# filled by the build

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Why is the kernel turned around? Keras does not mirror it.

# %% shows="lectures.lecture_08d.as_matrix" slideshow={"slide_type": "-"} heading="As a matrix: lab 8b"
# filled by the build

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) The same weights stand in every row of the matrix, moved by one: the Toeplitz
# matrix of lab 8b, whose weights here come from two numbers.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Combine the steps first
#
# A step is a function, $h \mapsto a_t h + b_t$ (with $b_t = b\, x_t$). Two steps in a row are
# one function *of the same form*. So combine neighbours at once, then neighbours of these, …:

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
cu.figures.show("08d_scan")

# %% [markdown] slideshow={"slide_type": "skip"}
# After the first pass each position holds the function of its last two steps, after the second
# that of four, after the third that of eight: $\log_2 S$ passes, rounded up, each of them
# parallel. Such a computation of all partial results is a **parallel scan**. It works for every
# operation that is associative, $(x \circ y) \circ z = x \circ (y \circ z)$, as addition is.

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) Point at one position and collect what it has seen after each pass. The reach
# doubles, as with the dilated convolutions of lecture 4.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 08d.2 · Two steps are one
#
# First $h \mapsto a_1 h + b_1$, then $h \mapsto a_2 h + b_2$: which $a$ and $b$ has the whole?

# %% builds="lectures.lecture_08d.recurrences.combine" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
combine = cu.exercises.use("08d.2", combine)

# %% [markdown] slideshow={"slide_type": "notes"}
# (6 minutes) The check also combines three steps. The usual mistake exchanges
# earlier and later: ask which of the two multiplies the other's $b$.

# %% shows="lectures.lecture_08d.recurrences.doubling_scan" slideshow={"slide_type": "slide"} heading="The scan"
# filled by the build

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Which line doubles the reach? What stands before the first step: the step
# $h \mapsto 1 \cdot h + 0$.

# %% slideshow={"slide_type": "subslide"} tags=["nbval-check-output"] heading="Four forms, one result"
draw = np.random.default_rng(0)
a, b = np.float32(draw.uniform(0.3, 0.99, 3)), np.float32(draw.normal(size=3))
x = np.float32(draw.normal(size=(2, 50, 3)))
with cu.full_precision():
    loop = ops.convert_to_numpy(as_loop(a, b, x))
    scanned = doubling_scan(ops.broadcast_to(a, x.shape), ops.convert_to_tensor(b * x), combine)
    for name, states in (
        ("convolution", as_convolution(a, b, x)),
        ("matrix", as_matrix(a, b, x)),
        ("scan", scanned),
    ):
        print(f"{name:11} equal:", np.abs(ops.convert_to_numpy(states) - loop).max() < 1e-5)

# %% [markdown] slideshow={"slide_type": "skip"}
# `linear_scan(kept, written)`, which you use from here on, calls `keras.ops.associative_scan`
# where Keras has it for open batch sizes (JAX, torch), and the scan above in TensorFlow. Keras'
# version needs about $2S$ combinations in place of $S \log_2 S$.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Ask which of the four survives if $a$ differs from step to step: loop and scan;
# the matrix too, but it is no longer Toeplitz. That is what we need now.

# %% [markdown] slideshow={"slide_type": "slide"} name="mingru"
# ## Gates that read the input
#
# With a fixed $a$ a network cannot decide what to keep. **minGRU** ([Feng et al.,
# 2024](https://arxiv.org/abs/2410.01201)) is lecture 3's GRU without reset gate and tanh, whose
# gate and candidate no longer see $h$ ($z$ is the share *written*; in lecture 3 that kept):
#
# $$z_t = \sigma(x_t W_z + b_z) \qquad g_t = x_t W_g + b_g$$
#
# $$h_t = (1 - z_t) \odot h_{t-1} + z_t \odot g_t$$

# %% [markdown] slideshow={"slide_type": "skip"}
# All gates are known from the inputs, before any state is. The step has the form $h_t =
# \text{kept}_t \odot h_{t-1} + \text{written}_t$, and a scan computes it. $b_z$ starts at −3,
# so that a new cell keeps 0.95 a step: lab 3c's GRUs with such a start solved all its tasks.

# %% [raw]
# near(1 - 1 / (1 + np.exp(3)), 0.95, 0.005)
# all(
#     recorded(
#         "grid", "marked_symbols", f"{task}, GRU 3, {rate}", lecture="03c_lab_memory"
#     ).min()
#     >= 0.99
#     for task in ("random 100", "first 20", "first 40", "first 80")
#     for rate in (0.001, 0.003, 0.01)
# )

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Ask what this GRU cannot do any more: open its gate *because of* what it has read.
# A second layer can, since its inputs are states.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 08d.3 · What is kept, what is written
#
# Write the two parts of minGRU's step, for any number of tokens at once.

# %% builds="lectures.lecture_08d.recurrences.MinGRUGates.gates" slideshow={"slide_type": "-"} tags=["exercise"] formulas="mingru"
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
MinGRUGates = cu.exercises.use("08d.3", MinGRUGates)

# %% [markdown] slideshow={"slide_type": "notes"}
# (5 minutes) One matrix product for all gates of all tokens. In an LSTM only the inputs' part
# can be computed beforehand.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 08d.4 · Write one more token
#
# A model that writes gets its tokens one by one. Write minGRU's step as `keras.layers.RNN`
# asks it of a cell.

# %% builds="lectures.lecture_08d.recurrences.MinGRUCell.call" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
MinGRUCell = cu.exercises.use("08d.4", MinGRUCell)

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"] heading="What has to be kept"
units, blocks = 512, 8
for tokens in (100, 10_000):
    print(
        f"{tokens:6,} tokens read: minGRU keeps {blocks * units:,} numbers,",
        f"a Transformer {2 * blocks * units * tokens:,}",
    )

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) Lecture 6's cache has a key and a value for each token in each block. With eight
# blocks of 512 units and 10,000 tokens these are 82 million numbers; minGRU keeps 4,096. A
# state of fixed size is the practical advantage of recurrence.

# %% [raw]
# near(2 * 8 * 512 * 10_000 / 1e6, 82, 0.5)
# 8 * 512 == 4_096
# given(512, 10_000)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 08d.5 · The layer
#
# `keras.layers.RNN` calls its method `inner_loop`. Put a scan in its place. Two things are
# steps of a special kind: what does a *hidden* step keep and write? And how does a state before
# the first step come in?

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Let them answer both questions in words before they write.

# %% builds="lectures.lecture_08d.recurrences.ScannedRNN.inner_loop" slideshow={"slide_type": "subslide"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
ScannedRNN = cu.exercises.use("08d.5", ScannedRNN)

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
mask = ops.convert_to_tensor(np.arange(50) < np.array([[50], [30]]))
with cu.full_precision():
    cell = MinGRUCell(4)
    for settings in ({}, {"go_backwards": True}, {"return_sequences": True}):
        theirs = layers.RNN(cell, **settings)(x, mask=mask)
        ours = ScannedRNN(cell, **settings)(x, mask=mask)
        equal = np.abs(ops.convert_to_numpy(ours - theirs)).max() < 1e-5
        print(f"{str(settings):26} equal: {equal}")
    both = layers.Bidirectional(ScannedRNN(MinGRUCell(4)))
    print("in both directions:", both(x, mask=mask).shape)

# %% [markdown] slideshow={"slide_type": "notes"}
# (13 minutes) The hardest exercise. Masks are the lesson: a hidden step is the step
# $h \mapsto 1 \cdot h + 0$, and the scan stays as it is. Those who are stuck take the hint: it
# is about the mask.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Your layer, pass by pass
#
# Your layer, with four units, learns from the first 40 words of reviews. A step depends on its
# word alone. Each box is a function $h \mapsto a h + b$. **Predict:** hide *superb*. Which
# boxes change?

# %% [raw]
# given(40)

# %% slideshow={"slide_type": "skip"}
keras.utils.set_random_seed(session.seed)
reviews = cu.data.load_reviews()
embedding = layers.Embedding(len(reviews.vocabulary), 4, mask_zero=True)
cell = MinGRUCell(4)
model = keras.Sequential([embedding, ScannedRNN(cell), layers.Dense(1, activation="sigmoid")])
optimizer = keras.optimizers.Adam(0.03, clipnorm=1.0)
model.compile(optimizer, "binary_crossentropy", jit_compile=False)
model.fit(
    reviews.train.inputs[:2_000, :40], reviews.train.targets[:2_000], batch_size=64, verbose=0
)
kept, written = map(ops.convert_to_numpy, cell.gates(embedding.get_weights()[0]))
print("kept, written:", kept.shape, written.shape)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
texts = {
    "a turn": "the plot was superb the music was dull",
    "one verdict": "the plot was superb it was not cold",
}
read = texts["a turn"].split()
ids = reviews.vocabulary.encode(read)
states = ops.convert_to_numpy(linear_scan(kept[ids][None], written[ids][None]))[0]
drawing, axis = cu.plotting.figure(8, 3)
for unit, values in enumerate(states.T):
    axis.plot(values, label=f"unit {unit + 1}", **cu.plotting.look(unit))
axis.set_xticks(range(len(read)), read)
axis.set_ylabel("state")
axis.legend(loc="center left", bbox_to_anchor=(1, 0.5))
last = ", ".join(f"{value:.1f}" for value in states[-1])
alt = f"The states of four units word by word over “{' '.join(read)}”; at the end {last}."
cu.explore.scan(kept, written, reviews.vocabulary, texts, (drawing, alt))

# %% [markdown] slideshow={"slide_type": "-"} tags=["lead"]
# A hidden word is the step $1 \cdot h + 0$: the boxes that cover it change, and no others.

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Set the passes to 0 and raise them: ask each time which words the last box covers.
# Then hide *superb*, and try another unit: through which words does it keep its state, and
# which make it forget?

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Right on paper
#
# Scans are rare in libraries, cumulative sums are not. With $A_t = a_0 a_1 \cdots a_t$ the
# states are
#
# $$h_t = A_t \sum_{s \le t} \frac{b_s}{A_s}$$
#
# Two lines of NumPy (`cumulative_scan`). **Predict before you run:** what happens at 400 steps
# of $a$ between 0.2 and 0.9?

# %% [raw]
# given(400, 0.2, 0.9)

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "nbval-check-output"]
kept = np.random.default_rng(0).uniform(0.2, 0.9, (1, 400, 1)).astype("float32")
with np.errstate(all="ignore"):
    states = cumulative_scan(kept, np.ones_like(kept))[0, :, 0]
scanned = ops.convert_to_numpy(linear_scan(kept, np.ones_like(kept)))[0, :, 0]
for t in (10, 50, 100, 399):
    print(f"step {t:3}: {states[t]:.4f}, by the scan {scanned[t]:.4f}")

# %% [markdown] slideshow={"slide_type": "skip"}
# $A_t$ is a product of many numbers below 1. float32 has nothing between 0 and $10^{-45}$: here
# the sum is infinite from step 137 on, $A_t$ is 0 from step 160 on (**underflow**), and $0
# \cdot \infty$ is not a number (*nan*). The scan never divides: a product that becomes 0 there
# belongs to an input that no longer counts.

# %% [raw]
# given(1e-45)
# np.argmax(
#     np.cumprod(np.random.default_rng(0).uniform(0.2, 0.9, 400).astype("float32")) == 0
# ) == 160
# np.argmax(
#     np.cumsum(1 / np.cumprod(np.random.default_rng(0).uniform(0.2, 0.9, 400)))
#     > np.finfo("float32").max
# ) == 136 + 1 == 137

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Ask for the last step at which they would trust the left column: here 136. A
# test of these numbers with 50 steps passes.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 08d.6 · In log space
#
# Homework; below, the course's own is used. Only $A_t / A_s$ counts, and that is a number
# between 0 and 1. In logarithms the products are sums, and one power is left at the end. With
# $L_t = \log A_t$:
#
# $$\log h_t = L_t + \log \sum_{s \le t} e^{\,\log b_s - L_s}$$
#
# `np.logaddexp(p, q)` is $\log(e^p + e^q)$ without computing either power;
# `np.logaddexp.accumulate` runs it along an axis.

# %% builds="lectures.lecture_08d.log_space_scan" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
log_space_scan = cu.exercises.use("08d.6", log_space_scan)

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"] heading="400 steps"
states = log_space_scan(np.log(kept), np.zeros_like(kept))[0, :, 0]
print("equal to the scan:", np.abs(states - scanned).max() < 1e-3)

# %% [markdown] slideshow={"slide_type": "skip"}
# Logarithms want positive numbers: the authors of minGRU let $g_t$ be positive for this form.
# They also cost digits: $|L_t|$ grows with $t$, and float32 keeps some seven digits of it; so
# "equal" means up to 0.001 here. A scan forms no such sum.

# %% [raw]
# given(0.001)

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute; the exercise is homework, 9 minutes) The trick is that of log-softmax. Ask why
# the price is a candidate that cannot be negative: it has no logarithm.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 08d.7 · Recall a mark, 100 steps
#
# Homework. Lecture 3's task: one of a hundred symbols is marked, and is to be named at the end.
# Reach an accuracy of 0.99 with your own layer, in one training of 500 batches. Choose one of
# the learning rates 0.001, 0.003 and 0.01.

# %% [raw]
# given(0.99, 500, 0.001, 0.003, 0.01)

# %% builds="lectures.lecture_08d.train_recaller" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
cu.exercises.check("08d.7", train_recaller)

# %% slideshow={"slide_type": "skip"}
if session.profile == "full":
    record.record_all(session.seed)

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute; the exercise is homework, 9 minutes) Ask why one layer can do this without seeing
# its state: the mark is in the input, so the gate can tell when to open. The next slide shows
# the learning rates for a whole block; for this bare network the course tried 0.01 alone.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### The recorded runs
#
# One block of 32 channels as in lecture 6 (norm, mixing layer, norm, feed-forward network),
# 500 batches of 64 sequences, three seeds, three learning rates. The mixing layer alone
# differs, and with it its weights (2,112 for minGRU, 8,320 for the LSTM); attention also gets
# positions. Gates start at a bias of 3 that keeps.

# %% [raw]
# given(500, 64)
# 2 * 32 * (32 + 1) == 2_112
# 4 * 32 * (32 + 32 + 1) == 8_320

# %% slideshow={"slide_type": "skip"}
ARMS = ("LSTM", "GRU", "minGRU", "selective", "attention")


def reached(model, name):
    """The recorded accuracies of a run of this name, one a seed."""
    return [run["metrics"][name] for run in cu.results.load(LECTURE, model)]


# %% slideshow={"slide_type": "-"} tags=["hide-input"]
marks = {
    arm: {rate: reached("marks", f"{arm}, {rate}") for rate in (0.001, 0.003, 0.01)}
    for arm in ARMS
}
cu.plotting.dots({"": marks}, "accuracy", "learning rate", chance=0.25)

# %% [markdown] slideshow={"slide_type": "-"} tags=["lead"]
# Seeing the state is not needed here: **minGRU recalls the mark at all three learning rates,
# with every seed.** The LSTM does not learn at 0.01 (chance: 0.25); at 0.003 it recalls the
# mark, too.

# %% [raw]
# np.concatenate(
#     [recorded("marks", "marked_symbols", f"minGRU, {rate}") for rate in (0.001, 0.003, 0.01)]
# ).min() > 0.995
# recorded("marks", "marked_symbols", "LSTM, 0.01").max() < 0.26
# 1 / 4 == 0.25
# recorded("marks", "marked_symbols", "LSTM, 0.003").min() > 0.995
# len(recorded("marks", "marked_symbols", "LSTM, 0.003")) == 3
# near(1 / (1 + np.exp(-3)), 0.95, 0.005)
# near((1 / (1 + np.exp(-3))) ** 4, 0.82, 0.005)

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Ask whose gates see the state (LSTM, GRU) and whose see the input alone: minGRU,
# and *selective*, which comes in a moment (its four columns keep 0.95 to 0.82 a step at first,
# the others' gates 0.95). Attention has none.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Reviews
#
# The reviews of this course, by what the verdict hangs on: six epochs, three learning rates,
# one block (minGRU also with two). The mean over all words is judged; attention reads both
# directions, the others forwards. **Predict:** where will *one* layer of minGRU be worst?

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "hide-input"]
KINDS = ("plain", "negation", "turn", "far")
READERS = (*ARMS, "minGRU, two blocks")
panels = {
    f"learning rate {rate}": {
        arm: {kind: reached("readers", f"{arm}, {rate}: {kind}") for kind in KINDS}
        for arm in READERS
    }
    for rate in (0.001, 0.003, 0.01)
}
cu.plotting.dots(panels, "test accuracy", chance=0.5, limits=(0.45, 1.02))

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# *Far* in most runs: the only verdict stands in the first words, and of the many sentences
# after it some praise or damn other things. 0.78 to 0.97 with one block. **At 0.01, with a
# second block, minGRU reads all four kinds as well as LSTM and GRU with every seed.**

# %% [raw]
# all(
#     recorded("readers", "reviews", f"{arm}, 0.01: {kind}").min() > 0.98
#     for arm in ("LSTM", "GRU", "minGRU, two blocks")
#     for kind in ("plain", "negation", "turn", "far")
# )
# near(
#     ends(
#         [
#             recorded("readers", "reviews", f"minGRU, {rate}: far")
#             for rate in (0.001, 0.003, 0.01)
#         ]
#     ),
#     [0.78, 0.97],
#     0.005,
# )
# sum(
#     (
#         recorded("readers", "reviews", f"minGRU, {rate}: far")
#         < recorded("readers", "reviews", f"minGRU, {rate}: {other}")
#     ).sum()
#     for rate in (0.001, 0.003, 0.01)
#     for other in ("plain", "negation", "turn")
# ) == 25
# len(recorded("readers", "reviews", "minGRU, 0.01: far")) == 3
# near(ends(recorded("readers", "reviews", "selective, 0.01: turn")), [0.57, 0.65], 0.005)
# near(ends(recorded("readers", "reviews", "selective, 0.01: negation")), [0.55, 0.89], 0.005)

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Read the panel of 0.01 together. Why does a second block help? A possible reason:
# its inputs are states, so that its gates know what was read. It also has more weights; the two
# were not told apart here. If asked: the selective state does badly there on
# *turn* (0.57 to 0.65) and *negation* (0.55 to 0.89); why was not examined.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What minGRU does not recall
#
# **Associative recall**: a list of pairs, then a key; what was its value? Each pair is one
# step; there are 32 keys and 32 values.

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output", "slide-output"]
x_pairs, values = pairs_to_recall(1, seed=0, pairs=4)
keys, seen = x_pairs[0, :, :32].argmax(axis=-1), x_pairs[0, :, 32:].argmax(axis=-1)
print(" · ".join(f"k{key} v{value}" for key, value in zip(keys[:-1], seen[:-1], strict=True)))
print(f"k{keys[-1]} -> v{values[0]}")

# %% [markdown] slideshow={"slide_type": "-"}
# **Predict before you run:** minGRU has 32 numbers of state. Will it recall one of 8 pairs?

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "headline", "slide-output"]
keras.utils.set_random_seed(session.seed)
x_train, values = pairs_to_recall(64 * 500, seed=1, pairs=8)
x_test, asked = pairs_to_recall(2_000, seed=2, pairs=8)
for mixer in ("minGRU", "selective", "attention"):
    model = recaller(mixer, 9, 64, 32)
    optimizer = keras.optimizers.Adam(0.01, clipnorm=1.0)
    model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(x_train, values, batch_size=64, verbose=0)
    accuracy = model.evaluate(x_test, asked, batch_size=500, verbose=0)[1]
    print(f"one of 8 pairs, {mixer + ':':10} accuracy {accuracy:.2f}")

# %% [markdown] slideshow={"slide_type": "skip"}
# A random guess among the values of the list would score 0.15; naming the value that comes most
# often, without a look at any key, 0.21. minGRU does no better, in the recorded runs below
# either (0.19 at most), although 32 numbers have room for 8 pairs: a unit whose gate opens only
# for one key *with* a value (the question has none) could keep this value as a number. The
# trained networks do not do that; whether this block could read it out was not examined.

# %% [raw]
# near(1 / 8 + 7 / 8 / 32, 0.15, 0.005)
# near(
#     np.eye(32)[np.random.default_rng(0).integers(32, size=(50_000, 8))]
#     .sum(axis=1)
#     .max(axis=1)
#     .mean()
#     / 8,
#     0.21,
#     0.005,
# )
# near(
#     max(
#         recorded("pairs", "key_values", f"8 pairs, minGRU, {rate}").max()
#         for rate in (0.003, 0.01)
#     ),
#     0.19,
#     0.005,
# )
# given(32, 8)

# %% [markdown] slideshow={"slide_type": "notes"}
# (5 minutes) Let them say how they would store pairs in 32 numbers, so that a key finds its
# value: a unit for each key, or products. The next slide takes products.

# %% [markdown] slideshow={"slide_type": "slide"} name="selective"
# ## A state that is a matrix
#
# **Mamba** ([Gu and Dao, 2023](https://arxiv.org/abs/2312.00752)) gives each channel $N$
# numbers of state, and lets the input write and read them:
#
# $$H_t = \text{kept}_t \odot H_{t-1} + (\Delta_t \odot u_t) \otimes k_t$$
#
# $$y_t = H_t\, q_t + D \odot u_t$$
#
# $u_t$ and $\Delta_t > 0$ (one number a channel), $k_t$ and $q_t$ ($N$ numbers each; the
# paper's $B$, $C$) come from $x_t$ by learned weights; $\otimes$ is the outer product, and
# $\text{kept}_t = e^{-\Delta_t \odot A}$: each row of $A$ times its channel's $\Delta_t$. $H$
# and $A > 0$ have a row a channel and $N$ columns; $A$ and $D$ (a number a channel) are
# learned, too. The step is linear in $H$, so a scan computes it. The input selects: a
# **selective state space model**.

# %% [markdown] slideshow={"slide_type": "skip"}
# Compare attention: key $k_t$ and query $q_t$ meet in a product here, too, but all pairs of a
# text are added up in one matrix $H$ of fixed size. $\Delta_t = \ln(1 + e^{s_t})$ (softplus) of
# a sum $s_t$ over $x_t$ is above 0, so that $\text{kept}_t$ lies between 0 and 1. Our layer,
# `SelectiveState`, is this form and nothing else, here with $N = 4$; its source names what of
# Mamba's block is left out.

# %% [raw]
# given(4)

# %% [markdown] slideshow={"slide_type": "notes"}
# (5 minutes) Two things are new: the outer product that writes, the product with $q$ that
# reads. Ask what a step with $\Delta_t = 0$ does: it keeps all and writes nothing.

# %% shows="lectures.lecture_08d.recurrences.SelectiveState.call" slideshow={"slide_type": "skip"} heading="In Keras"
# filled by the build

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Let them find the line with the outer product, and that with the query.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## More pairs, more state
#
# 1,000 batches, three seeds, two learning rates. Numbers of state: minGRU and GRU 32, LSTM 64,
# the selective state 128.

# %% [raw]
# given(1_000, 32, 64)
# 32 * 4 == 128

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
panels = {
    f"learning rate {rate}": {
        arm: {pairs: reached("pairs", f"{pairs} pairs, {arm}, {rate}") for pairs in (4, 8, 16)}
        for arm in ARMS
    }
    for rate in (0.003, 0.01)
}
cu.plotting.dots(panels, "accuracy", "pairs", chance=1 / 32)

# %% [markdown] slideshow={"slide_type": "-"} tags=["lead"]
# **Attention recalls one of 16 pairs without a mistake or nearly so.** LSTM, GRU and minGRU
# stay below 0.14 there, at both learning rates (naming the value that comes most often, without
# any key: 0.15). The selective state is between them. Attention alone does not lose when the
# list is doubled.

# %% [raw]
# near(
#     np.eye(32)[np.random.default_rng(0).integers(32, size=(50_000, 16))]
#     .sum(axis=1)
#     .max(axis=1)
#     .mean()
#     / 16,
#     0.15,
#     0.005,
# )
# all(
#     recorded("pairs", "key_values", f"{pairs} pairs, attention, {rate}").min() > 0.99
#     for pairs in (4, 8, 16)
#     for rate in (0.003, 0.01)
# )
# all(
#     recorded("pairs", "key_values", f"16 pairs, {arm}, {rate}").max() < 0.14
#     for arm in ("LSTM", "GRU", "minGRU")
#     for rate in (0.003, 0.01)
# )
# all(
#     (
#         recorded("pairs", "key_values", f"{2 * pairs} pairs, {arm}, {rate}")
#         < recorded("pairs", "key_values", f"{pairs} pairs, {arm}, {rate}")
#     ).all()
#     for arm in ("LSTM", "GRU", "minGRU", "selective")
#     for pairs in (4, 8)
#     for rate in (0.003, 0.01)
# )
# len(recorded("pairs", "key_values", "4 pairs, LSTM, 0.003")) == 3

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Read from left to right: which arm does *not* lose when the list is doubled?
# Attention. The selective state loses what it had recalled; LSTM, GRU and minGRU fall with what
# can be scored without any key (the LSTM with 4 pairs at 0.003 apart, which scores more).

# %% slideshow={"slide_type": "subslide"} tags=["hide-input"] heading="The same layer, other N"
states = {
    f"learning rate {rate}": {N: reached("states", f"{N}, {rate}") for N in (1, 2, 4, 8, 16)}
    for rate in (0.003, 0.01)
}
cu.plotting.dots({"16 pairs, selective": states}, "accuracy", "N", chance=1 / 32)

# %% [markdown] slideshow={"slide_type": "-"} tags=["lead"]
# Only $N$ was varied, and with it the length of $k$ and $q$, their weights, and how fast the
# added columns forget at first ($A$ starts at 1 to $N$). **At 0.01 one number a channel recalls
# 0.12 to 0.17, sixteen 0.90 to 0.94.** At 0.003 one of three runs with sixteen ends at 0.38.
# With $N = 1$ the state is as large as minGRU's, and one run alone scores more than what
# takes no key (0.15).

# %% [raw]
# near(ends(recorded("states", "key_values", "1, 0.01")), [0.12, 0.17], 0.005)
# near(ends(recorded("states", "key_values", "16, 0.01")), [0.90, 0.94], 0.005)
# near(min(recorded("states", "key_values", "16, 0.003")), 0.38, 0.005)
# sum(
#     (recorded("states", "key_values", f"1, {rate}") > 0.1505).sum()
#     for rate in (0.003, 0.01)
# ) == 1
# (recorded("states", "key_values", "16, 0.003") < 0.5).sum() == 1
# all(
#     recorded("states", "key_values", f"2, {rate}").min()
#     > recorded("pairs", "key_values", f"16 pairs, LSTM, {rate}").max()
#     for rate in (0.003, 0.01)
# )
# len(recorded("states", "key_values", "16, 0.01")) == 3

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Here one setting was varied, $N$: the size of the state, and with it the rest that
# the slide names.
# Size is not all: with $N = 2$ the state is as large as the LSTM's, and recalls more. Attention
# keeps all pairs, and pays with a cache that grows: the two columns of the first slide.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Where it stands today
#
# - **S4** (2021) trains a fixed linear recurrence as a convolution, with many numbers of state
#   a channel; **Mamba** (2023) made the recurrence depend on the input.
# - **Linear attention**, in its simplest form, has no gate: $H_t = H_{t-1} + v_t \otimes k_t$.
# - **DeltaNet** first takes out of $H$ what it returns for the key: an older pair of this key
#   is replaced, wholly or in part.
# - **Hybrids** such as Jamba put a few attention blocks among many recurrent ones: attention
#   recalls, and only a few blocks need a cache.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Ask which of today's experiments argues for the hybrids: the pairs.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Summary
#
# - A step that is linear in the state can be combined before any state is known.
# - Loop, convolution, Toeplitz matrix and scan are four ways to compute one function. With
#   gates that read the input there is no convolution, and the matrix is no longer Toeplitz.
# - A hidden step is $h \mapsto 1 \cdot h + 0$: a mask changes the steps, not the scan.
# - Cumulative products underflow: compute in log space, or scan.
# - To train: all steps at once. To write: one state of fixed size, which matters for recall.

# %% [markdown] slideshow={"slide_type": "skip"}
# **Papers.** Hillis and Steele, [*Data parallel algorithms*](https://doi.org/10.1145/7902.7903)
# (1986) · Gu, Goel and Ré, [*Efficiently modeling long sequences with structured state
# spaces*](https://arxiv.org/abs/2111.00396) (2021) · Gu and Dao,
# [*Mamba*](https://arxiv.org/abs/2312.00752) (2023) · Feng et al., [*Were RNNs all we
# needed?*](https://arxiv.org/abs/2410.01201) (2024) · Arora et al., [*Zoology: measuring and
# improving recall in efficient language models*](https://arxiv.org/abs/2312.04927) (2023) ·
# Yang et al., [*Parallelizing linear transformers with the delta rule over sequence
# length*](https://arxiv.org/abs/2406.06484) (2024) · Lieber et al., [*Jamba: a hybrid
# transformer–Mamba language model*](https://arxiv.org/abs/2403.19887) (2024)

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Ask for a task at their desk whose state would fit into a hundred numbers, and one
# whose would not.
