# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   title: LSTM and GRU
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] slideshow={"slide_type": "slide"} tags=["title"]
# # LSTM and GRU
#
# **Lecture 3** · gates that decide what comes in, what stays and what is let out
#
# *The popcorn stays outside.*

# %% [markdown] slideshow={"slide_type": "notes"}
# Begin where lecture 2 ended: "The direction was charming", then ninety words about seats and
# popcorn. Ask: *what should a reader do with the popcorn?* Nothing. Today's question is how a
# network can learn to do nothing: it is not obvious, for the loop of lecture 2 rewrites its
# whole mind at every word.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What you will be able to do
#
# 1. run an LSTM and both forms of the GRU by hand, in NumPy and in Keras, equal
# 2. count their parameters, slice their gates, set a forget bias
# 3. look into a trained network and see what its gates do with each word
# 4. say what gates bring before training (little) and after it (a memory that holds)
# 5. stack them, run them both ways, mask them, and keep them fast

# %% [markdown] slideshow={"slide_type": "skip"}
# **You need** lecture 2: the loop, its mask, and why gradients shrink with distance. **It
# takes** about ninety minutes to read. Running it takes under a minute in the quick profile, on
# any laptop; what the full profile takes is printed near the end, measured.
#
# A cell that begins with the name of a file holds that file's code, letter for letter: change
# it here, and the cells below use your version.

# %% [markdown] slideshow={"slide_type": "notes"}
# Say the promise with a warning: the usual story, "gates solve vanishing gradients", is only
# half true, and this lecture measures which half. Ask who has used an LSTM, and who could write
# down its four equations. By the end everybody can. The exercises fit into the room; the fourth
# needs a logarithm.

# %% slideshow={"slide_type": "skip"} name="start"
import course_utils as cu

session = cu.start(seed=0)  # before Keras is imported, so that its backend starts quietly
LECTURE = "03_lstm_gru"

import keras
import numpy as np
from keras import layers, ops

# %% slideshow={"slide_type": "skip"}
from course_utils.data.base import whole_number
from course_utils.layers import CoupledLSTMCell
from course_utils.lectures import lecture_02
from course_utils.lectures.lecture_03 import (
    coupled_step,
    gru_step_reset_after,
    lstm_trace,
    sigmoid,
)

# %% slideshow={"slide_type": "skip"}
reviews = cu.data.load_reviews()
words = len(reviews.vocabulary)
kinds = ("plain", "negation", "turn", "far")


# %% slideshow={"slide_type": "skip"}
def by_phenomenon(model, split):
    """Accuracy of a model by phenomenon."""
    probabilities = model.predict(split.inputs, batch_size=500, verbose=0)[:, 0]
    right = (probabilities > 0.5) == split.targets
    kind = split.columns["phenomenon"]
    return {name: float(right[kind == name].mean()) for name in kinds}


def by_seed(runs, metric):
    """A recorded metric, a figure for each seed."""
    return " / ".join(f"{run['metrics'][metric]:.2f}" for run in runs)


# %% [markdown] slideshow={"slide_type": "slide"}
# ## Where the simple loop fails
#
# Recorded in lecture 2: SimpleRNN, 32 units, ten epochs; reviews whose verdict lies far back

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
before = cu.results.load("02_simple_rnn", "simple_rnn_32", "reviews")
mixed = cu.results.load("02_simple_rnn", "simple_rnn_32_far", "reviews")
place = "150 to 180 words back, rate 0.001"
rows = [
    {"setting": "60 to 105 words back, rate 0.003, length buckets"}
    | {f"seed {run['seed']}": run["metrics"]["far"] for run in before},
    {"setting": f"{place}, mixed batches"}
    | {f"seed {run['seed']}": run["metrics"][place] for run in mixed},
]
cu.results.Table(rows)

# %% [markdown] slideshow={"slide_type": "-"}
# At the first setting it guesses, on every seed; at the second it learns. A **gamble**, not a
# wall. Today: a cell for which holding is easy to learn.

# %% [markdown] slideshow={"slide_type": "skip"}
# Keep the settings in mind, because every claim below names its own. The first row is the one
# to beat: the course's own reviews, batches of texts of like length, Adam with a rate of 0.003,
# ten epochs. The second row says that the loop *can* carry a verdict past 150 words, when steps
# are small and short and long reviews come mixed. What it lacks is not reach. Nothing in it
# makes holding the natural thing to do.

# %% [markdown] slideshow={"slide_type": "notes"}
# Do not say "an RNN cannot". The second row forbids it. Ask: *what would the loop have to do
# with the word popcorn, to keep the first verdict?* Change its state in no direction that the
# verdict needs. It can learn that, with luck. Hold the question "what would make it easy?" for
# the drawing.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The idea: overwrite less, add more

# %% slideshow={"slide_type": "-"}
cu.figures.show("03_bypass")

# %% [markdown] slideshow={"slide_type": "-"}
# A **gate** is a number between 0 and 1 that depends on the word just read (and on the last
# state). The simple loop *overwrites* its state; the LSTM multiplies its memory by a gate and
# *adds*.

# %% [markdown] slideshow={"slide_type": "skip"}
# The lower line is a bypass. If the gate $f$ is 1 and nothing is added, the memory $c$ arrives
# as it left, after one step or after a hundred: no matrix, no tanh in the way. The same trick
# returns in this course under another name: a *residual connection* adds a layer's output to
# its input, and the input runs on beside it (lectures 6 to 8). There depth is bridged, here
# time.

# %% [markdown] slideshow={"slide_type": "notes"}
# Trace both lines with a finger. *Through how many matrices does $h_0$ go above until the end?*
# Four, and four tanh. Below? None. Then say the sentence: multiply by a gate, add something
# gated. Somebody may ask whether this is a residual network: yes, along time, and it is almost
# twenty years older.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### One step of an LSTM

# %% slideshow={"slide_type": "-"}
cu.figures.show("03_lstm")

# %% [markdown] slideshow={"slide_type": "notes"}
# Walk along the thick line first: keep, add, let out. Then the boxes: three are sigmoids, they
# open and close; one is a tanh, it says *what* to write. All four read the same two things, the
# word and the last state. *Which of the two lines leaves the cell towards the verdict?* Only
# $h$. The memory $c$ itself is private: what is kept need not be shown.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Four blocks, two updates
#
# $$i_t = \sigma(x_t W_i + h_{t-1} U_i + b_i) \qquad f_t = \sigma(x_t W_f + h_{t-1} U_f + b_f)$$
# $$g_t = \tanh(x_t W_g + h_{t-1} U_g + b_g) \qquad o_t = \sigma(x_t W_o + h_{t-1} U_o + b_o)$$
# $$c_t = f_t \odot c_{t-1} + i_t \odot g_t$$
# $$h_t = o_t \odot \tanh(c_t)$$

# %% [markdown] slideshow={"slide_type": "skip"}
# $\sigma(a) = 1 / (1 + e^{-a})$ squashes to between 0 and 1, and $\odot$ multiplies place by
# place: each unit has its own four numbers at each word. The **input gate** $i$ lets the
# **candidate** $g$ in, the **forget gate** $f$ keeps (a forget gate of 1 forgets nothing: the
# name is the wrong way round), the **output gate** $o$ shows.
#
# The slides write $\tilde c$ for the candidate, and Keras `c`; this course writes $g$, so that
# the memory has its letter to itself. *"The LSTM's output is its memory"* is a common mistake:
# the output is $h = o \odot \tanh(c)$, and only $h$ goes to the next layer.

# %% [markdown] slideshow={"slide_type": "notes"}
# Have them find the simple loop inside: it is the line of $g$. Everything else is new. Ask:
# *which line makes this a memory?* The line of $c_t$. And: *what does an input gate of 1 with a
# forget gate of 0 do?* It replaces. Then the reverse, input gate 0 and forget gate 1: hold.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## By hand: one unit, one word, then silence
#
# Input gate $\sigma(8x - 4)$, forget gate $\sigma(4) = 0.982$, candidate $\tanh(x)$;
# $x = 1, 0, 0, \dots$
#
# $$c_1 = 0.982 \cdot 0 + 0.982 \cdot 0.762 = 0.748$$
# $$c_2 = 0.982 \cdot 0.748 + 0.018 \cdot 0 = 0.734$$
# $$c_3 = 0.982 \cdot 0.734 + 0.018 \cdot 0 = 0.721$$
#
# The simple loop of lecture 2, $h = \tanh(x + 0.5\,h)$, had 0.762, 0.363, 0.180.

# %% [markdown] slideshow={"slide_type": "notes"}
# Compute the gates aloud: $x = 1$ gives $\sigma(4)$, almost open; silence gives $\sigma(-4)$,
# almost shut. So the word itself says "this one matters". *What would a word with $x = 0.5$
# do?* Open the gate by half. Compare the two echoes: one loses half a step, the other two
# hundredths. And ask what sets the loss: the forget gate alone.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### What is left, by forget gate

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
for bias in (0, 1, 3, 5):
    gate = sigmoid(bias)
    left = ", ".join(f"{gate**steps:.3f} after {steps}" for steps in (10, 50, 100))
    print(f"forget bias {bias}, gate {gate:.3f}: left {left}")

# %% [markdown] slideshow={"slide_type": "-"}
# Half a memory a step, or nearly all of it: a few units of *bias* decide. The bias is where an
# LSTM begins; what it learns is when to leave that place.

# %% [markdown] slideshow={"slide_type": "notes"}
# This little table explains most of what follows. Bias 0 is a gate of one half: after ten steps
# a thousandth is left. Bias 1 is Keras' default. *Why not start with 5?* Because then nothing
# is ever forgotten, and two verdicts pile up on each other. Exercise 03.4 turns the question
# round: which bias for a half-life of fifty words?

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Ten lines of NumPy

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
generator = np.random.default_rng(0)
steps, inputs, units = 4, 3, 2
x = generator.normal(size=(steps, inputs))
W = generator.normal(size=(inputs, 4 * units))
U = generator.normal(size=(units, 4 * units))
b = np.repeat([0.0, 1.0, 0.0, 0.0], units)  # input gate, forget gate, candidate, output gate
h, c = np.zeros(units), np.zeros(units)
for t in range(steps):
    i, f, g, o = np.split(x[t] @ W + h @ U + b, 4)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    h = sigmoid(o) * np.tanh(c)
