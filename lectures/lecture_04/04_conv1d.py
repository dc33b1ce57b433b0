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
# know the verdict. Three or four, next to each other: "was never dull". An LSTM processes all
# the others one after another to keep them. Today's network looks at all positions at the same
# time.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What you will be able to do
#
# 1. build a convolution with stride, dilation and causal padding, equal to Keras' layer
# 2. compute how many words a stack of layers sees, and design one for a given number
# 3. find out what a network has learned, by changing its input
# 4. keep padding out of a convolutional network
# 5. put a recurrent layer on top of a convolution, for text and for moving images

# %% [markdown] slideshow={"slide_type": "skip"}
# **You need** lectures 1 to 3: embeddings, padding masks, the recurrent loop, LSTM and GRU.
# **It takes** ninety minutes, of which the seven exercises take about fifty.
#
# Cells that begin with a file name show that file's code. After an exercise, the rest of the
# notebook runs on your own definition if it is correct, and on the course's otherwise; so you
# can always run on.

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) The third point is the heart: we shall see a network solve a task that it should
# not be able to solve, and find out how it does it. Ask who has used convolutions on images.
# Here is the same idea with one axis less and one difficulty more: texts have padding.

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
    by_phenomenon,
    framed_reviews,
    load_motion,
    record,
)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Where the LSTM is slow
#
# An LSTM needs the state of word 99 before it can read word 100. A review of 100 words takes
# 100 steps, one after another, to find a phrase of three words.

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
by_layer = {}
for row in cu.results.load_table(LECTURE, "step-time"):
    by_layer.setdefault(row["layer"], []).append((row["length"], row["milliseconds"]))
drawing, axes = cu.plotting.figure(8, 3.2)
said = []
for name, points in by_layer.items():
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
# Recorded on two CPU cores. Every layer's work grows in proportion to the length, but the
# convolution computes all its steps in parallel.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Ask for the slope of a layer whose time doubles when the length doubles: 1. All
# four approach it. The convolution has no better exponent but a better constant, because its
# work can be done in parallel. Keep the plot in mind for attention, whose work grows with the
# square of the length.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The idea: a window that slides

# %% slideshow={"slide_type": "-"}
cu.figures.show("04_window")

# %% [markdown] slideshow={"slide_type": "-"}
# $$y_t = b + \sum_j x_{t \cdot s + j \cdot d}\, K_j$$

# %% [markdown] slideshow={"slide_type": "skip"}
# The **kernel** $K$ has a matrix $K_j$, (channels, filters), for each position $j$ of the
# window. Each word vector in the window is multiplied by the matrix of its position, the
# products are added, and so is the bias $b$. A **filter** is one column of all these matrices;
# its output says how strongly its phrase is present. The **stride** $s$ says how far the window
# moves from one output to the next, the **dilation** $d$ how far apart the words in a window
# are; both are 1 unless stated otherwise. $t$ and $j$ count from 0.
#
# The same $K$ is used at every position, so the number of parameters, kernel · channels ·
# filters + filters, does not depend on the length of the text. With stride 1, if the input
# shifts by one word, the output shifts by one step: convolution is **equivariant** to
# translation, except at the edges of the text. With a window of width 1, it is a `Dense`
# layer applied to every word.

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Slide a strip of paper with a hole over a sentence on the board. What changes from
# position to position? Only what is in the hole; the filter stays. Inside the window, order
# counts: "never was dull" gets another answer. Ask for the number of parameters of 32 filters
# of width 7 on 128 channels: 7 · 128 · 32 + 32 = 28,704.

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
# five? One. Of six? None, and Keras raises an error. A learned kernel does not care about
# flipping, but a comparison with SciPy does.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ### Exercise 04.1 · Build the convolution
#
# Only windows that lie inside the sequence (padding `valid`). Loop over the positions of the
# **window**, not over the text: that is why a convolution is fast.

# %% builds="lectures.lecture_04.convolve" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
convolve = cu.exercises.use("04.1", convolve)

