# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   title: Lab 6d · A decoder of today
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] slideshow={"slide_type": "slide"} tags=["title"]
# # A decoder of today
#
# **Lab 6d** · rotary positions, RMSNorm, SwiGLU, grouped queries, the cache, sampling

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Llama 3, Mistral and Qwen 2 are stacks of lecture 6's decoder block, without its
# cross-attention and with four parts replaced. Each takes a few lines; today you write all
# four.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What you will be able to do
#
# 1. build rotary positions, RMSNorm, SwiGLU and grouped-query attention
# 2. decode with a cache of keys and values, and find a bug in one by its symptom
# 3. sample with temperature and top-p
# 4. compare decoders with each other, with one without positions, and with counting
# 5. route tokens to experts, and compute attention one block of keys at a time

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Read the list; who has heard of RoPE, who has built it?

# %% [markdown] slideshow={"slide_type": "skip"}
# **You need** lecture 6. **It takes** ninety minutes, nearly forty of them for the
# exercises; 06d.3, 06d.7 and 06d.8 are homework.

# %% slideshow={"slide_type": "skip"} name="start"
import course_utils as cu

session = cu.start(seed=0)  # before Keras is imported, so that its backend starts quietly
LECTURE = "06d_lab_decoder_today"

import keras
import numpy as np
from keras import layers, ops

# %% slideshow={"slide_type": "skip"}
from course_utils.data.base import START
from course_utils.decoding import compiled
from lectures import lecture_06d
from lectures.lecture_05 import softmax
from lectures.lecture_06 import scaled_dot_product, sinusoidal_positions
from lectures.lecture_06d import DecoderParts, GroupProjections, record, sentences

generator = np.random.default_rng(0)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Rotary positions (RoPE)
#
# Lecture 6 *added* waves to the embeddings; a shift by $p$ positions was a rotation $R_p$ of
# the waves. **The idea:** rotate the queries and keys instead. With a query $q$ at position $m$
# and a key $k$ at position $n$, the score is
#
# $$(R_m q) \cdot (R_n k) = q^\top R_m^\top R_n\, k = q^\top R_{n - m}\, k$$
#
# It depends on $q$, on $k$ and on the distance $n - m$, not on $m$ or $n$ alone. Values are not
# rotated.

# %% [markdown] slideshow={"slide_type": "skip"}
# $R_p$ turns each pair of channels $(2i, 2i + 1)$ by the angle $\theta = p\,\omega_i$, with
# lecture 6's frequencies $\omega_i = 10000^{-2i/d_k}$:
#
# $$\begin{pmatrix} x'_{2i} \\ x'_{2i+1} \end{pmatrix} =
#   \begin{pmatrix} \cos\theta & -\sin\theta \\ \sin\theta & \cos\theta \end{pmatrix}
#   \begin{pmatrix} x_{2i} \\ x_{2i+1} \end{pmatrix}$$
#
# Lecture 6's $R_p$ is the transpose: its pairs are sine, cosine. Many libraries pair channel
# $i$ with $i + d_k / 2$: to copy their weights, permute the columns of $W^Q$ and $W^K$.

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) Derive the formula aloud: a rotation's transpose is its inverse, so only the
# difference of the angles is left. What if the values were rotated, too? What a token reads
# would change when the whole text is shifted.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 06d.1 · Rotate
#
# Complete `rotate`. Use `ops`, so that it works inside a layer.

# %% builds="lectures.lecture_06d.rotate" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
rotate = cu.exercises.use("06d.1", rotate)

# %% [markdown] slideshow={"slide_type": "slide"}
# ### One query, one key: does it matter where they stand?
#
# $q$ and $k$ seven positions apart, at three places. **Predict:** in which line are the three
# scores equal?

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "nbval-check-output"]
q, k = generator.normal(size=(2, 64)).astype("float32")
waves, m = sinusoidal_positions(90, 64), np.array([0, 20, 80])
added = (q + waves[m]) * (k + waves[m + 7])  # for simplicity to q and k themselves
turned = [rotate(np.tile(x, (1, 1, 3, 1)), at) for x, at in ((q, m), (k, m + 7))]
turned = ops.convert_to_numpy(turned[0] * turned[1])
for name, products in (("waves added", added), ("rotated", turned)):
    print(f"{name:12}", *np.round(np.sum(products, axis=-1).ravel() / 64**0.5, 3))

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# With rotations only their distance counts, with added waves also where they stand.
#
# With added waves the score contains $q \cdot PE(n)$ and $PE(m) \cdot k$, too, products of
# content and position. Like waves, **RoPE** has no built-in maximal length; the end of this lab
# tests both on longer texts.

