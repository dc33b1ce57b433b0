# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   title: One-dimensional convolution
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] slideshow={"slide_type": "slide"} tags=["title"]
# # One-dimensional convolution
#
# **Lecture 4** · a short filter that reads every place of a text at once
#
# *Most phrases that matter are a few words wide. Why walk there?*

# %% [markdown] slideshow={"slide_type": "notes"}
# Read a long review aloud, slowly, then ask: *which words did you need?* Three or four, next to
# each other: "was never dull". An LSTM carries its state through every other word to keep them.
# Today's network does not walk. It lays a short filter over all places at the same time and
# asks whether the phrase is there. What it wins by that is speed; what it loses is the lecture.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What you will be able to do
#
# 1. run a convolution by hand, in NumPy and in Keras, with every padding, stride and dilation
# 2. compute how many words a stack of layers sees
# 3. say which questions a filter with a maximum can answer, and which it only seems to
# 4. keep pads out of a convolutional network
# 5. join convolution and recurrence, for reviews and for moving pictures

# %% [markdown] slideshow={"slide_type": "skip"}
# **You need** lectures 1 to 3 (embeddings, the recurrent loop, masks, LSTM and GRU). **It
# takes** about ninety minutes to read. Running it takes under a minute in the quick profile, on
# any laptop; the full profile trains every model that the tables below show.
#
# A cell that begins with the name of a file holds that file's code, letter for letter: change
# it here, and the cells below use your version.

# %% [markdown] slideshow={"slide_type": "notes"}
# The third point is the heart of it: we will see a network solve a task that it should not be
# able to solve, and find out how it cheats. Ask who has used a convolution on pictures before.
# Here it is the same thing with one axis less, and one trouble more: texts have pads.

# %% slideshow={"slide_type": "skip"} name="start"
import course_utils as cu

session = cu.start(seed=0)  # before Keras is imported, so that its backend starts quietly
LECTURE = "04_conv1d"

import warnings

import keras
import numpy as np
from keras import layers

from course_utils.data.base import one_of, whole_number
from course_utils.lectures.lecture_04 import count_windows, load_motion, receptive_field

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Where the last lecture stands
#
# The LSTM of lecture 3 reads all of this, word after word, and waits for each step:

# %% slideshow={"slide_type": "-"}
reviews = cu.data.load_reviews()
words = len(reviews.vocabulary)
kinds = ("plain", "negation", "turn", "far")
lengths = np.count_nonzero(reviews.test.inputs, axis=1)
for kind in kinds:
    mean_length = lengths[reviews.test.columns["phenomenon"] == kind].mean()
    print(f"{kind:9} {mean_length:4.0f} words, of which about five carry the verdict")

# %% [markdown] slideshow={"slide_type": "-"}
# Some ninety steps for *far*, one behind the other, to find one phrase, each waiting for the
# last.

# %% [markdown] slideshow={"slide_type": "skip"}
# Is that a fair picture of what the LSTM does? It needs every step because its state is the
# only road from the first word to the last. Most of these steps carry something past words that
# do not matter. A reader who knows which phrases to look for needs no road: he looks everywhere
# at once, and asks only whether one of them is there. That is a weaker question, and this
# lecture is about how far one gets with it.
#
# The four kinds of review are those of lecture 2: *plain* verdicts, *negated* ones ("never
# dull"), a *turn* (two opposite verdicts, of which the later one counts) and *far* (one verdict
# at the start, then 60 words or more about popcorn and seats). The kind is a column of the data
# which no model sees.

# %% [markdown] slideshow={"slide_type": "notes"}
# Ask: *what would you do with the text of a whole book and one evening?* Nobody reads word by
# word; you scan for phrases. Gates made the long walk possible, they did not make it short: 120
# words are 120 steps that cannot be done at the same time.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The idea: a window that slides

# %% slideshow={"slide_type": "-"}
cu.figures.show("04_window")

# %% [markdown] slideshow={"slide_type": "-"}
# $$y_t = b + \sum_j x_{t \cdot s + j \cdot d}\, K_j$$

# %% [markdown] slideshow={"slide_type": "skip"}
# $K$ is the **kernel**: a matrix $K_j$ for each place $j$ of the window, (channels, filters).
# Each word of the window is multiplied by the matrix of *its* place, and all are added up. The
# **stride** $s$ says how far the window moves from one answer to the next, the **dilation** $d$
# how far apart the words of a window stand; both are 1 unless said otherwise. Here $t$ and $j$
# count from 0, as the code does.
#
# The same $K$ serves at every place. So the number of parameters has nothing to do with the
# length of the text, as in the recurrent loop. But no answer needs another one: all of them can
# be computed at the same time.

# %% [markdown] slideshow={"slide_type": "notes"}
# Slide a strip of paper with a hole over a sentence on the board. *What changes from place to
# place?* Only what stands in the hole; the filter stays. Then ask what the maximum throws away:
# the place. Note that inside the window order counts: "never was dull" gets another answer.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## By hand: one channel, one filter
#
# $x = 3, 1, 0, 2, 5$ and $K = 1, 0, -1$: each answer is "first minus third"
#
# $$y_0 = 3 - 0 = 3 \qquad y_1 = 1 - 2 = -1 \qquad y_2 = 0 - 5 = -5$$

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
x, K = np.array([3, 1, 0, 2, 5]), np.array([1, 0, -1])
for t in range(len(x) - len(K) + 1):
    window = x[t : t + len(K)]
    print(f"window {window} -> {window @ K:+d}")
print("numpy.convolve flips the kernel:", np.convolve(x, K, "valid"))

# %% [markdown] slideshow={"slide_type": "-"}
# Deep learning does **not** flip the kernel. Mathematics calls this *cross-correlation*.

# %% [markdown] slideshow={"slide_type": "notes"}
# Five numbers, a window of three: three answers. *How many with a window of five? Of six?* One;
# none, and that must be an error, not an empty result. The last line shows why people are
# confused by the word: signal processing turns the kernel round. A learned kernel does not
# care, but your comparison with SciPy will.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Ten lines of NumPy

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
generator = np.random.default_rng(0)
steps, channels, filters, kernel = 9, 4, 5, 3
x = generator.normal(size=(steps, channels))
K = generator.normal(size=(kernel, channels, filters))
b = generator.normal(size=filters)
count = steps - kernel + 1
y = np.zeros((count, filters)) + b
for j in range(kernel):
    y += x[j : j + count] @ K[j]
print("one place of the window:", x[0:count].shape, "@", K[0].shape, "->", y.shape)

# %% [markdown] slideshow={"slide_type": "-"}
# The loop runs over the **three places of the window**, not over the text: every product does
# all the steps at once. In the recurrent loop this was impossible.

# %% [markdown] slideshow={"slide_type": "skip"}
# The library's version adds stride, padding and dilation. These functions are the ones that the
# course's tests hold against Keras.

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_04.PADDINGS"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_04.width"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_04.output_length"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_04.pads"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_04.convolve"
# filled by the build

# %% [markdown] slideshow={"slide_type": "notes"}
# Let the room say what the loop of lecture 2 ran over: the steps of the text. Here it runs over
# the kernel, three rounds for a text of any length. That is the whole reason for the speed.
# Parameters: kernel times channels times filters, and a bias for each filter: 3·4·5 + 5 = 65.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Three paddings: what happens at the ends
#
# | padding | zeros | answers | use |
# | --- | --- | --- | --- |
# | `valid` | none | S − k + 1 | only whole windows |
# | `same` | on both sides | S | keep the length |
# | `causal` | all on the left | S | never look ahead |
#
# With dilation $d$ a kernel spans $e = (k - 1) \cdot d + 1$ words: put $e$ in place of $k$.
# With stride $s$ keep every $s$-th window.

# %% [markdown] slideshow={"slide_type": "skip"}
# `same` adds $\max((\lceil S/s \rceil - 1) \cdot s + e - S,\; 0)$ zeros in all, half of them,
# rounded down, on the left. With stride 1 that is $e - 1$ and does not depend on $S$. With
# larger strides it does, and this will bite us when pads come into play.
#
# Keras refuses one combination, strides *and* dilation above 1, and says so in a `ValueError`.
# Our NumPy version computes it; you will hardly ever miss it.