# %% [markdown] slideshow={"slide_type": "notes"}
# (10 minutes) Let them draw the windows for 10 words, kernel 3, stride 2: they start at 0, 2, 4
# and 6. With dilation d a window spans (k − 1) · d + 1 words. Usual mistakes: the number of
# windows with stride and dilation, and a loop over the text.

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
# may a model use that forecasts tomorrow's temperature? Only the causal one.

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
# which outputs move. The usual mistakes are k − 1 zeros although the kernel has holes, and
# zeros on both sides.

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
x = np.random.default_rng(0).normal(size=(2, 23, 4)).astype("float32")
largest = 0
for padding, stride, dilation in [
    ("valid", 1, 1),
    ("valid", 3, 1),
    ("valid", 1, 3),
    ("causal", 1, 3),
]:
    with cu.full_precision():
        layer = layers.Conv1D(
            5, 4, stride, padding, dilation_rate=dilation, bias_initializer="normal"
        )
        from_keras = ops.convert_to_numpy(layer(x))
    K, b = layer.get_weights()
    if padding == "valid":
        ours = convolve(x, K, b, stride, dilation)
    else:
        ours = causal_convolution(x, K, b, dilation)
    largest = max(largest, np.abs(ours - from_keras).max())
print("kernel", K.shape, "bias", b.shape, "output", ours.shape)
print("equal to Keras' Conv1D:", largest < 1e-5)

# %% [markdown] slideshow={"slide_type": "skip"}
# Keras stores the kernel as (kernel, channels, filters). PyTorch has (filters, channels,
# kernel) and takes the sequence as (batch, channels, steps).

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
# Pooling by 5 is a layer (5, 5, 1): kernel 5, stride 5. After it, neighbouring steps are five
# words apart, so later layers reach five times as far.

# %% [raw]
# given(5)

# %% builds="lectures.lecture_04.receptive_field" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
receptive_field = cu.exercises.use("04.3", receptive_field)

# %% [markdown] slideshow={"slide_type": "notes"}
# (6 minutes) Compute the network of the slides together, conv 7, pool 5, conv 7: 7, then 4 more
# by the pooling, then 6 times 5, which is 41. Whoever adds the kernels gets 19. Does an LSTM
# have a receptive field? All words before; whether it uses them is another question.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ### Exercise 04.4 · Design a stack
#
# Convolutions of width 3; each dilation is twice the one below. How many layers do you need?

# %% builds="lectures.lecture_04.dilations_for" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
dilations_for = cu.exercises.use("04.4", dilations_for)

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
for words in (15, 120, 2_000):
    chosen = dilations_for(words)
    seen = receptive_field([(3, 1, dilation) for dilation in chosen])
    without = words // 2  # each undilated layer adds two words to the first one
    print(f"{words:5,} words: {len(chosen)} layers see {seen:,}; without dilation {without:,}")

# %% [markdown] slideshow={"slide_type": "notes"}
# (5 minutes) Depth alone adds two words a layer; doubling dilations doubles the field with each
# layer. For 2,000 steps that is 10 layers instead of 1,000. That made WaveNet possible, which
# generates audio sample by sample.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The network of the slides
#
# The slides on which this course is based train this network on IMDB. A colleague copies it
# and trains it from six random starts:


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
# (1 minute) Read the network layer by layer and ask what each one returns. Nobody should look
# for the bug yet.

# %% slideshow={"slide_type": "skip"}
reviews = cu.data.load_reviews(length=200)
words = len(reviews.vocabulary)


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
    axes.plot(losses, marker="o", markersize=3, label=f"seed {seed}")
    ends.append(f"seed {seed}: {losses[0]:.1f} at first, {losses[-1]:.1f} at the end")
axes.set(xlabel="training step", ylabel="loss", ylim=(0, 11))
axes.legend(ncols=2)
cu.plotting.show(drawing, "Training loss of the slides' network: " + "; ".join(ends))

