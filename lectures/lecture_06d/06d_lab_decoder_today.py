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
# (1 minute) Lecture 6 built the Transformer of 2017. Llama, Mistral and Qwen are stacks
# of its decoder block with four parts replaced. Each replacement is ten to twenty lines, and
# today you write all four.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What you will be able to do
#
# 1. build rotary positions, RMSNorm, SwiGLU and grouped-query attention, and test each against
#    an independent implementation
# 2. decode with a cache of keys and values, and find a bug in one by its symptom
# 3. sample with temperature and top-p
# 4. read a fair ablation of these parts, and say what it cannot show at our size

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Read the four lines as questions: which of these words has everybody heard, and
# which of the parts has anybody built?

# %% [markdown] slideshow={"slide_type": "skip"}
# **You need** lecture 6. **It takes** about seventy minutes, of which the six exercises take
# forty.

# %% slideshow={"slide_type": "skip"} name="start"
import course_utils as cu

session = cu.start(seed=0)  # before Keras is imported, so that its backend starts quietly
LECTURE = "06d_lab_decoder_today"

import keras
import numpy as np
from keras import layers, ops

# %% slideshow={"slide_type": "skip"}
from course_utils.data.base import START
from course_utils.layers import SinusoidalPositions
from course_utils.models.transformer import token_embedding
from lectures import lecture_06d
from lectures.lecture_06 import sinusoidal_positions
from lectures.lecture_06d import GroupProjections, record
from lectures.lecture_06d.sampling import generate

generator = np.random.default_rng(0)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Rotary positions (RoPE)
#
# Lecture 6 *added* waves to the embeddings, and a shift of $p$ words was a rotation $R_p$.
# **The idea:** rotate queries and keys themselves. Query at $m$, key at $n$:
#
# $$(R_m q) \cdot (R_n k) = q^\top R_m^\top R_n\, k = q^\top R_{n - m}\, k$$
#
# The score depends on the distance $n - m$ alone, in every layer, and values stay untouched.

# %% [markdown] slideshow={"slide_type": "skip"}
# $R_p$ turns each pair of channels $(2i, 2i + 1)$ by the angle $\theta = p \cdot
# 10000^{-2i/d_k}$:
#
# $$\begin{pmatrix} x'_{2i} \\ x'_{2i+1} \end{pmatrix} =
#   \begin{pmatrix} \cos\theta & -\sin\theta \\ \sin\theta & \cos\theta \end{pmatrix}
#   \begin{pmatrix} x_{2i} \\ x_{2i+1} \end{pmatrix}$$
#
# Many libraries pair channel $i$ with channel $i + d_k / 2$ instead. That is the same function
# after a permutation of the columns of $W^Q$ and $W^K$, but weights cannot be copied from one
# convention to the other without it. (Lecture 6's $R_p$ is the transpose of this one, since its
# pairs stand as sine, cosine. For scores either direction will do, as long as queries and keys
# turn alike.)

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) Derive the formula aloud: a rotation's transpose is its inverse, so only the
# difference of the angles is left. Ask why values are not rotated. The weights decide which
# tokens are read; what is read should not depend on where it stands.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 06d.1 · Rotate
#
# Complete `rotate`. Use `ops`, so that it works inside a layer.

# %% builds="lectures.lecture_06d.rotate" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
rotate = cu.exercises.use("06d.1", rotate)

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
x = generator.normal(size=(1, 2, 6, 8)).astype("float32")
turned = ops.convert_to_numpy(rotate(x, np.arange(6)))
points = x[..., ::2] + 1j * x[..., 1::2]  # an independent way: pairs as complex numbers
angles = np.arange(6)[:, None] * 10_000.0 ** (-np.arange(0, 8, 2) / 8)
expected = points * np.exp(1j * angles)
same = np.allclose(turned[..., ::2] + 1j * turned[..., 1::2], expected, atol=1e-5)
print("equal to multiplication by e^(iθ):", same)

# %% [markdown] slideshow={"slide_type": "slide"}
# ### Does the score depend on the distance alone?
#
# One query and one key at growing distances from it, for three positions of the query; $W^Q =
# W^K = I$. **Predict:** which of the two panels has curves that lie on top of each other?

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "hide-input"]
q, k = generator.normal(size=(2, 64)).astype("float32")
distances = np.arange(0, 40)
waves = sinusoidal_positions(120, 64)
figure, axes = cu.plotting.figure(9.5, 3.0, columns=2)
spread = []
for start in (0, 20, 80):
    added = [(q + waves[start]) @ (k + waves[start + n]) / 8 for n in distances]
    at = [ops.convert_to_numpy(rotate(q[None, None, None], np.array([start])))[0, 0, 0]]
    keys = ops.convert_to_numpy(
        rotate(np.repeat(k[None, None, None], 40, 2), start + distances)
    )
    turned = keys[0, 0] @ at[0] / 8
    spread.append((added, turned))
    for axis, line in zip(axes, (added, turned), strict=True):
        axis.plot(distances, line, label=f"query at {start}", linewidth=1.5)