# %% [markdown] slideshow={"slide_type": "notes"}
# Draw five words and a window of three, and let them place the zeros. Causal is for tasks in
# which the future must stay hidden: forecasting, writing. *Which padding would you take to
# judge a finished review?* Any; but they do not treat the edges alike, and a network notices.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The same in Keras, equal

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
x = generator.normal(size=(2, 23, 4)).astype("float32")
worst, tried = 0.0, 0
for padding in PADDINGS:
    for stride, dilation in [(1, 1), (2, 1), (3, 1), (1, 3)]:
        with cu.full_precision():
            layer = layers.Conv1D(
                5, 4, stride, padding, dilation_rate=dilation, bias_initializer="normal"
            )
            theirs = keras.ops.convert_to_numpy(layer(x))
        K, b = layer.get_weights()
        ours = convolve(x, K, b, stride, padding, dilation)
        worst, tried = max(worst, np.abs(ours - theirs).max()), tried + 1
print("kernel K", K.shape, " bias b", b.shape, " output", ours.shape)
print(f"{tried} combinations, all under 1e-5:", worst < 1e-5)

# %% [markdown] slideshow={"slide_type": "skip"}
# Keras keeps the kernel as (kernel, channels, filters), in the order of the words and not
# flipped. Other sources differ: PyTorch has (filters, channels, kernel), and wants the sequence
# as (batch, channels, steps).

# %% [markdown] slideshow={"slide_type": "notes"}
# Weight transfer again: two arrays, twelve combinations, no secret left. *What would break if
# Keras flipped?* Every line but those with a symmetric kernel. Ask for the number of parameters
# of Conv1D(32, 7) on 128 channels; that is exercise 04.1.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### A kernel wider than the text

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
try:
    output_length(5, kernel=7)
except ValueError as error:
    print("ValueError:", error)

# %% [markdown] slideshow={"slide_type": "-"}
# Keras says so too, but only if it knows the length while the model is built. With
# `Input((None,))` the error comes later, in the middle of an epoch, at the first short batch:
# ask `output_length` for your shortest text beforehand.

# %% [markdown] slideshow={"slide_type": "notes"}
# This happens in practice: the slides' network needs 41 words, and with batches of texts of
# like length a batch of short reviews comes along. With everything padded to 500 nobody
# notices. *How many words does conv 7, pool 5, conv 7 need?* 7 answers after pooling, so 35
# after the first convolution, so 41.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## How far does a stack see?

# %% slideshow={"slide_type": "-"}
cu.figures.show("04_receptive")

# %% [markdown] slideshow={"slide_type": "notes"}
# Follow the lines from the top down and count the black dots. *Why does the second convolution
# of 3 on the left add four words and not two?* Behind the pooling one step stands for two
# words. On the right the holes do it. Both see eight words with very few weights.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### The receptive field, computed
#
# The **receptive field** is what one answer sees; the jump, how many words apart neighbours
# stand. Both start at 1. Each layer: add $(e - 1) \cdot \text{jump}$, then multiply the jump by
# its stride.

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
stacks = {
    "one convolution of 5": [(5, 1, 1)],
    "six convolutions of 3": [(3, 1, 1)] * 6,
    "slides: 7, pool 5, 7": [(7, 1, 1), (5, 5, 1), (7, 1, 1)],
    "six of 3, dilation 1 … 32": [(3, 1, 2**k) for k in range(6)],
}
for name, stack in stacks.items():
    print(f"{name:26} {receptive_field(stack):4} words")

# %% [markdown] slideshow={"slide_type": "-"}
# Depth alone adds, pooling multiplies, doubling dilation doubles with every layer.

# %% [markdown] slideshow={"slide_type": "notes"}
# Compute the third line together: 7, then 4 more by the pooling, then 6 times 5: 41. *Does the
# LSTM have a receptive field?* All words before; whether it uses them is another question, as
# lecture 2 showed. Keep the number 41: it is about to mislead us.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Does this phrase occur anywhere?


# %% slideshow={"slide_type": "-"}
def compute_padding_mask(ids):
    """1 for a word, 0 for a pad: (batch, words, 1)."""
    padding_mask = keras.ops.expand_dims(keras.ops.not_equal(ids, 0), -1)
    return keras.ops.cast(padding_mask, keras.config.dtype_policy().compute_dtype)


def phrase_net(vocab_size, kernel_size=5, size=16, filters=32, dropout=0.0, name=None):
    """One convolution and a maximum over all whole windows: ids -> probability of praise."""
    ids = keras.Input((None,), dtype="int32")
    x = layers.SpatialDropout1D(dropout)(layers.Embedding(vocab_size, size)(ids))
    x = layers.Conv1D(filters, kernel_size, activation="relu")(x)
    last_is_real = compute_padding_mask(ids)[:, kernel_size - 1 :]
    x = layers.GlobalMaxPooling1D()(x * last_is_real)
    x = layers.Dropout(dropout)(x)
    verdict = layers.Dense(1, activation="sigmoid", dtype="float32")(x)
    return keras.Model(ids, verdict, name=name or f"phrase_{kernel_size}")


# %% [markdown] slideshow={"slide_type": "skip"}
# **Why these lines.** A window counts if its *last* word is real: pads stand behind the text,
# so the words before it are real too. The ReLU makes every answer at least 0, so that 0 times a
# window is "not there" and never the maximum. What happens without such care is shown further
# down. The dropout is off here; real reviews will need it.

# %% [markdown] slideshow={"slide_type": "notes"}
# Five lines of network. Ask what comes out of the maximum: 32 numbers, one a filter, "how
# strongly does your phrase occur, wherever it is". The Dense layer weighs the 32 findings.
# Where the phrase stood, and what came first, is gone by then.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Predict before you run
#
# Windows of one word, and of five. Then one maximum over the whole text.
#
# | | 1 word: your guess | 5 words: your guess |
# | --- | --- | --- |
# | plain | | |
# | negation: "was never dull" | | |
# | turn: the *later* of two verdicts counts | | |
# | far: one verdict, 100 words ago | | |

# %% [markdown] slideshow={"slide_type": "notes"}
# Have eight numbers written down. Two questions help: *does the maximum care how far away the
# phrase is?* And: *can it know which of two phrases came last?* Nearly everybody writes 1.00
# for far and 0.50 for turn in the right column. Leave the guesses on the board.


# %% slideshow={"slide_type": "skip"}
def train_and_evaluate(make, data, epochs, loss="binary_crossentropy", threshold=0.5):
    """Make a network, train and record it; return it, and its accuracy by phenomenon."""
    keras.utils.set_random_seed(session.seed)
    model = make()
    metrics = [keras.metrics.BinaryAccuracy("accuracy", threshold=threshold)]
    model.compile(keras.optimizers.Adam(5e-3), loss, metrics=metrics)
    batches = [cu.data.length_buckets(part, 64) for part in (data.train, data.val)]
    run = cu.training.fit(model, batches, epochs, source=data.source)
    scores = model.predict(data.test.inputs, batch_size=500, verbose=0)[:, 0]
    right = (scores > threshold) == data.test.targets
    kind = data.test.columns["phenomenon"]
    found = {name: float(right[kind == name].mean()) for name in kinds}
    run.record(LECTURE, dataset=data.name, test_accuracy=right.mean(), **found)
    return model, found


# %% slideshow={"slide_type": "skip"}
def spread(values):
    """The mean, and the range where the seeds differ."""
    ends = [f"{end(values):.2f}" for end in (min, max)]
    return f"{np.mean(values):.2f}" + (
        f" ({ends[0]} to {ends[1]})" if len(set(ends)) > 1 else ""
    )


def recorded(models, metrics=kinds, dataset="reviews"):
    """The recorded runs as a table: mean of the seeds, and range."""
    rows = []
    for name, label in models.items():
        runs = cu.results.load(LECTURE, name, dataset)
        values = {metric: [run["metrics"][metric] for run in runs] for metric in metrics}
        rows.append({"model": label, **{name: spread(v) for name, v in values.items()}})
    return cu.results.Table(rows)


# %% [markdown] slideshow={"slide_type": "subslide"}
# ### The run

# %% slideshow={"slide_type": "-"}
accuracy = {}
epochs = session.pick(quick=3, full=12)
phrase, accuracy["5 words"] = train_and_evaluate(lambda: phrase_net(words), reviews, epochs)

# %% [markdown] slideshow={"slide_type": "notes"}
# Seconds, not minutes. While it runs, ask again for the guess on turn, and for the reason.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### The guesses on the board, and this run

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
cu.plotting.bars(accuracy, chance=0.5, title="windows of five words, this run")