# %% [markdown] slideshow={"slide_type": "notes"}
# (11 minutes, with exercise 06d.1) Draw one pair of channels as an arrow and turn it by hand.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## RMSNorm and SwiGLU
#
# $$\mathrm{RMSNorm}(x) = \frac{x}{\sqrt{\frac1d \sum_i x_i^2 + \epsilon}} \odot g
#   \qquad \mathrm{SwiGLU}(x) = (\mathrm{silu}(xW_g) \odot xW_u)\, W_d$$

# %% [markdown] slideshow={"slide_type": "skip"}
# $x$ is one token's vector of width $d$. **RMSNorm** divides it by the root of its mean square
# and scales each channel by a learned $g_i$ ($\odot$ multiplies number by number); the small
# $\epsilon$ avoids a division by 0. Unlike LayerNorm, it subtracts no mean and adds no shift.
#
# **SwiGLU** replaces $\max(0, xW_1)W_2$. $xW_g$ is the gate, through
# $\mathrm{silu}(a) = a\,\sigma(a)$ with the sigmoid $\sigma$, which unlike lecture 3's gates
# has no bound of 1; $xW_u$ is what it multiplies; $W_d$ leads back to width $d$. With three
# matrices instead of two, the inner width is two thirds of the usual one for the same number of
# weights.

# %% [raw]
# given(2 / 3)

# %% [markdown] slideshow={"slide_type": "notes"}
# (7 minutes, with exercise 06d.2; exercise 06d.3 is homework, 3 minutes) Where have we seen one
# product multiplied by another? The LSTM's input gate and candidate. Shazeer's paper attributes
# SwiGLU's success "to divine benevolence".

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 06d.2 · RMSNorm
#
# Complete `call`.

# %% builds="lectures.lecture_06d.RMSNorm.call" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
RMSNorm = cu.exercises.use("06d.2", RMSNorm)

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 06d.3 · SwiGLU
#
# Homework. Complete `call`; the three Dense layers are made for you.

# %% builds="lectures.lecture_06d.SwiGLU.call" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
SwiGLU = cu.exercises.use("06d.3", SwiGLU)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Fewer keys and values: grouped queries
#
# While a model writes, it keeps the keys and values of all tokens so far. For one text:
#
# $$\text{cache} = 2 \cdot \text{layers} \cdot \text{key-value heads} \cdot d_k \cdot
#   \text{tokens} \cdot \text{bytes per number}$$
#
# The 2 stands for keys and values.
#
# **Predict before you run:** 32 layers, 32 heads of 128, 16 bits, 8,192 tokens. How large?

# %% slideshow={"slide_type": "-"} tags=["answers-prediction"]
for name, heads in (("multi-head", 32), ("grouped queries", 8), ("multi-query", 1)):
    size = 2 * 32 * heads * 128 * 8_192 * 2
    print(f"{name:15} {heads:2} key-value heads: {size / 2**30:6.3f} GiB for one text")

# %% [markdown] slideshow={"slide_type": "skip"}
# Each step reads the whole cache from memory. To decode faster, **multi-query attention** lets
# all query heads share one pair of key and value heads ([Shazeer,
# 2019](https://arxiv.org/abs/1911.02150)). In **grouped-query attention**, groups of query
# heads share a pair ([Ainslie et al., 2023](https://arxiv.org/abs/2305.13245)).

# %% [markdown] slideshow={"slide_type": "notes"}
# (12 minutes, with exercise 06d.4) What does sharing take away? Each query head still has a
# query of its own, but several attend to the same keys.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 06d.4 · Grouped-query attention
#
# Complete `attend`: groups of `num_heads // num_kv_heads` query heads share a key-value head:
# the first group shares head 0, the next one head 1. Given are `self.num_heads`,
# `self.num_kv_heads`, `self.d_k`, the Dense layer `self.output_`, and lecture 6's scaled
# dot-product attention, `self.attention(query, value, key, attention_mask=mask)`.