for axis, title in zip(axes, ("waves added to the embeddings", "rotary"), strict=True):
    axis.set(title=title, xlabel="distance of the key", ylabel="score")
axes[0].legend()
apart = np.ptp(np.array(spread), axis=0).max(axis=1)
cu.plotting.show(
    figure,
    "Score of one query and key by distance, for three positions of the query. Waves added: "
    f"the curves differ by up to {apart[0]:.2f}. Rotary: by up to {apart[1]:.4f}.",
)

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# With rotations the score depends on the distance alone; with added waves also on where in the
# text the pair stands.
#
# With added waves the score also contains products of content and position, $q \cdot PE(n)$ and
# $PE(m) \cdot k$. With rotations they do not exist. **RoPE** needs no table of positions, so no
# maximal length is built into the model. On texts longer than those seen in training models
# still get worse, unless the base or the angles are adapted.

# %% [markdown] slideshow={"slide_type": "notes"}
# (10 minutes, with exercise 06d.1) Draw one pair of channels as an arrow and turn it by hand.
# The usual mistakes are the pairing (2i with 2i + 1, not with i + d/2) and the last reshape.
# Then the vote on the two panels: on the right three curves are one.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## RMSNorm and SwiGLU
#
# $$\mathrm{RMSNorm}(x) = \frac{x}{\sqrt{\frac1d \sum_i x_i^2 + \epsilon}} \odot g
#   \qquad \mathrm{SwiGLU}(x) = (\mathrm{silu}(xW_g) \odot xW_u)\, W_d$$

# %% [markdown] slideshow={"slide_type": "skip"}
# **RMSNorm** keeps what LayerNorm turned out to need, the scale, and drops the rest: no mean is
# subtracted and no shift is added. It saves one pass over the data and $d$ weights.
#
# **SwiGLU** replaces $\max(0, xW_1)W_2$. One product is the gate, through
# $\mathrm{silu}(a) = a\,\sigma(a)$, another is what the gate multiplies. It resembles the gates
# of lecture 3, but silu is not bounded by 1 and there is no state. With three matrices instead
# of two, its width is two thirds of the usual one for the same number of weights.

# %% [raw]
# given(2 / 3)

# %% [markdown] slideshow={"slide_type": "notes"}
# (10 minutes, with exercises 06d.2 and 06d.3) Ask where we have seen one product multiplied by
# another: the LSTM's input gate and candidate. Shazeer's paper gives no reason why it works
# better; its conclusion attributes the success "to divine benevolence".

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
# Complete `call`; the three Dense layers are made for you.

# %% builds="lectures.lecture_06d.SwiGLU.call" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
SwiGLU = cu.exercises.use("06d.3", SwiGLU)

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
x = generator.normal(size=(2, 5, 8)).astype("float32")
with cu.full_precision():
    same = np.allclose(RMSNorm()(x), layers.RMSNormalization(epsilon=1e-6)(x), atol=1e-5)
    thinks, old = SwiGLU(128), keras.Sequential([layers.Dense(192, "gelu"), layers.Dense(64)])
    thinks.build((None, None, 64))
    old.build((None, None, 64))
print("RMSNorm equals keras.layers.RMSNormalization:", same)
print(f"weights at d = 64: SwiGLU {thinks.count_params():,}, GELU {old.count_params():,}")

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Fewer keys and values: grouped queries
#
# While a model writes, it keeps the keys and values of all tokens so far. For one text:
#
# $$\text{cache} = 2 \cdot \text{layers} \cdot \text{key-value heads} \cdot d_k \cdot
#   \text{tokens} \cdot \text{bytes}$$
#
# **Predict before you run:** 32 layers, 32 heads of 128, 16 bits, 8,192 tokens. How large?

# %% slideshow={"slide_type": "-"} tags=["answers-prediction"]
for name, heads in (("multi-head", 32), ("grouped queries", 8), ("multi-query", 1)):
    size = 2 * 32 * heads * 128 * 8_192 * 2
    print(f"{name:15} {heads:2} key-value heads: {size / 2**30:6.3f} GiB for one text")