# %% [markdown] slideshow={"slide_type": "notes"}
# Negation and far are as predicted: the phrase is there or it is not, and no distance counts.
# Then the third bar. *How can a maximum over windows of five words know which verdict came
# last?* Let the silence stand. Somebody may say "the network is smarter than we think". It is
# not; the next slides find out.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Recorded: one word against five, three seeds (range)

# %% slideshow={"slide_type": "skip"}
if session.profile == "full":
    train_and_evaluate(lambda: phrase_net(words, kernel_size=1), reviews, epochs=12)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
recorded({"phrase_1": "windows of 1 word", "phrase_5": "windows of 5 words"})

# %% [markdown] slideshow={"slide_type": "-"} claims=["recorded('phrase_1', 'reviews', 'negation').max() < 0.75", "recorded('phrase_5', 'reviews', 'negation').min() > 0.97", "recorded('phrase_5', 'reviews', 'turn').min() > 0.9"]
# Order *inside* a window is read: negation needs five words, not one. And **turn** is solved,
# which it should not be.

# %% [markdown] slideshow={"slide_type": "skip"}
# With windows of one word this is a bag of words with a maximum in place of a count. It cannot
# know *which* adjective the "never" belongs to, but it can learn that a "never" is somewhere in
# the text: a filter that answers to "never" as loudly as to "dull" says nothing new about
# "dull" once a "never" has been seen. That is worth a little, and so negation comes out above
# one half. It is not reading. Windows of five words read all of it. *Far* is hard for single
# words in another way: "dull" alone does not say whether the acting or the popcorn was dull.
#
# **"Global maximum pooling loses all order"** is therefore half true. It loses the order
# *between* windows. Inside a window every place has its own matrix $K_j$, and order is all
# there.

# %% [markdown] slideshow={"slide_type": "notes"}
# First row: one word a window is a bag of words with a maximum; negation is little better than
# a guess, and so is far, where a dull popcorn sounds like a dull film. "Global maximum loses
# all order" is half true: it loses the order between windows. Then the riddle in the
# last-but-one column. Where could the information come from?

# %% [markdown] slideshow={"slide_type": "slide"}
# ## It reads the edges
#
# - a turned review **begins** with its first verdict: "The plot was clever. …"
# - so "clever" is the fourth word, and never the *last* word of a window of five
# - every other verdict is the last word of some window
# - a filter on "?? the plot was clever" fires for all verdicts **but the first**
#
# So take the edge away: 45 words of filler or more before the first verdict of every review,
# and after the last one of a turn.

# %% [markdown] slideshow={"slide_type": "skip"}
# With whole windows only (`valid`) a word near the start has fewer windows than the others.
# With `same`, zeros to the left of the first word mark the start. Either way the network learns
# *where* a verdict stands, if it stands close enough to an edge, and no receptive field tells
# you so. (A far review begins with its verdict, too. The filters that hear it there need only
# weigh less than those which hear all others.) To take the edge away we make new reviews,
# longer at both ends: the last sentences of turned and far ones are moved to the front. Only
# plain ones still end in a verdict, which agrees with their others.


# %% slideshow={"slide_type": "skip"}
def moved(text, kind, least=45):
    """Move a turned or far review's last sentences, `least` words or more, to its front."""
    if kind not in ("turn", "far"):
        return text
    behind, front = text.removesuffix(".").split(". "), []
    while sum(len(sentence.split()) for sentence in front) < least:
        front.insert(0, behind.pop())
    return ". ".join(front + behind) + "."


# %% slideshow={"slide_type": "skip"}
def framed_reviews():
    """Reviews with 45 words of filler at either end; only plain ones end in a verdict."""
    settings = {"before": (45, 50), "after": (45, 50), "after_turn": (98, 106)}
    texts = cu.data.load_reviews(form="text", far=(105, 150), **settings)
    parts = []
    for part in (texts.train, texts.val, texts.test):
        kind = part.columns["phenomenon"]
        ids = [
            texts.vocabulary.encode(cu.data.tokenize(moved(*pair)))
            for pair in zip(part.inputs, kind, strict=True)
        ]
        ids = cu.data.pad(ids, length=200)
        parts.append(cu.data.Split(ids, part.targets, columns=part.columns))
    return cu.data.Dataset(
        "framed_reviews", *parts, vocabulary=texts.vocabulary, source=texts.source
    )


if session.profile == "full":
    framed = framed_reviews()
    train_and_evaluate(lambda: phrase_net(words), framed, epochs=12)

# %% [markdown] slideshow={"slide_type": "notes"}
# Write "The plot was clever" on the board and lay the strip of paper over it: the window of
# five starts at the first word, so "clever" can be its fourth word, not its fifth. A filter
# that wants the adjective in fifth place is blind to the first verdict. That is all the trick.
# Ask: *how would you test this explanation?* Move the edge away and look.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Filler before and after: recorded, three seeds (range)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
print("windows of five words, whole windows only")
rows = [
    recorded({"phrase_5": label}, dataset=dataset).rows[0]
    for dataset, label in [("reviews", "as they are"), ("framed_reviews", "with filler")]
]
cu.results.Table([{"reviews": row.pop("model"), **row} for row in rows])

# %% [markdown] slideshow={"slide_type": "-"} claims=["near(recorded('phrase_5', 'framed_reviews', 'turn'), 0.5, 0.06)"]
# Turn falls to **guessing**, and nothing else moves. A maximum asks *whether*, not *when*.

# %% [markdown] slideshow={"slide_type": "notes"}
# This is how to treat a result that is too good: look for the leak, predict what happens when
# you close it, and test. *Is reading the edges cheating?* In real reviews the last sentence
# does carry the verdict; there it may be knowledge. But you must know that it is there.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Three ways to see more

# %% [markdown] slideshow={"slide_type": "-"}
# | | how | sees |
# | --- | --- | --- |
# | **pooling** | the slides' network: conv 7, pool 5, conv 7 | 41 words |
# | **dilation** | six causal layers of 3, dilation 1, 2, 4 … 32 | 127 words |
# | **recurrence** | conv 5, pool 5, then a GRU | all |
#
# The two verdicts of a turn stand 44 to 68 words apart.

# %% [markdown] slideshow={"slide_type": "notes"}
# Predict again, for reviews with filler: *which of the three can solve turn?* By the numbers
# the first one cannot, 41 is too short by a few words; the others can. And on the reviews as
# they are? After the last slides the room will be careful. Good.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### The blocks


# %% slideshow={"slide_type": "-"}
def convolve_real(x, padding_mask, filters, kernel_size):
    """Convolution and ReLU without the pads: they are 0 before it, and 0 after it."""
    x = layers.Conv1D(filters, kernel_size, padding="same", activation="relu")(x * padding_mask)
    return x * padding_mask


def pool_real(x, size):
    """The largest of every `size` steps, windows starting at step 0, none left out."""
    return layers.MaxPooling1D(size)(layers.ZeroPadding1D((0, size - 1))(x))


# %% [markdown] slideshow={"slide_type": "-"}
# Why `x * padding_mask` twice, and why four zeros behind? The slides on pads break each on
# purpose.

# %% [markdown] slideshow={"slide_type": "notes"}
# Two small functions in place of two layers. Promise that each of their odd details will be
# broken on purpose further down, and the damage measured. For now: they do what Conv1D and
# MaxPooling1D do, and keep the pads out.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### The slides' network, with masks and with its sigmoid
#
# | | shape | parameters |
# | --- | --- | --- |
# | Embedding(10000, 128) | S × 128 | 1,280,000 |
# | × mask, Conv1D(32, 7, ReLU), × mask | S × 32 | 28,704 |
# | 4 zeros behind, MaxPooling1D(5) | ⌈S / 5⌉ × 32 | |
# | × mask, Conv1D(32, 7, ReLU), × mask | ⌈S / 5⌉ × 32 | 7,200 |
# | GlobalMaxPooling1D | 32 | |
# | Dense(1, sigmoid) | 1 | 33 |
#
# With a **GRU** in place of the second convolution and the maximum, the loop walks over ⌈S / 5⌉
# steps that have been read already. Its mask is given by hand: `GRU(32)(x, mask=…)`.

# %% [markdown] slideshow={"slide_type": "skip"}
# The function below builds both, and more: which convolution and which pooling it uses are
# arguments, so that later on one fault at a time can be built in. The dropout is for the real
# reviews: `words_dropped` leaves out whole words, `dropout` whole components of the embedding
# and of what the maximum found.


