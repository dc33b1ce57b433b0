# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   title: Attention
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] slideshow={"slide_type": "slide"} tags=["title"]
# # Attention
#
# **Lecture 5** · every word that is written can look at every word that was read

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Read this aloud once and have somebody repeat it: "the small black cat that follows
# my old dog does not see the red houses behind the church because the birds sleep". Then write
# it on the board and ask again. Today's first network has to translate from memory.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What you will be able to do
#
# 1. prepare pairs of sentences for **teacher forcing**, and average a loss over real words
# 2. decode a sentence word by word, up to a limit
# 3. build **attention** in NumPy and as two Keras layers, Luong's and Bahdanau's
# 4. train a translator on your own layer, and show *by length* what attention changes
# 5. read an alignment map, find a bug, and say what a map does not prove

# %% [markdown] slideshow={"slide_type": "skip"}
# **You need** lectures 2 and 3: the recurrent step, the padding mask, the GRU. **It takes**
# ninety minutes, thirty-five of them for exercises; 05.2, 05.3 and 05.6 are for home.
#
# Cells that begin with a file name show that file's code. After an exercise, the rest of the
# notebook runs on your own definition if it is correct, and on the course's otherwise.

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Ask what attention is. You will hear "the model focuses on what matters". Come back
# to it at the end: attention is a weighted average whose weights are a softmax of scores.

# %% slideshow={"slide_type": "skip"} name="start"
import course_utils as cu

session = cu.start(seed=0)  # before Keras is imported, so that its backend starts quietly
LECTURE = "05_attention"

import keras
import numpy as np
from keras import layers, ops

# %% slideshow={"slide_type": "skip"}
from course_utils import data, schedules, training
from course_utils.data.base import END, START, one_of
from course_utils.layers.attention import masked_softmax, zero_hidden
from lectures import lecture_05
from lectures.lecture_05 import BINS, LONG, TRANSLATORS, additive_score, record, translation
from lectures.lecture_05.maps import draw_map, strongest
from lectures.lecture_05.pairs import encode_sentence, load_pairs
from lectures.lecture_05.translators import (
    BahdanauDecoder,
    MeanAttention,
    RecurrentTranslator,
)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Where the last models stop
#
# They give one answer for a text, or one output at each step. A translation is another
# *sequence*, of another length and in another order.

# %% slideshow={"slide_type": "-"}
pairs = load_pairs()
vocabulary, columns = pairs.vocabulary, pairs.test.columns
by_words = np.argsort(columns["words"], kind="stable")
for row in by_words[[0, 150, 300]]:
    print(f"{columns['source_text'][row]}\n  → {columns['target_text'][row]}")

# %% [markdown] slideshow={"slide_type": "skip"}
# The course's own grammar makes these pairs, from 81 English and 122 French words; four
# **special tokens** (`<pad>`, `<unknown>`, `<sos>`, `<eos>`) are added to each vocabulary.
# French makes it hard: article and adjective follow the noun's gender, which English does not
# tell; most adjectives stand after the noun; negation stands around the verb (*ne … pas*). No
# test sentence is in the training part. Test lengths are spread evenly from 4 to 25 words; the
# training part has more short sentences.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Read the pairs aloud. What moved? The adjective, and *ne* stands for nothing in
# the English. Could lecture 4's convolution do this? It gives one output for each window, in
# the source's order and length.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## One network reads, another one writes

# %% slideshow={"slide_type": "-"}
cu.figures.show("05_encoder_decoder")

# %% [markdown] slideshow={"slide_type": "-"}
# $$h_i = \text{GRU}(x_i,\, h_{i-1}) \qquad s_0 = h_S$$
# $$s_t = \text{GRU}(y_{t-1},\, s_{t-1}) \qquad p(y_t) = \text{softmax}(s_t W + b)$$

# %% [markdown] slideshow={"slide_type": "skip"}
# The **encoder** reads the source words $x_1 \dots x_S$ and has the states $h_1 \dots h_S$. The
# **decoder** starts from the last of them and writes the target words $y_1 \dots y_T$; its
# states are $s_1 \dots s_T$. Throughout, $h$ is a state of the encoder and $s$ one of the
# decoder, $i$ counts source words and $t$ target words; $W$ and $b$ are the output layer's.
# $y_0$ is `<sos>`, **start of sentence**; by writing `<eos>`, **end of sentence**, the decoder
# says that it is done.
#
# Try it: read this once, then write it down without looking. *The small black cat that follows
# my old dog does not see the red houses behind the church because the birds sleep.* This
# network has to translate like that. The next one may look.

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Put a finger on the arrow in the middle. What passes here? 128 numbers, whether
# the sentence has four words or twenty-five. Leave it at that. Who tells the decoder to stop?
# It does so itself, with a word.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 05.1 · Teacher forcing
#
# In training the decoder reads the *true* previous word, not the one that it wrote. So all its
# inputs are known beforehand, and one pass gives all losses. Make both arrays: what the decoder
# reads, and what it should write at each position. `START` and `END` are the ids of `<sos>` and
# `<eos>`.