print("all four at once:", x[0].shape, "@", W.shape, "->", (x[0] @ W).shape)
print("each gate:", i.shape, " memory c:", c.shape, " state h:", h.shape)

# %% [markdown] slideshow={"slide_type": "skip"}
# One product gives all four blocks; `np.split` cuts it. That is how Keras stores them too, and
# why its arrays are four times as wide as you would expect. The library has the same for a
# batch, with a mask: at a pad both $h$ and $c$ are handed on unchanged.

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_03.sigmoid"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_03.lstm_gates"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_03.lstm_step"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_03.lstm_forward"
# filled by the build

# %% [markdown] slideshow={"slide_type": "notes"}
# Count the lines with the room: three do the work. *Why one matrix of width 8, and not four of
# width 2?* One large product is faster than four small ones; and it makes slicing an exam
# question, exercise 03.2. In the notebook the library's functions follow, for a batch, with the
# mask. Two states travel now: both must be held at a pad.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The same in Keras, equal

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
x = generator.normal(size=(2, 6, 3)).astype("float32")
mask = np.arange(6) < np.array([[6], [4]])  # the second text: four words and two pads
with cu.full_precision():
    layer = layers.LSTM(5, return_sequences=True, use_cudnn=False)
    theirs = ops.convert_to_numpy(layer(x, mask=mask))
W, U, b = layer.get_weights()
ours = lstm_forward(x, W, U, b, mask=mask)
print("kernel W", W.shape, " recurrent_kernel U", U.shape, " bias b", b.shape)
print("largest difference under 1e-5:", np.abs(ours - theirs).max() < 1e-5)
print("fresh bias, a mean for each block:", *b.reshape(4, 5).mean(axis=1))

# %% [markdown] slideshow={"slide_type": "-"}
# Say the order aloud: **input, forget, candidate, output**; Keras: `i, f, c, o`. The bias of
# the forget block starts at **1**, all others at 0.

# %% [markdown] slideshow={"slide_type": "skip"}
# Three arrays are moved across and both agree, mask included. The order of the blocks is a
# convention: PyTorch has the same order under the names i, f, g, o, other libraries have
# another. Weights moved in the wrong order have the right shape, raise no error and give wrong
# numbers, so test with numbers.
#
# A positive forget bias is as old as the forget gate (Gers, Schmidhuber and Cummins, 2000); the
# 1 (`unit_forget_bias=True`) is advice of Jozefowicz and others (2015), who found that it
# matters: a fresh network should keep by default.
#
# `use_cudnn=False` keeps out a GPU's fast kernel, which returns zeros at pads.

# %% [markdown] slideshow={"slide_type": "notes"}
# Make them say it together: input, forget, candidate, output. Then point at the last printed
# line: 0, 1, 0, 0. *Where would you cut to get the forget gate's matrix out of W?* Columns 5 to
# 10, for five units. *What happens to a memory in a fresh cell, with bias 1?* It shrinks to
# 0.731 a step; remember the table by forget gate.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Counting parameters
#
# $$4\,(\underbrace{\text{units} \cdot \text{inputs}}_{W} + \underbrace{\text{units}^2}_{U}
# + \underbrace{\text{units}}_{b})$$

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
signal = keras.Input((None, 4))
for name in ("SimpleRNN", "LSTM", "GRU"):
    layer = getattr(layers, name)(5)
    layer(signal)
    print(f"{name:9} 5 units on 4 inputs: {layer.count_params():3} parameters")

# %% [markdown] slideshow={"slide_type": "-"}
# Four simple loops side by side: 4 · (20 + 25 + 5) = 200. Three would be 150; why does the GRU
# have 165? In a minute.

# %% [markdown] slideshow={"slide_type": "notes"}
# The count is the simple loop's, times four. Ask for LSTM(32) on 32 inputs before exercise 03.1
# does. Then leave the riddle standing: three blocks of 50 are 150, Keras says 165. *Fifteen:
# what has fifteen numbers here?* Three blocks of five: a second bias.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Two variants
#
# | | idea | change |
# | --- | --- | --- |
# | **peephole** (2000) | gates may look at the memory | $+\, p \odot c$ inside each $\sigma$ |
# | **coupled** (CIFG) | write just as much as you forget | $i_t = 1 - f_t$; three blocks |
#
# In a large comparison (Greff and others, 2017) leaving the peepholes out, or coupling the
# gates, changed little; coupling saves a quarter of the weights.

# %% [markdown] slideshow={"slide_type": "skip"}
# Here is the peephole's step. The input and the forget gate look at the old memory, the output
# gate, which comes last, at the new one. The coupled step is not shown: it is exercise 03.5.

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_03.peephole_step"
# filled by the build

# %% [markdown] slideshow={"slide_type": "notes"}
# Two ideas, each a line of change. *Peepholes: why would a gate want to see the memory?* Gers
# and Schmidhuber wanted to count and to time: "open when the counter is full". The state $h$
# does not show that when the output gate is shut. Coupled: if you write, you make room; it
# ties two gates into one and leads straight to the GRU.

# %% [markdown] slideshow={"slide_type": "skip"}
# The same as a Keras cell, which can be trained. The weights that all such cells share come
# first; then the peepholes, which are zero when fresh: the cell starts as a plain LSTM.

# %% slideshow={"slide_type": "skip"} shows="course_utils.layers.recurrent.GatedCell"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.layers.recurrent.PeepholeLSTMCell"
# filled by the build

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### A cell of our own in Keras, equal to NumPy

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
for Cell, take_step in (
    (PeepholeLSTMCell, peephole_step),
    (CoupledLSTMCell, coupled_step),
):
    with cu.full_precision():
        layer = layers.RNN(Cell(5), return_sequences=True)
        layer.build((None, None, 3))
        weights = [generator.normal(size=array.shape) for array in layer.get_weights()]
        layer.set_weights(weights)
        theirs = ops.convert_to_numpy(layer(x, mask=mask))
    ours = lstm_forward(x, *weights, step=take_step, mask=mask)
    print(f"{Cell.__name__:16} {layer.count_params()} parameters, ", end="")
    print("differs by less than 1e-5:", np.abs(ours - theirs).max() < 1e-5)

# %% [markdown] slideshow={"slide_type": "skip"}
# A Keras **cell** is one step: `call(inputs, states)` returns an output and the new states, and
# `keras.layers.RNN` runs it along the sequence, masks included.

# %% [markdown] slideshow={"slide_type": "notes"}
# The point is less these two cells than the pattern: write one step, hand it to
# `keras.layers.RNN`, get masking, stacking and both directions for nothing. Weights here are
# drawn at random, peepholes included: with Keras' fresh zeros a peephole cell *is* a plain
# LSTM, and the test would prove nothing. Ask why the mask is part of the test.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## GRU: two gates, no separate memory
#
# $$z_t = \sigma(x_t W_z + h_{t-1} U_z + b_z) \qquad r_t = \sigma(x_t W_r + h_{t-1} U_r + b_r)$$
# $$\tilde h_t = \tanh(x_t W_h + (r_t \odot h_{t-1})\, U_h + b_h)$$
# $$h_t = z_t \odot h_{t-1} + (1 - z_t) \odot \tilde h_t$$

# %% [markdown] slideshow={"slide_type": "-"}
# The **update gate** $z$ keeps, and what it does not keep it fills with the candidate. The
# **reset gate** $r$ hides the old state from the candidate.

# %% [markdown] slideshow={"slide_type": "skip"}
# Compare with the coupled LSTM: one gate both keeps and makes room. There is no output gate and
# no private memory: $h$ is memory and output in one. The bypass is there: with $z = 1$ the
# state passes unchanged.

# %% [markdown] slideshow={"slide_type": "notes"}
# Ask them to find the LSTM's parts: $z$ is forget and, as $1 - z$, input; the output gate is
# gone. *What is the reset gate for?* It lets the candidate start afresh, as if the text began
# here. Three blocks. And now a warning: half of the books write $z$ the other way round. Next
# slide.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Which way round is $z$?
#
# | | the new state | $z = 1$ means |
# | --- | --- | --- |
# | Cho (2014), Keras, this course | $z \odot h_{t-1} + (1 - z) \odot \tilde h_t$ | keep |
# | Chung (2014), lecture slides | $(1 - z) \odot h_{t-1} + z \odot \tilde h_t$ | write |
#
# Neither is wrong. They are the same network: $1 - \sigma(a) = \sigma(-a)$, so flip the sign of
# $W_z$, $U_z$, $b_z$.

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
a, old, new = generator.normal(size=(3, 5))
keeps = sigmoid(a) * old + (1 - sigmoid(a)) * new
writes = (1 - sigmoid(-a)) * old + sigmoid(-a) * new
print("equal after the change of sign:", np.allclose(keeps, writes))

# %% [markdown] slideshow={"slide_type": "notes"}
# The most frequent quarrel in a reading group about GRUs, and there is nothing to it. Whenever
# weights are moved, ask which way round. The exercise on the GRU names its convention, and so
# should every paper. *If I initialise $b_z$ with +2, does the network remember more or less?*
# In Keras more, in the slides' form less.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Two forms of GRU: 150 or 165 parameters
#
# | `reset_after` | the candidate | biases |
# | --- | --- | --- |
# | `False`, Cho | $\tanh(x W_h + (r \odot h)\, U_h + b_h)$ | $3 \cdot 5$ |
# | `True`, default | $\tanh(x W_h + b_h + r \odot (h\, U_h + b'_h))$ | $2 \cdot 3 \cdot 5$ |
#
# Reset *after* the product lets all three products with $h$ be one, which fast kernels use; so
# the product has a bias of its own, *inside* the reset.

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_03.gru_step"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_03.gru_forward"
# filled by the build