# %% slideshow={"slide_type": "skip"}
def text_convnet(
    vocab_size,
    size=128,
    filters=32,
    kernel_size=7,
    pool=5,
    dropout=0.0,
    words_dropped=0.0,
    recurrent_units=None,
    sigmoid=True,
    convolve=convolve_real,
    pooling=pool_real,
    name="slides_network",
):
    """Judge reviews (batch, words): probability of praise, or a raw score."""
    ids = keras.Input((None,), dtype="int32")
    padding_mask = compute_padding_mask(ids)
    x = layers.Embedding(vocab_size, size)(ids)
    x = layers.Dropout(words_dropped, noise_shape=(None, None, 1))(x)
    x = layers.SpatialDropout1D(dropout)(x)
    x = convolve(x, padding_mask, filters, kernel_size)
    x, padding_mask = pooling(x, pool), pooling(padding_mask, pool)
    if recurrent_units:
        x = layers.GRU(recurrent_units)(x, mask=keras.ops.squeeze(padding_mask, -1) > 0)
    else:
        x = layers.GlobalMaxPooling1D()(convolve(x, padding_mask, filters, kernel_size))
    x = layers.Dropout(dropout)(x)
    head = layers.Dense(1, "sigmoid" if sigmoid else None, dtype="float32")
    return keras.Model(ids, head(x), name=name)


# %% [markdown] slideshow={"slide_type": "skip"}
# After pooling one step stands for five words; it is real if any of them is, and that is what
# the same pooling makes of the mask. The GRU gets this mask by hand, `mask=`: no layer in
# between would have carried it there. A GRU over 24 pooled steps takes a fifth of the steps of
# one over 120 words, and a convolution has already read the phrases for it.
#
# The third one, dilated and causal, in the manner of WaveNet:


# %% slideshow={"slide_type": "skip"}
def dilated_net(vocab_size, size=16, filters=32, dilations=(1, 2, 4, 8, 16, 32)):
    """Six causal convolutions of 3, each added to what it read: ids -> probability."""
    ids = keras.Input((None,), dtype="int32")
    x = layers.Conv1D(filters, 1)(layers.Embedding(vocab_size, size)(ids))
    for dilation in dilations:
        layer = layers.Conv1D(
            filters, 3, padding="causal", dilation_rate=dilation, activation="relu"
        )
        x = x + layer(x)
    x = keras.ops.where(compute_padding_mask(ids) > 0, x, -np.inf)
    x = layers.GlobalMaxPooling1D()(x)
    verdict = layers.Dense(1, activation="sigmoid", dtype="float32")(x)
    return keras.Model(ids, verdict, name="dilated")


# %% [markdown] slideshow={"slide_type": "skip"}
# **Why these lines.** Causal windows look left, pads stand on the right: no real word's answer
# ever holds a pad, and nothing has to be masked before the convolutions. But here `x` is a sum
# that can be negative (each layer's ReLU is *added* to what came in, as in a residual network),
# so 0 is not the least value any more: pads have to become −∞ before the maximum.

# %% [markdown] slideshow={"slide_type": "notes"}
# Check the parameters of the third line with the room: 7·128·32 + 32, which is exercise 04.1.
# *Where is nearly all of it?* In the words again. Who likes code finds the builder in the
# notebook, with two pooling calls: one pools the answers, one pools the mask, in the same way.
# And the dilated network: there, and only there, the pads become minus infinity. Ask why.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### The slides' network, this run

# %% slideshow={"slide_type": "-"}
epochs = session.pick(quick=2, full=5)
network, found = train_and_evaluate(lambda: text_convnet(words), reviews, epochs)
for kind, value in found.items():
    print(f"{kind:9} {value:.3f}")

# %% [markdown] slideshow={"slide_type": "notes"}
# These are the reviews as they are. *Turn with 41 words: seen, or guessed from the edges?* The
# figure alone does not say; the next slide sets both kinds of review side by side.

# %% slideshow={"slide_type": "skip"} tags=["headline"]
print(
    "accuracy of the slides' network with its sigmoid and its masks: "
    + ", ".join(f"{kind} {value:.2f}" for kind, value in found.items())
)


# %% slideshow={"slide_type": "skip"}
def conv_gru():
    """Convolution, pooling, GRU."""
    return text_convnet(words, size=16, kernel_size=5, recurrent_units=32, name="conv_gru")


if session.profile == "full":
    train_and_evaluate(lambda: text_convnet(words), framed, epochs=8)
    for make, epochs in [(lambda: dilated_net(words), 6), (conv_gru, 10)]:
        for data in (reviews, framed):
            train_and_evaluate(make, data, epochs)

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Turn, recorded: three seeds (range)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
names = {
    "phrase_5": "conv 5, maximum (5 words)",
    "slides_network": "slides: conv 7, pool 5, conv 7 (41)",
    "dilated": "dilated, causal (127)",
    "conv_gru": "conv 5, pool 5, GRU (all)",
}
columns = {"as they are": "reviews", "with filler": "framed_reviews"}
sides = [recorded(names, ("turn",), data).rows for data in columns.values()]
rows = [
    {"model": first["model"], "as they are": first["turn"], "with filler": second["turn"]}
    for first, second in zip(*sides, strict=True)
]
cu.results.Table(rows)

# %% [markdown] slideshow={"slide_type": "-"} claims=["recorded('slides_network', 'reviews', 'turn').min() > 0.9", "near(recorded('slides_network', 'framed_reviews', 'turn'), 0.5, 0.06)", "min(recorded(model, 'framed_reviews', 'turn').min() for model in ('dilated', 'conv_gru')) > 0.95"]
# 41 words are too few for a turn. The slides' network solves it all the same, **by the edges**,
# and is back at guessing without them.

# %% [markdown] slideshow={"slide_type": "skip"} claims=["min(recorded(model, dataset, kind).mean() for model in ('phrase_5', 'slides_network', 'dilated', 'conv_gru') for dataset in ('reviews', 'framed_reviews') for kind in ('plain', 'negation', 'far')) > 0.97"]
# "Beyond its 41 words a network sees nothing" is true, and still the wrong conclusion was drawn
# from it: that it could not solve turn. Pads and the start of a text are *seen*; they tell a
# filter where it stands. With filler around, all kinds of review but turn stay at what they
# were:

# %% slideshow={"slide_type": "skip"}
recorded(names, dataset="framed_reviews")

# %% [markdown] slideshow={"slide_type": "skip"}
# What should you take from this? Three things.
#
# - The receptive field says what *one answer* can see. What the whole network knows is more:
#   which answers exist at all, and which of them hold a zero from beyond the edge.
# - A result that is better than the argument allows is worth an hour. Here the argument was
#   right, and the data had a back door: every turned review begins with its first verdict.
# - Whether edges are a leak or knowledge depends on the task. The last sentence of a real
#   review often does hold its verdict. But if your texts will be cut, joined or quoted, a
#   network that counts from the edge will fail where one that reads does not.

# %% [markdown] slideshow={"slide_type": "notes"}
# Read by rows. The dilated one and the one with a GRU do not need the edges: they see both
# verdicts. *Which of the three would you take?* By accuracy there is nothing to
# choose here; by time there is, later. And say it plainly: a test set with the same leak as the
# training set can never show such a thing.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The missing sigmoid
#
# The slides' listing ends in `Dense(1)` and trains with `binary_crossentropy`. The loss takes
# the raw score for a probability.

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
scores = np.linspace(-2, 3, 201)
as_chance = np.clip(scores, 1e-7, 1 - 1e-7)
figure, axis = cu.plotting.figure(8.5, 2.9)
axis.plot(scores, -np.log(as_chance), label="raw score taken as a probability")
axis.plot(scores, np.log1p(np.exp(-scores)), label="sigmoid first, or from_logits=True")
axis.set(xlabel="score of a review that praises", ylabel="loss", ylim=(-0.5, 17))
axis.legend()
cu.plotting.show(
    figure,
    "Loss of a praising review against its raw score. Taken as a probability, the loss is flat "
    "at 16.1 for every score below 0 and flat at 0 above 1: no slope, nothing to learn from. "
    "With a sigmoid it falls smoothly from 2.1 at score -2 to 0.05 at 3.",
)

