# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   title: Transformer
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] slideshow={"slide_type": "slide"} tags=["title"]
# # Transformer
#
# **Lecture 6** · attention without recurrence

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Recall the last plot of lecture 5: with attention, long sentences come out right.
# Attention was an addition to two recurrent networks there. Today's question is whether the
# recurrent networks are still needed.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What you will be able to do
#
# 1. build scaled dot-product and multi-head attention, and show that Keras gives the same
# 2. give a network without recurrence the order of its words
# 3. build the encoder and the decoder block, and find a leak of the future by its symptom
# 4. train your own Transformer until it translates, and say what each of its parts is for
# 5. read what its heads attend to, and count its parameters and operations

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Ask for each line who could do it today.

# %% [markdown] slideshow={"slide_type": "skip"}
# **You need** lecture 5: queries, scores, weights and context, teacher forcing, and the padding
# mask. **It takes** ninety minutes, forty-one of them for the exercises 06.1 to 06.5 and 06.7;
# 06.6 and 06.8, fourteen minutes, are for afterwards.
#
# After an exercise, the rest of the notebook runs on your own layer if it is correct, and
# otherwise on the course's. A block of the course holds the course's attention: yours is
# trained once 06.4 and 06.5 are solved, too. Decoding with a cache, sampling and what has
# changed since 2017 are in lab 6d.

# %% slideshow={"slide_type": "skip"} name="start"
import course_utils as cu

session = cu.start(seed=0)  # before Keras is imported, so that its backend starts quietly
LECTURE = "06_transformer"

import keras
import numpy as np
from keras import layers, ops

# %% slideshow={"slide_type": "skip"}
from course_utils import schedules, training
from course_utils.data.base import one_of
from course_utils.layers.attention import HeadProjections, masked_softmax, zero_hidden
from course_utils.layers.transformer import CachedBlock, Positions, TransformerBlock
from course_utils.models.transformer import TransformerParts
from lectures import lecture_05, lecture_06
from lectures.lecture_05 import translation
from lectures.lecture_05.pairs import encode_sentence, load_pairs
from lectures.lecture_06 import NORMS, feed_forward, layer_norm, multi_head, record

pairs = load_pairs()

# %% [markdown] slideshow={"slide_type": "slide"} tags=["lead"]
# ## What recurrence costs
#
# Lecture 5's translator reads 25 words in 25 steps and writes 28 words in 28 steps. Step $t$
# waits for step $t - 1$, in training as in use.
#
# What the first word tells the last one passes through every state in between.
# **Self-attention** removes both: every word attends to every word of its own sentence
# directly, and training computes all words at the same time. Only writing stays sequential: the
# next word needs the one before it.

# %% slideshow={"slide_type": "-"}
cu.figures.show("06_walk")

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Count the arrows that "the" passes on the left before it reaches "sleep": five. On
# the right: one. Ask what is missing on the right. Nothing says which word comes first.
# Somebody will see it; promise that we repair it in half an hour.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## First step: an average without a loop
#
# How can a word get something from the words before it, for all words at once? The simplest
# way is their mean. A lower triangle whose rows add up to 1 computes all means in one product:

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
x = np.array([[2.0, 0], [0, 4], [4, 2], [0, 2]])  # the, old, cow, sleeps: made-up vectors
triangle = np.tri(4)
shares = triangle / triangle.sum(axis=1, keepdims=True)
for word, row, mean in zip("the old cow sleeps".split(), shares, shares @ x, strict=True):
    print(f"{word:7}", *row.round(2), " mean of the words so far:", *mean.round(2))
equal_scores = lecture_05.softmax(np.zeros((4, 4)), triangle > 0)
print("the same shares from equal scores:", np.allclose(shares, equal_scores))

# %% [markdown] slideshow={"slide_type": "-"} tags=["lead"]
# **Attention is this average with scores that the words decide.**
#
# These shares are a softmax of scores that are all 0, with later words masked.

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Let them compute the third row by hand. Which line would have to wait for which?
# None. Why is "cow" served badly by a mean? It gets as much of "the" as of "old". So what
# should the zeros be? Something that depends on both words: that is the next slide.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Self-attention
#
# Each token makes a **query** (what it looks for), a **key** (what it is found by) and a
# **value** (what it passes on):
#
# $$Q = XW^Q \qquad K = XW^K \qquad V = XW^V \qquad
#   \alpha = \mathrm{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right) \qquad
#   \text{output} = \alpha V$$

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
trained = lecture_06.trained_translator(pairs)  # recorded: what you build today, trained
sentence = "this old cow does not hear the quiet bird"
words, ids = sentence.split(), encode_sentence(sentence, pairs.vocabulary["source"])
Q, K, V = lecture_06.inside_head(trained, ids, head=0)  # 9 words, each a row of 16 numbers
scores = Q @ K.T / np.sqrt(16)
lecture_06.show_query(words, 0, scores[0], lecture_05.softmax(scores)[0])