# %% [markdown] slideshow={"slide_type": "-"}
# Some runs stay at a loss of about 8. **What is wrong?** Half of the reviews are positive, and
# Keras clips probabilities at $10^{-7}$, whose logarithm is −16.1.

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Let them work with the symptom: a loss that stays around 8. Half of the reviews
# cost 16.1 and half cost nothing. What would all outputs have to be? At or below 0. And why
# does the loss not fall? Do not give it away: the notebook explains it after the exercise.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ### Exercise 04.5 · Mend it
#
# Return the network such that its outputs are what the loss expects.

# %% builds="lectures.lecture_04.slides_network" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
slides_network = cu.exercises.use("04.5", slides_network)

# %% slideshow={"slide_type": "skip"}
for seed in (1, 2):
    losses = first_losses(slides_network, seed)
    print(f"mended, seed {seed}: loss {losses[0]:.2f}, after twelve steps {losses[-1]:.2f}")

# %% [markdown] slideshow={"slide_type": "skip"}
# `Dense(1)` returns any number, and the loss takes it for a probability: everything below 0
# counts as 0. If all outputs are negative, a negative review costs nothing and a positive one
# 16.1, 8 on average. A clipped value has no gradient: as long as every output of every batch is
# negative, the weights do not change, and the loss only follows the share of positive reviews
# in a batch. A few positive outputs in one of the first batches give a gradient; most such runs
# escape, and the bug goes unnoticed.
#
# There are two correct endings: `Dense(1, activation="sigmoid")` with `"binary_crossentropy"`,
# and `Dense(1)` with `BinaryCrossentropy(from_logits=True)`. The second is numerically safer in
# 16 bits, but then the threshold is a score of 0 and not 0.5: `BinaryAccuracy(threshold=0.0)`.

# %% [raw]
# near(-np.log(1e-7), 16.1, 0.05)
# near(-np.log(1e-7) / 2, 8, 0.1)
# given(0.5)

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Ask for the smallest test that finds such a bug before training: the first loss of
# a balanced two-class problem has to be near ln 2 = 0.69. Write that on the board; it serves
# for every classifier.

# %% [raw]
# near(np.log(2), 0.69, 0.005)

# %% [markdown] slideshow={"slide_type": "slide"} tags=["lead"]
# ## Does this phrase occur anywhere?
#
# One convolution of width 5, then the maximum over all positions: one number per filter.
# **Predict** the accuracy on the four kinds of reviews of lecture 2.
#
# *Plain* and *negation* repeat one verdict. *Far* has one, in the first sentence. *Turn* has
# two opposite ones, 44 to 68 words apart, and the later one counts.

# %% shows="lectures.lecture_04.real_words" slideshow={"slide_type": "skip"}
# filled by the build

# %% shows="lectures.lecture_04.phrase_net" slideshow={"slide_type": "skip"}
# filled by the build

# %% slideshow={"slide_type": "skip"}
phrases = phrase_net(words)
phrases.compile(keras.optimizers.Adam(0.01), "binary_crossentropy", metrics=["accuracy"])
run = cu.training.fit(phrases, reviews, epochs=session.pick(quick=5, full=10), batch_size=64)

# %% slideshow={"slide_type": "subslide"} tags=["answers-prediction", "hide-input"]
accuracy = {"windows of 5 words": by_phenomenon(phrases, reviews.test)}
bars(accuracy, chance=0.5)

# %% [markdown] slideshow={"slide_type": "fragment"}
# A negated verdict fits into a window, and the maximum finds it at any distance. But how can a
# maximum over windows of five words know which verdict came *last*?

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) Vote first, kind by kind. Then let the silence after the question stand. Somebody
# will say that the network is smarter than we think. It is not.

# %% [markdown] slideshow={"slide_type": "slide"}
# ### An intervention: put one neutral sentence first
#
# Reviews of the kinds *turn* and *far* begin with their first verdict: "The plot was clever.
# …". The **intervention** leaves the network as it is and changes the test reviews. **Predict**
# what happens to each kind.