# %% [markdown] slideshow={"slide_type": "skip"}
# Keras clips what it takes for a probability to the range from 1e-7 to 1 − 1e-7. A score below
# 0 costs 16.1 if the review praises, whatever the score is: the slope is 0, and a review that
# is judged *most* wrongly teaches nothing. There are two right ways.
#
# - `Dense(1, activation="sigmoid")` with `"binary_crossentropy"`, and 0.5 as the border
# - `Dense(1)` with `BinaryCrossentropy(from_logits=True)`, and **0** as the border: a score of
#   0 is a probability of one half, so `BinaryAccuracy(threshold=0.0)`
#
# The second is safer in 16 bits, because the loss never sees a probability rounded to 0 or 1.
#
# **Why this line:** `BinaryAccuracy(threshold=threshold)`. The word `"accuracy"` alone takes
# 0.5 as the border for every binary loss, raw scores included: a score of 0.3 is a probability
# of
# 0.57, and would be counted as blame.


# %% slideshow={"slide_type": "skip"}
def scoring(name):
    """The slides' network, masked, without its sigmoid."""
    return text_convnet(words, sigmoid=False, name=name)


logits = keras.losses.BinaryCrossentropy(from_logits=True)
if session.profile == "full":
    train_and_evaluate(lambda: scoring("no_sigmoid"), reviews, epochs=5)
    train_and_evaluate(lambda: scoring("from_logits"), reviews, 5, loss=logits, threshold=0.0)

# %% [markdown] slideshow={"slide_type": "notes"}
# The blue line has a slope only between 0 and 1. *Where does a network start?* Close to 0, more
# often below it, on the flat side, than above. Whether it learns then hangs on luck. The
# listing in the slides is not alone in this; the mistake is easy to find on the web, since
# nothing crashes.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### With, without, and the other right way: recorded, accuracy by seed

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
labels = {
    "slides_network": "sigmoid, binary cross-entropy",
    "no_sigmoid": "raw score, binary cross-entropy",
    "from_logits": "raw score, from_logits=True",
}
rows = []
for name, label in labels.items():
    runs = cu.results.load(LECTURE, name, "reviews")
    rows.append(
        {
            "end of the network": label,
            **{f"seed {run['seed']}": run["metrics"]["test_accuracy"] for run in runs},
            "last training loss": " / ".join(
                f"{run['history']['loss'][-1]:.2f}" for run in runs
            ),
        }
    )
cu.results.Table(rows)

# %% [markdown] slideshow={"slide_type": "-"} claims=["sum(recorded('no_sigmoid', 'reviews') < 0.55) == 1", "np.ptp(curve('no_sigmoid', 'reviews', 'loss')[recorded('no_sigmoid', 'reviews').argmin()]) < 0.001", "min(recorded(model, 'reviews').min() for model in ('slides_network', 'from_logits')) > 0.97"]
# Two seeds come through. In the third every score starts below 0: every review stands on the
# flat part, nothing has a slope, and the loss of 7.98 **never moves**.

# %% [markdown] slideshow={"slide_type": "notes"}
# *Is the sigmoid then needed?* Two of three runs say no, and that is the trap: whoever tries it
# once, with a lucky seed, keeps the listing. Let them explain the number 7.98: half of the
# reviews praise, each costs 16. Even the lucky ones give scores like 5 or −3 for a
# "probability". The last row is right, and needs 0 as its border, not one half.

# %% [markdown] slideshow={"slide_type": "skip"}
# How many networks start on the flat part? Look at some before training, each with its own
# seed: the share of reviews whose score lies below 0, where nothing can be learned from praise.

# %% slideshow={"slide_type": "skip"}
some = reviews.test.inputs[:200]
for seed in range(6):
    keras.utils.set_random_seed(seed)
    scores = keras.ops.convert_to_numpy(scoring(f"seed_{seed}")(some))
    print(
        f"seed {seed}: scores {scores.min():+.2f} to {scores.max():+.2f}, "
        f"{(scores < 0).mean():4.0%} below 0"
    )

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What can go wrong: pads

# %% slideshow={"slide_type": "-"}
cu.figures.show("04_pads")

# %% [markdown] slideshow={"slide_type": "notes"}
# Upper half: the window over "film, pad, pad" holds pads, and the windows further right hold
# nothing else. They answer all the same: the bias is always there. One of them may win the
# maximum. Ask where a mask has to act. Most say "before the maximum". That is one of two
# places.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### `mask_zero=True` does not protect a convolution

# %% slideshow={"slide_type": "-"}
ids = keras.Input((None,), dtype="int32")
vectors = layers.Embedding(words, 16, mask_zero=True)(ids)
for layer in (layers.Conv1D(32, 5), layers.MaxPooling1D(5), layers.GlobalMaxPooling1D()):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        layer(vectors)
    said = "will therefore destroy the mask information"
    told = any(said in str(warning.message) for warning in caught)
    print(f"{type(layer).__name__:18} takes a mask: {layer.supports_masking}, warns: {told}")

# %% [markdown] slideshow={"slide_type": "-"}
# The model is built and trained, with a warning that is easily lost in the log. The mask is
# gone: *"Downstream layers will not see the mask."*

# %% [markdown] slideshow={"slide_type": "skip"}
# Why does Keras not simply carry the mask through? Because it would have to decide what a step
# behind a convolution is. A window over two words and three pads: is that a word? With stride
# or pooling, the steps do not even correspond to words any more. The layer leaves the decision
# to you, and says so once, in a warning.
#
# Recurrent layers, `GlobalAveragePooling1D` and the attention of later lectures take a mask.
# Convolutions and maximum pooling do not: `supports_masking` is False, and Keras drops the mask
# at the first of them. So the mask has to be carried by hand, as our two functions do.

# %% [markdown] slideshow={"slide_type": "notes"}
# The cell catches Keras' warning and looks into it. Ask: *who reads warnings?* Then the
# consequence: a colleague's convnet with mask_zero=True is not masked. Average pooling does
# take a mask; but behind a convolution no mask arrives there any more.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### The cure, line by line
#
# 1. **before** the convolution, vectors × mask: no window reads a pad
# 2. `padding="same"`: otherwise a short text has no whole window, and a long row of pads adds
#    windows that the text alone did not have
# 3. **after** it, answers × mask: the bias of pads is silenced; behind a ReLU 0 is the least
# 4. no ReLU? Then −∞ in place of 0, before the maximum
# 5. pool from the **first** word, and drop no word at the end

# %% [markdown] slideshow={"slide_type": "skip"}
# The fifth line hides the finest trap. `MaxPooling1D(5, padding="same")` adds as many zeros as
# are missing to a multiple of five, and *half of them on the left*. How many are missing
# depends on the padded length. So one pad more shifts every window, and words that were pooled
# together no longer are. `padding="valid"` starts at the first word but drops the last S mod 5
# steps, words among them. Four zeros on the right and then `valid` does neither: windows start
# at 0, 5, 10 …, and the last few words have a window of their own.

# %% [markdown] slideshow={"slide_type": "notes"}
# Let them find line 4 by themselves: *what if all real answers are negative?* For line 2: with
# valid windows, a text that ends at the edge of the batch has fewer windows than the same text
# with pads behind. Line 5 has a picture of its own, next.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### One pad more, and every window moves

# %% slideshow={"slide_type": "-"}
cu.figures.show("04_pool_shift")

# %% [markdown] slideshow={"slide_type": "notes"}
# Upper half: ten words, pooled by five; then the same words and one pad. Which words share a
# window now? The zeros went to the left. *With how many more pads is all well again?* Five, and
# therefore fifty: a test with fifty pads passes and finds nothing. Test with one, two, three.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### The slides' listing, as it stands


# %% slideshow={"slide_type": "-"}
def slides_listing(vocab_size, sigmoid=True):
    """The network as the slides have it, no mask anywhere; its sigmoid is ours."""
    return keras.Sequential(
        [
            keras.Input((None,), dtype="int32"),
            layers.Embedding(vocab_size, 128),
            layers.Conv1D(32, 7, activation="relu"),
            layers.MaxPooling1D(5),
            layers.Conv1D(32, 7, activation="relu"),
            layers.GlobalMaxPooling1D(),
            layers.Dense(1, "sigmoid" if sigmoid else None, dtype="float32"),
        ]
    )


# %% [markdown] slideshow={"slide_type": "-"}
# No mask anywhere. Against it, the network above, and the same with **one** fault each: masked
# only after the convolution; pooling `same`; pooling `valid` without the four zeros.


# %% slideshow={"slide_type": "skip"}
def convolve_masking_once(x, padding_mask, filters, kernel_size):
    """Masked after the convolution only."""
    return (
        layers.Conv1D(filters, kernel_size, padding="same", activation="relu")(x) * padding_mask
    )


def pool_same(x, size):
    """As many zeros as are missing, half of them on the left."""
    return layers.MaxPooling1D(size, padding="same")(x)