# %% builds="lectures.lecture_06d.GroupedAttention" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
GroupedAttention = cu.exercises.use("06d.4", GroupedAttention)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Writing with a cache

# %% slideshow={"slide_type": "-"}
cu.figures.show("06_cache")

# %% [markdown] slideshow={"slide_type": "skip"}
# Under the causal mask no later token changes an earlier key or value. So a step computes one
# query, one key, one value and one row of scores. An encoder has no such cache: each new word
# changes all states.

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Without a cache 1 + 2 + … + S rows pass through all layers, with it S.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 06d.5 · Find the bug, write the step
#
# A student calls a correct `step` token by token, with `her_position`. The first output is
# right, all others are wrong. **Why?** Then complete `step`. `self.attend` is yours;
# `self.project(x, positions)` gives q, k and v of tokens that stand at `positions`, a tensor
# (tokens,); `ops.slice_update(array, start, new)` writes into an array. Use `ops` alone: when
# decoding is compiled, `position` is a tensor, and no shape may depend on it; attend to the
# whole cache, under a mask.


# %% slideshow={"slide_type": "subslide"} heading="Exercise 06d.5 · Find the bug, write the step"
def token_by_token(layer, x, position_of):
    """The outputs of x, (1, tokens, width)."""
    cache, outputs = layer.start(1, x.shape[1]), []
    for token in ops.split(x, x.shape[1], axis=1):
        output, cache = layer.step(token, cache, position_of(token, outputs))
        outputs.append(output)
    return ops.concatenate(outputs, axis=1)


def her_position(token, outputs):
    return ops.arange(token.shape[1])[0]  # as in `call`


# %% builds="lectures.lecture_06d.CachedAttention.step" slideshow={"slide_type": "skip"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
CachedAttention = cu.exercises.use("06d.5", CachedAttention)

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"] heading="Token by token"
x = generator.normal(size=(1, 6, 8)).astype("float32")
attend = CachedAttention(8, num_heads=4, num_kv_heads=2)
positions = {"outputs so far": lambda token, outputs: len(outputs), "hers": her_position}
whole = attend(x)
for name, position_of in positions.items():
    differ = ops.convert_to_numpy(token_by_token(attend, x, position_of) - whole)[0]
    print(f"{name}, equal to all at once:", *np.abs(differ).max(axis=-1) < 1e-5)

# %% [markdown] slideshow={"slide_type": "skip"}
# `token` always holds one token, so her position is 0 at every step. Each token overwrites the
# first slot, and the mask shows this slot alone: it attends only to itself. For the first token
# that is right: test a cache from the *second* token on.

# %% [markdown] slideshow={"slide_type": "notes"}
# (15 minutes, with exercise 06d.5) Diagnosis first: her position of the first three tokens?
# What else would a first step hide? An old cache handed on, a wrong rotation: with one key the
# softmax is 1 whatever the score.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## From logits to a word
#
# The softmax of the logits $z_i$, divided by a temperature $\tau$, gives the probabilities:
#
# $$p_i = \frac{e^{z_i / \tau}}{\sum_j e^{z_j / \tau}}$$
#
# **Temperature** $\tau < 1$ sharpens, $\tau > 1$ flattens. **Top-p** (nucleus sampling) keeps
# only the most probable words, as few as have together at least probability $p$. With $p$ near
# 0 that is one word: **greedy decoding**.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Where one word has nearly all the probability, top-p keeps it alone; where a
# hundred words share it, most of them.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 06d.6 · Temperature and top-p

# %% builds="lectures.lecture_06d.next_word_probabilities" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
next_word_probabilities = cu.exercises.use("06d.6", next_word_probabilities)

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"] heading="Three ways to sample"
logits = np.log([0.5, 0.25, 0.15, 0.07, 0.03])
settings = {"plain": {}, "temperature 0.5": {"temperature": 0.5}, "top-p 0.8": {"top_p": 0.8}}
for name, how in settings.items():
    print(f"{name:16}", *np.round(next_word_probabilities(logits, **how), 2))