# %% [markdown] slideshow={"slide_type": "-"} tags=["lead"]
# In a trained translator, the query of *this* finds the key of *cow*.
#
# French needs the noun to choose between *ce* and *cette*. The output for *this* is the sum of
# the nine values, weighted by the last row of the drawing: mostly the value of *cow*.
#
# | symbol | meaning | in Keras |
# | --- | --- | --- |
# | $X$, (S, d) | S tokens, each a vector of width $d$ | the input |
# | $W^Q, W^K, W^V$ | learned matrices | `query`, `key`, `value` |
# | $d_k$ | width of a query and of a key | `key_dim` |
# | $QK^\top / \sqrt{d_k}$, (T, S) | **scores**: T queries by S keys; self-attention: T = S | |
# | $\alpha$, (T, S) | **attention weights**: each row adds up to 1 | `attention_scores` |
#
# Keras calls the weights *scores*. In this course scores go into the softmax and weights come
# out. This is **scaled dot-product attention**; lecture 5's had the decoder's states as
# queries, and the encoder's states as keys and values in one. With $Q = K$ the scores would be
# symmetric: an adjective would score its noun as high as the noun scores the adjective.

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Follow one query: nine dot products, a softmax, a sum of nine values. (It is one
# head in the encoder's second block; both words are explained later.) Then the shapes: X is S
# by d, Q is S by d_k, the scores are S by S. Ask why "this" should look for a noun. Then ask
# which matrices could be merged. (W^Q with W^K, since only their product enters the scores.)

# %% slideshow={"slide_type": "subslide"} tags=["nbval-check-output"] heading="By hand: two tokens"
X = np.array([[1, 0, 2, 0], [0, 1, 1, 1]])  # 2 × 4; numbers for mental arithmetic
W_Q = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]])  # 4 × 3
W_K = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 0, 1]])
W_V = np.array([[1, 0, 0], [0, 2, 0], [0, 0, 1], [0, 0, 1]])
Q, K, V = X @ W_Q, X @ W_K, X @ W_V  # 2 × 3 each
products = Q @ K.T  # (2 × 3)(3 × 2): a number for each pair of tokens
weights = lecture_05.softmax(products / np.sqrt(3))
for name, matrix in {"Q": Q, "K": K, "V": V, "QKᵀ": products, "α": weights}.items():
    print(f"{name:4}", *matrix.round(2).tolist())
print("αV  ", *(weights @ V).round(2).tolist())

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) First row of Q times both rows of K on the board: 1·2 + 0 + 2·1 = 4, then 3. What
# does a row of α add up to? 1. The second token scores 3 and 3, so it attends to both equally.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 06.1 · Scaled dot-product attention
#
# Complete `call`, for inputs with a batch in front. Lecture 5's `masked_softmax(scores, mask)`
# gives weight 0 wherever the mask is False; `self.dropout(weights)` drops weights in training.
# As in Keras, the value comes before the key, which is the value by default.

# %% builds="course_utils.layers.attention.ScaledDotProductAttention.call" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
ScaledDotProductAttention = cu.exercises.use("06.1", ScaledDotProductAttention)

# %% [markdown] slideshow={"slide_type": "notes"}
# (7 minutes) Four lines. Typical mistakes, which the check names: dividing by d_k, comparing
# the query with the values, a softmax over the wrong axis. Those who finish early say why the
# mask must act before the softmax: otherwise the rows no longer add up to 1.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Why are the scores divided?
#
# Let a query and 32 keys be drawn from N(0, 1), roughly as in a new head. A score is then a
# sum of $d_k$ products with variance 1 each: its standard deviation is $\sqrt{d_k}$.
#
# **Predict before you look:** the **entropy** of the weights is $\ln 32 = 3.5$ if all keys
# share equally, and 0 if one gets everything. What is it for $d_k = 64$ without the division?
# And does a small translator, one head of width 64, train without it?

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Derive the standard deviation aloud: variances of independent products add up. Let
# them write both answers down.

# %% slideshow={"slide_type": "subslide"} tags=["answers-prediction", "hide-input"] heading="With and without the division"
WIDTHS = (4, 8, 16, 32, 64, 128, 256, 512)
figure, axes = cu.plotting.figure(9.5, 3.4, columns=2)
told = []
for index, (name, ending) in enumerate({"with": "", "without": "_no_scale"}.items()):
    of = [lecture_06.sharpness(d, name == "with", draws=300)[0].mean() for d in WIDTHS]
    look = cu.plotting.look(index)
    axes[0].plot(WIDTHS, of, label=f"{name} the division", markersize=4, **look)
    told.append(f"{name}: entropy {of[0]:.1f} at 4, {of[-1]:.1f} at 512")
    found = cu.results.load(LECTURE, f"one_head{ending}", "english_french")
    losses = [run["metrics"]["val_loss"] for run in found]
    shares = [run["metrics"]["exact_match"] for run in found]
    axes[1].plot(losses, shares, linestyle="", **look)
    told.append(f"trained {name}: {min(shares):.2f} to {max(shares):.2f}")
axes[0].set(xscale="log", xlabel="$d_k$", ylabel="entropy, nats", ylim=(0, 3.6))
axes[0].set_xticks((4, 16, 64, 256), (4, 16, 64, 256))
axes[0].minorticks_off()
axes[1].set(xscale="log", xlabel="validation loss, trained", xlim=(0.003, 2))
axes[1].set(ylabel="without a mistake", ylim=(0, 1.05))
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
cu.plotting.show(figure, f"Entropy of new heads; trained translators. {'; '.join(told)}.")

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# Without the division, a new head of width 64 puts most of its weight on one key (entropy 0.5),
# and the trained translator makes a mistake in most sentences; with it, in few.
#
# A dot is a seed: encoder and decoder of one block, sentences of at most 8 words, four epochs,
# the best of six learning rates on validation, seed 0 (0.008 with the division, 0.002
# without). Of the test sentences 93 to 98 % come out without a mistake with the division, 23
# to 42 % without.
#
# The paper suspects gradients that become extremely small. In new heads the derivative of the
# weights by the scores does so at $d_k = 512$ (median norm 0.002; with the division 0.24), but
# hardly at 64, the trained width: 0.18 against 0.24. No run here says what makes the
# difference.