# %% slideshow={"slide_type": "-"} tags=["answers-prediction"]
sentence = reviews.vocabulary.encode(cu.data.tokenize("It was not cold that night."))
test = reviews.test
moved = np.pad(test.inputs, ((0, 0), (len(sentence), 0)))
moved[:, : len(sentence)] = sentence
rows = {"as they are": by_phenomenon(phrases, test)}
changed = cu.data.Split(moved, test.targets, columns=test.columns)
rows["one sentence in front"] = by_phenomenon(phrases, changed)
for name, found in rows.items():
    print(f"{name:22s}", {kind: round(value, 2) for kind, value in found.items()})

# %% [markdown] slideshow={"slide_type": "-"}
# *Turn* falls to chance, the others stay: **the network knew which verdict is the first one by
# its position at the edge of the text.**

# %% [markdown] slideshow={"slide_type": "skip"}
# In "The plot was clever", *clever* is the fourth word of the review. No window of five ends
# with it, but one window ends with each later verdict. So a filter that expects the adjective
# in its fifth position responds to the later verdict only, and one that expects it earlier
# responds to both. Together the later verdict weighs more. *Far* reviews show the same: their
# only verdict stands in the first sentence, and it weighs more once a sentence precedes it.

# %% slideshow={"slide_type": "skip"}
filters = keras.Model(phrases.input, phrases.layers[-1].input)
weights, bias = phrases.layers[-1].get_weights()
far = test.columns["phenomenon"] == "far"
for name, ids in (("as they are", test.inputs), ("one sentence in front", moved)):
    score = filters.predict(ids[far], batch_size=500, verbose=0) @ weights + bias
    print(f"{name:22s} far: mean size of the score before the sigmoid {abs(score).mean():.0f}")

# %% [markdown] slideshow={"slide_type": "skip"}
# The argument that a maximum cannot know the order was right. The network did not use the
# order but a **shortcut** in the data. In real reviews an edge may be legitimate information;
# you should know whether your model depends on it.

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) This is how to treat a result that is too good: look for what the network could
# use, predict what happens without it, and test. A test set with the same shortcut as the
# training set can never show it.

# %% [markdown] slideshow={"slide_type": "slide"}
# ### Without the edges: who can read a turn?
#
# New training and test reviews: in *turn*, at least 45 neutral words stand before the first
# verdict and after the last. The two verdicts are 44 to 68 words apart.

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
NETWORKS = {
    "phrase_5": "phrases",
    "text_convnet": "two\nblocks",
    "dilated_convnet": "dilation 2",
    "dilated": "six\nlayers",
    "conv_gru": "GRU\non top",
}
panels = {
    title: {
        "a seed": {
            label: [run["metrics"]["turn"] for run in cu.results.load(LECTURE, name, dataset)]
            for name, label in NETWORKS.items()
        }
    }
    for title, dataset in (("as they are", "reviews"), ("neutral ends", "framed_reviews"))
}
cu.plotting.dots(panels, ylabel="accuracy on turn", chance=0.5, limits=(0.35, 1.05))

# %% [markdown] slideshow={"slide_type": "-"}
# One output sees 5 words; 41 (conv 7, pool 5, conv 7); 71 (the same, the second conv with
# dilation 2); 127 (six dilated causal layers); or all (conv 5, pool 5, GRU). **Without the
# edges, only outputs that see both verdicts can tell which came last.**

# %% [raw]
# np.abs(recorded("phrase_5", "framed_reviews", "turn") - 0.5).max() < 0.08
# np.abs(recorded("text_convnet", "framed_reviews", "turn") - 0.5).max() < 0.08
# min(
#     recorded(model, "framed_reviews", "turn").min()
#     for model in ("dilated_convnet", "dilated", "conv_gru")
# ) > 0.95

# %% [markdown] slideshow={"slide_type": "skip"}
# All networks had ten epochs and their learning rate from the same three values, chosen on
# validation reviews; a dot is one of three seeds. The second and third network differ in the
# dilation alone. A receptive field limits what *one output* sees. The whole network can know
# more: at the edges, some windows do not exist, or contain zeros.