# %% builds="lectures.lecture_05.shift" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
shift = cu.exercises.use("05.1", shift)

# %% [markdown] slideshow={"slide_type": "notes"}
# (5 minutes) START and END are the numbers 2 and 3. At each column ask: what should come out?
# Forgetting the shift asks the network to copy its input, which says nothing about translating.

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
row = int(np.argmax(columns["words"] == 5))  # the first test sentence of five words
spoken = vocabulary["target"].encode(columns["target_text"][row].split())
read, write = shift([spoken])
print("source ", pairs.test.inputs["source"][row, :6], columns["source_text"][row])
print("read   ", read[0], vocabulary["target"].decode(read[0]))
print("write  ", write[0], vocabulary["target"].decode(write[0]))
same = np.array_equal(read[0], pairs.test.inputs["target"][row, : read.shape[1]])
print("as the data set has it:", same)

# %% [markdown] slideshow={"slide_type": "skip"}
# At translation time the decoder reads its own words, right or wrong; in training it never
# reads a wrong one. This mismatch of teacher forcing ([Williams and Zipser,
# 1989](https://doi.org/10.1162/neco.1989.1.2.270)) is called **exposure bias**. **Scheduled
# sampling** ([2015](https://arxiv.org/abs/1506.03099)) mixes the decoder's own words in.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 05.2 · The loss over real words
#
# For home. In a batch, pads fill up the shorter sentences. A network that finds all of 10 words
# equally probable has a loss of $\ln 10 = 2.303$. Write the loss that stays the same however
# many pads there are. Logits may have any size, and $e^{1000}$ overflows.

# %% builds="lectures.lecture_05.masked_loss" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
masked_loss = cu.exercises.use("05.2", masked_loss)

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
entropy = keras.losses.SparseCategoricalCrossentropy
for pads in (0, 2, 6):
    targets = np.pad([[5, 4, 7, 3], [6, 3, 0, 0]], ((0, 0), (0, pads)))
    logits = np.zeros((*targets.shape, 10))
    weighted = entropy(from_logits=True)(targets, logits, sample_weight=targets != 0)
    ignoring = entropy(from_logits=True, ignore_class=0)(targets, logits)
    print(f"{pads} pads added: yours {masked_loss(logits, targets):.3f}", end="   ")
    print(f"Keras: sample_weight {weighted:.3f}, ignore_class {ignoring:.3f}")

# %% [markdown] slideshow={"slide_type": "skip"}
# `sample_weight` leaves the pads out of the sum and still divides by *all* positions: more
# pads, lower loss. We use `ignore_class=0`.

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes; the exercise is homework, 8 minutes) Read the three lines of output: which loss
# moves? Nobody sees this bug in a learning curve, which falls as nicely. How would you notice?
# Append pads and look whether the loss moves.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## In Keras: one fixed vector

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
english, french = len(vocabulary["source"]), len(vocabulary["target"])
source = keras.Input((None,), dtype="int32", name="source")
target = keras.Input((None,), dtype="int32", name="target")
mask = ops.not_equal(source, 0)
encoder = layers.GRU(128, return_sequences=True, return_state=True)
encoded, last = encoder(layers.Embedding(english, 64)(source), mask=mask)
decoder = layers.GRU(128, return_sequences=True)
states = decoder(layers.Embedding(french, 64)(target), initial_state=last)
fixed = keras.Model({"source": source, "target": target}, layers.Dense(french)(states))
print(f"{fixed.count_params():,} parameters; between the GRUs: {last.shape[1]} numbers")

# %% [markdown] slideshow={"slide_type": "skip"}
# `encoded` holds all states of the encoder, and nobody uses it yet. At pads the mask keeps the
# state as it is, so that `last` is the state after the last real word. The decoder needs no
# mask: its pads come after the sentence, and the loss ignores them.

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Find the arrow in the middle again: `initial_state=last`. Check a number with the
# room: GRU(128) on 64 inputs has 3 · (64 · 128 + 128² + 2 · 128) = 74,496 parameters.

# %% [raw]
# 3 * (64 * 128 + 128**2 + 2 * 128) == 74_496

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 05.3 · Greedy decoding
#
# For home. When it translates, the decoder reads its own words. **Greedy decoding** takes the
# most probable word at each step. Nothing guarantees that `<eos>` ever comes.

# %% builds="lectures.lecture_05.decode" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
decode = cu.exercises.use("05.3", decode)


# %% slideshow={"slide_type": "skip"}
def translate(model, text, max_length=40):
    """Translate one sentence greedily, with your `decode`."""

    def step(token, state):
        # 0: the position of the word, which only lecture 6's translator asks for
        logits, state = model.step(np.array([token]), 0, state)
        return ops.convert_to_numpy(logits)[0], state

    state = model.start(encode_sentence(text, vocabulary["source"]))
    return vocabulary["target"].decode(decode(step, state, max_length))


# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes; the exercise is homework, 7 minutes) Show the solution's loop: what goes from step
# to step? The word and the state. A loop without a bound is a program that hangs, one day, on a
# user's sentence. The check hands over a model that never says `<eos>`.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## How good is a translation?
#
# - **next-word accuracy**: the true words before it are given; easy to measure, and flattering
# - **exact match**: every word is right; fair here, where each sentence has one translation
# - *BLEU*: how many runs of one to four words a reference shares; for real text (lab 5b)
#
# **Predict before you run.** All that the decoder gets is one vector of 128 numbers. Which
# share of the test sentences does it translate without a mistake, if the source has
#
# | 4 to 8 words | 9 to 13 | 14 to 18 | 19 to 25 |
# | --- | --- | --- | --- |
# | ? | ? | ? | ? |

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Four numbers, in writing, with a reason. Do 128 numbers have room for a sentence
# of 20 words? Let them disagree.


# %% slideshow={"slide_type": "subslide"} tags=["answers-prediction", "hide-input"]
def by_length(names):
    """Recorded exact match by source length: {title: {bin: a value a seed}}."""
    return {
        title: {
            f"{low}–{high}": [
                run["metrics"][f"exact {low}–{high}"]
                for run in cu.results.load(LECTURE, name, "english_french")
            ]
            for low, high in BINS
        }
        for name, title in names.items()
    }


names = {"plain": "one fixed vector", "blocks": "no network"}
cu.plotting.dots(
    {"recorded": by_length(names)}, ylabel="exact match, test", xlabel="words in the source"
)

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# The fixed vector gets 87 to 95 % of the short sentences right, and at most 1 % of those with
# more than 13 words.
#
# A dot is one of three random seeds. Long sentences are not hard as such: a translator *without
# a network*, in which nothing is random, gets 73 % of them right. It counts which words go
# together, cuts a sentence into blocks such as *black cat*, and chooses each block's French
# form by a linear model of the words around it (`windows.py`; tuned on validation).
#
# **Is it only the time, or the number of parameters?** Neither was enough. A network of 143
# units has about as many as the next one will have, and had twice the epochs (one seed, the
# same learning rate). It overfits: its training loss falls to 0.25, while its validation loss
# rises from 0.63 to 0.70. Of the long sentences it translates none. A possible reason is the
# **bottleneck**: the whole sentence has to pass through one vector. A much longer vector,
# dropout or more sentences were not tried.

# %% [raw]
# near(
#     [
#         recorded("plain", "english_french", "exact 4–8").min(),
#         recorded("plain", "english_french", "exact 4–8").max(),
#     ],
#     [0.87, 0.95],
#     0.005,
# )
# recorded("plain", "english_french", "exact_long").max() < 0.01
# len(recorded("plain", "english_french", "exact_long")) == 3
# near(recorded("blocks", "english_french", "exact_long"), 0.73, 0.005)
# curve("wide", "english_french", "val_loss")[0].argmin() == 18
# near(curve("wide", "english_french", "val_loss")[0, [18, -1]], [0.63, 0.70], 0.005)
# near(curve("wide", "english_french", "loss")[:, -1], 0.25, 0.005)
# recorded("wide", "english_french", "exact_long").max() == 0
# about("wide", "english_french", "epochs")[0] == 2 * 16

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Compare with the guesses. Long sentences are possible without any network, and
# twice the time with as many parameters as attention has did not help. Is it the vector?
# Attention gives the decoder a second way to the source; then look again.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The idea: keep all states, and look up the one that is needed

# %% slideshow={"slide_type": "-"}
cu.figures.show("05_attention")

# %% [markdown] slideshow={"slide_type": "-"}
# $$\alpha_{ti} = \frac{e^{\text{score}(s_t,\, h_i)}}{\sum_j e^{\text{score}(s_t,\, h_j)}}
# \qquad c_t = \sum_i \alpha_{ti}\, h_i$$

# %% [markdown] slideshow={"slide_type": "skip"}
# Keep all $S$ states of the encoder. At step $t$ a **score** says how well the decoder's state
# $s_t$ fits each $h_i$. A softmax over the *source words* turns the scores into **attention
# weights** $\alpha_{ti}$, which are positive and sum to 1. Their weighted average of the states
# is the **context vector** $c_t$, a new one for each word that is written. No hard choice is
# made: the average is differentiable, so the layers that make the scores learn by
# back-propagation. Context and state together predict the word. An **alignment map** shows the
# weights, a row for each word written, a column for each word read.
#
# In lecture 6's terms, $s_t$ is the **query**, the $h_i$ are the **keys** that it is compared
# with and also the **values** that are averaged.

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) Have somebody read the formula in words: compare, softmax, average. Over what does
# the softmax go? Over the source words, separately for each written word. What does it cost? S
# scores for each of T words: S · T in all. Lecture 6 will worry about that.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 05.4 · Attention in NumPy
#
# The simplest score is the **dot score**, $\text{score}(s, h) = s \cdot h$. Compute weights and
# contexts for a batch. A pad must get the weight 0, and each row still sums to 1. Scores may
# have any size, and $e^{1000}$ overflows: take the largest score of a row's real words off
# first.