# %% [markdown] slideshow={"slide_type": "skip"}
# Temperature never changes the order of the words.

# %% [markdown] slideshow={"slide_type": "notes"}
# (9 minutes, with exercise 06d.6) Top-p 0.8 by hand first: 0.5 + 0.25 is not enough, so the
# third word comes in.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## All of it together: a decoder that writes reviews
#
# `Decoder` stacks lecture 6's pre-norm blocks, from *your* parts. It learns to predict the next
# word of the course's reviews, cut into rows of 64 tokens. The embedding's matrix, transposed,
# gives the logits (*weight tying*). **Perplexity** is $e$ to the mean loss: the model is as
# uncertain as in a choice among so many equally probable words; 1 is certainty. `model.step`
# calls your `step` in each block.

# %% slideshow={"slide_type": "skip"} shows="lectures.lecture_06d.Decoder"
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["headline", "slide-output"]
vocabulary, rows = lecture_06d.review_rows()
keras.utils.set_random_seed(session.seed)
batches = session.pick(quick=150, full=200)
parts = {"attention": CachedAttention, "norm": RMSNorm, "network": SwiGLU}  # yours
model, reached = lecture_06d.train_decoder(  # all four parts, at learning rate 0.024
    vocabulary, rows, lecture_06d.NEW, 0.024, batches, kind=Decoder, **parts
)
print(f"validation perplexity after {batches} batches of 32 rows: {reached:.2f}")
if reached > 3:
    print("This run did not learn: set another seed above. What it writes says nothing.")

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Point at norm, sublayer and residual connection. Could the perplexity reach 1?
# Only if no word of a review were left to chance.


# %% slideshow={"slide_type": "skip"}
def write(prompt, words, seed, **how):
    """Continue the ids of a prompt, with your cache and your probabilities."""
    ids, draw, state = list(prompt), np.random.default_rng(seed), model.start(1, words)
    for position in range(words - 1):
        token, place = (ops.convert_to_tensor(n, "int32") for n in ([ids[position]], position))
        logits, state = step(token, place, state)
        if position + 1 == len(ids):
            p = next_word_probabilities(ops.convert_to_numpy(logits)[0].astype(float), **how)
            ids.append(draw.choice(len(p), p=p))
    return vocabulary.decode(ids[1:])


# %% slideshow={"slide_type": "subslide"} tags=["slide-output"] heading="What it writes"
step = compiled(model.step, model)  # one graph of a step, which is faster
prompt = [START, *vocabulary.encode("the plot was".split())]
settings |= {"greedy": {"top_p": 1e-9}}
read = {one for row in rows["train"] for one in sentences(vocabulary.decode(row))}
for name, how in settings.items():
    texts = [write(prompt, 40, seed, **how) for seed in range(5)]
    found = [one for text in texts for one in sentences(text)]
    known = np.mean([one in read for one in found])
    print(f"{name}: {len(set(found))} of {len(found)} sentences differ, {known:.0%} are known")
    print(texts[0][:150], "\n")
own = [one for row in rows["val"] for one in sentences(vocabulary.decode(row))]
print(f"{np.mean([one in read for one in own]):.0%} of the validation sentences are known")

# %% [markdown] slideshow={"slide_type": "skip"}
# Sentences are split at *and the*, too. *Known* ones are in the training texts, as nearly all
# of the validation texts are: a few unknown ones need not be wrong. Greedy decoding writes
# the same text each time and may run into a loop ([Holtzman et al.,
# 2020](https://arxiv.org/abs/1904.09751)). A good setting writes many different, mostly known
# sentences; twenty are too few to rank the other three.

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) Read two texts aloud. Which setting would they take? Not greedy decoding, which
# has one text to offer; to rank the other three takes far more sentences.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Must a decoder be told positions?
#
# Lecture 6's encoder without positions saw a bag of words. A decoder without positions reads 5,
# 6, 7 and 6, 5, 7. **Predict:** can its last logits differ with one block? With two?

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "nbval-check-output"]
texts = np.array([[5, 6, 7], [6, 5, 7]])
for blocks in (1, 2):
    unrotated = parts | {"attention": record.unrotated}  # the course's, without rotation
    small = Decoder(9, 16, 4, blocks, **lecture_06d.NEW, **unrotated)
    one, other = ops.convert_to_numpy(small(texts))[:, -1]
    print(f"{blocks} block(s), equal last logits:", np.allclose(one, other, atol=1e-5))

