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
# **Lecture 8** · image classification without attention

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Ask what a Transformer computes besides matrix products. The answer we want: a
# softmax, and weights that depend on the input. Today we take both away and see what is left.
# In 2021 several groups found within weeks that a great deal is left.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What you will be able to do
#
# 1. build MLP-Mixer's block and gMLP's block in Keras, and train a network of them
# 2. find out for any block which tokens reach which, and say why these models need no position
#    embeddings
# 3. run an ablation of gMLP's gate with all four rows, and on a task that needs the gate
# 4. compare networks fairly on few labels, beside a rival that is no network
# 5. count parameters and cost, and say what breaks at another resolution

# %% [markdown] slideshow={"slide_type": "skip"}
# **You need** lecture 6 (attention, residual connections, LayerNorm) and lecture 7 (patches,
# the Vision Transformer). **It takes** ninety minutes, 38 of them for six exercises; the
# last two are for home.
#
# Cells that begin with a file name show that file's code. After an exercise, the rest of the
# notebook runs on your own definition if it is correct, and on the course's otherwise.

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Two architectures, one question: what does it cost to fix the mixing weights after
# training instead of computing them for every image? The third and fourth points are about
# method, and hold for any paper that they will read.

# %% slideshow={"slide_type": "skip"} name="start"
import course_utils as cu

session = cu.start(seed=0)  # before Keras is imported, so that its backend starts quietly
LECTURE = "08_mixer_gmlp"

import keras
import numpy as np
from keras import layers, ops

# %% slideshow={"slide_type": "skip"}
from course_utils.layers import PatchEmbedding, TransformerEncoderBlock
from course_utils.layers.mlp import GateParts, GMLPParts, check_tokens, tokens_of
from course_utils.layers.transformer import new_norm
from course_utils.models.mlp import MLP_SIZES
from lectures.lecture_07 import from_patches, gelu, to_patches
from lectures.lecture_07.digits import digit_vit, train_on_images
from lectures.lecture_08 import (
    PRINTED,
    dense,
    digit_gmlp,
    digit_mixer,
    finds_mirror,
    mirrored,
    mixer_block,
    mixer_parameters,
    norm,
    record,
    wrong_in_one,
)

digits = cu.data.load_digits()
generator = np.random.default_rng(0)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Must the weights be computed for every image?
#
# Attention computes an $S \times S$ table of weights from each image ($S$ tokens). To do that,
# it first has to *learn* what makes a good query and a good key.
#
# If all images are laid out alike, as centred digits are, could the table be learned once, for
# all of them?

# %% slideshow={"slide_type": "-"}
cu.figures.show("08_three_ways")

# %% [markdown] slideshow={"slide_type": "skip"}
# Patches, residual connections, LayerNorm and a network on each token's $C$ channels stay as in
# lecture 7; the mean over the tokens takes the place of the class token. What differs is the
# part that exchanges information between tokens.
#
# - **Attention** averages the tokens with weights computed from the image.
# - **MLP-Mixer** ([Tolstikhin et al., 2021](https://arxiv.org/abs/2105.01601)) applies an
#   ordinary two-layer network along the tokens. Its weights are learned and then the same for
#   every image.
# - **gMLP** ([Liu et al., 2021](https://arxiv.org/abs/2105.08050)) learns one $S \times S$
#   matrix, and *multiplies* each token by what the matrix gathers: a gate.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Go through the panels and ask at each: where do the numbers come from that say how
# much one token contributes to another? From the image; from training; from training. Then:
# which of the three could mix the tokens of an image of another size? Only the left one. They
# meet this again later, as an error message. Let somebody object that digits do not always
# stand in the same place. True, and the experiments will say how much that matters.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## A matrix on the left mixes tokens
#
# $X$ holds three tokens (rows) of two channels (columns). **Predict** both products:
#
# $$X = \begin{pmatrix} 1 & 10 \\ 2 & 20 \\ 3 & 30 \end{pmatrix} \qquad
# A = \begin{pmatrix} 0 & 1 & 0 \\ 0 & 0 & 1 \\ 1 & 0 & 0 \end{pmatrix} \qquad
# B = \begin{pmatrix} 0 & 1 \\ 1 & 0 \end{pmatrix} \qquad A X = \;? \qquad X B = \;?$$

# %% slideshow={"slide_type": "-"} tags=["answers-prediction"]
X = np.array([[1, 10], [2, 20], [3, 30]])
A, B = np.roll(np.eye(3, dtype=int), 1, axis=1), np.array([[0, 1], [1, 0]])
print("A X =", (A @ X).tolist(), "  X B =", (X @ B).tolist())

# %% [markdown] slideshow={"slide_type": "-"}
# $A$ moves every token up by one; it does the same to every channel. $B$ exchanges the two
# channels; it does the same to every token. A Keras `Dense` layer multiplies from the right: it
# mixes the *last axis*, here the channels.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Have them write both products down first. Then ask: which of the two does a Dense
# layer compute? The right one. How could you make a Dense layer do the left one? Leave this
# open; it is the heart of the first exercise.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## MLP-Mixer's block

# %% slideshow={"slide_type": "-"}
cu.figures.show("08_mixer")

# %% [markdown] slideshow={"slide_type": "-"}
# $$U = X + W_2\, \sigma\big(W_1\, \text{LN}(X)\big) \qquad
# Y = U + \sigma\big(\text{LN}(U)\, W_3\big)\, W_4$$

# %% [markdown] slideshow={"slide_type": "skip"}
# $X$, $U$ and $Y$ are $(S, C)$: $S$ tokens of $C$ channels. $\text{LN}$ is LayerNorm over the
# channels of each token, with its own gain and shift in each half, and $\sigma$ is GELU, as in
# lecture 7. In **token mixing**, $W_1$ is $(D_S, S)$ and $W_2$ is $(S, D_S)$: each channel,
# read along all tokens, passes through the same network with $D_S$ hidden units. In **channel
# mixing**, $W_3$ is $(C, D_C)$ and $W_4$ is $(D_C, C)$: each token passes through the same
# network with $D_C$ hidden units. This half is the Transformer's feed-forward network. Both
# networks also have biases. $D_S$ is chosen freely: the paper's small models use 256 for 49
# tokens and for 196. In the code below, `norm` is LN without gain and shift, and there are no
# biases.

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output", "slide-output"]
S, C, D_S, D_C = 4, 6, 3, 8
X = generator.normal(size=(S, C))
W_1, W_2 = generator.normal(size=(D_S, S)), generator.normal(size=(S, D_S))
W_3, W_4 = generator.normal(size=(C, D_C)), generator.normal(size=(D_C, C))
U = X + W_2 @ gelu(W_1 @ norm(X))
Y = U + gelu(norm(U) @ W_3) @ W_4
print("W_1 norm(X)", (W_1 @ norm(X)).shape, "  norm(U) W_3", (norm(U) @ W_3).shape)

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) Trace one number through the drawing: in the first half it meets the same channel
# of all other tokens, in the second half the other channels of its own token. After one block
# everything has met everything. Then read the shapes aloud. How many LayerNorms does a block
# have? Two; copies on the net often have one. Which widths are free? $D_S$ and $D_C$.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 08.1 · Build MLP-Mixer's block
#
# Complete `build` and `call`; Dense raises the ValueError. Test with a number of tokens
# that differs from the number of channels: for $S = C$ a forgotten transposition raises no
# error.