# %% [markdown] slideshow={"slide_type": "skip"}
# With 32 key-value heads, one text of 8,192 tokens takes 4 GiB, and a server holds many texts.
# **Multi-query attention** lets all query heads share one pair of key and value heads
# ([Shazeer, 2019](https://arxiv.org/abs/1911.02150)), which divides the cache by the number of
# heads. **Grouped-query attention** is the compromise of most models today: groups of query
# heads share a pair ([Ainslie et al., 2023](https://arxiv.org/abs/2305.13245)).

# %% [markdown] slideshow={"slide_type": "notes"}
# (11 minutes, with exercise 06d.4) Collect guesses in megabytes; most are far too low. The
# numbers are those of a model of seven to eight billion weights. Ask what sharing takes away:
# the query heads still ask different questions, but of the same keys. In the exercise the trap
# is tile against repeat; both have the right shape.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 06d.4 · Grouped-query attention
#
# Complete `attend`: groups of $g$ = `num_heads // num_kv_heads` query heads share a key-value
# head: the first $g$ share head 0, the next $g$ head 1, and so on. Given are `self.num_heads`,
# `self.num_kv_heads`, `self.d_k`, the Dense layer `self.output_`, and lecture 6's scaled
# dot-product attention, `self.attention(query, value, key, attention_mask=mask)`.

# %% builds="lectures.lecture_06d.GroupedAttention" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
GroupedAttention = cu.exercises.use("06d.4", GroupedAttention)

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
with cu.full_precision():
    theirs = layers.GroupQueryAttention(2, 4, 2, use_bias=False)
    theirs(x, x, use_causal_mask=True)
    yours = GroupedAttention(8, num_heads=4, num_kv_heads=2, rope=False)
    yours.build(x.shape)
    query, key, value, output = theirs.get_weights()
    for layer, w in zip(
        (yours.query, yours.key, yours.value, yours.output_),
        (query.reshape(8, 8), key.reshape(8, 4), value.reshape(8, 4), output.reshape(8, 8)),
        strict=True,
    ):
        layer.set_weights([w])
    differ = yours(x) - theirs(x, x, use_causal_mask=True)
print("equal to keras.layers.GroupQueryAttention:", float(ops.max(ops.abs(differ))) < 1e-5)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Writing with a cache

# %% slideshow={"slide_type": "-"}
cu.figures.show("06_cache")

# %% [markdown] slideshow={"slide_type": "skip"}
# When the fourth word is written, the keys and values of the first three are what they were: no
# later token changes an earlier state, because of the causal mask. So each step computes one
# query, one key, one value and one row of scores. Earlier queries are not stored, because their
# outputs are already computed. An encoder has no such cache: each new word changes all states.

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Count: without a cache 1 + 2 + … + S rows pass through all layers, with it S. Ask
# what would break it: anything that lets a later token change an earlier state.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 06d.5 · Find the bug, write the step
#
# A student's decoder gives the right first token and wrong ones from the second on. **What did
# she get wrong?** Think of what differs between the first step and the second, then complete
# `step`. `self.attend` is yours; `self.project(x, positions)` gives q, k and v of tokens that
# stand at `positions`, a tensor (tokens,); `ops.slice_update(array, start, new)` writes into an
# array. Use `ops` alone: when decoding is compiled, `position` is a tensor, and no shape may
# depend on it; attend to the whole cache, under a mask.

# %% builds="lectures.lecture_06d.CachedAttention.step" slideshow={"slide_type": "skip"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
CachedAttention = cu.exercises.use("06d.5", CachedAttention)

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Token by token against all at once

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
x = generator.normal(size=(1, 6, 8)).astype("float32")


def step_by_step(layer, position_of):
    """Run `layer.step` along x; say at each token whether it equals `layer(x)`."""
    whole, cache, differ = ops.convert_to_numpy(layer(x)), layer.start(1, 6), []
    for place in range(6):
        said, cache = layer.step(x[:, place : place + 1], cache, position_of(place))
        differ.append(float(np.abs(ops.convert_to_numpy(said)[:, 0] - whole[:, place]).max()))
    return [difference < 1e-5 for difference in differ]


attend = CachedAttention(8, num_heads=4, num_kv_heads=2)
print("yours:        ", step_by_step(attend, lambda place: place))
print("the student's:", step_by_step(attend, lambda place: 0))

# %% [markdown] slideshow={"slide_type": "skip"}
# Her loop passed position 0 at every step: each token was rotated as if it were the first, and
# overwrote the first one's key. The first token hides this bug and most others, so a test of a
# cache compares with the whole sequence from the *second* token on.