# %% builds="lectures.lecture_05.dot_attention" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
dot_attention = cu.exercises.use("05.4", dot_attention)

# %% [markdown] slideshow={"slide_type": "notes"}
# (8 minutes) Shapes first: a row of scores for each word written, a column for each word read.
# The usual mistakes are a softmax over the wrong axis, and a mask after the softmax, which
# leaves rows that sum to less than 1.

# %% [markdown] slideshow={"slide_type": "skip"}
# ### By hand: three source words and a pad
#
# $h_1 = (1, 0),\; h_2 = (0, 2),\; h_3 = (1, 2)$, a pad $(5, 5)$; $s = (1, 1)$ has the scores
# $1, 2, 3$. The pad would score 10, more than any word, if it were not masked:

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
h = np.array([[[1.0, 0.0], [0.0, 2.0], [1.0, 2.0], [5.0, 5.0]]])
alpha, c = dot_attention(np.ones((1, 1, 2)), h, np.array([[True, True, True, False]]))
print("weights", alpha.round(3), " context", c.round(3))

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Do it on the board: e, e², e³ over their sum. What if all states were ten times as
# long? The scores grow a hundredfold and the softmax takes the largest alone. Scores also grow
# with the width of the states; that growth is what lecture 6 divides away.

# %% [raw]
# given(10)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Which score?
#
# | score | $\text{score}(s, h)$ | parameters |
# | --- | --- | --- |
# | **dot score** (Luong) | $s \cdot h$ | none; equal widths only |
# | **general score** (Luong) | $(s W) \cdot h$ | $W$ |
# | **additive score** (Bahdanau) | $v \cdot \tanh(s W_s + h W_h)$ | $W_s, W_h, v$ |
#
# Vectors are rows, as in the code; papers write columns, $W_s s$. For all pairs of words, dot
# takes one matrix product, general two; the additive score takes a tanh per pair and unit.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Which could compare a state of 128 with one of 256? All but the dot score. Which
# is the fastest? The dot score is one matrix product.

# %% [raw]
# given(256)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 05.5 · Luong's attention as a Keras layer
#
# The context joins the state in the **attention vector**
# $\tilde a_t = \tanh([c_t; s_t]\, W_c)$, from which the vocabulary is scored; $[c_t; s_t]$ are
# the two rows side by side. Complete `call`; `masked_softmax(scores, mask)` is given, and its
# mask has to fit the scores or be None.

# %% builds="course_utils.layers.attention.LuongAttention.call" slideshow={"slide_type": "skip"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
LuongAttention = cu.exercises.use("05.5", LuongAttention)

# %% [markdown] slideshow={"slide_type": "notes"}
# (10 minutes) It is exercise 05.4 with `ops` and two matrices. The class around `call` makes
# the weights, so read `build` first. Those who finish early find out what a transposed W would
# do in training: nothing, the network learns the transposed matrix.

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
generator = np.random.default_rng(0)
h = generator.normal(size=(2, 6, 8)).astype("float32")  # encoder: batch, S, d
s = generator.normal(size=(2, 4, 8)).astype("float32")  # decoder: batch, T, d
real = np.arange(6) < np.array([[6], [4]])
with cu.full_precision():
    layer = LuongAttention(8)
    vector, weights = layer(s, h, real, return_attention_scores=True)
    keras_context = layers.Attention()([s, h], mask=[None, real])
alpha, c = dot_attention(s, h, real)
print("weights equal NumPy:", np.allclose(alpha, weights, atol=1e-5))
print("context equals keras.layers.Attention:", np.allclose(c, keras_context, atol=1e-5))
print("parameters:", layer.count_params(), "all of them in W_c, 16 · 8")

# %% slideshow={"slide_type": "subslide"} tags=["nbval-check-output"] heading="The fixed vector's model, with attention"
# On top of the fixed vector's model:
vectors = LuongAttention(128)(states, encoded, mask)
attentive = keras.Model(fixed.input, layers.Dense(french)(vectors))
more = attentive.count_params() - fixed.count_params()
print(f"{more:,} more parameters: W_c, 256 · 128")

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) The state keeps its 128 numbers. What is new is a *path* to the source.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## When does it attend? Two wirings

# %% slideshow={"slide_type": "-"}
cu.figures.show("05_wirings")