# %% slideshow={"slide_type": "skip"} shows="course_utils.layers.mlp.two_layers"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.layers.mlp.MixerParts"
# filled by the build

# %% builds="course_utils.layers.mlp.MixerBlock" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
MixerBlock = cu.exercises.use("08.1", MixerBlock)

# %% [markdown] slideshow={"slide_type": "notes"}
# (10 minutes) In pairs, in the notebook. Typical mistakes, which the check names: `reshape`
# instead of a transposition, the second width of token mixing, one norm for both halves, and
# channel mixing that reads $X$ instead of $U$. Those who finish early say which weights of the
# block know how many tokens there are. Only those of token mixing.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The same numbers as the equations

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
with cu.full_precision():
    block = MixerBlock(D_S, D_C)
    x = generator.normal(size=(2, S, C)).astype("float32")
    block(x)  # the first call makes the weights
    block.set_weights([generator.normal(size=weight.shape) for weight in block.weights])
    theirs = ops.convert_to_numpy(block(x))
parts = ("token_norm", "token_mixing", "channel_norm", "channel_mixing")
weights = {part: getattr(block, part).get_weights() for part in parts}
gap = np.abs(mixer_block(x, weights) - theirs).max() / np.abs(theirs).max()
print("Keras and NumPy agree to 1e-5:", gap < 1e-5)

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) The same weights, copied name by name into the two equations. From here on the
# equations are code that trains.

# %% [markdown] slideshow={"slide_type": "skip"}
# `mixer_block` is the NumPy cell above with biases, gains and shifts. All weights are redrawn
# before the comparison: new biases are 0 and new gains 1, which would hide a forgotten one.

# %% slideshow={"slide_type": "subslide"} tags=["nbval-check-output"]
images = keras.Input((8, 8, 1))
h = PatchEmbedding(64, patch=2)(images)
for _ in range(3):
    h = MixerBlock(token_mlp_dim=32, channel_mlp_dim=128)(h)
h = layers.LayerNormalization(epsilon=1e-6)(h)
logits = layers.Dense(10)(layers.GlobalAveragePooling1D()(h))
print(f"Mixer for 8×8 digits: {keras.Model(images, logits).count_params():,} parameters")

# %% [markdown] slideshow={"slide_type": "-"}
# The whole model: patches, blocks, LayerNorm, *mean over the tokens*, classifier. There is no
# class token, and there are no position embeddings.

# %% [markdown] slideshow={"slide_type": "skip"}
# **A convolutional reading.** Channel mixing is two $1 \times 1$ convolutions. $W_1$ is a set
# of $D_S$ kernels as large as the image, the same for every channel. So a Mixer is a
# convolutional network without two assumptions: that neighbours matter most, and that a pattern
# may stand anywhere. Such built-in assumptions are the **inductive bias** of an architecture.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Point at the two lines that are printed. What would a class token add? It could be
# mixed like any other token; the mean has no weights, and lecture 7 saw no difference. Say
# "inductive bias" once, slowly: what a network assumes before it has seen data. It organises
# the second half.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## gMLP's block: one matrix, used as a gate

# %% slideshow={"slide_type": "-"}
cu.figures.show("08_gmlp")

# %% [markdown] slideshow={"slide_type": "-"}
# $$Z = \sigma(\text{LN}(X)\, U) \qquad
# \tilde Z = Z_1 \odot \big(W\, \text{LN}(Z_2) + b\big) \qquad Y = X + \tilde Z\, V$$

# %% [markdown] slideshow={"slide_type": "skip"}
# $U$ is now a matrix of weights, $(C, D)$: it widens each token to $D$ channels. They are
# split into two halves, $Z = [Z_1, Z_2]$, each $(S, D/2)$. The second half is normalised and
# mixed along the tokens by *one* matrix $W$, $(S, S)$, the same for all its channels. Row
# $i$ of $W$ says how much each token contributes to token $i$; $b$ adds one number a token.
# The result multiplies the first half element by element ($\odot$), and $V$, $(D/2, C)$,
# narrows it again. The middle equation is the **spatial gating unit**.
#
# One half of the channels carries the content, the other scales it. Unlike an LSTM's gate, this
# one has no sigmoid: it can also amplify, or change the sign. The split also halves the cost of
# the product with $W$, and the size of $V$.

# %% [raw]
# given(1 / 2)

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Cover the green box: what is left is the Transformer's feed-forward network.
# Uncover it: the gate is the only place where tokens meet. Why multiply and not add? A product
# of two tokens is something that a sum cannot make; lab 8b compares both. How many residual
# connections are there? One. Which two mistakes would keep all shapes right? Exchanged halves
# and a transposed $W$.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 08.2 · Build the spatial gating unit
#
# Complete `call`: `z` has the shape (batch, S, D), the result (batch, S, D/2). The base class
# `GateParts` has made `self.W` (S, S), `self.b` (S,) and `self.norm`.

# %% builds="lectures.lecture_08.SpatialGatingUnit.call" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
SpatialGatingUnit = cu.exercises.use("08.2", SpatialGatingUnit)

# %% [markdown] slideshow={"slide_type": "notes"}
# (6 minutes) Shapes first: `self.b` has one number a token, so it has to become a column.
# Frequent mistakes: the norm before the split, and both factors from one half.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ## Exercise 08.3 · Build gMLP's block
#
# Complete `call` from the parts that the base class has made: `self.norm`, `self.U` with its
# GELU, `self.gate` (yours) and `self.V`.

# %% builds="lectures.lecture_08.GMLPBlock.call" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
GMLPBlock = cu.exercises.use("08.3", GMLPBlock)

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) One line. What is added is the input itself, not its norm. Those who finish early
# say what the block computes while $W$ is 0 and $b$ is 1.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Which model knows positions?
#
# Cut a digit into its 16 patches and feed them in another order. Do the logits of an
# *untrained* model change? **Predict** yes or no for each: a ViT with position embeddings, a
# ViT without, a Mixer, a gMLP.