# %% [markdown] slideshow={"slide_type": "notes"}
# (11 minutes, with exercise 06d.5) Take the diagnosis first, on paper. What is the same in the
# first step for nearly every bug? Position 0, an empty cache, one key: the softmax is 1
# whatever the score.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### What a cache saves (recorded): 40 words

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
ways = {"cached": "cached, ms", "again, growing": "again, growing, ms"}
ways |= {"again, padded": "again, padded, ms"}
measured = {
    f"batch {row['batch']}\nwidth {row['width']}\n{row['blocks']} blocks": row
    for row in cu.results.load_table("06_transformer", "cached-decoding")
}
cu.plotting.dots(
    {
        "": {
            way: {size: [float(row[column])] for size, row in measured.items()}
            for way, column in ways.items()
        }
    },
    ylabel="milliseconds",
    limits=(0, 750),
)

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) *Again* recomputes everything for every word. At forty words and with a small
# model that hardly matters; ask how the three colours grow with four thousand.

# %% [markdown] slideshow={"slide_type": "-"} tags=["lead"]
# With a small model a cache saves hardly anything; with more to compute it saves a factor of
# 2.7 to 5.4, depending on the size and on the baseline.
#
# Lecture 6's translator, compiled, the same words each time, one thread. *Padded* runs the
# decoder over all 40 positions for every word, *growing* over what is written so far. For one
# short text and a small model the calls themselves take most of the time. Name the baseline
# whenever you name a factor.

# %% [raw]
# near(
#     ends(
#         [
#             cell("cached-decoding", *size, f"{again} / cached", lecture="06_transformer")
#             for size in ((32, 128, 2), (8, 256, 4))
#             for again in ("padded", "growing")
#         ]
#     ),
#     [2.7, 5.4],
#     0.05,
# )

# %% [markdown] slideshow={"slide_type": "slide"}
# ## From logits to a word
#
# The softmax of the logits $z_i$, divided by a temperature $\tau$, gives the probabilities:
#
# $$p_i = \frac{e^{z_i / \tau}}{\sum_j e^{z_j / \tau}}$$
#
# **Temperature** $\tau < 1$ sharpens, $\tau > 1$ flattens. **Top-p** (nucleus sampling) keeps
# only the most probable words, as few as have together at least probability $p$. **Greedy
# decoding** takes the most probable one.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Three rules for one question: which word now? Ask what each does when one word has
# a probability of 0.9, and when a hundred words share it.

# %% [raw]
# given(0.9)

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 06d.6 · Temperature and top-p

# %% builds="lectures.lecture_06d.next_word_probabilities" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
next_word_probabilities = cu.exercises.use("06d.6", next_word_probabilities)

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"] heading="Four ways to sample"
logits = np.log([0.5, 0.25, 0.15, 0.07, 0.03])
settings = {"plain": {}, "temperature 0.5": {"temperature": 0.5}}
settings |= {"temperature 2": {"temperature": 2.0}, "top-p 0.8": {"top_p": 0.8}}
for name, how in settings.items():
    print(f"{name:16}", *np.round(next_word_probabilities(logits, **how), 2))

# %% [markdown] slideshow={"slide_type": "skip"}
# Temperature never changes the order of the words, only how unequal their probabilities are.
# Top-p keeps few words where the model is sure and many where it is not; **top-k**, its
# predecessor, keeps the same number everywhere.

# %% [markdown] slideshow={"slide_type": "notes"}
# (9 minutes, with exercise 06d.6) Let them compute top-p 0.8 by hand first: 0.5 + 0.25 is not
# enough, so the third word comes in. Which setting for a telephone number, which for a poem?

# %% [markdown] slideshow={"slide_type": "slide"}
# ## All of it together: a decoder that writes reviews
#
# `Decoder` stacks blocks of x + attention(norm(x)), x + feed-forward(norm(x)). Built from
# *your* parts, trained on the course's reviews to predict the next word.

# %% slideshow={"slide_type": "skip"} shows="lectures.lecture_06d.Decoder"
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["headline", "slide-output"]
vocabulary, rows = lecture_06d.review_rows()
keras.utils.set_random_seed(session.seed)
batches = session.pick(quick=150, full=200)
model, reached = lecture_06d.train_decoder(
    vocabulary, rows, lecture_06d.NEW, 0.006, batches, kind=Decoder, attention=CachedAttention
)
print(f"{len(vocabulary)} words; validation perplexity after {batches} batches: {reached:.2f}")

# %% slideshow={"slide_type": "-"} tags=["slide-output"]
prompt = [[START, *vocabulary.encode("the plot was".split())]]
for name, how in (("greedy", {"temperature": 0}), ("plain", {}), ("top-p 0.8", {"top_p": 0.8})):
    ids = generate(model, prompt, max_length=30, seed=1, **how)
    print(f"{name}: {vocabulary.decode(ids[0, 1:])}\n")