# %% [raw]
# len(recorded("phrase_5", "framed_reviews", "turn")) == 3

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Let them compute the receptive field of the third network with their own function
# and predict all five before you show the figure. Ask which of the three winners they would
# take: with respect to accuracy it makes no difference here.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What can go wrong: padding

# %% slideshow={"slide_type": "-"}
cu.figures.show("04_pads")

# %% [markdown] slideshow={"slide_type": "-"}
# `mask_zero=True` does not help: a `Conv1D` drops the mask, with a warning that is easily
# missed.

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Upper half: the window over "film, pad, pad" reads padding, and windows further to
# the right read nothing else. Their outputs depend on the bias and on the embedding of the
# padding, and one of them may win the maximum. Ask where the mask has to act. Most say "before
# the maximum"; that is one of two places.

# %% [raw]
# given(2)

# %% [markdown] slideshow={"slide_type": "skip"}
# Pooling has a trap of its own. `MaxPooling1D(5, padding="same")` fills the last window up, and
# half of what is missing goes to the *left*. How much is missing depends on the padded
# length, so one zero more shifts every window. With `padding="valid"` windows begin at the
# first word, but the last steps are dropped. `pool_real` adds four zeros on the right and then
# pools with `valid`: windows start at 0, 5, 10 …, and no word is lost. Zeros cannot win the
# maximum wrongly, because the output of a ReLU is never negative.

# %% slideshow={"slide_type": "skip"}
cu.figures.show("04_pool_shift")

# %% shows="lectures.lecture_04.pool_real" slideshow={"slide_type": "skip"}
# filled by the build

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ### Exercise 04.6 · A convnet that ignores padding
#
# `real_words(ids)` returns the mask and `pool_real(x, 5)` takes the maximum of every five
# steps. The check adds zeros to your reviews and compares.

# %% builds="lectures.lecture_04.text_convnet" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
text_convnet = cu.exercises.use("04.6", text_convnet)

# %% [markdown] slideshow={"slide_type": "notes"}
# (12 minutes) Two multiplications by the mask for each convolution: before it, so that no
# window reads padding; after it, so that no bias wins. After a ReLU, 0 is the smallest value.
# Without a ReLU it would have to be minus infinity. Then the mask has to be pooled like the
# vectors.

# %% slideshow={"slide_type": "skip"}
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
# The convolution finds phrases, pooling by five shortens the text to a fifth, and a GRU
# remembers which verdict came last.

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Draw the three layers on top of each other. Which of them knows the order of the
# two verdicts?

# %% [markdown] slideshow={"slide_type": "subslide"} tags=["exercise"]
# ### Exercise 04.7 · Read the turn
#
# On the reviews with neutral ends, your network of exercise 04.6 is at chance on *turn*. Put a
# recurrent layer on top and train until 95 % of the validation reviews that turn are
# correct. Half a minute of training is enough.

# %% [raw]
# given(0.95)

# %% builds="lectures.lecture_04.train_conv_gru" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
train_conv_gru = cu.exercises.use("04.7", train_conv_gru)

# %% slideshow={"slide_type": "skip"}
framed = framed_reviews()
reader = train_conv_gru(framed)

# %% slideshow={"slide_type": "skip"} tags=["hide-input"]
bars({"convolution and GRU": by_phenomenon(reader, framed.test)}, chance=0.5)

# %% slideshow={"slide_type": "skip"} tags=["headline"]
found = by_phenomenon(reader, framed.test)
print(f"convolution and GRU, neutral ends: accuracy on turn {found['turn']:.2f}")