# %% [markdown] slideshow={"slide_type": "skip"}
# The step with the reset after the product is not shown: it is exercise 03.3.

# %% [markdown] slideshow={"slide_type": "notes"}
# The riddle of the fifteen is solved: a second row of biases, for the product with the state.
# Row 0 belongs to the input, row 1 to the state. *Could the two rows not be added into one?*
# For $z$ and $r$ yes. For the candidate no: its second bias sits inside the reset. Exercise
# 03.3 has exactly that as its trap.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Both forms, equal to Keras

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
for after, step in ((False, gru_step), (True, gru_step_reset_after)):
    with cu.full_precision():
        layer = layers.GRU(5, reset_after=after, return_sequences=True, use_cudnn=False)
        layer.build((None, None, 4))
        weights = [generator.normal(size=array.shape) for array in layer.get_weights()]
        layer.set_weights(weights)
        x = generator.normal(size=(2, 6, 4)).astype("float32")
        theirs = ops.convert_to_numpy(layer(x, mask=mask))
    differs = np.abs(gru_forward(x, *weights, step=step, mask=mask) - theirs).max()
    print(f"reset_after={after!s:5} bias {weights[2].shape!s:7} ", end="")
    print(f"{layer.count_params()} parameters, differs by less than 1e-5: {differs < 1e-5}")

# %% [markdown] slideshow={"slide_type": "-"}
# The columns stand in the order **z, r, candidate**.

# %% [markdown] slideshow={"slide_type": "notes"}
# Read the shapes: (15,) and (2, 15). Whoever loads old weights into a new Keras meets this as
# an error about shapes, and is lucky. With `use_bias=False` there would be no error, and wrong
# numbers. How wrong? Next slide. Ask for a guess.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### "GRU is GRU"

# %% slideshow={"slide_type": "-"}
keras.utils.set_random_seed(0)
fresh = layers.GRU(32)
fresh.build((None, None, 16))
W, U, _ = fresh.get_weights()
x = generator.normal(size=(64, 20, 16)).astype("float32")
diagonal = U.copy()
diagonal[:, 64:] = np.diag(np.diag(U[:, 64:]))  # of the candidate's matrix, only the diagonal
for name, matrix in (("as Keras makes it", U), ("candidate's U diagonal", diagonal)):
    cho = gru_forward(x, W, matrix, np.zeros(96, "float32"), step=gru_step)
    default = gru_forward(x, W, matrix, np.zeros((2, 96), "float32"))
    print(f"{name:23} the two forms differ by up to {np.abs(cho - default).max():.3f}")

# %% [markdown] slideshow={"slide_type": "-"}
# Same matrices, no biases, other numbers. They agree only where $r \odot (hD) = (r \odot h)D$:
# for a diagonal $D$.

# %% [markdown] slideshow={"slide_type": "skip"}
# A diagonal matrix lets each unit see itself alone: it scales unit by unit, as $r$ does, and
# the order of two scalings does not matter. As soon as units are mixed, resetting before the
# mixing (Cho: a unit that is reset is hidden from *all* candidates) and resetting after it
# (Keras: a candidate that is reset hides *all* units from itself) are two different things.

# %% [markdown] slideshow={"slide_type": "notes"}
# Two networks that bear one name. Neither is better by any recorded run of this course; they
# are different functions of the same weights. *Why does a diagonal matrix make them equal?*
# Each unit then only scales itself, and two scalings may change places. So always say which
# GRU, and never move weights between the two.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## "Gates solve vanishing gradients"
#
# Fresh cells, 32 units, fed with noise of size 0.5. How far does the last state move when the
# input $d$ steps back is nudged? Predict the order of:
#
# - SimpleRNN
# - GRU
# - LSTM with forget bias 0, 1, 3


# %% slideshow={"slide_type": "skip"}
def moved(run, x, back, hair=1e-30):
    """How far the last state moves, a unit of nudge, when the input `back` steps back does."""
    nudged = x.astype(complex)
    direction = np.random.default_rng(0).normal(size=x[:, 0].shape)
    direction /= np.linalg.norm(direction, axis=-1, keepdims=True)
    nudged[:, -1 - back] += 1j * hair * direction
    return np.linalg.norm(run(nudged).imag / hair, axis=-1).mean()


def fresh_cell(name, forget_bias=None):
    """A fresh Keras layer's weights, in the loop of NumPy."""
    layer = getattr(layers, name)(32)
    layer.build((None, None, 32))
    weights = [array.astype(float) for array in layer.get_weights()]
    if forget_bias is not None:
        weights[2][32:64] = forget_bias
    loops = {"SimpleRNN": lecture_02.forward, "LSTM": lstm_forward, "GRU": gru_forward}
    loop = loops[name]
    return lambda x: loop(x, *weights, return_sequences=False)


# %% [markdown] slideshow={"slide_type": "skip"}
# The nudge is a trick worth knowing. A derivative is "how far does the output move, for a
# hair's breadth at the input", and subtracting two nearly equal numbers loses digits. If the
# hair is *imaginary*, nothing is subtracted: the imaginary part of the output, divided by the
# hair, is the derivative to the last digit (the *complex step*). NumPy computes the same loop
# with complex numbers without being asked.

# %% [markdown] slideshow={"slide_type": "notes"}
# Collect an order by vote before the next slide. Many will put the SimpleRNN last and the GRU
# near the top. Somebody may ask why the input's derivative and not the gradient of a loss: it
# is the part of the gradient that depends on the distance, for every loss. "Fresh" means: as
# Keras makes them, before the first step of training.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Measured in fresh cells

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
keras.utils.set_random_seed(session.seed)
cells = {  # the layer's name, and a forget bias
    "SimpleRNN": ("SimpleRNN",),
    "GRU": ("GRU",),
    "LSTM, forget bias 0": ("LSTM", 0),
    "LSTM, forget bias 1": ("LSTM", 1),
    "LSTM, forget bias 3": ("LSTM", 3),
}
distances = (0, 5, 10, 20, 50, 90)
noise = 0.5 * np.random.default_rng(0).normal(size=(16, 91, 32))
fresh_reach = {
    name: [np.mean([moved(fresh_cell(*which), noise, d) for _ in range(3)]) for d in distances]
    for name, which in cells.items()
}
rows = [
    {
        "fresh cell": name,
        **{f"{d} back": f"{v:.0e}" for d, v in zip(distances, row, strict=True)},
    }
    for name, row in fresh_reach.items()
]
cu.results.record_table(LECTURE, f"fresh-reach-{session.seed}", rows, "derivative by input")
cu.results.Table(rows)

# %% [markdown] slideshow={"slide_type": "-"}
# A fresh GRU forgets *faster* than a fresh SimpleRNN: $z \approx 0.5$ keeps only half of the
# state at each step, much like an LSTM without forget bias.

# %% [markdown] slideshow={"slide_type": "notes"}
# Give them a minute, then ask: *which row surprises you most?* Name the setting: noise of size
# 0.5. In lecture 2 a fresh simple loop kept a fifth after 80 words, because fresh embeddings
# are much smaller and tanh stays straight. A gate of one half halves at any size.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### The same as a picture

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
figure, axis = cu.plotting.figure(8, 3.4)
for name, row in fresh_reach.items():
    axis.plot(distances, row, marker="o", markersize=4, label=name)
axis.set(yscale="log", xlabel="steps back", ylabel="derivative", ylim=(1e-24, 10))
axis.legend(fontsize=9, loc="lower left")
ends = ", ".join(f"{name} {row[-1]:.0e}" for name, row in fresh_reach.items())
cu.plotting.show(
    figure,
    "Derivative of the last state by an input, against its distance, in fresh cells, on a "
    f"logarithmic scale. At 90 steps back: {ends}.",
)

# %% [markdown] slideshow={"slide_type": "skip"} claims=["apart(*(cell('fresh-reach-{}', name, '50 back') for name in ('LSTM, forget bias 3', 'LSTM, forget bias 1', 'GRU')))", "apart(cell('fresh-reach-{}', 'SimpleRNN', '50 back'), cell('fresh-reach-{}', 'GRU', '50 back'))"]
# So the sentence in the title is wrong as it stands. Before training the GRU sees the far past
# *worse* than the simple loop does, and on this noise the LSTM with Keras' forget bias about as
# badly; on inputs as small as fresh embeddings the simple loop kept a fifth (lecture 2). Only a
# higher forget bias opens the way, and that is a choice of ours, not of the gates. (With bias 3
# the derivative even grows at the far end. The memory alone would leave a hundredth,
# $0.953^{90}$; the rest goes through $h$, into gates and candidates.)
#
# What gates bring is something else: the shrinking is set by a gate, and a gate is *learned*,
# word by word. To hold, a simple loop has to find one matrix that keeps its verdict for all
# words that may come. A gated cell has to learn one thing, "stay shut, except at …", and may
# learn it from near examples.

# %% [markdown] slideshow={"slide_type": "notes"}
# Return to the vote. The usual textbook sentence does not survive this table. *By what factor
# does a fresh GRU forget in ten steps?* Read it off: by more than a hundred. Were the half that
# $z$ keeps the only path, it would be two to the power of ten. The right sentence: gates give a
# memory that can *learn* to hold. Whether it does is for the next experiment. Forget bias 3 is
# the line to remember.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Predict before you run
#
# The course's reviews; 32 units, length buckets, ten epochs. Accuracy on the **far** ones?
#
# | | rate | far: your guess |
# | --- | --- | --- |
# | SimpleRNN | 0.003 | |
# | LSTM | 0.01 | |
# | GRU, which forgets faster at the start | 0.01 | |

# %% [markdown] slideshow={"slide_type": "notes"}
# Three numbers on paper. Remind them: in fresh cells the GRU was the worst of the three. *Does
# that make you bet against it?* Let somebody defend each order. The rates differ: the simple
# loop keeps the one of lecture 2. A later slide shows all three rates for all three cells.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### The model