def pool_valid(x, size):
    """Without the last steps."""
    return layers.MaxPooling1D(size)(x)


# %% [markdown] slideshow={"slide_type": "notes"}
# Three networks with one fault each, and the slides' own with no mask at all. All get the same
# weights, those that were trained above: otherwise one would compare weights, not masks. None
# has a sigmoid here, so that a score far from 0 cannot hide a change.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Largest change of a score, same weights, by number of pads added

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
candidates = {
    "the slides' listing": slides_listing(words, sigmoid=False),
    "masked after the convolution only": {"convolve": convolve_masking_once},
    "pooling “same”": {"pooling": pool_same},
    "pooling “valid”": {"pooling": pool_valid},
    "ours": {},
}
row_lengths = generator.integers(41, 49, size=(64, 1))
texts = generator.integers(2, words, size=(64, 48)) * (np.arange(48) < row_lengths)
rows, largest, added = [], {}, ["+1", "+2", "+3", "+7", "+50"]
for name, model in candidates.items():
    if isinstance(model, dict):
        model = text_convnet(words, sigmoid=False, **model)
    model.set_weights(network.get_weights())
    longer = [np.pad(texts, ((0, 0), (0, pads))) for pads in (0, 1, 2, 3, 7, 50)]
    scores = [keras.ops.convert_to_numpy(model(ids)) for ids in longer]
    changes = [np.abs(score - scores[0]).max() for score in scores[1:]]
    largest[name] = max(changes)
    numbers = [f"{change:.0e}" if change else "0" for change in changes]
    rows.append({"network": name, **dict(zip(added, numbers, strict=True))})
cu.results.Table(rows)

# %% [markdown] slideshow={"slide_type": "-"}
# **One** pad finds what **fifty** hide. Test with 1, 2, 3, 7 and 50.

# %% [markdown] slideshow={"slide_type": "skip"}
# Every row but the last has a number other than 0, and each for its own reason.
#
# - *The slides' listing*: pads take part everywhere. One or two pads more change nothing here
#   only because `valid` pooling drops them with the last incomplete window.
# - *Masked after the convolution only*: the last windows read the vectors of the pads, which
#   are as random as those of any other word. Where a text fills the whole row, there are none.
# - *Pooling "same"*: one pad moves all windows, fifty move none, because 48 and 98 leave the
#   same rest when divided by five.
# - *Pooling "valid"*: the text of 48 words loses its last three words, until pads behind it
#   complete their window.
#
# None of these networks is broken in a way that accuracy on one padded length would show.

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
print("ours changes by less than 1e-5:", largest.pop("ours") < 1e-5)
print("every other one changes by more:", min(largest.values()) > 1e-5)

# %% [markdown] slideshow={"slide_type": "notes"}
# Third row, last column: fifty pads show nothing, one pad does. Whoever tests padding with a
# round number tests nothing. The second row is the answer to "isn't one mask enough?". The
# listing is trained and used with padding to 500 always, so nobody sees the fault; it appears
# the day somebody pads to another length, and no error tells.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Which words do the filters fire on?

# %% slideshow={"slide_type": "skip"}
table, K, b, weights, _ = phrase.get_weights()
inputs = reviews.test.inputs[:600]
answers = np.maximum(convolve(table[inputs], K, b), 0)
answers *= inputs[:, len(K) - 1 :, None] > 0  # whole windows only, as in the network
windows = np.lib.stride_tricks.sliding_window_view(inputs, len(K), axis=1)


def top_phrases(number, count=3):
    """The different windows that make filter `number` answer the loudest."""
    answer = answers[..., number].ravel()
    loudest = windows.reshape(-1, len(K))[np.argsort(-answer)[:2000]]
    phrases = dict.fromkeys(reviews.vocabulary.decode(window) for window in loudest)
    return list(phrases)[:count]


# %% slideshow={"slide_type": "-"} tags=["hide-input"]
pull = weights[:, 0] * answers.max(axis=(0, 1))  # how far each can push the verdict
order = np.argsort(pull)
rows = [
    {"filter": int(number), "speaks for": side, "loudest windows": " · ".join(phrases)}
    for side, chosen in [("praise", order[:-4:-1]), ("blame", order[:3])]
    for number, phrases in ((n, top_phrases(n)) for n in chosen)
]
cu.results.Table(rows)

# %% [markdown] slideshow={"slide_type": "skip"}
# A filter's weight in the last layer says which side it speaks for; the product of that weight
# and its loudest answer, how far it can push the verdict. The three that push hardest each way
# are shown with the windows of this course's test reviews that they answer loudest. Our own
# NumPy convolution computes the answers, with Keras' weights.

# %% [markdown] slideshow={"slide_type": "notes"}
# Read the rows and name each filter in a word. Some fire on a bare adjective, some on "was
# never" followed by its opposite. *Why does a filter of five words care so little for the other
# words?* Nothing in the task makes "plot" differ from "script". This is the nicest thing about
# a filter with a maximum: you can read what it looks for. Try that with an LSTM.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## In step: what moves where?
#
# Clips of twelve pictures, 12 × 12. A shape moves, and changes its mind within the clip. Name
# the motion **at every frame**.

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
motion = load_motion(train=session.pick(quick=2_000, full=4_000))
changes = np.diff(motion.test.targets, axis=1) != 0
shown = int(np.argmax(changes.sum(axis=1) == 2))  # the first clip with three motions
figure, axes = cu.plotting.figure(9, 3.6, columns=6, rows=2)
for frame, axis in enumerate(axes.ravel()):
    axis.imshow(motion.test.inputs[shown, frame, ..., 0], cmap="Greys", vmin=0, vmax=1.2)
    axis.set_title(motion.class_names[motion.test.targets[shown, frame]], fontsize=12)
    axis.set(xticks=[], yticks=[])
    axis.grid(False)
named = [motion.class_names[target] for target in motion.test.targets[shown]]
cu.plotting.show(figure, "A clip of twelve noisy pictures of one shape: " + ", ".join(named))

# %% [markdown] slideshow={"slide_type": "skip"}
# Each frame's target is the motion that brought the shape there: *still, left, right, up* or
# *down*, a pixel a frame. What leaves the canvas on one side comes in on the other, so place
# says nothing about motion, and a single picture nothing at all. The first frame has no frame
# before it: nobody can know its motion, and one in five is all there is to get.

# %% [markdown] slideshow={"slide_type": "notes"}
# This is the shape "many to many, in step" of lecture 2, with a picture at each step instead of
# a word. Cover all frames but one and ask: *which way is it moving?* Nobody can say. Uncover
# the frame before. So what does a network need? Eyes for one frame, and a memory of the last.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### A small convnet on each frame, a memory across frames


# %% slideshow={"slide_type": "-"}
def motion_net(memory, name, features=32):
    """Name the motion of every frame: (batch, frames, 12, 12, 1) -> (batch, frames, 5)."""
    clips = keras.Input((12, 12, 12, 1))
    eye = keras.Sequential(
        [
            keras.Input((12, 12, 1)),
            layers.Conv2D(8, 3, activation="relu"),
            layers.Flatten(),
            layers.Dense(features, activation="relu"),
        ]
    )
    seen = layers.TimeDistributed(eye)(clips)  # the same eye on every frame
    named = layers.Dense(5, activation="softmax", dtype="float32")(memory(seen))
    return keras.Model(clips, named, name=name)


# %% slideshow={"slide_type": "skip"}
memories = {
    "motion_frame": lambda: layers.Dense(64, activation="relu"),
    "motion_conv": lambda: layers.Conv1D(64, 2, padding="causal", activation="relu"),
    "motion_lstm": lambda: layers.LSTM(64, return_sequences=True),
}

# %% [markdown] slideshow={"slide_type": "skip"}
# `TimeDistributed` lays one and the same convnet on every frame, as an embedding is laid on
# every word. What follows is a sequence of twelve vectors, and any layer of this course can
# read it: none (each frame by itself), a causal convolution of two frames, an LSTM.
#
# The eye has no pooling here. Pooling forgets where in its window something was, which is
# welcome when a digit is to be named wherever it stands. To see a shape move by a single pixel,
# place is what you need.

# %% [markdown] slideshow={"slide_type": "notes"}
# Ask for the shapes: five axes in, (batch, 12, 32) behind the eye, (batch, 12, 5) at the end.
# *How many eyes are there?* One, used twelve times. Causal again: frame 3 must not see frame 4.
# Let them guess the accuracy of the three memories before the next slide.

