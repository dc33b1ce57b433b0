# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   title: MLP-Mixer and gMLP
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] slideshow={"slide_type": "slide"} tags=["title"]
# # MLP-Mixer and gMLP
#
# **Lecture 8** · networks for pictures without attention
#
# *Attention works out whom to listen to. What if it simply knew?*

# %% [markdown] slideshow={"slide_type": "notes"}
# Ask the room to name everything that a Transformer computes apart from matrix products: a
# softmax, and weights that are computed from the data. Strike both out on the board. What is
# left is a network of the eighties, with two things of today in it: the residual and the norm.
# In 2021 several groups found within weeks that this is nearly enough. Today: how, and at what
# price.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What you will be able to do
#
# 1. write Mixer's two equations and gMLP's gate, in NumPy and in Keras, equal
# 2. say why there are no positions, and show which model knows places
# 3. start a gate so that a block begins as a plain feed-forward network, and test it
# 4. say what mixing costs as the number of tokens grows, and count a model by hand
# 5. tell what pre-training brings where labels are few, with the rows that a fair table needs

# %% [markdown] slideshow={"slide_type": "skip"}
# **You need** lecture 6 (attention, residual, norm) and lecture 7 (patches, the Vision
# Transformer). **It takes** about ninety minutes to read. Running it takes about a minute in
# the quick profile, on any laptop: there two small networks learn to read digits of 8×8 pixels.
# The full profile trains what the tables show, but for the trials of single rates; of the
# photographs it trains the large networks where there is a GPU (without a slip that our first
# ones had), else the small ones.
#
# A cell that begins with the name of a file holds that file's code, letter for letter: change
# it here, and the cells below use your version. The models of `cu.models` are built from the
# library's own.

# %% [markdown] slideshow={"slide_type": "notes"}
# Five points, two models. The third is the one that people skip and then cannot train a deep
# gMLP. The fifth is the main finding of the course work that this lecture grew from: from
# scratch on little data these models lose, pre-trained they do not have to. We shall see
# whether it holds at our size.

# %% slideshow={"slide_type": "skip"} name="start"
import course_utils as cu

session = cu.start(seed=0)  # before Keras is imported, so that its backend starts quietly
LECTURE = "08_mixer_gmlp"

import keras
import numpy as np
from keras import layers, ops
from scipy.special import erf

from course_utils.data.base import not_negative, one_of
from course_utils.layers.attention import ScaledDotProductAttention, all_of, causal_mask
from course_utils.layers.mlp import GATES, check_tokens, tokens_of, two_layers
from course_utils.layers.transformer import new_norm
from course_utils.lectures.lecture_06 import layer_norm
from course_utils.lectures.lecture_07 import from_patches, gelu, to_patches
from course_utils.lectures.lecture_07b import load_shapes
from course_utils.lectures.lecture_08 import (
    PRINTED,
    dense,
    gelu_tanh,
    gmlp_block,
    gmlp_parameters,
    mixer_parameters,
)
from course_utils.models.mlp import MLP_SIZES


# %% slideshow={"slide_type": "skip"}
def runs_of(model, dataset):
    """The recorded runs of a model, one a seed; none where nothing is recorded."""
    return [r for r in cu.results.load(LECTURE, dataset=dataset) if r["model"] == model]


def spread(values, digits=2):
    """Mean and range of some seeds' values; None where there are none."""
    if not values:
        return None
    figures = np.mean(values), min(values), max(values)
    # Plus zero: no "-0.0" in a table.
    mean, least, most = (f"{round(float(figure), digits) + 0:.{digits}f}" for figure in figures)
    return f"{mean} ({least} to {most})"


# %% slideshow={"slide_type": "skip"}
def by_dataset(titles, datasets, metric="test_accuracy", head="network", digits=2):
    """A recorded metric as a table: a row a model, a column a data set."""
    rows = []
    for model, title in titles.items():
        row = {head: title}
        for dataset, column in datasets.items():
            found = [run["metrics"].get(metric) for run in runs_of(model, dataset)]
            row[column] = spread([value for value in found if value is not None], digits)
        rows.append(row)
    return cu.results.Table(rows)


def recorded_table(name):
    """The rows of a recorded table of measurements; none where it is still to be recorded."""
    try:
        return cu.results.load_table(LECTURE, name)
    except ValueError:
        return []


# %% [markdown] slideshow={"slide_type": "slide"}
# ## Where lecture 7 stands
#
# With few pictures the Vision Transformer stays behind a convnet of its size. Digits of 8×8
# pixels, test accuracy by training digits, recorded (range of three seeds):

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
COUNTS = {f"digits_{count}": f"{count:,} digits" for count in (100, 400, 1_200)}
by_dataset({"vit": "ViT", "convnet": "convnet"}, COUNTS)

# %% [markdown] slideshow={"slide_type": "-"}
# A ViT has to learn **what to ask** and **what to answer** before anybody listens to anybody.
#
# But in all pictures of digits the same places matter to each other. Does it have to ask each
# time anew?

# %% [markdown] slideshow={"slide_type": "skip"}
# A convolution knows before any training that neighbours belong together and that a stroke
# means the same everywhere. Attention knows nothing of the kind. It computes, for each picture,
# a table of $S \times S$ weights, $S$ being the number of patches: who listens to whom. Queries
# and keys have to be learned before this table says anything.
#
# Look at such tables for two pictures. They differ: that is the strength of attention, and what
# it pays for.

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
digits = cu.data.load_digits()
shape = {"image": 8, "channels": 1, "classes": 10}
vit = cu.models.vision_transformer(
    **shape, patch=2, embed_dim=48, num_heads=4, mlp_dim=192, num_layers=2, pool="mean"
)
tables = cu.models.attention_weights(vit, digits.train.inputs[:2])[-1]
print("a table for each picture and head:", tables.shape)
print("tables of two pictures are equal:", np.allclose(tables[0], tables[1], atol=1e-4))

# %% [markdown] slideshow={"slide_type": "notes"}
# If the table shows dashes, nobody has recorded the runs on this copy yet; say so and go on.
# Ask: *what does attention compute that does not depend on the weights alone?* The S × S table
# itself. *Could one learn that table directly?* Let them object: pictures differ, digits stand
# elsewhere. All true. The question of today is how much is lost, and what is won.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Three ways to let tokens talk

# %% slideshow={"slide_type": "-"}
cu.figures.show("08_three_ways")

# %% [markdown] slideshow={"slide_type": "skip"}
# What surrounds it stays as it was in lecture 7: patches at the beginning, residual
# connections, LayerNorm, a small network on each token's channels, the mean at the end. Only
# the part in which tokens hear of each other is exchanged.
#
# - **Attention** computes an $S \times S$ table from the picture and averages by it.
# - **Mixer** turns the table of tokens, so that the places lie where the channels were, and
#   applies an ordinary small network. Its weights are learned and the same for all pictures.
# - **gMLP** keeps one learned $S \times S$ matrix $W$. What it gathers is not added but
#   *multiplied* to the token, as a gate.

# %% [markdown] slideshow={"slide_type": "notes"}
# Left to right: ask at each panel where the numbers come from that say who listens to whom.
# From the picture; from training; from training. *Which of the three could process a picture of
# another size?* Only the left one. They will meet this again as an error message.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### By hand: a matrix on the left mixes tokens
#
# $X$ holds three tokens (rows) of two channels (columns):
#
# $$X = \begin{pmatrix} 1 & 10 \\ 2 & 20 \\ 3 & 30 \end{pmatrix} \qquad
# \underbrace{A X}_{\text{tokens}} \text{ with } A = \begin{pmatrix} 0 & 1 & 0 \\ 0 & 0 & 1
# \\ 1 & 0 & 0 \end{pmatrix} \qquad
# \underbrace{X B}_{\text{channels}} \text{ with } B = \begin{pmatrix} 0 & 1 \\ 1 & 0
# \end{pmatrix}$$

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
X = np.array([[1, 10], [2, 20], [3, 30]])
A, B = np.roll(np.eye(3, dtype=int), 1, axis=1), np.array([[0, 1], [1, 0]])
print("tokens mixed", (A @ X).tolist(), "  channels mixed", (X @ B).tolist())
print("A X = (Xᵀ Aᵀ)ᵀ:", np.array_equal(A @ X, (X.T @ A.T).T))

# %% [markdown] slideshow={"slide_type": "-"}
# $A$ is the same for every channel, $B$ for every token. The last line is Mixer's trick: turn,
# multiply on the right as always, turn back.

# %% [markdown] slideshow={"slide_type": "notes"}
# Have them say the result before the cell: A moves every token up by one, B exchanges the two
# channels. *Which of the two does a Dense layer do?* B: Dense works on the last axis. *So how
# do you make a Dense layer mix tokens?* The last line. Everything that follows in the first
# half is these two products, with a GELU between.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Mixer's block

# %% slideshow={"slide_type": "-"}
cu.figures.show("08_mixer")

# %% [markdown] slideshow={"slide_type": "-"}
# $$U = X + W_2\, \sigma\big(W_1\, \text{LN}(X)\big) \qquad
# Y = U + \sigma\big(\text{LN}(U)\, W_3\big)\, W_4$$

# %% [markdown] slideshow={"slide_type": "skip"}
# The letters: $X$ is $(S, C)$, $S$ tokens of $C$ channels. $\text{LN}$ is LayerNorm, over the
# channels of each token, with a gain and a shift of its own at each of its two places.
# $\sigma$ is GELU, below. In **token mixing** $W_1$ is $(D_S, S)$ and $W_2$ is $(S, D_S)$: each
# *column* of $X$, one channel at all places, goes through the same small network with $D_S$
# hidden units. In **channel mixing** $W_3$ is $(C, D_C)$ and $W_4$ is $(D_C, C)$: each *row*,
# one token, goes through the same small network with $D_C$ hidden units. That second half is
# the Transformer's feed-forward part. Both networks have biases, not written here.
#
# $D_S$ is chosen freely. It does not have to grow with $S$, and in the paper it does not: 256
# for 49 tokens as for 196. Tolstikhin and others (2021) write both products from the left and
# the indices as subscripts; code has rows, so the library turns $X$ and multiplies from the
# right. There the same $W_1$ has the shape $(S, D_S)$.

# %% [markdown] slideshow={"slide_type": "notes"}
# Trace one number: the ink at one place, in one channel. In the first half it meets the same
# channel at all other places; in the second the other channels at its own place. After one
# block everything has met everything. *How many LayerNorms?* Two, each before its network, as
# in a pre-norm Transformer. *Which widths may be chosen?* D_S and D_C, apart from S and C; many
# copies on the net tie them, and then count another model.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Ten lines of NumPy

# %% slideshow={"slide_type": "-"} shows="course_utils.lectures.lecture_08.norm"
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
generator = np.random.default_rng(0)
S, C, D_S, D_C = 4, 6, 3, 8
X = generator.normal(size=(S, C))
W_1, W_2 = generator.normal(size=(S, D_S)), generator.normal(size=(D_S, S))
W_3, W_4 = generator.normal(size=(C, D_C)), generator.normal(size=(D_C, C))
turned = norm(X).T
U = X + (gelu(turned @ W_1) @ W_2).T
Y = U + gelu(norm(U) @ W_3) @ W_4
print("turned", turned.shape, " hidden", (turned @ W_1).shape, " U", U.shape, " Y", Y.shape)

# %% [markdown] slideshow={"slide_type": "-"}
# Channels are rows while tokens are mixed: `turned` is $(C, S)$, and $S$ lies where a Dense
# layer works. So the code's `W_1` (S, D_S) and `W_2` are the **transposes** of the equation's.

# %% [markdown] slideshow={"slide_type": "skip"}
# The library's functions have biases, gains and shifts as well, and take a batch in front. They
# stand in `course_utils/lectures/lecture_08.py`:

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_08.mlp"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_08.token_mixing"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_08.mixer_block"
# filled by the build

# %% [markdown] slideshow={"slide_type": "notes"}
# Shapes first, aloud, at every line. *What if somebody forgets the .T?* If S equals C nothing
# complains, and the network mixes channels twice.
# *Over which axis does norm go?* The channels, both times; it comes before the turn.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### GELU, exact and by tanh
#
# $$\sigma(x) = x\,\Phi(x) \;\approx\; \tfrac{x}{2} \Big(1 + \tanh\big(\sqrt{2/\pi}\, (x +
# 0.044715\, x^3)\big)\Big)$$

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
x = np.linspace(-4, 4, 401)
figure, axes = cu.plotting.figure(9, 2.7, columns=2)
axes[0].plot(x, gelu(x), label="GELU")
axes[0].plot(x, np.maximum(x, 0), linestyle="--", label="ReLU")
axes[0].set(xlabel="x", title="x Φ(x)")
axes[0].legend()
axes[1].plot(x, gelu_tanh(x) - gelu(x))
axes[1].set(xlabel="x", title="by tanh, minus exact")
axes[1].ticklabel_format(axis="y", scilimits=(0, 0))
alt = (
    "Left: GELU follows ReLU far from zero, is smooth at zero and dips to -0.17 near -0.75. "
    "Right: the tanh form differs from the exact one by at most 0.0005."
)
cu.plotting.show(figure, alt)

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
with cu.full_precision():
    for name, function in (("ops", ops.gelu), ("activations", keras.activations.gelu)):
        gap = np.abs(ops.convert_to_numpy(function(x.astype("float32"))) - gelu(x)).max()
        print(f"keras.{name}.gelu is x Φ(x) to 1e-5: {gap < 1e-5}")

# %% [markdown] slideshow={"slide_type": "skip"}
# $\Phi(x)$ is the share of a normal distribution that lies below $x$; GELU (Hendrycks and
# Gimpel, 2016) lets a number pass in proportion to how large it is among its like. The formula
# with the tanh is often given as the definition. It is an **approximation**, off by up to five
# ten-thousandths. That is small and not nothing: through two blocks it moves Mixer's output by
# about $10^{-4}$, so whoever compares two programs has to know which one each of them has.
#
# Keras has both, under defaults that differ: `keras.ops.gelu` is the tanh, the activation
# `"gelu"` is exact.

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_07.gelu"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_08.gelu_tanh"
# filled by the build

# %% [markdown] slideshow={"slide_type": "notes"}
# The right panel is the correction of a slip: the course work writes the tanh formula with an
# equals sign. *Does it matter for accuracy?* No. *For what does it matter?* For claiming that
# two programs are the same. Here one call of Keras has one form and another call the other.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The same in Keras

# %% slideshow={"slide_type": "skip"} shows="course_utils.layers.mlp.MixerBlock"
# filled by the build

# %% slideshow={"slide_type": "-"} shows="course_utils.layers.mlp.MixerBlock.call"
# filled by the build

# %% slideshow={"slide_type": "-"} shows="course_utils.layers.mlp.MixerBlock.mix_tokens"
# filled by the build

# %% [markdown] slideshow={"slide_type": "-"}
# Two LayerNorms, two residuals. Dense works on the last axis, so the tokens are laid there.

# %% [markdown] slideshow={"slide_type": "notes"}
# Two methods are all there is; the rest of the class makes layers and refuses wrong input. Ask
# what `swapaxes` costs: it moves numbers and computes nothing. Then ask for the line that would
# have to go if this were a Transformer block: only the first one in `call` changes.


# %% slideshow={"slide_type": "skip"}
def disturb(layer):
    """Draw all weights anew: fresh biases are 0 and gains 1, and would hide a mistake."""
    draw = np.random.default_rng(1)
    layer.set_weights([0.5 * draw.normal(size=w.shape) + 0.2 for w in layer.get_weights()])


# %% slideshow={"slide_type": "skip"}
def numbers(layer):
    """A layer's weights as NumPy arrays."""
    return [ops.convert_to_numpy(weight) for weight in layer.weights]


# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Equal, weight by weight

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
with cu.full_precision():
    block = MixerBlock(D_S, D_C)
    x = generator.normal(size=(2, S, C)).astype("float32")
    block(x)  # the first call makes the weights
    disturb(block)
    parts = ("token_norm", "token_mixing", "channel_norm", "channel_mixing")
    weights = {part: numbers(getattr(block, part)) for part in parts}
    theirs = ops.convert_to_numpy(block(x))
for name, sigma in (("exact GELU", gelu), ("GELU by tanh", gelu_tanh)):
    gap = np.abs(mixer_block(x, weights, sigma) - theirs).max()
    print(f"{name}: equal within 1e-5: {gap < 1e-5}")

# %% [markdown] slideshow={"slide_type": "skip"}
# `mixer_block` is the NumPy function of the notebook's earlier cell. The weights are disturbed
# before comparing. With fresh weights, whose biases are all zero and whose gains are all one, a
# forgotten bias would not be noticed.

# %% [markdown] slideshow={"slide_type": "notes"}
# The printed lines: equal with one GELU and not with the other, at 1e-5. This is how small a
# difference one has to look for if one wants to know that two programs are the same. *Why are
# the weights disturbed first?* Fresh biases are zero and fresh gains one: a program that forgot
# them would pass.

# %% [markdown] slideshow={"slide_type": "subslide"} claims=["all(cell('token-mixing-forms', form, n, 'ratio') >= 1 for form in (\"turn, Dense (the layer's)\", 'matmul from the left', 'einsum', 'turn, Conv1D of width 1') for n in (64, 256))", "near([cell('token-mixing-forms-jax', 'turn, Conv1D of width 1', n, 'ratio') for n in (64, 256)], [0.81, 0.94], 0.01)"]
# ### Four forms of one product
#
# Time of a training step, the layer's own form = 1 (recorded; CPU)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
forms = {}
for suffix, backend in (("", "TensorFlow"), ("-jax", "JAX")):
    for row in recorded_table(f"token-mixing-forms{suffix}"):
        line = forms.setdefault(row["form"], {"token mixing as": row["form"]})
        line[f"{backend}, S {row['length']}"] = f"{row['ratio']:.2f}"
cu.results.Table(forms.values() or [{"token mixing as": "still to be recorded"}])

# %% [markdown] slideshow={"slide_type": "-"}
# The layer turns the tokens and uses Dense: the form that reads like the equation. With
# TensorFlow none is faster; with JAX the convolution is, by a fifth at 64 tokens and hardly at
# 256. Exchange a form only **on your backend**, and keep the readable one as a test.