# %% slideshow={"slide_type": "-"}
def review_model(vocab_size, reader, size=32, name=None):
    """Read a review (batch, words) of ids, judge it: probability of praise (batch, 1)."""
    ids = keras.Input((None,), dtype="int32")
    x = layers.Embedding(vocab_size, size, mask_zero=True)(ids)
    for layer in reader():
        x = layer(x)
    verdict = layers.Dense(1, activation="sigmoid", dtype="float32")(x)
    return keras.Model(ids, verdict, name=name)


readers = {
    "simple_rnn_32": lambda: [layers.SimpleRNN(32)],
    "lstm_32": lambda: [layers.LSTM(32)],
    "gru_32": lambda: [layers.GRU(32)],
    "bidirectional_32": lambda: [layers.Bidirectional(layers.LSTM(32))],
    "stacked_32": lambda: [layers.LSTM(32, return_sequences=True), layers.LSTM(32)],
}


# %% [markdown] slideshow={"slide_type": "skip"}
# **Why these lines.** A reader is a *function* that makes its layers, called inside the model
# and after the seed is set: so each model is really fresh, its layers are made in the same
# order as in lecture 2, and the simple loop begins with the very weights that it had there.
# Layers made beforehand would carry their old weights into the next training. `mask_zero=True`
# makes the mask at the only place that knows which ids are pads; every recurrent layer above
# takes it up. `dtype="float32"` on the last layer keeps the probability out of 16 bits.

# %% [markdown] slideshow={"slide_type": "notes"}
# Lecture 2's model, with the reading layer as an argument. *Which of the five readers needs
# return_sequences, and where?* Only the stack, in its lower floor. The last two wait for the
# end of the lecture. The mask is made once, by the embedding, and travels along by itself.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### The run


# %% slideshow={"slide_type": "-"}
def train_on_reviews(name, learning_rate, epochs=10, seed=session.seed):
    """Train a fresh reader on the reviews; return the model and its run."""
    keras.utils.set_random_seed(seed)
    model = review_model(words, readers[name], name=name)
    optimizer = keras.optimizers.Adam(learning_rate, clipnorm=1.0)
    model.compile(optimizer, "binary_crossentropy", metrics=["accuracy"])
    batches = [cu.data.length_buckets(part, 64) for part in (reviews.train, reviews.val)]
    return model, cu.training.fit(model, batches, epochs, resume=False, source=reviews.source)


# %% slideshow={"slide_type": "-"}
rates = {"simple_rnn_32": 0.003, "gru_32": 0.01, "lstm_32": 0.01}
accuracy, by_rate = {}, {}
for name in session.pick(quick=["lstm_32"], full=list(rates)):
    model, run = train_on_reviews(name, rates[name], epochs=session.pick(quick=5, full=10))
    accuracy[name] = by_phenomenon(model, reviews.test)
    by_rate[name, rates[name]] = by_phenomenon(model, reviews.val)["far"]
    settings = {"learning_rate": rates[name]}
    run.record(LECTURE, dataset="reviews", settings=settings, **accuracy[name])

# %% [markdown] slideshow={"slide_type": "skip"}
# The quick profile trains the LSTM alone, for five epochs. The full profile trains all three
# for ten, and its recorded runs, three seeds each, are what the claims below rest on.

# %% [markdown] slideshow={"slide_type": "notes"}
# Watch the epochs: for two or three of them the model hangs between 0.6 and 0.9, as if far
# reviews were lost; then it jumps. A likely reason: a gate that opens at the right word is of
# no use until it is nearly shut at all others, so there is no half success on the way. Ask what
# the training loss would look like for the far reviews alone.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Recorded: three seeds, by phenomenon

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
titles = {"simple_rnn_32": "SimpleRNN", "lstm_32": "LSTM", "gru_32": "GRU"}
rows = [
    {"seeds 0 / 1 / 2": title}
    | {kind: by_seed(cu.results.load(LECTURE, name, "reviews"), kind) for kind in kinds}
    for name, title in titles.items()
]
cu.results.Table(rows)

# %% slideshow={"slide_type": "skip"} tags=["headline"]
far = {
    title: cu.results.mean(cu.results.load(LECTURE, name, "reviews"), "far")[0]
    for name, title in titles.items()
}
print(
    f"verdict far back: LSTM {accuracy['lstm_32']['far']:.2f} in this run; recorded, three "
    "seeds: " + ", ".join(f"{title} {value:.2f}" for title, value in far.items())
)

# %% [markdown] slideshow={"slide_type": "notes"} claims=["recorded('simple_rnn_32', 'reviews', 'far').max() < 0.75", "min(recorded(model, 'reviews', 'far').min() for model in ('lstm_32', 'gru_32')) >= 0.95", "min(recorded(model, 'reviews', kind).min() for model in ('lstm_32', 'gru_32') for kind in ('plain', 'negation', 'turn', 'far')) >= 0.95"]
# Compare with the guesses. The last column is the lecture: the GRU, which saw least before
# training, reads; the simple loop guesses. *Is the table fair?* The rates differ, so ask for
# the missing rows; they are on the next slide.

# %% [markdown] slideshow={"slide_type": "skip"}
# Is it only the rate? The full profile also trains at other rates, and once more from a further
# seed. The far reviews of the *validation* part judge here: choosing settings is not
# what a test set is for.

# %% slideshow={"slide_type": "skip"}
starts = {}
for name in session.pick(quick=[], full=list(rates)):
    for learning_rate in (0.001, 0.003, 0.01):
        if learning_rate != rates[name]:
            other, _ = train_on_reviews(name, learning_rate)
            by_rate[name, learning_rate] = by_phenomenon(other, reviews.val)["far"]
    other, _ = train_on_reviews(name, rates[name], seed=session.seed + 3)
    starts[name] = by_phenomenon(other, reviews.val)["far"]
named = {
    f"{titles[name]}, rate {learning_rate}": by_rate[name, learning_rate]
    for name, learning_rate in sorted(by_rate)
}
cu.results.record(LECTURE, "far_by_rate", "reviews", named)
cu.results.record(LECTURE, "more_starts", "reviews", starts, settings={"seed": "plus 3"})

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Other rates, and more starts: recorded

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
runs = cu.results.load(LECTURE, "far_by_rate")
rows = [
    {"far, seeds 0 / 1 / 2": title}
    | {
        f"rate {learning_rate}": by_seed(runs, f"{title}, rate {learning_rate}")
        for learning_rate in (0.001, 0.003, 0.01)
    }
    for title in titles.values()
]
cu.results.Table(rows)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
more = cu.results.load(LECTURE, "more_starts")
for name, title in titles.items():
    print(f"{title} at rate {rates[name]}, three further starts: {by_seed(more, name)}")

# %% [markdown] slideshow={"slide_type": "skip"} claims=["max(recorded('far_by_rate', 'reviews', f'SimpleRNN, rate {rate}').max() for rate in (0.01, 0.003, 0.001)) < 0.75", "recorded('far_by_rate', 'reviews', 'LSTM, rate 0.003').max() < 0.75", "recorded('far_by_rate', 'reviews', 'GRU, rate 0.003').min() >= 0.95"]
# Read it slowly, it is less kind to the LSTM than the table before. There are 78 far reviews in
# the validation part, 27 of them praised: who says the same of all has 0.35 or 0.65, not 0.5.
#
# - The simple loop guesses at all three rates. That is not to say that nothing helps it:
#   lecture 2 found a setting (mixed batches, smaller steps), and some other random start may
#   well get there. It is a gamble, as was said.
# - The LSTM reads far back at 0.01 and **fails at 0.003**, the simple loop's rate, on every
#   recorded seed; at 0.001 it reads on one. So "LSTM beats SimpleRNN" is true of the first row
#   of settings and false of another, and a paper that tried one rate could have reported
#   either.
# - The GRU reads far back at both larger rates; at 0.001, after ten epochs, on one seed only.
#
# The further starts say how far "three seeds" can be trusted: six starts are more than three,
# and still no law.

# %% [markdown] slideshow={"slide_type": "notes"}
# This slide is here for honesty. Let them find the row of the LSTM at 0.003: it guesses. *Would
# you have believed the slide before, had we tried that rate only?* What can be claimed: at
# these settings, on these seeds. Say also what was compared: equal units, so the LSTM has four
# times the weights of the simple loop. A fairer opponent would have 64 units; it was not tried.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What do the gates do?
#
# Look into the LSTM that was trained above. Which of the 32 units? **A rule, before looking:**
# the unit whose push towards the verdict, last state times weight, differs most between the
# praised and the damned far reviews of the test part.

# %% slideshow={"slide_type": "skip"}
far_back = reviews.test.columns["phenomenon"] == "far"
ids_of = [row[row > 0] for row in reviews.test.inputs[far_back][:200]]
table, *weights, V, _ = model.get_weights()
traces = [lstm_trace(table[ids][None], *weights) for ids in ids_of]
push = np.stack([one["hidden"][0, -1] * V[:, 0] for one in traces])
praised = reviews.test.targets[far_back][:200] == 1
gap = push[praised].mean(axis=0) - push[~praised].mean(axis=0)
unit = int(gap.argmax())
print(f"unit {unit} makes {gap[unit] / gap.sum():.0%} of the gap between praise and blame")
texts = cu.data.load_reviews(form="text").test.inputs[far_back]
spoken = [cu.data.tokenize(text) for text in texts[:200]]

# %% [markdown] slideshow={"slide_type": "notes"}
# The rule matters more than the unit: whoever looks through 32 units until one tells a nice
# story has found a story. *What would be another honest rule?* The unit whose removal costs
# most accuracy, for example. Then the picture. Have them say what they expect the input gate to
# do at word four and at word forty.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### One far review, word by word

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
shown, count = traces[0], len(spoken[0])
# The first words are drawn wider apart.
along = [min(k, 14) + 0.25 * max(k - 14, 0) for k in range(count)]
figure, (upper, lower) = cu.plotting.figure(9.5, 4.0, rows=2)
for name, colour in (("input", 1), ("forget", 0)):
    line = shown[name][0, :, unit]
    upper.plot(along, line, label=f"{name} gate", color=cu.plotting.COLOURS[colour])