# %% [raw]
# near(cell("softmax-scale", 64, "without", "entropy"), 0.5, 0.05)
# near(ends(recorded("one_head", "english_french", "exact_match")), [0.93, 0.98], 0.005)
# near(
#     ends(recorded("one_head_no_scale", "english_french", "exact_match")), [0.23, 0.42], 0.005
# )
# set(about("one_head", "english_french", "learning_rate")) == {0.008}
# set(about("one_head_no_scale", "english_french", "learning_rate")) == {0.002}
# near(cell("softmax-scale", 64, "without", "median gradient"), 0.18, 0.005)
# near(cell("softmax-scale", 64, "with", "median gradient"), 0.24, 0.005)
# near(cell("softmax-scale", 512, "without", "median gradient"), 0.002, 0.0005)
# near(cell("softmax-scale", 512, "with", "median gradient"), 0.24, 0.005)

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) First the left panel, at width 64. Then the right one: the networks differ in one
# division, and each kind has the best of six learning rates, chosen on seed 0.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["lead"]
# ## Several heads
#
# One softmax gives one average. With $h$ **heads**, every token asks $h$ questions.
#
# In **multi-head attention** each head has its own columns of $W^Q$, $W^K$ and $W^V$, its own
# softmax, and its result stands in its own columns. A fourth matrix $W^O$ mixes the results:
#
# $$\text{head}_i = \text{attention}(XW^Q_i, XW^K_i, XW^V_i) \qquad
#   \text{output} = [\text{head}_1; \dots; \text{head}_h]\, W^O$$
#
# A head gets only $d_k = d / h$ columns: $h$ heads need as many multiplications as one. Keras'
# `key_dim` is the width *per head*: `key_dim=d` with four heads is a layer four times as large
# as intended.

# %% slideshow={"slide_type": "-"}
cu.figures.show("06_heads")

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Follow the dark squares: the second quarter of the columns of Q, K and V is head
# 2. Does a head see only a quarter of the word? No: $W^Q$ mixes all columns before the split.

# %% [raw]
# given(1 / 4, 4)

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 06.2 · Multi-head attention
#
# The base class `HeadProjections` has four Dense layers, which hold $W^Q$, $W^K$, $W^V$ and
# $W^O$: `query`, `key`, `value`, `output_projection`. Your layer of 06.1 is `attention`; the
# sizes are `num_heads` and `embed_dim`. The inherited `call` makes the keys and values, joins
# the masks into one that fits all heads, and calls your `attend`. Batch and length can be open:
# take them from `ops.shape(x)`. Complete the three methods.

# %% builds="course_utils.layers.attention.MultiHeadAttention" slideshow={"slide_type": "subslide"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
MultiHeadAttention = cu.exercises.use("06.2", MultiHeadAttention)