# %% slideshow={"slide_type": "skip"}
def moved_by_reordering(model):
    """How far the logits move, at most, when the 16 patches come in another order."""
    patches = to_patches(digits.val.inputs[:50], 2)
    order = np.random.default_rng(0).permutation(16)
    other = from_patches(patches[:, order], 8, 8, 2)
    moved = model(other, training=False) - model(digits.val.inputs[:50], training=False)
    return np.abs(ops.convert_to_numpy(moved)).max()


# %% slideshow={"slide_type": "-"} tags=["answers-prediction"]
with cu.full_precision():
    untrained = {
        "ViT with positions": digit_vit(),
        "ViT without": digit_vit(positions="none"),
        "Mixer": digit_mixer(MixerBlock),
        "gMLP": digit_gmlp(GMLPBlock),
    }
    for name, model in untrained.items():
        gap = moved_by_reordering(model)
        print(f"{name:20}{f'{gap:.1f}' if gap > 1e-4 else 'less than 0.0001'}")

# %% [markdown] slideshow={"slide_type": "skip"}
# Attention treats tokens as a set, so a ViT needs position embeddings. In a Mixer column $s$ of
# $W_1$ belongs to position $s$: the weights know the positions already. A *new* gMLP does not
# know them, although $W$ has a row for each position. The reason is how its gate starts.

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Collect votes by hand, line by line, before you run the cell. The last line
# divides the room. Is something broken? No, it was designed so, and the next exercise shows
# how.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 08.4 · Which tokens reach which?
#
# Build the instrument. `block` takes and returns a NumPy array (S, C). Fill a table: True in
# row $i$, column $j$, where token $i$ of the output changes when token $j$ of the input is
# replaced.

# %% builds="lectures.lecture_08.influence" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
influence = cu.exercises.use("08.4", influence)

# %% [markdown] slideshow={"slide_type": "notes"}
# (6 minutes) The check has unkind blocks: in one of them a single channel of a single token
# changes. Those who finish early draw three tables from memory: attention (all True), causal
# attention (lower triangle), a convolution of width 3 (three diagonals).

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Three new blocks under your instrument
#
# **Predict** the three tables before you run the cell.


# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "hide-input"]
def reach(block):
    """The table of `influence` for a Keras block on random tokens, (S, C)."""
    tokens = np.random.default_rng(1).normal(size=(16, 48)).astype("float32")
    block(tokens[None])
    return influence(
        lambda x: ops.convert_to_numpy(block(x[None].astype("float32")))[0], tokens
    )


with cu.full_precision():
    tables = {
        "new attention block": reach(TransformerEncoderBlock(48, 4, 192)),
        "new Mixer block": reach(MixerBlock(32, 128)),
        "new gMLP block": reach(GMLPBlock(192)),
    }
figure, axes = cu.plotting.figure(9, 2.9, columns=3)
said = []
for axis, (name, table) in zip(axes, tables.items(), strict=True):
    axis.imshow(table, cmap="Blues", vmin=0, vmax=1)
    axis.set(title=name, xlabel="input token", xticks=(0, 15), yticks=(0, 15))
    axis.grid(False)
    said.append(f"{name}: {int(table.sum())} of 256")
axes[0].set_ylabel("output token")
cu.plotting.show(figure, f"Which input tokens reach which output tokens. {'; '.join(said)}.")

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# In a new gMLP block no token changes another one by more than 0.0001.
#
# $W$ starts within $\pm 10^{-4} / S$ and $b$ at 1, so
#
# $$Z_1 \odot \big(W\, \text{LN}(Z_2) + b\big) \;\approx\; Z_1 \odot 1 \;=\; Z_1$$
#
# and the block is a plain feed-forward network. The authors ask for this start ("$W$ near zero,
# $b$ one") to keep the beginning of training stable. The gate has to *learn* to mix
# tokens: $W$ gets a gradient from the first step, because $Z_1$ is not zero.

# %% [raw]
# given(0.0001)

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Put the starting values into the formula on the board. What does the whole network
# compute at the start? Each patch by itself, then the mean: a bag of patches. That answers the
# last vote. Why random numbers in the instrument, and not a constant added? LayerNorm removes a
# constant.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 08.5 · Train your gMLP
#
# Assemble a gMLP of your blocks and train it: 0.92 on the validation digits, with at most
# 60,000 parameters and 500 batches. Choosing the learning rate is up to you.

# %% [raw]
# given(0.92)
# given(0.05, 5, 500)

# %% builds="lectures.lecture_08.train_gmlp" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
train_gmlp = cu.exercises.use("08.5", train_gmlp)

# %% [markdown] slideshow={"slide_type": "skip"}
# `train_on_images` trains every network on digits, here and in lecture 7: **AdamW** with
# **weight decay** 0.05, gradients clipped to a norm of 1, a warm-up of 100 batches, then a
# cosine down to 0. It counts every 100 batches as an epoch, whatever the size of the training
# set: its 5 epochs are 500 batches.

# %% slideshow={"slide_type": "-"} heading="Your gMLP trains"
keras.utils.set_random_seed(session.seed)
trained = train_gmlp(GMLPBlock, digits)


# %% slideshow={"slide_type": "-"} tags=["headline", "slide-output"]
def accuracy(model, part=digits.val):
    """The share of a part's digits that a model names correctly."""
    named = model.predict(part.inputs, verbose=0).argmax(axis=1)
    return float(np.mean(named == part.targets))


print(f"your gMLP on the validation digits: {accuracy(trained):.2f}")

# %% [markdown] slideshow={"slide_type": "notes"}
# (7 minutes) One training takes about ten seconds. Let each table start from another learning
# rate and write the results on the board: rate against accuracy. The next slide has such a plot
# for 100 digits, where all accuracies are lower.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## How sensitive is each network to the learning rate?

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
NETWORKS = {"convnet": "convnet", "ViT": "vit", "Mixer": "mixer", "gMLP": "gmlp"}
HOME = {"convnet": "07_vision_transformer", "vit": "07_vision_transformer"}
figure, axis = cu.plotting.figure(7, 3.2)
said = []
for title, name in NETWORKS.items():
    rows = cu.results.load_table(HOME.get(name, LECTURE), f"rates-{name}-100")
    rates, reached = zip(*(row.values() for row in rows), strict=True)
    axis.plot(rates, reached, marker="o", markersize=4, label=title)
    said.append(f"{title}: {min(reached):.2f} to {max(reached):.2f}")
axis.set(xscale="log", xlabel="learning rate", ylabel="validation accuracy")
axis.set_xticks(rates, [f"{rate:g}" for rate in rates])
axis.minorticks_off()
axis.legend(loc="center left", bbox_to_anchor=(1, 0.5))
cu.plotting.show(figure, f"Accuracy by learning rate, 100 digits. {'; '.join(said)}.")