# %% [markdown] slideshow={"slide_type": "skip"}
# The same numbers come out of $W^\top X$ by `matmul` without turning, out of `einsum`, and out
# of a convolution of width 1 over the turned tokens. Which one is fastest is a question about
# compilers, and each backend has its own answer. The library's layer has one form on all
# backends, turn and Dense, and NumPy's `mixer_block` beside it as the reference that the tests
# hold it to. `python -m benchmarks.mixing_cost` measures the four on your machine.

# %% [markdown] slideshow={"slide_type": "notes"}
# A short slide, about manners. *Would you rewrite the layer for ten per cent?* Not before the
# line is proven to matter in the whole model, and never without the test that holds both forms
# equal. The table's columns may rank the forms differently: that is the point.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Channel mixing is a 1×1 convolution

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
with cu.full_precision():
    W_3, b_3, W_4, b_4 = weights["channel_mixing"]
    grid = x.reshape(2, 2, 2, C)  # four tokens as a grid of 2×2
    hidden, narrow = layers.Conv2D(D_C, 1, activation="gelu"), layers.Conv2D(C, 1)
    narrow(hidden(grid))
    hidden.set_weights([W_3[None, None], b_3])
    narrow.set_weights([W_4[None, None], b_4])
    convolved = ops.convert_to_numpy(narrow(hidden(grid))).reshape(x.shape)
gap = np.abs(convolved - mlp(x, W_3, b_3, W_4, b_4)).max()
print("equal within 1e-5:", gap < 1e-5)

# %% [markdown] slideshow={"slide_type": "-"}
# - channel mixing: a kernel of **one** place, all channels
# - token mixing: a kernel of **all** places, each channel alone, and all channels by the same
#   one
# - the patches: a convolution as long as its stride
#
# So a Mixer is a convnet, of an extreme kind: it can see everything, and is told nothing.

# %% [markdown] slideshow={"slide_type": "skip"}
# A convolution that treats every channel alone is called *depthwise*. Token mixing is one whose
# kernel covers the whole picture and which, in addition, has the same kernel for all channels.
# (A convolution also uses the same weights at each place; with a kernel as large as the picture
# there is only one place to put it.) What is missing is what made convnets good with little
# data: that neighbours count more, and that a pattern may stand anywhere.

# %% [markdown] slideshow={"slide_type": "notes"}
# The authors say it themselves in their paper. *So is "all-MLP" in the title a lie?*
# It is a matter of degree: what a convnet assumes is locality and shift, and neither is
# assumed here. The patches are the exception; they are local. Ask what a patch of one pixel
# would mean.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### The whole model: patches, blocks, norm, mean, scores

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
images = keras.Input((8, 8, 1))
h = cu.layers.PatchEmbedding(64, patch=2)(images)
for _ in range(3):
    h = MixerBlock(token_mlp_dim=32, channel_mlp_dim=128)(h)
h = layers.LayerNormalization(epsilon=1e-6)(h)
scores = layers.Dense(10)(layers.GlobalAveragePooling1D()(h))
print(f"{keras.Model(images, scores).count_params():,} weights:", end=" ")
sizes = {
    "patch": 2,
    "embed_dim": 64,
    "token_mlp_dim": 32,
    "channel_mlp_dim": 128,
    "num_layers": 3,
}
print(mixer_parameters(**sizes, image=8, channels=1, classes=10))

# %% [markdown] slideshow={"slide_type": "-"}
# No class token, no positions. The head reads the **mean** of all tokens, behind a last norm:
# norm, mean, head, in this order. Token mixing has a seventeenth of the weights.

# %% [markdown] slideshow={"slide_type": "skip"}
# `cu.models.mixer_model` builds the same, with a check of the picture's size in front. The
# order at the end matters for equality with other programs: the mean first and the norm behind
# it is another model. `mixer_parameters` counts by the equations, without building;
# exercise 08.2 writes it by hand.

# %% [markdown] slideshow={"slide_type": "notes"}
# Ask for S here: 8 over 2 is 4, squared 16. Then the parts: *which is the largest, and is that
# a surprise?* The channels' networks, as in a Transformer. *What would a class token be good
# for?* It could be mixed like any other token; the mean does as well and has no weights.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Why are there no positions?
#
# Cut a digit into 16 patches of 2×2 and lay them out in another order. **Untrained** models: do
# their ten scores change?
#
# | model | your guess: yes or no |
# | --- | --- |
# | ViT with learned positions | |
# | ViT without | |
# | Mixer | |
# | gMLP | |

# %% [markdown] slideshow={"slide_type": "notes"}
# Votes by hands, row by row, before the next slide. The ViT rows are lecture 7's. Mixer: the
# first row of W_1 belongs to the first place, so yes. gMLP is the trap: it has a weight for
# each pair of places as well; but how large are these weights in the beginning? Do not tell.

# %% [markdown] slideshow={"slide_type": "skip"}
# The four networks for digits have 54,000 to 60,000 weights each; so have the variants of gMLP
# that come later. `digit_model` builds them all.


# %% slideshow={"slide_type": "skip"}
def convnet(image, channels, filters, classes):
    """Convolutions of 3×3 with poolings of 2×2 between, then the mean over the picture."""
    x = images = keras.Input((image, image, channels))
    for number, width in enumerate(filters):
        x = layers.MaxPooling2D()(x) if number else x
        x = layers.Conv2D(width, 3, padding="same", activation="relu")(x)
    mean = layers.GlobalAveragePooling2D()(x)
    return keras.Model(images, layers.Dense(classes, dtype="float32")(mean))


# %% slideshow={"slide_type": "skip"}
SPREADS = {"gmlp_no_W": 0.0, "gmlp_no_gate": 0.0, "gmlp_wide_W": 0.5}


def gmlp_for_digits(kind):
    """A gMLP, whole or with its gates held still or started otherwise."""
    model = cu.models.gmlp_model(
        **shape, patch=2, embed_dim=48, mlp_dim=192, num_layers=4, spread=SPREADS.get(kind)
    )
    for block in model.layers:
        if isinstance(block, cu.layers.GMLPBlock):
            block.gate.W.trainable = kind not in ("gmlp_no_W", "gmlp_no_gate")
            block.gate.b.trainable = kind != "gmlp_no_gate"
            if kind == "gmlp_b_zero":
                block.gate.b.assign(np.zeros(16))
    return model


# %% slideshow={"slide_type": "skip"}
def digit_model(kind):
    """A classifier of 8×8 digits by its name, with fresh weights drawn by the seed."""
    keras.utils.set_random_seed(session.seed)
    attention = {
        "patch": 2,
        "embed_dim": 48,
        "num_heads": 4,
        "mlp_dim": 192,
        "num_layers": 2,
        "pool": "mean",
    }
    mixing = {
        "patch": 2,
        "embed_dim": 64,
        "token_mlp_dim": 32,
        "channel_mlp_dim": 128,
        "num_layers": 3,
    }
    if kind == "convnet":
        return convnet(8, 1, (32, 64, 64), 10)
    if kind == "mixer":
        return cu.models.mixer_model(**shape, **mixing)
    if kind in ("vit", "vit_no_positions"):
        positions = "learned" if kind == "vit" else "none"
        return cu.models.vision_transformer(**shape, **attention, positions=positions)
    return gmlp_for_digits(kind)


# %% slideshow={"slide_type": "skip"}
def reordered(pictures, order):
    """The 16 patches of each picture laid out in another order."""
    return from_patches(to_patches(pictures, 2)[:, order], 8, 8, 2)


def moved_by_reordering(model):
    """How far the scores move, at most, when the patches are laid out otherwise."""
    order = np.random.default_rng(0).permutation(16)
    pictures = digits.test.inputs[:50]
    scores = [model(p, training=False) for p in (pictures, reordered(pictures, order))]
    first, second = (ops.convert_to_numpy(part) for part in scores)
    return np.abs(first - second).max()


# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Untrained: scores move by, at most

# %% slideshow={"slide_type": "-"}
kinds = {
    "ViT with positions": "vit",
    "ViT without": "vit_no_positions",
    "Mixer": "mixer",
    "gMLP": "gmlp",
}

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
with cu.full_precision():
    for title, kind in kinds.items():
        gap = moved_by_reordering(digit_model(kind))
        print(f"{title:20}" + (f"{gap:.1f}" if gap > 0.01 else "less than 0.0001"))

# %% [markdown] slideshow={"slide_type": "-"}
# - **Mixer** knows its places from the start: weight $s$ of $W_1$ belongs to place $s$. Added
#   positions would tell it nothing that it cannot have by itself
# - a **new gMLP** cannot know them: its gate does not mix yet. It will learn to

# %% [markdown] slideshow={"slide_type": "skip"}
# Attention treats its tokens as a set: without positions a picture and its shuffled patches are
# the same to it. A matrix over the tokens is the opposite. Its row $s$ is about place $s$ and
# no other, so order is built into the weights, and neither paper adds positions. That is also
# why such a model is tied to one picture size: for a 17th patch there is no weight. We come to
# it.

# %% [markdown] slideshow={"slide_type": "notes"}
# Go back to the votes. The last row wins the argument: a new gMLP gives the same scores to a
# shuffled digit. *Is something broken?* No; this is how it was designed, and the next part says
# why. *And does that stay so?* We shall ask the trained one.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### "Token mixing is attention without the softmax"
#
# Feed two pictures. Attention's weights change; $W_1$ and $W_2$ are what they are.
#
# | | attention | token mixing | the gate |
# | --- | --- | --- | --- |
# | weights come from | the picture | training | training |
# | another picture | other weights | the same | the same |
# | depends on the picture through | $QK^\top$ and values | GELU | the product with $Z_1$ |
# | takes another $S$ | yes | no | no |

# %% [markdown] slideshow={"slide_type": "skip"}
# The third row matters. A network with fixed weights is not a linear one. In Mixer the GELU
# between $W_1$ and $W_2$ decides, picture by picture, which hidden units are open. In gMLP what
# was gathered is multiplied with the token itself, so that products of two places appear, as
# they do in attention (which has products of three: query, key and value). "The weights do not
# look at the picture" is true, "the mixing does not depend on the picture" is not.

# %% [markdown] slideshow={"slide_type": "notes"}
# A common sentence, and half right. *What would be left of attention without the softmax?*
# QKᵀV: still computed from the picture. Mixer has no Q and no K. Then the third row: have them
# find in each equation where the picture can change what is done with it.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## gMLP's block: one matrix, used as a gate

# %% slideshow={"slide_type": "-"}
cu.figures.show("08_gmlp")

# %% [markdown] slideshow={"slide_type": "-"}
# $$Z = \sigma(\text{LN}(X)\, U) \qquad
# \tilde Z = Z_1 \odot \big(W\, \text{LN}(Z_2) + b\big) \qquad Y = X + \tilde Z\, V$$

# %% [markdown] slideshow={"slide_type": "skip"}
# In words. Normalise each token, widen it from $C$ to $D$ channels by $U$, apply GELU. Cut the
# channels into two halves, $Z = [Z_1, Z_2]$. The second half is normalised and mixed along the
# tokens by **one** matrix $W$, $(S, S)$, the same for all its channels; $b$ adds one number for
# each token. The result multiplies the first half, number by number ($\odot$). $V$ narrows the
# $D/2$ channels back to $C$. What is added at the end is $X$ *as it came in*, not its norm.
#
# There is only one network in this block, and no second half for the channels: $U$ and $V$ do
# that work, and the gate sits between them. The middle equation is the **spatial gating unit**
# of Liu, Dai, So and Le (2021). U, V, W, b and Z are their letters; our $S$, $C$ and $D$ are
# their $n$, $d$ and $d_{\text{ffn}}$, and they leave the norm and the sum with $X$ out of the
# equation. (Mixer's $U$ above was a result; from here on $U$ is a matrix of weights.)