# %% [markdown] slideshow={"slide_type": "skip"}
# **Perplexity** is $e$ to the mean loss: the model is as uncertain as if it chose among so many
# equally probable words. `generate` calls your `step` once a token and samples as you did
# above. Greedy decoding easily runs into a loop ([Holtzman et al.,
# 2020](https://arxiv.org/abs/1904.09751)).

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) Read the texts aloud. Greedy is the same each time. Ask which sentence the grammar
# of our reviews would never have made.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Do the four parts help? A fair ablation
#
# "2018" has what was usual then: positions added (here waves), LayerNorm, GELU, keys for each
# of the four heads. Each part is changed alone, then all four, at equal tokens and each at the
# learning rate of one grid that is best on validation (seed 0).
#
# **Predict before you look:** which single change helps most at two layers and 64 channels?

# %% [raw]
# len(recorded("ablation", "reviews", "2018: test")) == 3

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "hide-input"]
runs = cu.results.load(LECTURE, "ablation")
found = {
    arm.replace(" ", "\n"): [run["metrics"][f"{arm}: test"] for run in runs]
    for arm in lecture_06d.ARMS
}
cu.plotting.dots({"": {"": found}}, ylabel="test perplexity", limits=(2.1, 2.26))

# %% slideshow={"slide_type": "skip"}
if session.profile == "full":
    record.record_all(session.seed)

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# Of the four single changes only rotary positions stand apart: each of their runs lies below
# each run of 2018, on average by 3 %.
#
# RMSNorm, SwiGLU and two key-value heads change the perplexity no more than the seed does, and
# all four together gain no more than rotary positions alone. That is no case against the other
# three: they were adopted for cost (fewer operations, a smaller cache), and SwiGLU for gains
# measured on far larger models.
#
# Know what the experiment cannot show: 200 batches of a grammar of some hundred words, and rows
# of 64 tokens. What rotary positions do for long texts, and grouped queries for memory, it does
# not test.

# %% [raw]
# recorded("ablation", "reviews", "rotary positions: test").max() < recorded(
#     "ablation", "reviews", "2018: test"
# ).min() - 0.03
# recorded("ablation", "reviews", "all four: test").max() < recorded(
#     "ablation", "reviews", "2018: test"
# ).min()
# all(
#     recorded("ablation", "reviews", arm + ": test").max()
#     > recorded("ablation", "reviews", "2018: test").min()
#     for arm in ("RMSNorm", "SwiGLU", "2 key-value heads")
# )
# recorded("ablation", "reviews", "rotary positions: test").mean() < recorded(
#     "ablation", "reviews", "all four: test"
# ).mean()
# about("ablation", "reviews", "batches")[0] == 200
# recorded("ablation", "reviews", "all four: parameters")[0] < recorded(
#     "ablation", "reviews", "2018: parameters"
# )[0]

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) Collect bets first. Then ask what the experiment cannot show: two layers, 64
# channels, a grammar of some hundred words. What decided in favour of these parts was measured
# on models thousands of times as large, and partly it was speed and memory, not quality.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Summary
#
# - Rotating queries and keys makes scores depend on distance alone, in every layer.
# - RMSNorm keeps the scale of LayerNorm; SwiGLU is a gate of two products.
# - Grouped queries shrink the cache, which is what fills the memory while a model writes.
# - Test a cache against the whole sequence, from the second token on.
# - Temperature changes how steep the distribution is, top-p how many words may come.

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) One sentence each from three tables: which part would they leave out, and what
# would they lose?

# %% [markdown] slideshow={"slide_type": "skip"}
# **Papers.** Su et al., [*RoFormer: enhanced Transformer with rotary position
# embedding*](https://arxiv.org/abs/2104.09864) (2021) · Zhang and Sennrich, [*Root mean square
# layer normalization*](https://arxiv.org/abs/1910.07467) (2019) · Shazeer, [*GLU variants
# improve Transformer*](https://arxiv.org/abs/2002.05202) (2020) · Shazeer, [*Fast Transformer
# decoding*](https://arxiv.org/abs/1911.02150) (2019) · Ainslie et al.,
# [*GQA*](https://arxiv.org/abs/2305.13245) (2023) · Holtzman et al., [*The curious case of
# neural text degeneration*](https://arxiv.org/abs/1904.09751) (2020) · Touvron et al., [*Llama
# 2*](https://arxiv.org/abs/2307.09288) (2023)