# %% [markdown] slideshow={"slide_type": "-"} tags=["lead"]
# With two blocks the causal mask alone tells an order.
#
# In the first block 6 reads 5 and 6 in one text, itself alone in the other; in the second block
# 7 reads that state. Decoders without positions do learn ([Kazemnejad et al.,
# 2023](https://arxiv.org/abs/2305.19466)). How well?

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) What does each token read in the first block? All up to itself, in any order.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Do the four parts help? A fair ablation
#
# *Base* has waves, LayerNorm before each sublayer, GELU (a smooth ReLU) and four key-value
# heads; one part is changed, then all four; two key-value heads also save 9 % of the weights.
# *No positions* has no waves. The rival counts: 7-grams, as in lecture 2. **Predict:** which
# single change helps most? Which decoders beat counting?

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "hide-input"]
runs = cu.results.load(LECTURE, "ablation")
told = cu.results.load(LECTURE, "positions")
[counted] = cu.results.load(LECTURE, "counting")
found = {"no\npositions": [run["metrics"]["no positions: test"] for run in told]}
for arm in lecture_06d.ARMS:
    name = "base" if arm == "2018" else arm.replace(" ", "\n")
    found[name] = [run["metrics"][f"{arm}: test"] for run in runs]
counting = counted["metrics"]["n-grams: test"]
cu.plotting.dots({"": {"": found}}, "test perplexity", chance=counting, limits=(2.1, 2.4))

# %% slideshow={"slide_type": "skip"}
if session.profile == "full":
    record.record_all(session.seed)

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# After 200 batches a decoder without positions is behind counting (dashed), one with rotary
# positions 4 % ahead; after 600, at the same learning rates, both lead, and waves equal rotary.
#
# 200 batches are fewer than two passes through the texts. No other single change stands apart
# from the base, and all four together are no better than rotary positions alone.
#
# A dot is one of three seeds, at the best learning rate of one grid on validation (seed 0).
# Length and smoothing of the n-grams were chosen there, too. One run of the base does not beat
# counting. After 600 batches no positions reach about 2.16, waves and rotary positions 2.09.
#
# RMSNorm was proposed to save time, fewer keys and values to decode faster; SwiGLU was measured
# on far larger models.

# %% [raw]
# recorded("positions", "reviews", "no positions: test").min() > 2.28
# abs(recorded("counting", "reviews", "n-grams: test")[0] - 2.2300) < 0.0001
# about("ablation", "reviews", "2018: parameters") == [91_136] * 3
# set(about("ablation", "reviews", "2 key-value heads: parameters")) == {82_944}
# near(1 - 82_944 / 91_136, 0.09, 0.005)
# about("counting", "reviews", "words") == [7]
# sum(recorded("ablation", "reviews", "2018: test") > 2.2301) == 1
# near(1 - recorded("ablation", "reviews", "rotary positions: test").mean() / 2.23, 0.04, 0.005)
# recorded("ablation", "reviews", "all four: test").max() < 2.19
# recorded("ablation", "reviews", "all four: test").mean() > 2.15
# recorded("ablation", "reviews", "rotary positions: test").mean() < 2.14
# recorded("ablation", "reviews", "2018: test").min() > 2.19
# all(
#     recorded("ablation", "reviews", f"{arm}: test").max() > 2.20
#     for arm in ("RMSNorm", "SwiGLU", "2 key-value heads")
# )
# about("ablation", "reviews", "batches") == [200] * 3
# all(
#     2.175 < recorded("ablation", "reviews", f"{arm}: test").min()
#     and recorded("ablation", "reviews", f"{arm}: test").max() < 2.2299
#     for arm in ("RMSNorm", "SwiGLU", "2 key-value heads")
# )
# about("positions", "reviews", "batches") == [200] * 3
# set(about("longer", "reviews", "batches")) == {600}
# recorded("longer", "reviews", "no positions: test").max() < 2.2299
# near(recorded("longer", "reviews", "no positions: test"), 2.16, 0.012)
# near(
#     [recorded("longer", "reviews", f"{arm}: test") for arm in ("waves", "rotary")], 2.09, 0.01
# )

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) What would they have missed without the dashed line? That a decoder can be worse
# than counting. What does triple training change? Waves catch up with rotary positions.