for axis in (upper, lower):
    axis.axvline(3, color="#555555", linestyle="--", linewidth=1)  # the verdict
sign = np.sign(V[unit, 0])
lower.plot(along, shown["cell"][0, :, unit] * sign, color=cu.plotting.COLOURS[2])
lower.axhline(0, color="#555555", linewidth=1)
upper.set(ylabel="gates", ylim=(-0.05, 1.05))
lower.set(ylabel="memory\n(up: praise)")
marks = [k for k in range(count) if k < 14 or k % 6 == 0]
upper.set_xticks([along[k] for k in marks], [""] * len(marks))
lower.set_xticks(
    [along[k] for k in marks], [spoken[0][k] for k in marks], rotation=50, ha="right"
)
upper.legend(loc="center right")
gate, kept = shown["input"][0, :, unit], shown["forget"][0, :, unit]
cu.plotting.show(
    figure,
    f"Gates and memory of unit {unit} over the {len(gate)} words of a far review. At "
    f"{spoken[0][3]!r} the input gate is {gate[3]:.2f}; over the words after the first six it "
    f"is {gate[6:].mean():.2f} on average, while the forget gate is {kept[6:].mean():.2f}.",
)

# %% [markdown] slideshow={"slide_type": "-"}
# The verdict is the fourth word. *Which gate opens there, and what do both do afterwards?*

# %% [markdown] slideshow={"slide_type": "notes"}
# Let the room read the picture; do not read it out. The input gate opens around the adjective
# and then lies near the floor; the forget gate stays at the ceiling; the memory is a plateau.
# Nobody programmed this. *Why does the plateau slope?* Small additions through a gate
# that is nearly shut, word after word. Popcorn is not quite kept out.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### One review is an anecdote: 200 of them

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
places = {"the first verdict (word 4)": slice(3, 4), "word 7 and later": slice(6, None)}
rows = [
    {
        "at": name,
        **{
            f"{gate} gate": float(np.mean([one[gate][0, place, unit].mean() for one in traces]))
            for gate in ("input", "forget")
        },
    }
    for name, place in places.items()
]
cu.results.Table(rows)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
keras.utils.set_random_seed(session.seed)
untrained = [one.astype(float) for one in review_model(words, readers["lstm_32"]).get_weights()]
for name, (vectors, *gates_of, _, _) in (
    ("untrained", untrained),
    ("trained", [one.astype(float) for one in model.get_weights()]),
):
    loop = lambda x, own=gates_of: lstm_forward(x, *own, return_sequences=False)  # noqa: E731
    reached = [moved(loop, vectors[ids][None], len(ids) - 4) for ids in ids_of[:50]]
    print(f"{name}: derivative of the last state by word 4: {np.median(reached):.0e}")

# %% [markdown] slideshow={"slide_type": "skip"}
# The two printed lines (medians over 50 reviews) close the argument. How far does a nudge of
# the verdict word, sixty to a hundred words back, move the last state? Hardly at all in the
# fresh network, and much further in the trained one. The path was not there at the start; it
# was *learned*.

# %% [markdown] slideshow={"slide_type": "notes"}
# First the table: over 200 reviews the input gate is far more open at the verdict than
# later. Then the two lines: the same derivative as in the table of fresh cells, at the verdict
# word, before and after training. *So did gates solve the vanishing gradient?* They made it
# solvable: training opened the path. That is the sentence to take home.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Recall: a marked symbol at a random place
#
# 100 symbols out of four; a marker bit is 1 at one place. *Which symbol was marked?*


# %% slideshow={"slide_type": "-"}
def marked_symbols(count, seed, steps=100, symbols=4):
    """Sequences (count, steps, symbols + 1), the marked symbols, and how far back they lie."""
    draw = np.random.default_rng(seed)
    ids = draw.integers(symbols, size=(count, steps))
    place = draw.integers(steps, size=count)
    marker = np.arange(steps) == place[:, None]
    x = np.concatenate([np.eye(symbols)[ids], marker[..., None]], axis=-1)
    answers = ids[np.arange(count), place]
    return x.astype("float32"), answers.astype("int32"), steps - 1 - place


# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
x, answers, back = marked_symbols(1, seed=0, steps=24)
letters = ["abcd"[symbol] for symbol in x[0, :, :4].argmax(axis=-1)]
letters[-1 - back[0]] = f"[{letters[-1 - back[0]]}]"
print(" ".join(letters), "->", "abcd"[answers[0]])

# %% [markdown] slideshow={"slide_type": "notes"}
# Play it: read out "red, blue, blue, RED, green, …" with a knock on the table at one word, and
# ask at the end which word had the knock. *Why is guessing 0.25?* Four symbols. All symbols
# look alike but for the knock: to remember the right one, the others must be kept out. That is
# the popcorn again, in its purest form.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### The network


# %% slideshow={"slide_type": "-"}
def name_the_symbol(layer, x, answers, learning_rate, forget_bias=None):
    """Train a fresh layer to name the symbol; x holds vectors, or ids that get embedded."""
    sequence = keras.Input(x.shape[1:])
    state = layer(sequence if x.ndim == 3 else layers.Embedding(16, 16)(sequence))
    if forget_bias is not None:
        kernel, recurrent, bias = layer.get_weights()
        bias[layer.units : 2 * layer.units] = forget_bias
        layer.set_weights([kernel, recurrent, bias])
    outputs = int(answers.max()) + 1
    guess = layers.Dense(outputs, activation="softmax", dtype="float32")(state)
    model = keras.Model(sequence, guess)
    optimizer = keras.optimizers.Adam(learning_rate, clipnorm=1.0)
    model.compile(optimizer, "sparse_categorical_crossentropy", steps_per_execution=10)
    model.fit(x, answers, batch_size=64, verbose=0)
    return model


# %% [markdown] slideshow={"slide_type": "notes"}
# Nothing new but the four lines in the middle: they set the forget bias of a fresh LSTM by
# slicing its bias, second block. Ask which block again. No validation set, no epochs: every
# sequence is drawn anew and seen once, so there is nothing to memorise, and training accuracy
# is test accuracy.

# %% slideshow={"slide_type": "skip"}
recallers = {
    "simple_rnn": ("SimpleRNN", layers.SimpleRNN, 0.003, None, 1000),
    "gru": ("GRU", layers.GRU, 0.01, None, 1000),
    "lstm_bias_3": ("LSTM, forget bias 3", layers.LSTM, 0.01, 3, 1000),
    "lstm_bias_1": ("LSTM, forget bias 1", layers.LSTM, 0.01, 1, 1000),
    "lstm_bias_1_longer": ("LSTM, forget bias 1", layers.LSTM, 0.01, 1, 2000),
}
tens = [f"{low} to {low + 9}" for low in range(0, 100, 10)]