# %% [markdown] slideshow={"slide_type": "notes"}
# (11 minutes) In pairs. The trap is `split`: a single reshape to the right shape raises no
# error and mixes words with heads; the first head would get the first half of the sentence. Let
# them print `np.arange(24).reshape(1, 3, 8)` before and after.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Keras gives the same numbers, and loses the order

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output", "slide-output"]
x = np.random.default_rng(0).normal(size=(2, 6, 8)).astype("float32")
mask = np.arange(6) < np.array([[6], [4]])  # the second text has two pads
with cu.full_precision():
    theirs = layers.MultiHeadAttention(2, key_dim=8 // 2, bias_initializer="normal")
    theirs(x, x)
    yours = MultiHeadAttention(8, num_heads=2)
    yours(x, x)
    flat = [w.shape for w in yours.get_weights()]
    yours.set_weights([w.reshape(s) for w, s in zip(theirs.get_weights(), flat, strict=True)])
    differ = yours(x, x, value_mask=mask) - theirs(x, x, value_mask=mask)
    order = np.array([3, 0, 5, 1, 4, 2])
    shuffled = ops.convert_to_numpy(yours(x[:, order], x[:, order]))
    straight = ops.convert_to_numpy(yours(x, x))
print("equal to Keras:", float(ops.max(ops.abs(differ))) < 1e-5)
print("shuffled words, same vectors:", np.allclose(shuffled, straight[:, order], atol=1e-6))

# %% [markdown] slideshow={"slide_type": "-"}
# Shuffle the words, and every word keeps its vector. To self-attention without a mask, "dog
# bites man" and "man bites dog" are the same: a bag of words. **Each token has to be told its
# position.** Trained without positions, the small translator of above gets 39 to 45 % of the
# sentences right: perhaps those whose words leave little choice of an order.

# %% [raw]
# near(
#     ends(recorded("one_head_no_positions", "english_french", "exact_match")),
#     [0.39, 0.45],
#     0.005,
# )

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Keras stores its kernels as (d, heads, d_k); flattened they are yours. Then the
# second line, the answer to the question from the first drawing. Collect ideas for how to tell
# a word its position. The number itself? Large numbers drown the word. Divided by the length?
# Then "the next word" is another step in every sentence.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Positions: waves of different lengths
#
# Position $p$ gets a vector of width $d$, its **positional encoding**, which is *added* to the
# token's embedding (multiplied by $\sqrt d$ first: with our initial N(0, 1/d), of like size):
#
# $$PE(p, 2i) = \sin\frac{p}{10000^{2i/d}} \qquad PE(p, 2i + 1) = \cos\frac{p}{10000^{2i/d}}$$

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
PE = lecture_06.sinusoidal_positions(60, 32)
figure, axis = cu.plotting.figure(9, 2.9)
image = axis.imshow(PE.T, aspect="auto", cmap="RdBu_r", vmin=-1, vmax=1)
axis.set(xlabel="position p", ylabel="channel")
axis.grid(False)
figure.colorbar(image)
cu.plotting.show(
    figure,
    "The table of positions as colours, 60 positions by 32 channels. The first channels change "
    "from blue to red every few positions, the last ones hardly change over all sixty.",
)

# %% [markdown] slideshow={"slide_type": "-"}
# The first channels change from one position to the next, the last ones hardly over all sixty.

# %% [markdown] slideshow={"slide_type": "notes"}
# (6 minutes, with exercise 06.3) Two channels are one hand of a clock: the first pair turns
# once in six positions, the last one hardly moves. Why sine and cosine? A hand needs two
# coordinates; by the sine alone two o'clock and four o'clock look the same.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 06.3 · The table of positions
#
# Complete `build`: it makes `self.table`, NumPy and float32, with `self.max_length` rows: of
# position $p$ the sine of $p / 10000^{2i/d}$ in channel $2i$, its cosine in channel $2i + 1$.
# The base class `Positions` adds the rows to the tokens.

# %% builds="course_utils.layers.transformer.SinusoidalPositions.build" slideshow={"slide_type": "skip"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
SinusoidalPositions = cu.exercises.use("06.3", SinusoidalPositions)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Why waves? A shift is a rotation
#
# $R_k$ turns each pair of channels by its own angle, $k$ times its frequency
# $\omega_i = 10000^{-2i/d}$:
#
# $$PE(p + k) = R_k\, PE(p) \qquad
#   PE(p) \cdot PE(p + k) = \sum_i \cos(k\,\omega_i)$$

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output", "slide-output"]
print("R_7 for one pair of channels:\n", lecture_06.rotation(2, k=7).round(2))
positions = SinusoidalPositions(60)
positions.build((None, 60, 32))
table, R = positions.table, lecture_06.rotation(32, k=7)
print("PE(p + 7) = R_7 PE(p) for all p:", np.allclose(table[:-7] @ R.T, table[7:], atol=1e-5))
products = [float(table[p] @ table[p + 7]) for p in (0, 20, 50)]
print("PE(p) · PE(p + 7) at p = 0, 20, 50:", *[f"{product:.3f}" for product in products])

# %% [markdown] slideshow={"slide_type": "-"} tags=["lead"]
# "Seven words on" is *one matrix* $R_7$, at every position, and "seven words back" its
# transpose: something that $W^Q$ and $W^K$ can learn. The product of two encodings depends on
# their distance alone.
#
# A learned vector for each position works as well in the paper (table 3, row E). Most language
# models today rotate queries and keys themselves (RoPE): lab 6d.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) The last line is the point: the same number at 0, 20 and 50. What does a head need
# in order to attend to the previous word? A score that is large at distance one.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["lead"]
# ## A block: attention, then a network for each token
#
# Attention moves information between tokens; the **feed-forward network** works on each alone.
#
# Both are **sublayers** of the block. The feed-forward network is two Dense layers, the first
# wider and with a ReLU: $\max(0, xW_1 + b_1)W_2 + b_2$. Around each sublayer there is a
# **residual connection**, which adds its result to its input: lecture 3's additive path, over
# depth instead of time. **LayerNorm** brings every token's vector to mean 0 and standard
# deviation 1, then scales and shifts it by learned numbers. The paper normalised after the sum
# (**post-norm**), most models since then normalise the sublayer's input (**pre-norm**), with
# one more norm at the end of the stack.

# %% slideshow={"slide_type": "-"}
cu.figures.show("06_block")

# %% slideshow={"slide_type": "skip"} shows="lectures.lecture_06.residual"
# filled by the build

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Trace the thick line in both columns: on the left nothing lies on it but sums, on
# the right two norms a block. Where can two words exchange anything? Only in attention.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 06.4 · The encoder block
#
# The base class makes `attention` (yours of 06.2, which takes `value_mask=mask`), its norm
# `attention_norm`, the network `feed_forward` with `feed_forward_norm`, and has the method
# `residual(x, norm, sublayer)`, which does what the function above does. A sublayer is any
# function of x. Complete `call`.

# %% builds="course_utils.layers.transformer.TransformerEncoderBlock.call" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
TransformerEncoderBlock = cu.exercises.use("06.4", TransformerEncoderBlock)

# %% slideshow={"slide_type": "skip"} shows="lectures.lecture_06.encoder_block"
# filled by the build

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
block = TransformerEncoderBlock(8, num_heads=2, mlp_dim=16)
theirs = block(x, mask=mask)
by_hand = encoder_block(x, lecture_06.block_weights(block), 2, mask[:, None])
print("your block and NumPy are equal:", np.allclose(by_hand, theirs, atol=1e-4))

# %% [markdown] slideshow={"slide_type": "notes"}
# (5 minutes) Frequent mistakes: the mask forgotten, the second sublayer fed with the old x.
# Those who finish early count the weights of a block: 4 d² for attention, 8 d² for a
# feed-forward network four times as wide as the tokens.

# %% [raw]
# given(4)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What residuals and norms are for
#
# New stacks of 2 to 24 blocks, four wirings of a sublayer $F$; the gradient of the feed-forward
# network's second matrix in the first block and in the last, before any training.
#
# **Predict before you look:** with which wirings does the gradient vanish, explode, stay?

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "hide-input"]
tables = [cu.results.load_table(LECTURE, f"norm-gradients-{seed}") for seed in range(3)]
formulas = {
    "no residual": "$F(x)$",
    "residual": "$x + F(x)$",
    "pre-norm": "$x + F(norm(x))$",
    "post-norm": "$norm(x + F(x))$",
}
DEPTHS = (2, 6, 12, 24)
figure, axes = cu.plotting.figure(9.5, 3.2, columns=2)
described = []
for axis, block in zip(axes, ("first", "last"), strict=True):
    for number, wiring in enumerate(formulas):
        of = [
            [row[f"{depth} blocks"] for depth in DEPTHS]
            for table in tables
            for row in table
            if (row["wiring"], row["gradient of"]) == (wiring, f"feed-forward, {block} block")
        ]
        colour, middle = cu.plotting.COLOURS[number], np.median(of, axis=0)
        dashes = "--" if wiring == "post-norm" else "-"
        axis.plot(DEPTHS, middle, dashes, color=colour, label=formulas[wiring])
        axis.plot(DEPTHS, np.transpose(of), "o", markersize=4, color=colour, alpha=0.6)
        described.append(f"{block} block, {wiring}: {middle[0]:.2g} to {middle[-1]:.2g}")
    axis.set(yscale="log", xlabel="blocks", title=f"{block} block", ylim=(1e-6, 1e11))
    axis.set_xticks(DEPTHS)