# %% [markdown] slideshow={"slide_type": "-"}
# 100 training digits, mean of the best epochs of two seeds; two of the 200 validation digits
# are one point. The curves are broad: a factor of 32 in the learning rate costs Mixer and gMLP
# less than three points, the convnet four, and the ViT nine.

# %% [raw]
# all(
#     max(
#         cell(f"rates-{name}-100", rate, "val_accuracy")
#         for rate in (0.001, 0.002, 0.004, 0.008, 0.016, 0.032)
#     )
#     - min(
#         cell(f"rates-{name}-100", rate, "val_accuracy")
#         for rate in (0.001, 0.002, 0.004, 0.008, 0.016, 0.032)
#     )
#     < 0.03
#     for name in ("mixer", "gmlp")
# )
# near(
#     [
#         np.ptp(
#             [
#                 cell(
#                     f"rates-{name}-100", rate, "val_accuracy", lecture="07_vision_transformer"
#                 )
#                 for rate in (0.001, 0.002, 0.004, 0.008, 0.016, 0.032)
#             ]
#         )
#         for name in ("convnet", "vit")
#     ],
#     [0.04, 0.09],
#     0.005,
# )
# near(0.032 / 0.001, 32, 0.01)
# given(2, 200)

# %% [markdown] slideshow={"slide_type": "skip"}
# Deeper networks, or runs without warm-up and clipping, may differ. Below, each network has its
# best learning rate on validation for that number of digits.

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Compare the shape with the board, not the height. Everybody has heard that Mixers
# are hard to train. What does this plot say about it, at this size, with warm-up and clipping?
# Then the point for the next slides: for the comparison that follows, each network takes the
# peak of its own curve.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## An ablation: what is the gate worth?
#
# The gate learns two things, $W$ and $b$. **Predict** the test accuracy of each row on 1,200
# digits; a constant answer scores 0.10:
#
# | | $W$ held at 0 | $W$ learns |
# | --- | --- | --- |
# | $b$ held at 1 | no token reaches another: a bag of patches | tokens mix |
# | $b$ learns | each position has its own scale | the whole gate |

# %% [raw]
# given(0.10)

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Numbers in writing, for all four cells. A hint for the first: it is a bag of
# patches, sixteen small squares, judged by their mean. Why four rows and not two? An ablation
# that removes $W$ and $b$ together cannot say which of them mattered.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ## Exercise 08.6 · Find the bug
#
# A student writes this and trains all four rows. All of them reach the *same* accuracy, up to
# the seed: even the row that should be a bag of patches.
#
# ```python
# def hold(model, learn_W, learn_b):
#     for layer in model.layers:
#         if layer.name == "gate":
#             layer.W.trainable, layer.b.trainable = learn_W, learn_b
#             if not learn_W:
#                 layer.W.assign(ops.zeros(layer.W.shape))
#     return model
# ```
#
# No line raises an error. What happens, and what does not? Write `hold` correctly.

# %% builds="lectures.lecture_08.hold" slideshow={"slide_type": "subslide"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
hold = cu.exercises.use("08.6", hold)

# %% [markdown] slideshow={"slide_type": "notes"}
# (5 minutes) The symptom first: which rows should differ, and do not? Then let them print
# `[layer.name for layer in model.layers]`. The lesson goes beyond Keras: check an ablation
# before you train it, for instance by counting the trainable parameters of each row.

# %% slideshow={"slide_type": "skip"}
for learned in ((False, False), (False, True), (True, False), (True, True)):
    model = hold(digit_gmlp(GMLPBlock), *learned)
    count = sum(int(np.prod(weight.shape)) for weight in model.trainable_variables)
    print(f"W and b learn: {learned}; {model.count_params() - count:,} parameters are held")

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### The four rows, recorded

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "hide-input"]
ROWS = {
    "neither": "gmlp_neither",
    "b alone": "gmlp_b",
    "W alone": "gmlp_W",
    "both": "gmlp",
}


def recorded(name, count):
    """The five recorded runs of a network on so many digits."""
    return cu.results.load(HOME.get(name, LECTURE), f"{name}_{count}", "digits")


def accuracies(name, count):
    return [run["metrics"]["test_accuracy"] for run in recorded(name, count)]


cu.plotting.dots(
    {"gMLP, 1,200 digits": {"": {row: accuracies(name, 1_200) for row, name in ROWS.items()}}},
    ylabel="test accuracy",
    xlabel="what the gate learns",
    limits=(0.6, 1.0),
)

# %% [markdown] slideshow={"slide_type": "fragment"}
# Five seeds, 500 batches, each row at the best of six learning rates (for "neither" and "W
# alone" the largest, 0.032; none larger was tried). The bag of patches reaches 0.71 to 0.76.
# *Either* $W$ or $b$ alone closes the gap to the full gate on these test digits: the three rows
# overlap, 0.97 to 0.98. On the validation digits $b$ alone is behind on every seed: 0.950 to
# 0.965, against 0.970 to 0.985.

# %% [raw]
# near(ends(recorded("gmlp_neither_1200", "digits")), [0.71, 0.76], 0.005)
# near(
#     ends([recorded(f"{name}_1200", "digits") for name in ("gmlp_b", "gmlp_W", "gmlp")]),
#     [0.97, 0.98],
#     0.005,
# )
# near(ends(recorded("gmlp_b_1200", "digits", "val_accuracy")), [0.950, 0.965], 0.0005)
# near(
#     ends([recorded(f"{name}_1200", "digits", "val_accuracy") for name in ("gmlp_W", "gmlp")]),
#     [0.970, 0.985],
#     0.0005,
# )
# len(recorded("gmlp_neither_1200", "digits")) == 5
# given(0.032)

# %% [markdown] slideshow={"slide_type": "skip"}
# The first row is lecture 1's bag of words for images: it sees all patches, and not their
# order. $b$ has one number for each position and block, 64 in all. It scales what a block adds
# to the token of each position, so a stroke at the top becomes another vector than the same
# stroke below, as with a position embedding; no patch meets another before the final mean. $W$
# knows positions, too, and lets patches meet.
#
# So "how much of the gain is due to $W$?" has no single answer. The rows neither, $b$, both
# would have credited $b$ with almost everything; the rows neither, $W$, both would have
# credited $W$. Vary each factor of an ablation alone as well.

# %% [raw]
# all(
#     recorded(f"{one}_1200", "digits").max() > recorded(f"{other}_1200", "digits").min()
#     for one in ("gmlp_b", "gmlp_W", "gmlp")
#     for other in ("gmlp_b", "gmlp_W", "gmlp")
# )