# %% [markdown] slideshow={"slide_type": "notes"}
# (11 minutes) The mask again: after pooling, the GRU needs the pooled mask by hand, since no
# layer carries it. Ask how many steps the GRU takes for 200 words: forty.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["lead"]
# ### Frame by frame: what moves where?
#
# A shape moves by one pixel per frame and changes its direction. At *every* frame, the network
# classifies the motion that led to it.
#
# The classes are still, left, right, up and down.

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
clips = load_motion(train=session.pick(quick=2_000, full=4_000))
turns = (np.diff(clips.test.targets, axis=1) != 0).sum(axis=1)
shown = int(np.argmax(turns == 2))  # the first clip with three motions
names = [clips.class_names[target] for target in clips.test.targets[shown]]
drawing, axes = cu.plotting.figure(10, 1.3, columns=12)
for image, name, axis in zip(clips.test.inputs[shown], names, axes, strict=True):
    axis.imshow(image[..., 0], cmap="Greys", vmin=0, vmax=1.2)
    axis.set_title(name)
    axis.set(xticks=[], yticks=[])
    axis.grid(False)
cu.plotting.show(drawing, "A clip of twelve noisy images of one shape: " + ", ".join(names))

# %% shows="lectures.lecture_04.motion_net" slideshow={"slide_type": "skip"}
# filled by the build

# %% [markdown] slideshow={"slide_type": "-"} tags=["lead"]
# Above each frame stands the motion that led to it; the first frame has the label of the
# second.
#
# `TimeDistributed` applies one and the same small convnet to each image. The result is a
# sequence of twelve vectors. On top comes a `Dense` layer, which sees one frame, a causal
# convolution over two frames, or an LSTM. **Predict** the accuracy of the three, frame by
# frame.

# %% slideshow={"slide_type": "skip"}
epochs, batch_size = session.pick(quick=(4, 32), full=(12, 64))
live = record.train_on_motion("motion_conv", clips, epochs, batch_size, session.seed)

# %% slideshow={"slide_type": "subslide"} tags=["answers-prediction", "hide-input"]
MEMORIES = {"motion_lstm": "LSTM", "motion_conv": "two frames", "motion_frame": "one frame"}
drawing, axes = cu.plotting.figure(7, 2.8)
frames, said = np.arange(1, 13), []
for number, (name, label) in enumerate(MEMORIES.items()):
    runs = cu.results.load(LECTURE, name, "motion")
    lines = np.array([[run["metrics"][f"frame_{k}"] for k in frames] for run in runs])
    for seed, line in enumerate(lines):
        axes.plot(
            frames, line, color=cu.plotting.COLOURS[number], label=None if seed else label
        )
    first, rest = lines[:, 0].mean(), lines[:, 1:].mean()
    said.append(f"{label} {first:.2f} at the first frame, {rest:.2f} after it")
axes.plot(frames, live, "k:", label="two frames, just now")
axes.axhline(0.2, **cu.plotting.GUIDE)
axes.set(xlabel="frame", ylabel="accuracy", ylim=(0, 1.05))
axes.legend(loc="center right")
cu.plotting.show(drawing, "Accuracy by frame, recorded: " + "; ".join(said) + ".")

# %% [markdown] slideshow={"slide_type": "fragment"}
# One image says nothing about motion. Two neighbouring images are enough: **a window of width
# two recognises every motion.**

# %% [raw]
# all(near(recorded("motion_frame", "motion", f"frame_{n}"), 0.2, 0.06) for n in range(1, 13))
# min(
#     recorded(name, "motion", f"frame_{n}").min()
#     for name in ("motion_lstm", "motion_conv")
#     for n in range(2, 13)
# ) > 0.9

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) Cover all frames but one and ask which way it moves. Nobody can say. At the first
# frame all networks are at 20 %, because nothing came before. The LSTM has no advantage here.
# Ask for a task on these clips for which it would have one: count the changes of direction, for
# example.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Real reviews: IMDB

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
RUNS = {
    "two blocks,\nmasked": (LECTURE, "slides_network"),
    "convolution\nand GRU": (LECTURE, "conv_gru"),
    "GRU\n(lecture 3)": ("03_lstm_gru", "gru_32"),
    "n-grams\n(lecture 1)": ("01_imdb_embeddings", "bigrams_200k_log_ratios"),
}
dots = {
    label: [run["metrics"]["test_accuracy"] for run in cu.results.load(*run, "imdb")]
    for label, run in RUNS.items()
}
cu.plotting.dots({"IMDB": {"a seed": dots}}, ylabel="test accuracy", limits=(0.85, 0.95))