axes[0].set_ylabel("gradient")
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
cu.plotting.show(
    figure, f"Medians of three seeds, from 2 to 24 blocks. {'; '.join(described)}."
)

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# With Keras' initial weights the gradient vanishes with neither residual nor norm and explodes
# with the residual alone; with both, the first block's stays as it is.
#
# Dots are seeds, lines medians. Trained without residuals, but with its norms (not in the
# plot), the small translator of above gets 1 to 34 % of the sentences right. A possible reason
# is that the averages lose a token's own vector; in two blocks no gradient of the plot
# vanishes. In the last block post-norm's gradient is as large in 24 blocks as in two;
# pre-norm's falls as blocks are added. [Xiong et al. (2020)](https://arxiv.org/abs/2002.04745)
# see in those large gradients near the output the reason why deep post-norm stacks need a
# **warm-up**, a learning rate that rises from 0 during the first steps. Our two-block
# translator uses 100 batches of it; the small one none.

# %% [raw]
# near(
#     ends(recorded("one_head_no_residuals", "english_french", "exact_match")),
#     [0.01, 0.34],
#     0.005,
# )
# np.median(
#     cell("norm-gradients-{}", "no residual", "feed-forward, first block", "24 blocks")
# ) < 1e-4
# np.median(
#     cell("norm-gradients-{}", "no residual", "feed-forward, first block", "2 blocks")
# ) > 0.8 * np.median(
#     cell("norm-gradients-{}", "pre-norm", "feed-forward, first block", "2 blocks")
# )
# np.median(
#     cell("norm-gradients-{}", "residual", "feed-forward, first block", "24 blocks")
# ) > 1e8
# near(
#     np.median(
#         cell("norm-gradients-{}", "post-norm", "feed-forward, last block", "24 blocks")
#     )
#     / np.median(
#         cell("norm-gradients-{}", "post-norm", "feed-forward, last block", "2 blocks")
#     ),
#     1,
#     0.2,
# )
# np.median(
#     cell("norm-gradients-{}", "pre-norm", "feed-forward, last block", "24 blocks")
# ) < 0.5 * np.median(
#     cell("norm-gradients-{}", "pre-norm", "feed-forward, last block", "2 blocks")
# )

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Take votes before you show the plot. Nearly everybody has the first two right.
# Many have read that the early blocks of a post-norm stack get no gradient; in new stacks of
# this size they do. This is one step before any training.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Three masks: which token may attend to which?

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
source = np.array([[5, 6, 7, 0, 0]])  # three words, two pads
masks = {
    "encoder: all but pads": np.repeat(source > 0, 5, axis=0),
    "decoder: no later token": np.tril(np.ones((4, 4), bool)),
    "cross: all but the source's pads": np.repeat(source > 0, 4, axis=0),
}
names = {5: "I drink milk ‹pad› ‹pad›".split(), 4: "‹sos› je bois du".split()}
figure, axes = cu.plotting.figure(10, 3.3, columns=3)
for axis, (title, mask_of) in zip(axes, masks.items(), strict=True):
    axis.imshow(mask_of, cmap="Blues", vmin=0, vmax=2.2)
    axis.set_xticks(range(mask_of.shape[1]), names[mask_of.shape[1]], rotation=40, ha="right")
    axis.set_yticks(range(len(mask_of)), names[len(mask_of)])
    axis.set_title(title, fontsize=12)
    axis.grid(False)
    for row, column in np.argwhere(mask_of):
        axis.text(column, row, "✓", ha="center", va="center")
axes[0].set_ylabel("query")
cu.plotting.show(
    figure,
    "Three masks as grids, queries as rows, keys as columns, ticks where attention is allowed. "
    "Encoder: all five rows may attend to the three words, none to the two pads. Decoder: a "
    "lower triangle, each token sees itself and those before. Cross: all four target rows may "
    "attend to the three source words, none to the pads.",
)

# %% [markdown] slideshow={"slide_type": "-"} tags=["lead"]
# True means *may attend*, and masks join by AND. Pads are hidden as *keys*, the columns.
#
# The output at a pad is never used. The **causal mask** in the middle is what lets training
# predict all target words *at the same time*: row $t$ knows the tokens up to $t$ and predicts
# token $t + 1$. The target's own pads need no mask: they stand after every real token. In
# PyTorch's `nn.MultiheadAttention` True means *hide*.

# %% [markdown] slideshow={"slide_type": "notes"}
# (8 minutes, with exercise 06.5) Read a row as a question: may "je" attend to "bois"? Middle
# grid, second row, third column: no, or it could copy the word that it has to predict. Why is
# the diagonal open? The token there is the input; the answer is the next one.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 06.5 · The decoder block
#
# Three sublayers: causal self-attention, **cross-attention** (queries from the decoder, keys
# and values from the encoder's output: lecture 5's attention), feed-forward. Complete `call`.

# %% builds="course_utils.layers.transformer.TransformerDecoderBlock.call" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
TransformerDecoderBlock = cu.exercises.use("06.5", TransformerDecoderBlock)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The whole Transformer

# %% slideshow={"slide_type": "-"}
cu.figures.show("06_model")

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Find the three attentions. The arrow in the middle starts at the top of the encoder
# and goes to every decoder block.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 06.6 · Put it together
#
# Homework. The base class makes `source_embedding`, `target_embedding`, the lists of your
# blocks `encoder` and `decoder`, and, where `self.norm` is `"pre"`, `encoder_norm`, which
# normalises what the last encoder block returns. `self.embed(embedding, ids)` adds your
# positions to embeddings; `self.logits(x)` is the decoder's last norm and the output layer.
# Complete both methods.