# %% slideshow={"slide_type": "skip"}
if session.profile == "full":  # makes the recorded runs again: seed 0 those of all seeds
    record.record_all(session.seed)

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Compare with the written guesses. Suppose we had run "neither", "b alone" and
# "both" only. What would we have concluded about $W$? Then: invent images on which $W$ would be
# worth more. Take two suggestions; the next slide has one.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## A task that needs W

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
halves = mirrored(digits)
figure, axes = cu.plotting.figure(9, 1.9, columns=6)
for number, axis in enumerate(axes):
    rows = np.flatnonzero(halves.val.targets == (number < 3))
    cu.plotting.draw_image(axis, halves.val.inputs[rows[number], :, :, 0])
    axis.set_title("mirrored" if number < 3 else "not mirrored", fontsize=12)
cu.plotting.show(
    figure,
    "Six images of two halves. In three the right half is the mirror image of the left one; in "
    "three it is the mirrored half of another digit.",
)

# %% [markdown] slideshow={"slide_type": "-"}
# The left half is that of a real digit; the right half mirrors it, or mirrors another digit.
# Neither half alone tells which: the network has to *compare* patches. **Predict** the four
# rows again. Chance is 0.5; the network keeps its ten outputs.

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Four numbers again. Which rows can compare two patches at all? Let somebody argue
# it before the network answers.

# %% slideshow={"slide_type": "subslide"} heading="The whole gate, trained on mirrored halves"
keras.utils.set_random_seed(session.seed)
comparer = hold(digit_gmlp(GMLPBlock), learn_W=True, learn_b=True)
train_on_images(comparer, halves, 4e-3, session.pick(quick=3, full=5))
reached = accuracy(comparer, halves.val)
print(f"both: {reached:.2f} of the validation images")
if reached < 0.9:
    print("Not learned yet: set another seed in this cell and run it again.")

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) The whole gate trains here; the other rows are recorded. While it trains: what does
# the mean at the end compute if no patch has met another? A sum of what each patch says alone.

# %% slideshow={"slide_type": "subslide"} tags=["answers-prediction", "hide-input"] heading="The four rows on mirrored halves"
tested = {
    row: [
        run["metrics"]["test_accuracy"]
        for run in cu.results.load(LECTURE, name, "mirrored_digits")
    ]
    for row, name in ROWS.items()
}
rivals = cu.results.load_table(LECTURE, "mirror-rivals")
for name, row in zip(("logistic\nregression", "SVM,\nproducts"), rivals, strict=True):
    tested[name] = [row["test_accuracy"]]
cu.plotting.dots(
    {"gMLP on mirrored halves, and two rivals": {"": tested}},
    ylabel="test accuracy",
    limits=(0.4, 1.02),
)

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# Three seeds, 500 batches, each row at the best of three learning rates (always the smallest,
# 0.001; none smaller was tried). **Without $W$ the test accuracy stays near chance, 0.48 to
# 0.55; with $W$ it reaches at least 0.98.**
#
# While $W$ is 0 the logits are a *sum* of terms that each depend on one patch. Each patch alone
# looks alike in both classes, so the sum has the same mean in both, and on average no sum has a
# lower cross-entropy than the constant answer. Its spread may differ, so the accuracy can be
# above 0.5. A logistic regression reaches 0.50. A **support vector machine** (SVM) places the
# boundary between classes with the largest margin to the training examples; a kernel says how
# alike two images are. With a kernel of products of two pixels it reaches 0.95.

# %% [raw]
# near(
#     ends([recorded(name, "mirrored_digits") for name in ("gmlp_neither", "gmlp_b")]),
#     [0.48, 0.55],
#     0.005,
# )
# min(recorded(name, "mirrored_digits").min() for name in ("gmlp_W", "gmlp")) > 0.98
# near(cell("mirror-rivals", "logistic regression on pixels", 1, "test_accuracy"), 0.5, 0.01)
# near(cell("mirror-rivals", "SVM on products of two pixels", 10, "test_accuracy"), 0.95, 0.005)
# len(recorded("gmlp", "mirrored_digits")) == 3
# all(
#     rate == 0.001
#     for name in ("gmlp_neither", "gmlp_b", "gmlp_W", "gmlp")
#     for rate in [run["learning_rate"] for run in about(name, "mirrored_digits", "settings")]
# )
# given(3, 500)

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Come back to the ablation: "beside b, W is worth nothing" would have been a
# statement about centred digits. The SVM is a rival that they should always ask for: it may
# multiply any two pixels, as the gate does with two patches.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### What has W learned?

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
gate = next(layer.gate for layer in comparer.layers if hasattr(layer, "gate"))
W = ops.convert_to_numpy(gate.W)
limit = np.abs(W).max()
figure, axis = cu.plotting.figure(4.4, 4.0)
maps = W.reshape(4, 4, 4, 4).swapaxes(1, 2).reshape(16, 16)
axis.imshow(maps, cmap="RdBu_r", vmin=-limit, vmax=limit)
places = np.arange(4)
row, column = np.meshgrid(places, places, indexing="ij")
axis.plot(4 * column + 3 - column, 4 * row + row, "k.", markersize=5)
axis.set_xticks(np.arange(3.5, 15, 4), [])
axis.set_yticks(np.arange(3.5, 15, 4), [])
axis.grid(color="black", linewidth=1)
found = finds_mirror(W, 4)
alt = (
    "The matrix W of the first block as sixteen maps of 4×4 positions, red positive and blue "
    f"negative; a dot marks the mirror position. In {found:.0%} of the maps it is the largest."
)
pairs = {name: halves.val.inputs[halves.val.targets == name][0, ..., 0] for name in (1, 0)}
images = {"mirrored": pairs[1], "not mirrored": pairs[0]}
images |= {f"a {digits.val.targets[row]}": digits.val.inputs[row, ..., 0] for row in range(6)}
names, numbers = ["not mirrored", "mirrored"], list("0123456789")
networks = {"gMLP, mirrored halves": (comparer, names), "your gMLP, digits": (trained, numbers)}
new = {"new gMLP": digit_gmlp(GMLPBlock), "new Mixer": digit_mixer(MixerBlock)}
networks |= {name: (model, numbers) for name, model in new.items()}
cu.explore.mixing(networks, images, (figure, alt))

# %% [markdown] slideshow={"slide_type": "-"}
# The last map is one row of the first block's $W$, laid out like the image: what this patch
# gathers from where. Choose patches: is the largest entry, by amount, at the mirror position?
# In the recorded runs of "both" it is in 75 to 94 % of the rows; by chance it would be in 6 %.