# %% [markdown] slideshow={"slide_type": "skip"}
# **Bahdanau's attention** ([2015](https://arxiv.org/abs/1409.0473)) comes *before* the step:
# the query is $s_{t-1}$, and the context enters the GRU together with the previous word, $s_t =
# \text{GRU}([y_{t-1}; c_t], s_{t-1})$. **Luong's attention**
# ([2015](https://arxiv.org/abs/1508.04025)) comes after it, with the new state $s_t$ as the
# query. In training the GRU runs over all words first, and attention follows for all at once.
# The price: no state of Luong's GRU has read a context, so it does not know where it attended
# before. *Input feeding* (lab 5b) tells it.
#
# Bahdanau's encoder is bidirectional; ours read in one direction. The two below differ in
# wiring *and* score. Keras' own `Attention` has no $W_c$, its `AdditiveAttention` no $W_s$ and
# $W_h$: project both states before it. Luong's paper also has **local attention**, which looks
# at a window of the source, at less cost.

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Trace the order with a finger: on the left attend, step; on the right step,
# attend. Which query knows the word that was just written? The right one. Which next step knows
# where the last one attended? The left one.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 05.6 · Bahdanau's attention
#
# For home. Complete `attend`. The keys $h W_h$ are given, so that a decoder computes them once.
# `self.W_s` and `self.v` are Dense layers without bias.

# %% builds="course_utils.layers.attention.BahdanauAttention.attend" slideshow={"slide_type": "skip"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
BahdanauAttention = cu.exercises.use("05.6", BahdanauAttention)

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
with cu.full_precision():
    layer = BahdanauAttention(5)
    context, weights = layer(s, h, real, return_attention_scores=True)
W_s, W_h, v = (ops.convert_to_numpy(part.kernel) for part in (layer.W_s, layer.W_h, layer.v))
alpha = lecture_05.softmax(additive_score(s, h, W_s, W_h, v[:, 0]), real[:, None])
print("equal to NumPy:", np.allclose(alpha @ h, context, atol=1e-5))
print("parameters:", layer.count_params(), "= 2 · 8 · 5 + 5")

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Homework. Say the new idea: (batch, T, 1, units) plus (batch, 1, S, units) gives
# every pair, and a far larger array than the dot score needs.


# %% slideshow={"slide_type": "skip"}
# Both wirings, on your layers
class Decoder(BahdanauDecoder):
    attention_layer = BahdanauAttention  # yours


class Translator(RecurrentTranslator):
    """The model above, in both wirings, and with what translating needs.

    `start` reads the source once and keeps its states and mask; `step` runs the decoder's GRU
    for one word and returns the next one's logits: `translators.py` in the lecture's folder.
    """

    luong, bahdanau = LuongAttention, Decoder


# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 05.7 · Train your translator to 0.80
#
# Compile and train a translator on sentences of up to nine words until at least 80 % of the
# new sentences are translated without a mistake. Choose the loss (one of Keras', as below 05.2:
# NumPy has no gradients), the epochs and the learning rate: a number, or a **schedule** such as
# `cu.schedules.WarmupCosine(learning_rate, steps)`, which rises for 100 batches and then falls
# to 0 at `steps`, the number of batches in all epochs. One epoch takes about two seconds.
# `cu.data.length_buckets(pairs.train, 64, same_steps=("target", "targets"))` makes batches of
# sentences of similar length, trimmed to the longest, for `model.fit` or `cu.training.fit`;
# `same_steps` names arrays that are trimmed alike.

# %% [raw]
# given(0.80)

# %% builds="lectures.lecture_05.train_translator" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
train_translator = cu.exercises.use("05.7", train_translator)

# %% slideshow={"slide_type": "skip"}
short = load_pairs(max_words=9)
keras.utils.set_random_seed(session.seed)
small = Translator(english, french, attention="dot")  # on your LuongAttention
small = train_translator(small, short)

# %% slideshow={"slide_type": "-"} tags=["slide-output"] heading="Your translator on short test sentences"
guesses = translation.translate(small, short.test.inputs["source"], short.vocabulary, 20)
exact = translation.exact_match(guesses, short.test.columns["references"])
next_word = translation.next_word_accuracy(small, short.test).mean()
print(f"{len(guesses)} test sentences: next word {next_word:.2f}, exact match {exact:.2f}")
if exact < 0.5:
    print("This run did not learn. Set another seed one cell above, and run from there.")

# %% [markdown] slideshow={"slide_type": "notes"}
# (9 minutes) If the loss stays high, ask which learning rate they took. While it trains: if
# each word is right with probability 0.98, how often is a sentence of nine words
# and its end? 0.82. What follows uses the recorded networks, whatever this one has learned.

# %% [raw]
# near(0.98**10, 0.82, 0.005)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## By length: does attention lift the curve?
#
# **Predict before you run.** The same data, the same state of 128 numbers, *half* the epochs.
# Where will the dots of attention lie for 4 to 8 words, and where for 19 to 25?

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Draw the axes on the board and let everybody mark two dots, with a reason.