# %% builds="course_utils.models.transformer.Transformer" slideshow={"slide_type": "skip"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
Transformer = cu.exercises.use("06.6", Transformer)

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
if Transformer is cu.models.Transformer:  # 06.6 is open: the course's model of your blocks

    class Transformer(cu.models.Transformer):
        encoder_block, decoder_block = TransformerEncoderBlock, TransformerDecoderBlock
        positions_layer = SinusoidalPositions


model = lecture_06.translator(pairs, lecture_06.TRANSLATOR, Transformer)
model.build()
print(f"your Transformer: {model.count_params():,} parameters")

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Show the solution's eight lines; the exercise is homework. Projections, norms and
# the joining of masks came ready made; attention, heads, positions and blocks are theirs. Ask
# where the recurrence is. There is none.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## A result too good to be true
#
# A student trains this Transformer with a decoder block of her own, two epochs on the shorter
# sentences, three seeds:

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output", "slide-output"]
for run in cu.results.load(LECTURE, "leak", "english_french"):
    loss, right = (run["metrics"][key] for key in ("loss", "exact_match"))
    print(f"validation loss {loss:.4f}, translated without a mistake: {right:.0%}")

# %% [markdown] slideshow={"slide_type": "-"}
# A loss below 0.004 gives the right words a probability above 99.6 % (geometric mean). Yet not
# one of 200 validation sentences is translated without a mistake. **What has happened?** Think
# before you read on.

# %% [raw]
# recorded("leak", "english_french", "loss").max() < 0.004
# near(np.exp(-0.004), 0.996, 0.0005)
# recorded("leak", "english_french", "exact_match").max() == 0
# len(recorded("leak", "english_french", "loss")) == 3
# given(200)

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Let them discuss the symptom. Overfitting? No, it is the validation loss.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 06.7 · Find the leak
#
# A decoder that sees later tokens copies its answer. Write the measurement that finds such a
# leak: **change a later token; no earlier logits may move.**

# %% builds="lectures.lecture_06.lookahead" slideshow={"slide_type": "skip"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
lookahead = cu.exercises.use("06.7", lookahead)

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"] heading="Who sees ahead?"
source, target = (pairs.test.inputs[side][:2, :7] for side in ("source", "target"))
for name, kind in (("yours", Transformer), ("the student's", lecture_06.LeakyTransformer)):
    decoder = lecture_06.translator(pairs, lecture_06.TRANSLATOR, kind)
    print(f"{name:13} sees {lookahead(decoder, source, target)} tokens ahead")

# %% [markdown] slideshow={"slide_type": "skip"}
# Her mask was `positions[:, None] + 1 >= positions`: off by one. It lets a token see one ahead,
# two such blocks two, and the first of them is the answer. With teacher forcing the next word
# stands in the input, in validation too, and is copied; when the network translates, it is not
# there yet. The test has a trap of its own: with dropout active two calls differ anyway, so
# measure without it.

# %% [markdown] slideshow={"slide_type": "notes"}
# (8 minutes) Both losses are measured with teacher forcing, where the next word is in the
# input: a decoder that sees it can copy it. When it has to translate, the next word is not
# there. The test takes a few lines and no training. Ask which of their models so far would have
# needed it: lecture 4's causal convolutions. A network that reads from left to right cannot see
# ahead. A target that is not shifted is another leak, which this test does not find.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 06.8 · Train it until it translates
#
# Homework. Two epochs are enough to translate 60 % of the validation sentences without a
# mistake. Choose loss, optimizer, learning rate and warm-up:
# `schedules.WarmupCosine(learning_rate, steps, warmup_steps)` is a schedule for
# `keras.optimizers.Adam`. One training takes about half a minute.

# %% [raw]
# given(0.60)

# %% builds="lectures.lecture_06.two_epochs" slideshow={"slide_type": "skip"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
two_epochs = cu.exercises.use("06.8", two_epochs)

# %% slideshow={"slide_type": "-"} tags=["headline", "slide-output"] heading="Your Transformer after two epochs"
keras.utils.set_random_seed(session.seed)
batches = cu.data.length_buckets(pairs.train, 64, same_steps=("target", "targets"))
model = two_epochs(model, batches)
some = pairs.test.take(slice(200))
said = translation.translate(model, some.inputs["source"], pairs.vocabulary, 40)
correct = translation.exact_match(said, some.columns["references"])
print(f"your Transformer, two epochs: {correct:.0%} of 200 test sentences without a mistake")
if correct < 0.3:
    print("This run did not learn to translate: try another learning rate or another seed.")
text = "this old cow does not hear the quiet bird that sleeps behind my green boats"
print(text, "\n→", translation.translate(model, text, pairs.vocabulary)[0])

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) The exercise is homework; start this cell before the break or with the library's
# function. Read the translation aloud: are the adjectives on the right side, is "ne … pas" in
# place, is a word missing? (At seed 0 "qui" is; seeds 1 to 4 wrote the whole sentence.) If
# the cell says that the run did not learn, there is nothing to read yet.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The recorded run, by length of the sentence
#
# **Predict before you look:** the Transformer after twelve epochs, lecture 5's GRU with
# attention, and its translator without a network, which counts which words go together. How
# well does each do on short and on long sentences?

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Let them guess the three shares on the shortest and on the longest sentences.

# %% slideshow={"slide_type": "subslide"} tags=["answers-prediction", "hide-input"] heading="Both networks find the word, at every length"
arms = {
    "Transformer": cu.results.load(LECTURE, "transformer", "english_french"),
    "GRU with attention": cu.results.load("05_attention", "dot", "english_french"),
    "no network": cu.results.load("05_attention", "blocks", "english_french"),
}
cu.plotting.dots(
    {
        "600 test sentences": {
            name: {
                part: [run["metrics"][f"exact {part}"] for run in runs]
                for part in ("4–8", "9–13", "14–18", "19–25")
            }
            for name, runs in arms.items()
        }
    },
    ylabel="without a mistake",
    xlabel="words in the source",
)