# %% [raw]
# near(1 / 16, 0.06, 0.005)
# near(ends(recorded("gmlp", "mirrored_digits", "mirror_rows")), [0.75, 0.94], 0.005)

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Ask where the row of the top left patch is largest, then choose it: its mirror
# position is top right, dashed. Let them check two more. Ask what the network says without W,
# then switch it off. Take the new gMLP: who reaches whom?
# At last twice the side: what is in the way? In a Transformer the weights would be computed for
# each image.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Few labels: four networks and a rival
#
# | network | multiplications | assumes before training |
# | --- | --- | --- |
# | convnet, 3 layers | 0.46 million | neighbours matter; a pattern may stand anywhere |
# | ViT, 2 blocks | 1.00 million | tokens are a set; positions are learned vectors |
# | Mixer, 3 blocks | 0.99 million | every position has its own weights |
# | gMLP, 4 blocks | 0.99 million | a bag of patches at first; mixing has to be learned |
#
# 54,000 to 60,000 parameters each; multiplications for one image. The rival: an SVM on the
# pixels, with a Gaussian kernel. **Predict** the order at 100 digits and at 1,200.

# %% [raw]
# 54_000 < about("mixer_100", "digits", "parameters")[0]
# about("gmlp_100", "digits", "parameters")[0] < 60_000
# near((64 * 9 * 32 + 16 * 9 * 32 * 64 + 4 * 9 * 64 * 64 + 640) / 1e6, 0.46, 0.005)
# near(
#     (16 * 4 * 48 + 2 * (17 * 4 * 48**2 + 2 * 17**2 * 48 + 17 * 2 * 48 * 192) + 480) / 1e6,
#     1.00,
#     0.005,
# )
# near((16 * 4 * 64 + 3 * 16 * (2 * 64 * 32 + 2 * 64 * 128) + 640) / 1e6, 0.99, 0.005)
# near((16 * 4 * 48 + 4 * 16 * 48 * (192 + 2 * 16 + 96) + 480) / 1e6, 0.99, 0.005)

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Two orders in writing, with the SVM in them. When does an assumption hurt? When it
# is wrong, or when there is so much data that something better could be learned. All networks
# are trained alike: 500 batches, six learning rates tried on the validation digits, five seeds,
# the test digits read once. All four have LayerNorm, the convnet too.


# %% slideshow={"slide_type": "subslide"} tags=["answers-prediction", "hide-input"]
def svm(count, column="as they are"):
    """The accuracies of the SVM on so many digits, recorded."""
    rows = cu.results.load_table("07_vision_transformer", "svm")
    return [row[column] for row in rows if row["digits"] == count]


cu.plotting.dots(
    {
        f"{count:,} digits": {
            **{title: {"": accuracies(name, count)} for title, name in NETWORKS.items()},
            "SVM": {"": svm(count)},
        }
        for count in (100, 1_200)
    },
    ylabel="test accuracy",
    limits=(0.7, 1.01),
)

# %% [markdown] slideshow={"slide_type": "fragment"}
# With 100 digits the convnet is ahead of the other networks on every seed; gMLP, Mixer and ViT
# *overlap*. **The SVM is as good as the convnet, and better than the other three on every
# seed.** With 1,200 digits it again beats those three on every seed; it makes 5 errors on the
# 397 test digits, the convnet 1 to 5. For such images one hardly needs a network.

# %% [markdown] slideshow={"slide_type": "skip"}
# Choosing each learning rate, and the SVM's penalty $C$, used 200 further labelled digits. The
# test part has 397 digits: the standard error of an accuracy of 0.95 is 1.1 points. All
# networks read the *same* test digits, so errors can be compared in pairs. The table
# counts the digits that only one of two networks gets wrong, summed over five seeds:

# %% slideshow={"slide_type": "skip"} tags=["answers-prediction"]
pairs = [("gMLP", "convnet"), ("Mixer", "convnet"), ("Mixer", "gMLP")]
pairs += [("Mixer", "ViT"), ("gMLP", "ViT")]
rows = []
for count in (100, 1_200):
    for pair in pairs:
        alone = wrong_in_one(*(recorded(NETWORKS[title], count) for title in pair))
        row = {"digits": count, "A": pair[0], "B": pair[1]}
        rows.append(row | {"only A wrong": alone[0], "only B wrong": alone[1]})
cu.results.Table(rows)

# %% [markdown] slideshow={"slide_type": "skip"}
# At 1,200 digits, *the ViT is behind Mixer and gMLP on each of the five seeds*: per seed it
# alone is wrong on 5 to 8 digits, Mixer alone on 3 to 5, gMLP alone on 3 to 6. No difference of
# two counts exceeds 1.6 standard errors (the root of their sum), and the seeds share the test
# digits. Mixer and gMLP are not ordered.

# %% [raw]
# all(
#     apart(recorded(f"convnet_{count}", "digits", lecture="07_vision_transformer"), others)
#     for count in (100, 1200)
#     for others in [
#         np.concatenate(
#             [
#                 recorded(f"gmlp_{count}", "digits"),
#                 recorded(f"mixer_{count}", "digits"),
#                 recorded(f"vit_{count}", "digits", lecture="07_vision_transformer"),
#             ]
#         )
#     ]
# )
# all(
#     recorded(f"{name}_100", "digits").min()
#     < recorded("vit_100", "digits", lecture="07_vision_transformer").max()
#     for name in ("gmlp", "mixer")
# )
# all(
#     cell("svm", count, seed, 10, "as they are", lecture="07_vision_transformer")
#     > max(
#         recorded(f"gmlp_{count}", "digits").max(),
#         recorded(f"mixer_{count}", "digits").max(),
#         recorded(f"vit_{count}", "digits", lecture="07_vision_transformer").max(),
#     )
#     for count in (100, 1200)
#     for seed in range(5)
# )
# not any(
#     apart(
#         recorded(f"convnet_{count}", "digits", lecture="07_vision_transformer"),
#         np.array(
#             [
#                 cell("svm", count, seed, 10, "as they are", lecture="07_vision_transformer")
#                 for seed in range(5)
#             ]
#         ),
#     )
#     for count in (100, 1200)
# )
# all(
#     len(set(vit) - set(other)) in range(5, 9)
#     and len(set(other) - set(vit)) in range(3, 6 + (name == "gmlp"))
#     and len(set(other) - set(vit)) < len(set(vit) - set(other))
#     and len(set(vit) - set(other)) - len(set(other) - set(vit))
#     <= 1.6 * len(set(vit) ^ set(other)) ** 0.5
#     for name in ("mixer", "gmlp")
#     for vit, other in zip(
#         about("vit_1200", "digits", "wrong", "07_vision_transformer"),
#         about(f"{name}_1200", "digits", "wrong"),
#     )
# )
# len(recorded("gmlp_100", "digits")) == 5
# near((0.95 * 0.05 / 397) ** 0.5, 0.011, 0.0005)
# given(200)

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Hold the written orders against the dots. Few will have put the SVM first. Where
# dots of two networks overlap, say "this experiment does not order them", and let somebody say
# what would: more test digits, more seeds, or reading the same errors in pairs.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### One pixel to the side
#
# The five models of 100 centred digits read each test digit one pixel to the left or right.
# **Predict** who loses least.

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "hide-input"]
shifts = cu.results.load_table(LECTURE, "shifts-100")
moved = {
    title: [(row["left"] + row["right"]) / 2 for row in shifts if row["network"] == name]
    for title, name in NETWORKS.items()
}
moved["SVM"] = [sum(pair) / 2 for pair in zip(svm(100, "left"), svm(100, "right"), strict=True)]
cu.plotting.dots({"": {"": moved}}, ylabel="accuracy, digits shifted", limits=(0.2, 1.0))