# %% slideshow={"slide_type": "subslide"} tags=["answers-prediction", "hide-input"]
titles = {"plain": "fixed vector", "blocks": "no network", "dot": "dot", "bahdanau": "Bahdanau"}
cu.plotting.dots(
    {"recorded": by_length(titles)}, ylabel="exact match, test", xlabel="words in the source"
)

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# With attention at least 90 % of the sentences are exact at every length and on every seed. On
# 19 to 25 words the translator without a network gets 73 % right, and the fixed vector none.
#
# In *dot* only attention was added: the same sentences and half the epochs suffice. Three seeds
# do not tell the two kinds apart.
#
# **Is the comparison fair?** The learning rate of each network was the best of 0.002, 0.004,
# 0.008 and 0.016 on validation (one seed, 8 or 12 epochs): 0.008 for all three. Attention has
# more parameters than the fixed vector; the wider network had as many as *dot* and four times
# the epochs.
#
# **What is a network for, where this much works without one?** That translator needs programs
# made for translation. Attention learns its alignment from the loss of the next word alone.

# %% [raw]
# min(
#     recorded(model, "english_french", f"exact {words}").min()
#     for model in ("dot", "bahdanau")
#     for words in ("4–8", "9–13", "14–18", "19–25")
# ) > 0.9
# near(recorded("blocks", "english_french", "exact 19–25"), 0.73, 0.005)
# recorded("plain", "english_french", "exact 19–25").max() == 0
# all(
#     cell(f"rates-{name}", 0.008, "loss")
#     < min(cell(f"rates-{name}", rate, "loss") for rate in (0.002, 0.004, 0.016))
#     for name in ("plain", "dot", "bahdanau")
# )
# set(about("plain", "english_french", "epochs")) == {16}
# all(about(name, "english_french", "epochs")[0] == 8 for name in ("dot", "bahdanau"))
# about("wide", "english_french", "epochs")[0] == 4 * 8
# near(
#     about("wide", "english_french", "parameters"),
#     about("dot", "english_french", "parameters")[0],
#     600,
# )
# len(recorded("dot", "english_french", "exact_match")) == 3
# not apart(
#     recorded("dot", "english_french", "exact_match"),
#     recorded("bahdanau", "english_french", "exact_match"),
# )

# %% slideshow={"slide_type": "skip"}
if session.profile == "full":
    record.record_all(session.seed)


def shipped(name, kind=Translator):
    """The recorded run of seed 0, on your own layers."""
    model = kind(english, french, **TRANSLATORS[name])
    model({name: ids[:8] for name, ids in pairs.test.inputs.items()})  # makes the weights
    arrays = cu.models.load_pretrained(f"translator_{name}")
    model.set_weights([arrays[key] for key in sorted(arrays)])
    return model


class Equal(Translator):
    luong = MeanAttention  # every weight 1 / S, whatever the scores say


trained = {name: shipped(name) for name in ("plain", "dot")}
trained["equal"] = shipped("dot", Equal)

# %% slideshow={"slide_type": "skip"} tags=["headline"]
row = by_words[285]
long = columns["words"] > LONG
print("source ", columns["source_text"][row])
for name, model in trained.items():
    texts = translation.translate(model, pairs.test.inputs["source"], vocabulary, 40)
    exact = translation.exact_match(np.array(texts)[long], columns["references"][long])
    print(f"{name:7} {texts[row]}")
    print(f"{name:7} {exact:.2f} of the sentences with more than {LONG} words are exact")

# %% [markdown] slideshow={"slide_type": "skip"}
# Attention brings a *path* to every state and *scores* that choose among them. `equal` is the
# trained `dot` with every weight set to $1/S$. It keeps the path and all parameters, but its
# context is the same at every step; none of its long translations is right. A network *trained*
# so, its learning rate chosen alike, gets 92 to 98 % of the sentences of 4 to 8 words right,
# and about 3 % of the long ones: the path alone is not enough.

# %% [raw]
# near(ends(recorded("equal", "english_french", "exact 4–8")), [0.92, 0.98], 0.005)
# near(recorded("equal", "english_french", "exact_long"), 0.03, 0.005)

# %% [markdown] slideshow={"slide_type": "notes"}
# (6 minutes) Was it attention? In *dot* nothing else was added. Read the plain model's long
# translation aloud: fluent French about something else. Then the last rows: which half of
# attention did we take away?

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Where did it attend?

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
EXAMPLE = "the small black cat does not see the red house"
said = translate(trained["dot"], EXAMPLE)
source = encode_sentence(EXAMPLE, vocabulary["source"])
read, write = shift([vocabulary["target"].encode(said.split())])
alpha = ops.convert_to_numpy(trained["dot"].alignment(source, read))[0]
words, rows = EXAMPLE.split(), [*said.split(), "<eos>"]
figure, axis = cu.plotting.figure(7.5, 4.4)
draw_map(axis, alpha, words, rows, "attention weights, your layer")
largest = strongest(alpha, words, rows)
texts = [EXAMPLE, "these quiet birds sleep", "my old cow that hears the dog does not sleep"]
picture = figure, f"Attention weights, largest in each row: {largest}."
cu.explore.alignment(trained["dot"], vocabulary, texts, picture)