# %% [markdown] slideshow={"slide_type": "slide"}
# ### Rows longer than in training
#
# Such decoders read rows of 256 tokens; in training a row had 64. **Predict before you look:**
# how does each go on beyond 64?

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "hide-input"]
arms = {"n-grams": [counted], "no positions": told, "waves": told, "rotary": told}
by_position = {
    arm: {
        f"{first}–{last}": [run["metrics"][f"{arm}, {first}–{last}: test"] for run in runs]
        for first, last in lecture_06d.PARTS
    }
    for arm, runs in arms.items()
}
cu.plotting.dots(
    {"": by_position}, "test perplexity", "position in the row", limits=(2, 8), yscale="log"
)

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# After the same 200 batches: from position 9 to 64 rotary positions win (before, counting is
# level), and their lead over counting grows with the context. Beyond, waves fail first; in the
# end counting wins.
#
# Rotary positions are 2 % ahead of the n-grams in the second column, 5 to 6 % in the fourth,
# and still ahead in the fifth. In the last, all three decoders are worse than at lengths that
# they saw. After 600 batches waves and rotary positions are alike up to 64; beyond it waves
# fail as before, and in the last column rotary is no better than *no positions*.

# %% [raw]
# near(1 - recorded("positions", "reviews", "rotary, 9–16: test") / 2.1431, 0.02, 0.005)
# near(
#     ends(1 - recorded("positions", "reviews", "rotary, 33–64: test") / 2.2102),
#     [0.05, 0.06],
#     0.005,
# )
# abs(recorded("positions", "reviews", "rotary, 1–8: test") / 2.3781 - 1).max() < 0.005
# abs(recorded("counting", "reviews", "n-grams, 1–8: test")[0] - 2.3781) < 0.0001
# abs(recorded("counting", "reviews", "n-grams, 9–16: test")[0] - 2.1431) < 0.0001
# abs(recorded("counting", "reviews", "n-grams, 33–64: test")[0] - 2.2102) < 0.0001
# recorded("positions", "reviews", "rotary, 65–128: test").max() < 2.2
# recorded("counting", "reviews", "n-grams, 65–128: test")[0] > 2.2
# all(
#     apart(
#         recorded("positions", "reviews", f"{arm}, 129–256: test"),
#         recorded("positions", "reviews", f"{arm}, 33–64: test"),
#     )
#     for arm in ("no positions", "waves", "rotary")
# )
# recorded("counting", "reviews", "n-grams, 129–256: test")[0] < 2.3
# all(
#     abs(
#         recorded("longer", "reviews", f"waves, {part}: test")
#         / recorded("longer", "reviews", f"rotary, {part}: test")
#         - 1
#     ).max()
#     < 0.01
#     for part in ("1–8", "9–16", "17–32", "33–64")
# )
# recorded("longer", "reviews", "waves, 65–128: test").min() > 5
# not apart(
#     recorded("longer", "reviews", "no positions, 129–256: test"),
#     recorded("longer", "reviews", "rotary, 129–256: test"),
# )
# recorded("longer", "reviews", "rotary, 65–128: test").max() < 2.2

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) From 9 to 64 first: who is ahead of counting, and where more? Then the right: what
# is "no maximal length" worth?