# %% [markdown] slideshow={"slide_type": "fragment"}
# **The convnet keeps most, 0.57 to 0.71.** The SVM falls to 0.38 to 0.45, the other three
# networks to 0.22 to 0.34. A possible reason: the convnet's kernels belong to no position. (It
# also pools, and its windows overlap; none of these was varied alone.)

# %% [raw]
# near(
#     ends(
#         [
#             (cell("shifts-100", "convnet", seed, "left"))
#             + cell("shifts-100", "convnet", seed, "right")
#             for seed in range(3)
#         ]
#     ) / 2,
#     [0.57, 0.71],
#     0.005,
# )
# near(
#     ends(
#         [
#             sum(
#                 cell("svm", 100, seed, 10, side, lecture="07_vision_transformer")
#                 for side in ("left", "right")
#             )
#             for seed in range(5)
#         ]
#     ) / 2,
#     [0.38, 0.45],
#     0.006,
# )
# near(
#     ends(
#         [
#             cell("shifts-100", name, seed, "left") + cell("shifts-100", name, seed, "right")
#             for name in ("vit", "mixer", "gmlp")
#             for seed in range(3)
#         ]
#     ) / 2,
#     [0.22, 0.34],
#     0.005,
# )

# %% [markdown] slideshow={"slide_type": "skip"}
# Shifts to the side cost almost no ink; up or down, an eighth of it.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) The SVM won the last slide and loses this one: the test part there is centred like
# the training part. Ask which of the two describes photographs. Then: could the others be
# taught this? By shifted training images, as in lecture 7.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The price in S
#
# | one layer, multiplications | along the tokens | grows like |
# | --- | --- | --- |
# | attention | $2\, S^2 C$ (and $4\, S C^2$ for Q, K, V, O) | $S^2$ |
# | token mixing | $2\, S\, D_S\, C$ | $S$, with $D_S$ fixed |
# | the split gate | $S^2 D / 2$ | $S^2$ |

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
times = {}
for row in cu.results.load_table(LECTURE, "mixing-cost"):
    times.setdefault(row["layer"], {})[row["length"]] = row["milliseconds"]
figure, axis = cu.plotting.figure(8, 2.7)
said = []
for name, line in times.items():
    name = name.split("(")[0]  # attention, of 64 channels in 2 heads
    axis.loglog(list(line), list(line.values()), marker="o", markersize=4, label=name)
    said.append(f"{name}: {line[64]:.1f} ms at 64 tokens, {line[2048]:.0f} ms at 2,048")
axis.set(xlabel="tokens S", ylabel="ms a training step")
axis.set_xticks(list(line), [f"{length:,}" for length in line])
axis.minorticks_off()
axis.legend()
cu.plotting.show(figure, f"Milliseconds a training step, recorded. {'; '.join(said)}.")

# %% [markdown] slideshow={"slide_type": "-"} tags=["lead"]
# From 1,024 to 2,048 tokens, the time of attention, of the gate and of token mixing with $D_S =
# 2S$ more than triples; that of token mixing with fixed $D_S$ grows by a factor of 1.7.
#
# At 64 tokens the slowest layer takes 1.3 times as long as the fastest; at 256, attention takes
# 1.6 times as long as token mixing with $D_S = 256$, with JAX 3.4 times. (Recorded on a CPU,
# the plot with TensorFlow: one layer, 64 channels, attention in 2 heads, the gate on $D = 256$,
# batch of 4.)

# %% [raw]
# cell("mixing-cost", "attention(64, 2 heads)", 2048, "milliseconds") / cell(
#     "mixing-cost", "attention(64, 2 heads)", 1024, "milliseconds"
# ) > 3
# all(
#     cell("mixing-cost", layer, 2048, "milliseconds")
#     / cell("mixing-cost", layer, 1024, "milliseconds")
#     > 3
#     for layer in ("token mixing, D_S = 2 S", "gate, one S × S matrix")
# )
# near(
#     cell("mixing-cost", "token mixing, D_S = 256", 2048, "milliseconds")
#     / cell("mixing-cost", "token mixing, D_S = 256", 1024, "milliseconds"),
#     1.7,
#     0.05,
# )
# near(
#     np.divide(
#         *ends(
#             [
#                 cell("mixing-cost", layer, 64, "milliseconds")
#                 for layer in (
#                     "attention(64, 2 heads)",
#                     "token mixing, D_S = 256",
#                     "token mixing, D_S = 2 S",
#                     "gate, one S × S matrix",
#                 )
#             ]
#         )[::-1]
#     ),
#     1.3,
#     0.05,
# )
# near(
#     [
#         cell(table, "attention(64, 2 heads)", 256, "milliseconds")
#         / cell(table, "token mixing, D_S = 256", 256, "milliseconds")
#         for table in ("mixing-cost", "mixing-cost-jax")
#     ],
#     [1.6, 3.4],
#     0.05,
# )

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Let them derive the second row. When is token mixing quadratic? When $D_S$ is tied
# to $S$. What does a fixed $D_S$ give up? 256 hidden units carry what 2,048 tokens have to say
# to each other.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Tied to one resolution
#
# The networks were trained on 8×8 pixels. **Predict and explain:** whose weights can process
# 16×16 pixels as they are: the convnet's, the ViT's, the Mixer's, the gMLP's? Which weights are
# in the way?

# %% [markdown] slideshow={"slide_type": "fragment"}
# - **convnet:** all fit. Its kernels belong to no position, and the mean takes any number.
# - **ViT:** only its position embeddings are in the way; they can be interpolated (lecture 7).
# - **Mixer:** $W_1$, $W_2$ and the bias of $W_2$ have a row or column for each of 16 positions.
#   For the other 48 there are no weights.
# - **gMLP:** the same holds for $W$ and $b$ of every gate.

# %% [markdown] slideshow={"slide_type": "skip"}
# Shrink the image, or enlarge the weights (next exercise) and go on training.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) One sentence for each network, from the room. Ask what a sentence of another
# length means for a gMLP on text: the same problem, in lab 8b.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ## Exercise 08.7 · Twice the side (at home)

# %% slideshow={"slide_type": "-"}
cu.figures.show("08_grids")