# %% [markdown] slideshow={"slide_type": "-"}
# Which words cross? Where do *le* and *la* attend?

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# *chat* and *noir* cross, *maison* and *rouge* too, and both articles attend mostly to their
# noun.
#
# Exchange the nouns, and the articles change, although *the* stays:

# %% slideshow={"slide_type": "skip"}
for text in (EXAMPLE, EXAMPLE.replace("cat", "cow").replace("house", "garden")):
    print(translate(trained["dot"], text))

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) Ask which English word the first *le* will attend to; then from the start, word by
# word, and guess each. What does an article need to know that *the* does not tell? Last, ask
# what follows if the first word has to be *les*, and force it.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 05.8 · Find the bug
#
# A classmate trained the dot score's network with this `encode`. It gets 98 % of the test
# sentences right, as many as ours; yet its logits for a sentence change with the pads after it.
# Find the bug, and write `encode` without it.

# %% [raw]
# near(recorded("classmate", "english_french", "exact_match"), 0.98, 0.005)
# recorded("classmate", "english_french", "exact_match").min() >= recorded(
#     "dot", "english_french", "exact_match"
# ).min()

# %% shows="lectures.lecture_05.translators.classmate" slideshow={"slide_type": "-"}
# filled by the build


# %% slideshow={"slide_type": "subslide"} tags=["hide-input"]
class Classmates(Translator):
    encode = classmate


buggy = shipped("classmate", Classmates)
padded = np.pad(source, ((0, 0), (0, 6)))
for title, ids in (("alone    ", source), ("six pads ", padded)):
    print(title, translation.translate(buggy, ids, vocabulary, 20)[0])
weights = ops.convert_to_numpy(buggy.alignment(padded, read))[0]
figure, axis = cu.plotting.figure(9, 3.8)
draw_map(axis, weights, [*words, *["<pad>"] * 6], rows, "the classmate's network, six pads")
behind = weights[:, len(words) :].sum(axis=1).mean()
cu.plotting.show(figure, f"Attention weights; {behind:.0%} of the weight lies on six pads.")

# %% builds="lectures.lecture_05.encode" slideshow={"slide_type": "subslide"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
encode = cu.exercises.use("05.8", encode)

# %% slideshow={"slide_type": "skip"}
for name, reading in (("classmate", classmate), ("yours", encode)):
    Classmates.encode = reading
    both = ({"source": ids, "target": read} for ids in (source, padded))
    logits = [ops.convert_to_numpy(buggy(inputs)) for inputs in both]
    change = np.abs(logits[0] - logits[1]).max()
    print(f"{name:10} six pads change the logits by up to {change:.1e}")

# %% [markdown] slideshow={"slide_type": "skip"}
# An embedding's row 0 is a vector like any other, so the classmate's mask is True everywhere:
# the encoder reads the pads, and attention averages them; in the map it is `<eos>` that attends
# to them. The bug costs no accuracy here, so no score would tell you. Mask pads by their ids,
# and test it: append pads, and nothing may change.

# %% [markdown] slideshow={"slide_type": "notes"}
# (8 minutes) Let them find it by printing the mask. No learning curve shows this bug, and no
# accuracy. Where does `<eos>` attend in the map?

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What a map does not prove
#
# A large weight says that the context consists mostly of that *state*. Does the *word* at that
# position decide the output? A second map exchanges one source word for a random one of its
# kind (a singular noun for another, *the* for *my*), keeps the French words before, and
# measures how much the probability of the next word changes. **Predict:** in which rows will
# the two maps differ?

# %% slideshow={"slide_type": "subslide"} tags=["answers-prediction", "hide-input"]
changes = lecture_05.influence(trained["dot"], source, read, write, vocabulary["source"])[0]
changes[:, np.isin(words, ("does", "not"))] = np.nan  # have no other word of their kind
figure, axes = cu.plotting.figure(9.8, 4.2, columns=2)
draw_map(axes[0], alpha, words, rows, "attention weights")
draw_map(axes[1], changes, words, rows, "change of probability, word exchanged")
cu.plotting.show(
    figure,
    f"Left, attention weights, largest: {strongest(alpha, words, rows)}. Right, how much each "
    "word's probability changes when a source word is exchanged for another one of its kind, "
    f"largest: {strongest(changes, words, rows)}.",
)