# %% slideshow={"slide_type": "skip"}
by_frame = {}
for name in session.pick(quick=["motion_lstm"], full=list(memories)):
    keras.utils.set_random_seed(session.seed)
    model = motion_net(memories[name](), name)
    optimizer = keras.optimizers.Adam(5e-3, clipnorm=1.0)
    model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
    epochs, batch = session.pick(quick=(6, 32), full=(12, 64))
    run = cu.training.fit(model, motion, epochs, batch_size=batch)
    guesses = model.predict(motion.test.inputs, batch_size=500, verbose=0).argmax(axis=-1)
    by_frame[name] = (guesses == motion.test.targets).mean(axis=0)
    frames = {f"frame_{k}": float(v) for k, v in enumerate(by_frame[name], start=1)}
    run.record(LECTURE, test_accuracy=by_frame[name].mean(), **frames)

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Accuracy by frame: this run, and recorded (three seeds)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
labels = {"motion_lstm": "LSTM", "motion_conv": "two frames", "motion_frame": "one frame"}
figure, axes = cu.plotting.figure(10, 3.2, columns=2)
places = np.arange(1, 13)
axes[0].plot(places, by_frame["motion_lstm"], marker="o", markersize=3, label="LSTM, this run")
ends = []
for number, (name, label) in enumerate(labels.items()):
    runs = cu.results.load(LECTURE, name, "motion")
    frames = np.array([[run["metrics"][f"frame_{k}"] for k in places] for run in runs])
    for seed, line in enumerate(frames):
        axes[1].plot(
            places, line, color=cu.plotting.COLOURS[number], label=None if seed else label
        )
    first, rest = frames[:, 0].mean(), frames[:, 1:].mean()
    ends.append(f"{label} {first:.2f} at the first frame, {rest:.2f} on average after it")
for axis in axes:
    axis.axhline(0.2, color="#555555", linestyle="--", linewidth=1)
    axis.set(xlabel="frame", ylim=(0, 1.05))
    axis.legend(loc="center right")
axes[0].set_ylabel("accuracy")
cu.plotting.show(figure, "Accuracy by frame. Recorded: " + "; ".join(ends) + ".")

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
print("recorded:", "\n          ".join(ends))

# %% [markdown] slideshow={"slide_type": "skip"} claims=["all(near(recorded('motion_frame', 'motion', f'frame_{n}'), 0.2, 0.06) for n in range(1, 13))", "max(recorded(name, 'motion', 'frame_1').max() for name in ('motion_lstm', 'motion_conv')) < 0.3", "min(recorded(name, 'motion', f'frame_{n}').min() for name in ('motion_lstm', 'motion_conv') for n in range(2, 13)) > 0.9"]
# One frame alone stays at one in five, in every frame: a convnet sees *where*, not *whither*.
# The LSTM is at one in five in the first frame, as everybody must be, and, in the longer
# recorded runs, near one from the second on. So is a convolution of just two frames. Motion is
# a phrase of width two; nobody needs a long memory for it, and a recurrent layer has to *learn*
# to look back by one, while the convolution is built that way. It would be different if the
# motion had to be remembered while the shape is hidden.

# %% [markdown] slideshow={"slide_type": "notes"}
# Three lines: the flat one at one in five is the single frame. *Why do all start there?*
# Nothing came before. Then the honest part: the LSTM is not the winner here, two frames
# suffice. Ask for a task on these clips in which the LSTM would win: count the changes, or name
# the motion before last.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Time a step, against length

# %% slideshow={"slide_type": "skip"}
measured = cu.results.load_table(LECTURE, "step-time")
by_layer = {}
for row in measured:
    by_layer.setdefault(row["layer"], []).append((row["length"], row["milliseconds"]))
slopes = []
for layer, points in by_layer.items():
    length, taken = np.array(sorted(points)).T
    every = np.polyfit(np.log(length), np.log(taken), 1)[0]
    long = np.polyfit(np.log(length[length >= 256]), np.log(taken[length >= 256]), 1)[0]
    slopes.append({"layer": layer, "slope, all lengths": every, "slope, from 256 up": long})

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
figure, axis = cu.plotting.figure(9, 3.4)
said = []
for layer, points in by_layer.items():
    length, taken = np.array(sorted(points)).T
    axis.loglog(length, taken, marker="o", markersize=4, label=layer)
    said.append(
        f"{layer} {taken[0]:.1f} ms at {length[0]:.0f}, {taken[-1]:.1f} at {length[-1]:.0f}"
    )
axis.set_xticks(length, [f"{int(value):,}" for value in length])
axis.minorticks_off()
axis.set(xlabel="words", ylabel="milliseconds a step")
axis.legend()
cu.plotting.show(
    figure, "Milliseconds a training step against length, both logarithmic: " + "; ".join(said)
)

# %% [markdown] slideshow={"slide_type": "notes"}
# Recorded on the machine that made the tables: a training step of one layer on a batch. Both
# axes are logarithmic, so a straight line of slope 1 means "twice the words, twice the time".
# Before you go on, ask: *do you expect another slope for the convolution, or another height?*

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### The slopes

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
cu.results.Table(slopes)

# %% [markdown] slideshow={"slide_type": "-"}
# - **work** grows linearly in both: the slopes climb towards 1, there is no free lunch
# - **waiting** differs: the loop's steps queue, the convolution's do not wait for each other
# - on two cores that is a lower line; the more cores, the more it is worth

# %% [markdown] slideshow={"slide_type": "skip"}
# A slope under 1 at small lengths means that something else takes the time: starting a step,
# copying a batch. That is why the fit is made twice, over all lengths and from 256 words up.
#
# The convolution computes the same answers whatever the order in which it computes them, so
# they can be spread over as many processors as there are. The recurrent loop cannot: step 500
# needs the state of step 499. What runs side by side in *both* are the texts of a batch and the
# units of a layer. The figures here are a CPU's, whose two cores leave little to share out; a
# GPU was not measured.

# %% [markdown] slideshow={"slide_type": "notes"}
# Ask again which slope they expected. Linear work in both; the convolution has no better
# exponent, it has a better constant, and the constant is parallel. Keep this picture for
# attention in lecture 5: there nothing waits either, but the work grows with the square.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Real reviews: IMDB
#
# | | |
# | --- | --- |
# | texts | 20,000 training, 5,000 validation, 25,000 test; the last 500 words of each |
# | words | the 5,000 most frequent of the training part, as in lecture 3 |
# | against overfitting | a quarter of the words dropped; dropout 1/2 before and after |
# | training | Adam, 4e-3 falling to 0 by a cosine, batches of 128 by length, best of 8 epochs |
# | listing | the slides' own: no mask, no dropout, all texts padded to 500 |


# %% slideshow={"slide_type": "skip"}
IMDB = {"length": 500, "words dropped": 0.25, "dropout": 0.5}
IMDB |= {"learning_rate": 4e-3, "epochs": 8}
regular = {"dropout": IMDB["dropout"], "words_dropped": IMDB["words dropped"]}
convnets = {
    "slides_network": lambda: text_convnet(5_000, **regular),
    "conv_gru": lambda: text_convnet(5_000, recurrent_units=32, name="conv_gru", **regular),
    "listing": lambda: slides_listing(5_000),
}


def train_on_imdb(name):
    """Train a convnet, keep its best epoch, and read the test set once, at the end."""
    imdb = cu.data.load_imdb("ids", 5_000, IMDB["length"])
    widths = [IMDB["length"]] if name == "listing" else None  # shorter batches would hide pads
    train, val = [cu.data.length_buckets(part, 128, widths) for part in (imdb.train, imdb.val)]
    keras.utils.set_random_seed(session.seed)
    model, epochs = convnets[name](), IMDB["epochs"]
    falling = keras.optimizers.schedules.CosineDecay(IMDB["learning_rate"], epochs * len(train))
    optimizer = keras.optimizers.Adam(falling, clipnorm=1.0)
    model.compile(optimizer, "binary_crossentropy", metrics=["accuracy"])
    run = cu.training.fit(model, (train, val), epochs, patience=epochs, source=imdb.source)
    accuracy = model.evaluate(cu.data.length_buckets(imdb.test, 128, widths), verbose=0)[1]
    longer = [np.pad(imdb.val.inputs[:500], ((0, 0), (0, pads))) for pads in (0, 50)]
    before, after = [model.predict(ids, batch_size=100, verbose=0) for ids in longer]
    found = {"test_accuracy": accuracy, "moved_by_pads": float(np.abs(after - before).max())}
    run.record(LECTURE, name, "imdb", IMDB, **found)