# %% [markdown] slideshow={"slide_type": "slide"}
# ## More weights, the same work: a mixture of experts
#
# More weights can store more, but a wider feed-forward network also multiplies more for each
# token. In a **mixture of experts** several such networks, $\mathrm{FFN}_1$, $\mathrm{FFN}_2$,
# …, stand side by side, and a **router** with the matrix $W_r$ sends each token to one or a
# few, here one. The weights grow with the number of experts, the work for a token hardly does.
#
# $$p = \mathrm{softmax}(x W_r) \qquad i = \arg\max_j\, p_j \qquad y = p_i\,\mathrm{FFN}_i(x)$$
#
# **Predict:** one SwiGLU of our decoder, 64 × 128, against four with a router. How many
# weights, how many multiplications for a token?

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "nbval-check-output"]
weights, to_route = 3 * 64 * 128, 64 * 4  # three matrices; the router's
for name, experts, more in (("one network", 1, 0), ("four experts", 4, to_route)):
    stored, computed = experts * weights + more, weights + more
    print(f"{name:12} {stored:6,} weights, {computed:6,} multiplications for a token")

# %% [markdown] slideshow={"slide_type": "skip"}
# Four times the weights cost 1 % more multiplications; but all of them have to be stored. This
# is the router of the Switch Transformer. The choice $i$ is a whole number and has no gradient.
# The router learns through the probability $p_i$, by which the output is multiplied (the
# *gate*).
#
# Nothing forces the router to use all experts. With $N$ experts, $f_i$ is the share of the
# tokens that expert $i$ gets, and $P_i$ its mean probability over all tokens. A small part of
# the **load-balance loss**
#
# $$L = N \sum_{i=1}^{N} f_i\, P_i$$
#
# is added to the training loss (times 0.01 in the paper). It is 1 where all $f_i$ are equal,
# and $N$ where one expert gets every token with probability 1. $f_i$ is a count; the gradient
# reaches the router through $P_i$, and lowers the probability of experts with a large share.

# %% [raw]
# given(4, 0.01)
# near((3 * 64 * 128 + 64 * 4) / (3 * 64 * 128) - 1, 0.01, 0.005)
# near((4 * 3 * 64 * 128 + 64 * 4) / (3 * 64 * 128), 4, 0.02)

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes; the exercise is homework, 9 minutes) Which weights of the block are computed for a
# token? Attention, the router, one of four networks. What does not get smaller? The memory.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 06d.7 · Route each token
#
# Homework. Complete `mixture_of_experts`, in NumPy, with $L = N \sum_i f_i P_i$. Each expert
# computes its own tokens alone. `softmax` is lecture 5's.

# %% builds="lectures.lecture_06d.mixture_of_experts" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
mixture_of_experts = cu.exercises.use("06d.7", mixture_of_experts)

# %% [markdown] slideshow={"slide_type": "slide"}
# ### Without balance
#
# 1,000 random tokens have a mean of 1 in each of 64 channels. To expert 0's column of $W_r$ a
# number is added, the lean: its logit grows by about 64 times as much. If each expert has room
# for 25 % more than its equal share, the rest of its tokens is dropped: only the residual
# connection carries them on. A line has the four shares, rounded.

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
draw = np.random.default_rng(0)
tokens, router = draw.normal(size=(1_000, 64)) + 1, 0.2 * draw.normal(size=(64, 4))
router -= router.mean(axis=0)  # no lean yet
for lean in (0, 0.03, 0.1):
    leaning = router + lean * np.array([1, 0, 0, 0])
    _, shares, loss = mixture_of_experts(tokens, leaning, [lambda x: x] * 4)
    lost = np.maximum(shares - 1.25 / 4, 0).sum()
    print(f"lean {lean:4}:", shares.round(2), f"{lost:.0%} dropped, loss {loss:.2f}")

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# The more the router leans, the more tokens are dropped, and the loss says so.
#
# Without such a limit, and with a processor for each expert, all wait for the fullest. And an
# expert without tokens gets no gradient: it learns nothing. These are random tokens and an
# untrained router: whether experts make a model *better* is not measured here.