# %% [markdown] slideshow={"slide_type": "-"}
# Both the rows and the columns of $W$ are grids. Enlarge it, so that a token's four children
# together act as the token did. ($b$ is only copied.)

# %% builds="lectures.lecture_08.double_resolution" slideshow={"slide_type": "subslide"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
double_resolution = cu.exercises.use("08.7", double_resolution)

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
W, z = generator.normal(size=(16, 16)), generator.normal(size=(4, 4, 3))
finer = z.repeat(2, axis=0).repeat(2, axis=1)  # every token becomes four equal children
mixed = (W @ z.reshape(16, 3)).reshape(4, 4, 3).repeat(2, axis=0).repeat(2, axis=1)
large = double_resolution(W, 4) @ finer.reshape(64, 3)
print("W", W.shape, "->", double_resolution(W, 4).shape, end="; ")
print("each child gets what its parent got:", np.allclose(large, mixed.reshape(64, 3)))

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) For home: show the two grids. The expected mistake is `np.kron` with a 4×4 block:
# it takes four tokens that follow each other in the sequence for the four children. Draw a 2×2
# grid that becomes 4×4 and number the tokens. Rows are copied; columns are summed, four for
# one, hence the division.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ## Exercise 08.8 · Count a block (at home)
#
# S/16 (S: small) cuts an image of 224×224 into 196 patches, S/32 into 49. The other widths are
# equal. **Predict** which of the two has more parameters. Then count one block.

# %% builds="lectures.lecture_08.mixer_block_parameters" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "skip"} tags=["check"]
mixer_block_parameters = cu.exercises.use("08.8", mixer_block_parameters)

# %% slideshow={"slide_type": "skip"} tags=["answers-prediction", "hide-input"]
rows = []
for size, settings in MLP_SIZES["mixer"].items():
    parts = mixer_parameters(**settings, block=mixer_block_parameters)
    row = {"Mixer": size, "counted": sum(parts.values())}
    row["without the classifier"] = f"{(row['counted'] - parts['logits']) / 1e6:.1f} million"
    rows.append(row | {"in the paper": f"{PRINTED['mixer'][size]} million"})
cu.results.Table(rows)

# %% [markdown] slideshow={"slide_type": "skip"}
# S/16 has four times the tokens and *fewer* parameters: the projection of its smaller patches
# saves more than token mixing adds. All seven counts agree with the paper *without the
# classifier* of 1,000 classes.

# %% [raw]
# [round(cell("built-sizes", f"Mixer {size}", "built") / 1e5) for size in ("S/32", "S/16")] == [
#     191,
#     185,
# ]
# given(4)

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) For home. Take a vote: S/16 or S/32? Most say S/16. The notebook has the answer.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What can go wrong
#
# | line | what happens |
# | --- | --- |
# | Dense on (S, C), not transposed | mixes channels; no error if $S = C$ |
# | `reshape` for a transposition | mixes tokens and channels; no error |
# | one LayerNorm a block | trains; 2C parameters short |
# | $W$ transposed, or halves exchanged | trains; published weights do not fit |
# | gates looked for in `model.layers` | nothing is held; no error |
# | one learning rate for all networks | it may cause part of a difference |
# | another resolution | an error about shapes |

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Let them sort the lines: which raise an error, and which only give another model?
# The second group is larger. How do you find those? Compare numbers, count parameters, look at
# who reaches whom.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Where it stands today
#
# - **Predecessor:** [Synthesizer (2020)](https://arxiv.org/abs/2005.00743) learned attention
#   weights without comparing tokens.
# - **Relatives:** ResMLP mixes by one matrix, FNet by a Fourier transform, ConvMixer by
#   depthwise convolutions, PoolFormer by an average. [MetaFormer
#   (2022)](https://arxiv.org/abs/2111.11418) argues that the rest of the block matters more.
# - **Against them:** one fixed number of tokens, weights that ignore the input, large
#   pre-training in Mixer's best results; FlashAttention made attention need less memory.
# - **What stayed:** gates, but within a token: **GLU**
#   ([2017](https://arxiv.org/abs/1612.08083)) became SwiGLU, in most language models of today
#   (lab 6d).

# %% [markdown] slideshow={"slide_type": "skip"}
# The slides on which this course is based print 82.3 % (Mixer) and 80.2 % (gMLP) on CIFAR-10
# trained from scratch, without saying how: the subject of lab 8c. **Lab 8b** uses gMLP on text,
# where a sentence has no fixed length.

# %% [raw]
# given(0.823, 0.802)

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) One sentence a line.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Summary
#
# - A matrix on the left mixes tokens, on the right channels; Mixer alternates the two.
# - Must the weights be computed for every image? On centred digits no: Mixer and gMLP, which
#   learn one table for all images, are no worse than the ViT of their size.
# - gMLP's gate starts as a pass-through ($W \approx 0$, $b = 1$) and learns to mix. $W$ is
#   worth much alone and little beside $b$ on centred digits, everything where patches are
#   compared.
# - Weights that belong to positions replace position embeddings, and fix the resolution.
# - With 100 centred digits an SVM equals the convnet and beats the rest; one pixel to the side,
#   the convnet is ahead. Ask for the cheap rival, and for the task that needs the architecture.
# - Tune every network over the same grid, compare errors on the same digits, and vary one thing
#   at a time.

# %% [markdown] slideshow={"slide_type": "skip"}
# **Papers.** Tolstikhin et al., [*MLP-Mixer: an all-MLP architecture for
# vision*](https://arxiv.org/abs/2105.01601) (2021) · Liu et al., [*Pay attention to
# MLPs*](https://arxiv.org/abs/2105.08050) (2021) · Touvron et al.,
# [*ResMLP*](https://arxiv.org/abs/2105.03404) (2021) · Tay et al., [*Synthesizer: rethinking
# self-attention for Transformer models*](https://arxiv.org/abs/2005.00743) (2020) · Lee-Thorp
# et al., [*FNet: mixing tokens with Fourier transforms*](https://arxiv.org/abs/2105.03824)
# (2021) · Trockman and Kolter, [*Patches are all you need?*](https://arxiv.org/abs/2201.09792)
# (2022) · Yu et al., [*MetaFormer is actually what you need for
# vision*](https://arxiv.org/abs/2111.11418) (2022) · Dauphin et al., [*Language modeling with
# gated convolutional networks*](https://arxiv.org/abs/1612.08083) (2017) · Shazeer, [*GLU
# variants improve Transformer*](https://arxiv.org/abs/2002.05202) (2020) · Dao et al.,
# [*FlashAttention*](https://arxiv.org/abs/2205.14135) (2022)

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Close with the question of the first section: must the weights be computed for
# every image? On centred digits they need not be. Where inputs are not laid out alike, lab 8b
# goes on.