for name in session.pick(quick=[], full=list(convnets)):
    train_on_imdb(name)

# %% [markdown] slideshow={"slide_type": "notes"}
# As in lecture 3, so that the figures can be laid side by side; nothing trains here in the
# quick profile. *Why is the listing padded to 500 and the others are not?* Without a mask its
# answers depend on the pads: in buckets it would be another network for each bucket.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Recorded on IMDB: mean of three seeds

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
titles = {
    "slides_network": (LECTURE, "slides' network, masked"),
    "conv_gru": (LECTURE, "convolution, pooling, GRU"),
    "listing": (LECTURE, "slides' listing (its sigmoid ours)"),
    "gru_32": ("03_lstm_gru", "GRU, lecture 3"),
    "lstm_32": ("03_lstm_gru", "LSTM, lecture 3"),
}
timed = cu.results.load_table("03_lstm_gru", "length-buckets-tensorflow")
by_network = {row["network"]: row for row in timed}
seconds = {
    "slides_network": by_network["two blocks of Conv1D(32, 7)"]["in buckets"],
    "conv_gru": by_network["Conv1D(32, 7), GRU(32)"]["in buckets"],
    "listing": by_network["two blocks of Conv1D(32, 7)"]["padded to 500"],
    "gru_32": by_network["GRU(32)"]["in buckets"],
    "lstm_32": by_network["LSTM(32)"]["in buckets"],
}
rows = []
for name, (lecture, title) in titles.items():
    runs = cu.results.load(lecture, name, "imdb")
    row = {"network": title}
    for label, metric in [("validation", "val_accuracy"), ("test", "test_accuracy")]:
        row[label] = "{:.3f} ± {:.3f}".format(*cu.results.mean(runs, metric))
    moves = [run["metrics"].get("moved_by_pads") for run in runs]
    row["moved by 50 pads"] = f"{max(moves):.2f}" if None not in moves else None
    rows.append(row | {"seconds an epoch": f"{seconds[name]:.0f}"})
cu.results.Table(rows)

# %% [markdown] slideshow={"slide_type": "-"} claims=["min(recorded(model, 'imdb').mean() for model in ('slides_network', 'conv_gru')) >= 0.88"]
# Looking for phrases does about as well as reading from end to end; phrases *and* a loop do
# best. The listing scores too, and is **moved by pads**.

# %% [markdown] slideshow={"slide_type": "skip"} claims=["max(recorded(model, 'imdb', 'moved_by_pads').max() for model in ('slides_network', 'conv_gru')) < 1e-5", "recorded('listing', 'imdb', 'moved_by_pads').min() > 1e-5"]
# The seconds are TensorFlow's, measured apart from the training on a quiet machine, by the
# benchmark of lecture 3. They compare networks as they stand: the convnets have embeddings of
# 128, as in the slides, the loops of 32. With equal embeddings the convnets would be faster.
#
# "Moved by 50 pads" is the largest change of a probability among 500 validation reviews when 50
# zeros are added. Ours is 0 exactly. The listing was trained and tested at one padded length,
# so its accuracy hides the fault, and it hides it from everybody who tests in the same way.
#
# On IMDB phrases are nearly everything: two blocks that look for phrases keep up with an LSTM,
# and a bag of word pairs (lecture 1) is still ahead of both. A convolution *before* the GRU
# shortens the loop to a fifth and is the best network of the two lectures on these reviews:
# phrases first, then their order.

# %% [markdown] slideshow={"slide_type": "notes"}
# Cover the last two columns first and ask which network they would hand to a customer. Then
# uncover them. *Who would have found the fault of the listing?* Only somebody who pads
# otherwise. Then the seconds: the curves of the slides before, now on real texts.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 04.1 · Parameters of a convolution
#
# How many parameters has a Conv1D layer with its bias?

# %% builds="course_utils.lectures.lecture_04.conv_parameters" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
conv_parameters = cu.exercises.use("04.1", conv_parameters)

# %% [markdown] slideshow={"slide_type": "notes"}
# Two minutes. The usual mistake is 7·32 + 32: the filter spans all 128 channels, and mixes
# them. Conv1D(32, 7) on 128 channels: 28,704. An LSTM(32) on the same channels has 20,608.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 04.2 · How many windows?
#
# A sequence of `steps` words, padding `valid`: how many windows are there with this kernel,
# stride and dilation? (All that is asked fits into the sequence.)

# %% builds="course_utils.lectures.lecture_04.count_windows" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
count_windows = cu.exercises.use("04.2", count_windows)

# %% [markdown] slideshow={"slide_type": "notes"}
# Draw the windows for 10 words, kernel 3, stride 2: they start at 1, 3, 5, 7. Rounding is the
# trap: a last start that does not fit is dropped, hence the floor.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 04.3 · A causal convolution
#
# x is (batch, steps, channels), K (kernel, channels, filters), b (filters,). Return
# (batch, steps, filters), such that no answer sees a later step. `K[-1]` meets the present one.

# %% builds="course_utils.lectures.lecture_04.causal_convolution" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
causal_convolution = cu.exercises.use("04.3", causal_convolution)

# %% [markdown] slideshow={"slide_type": "notes"}
# Let them change one word and look which answers move: a good habit for everything that must
# not see the future. Mistakes to expect: k − 1 zeros although the kernel has holes, zeros on
# both sides, the kernel turned round.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 04.4 · How far does it see?
#
# `stack` lists the layers from the words upwards, each as (kernel, stride, dilation); pooling
# by 5 is (5, 5, 1). How many words does one answer of the top layer see?

# %% builds="course_utils.lectures.lecture_04.receptive_field" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
receptive_field = cu.exercises.use("04.4", receptive_field)

# %% [markdown] slideshow={"slide_type": "notes"}
# Have them do the slides' network by hand first: 1, 7, 11, 41. Whoever adds the kernels gets
# 19, whoever forgets the jump gets 17.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 04.5 · A maximum that no pad can win
#
# x (batch, words, channels) are vectors, those of pads **not** zero; mask (batch, words) is
# True where a word is real. Convolve with K and b, padding `same`, **no** ReLU, and return the
# maximum over the real words: (batch, filters).

# %% builds="course_utils.lectures.lecture_04.largest_real_output" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
largest_real_output = cu.exercises.use("04.5", largest_real_output)

# %% [markdown] slideshow={"slide_type": "notes"}
# Both mistakes are silent: one mask after the convolution looks right, and a zero in place of
# minus infinity is right whenever some answer is positive. Ask for a test that would find each.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Summary
#
# - $y_t = b + \sum_j x_{ts + jd}\, K_j$: one kernel, at all places, at the same time
# - what a stack sees: add $(e - 1) \cdot$ jump, multiply the jump by the stride
# - a maximum asks *whether* a phrase occurs, not *when*; what looks like more may be the edges
# - wider by pooling, by dilation, or by a recurrent layer on top
# - pads: mask before and after each convolution, −∞ without a ReLU, pool from the first word
# - a loss on probabilities needs probabilities: sigmoid, or `from_logits=True`

# %% [markdown] slideshow={"slide_type": "skip"}
# **What changed since lecture 3.** There, a state walked through the text and gates decided
# what it kept. Here nothing walks: every window is read at once, and what is far apart meets
# only through depth, holes or a loop on top.
#
# **What comes next.** Both carry what they found to one fixed place: the last state, or the
# maximum. Lecture 5 asks a sentence to be translated out of such a vector, sees it fail on long
# ones, and lets every word of the output look back at all words of the input.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Papers
#
# - Waibel and others (1989), *Phoneme recognition using time-delay neural networks*
# - LeCun and others (1989), *Backpropagation applied to handwritten zip code recognition*
# - Collobert and others (2011), *Natural language processing (almost) from scratch*
# - Kim (2014), *Convolutional neural networks for sentence classification*: filter and maximum
# - Donahue and others (2015), *Long-term recurrent convolutional networks*: convnet and LSTM
# - van den Oord and others (2016), *WaveNet*: causal and dilated
# - Yu and Koltun (2016), *Multi-scale context aggregation by dilated convolutions*
# - Bai, Kolter and Koltun (2018), *An empirical evaluation of generic convolutional and
#   recurrent networks for sequence modeling*

# %% [markdown] slideshow={"slide_type": "notes"}
# Close with the question of the beginning: *which words did you need?* Then take one away: "the
# plot was clever … the acting was dull". Which came last? Whoever answers needs more than a
# filter and a maximum. And ask what you would check first if a network solved it all the same.