# %% slideshow={"slide_type": "skip"}
if session.profile == "full":
    record.record_all(session.seed)

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# The Transformer translates all short sentences and 94 to 98 % of the longest without a
# mistake, lecture 5's translator without a network 95 % and 73 %. The GRU with attention does
# as well as the Transformer.
#
# Choosing where to read is what attention is for; both networks do it. On two cores the
# Transformer, six attentions and four feed-forward networks, trained for longer: twelve epochs
# of 20 to 25 seconds, against eight of 5 to 8. What it does away with is the *sequence* of
# steps, which can pay on thousands of cores and long texts.

# %% [raw]
# recorded("transformer", "english_french", "exact 4–8").min() == 1
# about("transformer", "english_french", "epochs") == [12] * 3
# near(
#     ends(recorded("transformer", "english_french", "exact 19–25")),
#     [0.94, 0.98],
#     0.005,
# )
# near(recorded("blocks", "english_french", "exact 4–8", "05_attention")[0], 0.95, 0.005)
# near(recorded("blocks", "english_french", "exact 19–25", "05_attention")[0], 0.73, 0.005)
# not apart(
#     recorded("transformer", "english_french", "exact_long"),
#     recorded("dot", "english_french", "exact_long", "05_attention"),
# )
# near(ends(about("transformer", "english_french", "seconds_per_epoch")), [20, 25], 0.2)
# near(ends(about("dot", "english_french", "seconds_per_epoch", "05_attention")), [5, 8], 0.5)
# set(about("dot", "english_french", "epochs", "05_attention")) == {8}

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Where did lecture 5's fixed vector fail? Beyond eight words. Nothing of that is
# left, and no state was carried from word to word.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What do trained heads attend to?
#
# The weights of the recorded run fit into *your* layers. Cross-attention of the last decoder
# block: what does each of its four heads read when the next word is written?

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Ask what four heads could share among them before you show the maps.

# %% slideshow={"slide_type": "subslide"} tags=["hide-input"] heading="Two heads follow the word that is translated"
model.set_weights(lecture_06.trained_weights())
said = translation.translate(model, sentence, pairs.vocabulary)[0].split()
target = np.array([pairs.vocabulary["target"].encode(["<sos>", *said])], "int32")
maps = ops.convert_to_numpy(model.alignment(ids, target))[0]
some = pairs.test.take(slice(200))
look = ops.convert_to_numpy(model.alignment(*some.inputs.values())).argmax(axis=-1)
places = some.columns["alignment"]
figure, axes = cu.plotting.figure(10.5, 4.6, columns=4)
told = []
for head, (axis, map_of) in enumerate(zip(axes, maps, strict=True)):
    axis.imshow(map_of, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    axis.set_xticks(range(len(words)), words, rotation=90)
    axis.set_yticks(range(len(said) + 1), [*said, "<eos>"])
    axis.tick_params(labelleft=head == 0)
    hits = (look[:, head] == places)[places >= 0].mean()
    axis.set_title(f"head {head + 1}: {hits:.0%}", fontsize=13)
    axis.grid(False)
    told.append(f"head {head + 1}: {hits:.0%}")
diagonal = (np.arange(places.shape[1]) == places)[places >= 0].mean()
told.append(f"always the same position: {diagonal:.0%}")
figure.suptitle(told[-1], fontsize=13)
hits = f"How often a head reads the word translated next: {', '.join(told)}"
print(hits)
picture = figure, f"Maps of weights, target by source words. {hits}."
cu.explore.attention(model, pairs.vocabulary, [sentence, text], picture)

# %% [markdown] slideshow={"slide_type": "-"} tags=["lead"]
# Heads 1 and 2 follow the translation; heads 3 and 4 hardly beat "always the same position".
#
# A head reads a word when its largest weight is there; counted over 200 test sentences.
# Another seed may distribute the jobs differently: this is one trained network. And a weight
# says what a token reads from, not what it does with it; lecture 7 tests that by blanking.

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) The encoder's head 1 first, as in the drawing of section 2: q · k, the scale, the
# softmax, the mean of the values. Ask what breaks without the scale, then without a mask, and
# take each from the list: the weights sharpen, some go to pads, the logits of earlier words
# move. Why are these translations still right? (The newest word has no later one to see; the
# earlier ones, computed again, do.) With all of it off, the longer one breaks. Then head 2
# across: where do the languages change the order? Nothing forces a head to have one job, and a
# weight is not an effect.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["lead"]
# ## The encoder alone, the decoder alone
#
# | | sublayers | trained to | known as | here |
# | --- | --- | --- | --- | --- |
# | encoder | self-attention, feed-forward | classify, fill gaps | **BERT** | lab 6b |
# | decoder | causal self-attention, feed-forward | predict the next token | **GPT** | lab 6d |
# | both | all three attentions | write one text from another | **T5** | this lecture |
#
# To classify, a Dense layer reads the mean of the encoder's last states. On IMDB one such
# block, trained from scratch by one recipe on the last 500 words, reaches 88 % on the test
# part; lecture 1's tuned linear model on the words and pairs of words of whole reviews 91 %.
# Without pre-training, counting is hard to beat: lab 6b.

# %% [raw]
# near(recorded("encoder", "imdb").mean(), 0.88, 0.005)
# near(
#     recorded("bigrams_200k_log_ratios", "imdb", "test_accuracy", "01_imdb_embeddings").mean(),
#     0.91,
#     0.005,
# )

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) The same block with other masks and other purposes. Ask what lecture
# 1's counting of word pairs scores on IMDB: more than this encoder.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What it costs: every pair of tokens
#
# | a layer over S tokens of width d | multiplications | steps in sequence | longest path |
# | --- | --- | --- | --- |
# | self-attention | $2 S^2 d$, and $4 S d^2$ for its matrices | 1 | 1 |
# | recurrence, simple | $2 S d^2$ | S | S |
# | recurrence, GRU | $6 S d^2$ | S | S |
# | convolution of width k | $k S d^2$ | 1 | $\log_k S$ if dilated (lecture 4) |

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
by_layer = {}
for row in cu.results.load_table(LECTURE, "attention-cost"):
    by_layer.setdefault(row["layer"], []).append((row["length"], row["milliseconds"]))