# %% [raw]
# given(25, 0.25, 1_000, 64)

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Which experts learn in the last line? Expert 0, and hardly the others: nearly no
# token reaches them. What does the balance loss do about it? It lowers expert 0's probability,
# until others get tokens to learn from.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Attention without the table of scores
#
# For $S$ tokens lecture 6 keeps $S \times S$ scores per head, since softmax divides by the sum
# of a whole row. But sums can be computed piece by piece. FlashAttention takes one block of
# keys after another and keeps per query the largest score so far, $m$, the sum so far, $\ell$,
# and the weighted values so far, $o$; they begin as $-\infty$, 0 and 0. For a block of scores
# $s_j$ and values $v_j$:
#
# $$m' = \max(m, \max_j s_j) \qquad \ell' = e^{m - m'} \ell + \sum_j e^{s_j - m'} \qquad
#   o' = e^{m - m'} o + \sum_j e^{s_j - m'} v_j$$
#
# At the end $o / \ell$ is the context vector. This is the **online softmax**
# ([Milakov and Gimelshein, 2018](https://arxiv.org/abs/1805.02867)).

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
S, block = 8_192, 128
for name, keys in (("all keys", S), (f"blocks of {block}", block)):
    size = S * keys * 2 / 2**20  # 16 bits a score
    print(f"{name:13} {S * keys:10,} scores at a time: {size:3.0f} MiB for one head")

# %% [markdown] slideshow={"slide_type": "skip"}
# The factor $e^{m - m'}$ replaces the old maximum by the new one in what was summed before. The
# result is exact, not an approximation, and needs as many products of queries and keys as
# before (in training more: the backward pass computes the scores again). FlashAttention takes
# the queries in blocks, too. Its paper attributes the gain in time to memory traffic: the
# scores stay in the small fast memory of the GPU and are not written to the large one. This is
# not measured here; in NumPy, on a CPU, the loop may well be slower.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes; the exercise is homework, 9 minutes) Scores 1, then 3: the sum 1 becomes e to the
# −2, plus 1. What if the second score is smaller? Then the factor is 1.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 06d.8 · Softmax, block by block
#
# Homework. Complete `attention_by_blocks`, in NumPy, also for scores of a thousand. Never keep
# the scores of all blocks.

# %% builds="lectures.lecture_06d.attention_by_blocks" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
attention_by_blocks = cu.exercises.use("06d.8", attention_by_blocks)

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
q, k, v = draw.normal(size=(3, 200, 16))
for scale in (1, 1_000):
    whole, _ = scaled_dot_product(scale * q, k, v)
    off = np.abs(attention_by_blocks(scale * q, k, v, block=32) - whole).max()
    print(f"queries times {scale:5,}: equal to 1e-6: {off < 1e-6}")

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Where it stands today
#
# - Llama 3, Mistral 7B and Qwen 2 have all four parts.
# - Mixtral sends each token to two of eight experts in each layer: of 47 billion weights, 13
#   billion compute for a token ([Jiang et al., 2024](https://arxiv.org/abs/2401.04088)).
# - For longer texts RoPE's angles are scaled ([Chen et al.,
#   2023](https://arxiv.org/abs/2306.15595)).
# - Your decoder is a small Llama: with your weights, KerasHub's writes the same. The page *From
#   your layer to a preset*, `lectures/presets.md`, shows it.

# %% [raw]
# given(2, 8, 47, 13)

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) One sentence a line.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Summary
#
# - With rotated queries and keys only the distance of two positions enters the score.
# - RMSNorm is LayerNorm without mean and shift; SwiGLU has a gate.
# - Grouped queries shrink the cache of keys and values.
# - Test a cache against the whole sequence, from the second token on.
# - Temperature changes how steep the distribution is, top-p how many words may come.
# - Compare with no positions and with counting, and say after how much training.
# - Experts add weights at nearly the same work per token, and need a balanced load.
# - Exact attention needs the scores of one block of keys at a time, not all.

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) By our figures, rotary positions come first: ahead after 200 batches, level with
# waves after 600, and better than waves beyond 64 either way. At the far end counting wins
# all the same.

# %% [markdown] slideshow={"slide_type": "skip"}
# **Papers.** Su et al., [*RoFormer: enhanced Transformer with rotary position
# embedding*](https://arxiv.org/abs/2104.09864) (2021) · Zhang and Sennrich, [*Root mean square
# layer normalization*](https://arxiv.org/abs/1910.07467) (2019) · Shazeer, [*GLU variants
# improve Transformer*](https://arxiv.org/abs/2002.05202) (2020) · Fedus et al., [*Switch
# Transformers*](https://arxiv.org/abs/2101.03961) (2021) · Dao et al.,
# [*FlashAttention*](https://arxiv.org/abs/2205.14135) (2022)