# %% [markdown] slideshow={"slide_type": "notes"}
# Cover the gate in the drawing: what is left is a Transformer's feed-forward part. Uncover: on
# one wire the second half takes a look around. *Why multiply, not add?* Keep the answer for the
# experiment of lab 8b, which compares four gates; for now: a product of two places is something
# that a sum cannot make. *Where is the second residual?* There is none; one a block.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Ten lines of NumPy

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
D = 10
X = generator.normal(size=(S, C))
U, V = generator.normal(size=(C, D)), generator.normal(size=(D // 2, C))
W, b = generator.normal(size=(S, S)), generator.normal(size=S)
Z = gelu(norm(X) @ U)
Z_1, Z_2 = Z[:, : D // 2], Z[:, D // 2 :]
heard = W @ norm(Z_2) + b[:, None]
Y = X + (Z_1 * heard) @ V
print("Z", Z.shape, " halves", Z_1.shape, " heard", heard.shape, " Y", Y.shape)

# %% [markdown] slideshow={"slide_type": "-"}
# Row $i$ of $W$: whom token $i$ listens to. Nothing is turned: $W$ stands on the left.

# %% [markdown] slideshow={"slide_type": "skip"}
# The library's version has biases and norms with gain and shift, and knows the other gates of
# the paper, which lab 8b compares:

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_08.spatial_gating_unit"
# filled by the build

# %% [markdown] slideshow={"slide_type": "notes"}
# Ask for the two places where a mistake keeps all shapes right: swapping the halves, and using
# Wᵀ. Measured on disturbed weights: half swapped moves the output by 0.47, W turned by 0.14, of
# values about 0.5. A network *trained* with either mistake works as well. It only stops being
# the paper's when weights are carried from one program to another.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### In Keras, equal

# %% slideshow={"slide_type": "skip"} shows="course_utils.layers.mlp.check_halves"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.layers.mlp.SpatialGatingUnit"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.layers.mlp.TinyAttention"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.layers.mlp.GMLPBlock"
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
with cu.full_precision():
    block = GMLPBlock(D)
    block(x)
    disturb(block)
    theirs = ops.convert_to_numpy(block(x))
gates = {"norm": numbers(block.norm), "gate_norm": numbers(block.gate.norm)}
for name in ("U", "V"):
    gates[name], gates[f"b_{name}"] = numbers(getattr(block, name))
gates["W"], gates["b"] = (ops.convert_to_numpy(w) for w in (block.gate.W, block.gate.b))
ours = gmlp_block(x, gates)
print("equal within 1e-4:", np.abs(ours - theirs).max() < 1e-4 * np.abs(ours).max())

# %% [markdown] slideshow={"slide_type": "-"}
# | with the split gate | instead of | costs |
# | --- | --- | --- |
# | the gate's product, $S^2 \cdot D/2$ | $S^2 \cdot D$ | half |
# | $V$, $D/2 \cdot C$ weights | $D \cdot C$ | half |

# %% [markdown] slideshow={"slide_type": "skip"}
# `TinyAttention` and the arguments `causal` and `toeplitz` belong to lab 8b. The gate could
# also be used without a split: then all of $Z$ gates itself, $Z \odot f(Z)$, and both the
# product with $W$ and the matrix $V$ are twice as large. The course work counts the gate as
# $D_C \cdot S^2$ and $V$ as $D_C \cdot C$; with the split, which it uses, both are half of
# that.

# %% [markdown] slideshow={"slide_type": "notes"}
# Two sentences on the table: the split is not only prettier, it halves the two dearest things.
# *What does the model lose?* Half of the channels gate, the others are gated: none does both.
# The paper finds the split better; in its table the sizes are only nearly equal, 102 million
# weights with it and 92 without.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## W near zero, b one: a block starts deaf
#
# Start with $W \approx 0$ and $b = 1$. Then
#
# $$Z_1 \odot (W\, \text{LN}(Z_2) + b) \;\approx\; Z_1 \odot 1 \;=\; Z_1$$
#
# and the block is $Y = X + Z_1 V$: a plain **feed-forward network**, each token by itself.

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
tokens = generator.normal(size=(1, 16, 48)).astype("float32")
for spread_of_W in (None, 1e-3, 0.5):
    with cu.full_precision():
        block = GMLPBlock(192, spread=spread_of_W)
        y = ops.convert_to_numpy(block(tokens))
        Z = ops.convert_to_numpy(block.U(block.norm(tokens)))[..., :96]
        plain = tokens + ops.convert_to_numpy(block.V(Z))
    gap = np.abs(y - plain).max()
    small = "less than 0.0001" if gap < 1e-4 else f"{gap:.3f}"
    print(f"W within ±{spread_of_W or 1e-4 / 16:.0e}: from a feed-forward network by {small}")

# %% [markdown] slideshow={"slide_type": "-"}
# With $b = 0$ the gate is **shut**: the block returns its input, and hardly any gradient
# reaches $U$ and $V$. At first only $b$ and $W$ learn.

# %% [markdown] slideshow={"slide_type": "skip"}
# Why "near zero" and not zero? With $b = 1$ exactly zero would do as well: $W$ gets a gradient,
# since $Z_1$ multiplies it. The paper asks for "near-zero values"; the library draws evenly
# from $\pm 10^{-4} / S$, so that the sum over $S$ tokens stays small, too. A $W$ within $\pm
# 10^{-3}$ is off by some thousandths already with 16 tokens, and by more with 196.
#
# With $b = 0$ and $W \approx 0$ the product is nothing: $Y = X$. The block is an identity in
# the beginning, and the gradient of $U$ and $V$ is multiplied by next to nothing. It gets going
# all the same, because $b$ and $W$ learn, but it starts from less than a feed-forward network.

# %% [markdown] slideshow={"slide_type": "notes"}
# Write the left side on the board and let them put in the starting values. Then: *what does the
# whole network compute at the start?* Every patch by itself, then the mean: a bag of patches.
# That is the earlier puzzle solved. *Why would one want to start so modestly?* Thirty blocks
# deep, each mixing by random weights before it has learned anything. We shall measure it.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### "gMLP sees all tokens from the start"
#
# Put noise into one token; how far do the **others** move?


# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
def others_moved_by(block, tokens, place=3):
    """Replace one token by noise; return how far the others and it move, at most."""
    changed = tokens.copy()
    changed[:, place] = np.random.default_rng(1).normal(size=tokens.shape[-1])
    gap = np.abs(ops.convert_to_numpy(block(changed) - block(tokens))).max(axis=(0, 2))
    return np.delete(gap, place).max(), gap[place]


with cu.full_precision():
    for name, block in (("gMLP", GMLPBlock(192)), ("Mixer", MixerBlock(32, 128))):
        others, itself = others_moved_by(block, tokens)
        told = "less than 0.0001" if others < 1e-4 else f"{others:.1f}"
        print(f"new {name:5} block: itself {itself:.1f}, the others {told}")

# %% [markdown] slideshow={"slide_type": "-"}
# A new gMLP block hears nobody. Listening is what it has to **learn**.

# %% [markdown] slideshow={"slide_type": "notes"}
# This little test is worth keeping: disturb one, look at the others. It works for any block and
# any program; exercise 08.5 makes a whole table of it. *Why noise, and not a constant added?*
# Because LayerNorm takes a constant off, and the test would call every block deaf.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Predict: what is the gate worth?
#
# gMLP on 1,200 digits, four blocks. Test accuracy (guessing has 0.10):
#
# | | your guess |
# | --- | --- |
# | $W$ and $b$ held at 0 and 1: nobody hears anybody | |
# | $W$ held at 0, $b$ learns: each **place** has its weight | |
# | $W$ learns: all hear all | |

# %% [markdown] slideshow={"slide_type": "notes"}
# Numbers, in writing. Help for the first row: it is a bag of patches, 16 small squares thrown
# into a sack, and their mean is judged. How much of a digit is in that? Many guess 0.3. For the
# second row: 16 numbers a block that say how much each place counts.

# %% [markdown] slideshow={"slide_type": "skip"}
# All networks for digits are trained in the same way: AdamW with weight decay 0.05, batches of
# 64, gradients clipped to norm 1, a rate that rises for 100 steps and then falls along a
# cosine. An *epoch* is always a hundred steps here, whether there are 100 digits or 1,200: few
# digits come round more often.


# %% slideshow={"slide_type": "skip"}
def compiled(model, learning_rate, steps, warmup_steps=100, clip=1.0, fused=10, shares=False):
    """AdamW for classes; `fused` steps at a time, which saves calls with small models.

    shares: the answers are how much of each class a picture shows, not the classes' numbers.
    """
    schedule = cu.schedules.WarmupCosine(learning_rate, steps, warmup_steps)
    optimizer = keras.optimizers.AdamW(schedule, weight_decay=0.05, clipnorm=clip)
    entropy = keras.losses.SparseCategoricalCrossentropy
    loss = (keras.losses.CategoricalCrossentropy if shares else entropy)(from_logits=True)
    model.compile(optimizer, loss, metrics=["accuracy"], steps_per_execution=fused)
    return model


def draws(split, examples, seed):
    """So many examples of a split, each of them once before any comes again."""
    draw = np.random.default_rng(seed)
    rounds = [draw.permutation(len(split)) for _ in range(-(-examples // len(split)))]
    return split.take(np.concatenate(rounds)[:examples])


# %% slideshow={"slide_type": "skip"}
def train(model, data, learning_rate, steps=1_000, **settings):
    """Train for so many steps of 64 pictures; return the run."""
    compiled(model, learning_rate, steps, **settings)
    pictures = draws(data.train, 6_400, session.seed)
    source = getattr(data, "source", None)
    return cu.training.fit(model, (pictures, data.val), epochs=steps // 100, source=source)


def accuracy(model, split):
    """The share of pictures whose largest score is the right one."""
    right = []
    for start in range(0, len(split), 500):
        part = split.take(slice(start, start + 500))
        best = ops.argmax(model(part.inputs, training=False), axis=-1)
        right.append(ops.convert_to_numpy(best) == part.targets)
    return float(np.concatenate(right).mean())


# %% slideshow={"slide_type": "skip"}
def rate_for(kind):
    """The peak rate on digits; see the sweep below."""
    return 3e-3 if kind == "convnet" else 2e-3


# %% slideshow={"slide_type": "skip"}
def shuffled(split):
    """All pixels of each picture in one other order, the same for all pictures."""
    order = np.random.default_rng(7).permutation(64)
    pictures = split.inputs.reshape(-1, 64)[:, order].reshape(-1, 8, 8, 1)
    return cu.data.Split(pictures, split.targets)


# %% slideshow={"slide_type": "skip"}
def train_on_digits(kind, count, pixels="in order"):
    """Train on so many digits and record it; the test digits are read once, at the end."""
    one_of("pixels", pixels, ("in order", "shuffled"))
    few = cu.data.load_digits(count, seed=session.seed)
    name = f"digits_{count}" + ("_shuffled" if pixels == "shuffled" else "")
    if pixels == "shuffled":
        parts = (shuffled(part) for part in (few.train, few.val, few.test))
        few = cu.data.Dataset(name, *parts, source=few.source)
    model = digit_model(kind)
    model.name = f"{kind}_{name}"
    run = train(model, few, rate_for(kind))
    settings = {"rate": rate_for(kind), "steps": 1_000, "batch": 64}
    run.record(LECTURE, kind, name, settings, test_accuracy=accuracy(model, few.test))
    return model


# %% slideshow={"slide_type": "skip"}
FOUR = {"mixer": "Mixer", "gmlp": "gMLP", "vit": "ViT", "convnet": "convnet"}
GATES_HELD = {
    "gmlp_no_gate": "W and b held: a bag of patches",
    "gmlp_no_W": "W held, b learns: places have weights",
    "gmlp": "W learns: all hear all",
}
STARTS = {
    "gmlp": "W within ±1e-4 / S, b = 1",
    "gmlp_wide_W": "W within ±0.5, b = 1",
    "gmlp_b_zero": "W within ±1e-4 / S, b = 0",
}
for kind in session.pick(quick=[], full=[*FOUR]):
    for count in (100, 400, 1_200):
        train_on_digits(kind, count)
for kind in session.pick(quick=[], full=[*(GATES_HELD | STARTS)]):
    if kind not in FOUR:
        train_on_digits(kind, 1_200)

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Run it: the first row and the last

# %% slideshow={"slide_type": "fragment"}
steps = session.pick(quick=200, full=1_000)
trained = {kind: digit_model(kind) for kind in ("gmlp_no_gate", "gmlp")}
for kind, model in trained.items():
    print(GATES_HELD[kind])
    train(model, digits, rate_for(kind), steps)

# %% slideshow={"slide_type": "-"} tags=["headline"]
found = {kind: accuracy(model, digits.test) for kind, model in trained.items()}
print(f"test accuracy: deaf {found['gmlp_no_gate']:.2f}, with the gate {found['gmlp']:.2f}")

# %% [markdown] slideshow={"slide_type": "notes"}
# Some seconds each. Meanwhile: *how many weights does W have in all?* Four times 16 · 16 =
# 1,024 of 59,322, under two per cent. If the gap is large, it is not the number of weights. *Is
# it the listening, then?* Take votes and do not tell: between these two rows b is set free as
# well, and the next slide parts the two.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Recorded, 1,000 steps, three seeds (range)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
by_dataset(GATES_HELD, {"digits_1200": "test accuracy"}, head="gMLP, 1,200 digits", digits=3)

# %% [markdown] slideshow={"slide_type": "-"} claims=["near(recorded('gmlp_no_W', 'digits_1200').mean() - recorded('gmlp_no_gate', 'digits_1200').mean(), 0.20, 0.01)", "near(recorded('gmlp', 'digits_1200').mean() - recorded('gmlp_no_gate', 'digits_1200').mean(), 0.22, 0.005)"]
# The 64 numbers in $b$ **alone** bring twenty of the 22 points: they tell a patch its place.
# With the 1,024 in $W$, the only ones that see two patches at a time, comes the rest.

# %% [markdown] slideshow={"slide_type": "skip"} claims=["near(recorded('gmlp', 'digits_1200').mean() - recorded('gmlp_no_W', 'digits_1200').mean(), 0.014, 0.001)", "apart(recorded('gmlp', 'digits_1200'), recorded('gmlp_no_W', 'digits_1200'))"]
# The first row is a bag of patches, lecture 1's bag of words for pictures: it has all the
# patches and not their order. Lecture 7 met it too, as a ViT without positions; that one could
# at least compare its patches.
#
# The row in the middle is the surprise. $b$ has one number for each *place* and scales that
# place's token by it, block after block: soon a stroke at the top is another vector than the
# same stroke below. It works like a table of positions, four of them with sixteen numbers each.
# Still no patch ever meets another before the final mean: it is a bag again, of patches that
# know where they belong. On centred digits of 8×8 pixels that is nearly all there is to know.
# What is left for $W$, which strokes come **together**, is 1.4 points; the ranges of three
# seeds do not touch.
#
# Without this row we should have credited the listening with all 22 points. An experiment that
# changes two things at once, here $b$ and $W$, does not say which of them it was. Nor does ours
# say everything: $W$ knows places, too, and what it would bring with $b$ held at one is a
# fourth row, which is not recorded.

# %% [markdown] slideshow={"slide_type": "notes"}
# Compare with the written guesses. *What does the second row have that the first has not?*
# Sixteen numbers a block; no mixing at all, and yet places. Who voted for the listening has
# learned something about ablations: free one thing at a time. *On which pictures would W bring
# more?* Where things stand anywhere, and only their relation counts: not on centred digits.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Whom do they listen to? The learned W


# %% slideshow={"slide_type": "skip"}
def place_maps(W, side=4):
    """W (S, S) as a picture: at each place of the grid the map of whom it listens to."""
    maps = W.reshape(side, side, side, side)  # row and column that hears, and that is heard
    return maps.swapaxes(1, 2).reshape(side * side, side * side)


# %% slideshow={"slide_type": "-"} tags=["hide-input"]
figure, axes = cu.plotting.figure(10, 3.0, columns=4)
learned = [layer.gate for layer in trained["gmlp"].layers if hasattr(layer, "gate")]
for number, (axis, gate) in enumerate(zip(axes, learned, strict=True)):
    W = ops.convert_to_numpy(gate.W)
    limit = np.abs(W).max()
    axis.imshow(place_maps(W), cmap="RdBu_r", vmin=-limit, vmax=limit)
    axis.set_xticks(np.arange(3.5, 15, 4), [])
    axis.set_yticks(np.arange(3.5, 15, 4), [])
    axis.grid(color="black", linewidth=1)
    axis.set_title(f"block {number}: up to {limit:.2f}", fontsize=11)
alt = (
    "The matrices W of four trained blocks, each as sixteen small maps of four by four places: "
    "for each patch of the digit, which patches it listens to, red for and blue against."
)
cu.plotting.show(figure, alt)

# %% [markdown] slideshow={"slide_type": "-"}
# Each small square is one row of $W$, laid out as the digit lies: whom this patch listens to.
# From $10^{-5}$ at the start they have grown by four orders of magnitude.

# %% slideshow={"slide_type": "skip"}
with cu.full_precision():
    gap = moved_by_reordering(trained["gmlp"])
    others, itself = others_moved_by(trained["gmlp"].get_layer("block_0"), tokens)
print(f"reordered patches now move the scores by {gap:.1f}")
print(f"noise in one token of block 0 moves the others by {others:.2f}")

# %% [markdown] slideshow={"slide_type": "notes"}
# Choose a small square in the first block and ask which patch it belongs to: third column,
# second row, say. *Does it listen to its neighbours?* Let them look; with 16 patches and one
# seed the maps are no filters that one could name. In the paper, with 196 patches and a million
# pictures, they are: local, and shifted copies of one another. Lab 8b draws them for text.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Does the start matter?
#
# Four blocks, 1,200 digits, test accuracy (recorded, range of three seeds):

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
by_dataset(STARTS, {"digits_1200": "test accuracy"}, head="gMLP starts with", digits=3)

# %% [markdown] slideshow={"slide_type": "-"} claims=["all(abs(recorded(start, 'digits_1200').mean() - recorded('gmlp', 'digits_1200').mean()) < np.ptp(recorded('gmlp', 'digits_1200')) for start in ('gmlp_wide_W', 'gmlp_b_zero'))"]
# The paper's start is made for **depth**: thirty blocks, not four. So look there.

# %% [markdown] slideshow={"slide_type": "notes"}
# Ask before you show: *which row will be worst?* Most say the wild W or the shut gate. At four
# blocks residual, norm and Adam forgive nearly everything; do not read an order from
# differences inside the ranges. A claim that cannot be seen here has to be shown elsewhere or
# not be made.

# %% slideshow={"slide_type": "skip"}
THIRTY = {
    "image": 32,
    "channels": 3,
    "patch": 4,
    "embed_dim": 64,
    "mlp_dim": 256,
    "classes": 10,
}


def deep_start(deviation, b=1.0, draw=0, num_layers=30):
    """A new gMLP of 30 blocks on random pictures: its output's spread, its gradient's norm."""
    keras.utils.set_random_seed(draw)
    model = cu.models.gmlp_model(**THIRTY, num_layers=num_layers, spread=deviation * 3**0.5)
    for layer in model.layers:
        if isinstance(layer, cu.layers.GMLPBlock):
            layer.gate.b.assign(np.full(64, b))
    numbers = np.random.default_rng(draw)
    pictures = numbers.normal(size=(32, 32, 32, 3)).astype("float32")
    last = keras.Model(model.input, model.get_layer("final_norm").input)
    output = ops.convert_to_numpy(last(pictures)).std()
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.SGD(1e-2), loss, jit_compile=False)
    before = model.get_weights()
    model.train_on_batch(pictures, numbers.integers(10, size=32))
    steps = [np.sum((a - w) ** 2) for a, w in zip(before, model.get_weights(), strict=True)]
    return output, np.sqrt(np.sum(steps)) / 1e-2


# %% slideshow={"slide_type": "skip"}
def record_starts(draws=3):
    """Measure how 30 fresh blocks behave, by the spread that W starts with."""
    starts = {"W 0.000001, b 1": (1e-6, 1), "W 0.02, b 1": (0.02, 1)}
    starts |= {"W 0.3, b 1": (0.3, 1), "W 1, b 1": (1.0, 1), "W 0.000001, b 0": (1e-6, 0)}
    rows = []
    for name, (deviation, b) in starts.items():
        found = [deep_start(deviation, float(b), draw) for draw in range(draws)]
        output, gradient = np.mean(found, axis=0)
        rows.append({"start": name, "output": f"{output:.2f}", "gradient": f"{gradient:.2f}"})
        print(rows[-1], flush=True)
    note = f"30 new gMLP blocks, C 64, S 64, random pictures; mean of {draws} draws"
    cu.results.record_table(LECTURE, "starts", rows, note)


if session.profile == "full":
    record_starts()

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Thirty new blocks (recorded, mean of three draws)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
cu.results.Table(
    [
        {
            "W's standard deviation, and b": row["start"],
            "spread of the last block's output": row["output"],
            "norm of the gradient": row["gradient"],
        }
        for row in recorded_table("starts")
    ]
    or [{"W's standard deviation, and b": "still to be recorded"}]
)

# %% [markdown] slideshow={"slide_type": "-"}
# - near zero each block adds a little to what came in; with a large $W$ each adds **much**, and
#   thirty times over the output's spread becomes several times as large
# - the gradient tells much less: the last norm divides that spread out again

# %% [markdown] slideshow={"slide_type": "skip"}
# The pictures are noise and nothing is trained: the table shows what the *start* passes on.
# Weights with a standard deviation of 0.02 behave like those near zero here; the paper's advice
# has room. With $b = 0$ the blocks are identities: the output is what the patches' projection
# gave, whatever the depth.

# %% [markdown] slideshow={"slide_type": "notes"}
# First column down: where does the growth begin? Then the second: *would the gradient have
# warned you?* Hardly. The last norm brings any output back to size 1. So the honest sentence
# is: the paper gives stable training of deep stacks as its reason; at four blocks accuracy does
# not show it, at thirty the spread does, and the gradient of the first step alone would not.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Predict: four networks, few digits
#
# 54,000 to 60,000 weights each. Which one is best with **100** digits, and which with
# **1,200**?
#
# | | assumes beforehand |
# | --- | --- |
# | convnet | neighbours belong together, anywhere |
# | Mixer | places have weights, from the start |
# | gMLP | patches first, mixing to be learned |
# | ViT | places have names; whom to ask is to be learned |

# %% [markdown] slideshow={"slide_type": "notes"}
# Have them write two orders, for 100 and for 1,200. The column on the right is the hint: what
# is assumed need not be learned. *When does an assumption hurt?* When it is wrong, or when
# there is so much data that it could have been learned better.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Recorded: test accuracy, three seeds (range)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
by_dataset(FOUR, COUNTS)

# %% [markdown] slideshow={"slide_type": "-"}
# Read each row from left to right, and then the columns: what is the **gap** to the convnet at
# 100 digits, and at 1,200? 397 test digits: one point is four of them.

# %% [markdown] slideshow={"slide_type": "skip"} claims=["apart(*(recorded(kind, 'digits_100') for kind in ('convnet', 'gmlp', 'mixer', 'vit')))", "near([recorded(kind, 'digits_100').mean() for kind in ('convnet', 'gmlp', 'mixer', 'vit')], [0.90, 0.85, 0.82, 0.77], 0.005)", "np.ptp([recorded(kind, 'digits_1200').mean() for kind in ('gmlp', 'mixer', 'vit')]) < max(np.ptp(recorded(kind, 'digits_1200')) for kind in ('gmlp', 'mixer', 'vit'))", "recorded('convnet', 'digits_1200').min() > max(recorded(kind, 'digits_1200').max() for kind in ('gmlp', 'mixer', 'vit'))", "recorded('convnet', 'digits_1200').mean() - max(recorded(kind, 'digits_1200').mean() for kind in ('gmlp', 'mixer', 'vit')) > 0.015"]
# At 100 digits all four are told apart, in an order that fits what they assume: the convnet
# 0.90, gMLP 0.85, Mixer 0.82, ViT 0.77. Who has to find out first *whom to ask* learns least
# from ten pictures of each digit. With 1,200 digits Mixer, gMLP and ViT are equal: their means
# differ by less than the seeds of one of them, and with 397 test digits the standard error of
# an accuracy of 0.98 is 0.7 points. The convnet is still ahead of all three, by a point and a
# half or more, and no range touches its own. All four networks know nothing when they begin;
# what differs is what they cannot help assuming.

# %% [markdown] slideshow={"slide_type": "notes"}
# Hold the written orders against the table. Then the misreading to guard against: *"Mixer beats
# ViT."* At this size, on these digits, with this recipe. The published order on large data is
# another one, and there ViT is a little ahead. What the table does show is how a gap closes
# with data.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### One shuffle of the pixels, the same for all pictures
#
# Whose accuracy falls? 1,200 digits, recorded (range):

# %% slideshow={"slide_type": "skip"}
for kind in session.pick(quick=[], full=["mixer", "convnet"]):
    train_on_digits(kind, 1_200, "shuffled")

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
orders = {"digits_1200": "pixels in order", "digits_1200_shuffled": "pixels shuffled"}
by_dataset({name: FOUR[name] for name in ("mixer", "convnet")}, orders, digits=3)

# %% [markdown] slideshow={"slide_type": "-"}
# The test is **weak** here: three convolutions with poolings see all of an 8×8 picture, so even
# a shuffled one can be learned. On large pictures a convnet loses far more.

# %% [markdown] slideshow={"slide_type": "skip"}
# In the Mixer's paper both were trained on large photographs whose pixels, or whose patches
# with all pixels in them, were reordered. If only patches and the pixels inside each patch are
# permuted, a Mixer cannot lose anything: some permutation of its weights is as good. If all
# pixels are permuted, it loses the locality of the patches, but a convnet loses much more.
#
# A difference of a point is four pictures of our test part. We show the table because a weak
# experiment should be called weak, not left out.

# %% [markdown] slideshow={"slide_type": "notes"}
# Ask for the prediction first; nearly all say that the convnet breaks down. Then: *why not
# here?* Eight pixels, kernels of three, two poolings: the last layer sees everything. *How
# would you make the test strong?* Larger pictures. A teacher may stop here and say: this is
# what an inconclusive result looks like.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Pre-train, then fine-tune
#
# The course work's main finding, tried at our size: few labels, but many **other** pictures.
#
# | step | pictures | labels |
# | --- | --- | --- |
# | pre-train | MNIST, middle 24×24 shrunk to 8×8 by means of 3×3 | 55,000 |
# | new head | | |
# | fine-tune | the 8×8 digits: other writers, other scanner | 50, 100, 200 |
# | beside it | the same network from scratch | 50, 100, 200 |

# %% [markdown] slideshow={"slide_type": "skip"}
# The two collections look alike, not the same: MNIST's digits were scanned in the United States
# at another size and with grey rims; ours were collected in Turkey, thirteen people of them in
# the copy that scikit-learn has. To bring MNIST to our size its margin of two pixels is cut off
# and each square of 3×3 becomes one pixel.
#
# Both have ten classes, and the same ten. So a column is needed that papers often leave out:
# **how good is the pre-trained network before it has seen any of our labels**, with its old
# head? Where that is high, fine-tuning gets its success for nothing. For the other columns the
# old head is thrown away, as one has to when the classes are others. From scratch and
# fine-tuned get the same 500 steps; fine-tuning takes a quarter of the rate.


# %% slideshow={"slide_type": "skip"}
def shrunk(split):
    """MNIST's middle 24×24 as 8×8: means of 3×3."""
    middle = split.inputs[:, 2:26, 2:26, 0].reshape(-1, 8, 3, 8, 3)
    return cu.data.Split(middle.mean(axis=(2, 4))[..., None], split.targets)


def with_new_head(model):
    """The same body with its weights, and fresh weights in the last layer."""
    fresh = digit_model(model.name)
    for old, new in zip(model.layers[:-1], fresh.layers[:-1], strict=True):
        new.set_weights(old.get_weights())
    return fresh


# %% slideshow={"slide_type": "skip"}
def transfer_to_digits(kind, counts=(50, 100, 200)):
    """Pre-train on shrunk MNIST; fine-tune on few digits, beside training from scratch."""
    mnist = cu.data.load_images("mnist")
    parts = (shrunk(part) for part in (mnist.train, mnist.val, mnist.test))
    small = cu.data.Dataset("mnist_8x8", *parts, source=mnist.source)
    body = digit_model(kind)
    body.name = kind
    compiled(body, rate_for(kind), 1_720)
    run = cu.training.fit(body, small, epochs=2)
    found = {"mnist_accuracy": accuracy(body, small.test)}
    found["without_labels"] = accuracy(body, cu.data.load_digits().test)
    for count in counts:
        few = cu.data.load_digits(count, seed=session.seed)
        for way, start in (("scratch", digit_model(kind)), ("tuned", with_new_head(body))):
            start.name = f"{kind}_{way}_{count}"
            learning_rate = rate_for(kind) * (1 if way == "scratch" else 0.25)
            train(start, few, learning_rate, 500)
            found[f"{way}_{count}"] = accuracy(start, few.test)
    settings = {"rate": rate_for(kind), "tuning_rate": rate_for(kind) / 4, "steps": 500}
    run.record(LECTURE, kind, "mnist_to_digits", settings, **found)


for kind in session.pick(quick=[], full=[*FOUR]):
    transfer_to_digits(kind)

# %% [markdown] slideshow={"slide_type": "notes"}
# Let them guess which of the four gains most. A good argument: the one that assumes least has
# most to be told. Another: the convnet is nearly there already, so it has least room. Announce
# the last column of the next table: the old head, and none of our labels. Ask why it is needed.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Recorded: from scratch → pre-trained and fine-tuned

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
rows, ranges = [], []
for kind, title in FOUR.items():
    metrics = [run["metrics"] for run in runs_of(kind, "mnist_to_digits")]
    row, line = {"network": title}, {"network": title}
    for count in (50, 100, 200):
        ways = [[one[f"{way}_{count}"] for one in metrics] for way in ("scratch", "tuned")]
        means = [f"{np.mean(way):.2f}" for way in ways if way]
        row[f"{count} labels"] = " → ".join(means) or None
        gains = [after - before for before, after in zip(*ways, strict=True)]
        line[f"{count} labels"] = spread(gains)
    row["old head, no label"] = spread([one["without_labels"] for one in metrics])
    rows.append(row)
    ranges.append(line)
cu.results.Table(rows)

# %% [markdown] slideshow={"slide_type": "-"}
# The gain, seed by seed (mean and range):

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
cu.results.Table(ranges)

# %% [markdown] slideshow={"slide_type": "skip"} claims=["all((recorded(kind, 'mnist_to_digits', f'tuned_{n}') > recorded(kind, 'mnist_to_digits', f'scratch_{n}')).all() for kind in ('convnet', 'gmlp', 'mixer', 'vit') for n in (50, 100, 200))", "near([[(recorded(kind, 'mnist_to_digits', f'tuned_{n}') - recorded(kind, 'mnist_to_digits', f'scratch_{n}')).mean() for n in (50, 200)] for kind in ('gmlp', 'mixer', 'vit')], [0.155, 0.06], 0.02)", "near([(recorded('convnet', 'mnist_to_digits', f'tuned_{n}') - recorded('convnet', 'mnist_to_digits', f'scratch_{n}')).mean() for n in (50, 200)], [0.08, 0.01], 0.005)", "min(recorded(kind, 'mnist_to_digits', 'tuned_100').mean() for kind in ('mixer', 'gmlp')) > recorded('convnet', 'mnist_to_digits', 'scratch_100').mean()", "near([[recorded('convnet', 'mnist_to_digits', f'tuned_{n}').mean() - recorded(kind, 'mnist_to_digits', f'tuned_{n}').mean() for n in (50, 200)] for kind in ('mixer', 'gmlp')], [0.05, 0.02], 0.005)"]
# How to read it. A gain is claimed only where its range over the seeds does not reach down to
# zero; here none does. With 50 labels Mixer, gMLP and ViT gain fourteen to seventeen points,
# the convnet eight. With 200 they gain five to seven, the convnet one. So the finding of the
# course work holds at our size: what these networks lack, and the convnet has built in, can be
# had from other pictures. Pre-trained, Mixer and gMLP read better after 100 labels than the
# convnet from scratch. Pre-trained as well, it is ahead of them again, by five points at 50
# labels and by two at 200.
#
# The rows differ in how much there was to gain: what is above 0.95 from scratch cannot gain ten
# points. And the last column of the first table says how much of the answer the
# pre-trained network knew already: our digits are MNIST's cousins. With other classes,
# from ImageNet to pets, say, that column does not exist, and the new head has to be learned for
# good.

# %% [markdown] slideshow={"slide_type": "notes"}
# Three readings, in this order. Down: who gains most, and who had most to gain? Across: what
# happens to the gain as labels grow? Last column: how much did it know without us? Then the
# question that decides for a user: *you have 50 labels and a Mixer; what do you do next, label
# or pre-train?*

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Read a results table with a pencil
#
# | in the course work | by arithmetic |
# | --- | --- |
# | its models have 86 million weights | C = D_S = 256, D_C 1,024, 8 blocks: 4.5 million |
# | ViT 98.6 % beside models from scratch | surely a fine-tuned ViT: another kind of row |
# | patches overlap | the stride is the patch: they touch |
# | Mixer from scratch holds up, 82.3 % | it is 15 to 20 points behind |
# | gate: D_C · S²; second map: D_C · C | with the split, half of both |

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
named = {
    "patch": 4,
    "embed_dim": 256,
    "token_mlp_dim": 256,
    "channel_mlp_dim": 1024,
    "num_layers": 8,
}
count = mixer_parameters(**named, image=32, classes=10)
print(f"the named setting: {sum(count.values()):,} weights; 86 million is a ViT-B/16 or so")

# %% [markdown] slideshow={"slide_type": "skip"}
# ViT-B/16 has 86,567,656 weights (lecture 7): the figure has probably come over from there. The
# correction changes what the table says. A model of four and a half million from scratch is not
# beaten in that table by one of its own size, but by one that is twenty times as large *and*
# has seen other pictures before. (Our own try with networks of one size comes below.) The
# finding itself stands, and is well known from the papers: without large pre-training these
# models stay behind.

# %% [markdown] slideshow={"slide_type": "notes"}
# Do the first row together: patches 48 · 256 + 256 = 12,544; a block 4 · 256 for the norms,
# 2 · 64 · 256 + 256 + 64 for the tokens, 2 · 256 · 1,024 + 1,024 + 256 for the channels; times
# eight; the last norm 512; the head 2,570. Five minutes with a pencil, and a factor of nineteen
# is found. *Which of your own tables have you checked like this?*

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The price in S: theory
#
# One layer, $S$ tokens, $C$ channels, multiplications:
#
# | | along the tokens | grows like |
# | --- | --- | --- |
# | attention | $2\, S^2 C$, and $4\, S C^2$ for Q, K, V, O | $S^2$ |
# | token mixing, $D_S$ fixed | $2\, S\, D_S\, C$ | $S$ |
# | token mixing, $D_S = 2S$ | $4\, S^2 C$ | $S^2$ |
# | the gate, split | $S^2 D / 2$ | $S^2$ |
#
# *"Mixing is always quadratic"*: with $D_S$ fixed it is **linear**.

# %% [markdown] slideshow={"slide_type": "skip"}
# And memory: attention keeps an $S \times S$ table for each picture and head while it trains.
# Mixer's two matrices ($S \times D_S$ and back) and the gate's one ($S \times S$) are weights:
# one set for the whole batch, and no table for each picture. Doubling a picture's side makes
# four times as many tokens, so $S^2$ means sixteen times.

# %% [markdown] slideshow={"slide_type": "notes"}
# Let them derive the second row: Xᵀ W_1 is (C, S) times (S, D_S). *When is token mixing
# quadratic?* When somebody ties D_S to S. Ask for the ratio at S = 196 and D_S = 256, Mixer's
# own: 2 · 256 against 2 · 196, about equal; the advantage shows only at larger pictures.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Measured (recorded)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
times = {}
for row in recorded_table("mixing-cost"):
    times.setdefault(row["layer"], {})[row["length"]] = row["milliseconds"]
figure, axis = cu.plotting.figure(9, 3.3)
said, slopes = [], []
for name, line in times.items():
    axis.loglog(list(line), list(line.values()), marker="o", markersize=4, label=name)
    (s_1, t_1), (s_2, t_2) = list(line.items())[-2:]
    slope = np.log(t_2 / t_1) / np.log(s_2 / s_1)
    said.append(f"{name} {t_1:.1f} ms at {s_1}, {t_2:.1f} ms at {s_2}")
    slopes.append({"layer": name, f"from {s_1:,} to {s_2:,}: S to the power": f"{slope:.1f}"})
axis.set(xlabel="tokens S", ylabel="milliseconds a training step")
if times:
    axis.set_xticks(list(line), [f"{length:,}" for length in line])
    axis.minorticks_off()
    axis.legend(fontsize=9)
alt = "Milliseconds a training step against S, both logarithmic. "
cu.plotting.show(figure, alt + ("; ".join(said) or "Still to be recorded") + ".")

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
THEORY = ("2", "1", "2", "2")
for row, power in zip(slopes, THEORY, strict=False):
    row["in theory"] = power
cu.results.Table(slopes or [{"layer": "still to be recorded"}])

# %% [markdown] slideshow={"slide_type": "skip"} claims=["near([np.log2(cell('mixing-cost', layer, 2048, 'milliseconds') / cell('mixing-cost', layer, 1024, 'milliseconds')) for layer in ('attention(64, 2 heads)', 'token mixing, D_S = 256', 'token mixing, D_S = 2 S', 'gate, one S × S matrix')], [1.875, 0.875, 1.875, 1.875], 0.225)"]
# A step is forwards, backwards and update of one layer, with 64 channels and a batch of four
# random examples. A power is the slope of a line in the figure at its right end; where the
# fixed costs of a step still count, it lies below what the theory says. Under some hundred
# tokens nothing is to be seen of $S^2$ at all: that is the range of most pictures in this
# course. The gate is timed alone, on $D = 4C = 256$ channels, as many as $U$ would make of 64;
# $U$ and $V$ are not in it, as the channel mixing is not in the others.

# %% [markdown] slideshow={"slide_type": "notes"}
# Left end first: where is attention the dearest already? Nowhere by much; so for small pictures
# speed is no argument. Right end: read the slopes off. *Which of the four would you take for
# 4,096 tokens?* The one with D_S fixed; then ask what it gives up: 256 hidden units have to
# carry what 4,096 places have to say to each other.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Images a second, four networks of one size
#
# Pictures of 32×32, batches of 128 (recorded; CPU)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
speeds = {}
for suffix, backend in (("", "TensorFlow"), ("-jax", "JAX")):
    for row in recorded_table(f"images-a-second{suffix}"):
        line = speeds.setdefault(row["model"], {"network": row["model"]})
        line["weights"] = row["parameters"]
        line |= {f"{verb}, {backend}": row[verb] for verb in ("trained", "classified")}
cu.results.Table(speeds.values() or [{"network": "still to be recorded"}])

# %% [markdown] slideshow={"slide_type": "-"}
# Equal in weights is not equal in work, and equal in work is not equal in **time**. A picture
# takes 8, 9, 10 or 17 million multiplications. Which row has which?

# %% [markdown] slideshow={"slide_type": "skip"} claims=["all(max(('convnet', 'Mixer', 'gMLP', 'ViT'), key=lambda name: cell(table, name, 'classified')) == 'convnet' for table in ('images-a-second', 'images-a-second-jax'))", "max(('convnet', 'Mixer', 'gMLP', 'ViT'), key=lambda name: cell('images-a-second', name, 'trained')) == 'convnet'", "min(('convnet', 'Mixer', 'gMLP', 'ViT'), key=lambda name: cell('images-a-second-jax', name, 'trained')) == 'convnet'", "all(cell(table, 'gMLP', 'trained') < cell(table, 'Mixer', 'trained') for table in ('images-a-second', 'images-a-second-jax'))"]
# The convnet has the 17 million: it uses its first weights at 1,024 pixels, and the others use
# theirs at 64 patches. With twice the work it is nevertheless the *fastest* of the four with
# TensorFlow, in training and in classifying. A convolution is one large operation that has been
# polished for decades; norms, GELU, turning and adding are many small ones, which hardly
# multiply and still read and write every number. With JAX on a CPU it classifies fastest and
# trains slowest: another compiler, another order. gMLP trains more slowly than Mixer on both;
# it has four blocks, Mixer three.

# %% [markdown] slideshow={"slide_type": "notes"}
# *Which row has 17 million?* Most say the slowest one. With TensorFlow it is the fastest. So
# multiplications do not predict seconds, and neither do weights; one measures, on the machine
# and with the backend that will be used. A table like this belongs beside every table of
# accuracies.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Tied to one resolution

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
try:
    trained["gmlp"](np.zeros((1, 16, 16, 1), "float32"))
except ValueError as error:
    text = str(error)
    print(text[text.index("this model") : text.index(". Cut")].replace(": ", ":\n"))

# %% [markdown] slideshow={"slide_type": "-"}
# Mixer says the same. A ViT's positions can be interpolated; its weights do not know $S$. Here
# **the weights themselves** belong to places.
#
# - resize the picture: the old resolution again
# - enlarge $W$, and go on training
# - choose another model

# %% [markdown] slideshow={"slide_type": "skip"}
# Without such a check Keras would say that two shapes do not fit in a matmul, and leave you to
# find out why. The Mixer's authors did fine-tune at higher resolution: they enlarge the token
# mixing network into one for a grid of pictures of the old size, each block of it started from
# the old weights. Resizing the pictures gives up what the higher resolution was wanted for.

# %% [markdown] slideshow={"slide_type": "notes"}
# Read the error aloud: it says what and why. *What would have happened without the check?* A
# matmul of (64, …) with 16 columns, and a message about shapes in which no word says picture.
# *And what does the convnet do with 16×16?* It works: its weights know no place at all.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### To enlarge W: both of its sides are grids

# %% slideshow={"slide_type": "-"}
cu.figures.show("08_grids")

# %% [markdown] slideshow={"slide_type": "-"}
# A row of $W$ is a small map of the picture; so is a column. Exercise 08.6 doubles both.

# %% [markdown] slideshow={"slide_type": "notes"}
# A row of W is a little map of whom one token listens to; a column says who listens to one
# token. *Which of the two is repeated and which added up when the grid gets finer?* The heart
# of exercise 08.6; do not answer it here. Let them find the children of token 3 on the right.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The published sizes, built and counted

# %% slideshow={"slide_type": "skip"}
COUNTERS = {
    "mixer": lambda **settings: sum(mixer_parameters(**settings).values()),
    "gmlp": gmlp_parameters,
}
NAMED = {"mixer": "Mixer", "gmlp": "gMLP"}


def record_built_sizes():
    """Build each published model and count the weights that Keras holds."""
    rows = []
    for family, build in (("mixer", cu.models.mixer), ("gmlp", cu.models.gmlp)):
        for size in MLP_SIZES[family]:
            count = build(size).count_params()
            rows.append({"model": f"{NAMED[family]} {size}", "built": count})
            print(rows[-1], flush=True)
            keras.utils.clear_session(free_memory=True)
    note = "weights of the built Keras models, 224×224, 1,000 classes"
    cu.results.record_table(LECTURE, "built-sizes", rows, note)


if session.profile == "full":
    record_built_sizes()

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
built = {row["model"]: row["built"] for row in recorded_table("built-sizes")}
rows = []
for family, count in COUNTERS.items():
    for size, settings in MLP_SIZES[family].items():
        whole = count(**settings)
        body = whole - settings["embed_dim"] * 1000 - 1000
        row = {"model": f"{NAMED[family]} {size}"}
        row |= {"by the equations": whole, "built": built.get(row["model"])}
        row |= {"without the head": f"{body / 1e6:.1f} M"}
        rows.append(row | {"printed": f"{PRINTED[family][size]} M"})
cu.results.Table(rows)

# %% [markdown] slideshow={"slide_type": "notes"}
# Give them a minute with the last two columns before the next slide. *Which column does the
# Mixer paper print?* Look at S/16: 18.5 with the head would be printed 19 or 18.5; it says 18.

# %% [markdown] slideshow={"slide_type": "subslide"} claims=["near([cell('built-sizes', f'Mixer {size}', 'built') / 1e6 for size in ('S/32', 'S/16', 'B/32', 'B/16', 'L/32', 'L/16', 'H/14')], [19.10, 18.53, 60.29, 59.88, 206.94, 208.20, 432.35], 0.005)"]
# ### Which count is right?
#
# Mixer, with and without the head $C \cdot 1000 + 1000$, in millions:
#
# | | S/32 | S/16 | B/32 | B/16 | L/32 | L/16 | H/14 |
# | --- | --- | --- | --- | --- | --- | --- | --- |
# | with | 19.10 | 18.53 | 60.29 | 59.88 | 206.94 | 208.20 | 432.35 |
# | head | 0.51 | 0.51 | 0.77 | 0.77 | 1.03 | 1.03 | 1.28 |
# | without | 18.59 | 18.02 | 59.52 | 59.11 | 205.91 | 207.17 | 431.07 |
# | printed | 19 | 18 | 60 | 59 | 206 | 207 | 431 |
#
# All seven agree **without** the head. Both are right: they count different things.

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
for size, settings in MLP_SIZES["mixer"].items():
    whole = sum(mixer_parameters(**settings).values())
    body = whole - (settings["embed_dim"] * 1000 + 1000)
    printed = PRINTED["mixer"][size]
    agree = [round(count / 1e6) == printed for count in (whole, body)]
    print(f"{size:5} with the head {agree[0]!s:5}  without {agree[1]}")

# %% [markdown] slideshow={"slide_type": "skip"}
# For gMLP, whose counts are nearer to ours *with* the head, the paper prints 5.9, 19.5 and 73.4
# million; by its own equations and table we have 5.87, 19.42 and 73.08. The first agrees. The
# others are 0.4 per cent short each, and we do not know what else the authors counted; no
# single part that we could think of explains both. Another program, written independently of
# ours to the same table, has our numbers to the last digit.

# %% [markdown] slideshow={"slide_type": "notes"}
# Divide the room: half compute S/16 with the head, half without. 18.53 rounds to 19, printed is
# 18. That one column decides. *Is the paper wrong?* No: a pre-trained body is what it compares.
# *Are we?* No: at 1,000 classes this is what your memory has to hold. Say which you count.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### "More tokens, more weights"
#
# S/32 has 49 tokens, S/16 has 196. Which is larger?
#
# | | S/32 | S/16 | difference |
# | --- | --- | --- | --- |
# | patches, $3P^2 C + C$ | 1,573,376 | 393,728 | −1,179,648 |
# | token mixing, $8\,(2 S D_S + D_S + S)$ | 203,144 | 806,432 | +603,288 |
# | all else | the same | the same | 0 |
# | together | 19,104,624 | 18,528,264 | **−576,360** |
#
# Four times the tokens, half a million weights **fewer**. The *work* is nearly four times as
# much.

# %% [markdown] slideshow={"slide_type": "skip"}
# $P$ is the side of a patch. A large patch needs a large matrix, $32 \cdot 32 \cdot 3 =
# 3{,}072$ numbers in; a small patch needs a fourth of it, and there are four times as many of
# them. The channel network is the same for all tokens, so more of them cost time and no
# weights.

# %% [markdown] slideshow={"slide_type": "notes"}
# Vote first; most say S/16. Then the table, row by row, with a pencil. *So is S/16 cheaper?*
# To store, by three per cent. To run it is dearer by a factor of nearly four, because weights
# are used once for each token. Weights and work are two different prices.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## How sensitive is it to the rate?
#
# *"Mixers stand on a knife's edge: a little too much, and they diverge."* Predict Mixer's
# validation accuracy after 500 steps on 400 digits, by peak rate: once with warm-up and with
# gradients clipped, once with neither.
#
# | peak rate | 0.0003 | 0.001 | 0.003 | 0.01 | 0.03 | 0.1 |
# | --- | --- | --- | --- | --- | --- | --- |
# | with both | ? | ? | ? | ? | ? | ? |
# | with neither | ? | ? | ? | ? | ? | ? |

# %% slideshow={"slide_type": "skip"}
RATES = (3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
PLAIN = {"warmup_steps": 0, "clip": None}


def sweep(kind, count=400, careful=True):
    """Validation accuracy on digits by peak rate, with warm-up and clipping or without."""
    few, found = cu.data.load_digits(count, seed=session.seed), {}
    for learning_rate in RATES:
        model = digit_model(kind)
        model.name = f"{kind}_sweep_{careful}"
        run = train(model, few, learning_rate, 500, **({} if careful else PLAIN))
        found[f"rate {learning_rate:g}"] = run.history["val_accuracy"][-1]
    name = f"sweep_digits_{count}" + ("" if careful else "_plain")
    cu.results.record(LECTURE, kind, name, found, source=few.source)


for kind in session.pick(quick=[], full=[*FOUR]):
    for careful in (True, False):
        sweep(kind, careful=careful)

# %% [markdown] slideshow={"slide_type": "notes"}
# Have three people draw their curve on the board, with the rate on a logarithmic axis. A
# knife's edge would be a needle; a broad hill looks like a hill. Ask what warm-up and clipping
# are against, and whether a comparison of two networks at one rate is fair.


# %% slideshow={"slide_type": "skip"}
def hill(axis, dataset, title):
    """Draw the recorded accuracy by rate, a line a network; return what it shows in words."""
    said = []
    for number, (kind, label) in enumerate(FOUR.items()):
        found = [run["metrics"] for run in runs_of(kind, dataset)]
        if not found:
            continue
        lines = np.array(
            [[one[f"rate {learning_rate:g}"] for learning_rate in RATES] for one in found]
        )
        colour = cu.plotting.COLOURS[number]
        axis.plot(RATES, lines.mean(axis=0), marker="o", color=colour, label=label)
        axis.fill_between(RATES, lines.min(axis=0), lines.max(axis=0), color=colour, alpha=0.15)
        means = ", ".join(f"{value:.2f}" for value in lines.mean(axis=0))
        said.append(f"{label} {means}")
    axis.set(xscale="log", xlabel="peak rate", title=title, xlim=(2e-4, 0.15), ylim=(0, 1))
    return f"{title}: " + ("; ".join(said) or "still to be recorded") + "."


# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Recorded: accuracy by peak rate (400 digits; range of three seeds)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
figure, axes = cu.plotting.figure(9.5, 3.5, columns=2)
panels = {
    "sweep_digits_400": "with warm-up and clipping",
    "sweep_digits_400_plain": "with neither",
}
said = [hill(axis, *panel) for axis, panel in zip(axes, panels.items(), strict=True)]
axes[0].set_ylabel("validation accuracy")
if axes[0].get_legend_handles_labels()[0]:
    axes[0].legend(fontsize=9)
cu.plotting.show(figure, "Accuracy by peak rate on a logarithmic axis. " + " ".join(said))

# %% [markdown] slideshow={"slide_type": "-"}
# With warm-up and clipping, no knife's edge on these digits. With neither, Mixer holds up to
# 0.03 and loses one seed of three at 0.1; the **convnet** falls deepest; gMLP loses least.

# %% [markdown] slideshow={"slide_type": "skip"} claims=["near([f([recorded(kind, 'sweep_digits_400', f'rate {rate}').mean() for rate in (0.003, 0.01, 0.03, 0.1)]) for kind in ('mixer', 'gmlp', 'convnet') for f in (min, max)], [0.92, 0.94, 0.92, 0.96, 0.97, 0.98], 0.006)", "near([recorded('vit', 'sweep_digits_400', f'rate {rate}').mean() for rate in (0.01, 0.1)], [0.95, 0.87], 0.005)", "near([recorded(kind, 'sweep_digits_400_plain', 'rate 0.03').mean() for kind in ('convnet', 'vit')], [0.34, 0.78], 0.005)", "near([recorded(kind, 'sweep_digits_400_plain', 'rate 0.1').mean() for kind in ('vit', 'mixer', 'gmlp')], [0.52, 0.61, 0.90], 0.005)", "sum(recorded('convnet', 'sweep_digits_400_plain', 'rate 0.03') < 0.15) == 2", "recorded('convnet', 'sweep_digits_400_plain', 'rate 0.1').max() < 0.15", "sum(recorded('mixer', 'sweep_digits_400_plain', 'rate 0.1') < 0.15) == 1", "near([recorded(kind, 'sweep_digits_400', f'rate {rate}').mean() - recorded(kind, 'sweep_digits_400_plain', f'rate {rate}').mean() for kind in ('convnet', 'gmlp', 'mixer', 'vit') for rate in (0.0003, 0.001, 0.003)], 0, 0.02)", "all(0.005 < max(recorded(kind, 'sweep_digits_400', f'rate {rate}').mean() for rate in (0.01, 0.03, 0.1)) - recorded(kind, 'sweep_digits_400', 'rate 0.003').mean() < 0.035 for kind in ('convnet', 'gmlp', 'mixer', 'vit'))"]
# *Left*, the mean of three seeds: from a rate of 0.003 to one of 0.1 Mixer stays between 0.92
# and 0.94, gMLP between 0.92 and 0.96, the convnet between 0.97 and 0.98. Only the ViT has a
# hill with two sides: 0.95 at 0.01, 0.87 at 0.1. There are 200 digits for validation, so one
# standard error is one to two points: the small ups and downs are noise. *Right*: at 0.03 the
# convnet's mean is 0.34 (two seeds of three are at chance), the ViT's 0.78; at 0.1 the convnet
# is at chance with every seed, the ViT at 0.52, Mixer at 0.61 (one seed at chance), gMLP still
# at 0.90. Up to a rate of 0.003 the two panels agree within two points: what warm-up and
# clipping buy is room on the right.
#
# Our tables of digits were made at 0.002, the convnet's at 0.003. The sweep has no 0.002; at
# 0.003 Mixer, gMLP and ViT are two to three points below their best rate, the convnet is within
# noise of it. (The best of six on the same 200 digits flatters a little.) For Mixer and gMLP
# the best is at the edge of what was tried. The tables had 1,000 steps, the sweep 500: how much
# they would gain was not measured.
#
# What is said about the sensitivity of these models mostly concerns far deeper networks than
# these, of two to four blocks. **Claim what you have seen**: no knife's edge with warm-up and
# clipping. Without them the convnet has one, from 0.97 at 0.01 to 0.34 at 0.03.

# %% [markdown] slideshow={"slide_type": "notes"}
# First the shapes: hills or needles? *Who falls deepest on the right?* The network that nobody
# suspects. Then shift the eye: do the hills stand at the same place? If not, comparing networks
# at one common rate favours whoever's hill is there. And be honest about our own tables of
# digits: 0.002 is left of the top for Mixer, gMLP and ViT. The lesson for their own work: one
# sweep of six rates before any table of architectures.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## CIFAR-10 from scratch, at the course work's size
#
# | | the course work's | ours |
# | --- | --- | --- |
# | patch, S | 4, 64 | 4, 64 |
# | Mixer: C, D_S, D_C, blocks | 256, 256, 1,024, 8 | the same |
# | weights | 86 million said, 4,493,066 by count | 4,493,066 |
# | epochs, augmentation | not said | 20, 60; moved, mirrored, mixed (Mixer: more plans) |
# | pictures | as published | JPEG q75: recompressed |
# | figures | Mixer 82.3 %, gMLP 80.2 % | the next slides |
#
# gMLP, ViT and convnet have as many weights as Mixer, within two per cent. **Write down an
# order of the four.**

# %% [markdown] slideshow={"slide_type": "skip"}
# Trained as the digits were, by AdamW with a rate that rises for 100 steps and then falls along
# a cosine to zero, in batches of 128. An epoch is now all 45,000 pictures once, 352 steps. The
# *short* plan has twenty, the *long* one sixty, from fresh weights and with a cosine three
# times as long. (More plans, for Mixer alone, are told with their figures.) Each picture is
# moved by up to four pixels and, with chance one half, mirrored. With chance one half a whole
# batch is mixed, too: each picture gets a square of another picture (CutMix), and the answer is
# mixed as the areas are, a third of a cat and two thirds of a ship. As right counts the class
# with the larger share. In a trial that is not recorded gMLP soon knew the training pictures by
# heart when nothing was mixed.
#
# 45,000 pictures are for training, 5,000 for validation (others with each seed); the 10,000
# test pictures are read once, at the end of a run. On a machine without a GPU the full profile
# takes other plans: *small* with a thirty-fifth of the weights, 10,000 pictures, ten epochs and
# nothing mixed, with a slip and without; and *deep*, with more blocks, twelve epochs and
# mixing. Of both more below.
#
# *JPEG q75*: the copy of CIFAR-10 at hand was saved as JPEG with quality 75 on its way. The
# loader recognises that and says so in `source`; the published pictures may give slightly other
# figures. A full run of yours downloads the originals.
#
# The loader knows **CIFAR-100** and the **Oxford pets**, too (cats and dogs of 37 breeds,
# resized to 64×64): `train_on_photographs("mixer", "cifar100")`, `train_on_photographs("gmlp",
# "oxford_pets")`. The number of patches stays 64: pets are cut into patches of 8×8 pixels. From
# scratch expect little of 3,312 pictures of 37 breeds; that is the case for pre-training.


# %% slideshow={"slide_type": "skip"}
class Batches(keras.utils.PyDataset):
    """Rows of a split, so many a batch; with `augment` in another order in each epoch."""

    def __init__(self, split, batch, classes, augment=False, mix=False):
        super().__init__()
        self.split, self.batch, self.classes = split, batch, classes
        self.augment, self.mix = augment, mix
        self.examples, self.epoch = len(split), 0
        self.order = np.arange(len(split))

    def __len__(self):
        return (self.examples + self.batch - 1) // self.batch

    def rows(self, number):
        """The rows of the split that make up a batch."""
        return self.order[number * self.batch : (number + 1) * self.batch]

    def on_epoch_end(self):
        self.epoch += 1
        if self.augment:
            self.order = np.random.default_rng(self.epoch).permutation(self.examples)


# %% slideshow={"slide_type": "skip"}
class Photographs(Batches):
    """Batches of photographs, numbers from −2 to 2, with answers as shares, one a class.

    augment: shifted by up to four pixels and mirrored, anew in each epoch.
    mix: half of the batches, by chance, mixed as well (CutMix).
    """

    def seeds(self, number):
        """The seeds of a batch's shift and of its mirror."""
        return [1, self.epoch, number], [2, self.epoch, number]

    def moved(self, pictures, number):
        """Pictures of a batch, shifted and mirrored."""
        shift, mirror = self.seeds(number)
        return cu.data.random_flip(cu.data.random_translate(pictures, 4, shift), mirror)

    def __getitem__(self, number):
        rows = self.rows(number)
        pictures = self.split.inputs[rows]
        shares = np.eye(self.classes, dtype="float32")[self.split.targets[rows]]
        if self.augment:
            pictures = self.moved(pictures, number)
        if self.mix:
            pictures, shares = cu.data.cutmix(pictures, shares, [3, self.epoch, number])
        return np.divide(pictures, 255, dtype="float32") * 4 - 2, shares


# %% slideshow={"slide_type": "skip"}
class OneSeed(Photographs):
    """The same with other seeds: what for is told below."""

    def seeds(self, number):
        return [1, self.epoch, number], [1, self.epoch, number]


# %% slideshow={"slide_type": "skip"}
class Varied(Photographs):
    """The same, and turned, stretched and recoloured as well, before two are mixed."""

    def moved(self, pictures, number):
        pictures = super().moved(pictures, number)
        pictures = cu.data.random_affine(pictures, 20, 0.2, [4, self.epoch, number])
        return cu.data.color_jitter(pictures, 0.5, [5, self.epoch, number])


# %% slideshow={"slide_type": "skip"}
COURSE_WORK = {
    "mixer": {"embed_dim": 256, "token_mlp_dim": 256, "channel_mlp_dim": 1024, "num_layers": 8},
    "gmlp": {"embed_dim": 256, "mlp_dim": 1024, "num_layers": 11},
    "vit": {"embed_dim": 256, "num_heads": 8, "mlp_dim": 576, "num_layers": 8, "pool": "mean"},
    "convnet": {"filters": (128, 256, 512, 640)},
}
SMALL = {
    "mixer": {"embed_dim": 64, "token_mlp_dim": 64, "channel_mlp_dim": 256, "num_layers": 3},
    "gmlp": {"embed_dim": 64, "mlp_dim": 256, "num_layers": 4},
    "vit": {"embed_dim": 64, "num_heads": 4, "mlp_dim": 192, "num_layers": 3, "pool": "mean"},
    "convnet": {"filters": (48, 96, 96)},
}
LARGE_MIXER = {"mixer": COURSE_WORK["mixer"]}
DEEP_MIXER = {"mixer": SMALL["mixer"] | {"num_layers": 8}}
DEEP_GMLP = {"gmlp": SMALL["gmlp"] | {"num_layers": 11}}

# %% slideshow={"slide_type": "skip"}
NOT_TUNED = dict.fromkeys(FOUR, 1e-3)
BY_VALIDATION = {"mixer": 2e-3, "gmlp": 1e-3, "vit": 1e-3, "convnet": 2e-3}
LARGE = {"sizes": COURSE_WORK, "batches": Photographs, "mix": True, "pictures": None}
LARGE |= {"deaf": False}
LITTLE = LARGE | {"sizes": SMALL, "mix": False, "pictures": 10_000}
LITTLE |= {"epochs": 10, "rates": dict.fromkeys(FOUR, 3e-3)}
SHORT = LARGE | {"epochs": 20, "rates": NOT_TUNED}
LONG = LARGE | {"epochs": 60, "rates": BY_VALIDATION}
PLANS = {"small": LITTLE, "short": SHORT, "long": LONG}
PLANS |= {f"{plan}_one_seed": how | {"batches": OneSeed} for plan, how in PLANS.items()}

VARIED = LONG | {"sizes": LARGE_MIXER, "batches": Varied}
LONG_DEAF = LONG | {"sizes": LARGE_MIXER, "deaf": True}
VARIED_DEAF = VARIED | {"deaf": True}
PLANS |= {"varied": VARIED, "long_deaf": LONG_DEAF, "varied_deaf": VARIED_DEAF}
PLANS |= {"varied_deaf_150": VARIED_DEAF | {"epochs": 150}}
DEEP = LITTLE | {"sizes": DEEP_MIXER | DEEP_GMLP, "mix": True, "epochs": 12}
DEEP |= {"rates": BY_VALIDATION}
DEEP_DEAF = DEEP | {"sizes": DEEP_MIXER, "deaf": True}
PLANS |= {"deep": DEEP, "deep_deaf": DEEP_DEAF}


# %% slideshow={"slide_type": "skip"}
def deaf(mixer):
    """The same Mixer, its blocks started with a zero in place of token mixing's last matrix."""
    for layer in mixer.layers:
        if isinstance(layer, cu.layers.MixerBlock):
            last = layer.token_mixing.layers[-1].kernel
            last.assign(ops.zeros(last.shape))
    return mixer


def photograph_model(kind, side, classes, plan="small"):
    """A classifier of photographs cut into 64 patches, fresh weights drawn by the seed."""
    keras.utils.set_random_seed(session.seed)
    sizes = PLANS[plan]["sizes"][kind]
    if kind == "convnet":
        return convnet(side, 3, classes=classes, **sizes)
    makers = {"mixer": cu.models.mixer_model, "gmlp": cu.models.gmlp_model}
    make = makers.get(kind, cu.models.vision_transformer)
    model = make(image=side, channels=3, classes=classes, patch=side // 8, **sizes)
    return deaf(model) if PLANS[plan]["deaf"] else model


# %% slideshow={"slide_type": "skip"}
def train_on_photographs(kind, name="cifar10", plan="small", learning_rate=None, batch=128):
    """Train from scratch on photographs and record it; the test part is read once.

    rate: a peak rate to be tried instead of the plan's. It is recorded under its own name and
    without the test part, since rates are chosen by validation.
    """
    one_of("plan", plan, tuple(PLANS))
    how = PLANS[plan]
    one_of("kind", kind, tuple(how["sizes"]))
    photographs = cu.data.load_images(name, dtype="uint8", seed=session.seed)
    side, classes = photographs.train.inputs.shape[1], len(photographs.class_names)
    split = photographs.train.take(slice(how["pictures"]))
    train_part = how["batches"](split, batch, classes, augment=True, mix=how["mix"])
    val = Photographs(photographs.val, 500, classes)
    test = Photographs(photographs.test, 500, classes)

    model = photograph_model(kind, side, classes, plan)
    model.name = f"{kind}_{plan}_{name}"
    peak, epochs = learning_rate or how["rates"][kind], how["epochs"]
    compiled(model, peak, epochs * len(train_part), fused=1, shares=True)
    run = cu.training.fit(model, (train_part, val), epochs, source=photographs.source)
    settings = how["sizes"][kind] | {"rate": peak, "batch": batch, "pictures": len(split)}
    record, settings = f"{kind}_{plan}", settings | {"mix": how["mix"], "deaf": how["deaf"]}
    if learning_rate:
        settings["one_seed_because"] = "a choice of the rate, by validation"
        run.record(LECTURE, f"{record}_rate_{learning_rate:g}", photographs.name, settings)
    else:
        score = model.evaluate(test, verbose=0, return_dict=True)["accuracy"]
        run.record(LECTURE, record, photographs.name, settings, test_accuracy=score)
    return model


# %% slideshow={"slide_type": "skip"}
ON_A_GPU = ("short", "long", "varied", "long_deaf", "varied_deaf", "varied_deaf_150")
ON_A_CPU = ("small", "small_one_seed", "deep", "deep_deaf")
AFFORDED = ON_A_CPU if session.device == "CPU" else ON_A_GPU
for plan in session.pick(quick=(), full=AFFORDED):
    for kind in PLANS[plan]["sizes"]:
        train_on_photographs(kind, plan=plan)

# %% [markdown] slideshow={"slide_type": "notes"}
# Say it before the figures come: the course work's sizes, but our number of epochs and our
# augmentation, on pictures that JPEG has gone over. A student who writes our figure beside the
# 82.3 has not listened. What can be compared is inside our own tables: same data, same steps,
# same number of weights. Collect the orders; they are needed after the slip.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Find the slip
#
# This line made the training pictures of our first runs:
#
# ```python
# pictures = mirrored(shifted(pictures, 4, seed), seed)
# ```
#
# `shifted` moves every picture by up to four pixels, with black behind it; `mirrored` flips
# every picture left to right with chance one half. Of a thousand pictures: how many have the
# black rim on their **left**, how many on their **right**?

# %% [markdown] slideshow={"slide_type": "notes"}
# Let them vote: half and half, or something else? Most say half and half, a little less because
# some are not moved sideways. Nobody looks at the seed. If somebody does, ask what exactly goes
# wrong; it is worse than "not quite random".


# %% slideshow={"slide_type": "subslide"} tags=["hide-input"]
def moved_to(pictures):
    """By how many columns white pictures were moved to the right: (pictures,)."""
    black = pictures.max(axis=1) == 0
    return black[:, :4].sum(axis=1) - black[:, -4:].sum(axis=1)


white = np.ones((5_000, 32, 32), "uint8")
figure, axes = cu.plotting.figure(9.5, 2.7, columns=2)
said = []
for axis, mirror, name in zip(axes, (1, 2), ("one seed", "two seeds"), strict=True):
    moves = moved_to(cu.data.random_flip(cu.data.random_translate(white, 4, [1]), [mirror]))
    columns, counts = np.unique(moves, return_counts=True)
    axis.bar(columns, counts / len(moves))
    axis.set(
        title=name,
        xlabel="columns to the right (rim on the left)",
        xlim=(-4.6, 4.6),
        ylim=(0, 0.26),
    )
    sides = [f"{np.mean(np.sign(moves) == side):.0%}" for side in (-1, 0, 1)]
    said.append("{}: to the left {}, not at all {}, to the right {}".format(name, *sides))
axes[0].set_ylabel("share of pictures")
cu.plotting.show(figure, "Sideways moves. " + "; ".join(said) + ".")

# %% [markdown] slideshow={"slide_type": "-"}
# Rim on the left: about 890 of a thousand. On the right: **none**. One seed, one sequence of
# random numbers: all that were moved left are flipped, and none that were moved right. **Two
# draws need two seeds.**

# %% [markdown] slideshow={"slide_type": "skip"}
# Both functions start a generator from the seed, so both read one sequence, a number of 64 bits
# a picture. `shifted` needs two small numbers a picture, and NumPy makes them from the two
# halves: the lower half moves up or down, the upper half left or right. `mirrored` asks whether
# the whole number is small, and that is decided by its upper half. So *small* means *move to
# the left* in the one and *flip* in the other, and a flip turns left into right. Up and down
# are as they should be. Of each picture there are 90 kinds where 162 were meant.
#
# Every picture looks harmless, each function is tested and right, and the networks learn all
# the same; but the test pictures, which lie in the middle, are at the rim of what was trained.
# It was found by counting black columns, after all the large runs had been made; but for the
# choice of the rates they have been made again. What is drawn
# together has to be tested together: the test that now stands in the course makes white
# pictures, counts the rims, and asks that all nine moves occur and left about as often as
# right. It would not find every such slip: mirrored first and shifted then, with one seed, left
# and right come out equal, and yet no mirrored picture is ever moved to the right.
#
# The plans that end in `_one_seed` have the slip, all others are mended.

# %% [markdown] slideshow={"slide_type": "notes"} claims=["all(about(f'{kind}_{plan}', 'cifar10_recompressed', key) == about(f'{kind}_{plan}_one_seed', 'cifar10_recompressed', key) for kind in ('convnet', 'gmlp', 'mixer', 'vit') for plan in ('short', 'long') for key in ('seed', 'epochs', 'backend', 'precision', 'hardware', 'rate'))", "all(about(f'{kind}_small', 'cifar10_recompressed', key) == about(f'{kind}_small_one_seed', 'cifar10_recompressed', key) for kind in ('mixer', 'convnet') for key in ('seed', 'epochs', 'backend', 'precision', 'hardware', 'rate'))"]
# This is our own mistake, not a made-up one. Say so: it was in every large run, and all of them
# were made a second time. *Which networks would you expect to suffer most?* A fair guess: those
# whose weights have places, Mixer and gMLP. Take a vote, then the table.


# %% slideshow={"slide_type": "skip"}
def trained_by(plan, pictures):
    """The recorded runs by a plan: a dict of lists, by the networks' titles."""
    found = {title: runs_of(f"{kind}_{plan}", pictures) for kind, title in FOUR.items()}
    return {title: runs for title, runs in found.items() if runs}


def on_photographs(*plans):
    """What was recorded, by plan and title.

    All on one copy: on the published pictures if these plans have runs there, else on ours.
    """
    for pictures in ("cifar10", "cifar10_recompressed"):
        found = {plan: trained_by(plan, pictures) for plan in plans}
        if all(found.values()):
            break
    return found


def tested(runs):
    """The test accuracies of some runs."""
    return [run["metrics"]["test_accuracy"] for run in runs]


# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Recorded: what it cost

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
SIZES = {"small": "small, 10 epochs", "short": "large, 20 epochs", "long": "large, 60 epochs"}
found = on_photographs(*SIZES, *(f"{plan}_one_seed" for plan in SIZES))
rows = {title: {"network": title} for title in FOUR.values()}
for plan, size in SIZES.items():
    for title, runs in found[f"{plan}_one_seed"].items():
        without = {run["seed"]: tested([run])[0] for run in found[plan].get(title, [])}
        pairs = [
            (without[run["seed"]], *tested([run])) for run in runs if run["seed"] in without
        ]
        rows[title][size] = spread([100 * (mended - slip) for mended, slip in pairs], 1)
cu.results.Table(list(rows.values()))

# %% [markdown] slideshow={"slide_type": "-"} claims=["near([f([(recorded(f'gmlp_{plan}', 'cifar10_recompressed') - recorded(f'gmlp_{plan}_one_seed', 'cifar10_recompressed')) for plan in ('short', 'long')]) for f in (np.min, np.max)], [0.005, 0.013], 6e-4)", "all(np.min(won) < 0 < np.max(won) for kind in ('mixer', 'convnet', 'vit') for won in [[recorded(f'{kind}_{plan}', 'cifar10_recompressed') - recorded(f'{kind}_{plan}_one_seed', 'cifar10_recompressed') for plan in ('short', 'long')]])"]
# Points on the test that are won without the slip (range of three seeds). **gMLP** wins all six
# times, 0.5 to 1.3. With the others both signs occur. **Nobody misses a point, and so a slip
# like this one stays.**

# %% [markdown] slideshow={"slide_type": "skip"} claims=["near(recorded('vit_long', 'cifar10_recompressed') - recorded('vit_long_one_seed', 'cifar10_recompressed'), [0.031, 0.016, -0.001], 6e-4)", "all(near((curve(f'{kind}_short_one_seed', 'cifar10_recompressed', 'accuracy') - curve(f'{kind}_short', 'cifar10_recompressed', 'accuracy'))[:, -1].mean(), 0.02, 0.005) for kind in ('convnet', 'gmlp', 'mixer', 'vit'))", "(curve('mixer_long_one_seed', 'cifar10_recompressed', 'accuracy') - curve('mixer_long', 'cifar10_recompressed', 'accuracy'))[:, -1].min() > 0.008", "not any(((curve(f'{kind}_long_one_seed', 'cifar10_recompressed', 'accuracy') - curve(f'{kind}_long', 'cifar10_recompressed', 'accuracy'))[:, -1] > 0.009).all() for kind in ('convnet', 'gmlp', 'vit'))"]
# The guess about the weights that have places is half right: gMLP pays, Mixer does not. We do
# not know why. Of the ViT's three long runs two are much better without (by 3.1 and 1.6 points)
# and one is not: with three seeds that may be the slip or luck. The small networks, two of the
# four, had ten epochs of 10,000 pictures and show nothing.
#
# The training pictures show it more clearly than the test. After twenty epochs every network,
# with every seed, names more of them with the slip, by about two points: of fewer kinds more
# are learned. After sixty only Mixer still does, by one to two points.

# %% [markdown] slideshow={"slide_type": "notes"}
# The room expects a disaster and sees a point or so. Had we not made all runs a second time, no
# accuracy would have told us. *Which other test would have found it?* Looking at twenty
# training pictures side by side. Ask who has ever looked at the pictures that the network
# really gets.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Recorded: twenty epochs (range of three seeds)


# %% slideshow={"slide_type": "-"} tags=["hide-input"]
def photographs_row(title, runs):
    """What some seeds' runs reached: a row of a table.

    Training accuracy is counted on the moved and mixed pictures.
    """
    row = {"network": title, "peak rate": runs[0]["settings"]["rate"]}
    row["training accuracy"] = spread([run["history"]["accuracy"][-1] for run in runs], 3)
    row["validation"] = spread([run["metrics"]["val_accuracy"] for run in runs], 3)
    return row | {"test": spread(tested(runs), 3)}


short = on_photographs("short")["short"]
rows = [photographs_row(title, runs) for title, runs in short.items()]
cu.results.Table(rows or [{"network": "still to be recorded"}])

# %% [markdown] slideshow={"slide_type": "-"} claims=["apart(*(recorded(f'{kind}_short', 'cifar10_recompressed') for kind in ('convnet', 'gmlp', 'mixer', 'vit')))", "near([recorded(f'{kind}_short', 'cifar10_recompressed').mean() for kind in ('convnet', 'gmlp', 'mixer', 'vit')], [0.84, 0.81, 0.69, 0.65], 0.005)", "near([about(f'{kind}_short', 'cifar10_recompressed', 'parameters')[0] / 4_493_066 for kind in ('convnet', 'gmlp', 'mixer', 'vit')], 1, 0.02)"]
# Compare **downwards**: equal data, steps and (nearly) weights. The four ranges lie apart:
# convnet 0.84, gMLP 0.81, Mixer 0.69, ViT 0.65. Is that the networks, the rate, or the twenty
# epochs?

# %% [markdown] slideshow={"slide_type": "skip"} claims=["near([curve(f'{kind}_short', 'cifar10_recompressed', 'accuracy')[:, -1].mean() for kind in ('convnet', 'gmlp', 'mixer', 'vit')], [0.79, 0.81, 0.62, 0.58], 0.005)", "near([np.diff(curve(f'{kind}_short', 'cifar10_recompressed', 'val_accuracy')[:, [9, 19]]).mean() for kind in ('convnet', 'gmlp', 'mixer', 'vit')], [0.045, 0.045, 0.06, 0.09], [0.01, 0.01, 0.005, 0.005])"]
# *Training accuracy* counts the moved and, half of them, mixed pictures, which are harder than
# those of the test: that is why it can lie below. Mixer has not even learned them: it names 62
# in a hundred, the ViT 58, the convnet 79, gMLP 81. On validation Mixer gained six points
# between epoch 10 and epoch 20, the ViT nine, gMLP and convnet four to five.
#
# The convnet's assumptions, neighbours and shifts, are right for photographs, and 45,000 of
# them are few. That does not explain how near gMLP, which assumes neither, comes to it, nor its
# lead over Mixer. The papers' comparison begins at over a million pictures, and Mixer's gap to
# the ViT all but closes at hundreds of millions. It would be wrong to read our table as a
# verdict about the architectures, and as wrong to expect Mixer's published rank on your own few
# pictures.

# %% [markdown] slideshow={"slide_type": "notes"}
# Ask for the explanations that compete for any difference between two rows: the model, the rate
# that suits it, the number of epochs, the augmentation. All four have the rate 0.001 here,
# tuned for none; mixing was added for gMLP's sake, and may cost whoever learns slowly. *May we
# write that Mixer is worse than gMLP?* After twenty epochs of this recipe, yes; no further. The
# next slides try other rates, then more epochs, and then what nobody has named yet.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Was it the rate? (with the slip; validation by peak rate, 20 epochs, seed 0)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
ends = {"0.001": "", "0.002": "_rate_0.002", "0.004": "_rate_0.004"}
found = on_photographs(*(f"short_one_seed{end}" for end in ends.values()))
tried = dict(zip(ends, found.values(), strict=True))
rows = []
for title in FOUR.values():
    row = {"network": title}
    for learning_rate, runs in tried.items():
        first = [run for run in runs.get(title, []) if run["seed"] == 0]
        found = [f"{run['metrics']['val_accuracy']:.3f}" for run in first]
        row[learning_rate] = found[0] if found else "to be recorded"
    rows.append(row)
cu.results.Table(rows)

# %% [markdown] slideshow={"slide_type": "-"} claims=["near(recorded('vit_short_one_seed', 'cifar10_recompressed', 'val_accuracy')[0] - recorded('vit_short_one_seed_rate_0.004', 'cifar10_recompressed', 'val_accuracy')[0], 0.08, 0.005)", "all(apart(*(recorded(f'{kind}_short_one_seed{end}', 'cifar10_recompressed', 'val_accuracy')[0] for end in ('', '_rate_0.002', '_rate_0.004'))) for kind in ('gmlp', 'vit'))"]
# Mixer hardly minds. **The ViT loses** with every step up, eight points in all. At 0.004 gMLP
# is three points below its best, the convnet two and a half. From here on each has its best.

# %% [markdown] slideshow={"slide_type": "skip"} claims=["all(about(f'{kind}_long', 'cifar10_recompressed', 'rate')[0] == max((0.001, 0.002, 0.004), key=lambda rate: recorded(f'{kind}_short_one_seed' + f'_rate_{rate}' * (rate > 0.001), 'cifar10_recompressed', 'val_accuracy')[0]) for kind in ('convnet', 'gmlp', 'mixer', 'vit'))", "np.ptp([recorded(f'mixer_short_one_seed{end}', 'cifar10_recompressed', 'val_accuracy')[0] for end in ('', '_rate_0.002', '_rate_0.004')]) < np.ptp(curve('mixer_short_one_seed', 'cifar10_recompressed', 'val_accuracy')[:, -1])"]
# One seed a rate, twenty epochs, and the choice is made on validation, never on the test part
# (`train_on_photographs("vit", plan="short_one_seed", learning_rate=2e-3)` makes one of these
# runs). Mixer's three figures differ by less than its three seeds do (0.69 to 0.70 at the rate
# 0.001), and so do the convnet's first two: nothing says that 0.002 *is* better for them.
# gMLP's single steps are no larger than its range of seeds, too. For the ViT it matters. Had we
# trained all four with 0.004, to be "fair", the order would have stayed, but the ViT would lie
# twelve points behind Mixer, not four: three times the distance, by the rate alone. Whether
# less than
# 0.001 would suit ViT and gMLP better still we have not tried: the best at the edge of a table
# is a reason to widen it.
#
# And a hill need not travel. On digits (the sweep before) the ViT gained up to 0.01, on
# photographs it lost from 0.001 up. Network, pictures, batch and steps are all others there; we
# cannot say which of them moved the hill. A rate that was found on one task is a guess for
# another, no more.

# %% [markdown] slideshow={"slide_type": "notes"}
# *What is a fair comparison: one rate for all, or each its own?* Its own, chosen in the same
# way, with the same number of tries. Let somebody find the weak point of this table: two of
# four have their best value in the first column.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Would more epochs help?
#
# Three times as many, from the start; Mixer and convnet at 0.002 now. Fill in the row: who
# gains most?
#
# | | Mixer | gMLP | ViT | convnet |
# | --- | --- | --- | --- | --- |
# | after 20 epochs | 0.69 | 0.81 | 0.65 | 0.84 |
# | after 60 | ? | ? | ? | ? |

# %% [markdown] slideshow={"slide_type": "notes"}
# A curve that flattens because its rate has been taken away says nothing about what a longer
# run would bring. At the end of the first runs the rate is zero: forty more epochs would change
# nothing. So the sixty epochs are runs from the start, with a cosine three times as long.
# Collect guesses for all four.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Recorded: sixty epochs (range of three seeds)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
rows, found = [], on_photographs("short", "long")
for title, runs in found["long"].items():
    row = photographs_row(title, runs)
    if title in found["short"]:
        gained = np.mean(tested(runs)) - np.mean(tested(found["short"][title]))
        row["more than after 20"] = f"{gained:+.3f}"
    rows.append(row)
cu.results.Table(rows or [{"network": "still to be recorded"}])

# %% [markdown] slideshow={"slide_type": "-"} claims=["near([recorded(f'{kind}_long', 'cifar10_recompressed').mean() for kind in ('gmlp', 'mixer')], [0.834, 0.741], 0.0005)", "recorded('gmlp_long', 'cifar10_recompressed').min() > 0.802", "near(0.823 - recorded('mixer_long', 'cifar10_recompressed').mean(), 0.08, 0.005)", "apart(recorded('vit_long', 'cifar10_recompressed'), recorded('mixer_long', 'cifar10_recompressed'))", "max(('convnet', 'gmlp', 'mixer', 'vit'), key=lambda kind: recorded(f'{kind}_long', 'cifar10_recompressed').mean() - recorded(f'{kind}_short', 'cifar10_recompressed').mean()) == 'vit'"]
# gMLP **0.834**: above the course work's 80.2 %. Mixer **0.741**: eight points below its
# 82.3 %. The ViT gains most and has passed it. **Mixer or ViT: which should train longer?**

# %% [markdown] slideshow={"slide_type": "skip"} claims=["near(recorded('gmlp_long', 'cifar10_recompressed').mean() - recorded('mixer_long', 'cifar10_recompressed').mean(), 0.09, 0.005)", "near(recorded('mixer_long', 'cifar10_recompressed').mean() - recorded('mixer_short', 'cifar10_recompressed').mean(), 0.05, 0.005)"]
# The order is turned round: in the course work Mixer leads by two points, here gMLP by nine.
# The number of epochs, the augmentation and the pictures may all differ, and one thing more
# that hardly any table names. We look for it from here to the end of this part.
#
# For Mixer and convnet the gain is from two changes, epochs and rate. On validation, with seed
# 0, the rate alone brought them 0.4 and 0.5 points after twenty epochs (with the slip); so
# nearly all of Mixer's five points seem to be the epochs.
#
# All these runs were recorded on one H100, several side by side: the seconds an epoch in
# RESULTS.md are those of a shared GPU.

# %% [markdown] slideshow={"slide_type": "notes"} claims=["near([recorded(f'{kind}_long', 'cifar10_recompressed').mean() for kind in ('mixer', 'vit')], [0.74, 0.76], 0.005)", "near([curve(f'{kind}_long', 'cifar10_recompressed', 'accuracy')[:, -1].mean() for kind in ('mixer', 'vit')], [0.84, 0.74], 0.005)"]
# The rows of Mixer and ViT are a lesson in reading a table. On the test they are two points
# apart, 0.74 and 0.76. But Mixer names 84 of a hundred training pictures, half of them mixed,
# and the ViT 74. Let them say in their own words what that means before you show the curves.
# Only then ask what each of the two needs.


# %% slideshow={"slide_type": "skip"}
def draw_by_epoch(axes, metrics, runs, name, colour):
    """A metric in each panel, a thin line a run; the first one carries the name."""
    for axis, metric in zip(axes, metrics, strict=True):
        for number, run in enumerate(runs):
            line, label = run["history"][metric], None if number else name
            axis.plot(range(1, len(line) + 1), line, color=colour, label=label, linewidth=1.2)


# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Nearly the same accuracy, two curves

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
figure, axes = cu.plotting.figure(9.5, 3.4, columns=2)
said, long = [], on_photographs("long")["long"]
for title, colour in zip(FOUR.values(), cu.plotting.COLOURS, strict=False):
    runs = long.get(title, [])
    draw_by_epoch(axes, ("val_accuracy", "val_loss"), runs, title, colour)
    losses = [run["history"]["val_loss"] for run in runs]
    turns = ", ".join(f"{min(one):.2f} at epoch {one.index(min(one)) + 1}" for one in losses)
    said.append(f"{title}'s least loss: {turns or 'still to be recorded'}")
axes[0].set(xlabel="epoch", ylabel="validation accuracy")
axes[1].set(xlabel="epoch", ylabel="validation loss", ylim=(0.35, 1.5))
if axes[0].get_legend_handles_labels()[0]:
    axes[0].legend(fontsize=9)
words = "Validation by epoch: accuracy on the left, loss on the right. "
cu.plotting.show(figure, words + "; ".join(said) + ".")

# %% [markdown] slideshow={"slide_type": "-"}
# **Mixer's** loss is lowest at epochs 30 to 37, then it rises. **The ViT's** falls almost to
# the last epoch: it should train longer. Why is Mixer behind? We have **two guesses**.

# %% [markdown] slideshow={"slide_type": "skip"} claims=["sorted(curve('mixer_long', 'cifar10_recompressed', 'val_loss').argmin(axis=1) + 1)[::2] == [30, 37]", "near([curve('mixer_long', 'cifar10_recompressed', 'val_loss').min(axis=1).mean(), curve('mixer_long', 'cifar10_recompressed', 'val_loss')[:, -1].mean()], [0.79, 0.88], 0.005)", "curve('vit_long', 'cifar10_recompressed', 'val_loss').argmin(axis=1).min() >= 50", "near([curve('gmlp_long', 'cifar10_recompressed', 'val_loss').min(axis=1).mean(), curve('gmlp_long', 'cifar10_recompressed', 'val_loss')[:, -1].mean()], [0.58, 0.61], 0.005)", "near(curve('gmlp_long', 'cifar10_recompressed', 'accuracy')[:, -1].mean(), 0.92, 0.005)"]
# Right panel: Mixer's loss on validation is lowest, 0.79 on average, at epochs 30 to 37, and
# ends at 0.88, while its accuracy still creeps up with two seeds of three: it gets a little
# more often right, and when it is wrong, probably wrong with more confidence. The ViT's loss is
# lowest in the last ten epochs. So we do not expect that more epochs alone bring Mixer to
# 82.3 %.
#
# *Learned by heart* cannot be the whole story, though. gMLP names even more of its training
# pictures, 92 of a hundred, and did so earlier; its loss turns earlier, too, at epochs 18 to
# 26, yet hardly rises (0.58 at its lowest, 0.61 at the end), and it is nine points ahead. A
# good explanation has to fit all rows.

# %% [markdown] slideshow={"slide_type": "notes"}
# Whoever looks at the test column alone would give both the same medicine. Point at the right
# panel, at the moment when Mixer's curve turns. *Why does its accuracy not fall when the loss
# rises?* The loss also counts how sure a wrong answer is. *And gMLP?* It names more of the
# training pictures, its loss turns earlier, and it is better all the same. Then collect guesses
# about Mixer on the board before you go on: we tried two.

# %% slideshow={"slide_type": "skip"}
shapes = load_shapes(count=1, seed=5)

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### First guess: Mixer needs pictures that differ more
#
# Each picture is now turned by up to 20 degrees, stretched or squeezed by up to a fifth, and
# its colours are changed, anew in each epoch. Shown on a drawn picture, before two are mixed:

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
same = np.repeat(np.uint8(255 * shapes.train.inputs["image"][:1]), 7, axis=0)
varied, _ = Varied(cu.data.Split(same, np.zeros(7, int)), 7, 1, augment=True)[0]
cu.plotting.show_images(
    [same[0] / 255, *(varied + 2) / 4],
    ["given", *["trained on"] * 7],
    "A picture of two shapes, and seven times what the network gets: turned a little, "
    "stretched or squeezed, moved, in other colours, with dark rims.",
)

# %% [markdown] slideshow={"slide_type": "-"}
# Mixer again, sixty epochs, the same rate. **Predict** its training accuracy (it had 0.84) and
# its test accuracy (0.741).

# %% [markdown] slideshow={"slide_type": "notes"}
# `random_affine` and `color_jitter` of the library, four lines in the class `Varied`. Two
# numbers from everybody, on paper. Most expect the first to fall and the second to rise by
# several points: that is what such pictures are for.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Recorded: Mixer on pictures that differ more (range of three seeds)


# %% slideshow={"slide_type": "-"} tags=["hide-input"]
def losses_row(runs):
    """Where the validation loss of some runs is lowest, and where it ends."""
    lines = [run["history"]["val_loss"] for run in runs]
    row = {"least validation loss": spread([min(line) for line in lines], 2)}
    row["at epoch"] = spread([line.index(min(line)) + 1 for line in lines], 0)
    return row | {"at the end": spread([line[-1] for line in lines], 2)}


def losses_table(head, lines):
    """What some networks reached, and where their losses are lowest: a row a line.

    lines: by name, the title of a network and the plan that it was trained by.
    """
    rows, found = [], on_photographs(*{plan for _, plan in lines.values()})
    for name, (title, plan) in lines.items():
        runs = found[plan].get(title)
        if runs:
            row = photographs_row(title, runs) | losses_row(runs)
            told = row.keys() - {"network", "peak rate", "validation"}
            rows.append({head: name} | {key: row[key] for key in row if key in told})
    return cu.results.Table(rows or [{head: "still to be recorded"}])


MADE = {"moved, mirrored, mixed": ("Mixer", "long")}
MADE |= {"these, and turned, stretched, recoloured": ("Mixer", "varied")}
losses_table("pictures", MADE)

# %% [markdown] slideshow={"slide_type": "-"} claims=["near(recorded('mixer_varied', 'cifar10_recompressed').mean(), 0.742, 0.0005)", "recorded('mixer_varied', 'cifar10_recompressed').min() < recorded('mixer_long', 'cifar10_recompressed').max() and recorded('mixer_long', 'cifar10_recompressed').min() < recorded('mixer_varied', 'cifar10_recompressed').max()", "curve('mixer_varied', 'cifar10_recompressed', 'val_loss').argmin(axis=1).min() + 1 > 55"]
# The loss no longer turns, fewer of the (harder) training pictures are named, and the test says
# **0.742**: as before. It was not that, or not that alone.

# %% [markdown] slideshow={"slide_type": "skip"} claims=["near(curve('mixer_varied', 'cifar10_recompressed', 'accuracy')[:, -1].mean(), 0.66, 0.005)", "about('mixer_varied', 'cifar10_recompressed', 'rate') == about('mixer_long', 'cifar10_recompressed', 'rate')", "set(about('mixer_varied', 'cifar10_recompressed', 'epochs')) == {60}"]
# Sixty epochs may be few for such pictures: Mixer names 66 of a hundred of them, fewer than of
# the test, as the ViT did, and a longer run, begun anew, might help. What the table does show:
# after as many steps the accuracy is the same, whether the validation loss turns at epoch 33 or
# falls to the end.
#
# Others report 90.8 % on CIFAR-10 for a Mixer of 0.67 million weights, after 300 epochs with
# varied pictures and mixing
# ([omihub777, MLP-Mixer-CIFAR](https://github.com/omihub777/MLP-Mixer-CIFAR)).

# %% [markdown] slideshow={"slide_type": "notes"}
# Let the room enjoy it: a cure that removes the symptom and leaves the illness. *What would you
# have reported if you had looked at the loss alone?* A success. The honest reading: removing
# the symptom did not help within sixty epochs. It does not say that a longer run would not.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Second guess: its start
#
# After twenty epochs Mixer named 62 of a hundred **training** pictures, gMLP 81: Mixer also
# *learns* slowly. A fresh gMLP block is deaf, $W \approx 0$; a fresh Mixer block adds to every
# place a random mixture of all places, eight times over.
#
# ```python
# last = block.token_mixing.layers[-1].kernel    # the matrix W_2 of token mixing
# last.assign(ops.zeros(last.shape))             # a Mixer that starts deaf
# ```
#
# A small Mixer (C 64, D_S 64, eight blocks), 10,000 photographs, 12 epochs, 948 steps.
# **Predict** the difference on the test, in points.

# %% [markdown] slideshow={"slide_type": "notes"}
# Draw the stream of one patch through eight blocks: after each there is a little more of
# everybody else in it, added with random weights. The head has to read the patch through that.
# *Did we not see that the start does not matter?* At four blocks, on digits, for gMLP; here are
# eight, and photographs. *Can $W_2$ learn if it is zero?* Yes: its own gradient needs $W_1$ and
# the input, not itself; only $W_1$ has to wait one step. Both zero would be fatal: GELU of 0 is
# 0, so $W_2$ gets no gradient, and $W_1$ none through $W_2$; nothing but the last bias would
# ever move. (Keras keeps the matrix turned; for a zero it is all one.)


# %% slideshow={"slide_type": "skip"}
WORDS = {"accuracy": "training accuracy (mixed)", "val_accuracy": "validation accuracy"}
WORDS |= {"val_loss": "validation loss"}


def draw_plans(lines, limits):
    """Draw two metrics by epoch, a line a seed; limits: of the vertical axis, by metric.

    lines: by name, the title of a network and the plan that it was trained by.
    """
    figure, axes = cu.plotting.figure(9.5, 3.2, columns=2)
    said, found = [], on_photographs(*{plan for _, plan in lines.values()})
    colours = dict(zip(FOUR.values(), cu.plotting.COLOURS, strict=False))
    for name, (title, plan) in lines.items():
        runs = found[plan].get(title, [])
        colour = "black" if PLANS[plan]["deaf"] else colours[title]
        draw_by_epoch(axes, limits, runs, name, colour)
        said.append(f"{name}: test {spread(tested(runs), 3) or 'still to be recorded'}")
    for axis, (metric, ends) in zip(axes, limits.items(), strict=True):
        axis.set(xlabel="epoch", ylabel=WORDS[metric], ylim=ends)
    if axes[0].get_legend_handles_labels()[0]:
        axes[0].legend(fontsize=9, loc="lower right")
    words = " and ".join(WORDS[metric] for metric in limits)
    cu.plotting.show(figure, f"By epoch, a line a seed: {words}. " + "; ".join(said) + ".")


# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Recorded: a small Mixer started deaf (a line a seed)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
FEW_WEIGHTS = {"Mixer, 8 blocks": ("Mixer", "deep")}
FEW_WEIGHTS |= {"the same, started deaf": ("Mixer", "deep_deaf")}
FEW_WEIGHTS |= {"gMLP, 11 blocks": ("gMLP", "deep")}
draw_plans(FEW_WEIGHTS, {"accuracy": (0.1, 0.65), "val_accuracy": (0.1, 0.65)})

# %% [markdown] slideshow={"slide_type": "-"} claims=["near([recorded(name, 'cifar10_recompressed').mean() for name in ('mixer_deep', 'mixer_deep_deaf', 'gmlp_deep')], [0.497, 0.545, 0.569], 0.001)", "near((recorded('mixer_deep_deaf', 'cifar10_recompressed') - recorded('mixer_deep', 'cifar10_recompressed')).mean(), 0.047, 0.0005)", "(recorded('mixer_deep_deaf', 'cifar10_recompressed') - recorded('mixer_deep', 'cifar10_recompressed')).min() > 0.04"]
# On the test Mixer has 0.497, started deaf **0.545**: at the same rate, the start alone is
# worth **4.7 points** after 12 epochs. gMLP has 0.569: two thirds of the distance are gone.
# **Predict** the large Mixer, started deaf, after sixty epochs (usual start: 0.741).

# %% slideshow={"slide_type": "skip"} tags=["hide-input"]
losses_table("network", FEW_WEIGHTS)

# %% [markdown] slideshow={"slide_type": "skip"} claims=["set(about('mixer_deep', 'cifar10_recompressed', 'parameters') + about('mixer_deep_deaf', 'cifar10_recompressed', 'parameters')) == {337_226}", "(curve('mixer_deep_deaf', 'cifar10_recompressed', 'accuracy') > curve('mixer_deep', 'cifar10_recompressed', 'accuracy')).all()", "(curve('mixer_deep_deaf', 'cifar10_recompressed', 'val_accuracy') > curve('mixer_deep', 'cifar10_recompressed', 'val_accuracy'))[:, 3:].all()", "near((curve('mixer_deep_deaf', 'cifar10_recompressed', 'accuracy') - curve('mixer_deep', 'cifar10_recompressed', 'accuracy'))[:, -1].mean(), 0.060, 0.0005)", "all((curve(name, 'cifar10_recompressed', 'val_loss').argmin(axis=1) == 11).all() for name in ('mixer_deep', 'mixer_deep_deaf'))"]
# The start is not forgotten. The same equations and number of weights, the same pictures in the
# same order, and all weights but $W_2$ start with the same numbers; and the one that started
# deaf is ahead on the training pictures from the first epoch to the last (by 6.0 points in the
# end), and on validation from the fourth on, with each seed. Knowing by heart is not what holds
# the other back: in all six runs the validation loss still falls in the last epoch.
#
# What it does **not** show:
#
# - both have the rate 0.002, chosen for the large Mixer with the usual start; each at its own
#   best rate, they might lie closer together (the deaf one did no better at 0.001 and 0.004,
#   one seed each, not recorded). gMLP has 0.001, chosen for the large one
# - it does not say that *hearing* is the trouble. Whatever starts at zero also starts small. In
#   a trial that is not recorded $W_4 = 0$, channel mixing shut and token mixing as usual,
#   helped as well, though less; both zero, in another, no more than $W_2$ alone

# %% [markdown] slideshow={"slide_type": "notes"}
# *Which of the two guesses would you bet on now?* Before this figure most bet on the pictures;
# so did we. Point at the left panel: who is behind there already is not short of pictures in
# the first place. Then the prediction for the large one, again on paper. A careful guess is
# less than 4.7 points: the start of a run of sixty epochs is long ago at its end.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Recorded: the large Mixer started deaf (a line a seed)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
STARTED = {"Mixer, usual start": ("Mixer", "long")}
STARTED |= {"Mixer, started deaf": ("Mixer", "long_deaf")}
STARTED |= {"gMLP": ("gMLP", "long")}
draw_plans(STARTED, {"accuracy": (0.2, 1.0), "val_loss": (0.5, 1.5)})

# %% [markdown] slideshow={"slide_type": "-"} claims=["near(recorded('mixer_long_deaf', 'cifar10_recompressed').mean(), 0.809, 5e-4)", "near((recorded('mixer_long_deaf', 'cifar10_recompressed') - recorded('mixer_long', 'cifar10_recompressed')).mean(), 0.068, 5e-4)", "near((recorded('mixer_long_deaf', 'cifar10_recompressed') - recorded('mixer_long', 'cifar10_recompressed')).mean() / (recorded('gmlp_long', 'cifar10_recompressed') - recorded('mixer_long', 'cifar10_recompressed')).mean(), 0.725, 0.025)"]
# On the test **0.809** where it had 0.741: 6.8 points, by the start alone. Of what Mixer was
# behind gMLP, nearly three quarters. The start is **not** forgotten.

# %% slideshow={"slide_type": "skip"} tags=["hide-input"]
losses_table("network", STARTED)

# %% [markdown] slideshow={"slide_type": "skip"} claims=["near(recorded('mixer_long_deaf', 'cifar10_recompressed') - recorded('mixer_long', 'cifar10_recompressed'), [0.067, 0.079, 0.058], 6e-4)", "(curve('mixer_long_deaf', 'cifar10_recompressed', 'accuracy') > curve('mixer_long', 'cifar10_recompressed', 'accuracy'))[:, 1:].all()", "near([curve(name, 'cifar10_recompressed', 'accuracy')[:, 19].mean() for name in ('mixer_long', 'mixer_long_deaf')], [0.59, 0.68], 0.005)", "near(curve('mixer_long_deaf', 'cifar10_recompressed', 'accuracy')[:, -1].mean(), 0.90, 0.005)", "sorted(curve('mixer_long_deaf', 'cifar10_recompressed', 'val_loss').argmin(axis=1) + 1)[::2] == [29, 35]", "near([curve('mixer_long_deaf', 'cifar10_recompressed', 'val_loss').min(axis=1).mean(), curve('mixer_long_deaf', 'cifar10_recompressed', 'val_loss')[:, -1].mean()], [0.64, 0.66], 0.005)"]
# Seed by seed the difference is 6.7, 7.9 and 5.8 points; the pictures, their order and every
# weight but the eight $W_2$ are the same. On the training pictures the deaf one is ahead from
# the second epoch on (0.68 against 0.59 after twenty) and ends at 0.90. Its loss on validation
# turns, too, at epochs 29 to 35, but from 0.64 to 0.66 only.
#
# The thought is not ours. Fixup (Zhang, Dauphin and Ma, 2019) starts the last layer of every
# residual branch at zero; ResMLP (Touvron and others, 2021), a relative of Mixer made for
# training on less data, multiplies each branch by learned numbers that start small. Mixer's
# paper starts its branches as its library does, and trains on up to hundreds of millions of
# pictures.
#
# Nor is the usual start the same in every library. Take the large Mixer's token mixing, 64 →
# 256 → 64, at first without the GELU: how many times the input's variance is the output's?
# Keras draws both matrices with variance $2/(64+256)$: $64 \cdot \tfrac{1}{160} \cdot 256
# \cdot \tfrac{1}{160} = 0.64$. Flax takes one over the number of inputs: $1 \cdot 1 = 1$.
# PyTorch takes a third of Flax's: $\tfrac{1}{3} \cdot \tfrac{1}{3} = 0.11$. So the standard
# deviation is 0.80, 1.00 or 0.33 of the normalised input's; the next cell puts the GELU
# between. **The same network in three libraries has three starts.** (In the small Mixer token
# mixing is 64 → 64 → 64; there Keras and Flax agree.) The program with 90.8 % that was named
# with the first guess is written in PyTorch.

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
x = np.random.default_rng(0).normal(size=(500, 64))
variances = {"Keras": (1 / 160, 1 / 160), "Flax": (1 / 64, 1 / 256)}
variances["PyTorch"] = 1 / 192, 1 / 768
for library, (first, second) in variances.items():
    draw, outputs = np.random.default_rng(1), []
    for _ in range(30):
        W_1 = draw.normal(size=(64, 256)) * first**0.5
        W_2 = draw.normal(size=(256, 64)) * second**0.5
        outputs.append(gelu(x @ W_1) @ W_2)
    print(f"{library}: a fresh branch adds {np.std(outputs):.2f} of its normalised input")

# %% [markdown] slideshow={"slide_type": "notes"}
# Eight matrices of 64 × 256 numbers, set to zero once, before the first step. *Why does the
# optimizer not repair it in 21,000 steps?* We do not know; that it does not is the figure. Take
# home: a start is part of a model, and "the same architecture" in another library is another
# experiment. The cell above, in the notebook, says how different the libraries' starts are.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Both guesses together
#
# | test, sixty epochs | moved, mirrored, mixed | turned, stretched, recoloured, too |
# | --- | --- | --- |
# | usual start | 0.741 | 0.742 |
# | started deaf | 0.809 | **?** |
#
# **Predict** the last figure. And what, if it then gets 150 epochs?

# %% [markdown] slideshow={"slide_type": "notes"}
# Three answers are worth hearing. "0.810": variety does nothing, see the first row. "More": now
# that it learns its pictures, it can be short of them. "Less": sixty epochs are too few for
# harder pictures. Let them say what each answer expects of the training accuracy.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Recorded: a deaf start and pictures that differ more (range of three seeds)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
TOGETHER = {"moved, mirrored, mixed; 60 epochs": ("Mixer", "long_deaf")}
TOGETHER |= {"turned … as well; 60 epochs": ("Mixer", "varied_deaf")}
TOGETHER |= {"turned … as well; 150 epochs": ("Mixer", "varied_deaf_150")}
losses_table("Mixer, started deaf", TOGETHER)

# %% [markdown] slideshow={"slide_type": "-"} claims=["near(recorded('mixer_varied_deaf', 'cifar10_recompressed').mean(), 0.798, 5e-4)", "near([curve(name, 'cifar10_recompressed', 'val_loss')[:, -1].mean() for name in ('mixer_varied_deaf', 'mixer_long_deaf')], [0.60, 0.66], 0.005)", "curve('mixer_varied_deaf', 'cifar10_recompressed', 'val_loss').argmin(axis=1).min() + 1 >= 54", "curve('mixer_varied_deaf', 'cifar10_recompressed', 'accuracy')[:, -1].mean() < curve('mixer_varied_deaf', 'cifar10_recompressed', 'val_accuracy')[:, -1].mean()"]
# After sixty epochs **0.798**: a point *less* than without turning. But its loss is the lower
# one, and does not rise; does it need longer? After 150: **0.823**, the course work's 82.3 %.

# %% [markdown] slideshow={"slide_type": "skip"} claims=["near(recorded('mixer_varied_deaf_150', 'cifar10_recompressed'), [0.8211, 0.8230, 0.8235], 5e-5)", "set(about('mixer_varied_deaf_150', 'cifar10_recompressed', 'epochs')) == {150}", "near(recorded('mixer_varied_deaf', 'cifar10_recompressed').mean() - recorded('mixer_varied', 'cifar10_recompressed').mean(), 0.056, 5e-4)", "recorded('mixer_varied_deaf_150', 'cifar10_recompressed').mean() < recorded('gmlp_long', 'cifar10_recompressed').min()", "sorted(curve('mixer_varied_deaf_150', 'cifar10_recompressed', 'val_loss').argmin(axis=1) + 1)[::2] == [71, 82]", "all(0.005 < line[-1] - line[turn] < 0.035 for name in ('mixer_varied_deaf_150', 'mixer_long_deaf') for line, turn in zip(curve(name, 'cifar10_recompressed', 'val_accuracy'), curve(name, 'cifar10_recompressed', 'val_loss').argmin(axis=1)))"]
# To four digits it is 0.8225 (0.8211, 0.8230 and 0.8235): 82.3 as the course work prints its
# figure, and with 10,000 test pictures nobody can tell the two apart.
#
# What led from 0.741 to 0.823? The start alone brings 6.8 points on the usual pictures, and 5.6
# on the varied ones (0.742 to 0.798): what a change is worth depends on the others. The last
# 1.4 came with two changes at once, variety and 150 epochs, and which of the two it was these
# runs do not say: a deaf start on the usual pictures for 150 epochs would. The turn of the loss
# is no help. It comes about half-way down the cosine with both kinds of pictures, and accuracy
# on validation still rises by one to three points after it.
#
# It also took, from sixty epochs on, five plans for Mixer, whose test figures we saw one after
# the other, and one for gMLP, which has 0.834 after sixty epochs of the usual pictures and is
# still ahead. So the order of the course work, Mixer before gMLP, is *not* what we found. A
# figure can be reached and its table still not be confirmed: it does not name the epochs, the
# pictures or the start.

# %% [markdown] slideshow={"slide_type": "notes"}
# Do not sell this as a triumph. *What did we have to know to reach one figure of somebody
# else's table?* The start, the pictures, the epochs: three things that the table does not name.
# *And is Mixer as good as gMLP now?* Five tries against one, and it is still behind. *What
# would you train next, with one GPU and one night?* The deaf one for 150 epochs on the usual
# pictures: it parts the last 1.4 points.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What goes wrong
#
# | line | what happens |
# | --- | --- |
# | `Dense` on (S, C), not turned | mixes channels; no error if S = C |
# | `ops.gelu` for `"gelu"` | tanh; off by 5e-4 |
# | `LayerNormalization()` | epsilon 1e-3; Mixer's published code has 1e-6 |
# | one norm a block | 4C becomes 2C; S/16 is 8,192 weights short |
# | `x = norm(x)` before the sum | adds the norm, not the input |
# | $b = 0$ in the gate | a fresh block returns its input |
# | $W$ turned, halves swapped | trains as well; no longer the paper's |
# | one seed for shift and mirror | no training picture left of the middle |
# | eight Mixer blocks, Keras's own start | 6.8 points less than started deaf, on photographs |
# | another picture size | refused here; elsewhere a bare shape error |

# %% [markdown] slideshow={"slide_type": "skip"}
# All but the last can pass without an error. The tanh, the epsilon, the turned $W$ and the
# swapped halves show only when weights are carried between programs; a missing norm shows when
# parameters are counted; one seed for two draws, only when somebody looks at the pictures that
# go in; a start, only when another one is tried. Carried over from an independent program with
# all weights disturbed, our Mixer and our gMLP agree to $10^{-7}$; for gMLP the epsilon inside
# that program's gate, $10^{-5}$, had to be matched, too.

# %% [markdown] slideshow={"slide_type": "notes"}
# Let them sort the lines into "you get an error", "you get a wrong number", "you get the same
# accuracy and another model" and "you get less and never know". The third group is the largest.
# *How do you find those?* Count parameters; compare numbers, not accuracies; look at what the
# network really gets.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 08.1 · Token mixing in NumPy
#
# Return $x$ plus what Mixer's two layers over the tokens make of norm$(x)$.

# %% builds="course_utils.lectures.lecture_08.mix_tokens" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
mix_tokens = cu.exercises.use("08.1", mix_tokens)

# %% [markdown] slideshow={"slide_type": "notes"}
# Three minutes. With S = C a forgotten turn would raise no error; here it does. Whoever
# normalises after the turn normalises over the places: each channel then loses how much of it
# there is in the picture.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 08.2 · Count a Mixer
#
# All weights of a Mixer, part by part, here for pictures of 224×224×3 and 1,000 classes. Test
# yourself with S/32 (patch 32, C 512, D_S 256, D_C 2,048, 8 blocks): together 19,104,624.

# %% builds="course_utils.lectures.lecture_08.mixer_parameters" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
mixer_parameters = cu.exercises.use("08.2", mixer_parameters)

# %% [markdown] slideshow={"slide_type": "notes"}
# Have one row of the room do S/32 and another S/16, by hand. The classic mistakes name
# themselves: 8,192 short is one norm a block; 513,000 short is the head; too much by S · C are
# positions that do not exist; and a D_S that grows with S is another model.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 08.3 · The gate
#
# $Z_1 \odot (W\, \text{norm}(Z_2) + b)$: one half of the channels gates the other.

# %% builds="course_utils.lectures.lecture_08.split_gate" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
split_gate = cu.exercises.use("08.3", split_gate)

# %% [markdown] slideshow={"slide_type": "notes"}
# Popular wrong ways: both factors from the same half, the norm before the split, and b along
# the channels.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 08.4 · How a gate starts
#
# What do $W$ and $b$ have to be, so that the new gate returns $Z_1$?

# %% builds="course_utils.lectures.lecture_08.new_gate" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
new_gate = cu.exercises.use("08.4", new_gate)

# %% [markdown] slideshow={"slide_type": "notes"}
# The popular wrong way: b = 0 "because biases start at zero". It gives a block that returns its
# input. Ask what a network of thirty such blocks computes before training: the patches'
# projection, and nothing else.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 08.5 · Which tokens reach which?
#
# `block` takes and returns (S, C), NumPy. Fill a table: True in row $i$, column $j$, where
# token $i$ of the output **changes** when token $j$ of the input is replaced.

# %% builds="course_utils.lectures.lecture_08.influence" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
influence = cu.exercises.use("08.5", influence)

# %% [markdown] slideshow={"slide_type": "notes"}
# A test that they can take along: it finds leaks in causal models, dead attention, and gates
# that never learned. The check's blocks are mean on purpose: in one, a single channel of a
# single token changes. Then ask for three tables by heart: attention (all True), a new gMLP
# block (the diagonal), a causal model (a triangle; which one?).

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 08.6 · Twice the side
#
# `W` was learned for `side`×`side` tokens. Enlarge it for pictures of twice the side.

# %% builds="course_utils.lectures.lecture_08.double_resolution" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
double_resolution = cu.exercises.use("08.6", double_resolution)

# %% [markdown] slideshow={"slide_type": "notes"}
# The mistake to expect is np.kron with 4×4 ones: it takes four tokens that follow each other
# *in the row* for the four children of one parent. Draw a 2×2 grid that becomes 4×4 and number
# the tokens: the children of 0 are 0, 1, 4 and 5. The factor: a row is repeated, a column is
# summed over, so divide by four once.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Summary
#
# - a matrix on the left mixes tokens, on the right channels; Mixer alternates, with GELU
#   between
# - channel mixing is a 1×1 convolution; no positions, since weights have places
# - gMLP: one $S \times S$ matrix as a gate; $W \approx 0$, $b = 1$: it starts deaf and learns
#   to listen
# - cost: linear in $S$ with $D_S$ fixed, else quadratic; one resolution
# - with few pictures a network lives on what it assumes; pre-training is the other source
# - a figure belongs to its rate, its epochs, its pictures and its start; count the rims, look
#   at the curves
# - say what is counted, and check with a pencil

# %% [markdown] slideshow={"slide_type": "skip"}
# **What changed since lecture 7.** The table that says who listens to whom is no longer
# computed from the picture; it is learned once, for all pictures. With it went the softmax, the
# positions, and the freedom to take a picture of another size.
#
# **What comes next.** In text, sentences have many lengths, and what belongs together stands
# now here, now there. Can one matrix serve for all of them? Lab 8b tries gMLP on text: four
# gates, a matrix tied by distance, and one tiny head of attention.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Papers
#
# - Hendrycks and Gimpel (2016), *Gaussian error linear units*
# - Dosovitskiy and others (2021), *An image is worth 16×16 words*
# - Tolstikhin and others (2021), *MLP-Mixer: an all-MLP architecture for vision*
# - Liu, Dai, So and Le (2021), *Pay attention to MLPs*
# - Touvron and others (2021), *ResMLP: feedforward networks for image classification with
#   data-efficient training*
# - Melas-Kyriazi (2021), *Do you even need attention?*
# - Zhang, Dauphin and Ma (2019), *Fixup initialization*
# - Krizhevsky (2009), *Learning multiple layers of features from tiny images*: CIFAR
# - Yun and others (2019), *CutMix*: a square of another picture, and its share of the answer

# %% [markdown] slideshow={"slide_type": "notes"}
# Close with the question of the title page: *attention works out whom to listen to; what if it
# simply knew?* Where all inputs are laid out alike, as pictures of digits are, it may simply
# know. Where they are not, ask again in lab 8b.