# %% slideshow={"slide_type": "skip"} tags=["hide-input"]
found = lecture_05.aligned(trained["dot"], pairs, rows=100)
kinds = ("nouns", "adjectives", "articles")
measures = {"aligned": "largest weight", "moved": "largest change"}
panels = {
    "dot: 1 network, 100 sentences": {
        title: {kind: [found[f"{measure}_{kind}"]] for kind in kinds}
        for measure, title in measures.items()
    }
}
runs = cu.results.load(LECTURE, "bahdanau", "english_french")
panels["Bahdanau: 3 networks, 300 each"] = {
    title: {kind: [run["metrics"][f"{measure}_{kind}"] for run in runs] for kind in kinds}
    for measure, title in measures.items()
}
cu.plotting.dots(panels, ylabel="share of correct words")

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# A large weight names the state that was read; it does not prove that this word was the reason
# ([Jain and Wallace, 2019](https://arxiv.org/abs/1902.10186); and the reply by [Wiegreffe and
# Pinter](https://arxiv.org/abs/1908.04626)).
#
# In the rows of *le* and *la* the maps differ: *the* has little weight, and exchanging it still
# changes the article, as exchanging the noun does. `<eos>` attends to *house*, and hardly
# changes with it. *does* and *not* have no other word of their kind: grey.
#
# The dots: how often, among correctly predicted words, the source word that is *translated* has
# the largest weight, and how often it makes the largest change. For nouns it nearly always has
# the largest weight. For articles that lies mostly elsewhere, in Bahdanau's wiring also for
# most adjectives; still, most of these words change most with the word that they translate. A
# state is not a word: the GRU has read everything before it, so the state at *cat* can also
# tell of *black*.
#
# No measure is neutral: *my* for *the* always changes the right article, another noun only if
# its gender or first letter asks for it (*le chat*, *l'oiseau*). So the article's own word
# matters; whether more than the noun, the figure does not show.

# %% [raw]
# min(
#     recorded(model, "english_french", "aligned_nouns").min() for model in ("dot", "bahdanau")
# ) > 0.99
# max(
#     recorded(model, "english_french", "aligned_articles").max()
#     for model in ("dot", "bahdanau")
# ) < 0.4
# recorded("bahdanau", "english_french", "aligned_adjectives").max() < 0.5
# min(
#     recorded("bahdanau", "english_french", f"moved_{kind}").min()
#     for kind in ("adjectives", "articles")
# ) > 0.75

# %% [markdown] slideshow={"slide_type": "notes"}
# (5 minutes) How can a correctly translated adjective attend elsewhere? A state is not a word.
# As a tool for debugging the map is fine, as we saw; as a proof of reasons it is not.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Where it stands today
#
# - Attention without recurrence, the Transformer, replaced these translators from 2017 on
#   (lecture 6). It keeps compare, softmax, average.
# - The same layer describes images: the keys are the positions of an image (lab 7b, [*Show,
#   attend and tell*, 2015](https://arxiv.org/abs/1502.03044)), and recognises speech ([*Listen,
#   attend and spell*, 2016](https://arxiv.org/abs/1508.01211)).
# - The cost S · T is high for long texts: local windows compare fewer pairs and **linear
#   attention** none; **FlashAttention** compares all and never stores their weights.
# - Whether weights explain is still debated; interventions and ablations are the stronger test.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) One sentence a line. Then ask: if the eyes may go anywhere at any time, does it
# matter that the sentence was read from left to right? Lecture 6 leaves the recurrence out.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Summary
#
# - Teacher forcing shifts the target by one; the loss averages over real words.
# - Decoding needs a bound; judge by exact match and by length: next-word accuracy flatters.
# - One vector failed on long sentences; attention looks up: $c_t = \sum_i \alpha_{ti} h_i$.
# - Dot, general and additive scores; attend then step, or step then attend.
# - Mask the source by its ids. A weight says which state was read, not why.

# %% [markdown] slideshow={"slide_type": "skip"}
# **Papers.** Williams and Zipser, [*A learning algorithm for continually running fully
# recurrent neural networks*](https://doi.org/10.1162/neco.1989.1.2.270) (1989) · Cho et al.,
# [*Learning phrase representations using RNN encoder–decoder*](https://arxiv.org/abs/1406.1078)
# (2014) · Sutskever, Vinyals and Le, [*Sequence to sequence learning with neural
# networks*](https://arxiv.org/abs/1409.3215) (2014) · Bahdanau, Cho and Bengio, [*Neural
# machine translation by jointly learning to align and
# translate*](https://arxiv.org/abs/1409.0473) (2015) · Luong, Pham and Manning, [*Effective
# approaches to attention-based neural machine translation*](https://arxiv.org/abs/1508.04025)
# (2015) · Bengio et al., [*Scheduled sampling*](https://arxiv.org/abs/1506.03099) (2015) · Jain
# and Wallace, [*Attention is not explanation*](https://arxiv.org/abs/1902.10186) (2019);
# Wiegreffe and Pinter, [*Attention is not not explanation*](https://arxiv.org/abs/1908.04626)
# (2019)

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Go back to the first answers of the room: what is attention? Compare, softmax,
# average.