figure, axis = cu.plotting.figure(8.5, 2.9)
for layer, points in by_layer.items():
    length, taken = np.array(sorted(points)).T
    axis.loglog(length, taken, marker="o", markersize=4, label=layer)
axis.set_xticks(length, [f"{int(value):,}" for value in length])
axis.minorticks_off()
axis.set(xlabel="tokens", ylabel="ms per training step")
axis.legend()
ends = "; ".join(f"{layer} {sorted(points)[-1][1]:.0f}" for layer, points in by_layer.items())
cu.plotting.show(figure, f"Time of a training step by length. At 2,048 tokens, in ms: {ends}.")

# %% [markdown] slideshow={"slide_type": "-"} tags=["lead"]
# From 1,024 to 2,048 tokens the time of attention grows by a factor of 3.5.
#
# With TensorFlow on two cores, one layer of attention is faster than the GRU at every length,
# but its curve bends upwards. (The whole translators above ran on JAX. The convolution is
# faster still, and reads seven tokens.) By the first column attention needs fewer
# multiplications than a GRU while $S < d$; here $d = 64$, and the clock says something else. A
# possible reason: attention is a few large products, the GRU $S$ small ones in sequence. Memory
# grows by the square, too: a weight for every pair of tokens, head and layer.

# %% [raw]
# all(
#     cell("attention-cost", "self-attention(64, 2 heads)", S, "milliseconds")
#     < cell("attention-cost", "GRU(64)", S, "milliseconds")
#     for S in (64, 128, 256, 512, 1024, 2048)
# )
# near(
#     cell("attention-cost", "self-attention(64, 2 heads)", 2048, "milliseconds")
#     / cell("attention-cost", "self-attention(64, 2 heads)", 1024, "milliseconds"),
#     3.5,
#     0.05,
# )

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) This is what the Transformer is for. The third column: S steps that wait for each
# other, on whatever machine, against one. Ask where the square begins to hurt.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Counting parameters
#
# The base model of the paper: $d = 512$, feed-forward width 2,048, six encoder and six decoder
# blocks, one table of 37,000 subword tokens for both languages and the output.
#
# **Predict before you run:** where are most of its parameters: embeddings, attention or
# feed-forward networks? How many are there in all?

# %% [raw]
# given(2_048, 37_000)

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "slide-output"]
BASE = cu.models.SIZES["transformer"]["base"]
shape = [BASE[key] for key in ("embed_dim", "mlp_dim", "num_layers")]
count = lecture_06.transformer_parameters(*shape)
for part, weights in count.items():
    if weights:
        print(f"{part:24} {weights / 1e6:5.1f} M")
print(f"{'in all':24} {sum(count.values()) / 1e6:5.1f} M")
for part in ("embeddings", "attention", "feed-forward"):
    share = sum(count[name] for name in count if part in name) / sum(count.values())
    print(f"{part + ', all':24} {share:5.0%}")

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Let them vote first: 63 million in all, the paper prints 65. A feed-forward network
# has 2 · 512 · 2,048 weights, an attention 4 · 512 · 512, and there are three of those to two.

# %% [raw]
# near(1 - 63.1 / 65, 0.03, 0.002)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Where it stands today
#
# - The decoder alone became the standard: GPT, Llama, and most language models since 2020.
# - Positions are rotations of queries and keys (RoPE), norms are RMSNorm before each sublayer,
#   feed-forward networks are gated (SwiGLU): lab 6d.
# - Several query heads share keys and values (multi-query, grouped queries): less memory while
#   writing.
# - FlashAttention computes exact attention without storing the S × S matrix; linear and
#   state-space models (lecture 3) try to do without the square.
# - Attention spread to images (lecture 7), speech and proteins.

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) One sentence a line. Lab 6d changes parts of the block; the block itself has
# stayed.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Summary
#
# - $\mathrm{softmax}(QK^\top / \sqrt{d_k})\,V$: every token reads from all others in one step.
# - Divided by $\sqrt{d_k}$, the weights of a new head are equally sharp at every width.
# - Without a mask, attention does not see order; positions that shift by a rotation provide it.
# - True in a mask means "may attend"; a leak shows as a loss too good to be true.
# - Without recurrence no position waits for another in training; writing still goes one
#   word after another. The price is a weight for every pair of tokens.

# %% [markdown] slideshow={"slide_type": "skip"}
# **Papers.** Vaswani et al., [*Attention is all you need*](https://arxiv.org/abs/1706.03762)
# (2017) · Ba, Kiros and Hinton, [*Layer normalization*](https://arxiv.org/abs/1607.06450)
# (2016) · He et al., [*Deep residual learning for image
# recognition*](https://arxiv.org/abs/1512.03385) (2016) · Xiong et al., [*On layer
# normalization in the Transformer architecture*](https://arxiv.org/abs/2002.04745) (2020) ·
# Devlin et al., [*BERT*](https://arxiv.org/abs/1810.04805) (2019) · Radford et al., [*Improving
# language understanding by generative
# pre-training*](https://cdn.openai.com/research-covers/language-unsupervised/language_understanding_paper.pdf)
# (2018) · Raffel et al., [*Exploring the limits of transfer learning with a unified
# text-to-text Transformer*](https://arxiv.org/abs/1910.10683) (2020) · Shazeer, [*Fast
# Transformer decoding: one write-head is all you need*](https://arxiv.org/abs/1911.02150)
# (2019) · Dao et al., [*FlashAttention*](https://arxiv.org/abs/2205.14135) (2022)

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Ask each table which part they would leave out first, and how they would test it.
# Lecture 8 leaves out the one in the title.