# %% [markdown] slideshow={"slide_type": "-"}
# All of them lie around 90 %. On IMDB, counting word pairs does at least as well as these
# networks.

# %% [raw]
# recorded(
#     "bigrams_200k_log_ratios", "imdb", "test_accuracy", "01_imdb_embeddings"
# ).min() > recorded("conv_gru", "imdb", "test_accuracy").max()
# near(
#     [
#         recorded("slides_network", "imdb").mean(),
#         recorded("conv_gru", "imdb").mean(),
#         recorded("gru_32", "imdb", "test_accuracy", "03_lstm_gru").mean(),
#     ],
#     0.90,
#     0.02,
# )

# %% [markdown] slideshow={"slide_type": "skip"}
# The figure shows where the models stand, not which architecture is best: the convnets have
# embeddings of 128 numbers, the GRU of lecture 3 has 32; its learning rate was tuned, theirs
# was not. With 50 zeros more, the probabilities of the two masked networks do not change at
# all; those of the network of the slides do. It was trained and tested at one padded length, so
# its accuracy hides the bug.

# %% [raw]
# max(
#     recorded(model, "imdb", "moved_by_pads").max() for model in ("slides_network", "conv_gru")
# ) < 1e-5
# recorded("listing", "imdb", "moved_by_pads").min() > 1e-5

# %% slideshow={"slide_type": "skip"}
if session.profile == "full":  # makes the recorded runs anew
    record.record_all(session.seed)

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Ask what they would hand to a customer who has reviews and one processor core:
# n-grams. And what if the reviews turn? Then a model that knows which verdict came last.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Where this stands today
#
# - [Kim (2014)](https://arxiv.org/abs/1408.5882) puts filters of width 3, 4 and 5 side by side:
#   a strong, cheap text classifier
# - **TCN**: dilated causal blocks with residual connections and normalisation, for series
# - **Depthwise-separable convolution** mixes steps for each channel alone, then channels with
#   width 1: far fewer weights (MobileNet, Xception)
# - Speech models (wav2vec 2.0, Whisper) begin with strided convolutions, then Transformers
# - State-space models such as Mamba use a short causal convolution in every block

# %% [raw]
# given(2.0)

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) One sentence a line. Convolution has left the classification of texts; it stayed
# where signals are long, in front of speech Transformers and inside state-space models.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Summary
#
# - $y_t = b + \sum_j x_{ts + jd}\, K_j$: one kernel for all positions, computed in parallel
# - receptive field: add $(k - 1) \cdot d \cdot$ jump, multiply the jump by the stride
# - a maximum answers *whether* a phrase occurs, not *when*; edges can be a shortcut to it
# - padding: mask before and after each convolution, pool from the first word
# - the first loss of a balanced two-class problem is 0.69, or something is wrong

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
# - Collobert, Weston, Bottou, Karlen, Kavukcuoglu, Kuksa (2011). [*Natural language processing
#   (almost) from scratch.*](https://arxiv.org/abs/1103.0398)
# - Kim (2014). [*Convolutional neural networks for sentence
#   classification.*](https://arxiv.org/abs/1408.5882)
# - Donahue and others (2015). [*Long-term recurrent convolutional
#   networks.*](https://arxiv.org/abs/1411.4389) Convnet and LSTM.
# - van den Oord and others (2016). [*WaveNet: a generative model for raw
#   audio.*](https://arxiv.org/abs/1609.03499)
# - Yu, Koltun (2016). [*Multi-scale context aggregation by dilated
#   convolutions.*](https://arxiv.org/abs/1511.07122)
# - Bai, Kolter, Koltun (2018). [*An empirical evaluation of generic convolutional and recurrent
#   networks for sequence modeling.*](https://arxiv.org/abs/1803.01271) TCN.