# %% slideshow={"slide_type": "skip"}
def recall_by_distance(make, learning_rate, forget_bias, batches):
    """Train on fresh sequences; accuracy on 4,000 others, in all and by tens of steps back."""
    keras.utils.set_random_seed(session.seed)
    x, answers, _ = marked_symbols(64 * batches, session.seed)
    model = name_the_symbol(make(32), x, answers, learning_rate, forget_bias)
    x, answers, back = marked_symbols(4_000, 10_000 + session.seed)
    right = model.predict(x, batch_size=500, verbose=0).argmax(axis=-1) == answers
    by_ten = {name: float(right[back // 10 == k].mean()) for k, name in enumerate(tens)}
    return {"all": float(right.mean()), **by_ten}


# %% slideshow={"slide_type": "skip"}
for name in session.pick(quick=[], full=list(recallers)):
    _, make, learning_rate, forget_bias, batches = recallers[name]
    recalled = recall_by_distance(make, learning_rate, forget_bias, batches)
    names = ("learning_rate", "forget bias", "batches of 64")
    settings = dict(zip(names, (learning_rate, forget_bias, batches), strict=True))
    cu.results.record(LECTURE, f"recall_{name}", "marked_symbols", recalled, settings=settings)

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Recorded: accuracy by how far back the symbol lies

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
rows = []
for name, (title, _, _, _, batches) in recallers.items():
    runs = cu.results.load(LECTURE, f"recall_{name}")
    row = {"seeds 0 / 1 / 2": title, "batches": batches, "all": by_seed(runs, "all")}
    rows.append(row | {f"{key} back": by_seed(runs, key) for key in tens[::3]})
cu.results.Table(rows)

# %% [markdown] slideshow={"slide_type": "-"}
# 32 units; rate 0.003 for the simple loop, 0.01 for the others; guessing gives 0.25.

# %% slideshow={"slide_type": "skip"}
figure, axis = cu.plotting.figure(8, 3.4)
ranges = []
for name in ("simple_rnn", "gru", "lstm_bias_3", "lstm_bias_1"):
    runs = cu.results.load(LECTURE, f"recall_{name}")
    lines = np.mean([[run["metrics"][key] for key in tens] for run in runs], axis=0)
    axis.plot(range(10), lines, marker="o", markersize=4, label=recallers[name][0])
    ranges.append(f"{recallers[name][0]} from {min(lines):.2f} to {max(lines):.2f}")
axis.axhline(0.25, color="#555555", linestyle="--", linewidth=1)
axis.set_xticks(range(10), tens, fontsize=9)
axis.set(xlabel="steps back", ylabel="accuracy, mean of three seeds", ylim=(0, 1.08))
axis.legend(fontsize=9, loc="center right")
cu.plotting.show(
    figure,
    "Accuracy at recalling the marked symbol by how far back it lies, after 1,000 batches, "
    "mean of the recorded seeds, with a dashed line for guessing at 0.25: " + "; ".join(ranges),
)

# %% [markdown] slideshow={"slide_type": "skip"} claims=["min(recorded(model, 'marked_symbols', f'{n} to {n + 9}').min() for model in ('recall_gru', 'recall_lstm_bias_3') for n in range(0, 100, 10)) >= 0.95", "recorded('recall_simple_rnn', 'marked_symbols', 'all').max() < 0.35"]
# The simple loop guesses; of the ten nearest symbols it gets a little more (0.30 to 0.33
# recorded). The GRU and the LSTM with a forget bias of 3 name the symbol at every distance, the
# far end included: whoever has learned to hold for ten steps can hold for ninety. With Keras'
# bias of 1 the LSTM needs longer; after 1,000 batches one of the three recorded seeds is not
# there yet. The table above shows seeds, not means, because a mean of two successes and a
# failure describes nobody.

# %% [markdown] slideshow={"slide_type": "notes"}
# Three figures in each field, one a seed. *Why does distance hardly matter, once it works?* A
# gate that is shut is shut; ninety steps cost no more than ten. Then the forget bias: the same
# cell, one number changed at the start. And the GRU, which forgets fast when fresh, learns it
# without help: fresh cells do not tell the whole story.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### The task that misleads
#
# The same question, put differently: the symbol is always the **first**.
#
# - *other noise*: one of 8 symbols, then noise from 8 **other** symbols
# - *one alphabet*: as before, four symbols and a marker, but always in the first place


# %% [markdown] slideshow={"slide_type": "notes"}
# Ask for a bet before the table: *is it easier when the place is known?* For the one who set
# the task it is: less to find out. Have them bet for each of the three cells.


# %% slideshow={"slide_type": "skip"}
def first_of_others(count, seed, distance):
    """Ids: one of 8 symbols, then `distance` noise symbols out of 8 others."""
    draw = np.random.default_rng(seed)
    first = draw.integers(8, size=count)
    noise = draw.integers(8, 16, size=(count, distance))
    return np.column_stack([first, noise]).astype("int32"), first.astype("int32")


def always_first(count, seed, distance):
    """Four symbols and a marker, as before, with the marker always on the first one."""
    x, _, _ = marked_symbols(count, seed, steps=distance + 1)
    x[..., -1] = np.arange(distance + 1) == 0
    return x, x[:, 0, :4].argmax(axis=-1).astype("int32")


# %% slideshow={"slide_type": "skip"}
tasks = {"other noise": first_of_others, "one alphabet": always_first}
cells_tried = {"SimpleRNN": layers.SimpleRNN, "GRU": layers.GRU, "LSTM": layers.LSTM}
fixed = {}
for task, distance in session.pick(
    quick=[], full=[("other noise", 10), ("other noise", 40), ("one alphabet", 20)]
):
    for title, make in cells_tried.items():
        keras.utils.set_random_seed(session.seed)
        fitted = name_the_symbol(make(32), *tasks[task](25_600, session.seed, distance), 0.003)
        x, answers = tasks[task](2_000, 10_000 + session.seed, distance)
        guesses = fitted.predict(x, batch_size=500, verbose=0).argmax(axis=-1)
        fixed[f"{task}, {distance} back: {title}"] = float((guesses == answers).mean())
cu.results.record(LECTURE, "recall_first", "symbols", fixed)

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Always first: the simple loop wins

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
runs = cu.results.load(LECTURE, "recall_first")
rows = [
    {"seeds 0 / 1 / 2": task}
    | {title: by_seed(runs, f"{task}: {title}") for title in cells_tried}
    for task in dict.fromkeys(key.split(":")[0] for key in runs[0]["metrics"])
]
cu.results.Table(rows)

# %% [markdown] slideshow={"slide_type": "-"}
# 400 batches at a rate of 0.003; guessing gives 0.12 and 0.25. At the **random place** (1,000
# batches, gated cells at 0.01) the table was turned.

# %% [markdown] slideshow={"slide_type": "skip"} claims=["min(recorded('recall_first', 'symbols', f'{task} back: SimpleRNN').min() for task in ('other noise, 10', 'other noise, 40', 'one alphabet, 20')) >= 0.95", "max(recorded('recall_first', 'symbols', f'{task} back: GRU').max() for task in ('other noise, 40', 'one alphabet, 20')) < 0.75", "max(recorded('recall_first', 'symbols', f'{task} back: LSTM').min() for task in ('other noise, 40', 'one alphabet, 20')) < 0.75"]
# Had we shown this task alone, the conclusion would have been the opposite one, and it is a
# task that you meet in papers. Beyond ten steps the GRU guesses on every seed; the LSTM
# succeeds on one seed of three; the simple loop always succeeds.
#
# Two things differ from the task before: the place, and the settings. With those of the random
# place (0.01, 1,000 batches) the gated cells solve "one alphabet" too on some starts, and fail
# on others: we tried it and did not record it. Why might the random place help them? Our
# reading, which is not proven: at a random place some sequences have the symbol *near* the end.
# They are easy, gates learn from them to open at the marker and to stay shut otherwise, and
# what holds for five steps then holds for ninety. When the symbol is always far away, no easy
# example is there to begin with. The simple loop may profit from its orthogonal start, which
# keeps a first symbol's trace while inputs are small, as embeddings are (lecture 2).

# %% [markdown] slideshow={"slide_type": "notes"}
# A lesson in experiments more than in networks. *Which of the two tasks is the fair one?*
# Neither and both: each answers its own question. Say that rate and batches differ from the
# table before, and that the explanation by near
# examples is a reading and not a result. Ask for an experiment that would test it: leave the
# near sequences out of the random task, for instance.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Both ways, and in floors

# %% slideshow={"slide_type": "-"}
cu.figures.show("03_bidirectional")

# %% [markdown] slideshow={"slide_type": "skip"}
# **Bidirectional**: two loops with weights of their own, one from the first word to the last,
# one from the last to the first. At each word the two states stand side by side, so each word
# is seen with what comes before *and* after it: good for tagging or judging whole texts, out of
# the question for predicting what comes next. Twice the parameters.
#
# **Stacked**: the states of the first loop are the input of the second. The lower floor must
# hand up all its states.

# %% [markdown] slideshow={"slide_type": "notes"}
# Left: *what does the grey box at "never" know?* Everything: the blue part the past, the orange
# part the future. *May a forecaster use it?* No; the future is not there yet, and a model that
# is tested with it cheats. Right: which layer needs all states? The lower one. The next slides
# show the three usual accidents.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Stacked: hand up all states

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
word_vectors = keras.Input((None, 16))
try:
    layers.LSTM(32, name="second")(layers.LSTM(32)(word_vectors))
except ValueError as error:
    print(str(error).split(". Full")[0])
all_states = layers.LSTM(32, return_sequences=True)(word_vectors)
print("with return_sequences=True:", layers.LSTM(32)(all_states).shape)

# %% [markdown] slideshow={"slide_type": "notes"}
# The commonest error message of this lecture. Read it aloud once, so that they recognise it:
# "expected ndim=3, found ndim=2". The lower layer gave one state a text; the upper one wanted
# one a word.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What can go wrong: the last step of a padded text

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
x = generator.normal(size=(1, 6, 3)).astype("float32")
mask = np.array([[True, True, True, True, False, False]])  # four words and two pads
one_way = layers.LSTM(4, return_sequences=True, use_cudnn=False)
both_ways = layers.Bidirectional(layers.LSTM(4, return_sequences=True))
plain = ops.convert_to_numpy(one_way(x, mask=mask))
double = ops.convert_to_numpy(both_ways(x, mask=mask))
print("LSTM: the last step repeats word 4:", np.array_equal(plain[0, 5], plain[0, 3]))
print("Bidirectional: the last step is zero:", not double[0, 5].any())

# %% [markdown] slideshow={"slide_type": "-"}
# Never take `[:, -1]` of a bidirectional layer: on padded texts it is **zero**. Leave
# `return_sequences` off, and Keras joins the two right ends.

# %% [markdown] slideshow={"slide_type": "skip"}
# Keras sets `zero_output_for_mask` inside `Bidirectional` when all states are asked for. There
# is a second trap behind the first. Even without pads, the backward half at the last word has
# read *one* word, the last: it has read the whole text at the *first* word. With
# `return_sequences=False` the layer returns the forward state at the last word and the backward
# state at the first, which is what a verdict needs:

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
ends = layers.Bidirectional(layers.LSTM(4))
ends.build((None, None, 3))
ends.set_weights(both_ways.get_weights())
verdict = ops.convert_to_numpy(ends(x, mask=mask))[0]
print("forward half, at word 4: ", np.allclose(verdict[:4], double[0, 3, :4], atol=1e-6))
print("backward half, at word 1:", np.allclose(verdict[4:], double[0, 0, 4:], atol=1e-6))

# %% [markdown] slideshow={"slide_type": "notes"}
# Two traps in one line of code, and neither raises an error. Zero at the pads is visible if one
# looks; the second is worse: `[:, -1]` on texts without pads works, trains, and wastes half of
# the layer. *Where has the backward loop read everything?* At word one. Always let Keras pick
# the ends.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### The padding test, for every reader of this lecture

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
short = reviews.test.inputs[np.count_nonzero(reviews.test.inputs, axis=1) < 40][:50, :40]
keras.utils.set_random_seed(0)
for name, reader in readers.items():
    judge, moves = review_model(words, reader, name=name), []
    for pads in (1, 7, 50):
        longer = np.pad(short, ((0, 0), (0, pads)))
        moves.append(ops.convert_to_numpy(judge(longer) - judge(short)))
    largest = max(np.abs(move).max() for move in moves)
    print(f"{name:16} 1, 7 or 50 pads more change nothing: {largest < 1e-5}")

# %% [markdown] slideshow={"slide_type": "notes"}
# The course's rule: adding pads changes nothing. Five readers, three numbers of pads, all pass,
# because the embedding makes a mask and every layer here respects it. *Which line would break
# it?* `mask_zero=True` taken away, or a layer that drops the mask: lecture 4 has two of those.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Recurrent dropout, as Keras 3 does it

# %% slideshow={"slide_type": "-"}
loop = layers.SimpleRNN(
    8,
    activation="linear",
    kernel_initializer="ones",
    recurrent_initializer="identity",
    recurrent_dropout=0.5,
    return_sequences=True,
    seed=1,
)
impulse = np.zeros((2, 3, 1), "float32")
impulse[:, 0] = 1.0  # one word, then silence: h stays 1 for ever, but for the dropout
print(ops.convert_to_numpy(loop(impulse, training=True)).astype(int))

# %% [markdown] slideshow={"slide_type": "-"}
# A unit that is dropped is dropped at **every** step of this text; the other text has a mask of
# its own. What is kept is doubled (1 / 0.5), at each step anew.

# %% [markdown] slideshow={"slide_type": "skip"}
# This is the idea of Gal and Ghahramani (2016): one mask for a whole sequence. A fresh mask at
# every step would erase any memory sooner or later: with half of the units dropped at each step
# hardly a unit of this loop outlives ten words. Read in the source of Keras 3.15:
#
# - one mask for each text of the batch, drawn at the start of the sequence and kept;
# - in the LSTM four different masks, one a gate (in the GRU three), multiplied to $h_{t-1}$ on
#   its way *into* the gates. The LSTM's memory $c$ itself is never dropped;
# - `dropout=` masks the inputs in the same way, one mask a sequence. Beside
#   `recurrent_dropout` it too has a mask for each gate, otherwise one for all.

# %% [markdown] slideshow={"slide_type": "notes"}
# Let them find the mask in the printed matrices: columns that are zero from the second row on.
# *Why do the others grow 1, 2, 4?* This toy loop keeps its state and each step doubles what
# survives. In an LSTM the dropped thing is the state on its way into the gates, never the
# memory. Then the catch: it costs the fast kernel, next slide.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What loses the fast kernel on a GPU
#
# | setting | TensorFlow, cuDNN |
# | --- | --- |
# | `dropout=0.3` | kept |
# | `recurrent_dropout=0.3` | **lost** |
# | another `activation` or `recurrent_activation` | **lost** |
# | `use_bias=False`, `unroll=True`, GRU's `reset_after=False` | **lost** |
# | `SimpleRNN`; `keras.layers.RNN(…)` with a cell of your own | never had it |
# | a mask with pads **behind** | kept |
# | pads in front, or a text of pads alone | an **error** |

# %% [markdown] slideshow={"slide_type": "skip"}
# This table is read in the source of Keras 3.15, and not timed. Where the kernel is lost, Keras
# runs the same mathematics as a loop over the steps, silently: slower on a GPU, equal in result
# but for the pads, where the loop repeats the last state and the kernel gives zeros. On a
# processor there is no cuDNN and nothing to lose. To be told instead of being slowed down, pass
# `use_cudnn=True`: Keras then refuses what the kernel cannot do.
#
# The last row is for TensorFlow, inside `fit` and `predict`: with the kernel in use, a mask
# that is not "words first, then pads" or a row without a single word stops with an error that
# names the mask, or hints at `use_cudnn=False`. That is why this course pads behind, and why an
# empty text should never reach the model.
#
# With JAX the rules are stricter: in Keras 3.15 the LSTM uses cuDNN only *without* a mask, and
# the GRU has no cuDNN path at all, whatever its settings.

# %% [markdown] slideshow={"slide_type": "notes"}
# A practical slide; nobody remembers it, everybody should know that it exists. The defaults are
# the fast settings, and every deviation is silent. *Which of the rows would you meet first?*
# Recurrent dropout, because it is good advice on small data. Stress that this was read and not
# measured; on a processor there is no fast kernel to lose.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Real reviews: IMDB
#
# | | |
# | --- | --- |
# | texts | 20,000 training, 5,000 validation, 25,000 test; the last 500 words of each |
# | words | the **5,000** most frequent of the training part |
# | model | Embedding(5000, 32), one of the readers of 32 units, Dense(1) |
# | against overfitting | a quarter of the words dropped; dropout 1/2 around the reader |
# | training | Adam, rate falling to 0 by a cosine, batches of 128 by length, best of 8 epochs |
# | rate | 1e-3 for the simple loop, 4e-3 for the gated ones |


# %% slideshow={"slide_type": "skip"}
def imdb_model(reader, vocab_size, name):
    """The same readers for real reviews: ids (batch, words) in, probability of praise out."""
    ids = keras.Input((None,), dtype="int32")
    x = layers.Embedding(vocab_size, 32, mask_zero=True)(ids)
    x = layers.Dropout(IMDB["words dropped"], noise_shape=(None, None, 1))(x)
    x = layers.SpatialDropout1D(IMDB["dropout"])(x)
    for layer in reader():
        x = layer(x)
    x = layers.Dropout(IMDB["dropout"])(x)
    verdict = layers.Dense(1, activation="sigmoid", dtype="float32")(x)
    return keras.Model(ids, verdict, name=name)


# %% slideshow={"slide_type": "skip"}
IMDB = {"length": 500, "words dropped": 0.25, "dropout": 0.5, "epochs": 8}


def train_on_imdb(reader, learning_rate, vocab_size=5_000, name=None):
    """Train a reader, keep its best epoch, and read the test set once, at the end."""
    imdb = cu.data.load_imdb("ids", vocab_size, IMDB["length"])
    parts = imdb.train, imdb.val, imdb.test
    train, val, test = [cu.data.length_buckets(part, 128) for part in parts]
    keras.utils.set_random_seed(session.seed)
    model = imdb_model(readers[reader], vocab_size, name or reader)
    epochs = IMDB["epochs"]
    falling = keras.optimizers.schedules.CosineDecay(learning_rate, epochs * len(train))
    optimizer = keras.optimizers.Adam(falling, clipnorm=1.0)
    model.compile(optimizer, "binary_crossentropy", metrics=["accuracy"])
    run = cu.training.fit(model, (train, val), epochs, patience=epochs, source=imdb.source)
    accuracy = model.evaluate(test, verbose=0)[1]
    run.record(
        LECTURE,
        dataset="imdb",
        settings=IMDB | {"learning_rate": learning_rate},
        test_accuracy=accuracy,
    )


real_rates = {"simple_rnn_32": 1e-3, "lstm_32": 4e-3, "gru_32": 4e-3, "bidirectional_32": 4e-3}
for reader, learning_rate in session.pick(quick={}, full=real_rates).items():
    train_on_imdb(reader, learning_rate)
if session.profile == "full":
    train_on_imdb("lstm_32", 4e-3, 10_000, "lstm_32_10k_words")

# %% [markdown] slideshow={"slide_type": "skip"}
# **Why these lines.** `noise_shape=(None, None, 1)` draws one number a *word*, not one for each
# entry: a word is dropped whole, as if it had not been read. A rate that falls along a cosine
# lets the last epochs settle. `patience` as long as the training stops nothing and keeps the
# best epoch. The rates were chosen on reviews cut from the training part, for one seed.

# %% [markdown] slideshow={"slide_type": "notes"}
# In the quick profile this trains nothing; the next slides show three recorded seeds. Lecture 2
# kept 10,000 words and a constant rate, so its SimpleRNN is trained anew here, with the same
# care as the others. Ask: *why only 5,000 words?* Collect guesses and keep them for the table.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### The small run, and the recorded ones

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
recorded = cu.results.load(LECTURE, "lstm_32", "imdb")
cu.plotting.curves(run, recorded=recorded, title="this run: LSTM, the course's reviews")

# %% [markdown] slideshow={"slide_type": "notes"}
# Left what ran here, right the LSTM on the real reviews. *Why does the training line begin
# below the validation line?* Dropout is on while training: a quarter of the words is missing
# and half of the numbers. Later they cross. *Which epoch is kept?* The best on validation.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Recorded on IMDB: mean of three seeds

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
real_titles = {
    "simple_rnn_32": "SimpleRNN",
    "lstm_32": "LSTM",
    "gru_32": "GRU",
    "bidirectional_32": "LSTM, both directions",
    "lstm_32_10k_words": "LSTM, 10,000 words",
}
timed = cu.results.load_table(LECTURE, "length-buckets-jax")
seconds = dict(zip(real_titles, [row["in buckets"] for row in timed[:4]], strict=False))
rows = []
for name, title in real_titles.items():
    runs = cu.results.load(LECTURE, name, "imdb")
    row = {"reader": title, "parameters": runs[0]["parameters"]}
    for label, metric in [("validation", "val_accuracy"), ("test", "test_accuracy")]:
        row[label] = "{:.3f} ± {:.3f}".format(*cu.results.mean(runs, metric))
    rows.append(row | {"seconds an epoch": f"{seconds[name]:.0f}" if name in seconds else None})
cu.results.Table(rows)

# %% slideshow={"slide_type": "skip"}
trained = [one for one in cu.results.load(LECTURE) if one["seconds_per_epoch"]]
minutes = sum(one["seconds_per_epoch"] * one["epochs"] for one in trained) / 60 / 3
print(f"{trained[0]['backend']} on {trained[0]['hardware']}: {minutes:.0f} minutes a seed")

# %% [markdown] slideshow={"slide_type": "skip"} claims=["min(recorded(model, 'imdb').mean() for model in ('lstm_32', 'gru_32', 'bidirectional_32')) >= 0.88", "min(recorded(model, 'imdb').mean() for model in ('lstm_32', 'gru_32')) > recorded('simple_rnn_32', 'imdb').mean()", "recorded('lstm_32_10k_words', 'imdb', 'val_accuracy').mean() > recorded('lstm_32', 'imdb', 'val_accuracy').mean()", "recorded('lstm_32_10k_words', 'imdb').mean() < recorded('lstm_32', 'imdb').mean()"]
# That is what the full profile trained in this lecture so far; its other rates and its recall
# tasks take some minutes more. While it ran the machine had other work too. The seconds in the
# table are measured apart, on a quiet machine; the table further down says how.
#
# What the table says, row by row.
#
# - The gated readers are ahead of the simple loop, as expected; but look how little. Reviews
#   praise or damn all over the text, so that little has to be *held*. What gates are
#   for, this data set hardly asks.
# - The GRU, the cheaper of the two, is the best. At one rate and 32 units that is a
#   finding about these settings, not about GRUs.
# - Reading in both directions doubles the loop's weights and its time, and gains next to
#   nothing here: the last word has already seen the whole text.
# - With 10,000 words instead of 5,000, validation says *better* and the test set says *worse*.
#   Our reading: among the rarer words are more names, of actors, directors, roles. Validation
#   was cut from the training part, so its reviews are about the same films, and a name that was
#   learned is a help there. The test set is about other films. That would also explain why
#   lecture 2 saw two points between validation and test, and these rows see less.

# %% [markdown] slideshow={"slide_type": "notes"}
# First the test column: who expected more than a few points between the simple loop and the
# gates? Then the last row against the second: *validation prefers it, the test does not. Whom
# do you believe, and why do they differ?* The same films in training and validation. A cut by
# film would be honest; the data set does not name the films.

# %% [markdown] slideshow={"slide_type": "subslide"} claims=["min(recorded(model, 'imdb').mean() for model in ('lstm_32', 'gru_32')) > recorded('multi_hot_10k', 'imdb', lecture='01_imdb_embeddings').mean()", "max(recorded(model, 'imdb').mean() for model in ('lstm_32', 'gru_32')) < recorded('bigrams_200k_log_ratios', 'imdb', lecture='01_imdb_embeddings').mean()"]
# ### Beside the bag of words

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
sources = {
    "bag of 10,000 words": ("01_imdb_embeddings", "multi_hot_10k"),
    "bag of 200,000 words and pairs, scaled": ("01_imdb_embeddings", "bigrams_200k_log_ratios"),
    "SimpleRNN, as in lecture 2": ("02_simple_rnn", "simple_rnn_32"),
    "SimpleRNN, this lecture's training": (LECTURE, "simple_rnn_32"),
    "LSTM": (LECTURE, "lstm_32"),
    "GRU": (LECTURE, "gru_32"),
}
rows = []
for title, (lecture, name) in sources.items():
    runs = cu.results.load(lecture, name, "imdb")
    accuracy_on_test = "{:.3f} ± {:.3f}".format(*cu.results.mean(runs, "test_accuracy"))
    rows.append({"model": title, "test accuracy": accuracy_on_test})
cu.results.Table(rows)

# %% [markdown] slideshow={"slide_type": "-"}
# The gates pass the bag of words, and stay behind the bag of word **pairs**. On film reviews
# the question is how much evidence you collect, not how long you hold it.

# %% [markdown] slideshow={"slide_type": "skip"}
# Note the two rows of the simple loop: the same network, trained with fewer words, more dropout
# and a falling rate, gains almost a point, nearly as much as the LSTM is ahead of it. Whoever
# compares a carefully trained new network with a carelessly trained old one measures care.

# %% [markdown] slideshow={"slide_type": "notes"}
# Say it plainly: a regression on word pairs, which trains in seconds, is ahead of everything in
# this lecture on this data set. *Then why all this?* Because on the course's own far reviews
# counting is lost, and translating or writing needs order. Pre-training, in lab 6b, is what
# turns the table on IMDB as well, elsewhere and with far larger networks.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### What batches of like length are worth

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
backends = ("tensorflow", "jax")
tables = [cu.results.load_table(LECTURE, f"length-buckets-{name}") for name in backends]
rows = []
for lines in zip(*tables, strict=True):
    row = {"seconds an epoch, in buckets / padded to 500": lines[0]["network"]}
    for name, line in zip(backends, lines, strict=True):
        row[name] = f"{line['in buckets']:.0f} / {line['padded to 500']:.0f}"
        row[f"{name}: ratio"] = f"{line['ratio']:.1f}"
    rows.append(row)
cu.results.Table(rows[:4])

# %% [markdown] slideshow={"slide_type": "-"}
# Half of the reviews have fewer than 180 words; padded to 500, most steps are steps over pads.

# %% [markdown] slideshow={"slide_type": "skip"}
# Both forms train on the same real reviews, one after the other in turn, on an otherwise quiet
# machine (`make bench` measures them anew). A mask saves no time: a masked step is computed and
# thrown away. Only shorter batches save it.

# %% [markdown] slideshow={"slide_type": "notes"}
# Ask before the table: *the mask skips pads, so why do pads cost time?* Skipping is done after
# computing. The ratio is what to take home, not the seconds; on a GPU with cuDNN both would be
# much smaller. It is a free gain of a few lines, and hardly anybody takes it.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 03.1 · How many parameters?
#
# Count the parameters of a Keras layer. `cell` is `"lstm"`, `"gru"` (Cho's form) or
# `"gru_reset_after"` (Keras' default).

# %% builds="course_utils.lectures.lecture_03.count_parameters" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
count_parameters = cu.exercises.use("03.1", count_parameters)

# %% [markdown] slideshow={"slide_type": "notes"}
# Two minutes. Usual mistakes: the biases forgotten, four blocks for the GRU, one row of biases
# for the default form. Check aloud with LSTM(32) on 32 inputs: 8,320.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 03.2 · Slice the forget gate
#
# Keras keeps all gates of an LSTM side by side: `W` is (inputs, 4·units), `U` (units, 4·units),
# `b` (4·units,). Return the forget gate for a batch, (batch, units); `sigmoid` is there.

# %% builds="course_utils.lectures.lecture_03.forget_gate" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
forget_gate = cu.exercises.use("03.2", forget_gate)

# %% [markdown] slideshow={"slide_type": "notes"}
# The order again: input, forget, candidate, output. Whoever takes the last quarter has followed
# another library; whoever slices rows has forgotten that a row belongs to an input. The bias
# has to be sliced too.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 03.3 · One step of Keras' GRU
#
# The default form, `reset_after=True`. In this exercise **z = 1 keeps** the old state. Columns:
# z, r, candidate. `b` is (2, 3·units): row 0 goes with $x W$, row 1 with $h U$.

# %% builds="course_utils.lectures.lecture_03.gru_step_reset_after" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
gru_step_reset_after = cu.exercises.use("03.3", gru_step_reset_after)

# %% [markdown] slideshow={"slide_type": "notes"}
# Two traps: the other convention of z, which is right in the slides and wrong here, and the
# second bias added outside the reset. The check tells them apart. Cho's form is a third answer
# that looks fine.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 03.4 · A memory of fifty words
#
# Nothing is written, the input is silent: $c_t = f\,c_{t-1}$ with $f = \sigma(b)$. Return the
# bias $b$ with which half of the memory is left after `half_life` steps.

# %% builds="course_utils.lectures.lecture_03.forget_bias" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
forget_bias = cu.exercises.use("03.4", forget_bias)

# %% [markdown] slideshow={"slide_type": "notes"}
# Fifty steps: a gate of 0.986, a bias of about 4.3. The usual answer is the gate itself; ask
# what sigmoid it is the argument of. Let the quick ones plot half-life against bias: it grows
# about like the exponential, which is why a bias of 3 does so much more than a bias of 1.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 03.5 · The coupled cell
#
# Write one step of an LSTM with no input gate of its own: $i = 1 - f$. Three blocks of columns:
# forget gate, candidate, output gate. Return `(h, c)`, each (batch, units).

# %% builds="course_utils.lectures.lecture_03.coupled_step" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
coupled_step = cu.exercises.use("03.5", coupled_step)

# %% [markdown] slideshow={"slide_type": "notes"}
# The hard one is short. Wrong ideas: i = f instead of 1 − f, the candidate without tanh, h from
# the old memory. Afterwards compare with the library's `coupled_step`, and ask which GRU part
# this has become.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Summary
#
# - a gate is a number between 0 and 1, made from word and state; the LSTM **adds** to a memory
#   that otherwise runs on: $c_t = f_t \odot c_{t-1} + i_t \odot g_t$
# - Keras' order: input, forget, candidate, output; forget bias 1
# - GRU: two gates, two forms (150 or 165), two conventions of $z$
# - gates give no better gradients at the start; they give a memory that can *learn* to hold
# - rate, forget bias and task decide: name the setting with every claim
# - both ways and in floors: mind the last step, hand up all states

# %% [markdown] slideshow={"slide_type": "skip"}
# **What changed since lecture 2.** There, one matrix and one tanh rewrote the whole state at
# every word. Here the memory runs on by itself, and what comes in, stays and goes out is
# decided word by word, by numbers that are learned. The far verdicts, at which the simple loop
# guessed at the same batches and epochs, are read.
#
# **What comes next.** The lab uses these layers on time series. Lecture 4 drops the loop: a
# convolution looks at a few neighbouring words at a time, all places at once, and is fast where
# a loop has to wait for its own last step.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Papers
#
# - Hochreiter and Schmidhuber (1997), *Long short-term memory*
# - Gers, Schmidhuber and Cummins (2000), *Learning to forget*; Gers and Schmidhuber (2000),
#   *Recurrent nets that time and count*: peepholes
# - Schuster and Paliwal (1997), *Bidirectional recurrent neural networks*
# - Cho and others (2014), *Learning phrase representations using RNN encoder–decoder*; Chung
#   and others (2014), *Empirical evaluation of gated recurrent neural networks*
# - Jozefowicz, Zaremba and Sutskever (2015), *An empirical exploration of recurrent network
#   architectures*: forget bias
# - Gal and Ghahramani (2016), *A theoretically grounded application of dropout in recurrent
#   neural networks*
# - Greff and others (2017), *LSTM: a search space odyssey*

# %% [markdown] slideshow={"slide_type": "notes"}
# Close with the review of the beginning: "The direction was charming", then the popcorn. Have
# somebody say what each gate does at "charming" and at "popcorn". Then ask what is still slow:
# word 100 has to wait for word 99. That opens lecture 4.
