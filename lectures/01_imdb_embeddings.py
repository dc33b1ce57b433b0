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
#   title: Words as numbers
# ---

# %% [markdown] slideshow={"slide_type": "slide"} tags=["title"]
# # Words as numbers
#
# **Counting, embedding, skip-gram**
#
# A network adds and multiplies; a film review is a string of words. This lecture turns the one
# into the other in three ways, each an answer to what the one before gets wrong.

# %% [markdown] slideshow={"slide_type": "notes"}
# Welcome. Write on the board: *The plot was never dull.* Ask who likes the film: all hands go
# up. Then ask: what would a program have to know to agree with you? Collect answers (the words,
# the order, what "never" does) and keep them there; we come back to each.
#
# The red thread: **count → look up → learn from company → and still no order**. About 90
# minutes with the exercises, 60 without.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What you will be able to do
#
# - turn reviews into rows of numbers, and say which verdicts such rows can never tell apart
# - show that an embedding is a product with a one-hot row, and count its parameters
# - train word vectors without a single label, and judge them, failures included
# - say when vectors brought along beat vectors learned with the task

# %% [markdown] slideshow={"slide_type": "notes"}
# Read the list as questions: can you say today which two reviews a word counter cannot tell
# apart? At the end come back to this slide and let them tick off. Say that failures get as much
# room as successes.

# %% [markdown] slideshow={"slide_type": "skip"}
# **You need** Python, NumPy, and to have seen logistic regression and a Keras `Dense` layer.
#
# **It takes** under a minute to run on a laptop's processor (the *quick* profile, on small
# reviews made for this course). The *full* profile trains on the 50,000 real IMDB reviews and
# 50,000 unlabelled ones; its recorded results stand beside the quick ones, so you lose nothing
# without it.

# %% [markdown] slideshow={"slide_type": "skip"}
# **How to read it.** Before most experiments you are asked for a prediction. Write it down,
# with a number, before you run the cell: a surprise that you have committed to is remembered.
# Cells that show a function from `course_utils` hold that function letter for letter; change it
# here and the cells below use your version.

# %% slideshow={"slide_type": "skip"} name="start"
import course_utils as cu

session = cu.start(seed=0)  # before Keras is imported, so that its backend starts quietly
LECTURE = "01_imdb_embeddings"

from dataclasses import replace

import keras
import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from course_utils.lectures.lecture_01 import (
    analogy,
    neighbours,
    noise_distribution,
    softmax_loss,
    subsample,
    train_skip_gram,
    unit,
)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The task: does a review praise or damn?
#
# Our small reviews come from a grammar, so we know **why** each one praises or damns: by
# *plain* words, by *negation*, by a *turn*, or by a word *far* back.

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
texts = cu.data.load_reviews(form="text")
phenomenon = texts.test.columns["phenomenon"]
for name in ("plain", "negation"):
    chosen = min(texts.test.inputs[phenomenon == name], key=len)
    print(f"{name}: {chosen}")

# %% [markdown] slideshow={"slide_type": "skip"}
# These reviews come from a small grammar, so that we know *why* each one praises or damns. The
# column `phenomenon` says it:
#
# | phenomenon | the verdict hangs on | share |
# | --- | --- | --- |
# | plain | three adjectives that agree | 40 % |
# | negation | two adjectives, each denied: *never dull* praises | 20 % |
# | turn | two opposite verdicts far apart; the later one counts | 20 % |
# | far | one verdict at the start, then many sentences on popcorn, seats and weather | 20 % |
#
# Real reviews mix all four and hide which is which. Ours let you see what a model cannot do.

# %% [markdown] slideshow={"slide_type": "notes"}
# Read both reviews aloud. Stress that the grammar-made reviews are an instrument, like a
# resolution chart for a camera: nobody wants photographs of resolution charts, but they show
# what a lens cannot resolve. All claims about real text come from IMDB, recorded over three
# seeds.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### First, a list of words
#
# The vocabulary comes from the **training texts only**: id 0 is padding, 1 is every unknown
# word, real words start at 2, the most frequent first.

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
reviews = cu.data.load_reviews()
vocabulary = reviews.vocabulary
print(vocabulary.words[:8])
sentence = cu.data.tokenize("The plot was never, ever dull.")
print(sentence, vocabulary.encode(sentence))
print("inputs", reviews.train.inputs.shape, "targets", reviews.train.targets.shape)

# %% [markdown] slideshow={"slide_type": "skip"}
# *Ever* is not among the training words, so it becomes 1. Had we counted the words of the test
# texts too, it might have had an id of its own with a weight that no training review ever
# moved, and the test would no longer tell how the model fares on words it has not met.

# %% [markdown] slideshow={"slide_type": "notes"}
# Ask: why not let the test texts into the vocabulary, there are no labels in a word list?
# Because the test stands for reviews not written yet. Whatever touches them beforehand flatters
# us.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Where a plain number for a word fails
#
# An id is a number, and a network wants numbers. Why not feed it the ids?


# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
def accuracy(model, features, split):
    return float((model.predict(features) == split.targets).mean())


raw = reviews.train.inputs / len(vocabulary)
on_ids = LogisticRegression(max_iter=1000).fit(raw, reviews.train.targets)
raw = reviews.test.inputs / len(vocabulary)
print(f"ids as numbers: test accuracy {accuracy(on_ids, raw, reviews.test):.2f}")

# %% [markdown] slideshow={"slide_type": "skip"}
# A linear model multiplies the id at each place by a weight and adds up. So it has to believe
# that a word with a larger id is *more* of something, and that whatever stands at place 7
# matters alike in all reviews. Neither is true. The numbers on footballers' shirts have the
# same trouble: their average over a team means nothing.
#
# What we need instead is a number **for each word of the vocabulary**, which says whether, or
# how, that word takes part. That is the idea of the next section.

# %% [markdown] slideshow={"slide_type": "fragment"}
# A coin does as well. **Ids are names, not amounts**: word 90 is not ten times word 9, and its
# neighbour 91 has nothing to do with it.

# %% [markdown] slideshow={"slide_type": "notes"}
# Let them guess the accuracy first. The point: a linear model multiplies the id by a weight, so
# it must believe that larger ids are "more" of something. Jersey numbers: the average of a
# team's numbers means nothing.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## 1 · Count words

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
cu.figures.show("01_counting")

# %% [markdown] slideshow={"slide_type": "skip"}
# Each word of the vocabulary gets a column. A review becomes a row with 1 in the columns of its
# words and 0 elsewhere: it is **multi-hot**, where the row of a single word would be *one-hot*.
# Then one weight a column is learned; the weights of the words present are added up, and the
# sign of the sum is the verdict. This is logistic regression on a **bag of words**, so called
# because a bag keeps what is in it but not in which order it went in.

# %% [markdown] slideshow={"slide_type": "notes"}
# Walk through the picture from top to bottom. One column a word, a 1 where the word occurs
# (*multi-hot*), one weight a column, add up. Ask before you point to the last line: which
# verdict will this review get? Keep "never 0.0" for later: the picture gives the answer away.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Five lines of NumPy

# %% shows="course_utils.lectures.lecture_01.multi_hot" slideshow={"slide_type": "-"}
# filled by the build

# %% slideshow={"slide_type": "fragment"} tags=["nbval-check-output"]
train_rows = multi_hot(reviews.train.inputs, len(vocabulary))
print(reviews.train.inputs.shape, "->", train_rows.shape)
print("words in the first review:", int(train_rows[0].sum()))

# %% [markdown] slideshow={"slide_type": "skip"}
# *Why `ids != 0`?* Padding is no word. A column for it would say "this review is short", which
# changes when somebody pads to another length. Without it, padding changes nothing.

# %% [markdown] slideshow={"slide_type": "notes"}
# Note what is gone: length, repetition, order. A row of word *counts* would keep repetition,
# and hardly differs. Nothing brings the order back.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### One weight a word, and it already works

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
counter = LogisticRegression(max_iter=1000).fit(train_rows, reviews.train.targets)
test_rows = multi_hot(reviews.test.inputs, len(vocabulary))
plain = phenomenon == "plain"
print(f"plain reviews: {accuracy(counter, test_rows[plain], reviews.test.take(plain)):.2f}")

chosen = ["superb", "great", "dull", "boring", "never", "not", "hardly", "sister"]
for word, number in zip(chosen, vocabulary.encode(chosen), strict=True):
    print(f"{word:8s}{counter.coef_[0][number]:6.2f}")

# %% [markdown] slideshow={"slide_type": "skip"}
# The weights can be read like a dictionary of opinion, which no network of this course will
# offer you again. Words of praise stand above zero, words of blame below. The negators lie
# between, no farther out than about where *sister* lies, who has no opinion: neutral sentences
# (*it was not cold that night*) use them as often under praise as under blame, and so, by
# themselves, they say nothing; what weight they have is chance. Start every text project with
# this model: it is quick, it can be inspected, and it tells you what the elaborate ones have to
# beat.

# %% [markdown] slideshow={"slide_type": "notes"}
# The weights are readable, and that is worth a lot in practice: start every text project with
# this model. Point to the negators, and to *sister*: neutral sentences use them all, so their
# weights are chance, on either side of zero. Then the question on the next slide.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Predict before you run
#
# *“The plot was never dull and the acting was hardly boring.”*
#
# How often is the counter right on **negated** reviews?
#
# - A: about 0.9, most words still help
# - B: about 0.5, it can only guess
# - C: below 0.1

# %% [markdown] slideshow={"slide_type": "notes"}
# Take a vote, write the numbers down. Most choose B: "it has no information, so it guesses".
# Ask the B voters which *sign* the weight of "dull" has, and where it came from.


# %% slideshow={"slide_type": "skip"}
def by_phenomenon(predicted, split):
    """Accuracy for each phenomenon; in one piece where the reviews have none (IMDB)."""
    if split.columns is None:
        return {"all": float((predicted == split.targets).mean())}
    right, names = predicted == split.targets, split.columns["phenomenon"]
    return {
        name: float(right[names == name].mean())
        for name in ("plain", "negation", "turn", "far")
    }


# %% slideshow={"slide_type": "subslide"} tags=["nbval-check-output"]
counted = by_phenomenon(counter.predict(test_rows), reviews.test)
print({name: round(value, 2) for name, value in counted.items()})

# %% [markdown] slideshow={"slide_type": "fragment"}
# **Backwards, not at random.** Most reviews with *dull* damn, so *dull* gets a negative weight,
# and in *never dull* the word *dull* is all that counts. What the counter learned is true of
# the plain reviews, which are twice as many.

# %% [markdown] slideshow={"slide_type": "notes"}
# Pause on the second number. It is worse than a coin by nearly as much as the first is better,
# so the model *has* the information and uses it the wrong way round. *turn* is a coin's throw:
# both verdicts are in the bag. *far* suffers from the popcorn that was superb.

# %% [markdown] slideshow={"slide_type": "skip"}
# It is a matter of majority. Below, the share of negated reviews grows until they outnumber the
# plain ones. The two groups pull the same twenty weights in opposite directions, and whichever
# is larger wins: there is no setting at which one weight a word gets both right.

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
rows = []
for share in (0.2, 0.4, 0.6):
    mixture = {"plain": 0.8 - share, "negation": share, "turn": 0.1, "far": 0.1}
    mixed = cu.data.load_reviews(mixture=mixture)
    size = len(mixed.vocabulary)
    model = LogisticRegression(max_iter=1000)
    model.fit(multi_hot(mixed.train.inputs, size), mixed.train.targets)
    found = by_phenomenon(model.predict(multi_hot(mixed.test.inputs, size)), mixed.test)
    rows.append(
        {"share plain": 0.8 - share, "share negated": share}
        | {f"accuracy {name}": found[name] for name in ("plain", "negation")}
    )
cu.results.Table(rows)

# %% [markdown] slideshow={"slide_type": "notes"}
# The honest footnote: so low a figure is not a law about negation. It needs plain verdicts to
# outnumber negated ones, as they do in real life. If somebody asks "and with equal shares?",
# the notebook has the table.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Two words at a time: bigrams
#
# If *never dull* were a word of its own, it could have a weight of its own.

# %% shows="course_utils.lectures.lecture_01.ngrams" slideshow={"slide_type": "-"}
# filled by the build

# %% slideshow={"slide_type": "fragment"} tags=["nbval-check-output"]
print(ngrams(["never", "dull", "hardly", "boring"], 2))

# %% [markdown] slideshow={"slide_type": "notes"}
# Let somebody read the list comprehension aloud. Ask how many n-grams a text of n words has for
# n-grams up to two: 2n − 1. Then: how many *different* ones could there be?

# %% slideshow={"slide_type": "subslide"} tags=["nbval-check-output"]
vectorizer = CountVectorizer(
    analyzer=lambda text: ngrams(cu.data.tokenize(text), 2), binary=True
)
pairs_train = vectorizer.fit_transform(texts.train.inputs)
pairs_test = vectorizer.transform(texts.test.inputs)
pair_counter = LogisticRegression(max_iter=1000).fit(pairs_train, texts.train.targets)
in_pairs = by_phenomenon(pair_counter.predict(pairs_test), texts.test)
print(f"{len(vocabulary)} words -> {pairs_train.shape[1]:,} words and pairs")

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
cu.plotting.bars({"words": counted, "words and pairs": in_pairs}, chance=0.5)

# %% [markdown] slideshow={"slide_type": "skip"}
# Pairs repair negation, because a negator stands *right before* its adjective here.
# They do nothing for *turn* and *far*: no pair of neighbours spans a hundred words. And the
# price: the columns multiply. With 10,000 words there are up to 100,000,000 pairs, nearly all
# never seen.

# %% [markdown] slideshow={"slide_type": "notes"}
# Ask: what would trigrams cost? What does "not really all that good" need? Counting pairs is a
# good trick and a dead end: every longer dependence multiplies the columns, and each column has
# to be seen in training before its weight means anything.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## On real reviews, counting is strong
#
# Four rungs on IMDB. The last adds no information: it only **scales** each column by
# how much likelier the n-gram is under praise than under blame (Wang and Manning, 2012):
#
# $$r_j = \log \frac{(1 + \text{praising reviews with } j)\,/\,\text{sum of these}}
# {(1 + \text{damning reviews with } j)\,/\,\text{sum of these}}$$

# %% [markdown] slideshow={"slide_type": "notes"}
# Read the fraction aloud: the share that this n-gram has among all n-grams of praising reviews,
# over its share in damning ones. *Superb* gets a large number, *the* about zero. The added one
# keeps an n-gram that was never seen under blame from counting as proof. Ask which columns a
# single strength of regularisation will treat unfairly if they are all 0 or 1.

# %% shows="course_utils.lectures.lecture_01.log_ratios" slideshow={"slide_type": "skip"}
# filled by the build

# %% [markdown] slideshow={"slide_type": "skip"}
# The recipe for a figure that deserves trust: the *strength* of the regularisation is chosen on
# 5,000 validation reviews, then the test set is read **once**. The seed decides which 5,000 of
# the 25,000 labelled reviews validate; everything else about logistic regression is
# deterministic.
#
# In the quick profile the same cell climbs on the small reviews. They do not have 20,000
# different words and pairs, so the three rungs with pairs are there nearly one.

# %% slideshow={"slide_type": "skip"}
load = session.pick(quick=cu.data.load_reviews, full=cu.data.load_imdb)
ladder = load(form="text")
labelled = np.concatenate([ladder.train.inputs, ladder.val.inputs])
tokens = np.array([cu.data.tokenize(text) for text in labelled], object)
targets = np.concatenate([ladder.train.targets, ladder.val.targets])
test_tokens = [cu.data.tokenize(text) for text in ladder.test.inputs]
order = np.random.default_rng(session.seed).permutation(len(targets))
fit_on, choose_on = order[len(ladder.val) :], order[: len(ladder.val)]

# %% [markdown] slideshow={"slide_type": "skip"}
# One rung: count, scale if asked, try four strengths, keep the best, read the test set.


# %% slideshow={"slide_type": "skip"}
def climb(longest, columns, scaled=False):
    """Return validation and test accuracy of logistic regression on n-grams."""
    counter = CountVectorizer(
        analyzer=lambda words: ngrams(words, longest), binary=True, max_features=columns
    )
    train = counter.fit_transform(tokens[fit_on]).astype("float64")
    val, test = counter.transform(tokens[choose_on]), counter.transform(test_tokens)
    if scaled:
        ratios = log_ratios(train, targets[fit_on])
        train, val, test = (part.multiply(ratios).tocsr() for part in (train, val, test))
    tried = []
    for strength in (0.03, 0.1, 0.3, 1.0):
        model = LogisticRegression(C=strength, solver="liblinear").fit(train, targets[fit_on])
        tried.append((model.score(val, targets[choose_on]), strength, model))
    chosen, strength, model = max(tried, key=lambda attempt: attempt[0])
    found = {"val_accuracy": chosen, "test_accuracy": model.score(test, ladder.test.targets)}
    return found, {"strength": strength, "columns": train.shape[1]}


# %% slideshow={"slide_type": "skip"}
RUNGS = {
    "multi_hot_10k": (1, 10_000),
    "bigrams_20k": (2, 20_000),
    "bigrams_200k": (2, 200_000),
    "bigrams_200k_log_ratios": (2, 200_000, True),
}
for name, rung in RUNGS.items():
    found, settings = climb(*rung)
    print(f"{name:24s} test accuracy {found['test_accuracy']:.3f}")
    columns = settings["columns"]
    cu.results.record(LECTURE, name, "imdb", found, parameters=columns + 1, settings=settings)

# %% [markdown] slideshow={"slide_type": "skip"}
# ### Recorded on IMDB, three seeds
#
# In all tables of recorded runs: the mean over the seeds ± their standard deviation.


# %% slideshow={"slide_type": "fragment"} tags=["hide-input"]
def recorded(models, **metrics):
    """The recorded full runs of some models as a table: mean ± spread over the seeds."""
    rows = []
    for name, label in models.items():
        runs = cu.results.load(LECTURE, name)
        row = {"model": label}
        for metric, title in metrics.items():
            mean, spread = cu.results.mean(runs, metric)
            row[title] = f"{mean:.3f} ± {spread:.3f}"
        rows.append(row | {"parameters": runs[0]["parameters"], "seeds": len(runs)})
    return cu.results.Table(rows)


recorded(
    {
        "multi_hot_10k": "10,000 words",
        "bigrams_20k": "20,000 words and pairs",
        "bigrams_200k": "200,000 words and pairs",
        "bigrams_200k_log_ratios": "the same, scaled by log ratios",
    },
    val_accuracy="validation",
    test_accuracy="test",
)

# %% [markdown] slideshow={"slide_type": "skip"}
# Four things to take from the table.
#
# - About nine reviews in ten are read right by counting, without a network, on one processor
#   core. Every model of this course has to face this bar.
# - Pairs add a point, and ten times as many columns add little more by themselves.
# - The scaling is worth more than the columns. Regularisation keeps all weights small alike;
#   the log ratios make the telling columns *large*, so that a small weight on them goes a long
#   way.
# - Counting is backwards on *negated* reviews and still this good on real ones, because people
#   who write a review mostly say plainly, and several times, what they think. Progress on the
#   hard tenth hides in the last digits. That is why the small reviews, with the phenomenon
#   known, stand beside IMDB in every lecture.

# %% [markdown] slideshow={"slide_type": "notes"} claims=["recorded('bigrams_200k_log_ratios', 'imdb').min() >= 0.90"]
# Nine in ten, with no network at all, on one processor core. Keep this table:
# it is the bar for every network of this course. Ask what it says about IMDB: most reviews say
# plainly what they think, and say it often, so the few that counting reads backwards cost
# little. That is why we need reviews with a known phenomenon to see progress.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 01.1 · Multi-hot rows
#
# Write the row of **one** review: 1 where the word occurs, else 0. Remember what id 0 is.

# %% builds="course_utils.lectures.lecture_01.multi_hot_row" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
multi_hot_row = cu.exercises.use("01.1", multi_hot_row)

# %% [markdown] slideshow={"slide_type": "notes"}
# Two minutes. Usual slips: adding instead of setting (a count), and switching on column 0. The
# check names both.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## 2 · Look words up
#
# A multi-hot row gives each word **one** number. Give it several and words can be alike in some
# ways and differ in others. An **embedding** is a matrix $E$ with one row a word.

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
cu.figures.show("01_lookup")

# %% [markdown] slideshow={"slide_type": "skip"}
# Do the product by hand for the first column: 0 · 0.1 + 0 · 0.0 + 0 · (−0.7) + **1 · 0.9** + 0
# · 0.2 + 0 · (−0.4) = 0.9. Every term but one is multiplied by zero. The product *selects* a
# row, so a program may as well read the row and save itself the multiplications, 9,999 of
# 10,000 in a vocabulary of that size.
#
# Read the other way round, it says what an embedding is in terms you know: a dense layer
# without bias and without activation, fed with one-hot rows.

# %% [markdown] slideshow={"slide_type": "notes"}
# Do the product by hand on the board, column by column: 0·0.1 + 0·0.0 + 0·(−0.7) + 1·0.9 + …
# The zeros do nothing. Ask: with 10,000 words, how many of the multiplications were useful? So
# a library reads the row and skips the rest; the *mathematics* is that of an ordinary dense
# layer without a bias.

# %% slideshow={"slide_type": "subslide"} tags=["nbval-check-output"]
words = ["<pad>", "<unknown>", "the", "plot", "was", "dull"]
matrix = np.array(
    [
        [0.1, 0.4, -0.2],
        [0.0, 0.3, 0.5],
        [-0.7, 0.2, 0.1],
        [0.9, -0.3, 0.6],
        [0.2, 0.8, -0.1],
        [-0.4, 0.0, 0.3],
    ],
    "float32",
)
ids = np.array([2, 3, 4, 5])
one_hot = np.eye(len(words), dtype="float32")[ids]
print("one-hot rows", one_hot.shape, "times matrix", matrix.shape)
print(one_hot @ matrix)
print("largest difference from matrix[ids]:", np.abs(one_hot @ matrix - matrix[ids]).max())

# %% [markdown] slideshow={"slide_type": "notes"}
# Shapes first: (4, 6) times (6, 3). Ask for the shape of the result before you show it. Then
# point to the last line: the difference is exactly zero, not merely small, since multiplying by
# 1 and adding zeros loses nothing.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Keras' `Embedding` is the same matrix

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
with cu.full_precision():
    layer = keras.layers.Embedding(input_dim=6, output_dim=3)
    layer.build()
    layer.set_weights([matrix])
    from_keras = keras.ops.convert_to_numpy(layer(ids[None]))
print("output", from_keras.shape, "parameters", layer.count_params())
print("difference from the product:", np.abs(from_keras[0] - one_hot @ matrix).max())

# %% [markdown] slideshow={"slide_type": "fragment"}
# Exactly 0: **an embedding is no new operation.** New is only that $E$ is *learned*, and that
# a review trains just the rows of its own words.

# %% [markdown] slideshow={"slide_type": "skip"}
# *Names elsewhere:* Keras calls the vocabulary `input_dim` and the dimensions `output_dim`;
# others call the matrix a lookup table, or the *token embedding*. An embedding layer does not
# "understand" words: it is a table, and all that is in it was put there by the gradients of
# whatever task sat on top of it.

# %% [markdown] slideshow={"slide_type": "skip"}
# The gradient says so. What arrives at a place of the review is added to the row of the word
# that stands there; all other rows get zero. That is why a rare word learns slowly, and a word
# that never occurs keeps its random start.

# %% shows="course_utils.lectures.lecture_01.lookup_gradient" slideshow={"slide_type": "skip"}
# filled by the build

# %% [markdown] slideshow={"slide_type": "notes"}
# The misconception to name: "an embedding layer understands words". It is a table. All it knows
# was put there by gradients, from whatever task sat on top of it.
#
# Names elsewhere: Keras says `input_dim` for the vocabulary and `output_dim` for the
# dimensions.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 01.2 · A lookup as a product
#
# Return **two** arrays: the one-hot rows of `ids`, and their product with `matrix`
# (vocabulary, dimensions). No indexing into `matrix` allowed.

# %% builds="course_utils.lectures.lecture_01.lookup_by_product" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
lookup_by_product = cu.exercises.use("01.2", lookup_by_product)

# %% [markdown] slideshow={"slide_type": "notes"}
# Three minutes. The usual slips: the matrix on the left (words are rows, so the one-hot rows go
# left), and rows as wide as a vector instead of as the vocabulary. The check tells them apart.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## 3 · The first network
#
# Twenty words, eight numbers each, laid side by side, one output unit.


# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
def flatten_network(length=20):
    return keras.Sequential(
        [
            keras.Input((length,), dtype="int32"),
            keras.layers.Embedding(10_000, 8),
            keras.layers.Flatten(),
            keras.layers.Dense(1, activation="sigmoid"),
        ]
    )


model = flatten_network()
for layer in model.layers:
    shape = str(layer.output.shape)
    print(f"{layer.name.split('_')[0]:10s} {shape:18s} {layer.count_params():,}")

# %% [markdown] slideshow={"slide_type": "fragment"}
# $10{,}000 \cdot 8 = 80{,}000$ in the table, $20 \cdot 8 + 1 = 161$ in the unit on top.

# %% [markdown] slideshow={"slide_type": "skip"}
# Where do the parameters sit? Of 80,161 numbers, 80,000 are the table, eight for each word.
# That is typical of small text models, and it makes the size of the vocabulary a real decision.
# `Flatten` has nothing to learn: it lays the 20 vectors side by side, 160 numbers in a row. The
# unit on top has a weight for each of them, so the *fifth number at the third place* has a
# weight of its own. A word can therefore mean one thing at the start and another at the end;
# but the contributions of the places are still only added, and no place knows what stands
# beside it.

# %% [markdown] slideshow={"slide_type": "notes"}
# Let them compute both counts before you show the output. Ask: where do nearly all parameters
# sit? In the table: 80,000 of 80,161. That is true of most text models of this size, and it is
# why the vocabulary size is a real decision.

# %% shows="course_utils.lectures.lecture_01.lookup" slideshow={"slide_type": "skip"}
# filled by the build

# %% shows="course_utils.lectures.lecture_01.flatten_dense" slideshow={"slide_type": "subslide"}
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
with cu.full_precision():
    model = flatten_network()
    sample = np.random.default_rng(0).integers(0, model.layers[0].input_dim, (5, 20))
    from_keras = keras.ops.convert_to_numpy(model(sample))
from_numpy = flatten_dense(sample, *model.get_weights())
print("NumPy equals Keras:", np.abs(from_numpy - from_keras).max() < 1e-6)

# %% [markdown] slideshow={"slide_type": "notes"}
# Two lines and a sigmoid, and they agree with Keras on random ids to float precision. From here
# on every layer of the course is shown twice like this: once in NumPy to be understood, once in
# Keras to be used.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Which twenty words?
#
# The average IMDB review has more than 200. Somebody must decide which 20 survive: the
# **first** or the **last**. Say it aloud whenever you cut, because the libraries will not.
#
# **Predict:** which end tells more about the verdict?

# %% [markdown] slideshow={"slide_type": "skip"}
# It is no detail. Keras' `pad_sequences` keeps the **last** words unless told otherwise
# (`truncating="pre"` means: cut at the front), other libraries keep the first, and none says so
# while it happens. In this course the argument is called `keep`, and you have to look at it.
# The padding, where a review is shorter, always goes to the **end**: the fast recurrent kernels
# of later lectures want it there.

# %% [markdown] slideshow={"slide_type": "notes"}
# Vote again. Keras' own `pad_sequences` keeps the last words by default (`truncating="pre"`),
# other libraries keep the first; neither prints a word about it. Ask the room how they end
# their own reviews: with "all in all, …". Ask also what a reader of a paper would have to know.


# %% slideshow={"slide_type": "skip"}
def probability(network, ids):
    """The network's output for each review, as NumPy numbers."""
    return keras.ops.convert_to_numpy(network(ids)).astype("float32")[:, 0]


# %% slideshow={"slide_type": "skip"}
runs, twenty = {}, {}
for keep in ("last", "first"):
    data = load(length=20, keep=keep)
    keras.utils.set_random_seed(session.seed)
    print(f"the {keep} {data.train.inputs.shape[1]} words")
    model = flatten_network(data.train.inputs.shape[1])
    model.compile("rmsprop", "binary_crossentropy", metrics=["accuracy"])
    run = cu.training.fit(model, data, epochs=session.pick(quick=5, full=10), batch_size=32)
    predicted = probability(model, data.test.inputs) > 0.5
    runs[keep], twenty[f"{keep} 20 words"] = run, by_phenomenon(predicted, data.test)
    test_accuracy = float((predicted == data.test.targets).mean())
    settings = {"length": 20, "keep": keep, "optimizer": "rmsprop", "batch_size": 32}
    name = f"flatten_{keep}_20"
    run.record(LECTURE, name, "imdb", settings=settings, test_accuracy=test_accuracy)

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### The last twenty, here and on IMDB

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
cu.plotting.curves(runs["last"], cu.results.load(LECTURE, "flatten_last_20"))

# %% slideshow={"slide_type": "fragment"} tags=["hide-input"]
recorded(
    {"flatten_last_20": "last 20 words", "flatten_first_20": "first 20 words"},
    val_accuracy="validation, after 10 epochs",
    test_accuracy="test",
)

# %% [markdown] slideshow={"slide_type": "notes"} claims=["near(recorded('flatten_last_20', 'imdb', 'val_accuracy'), 0.76, 0.015)"]
# Left the small run, right three recorded seeds on IMDB. The slides report 0.7464 for this
# network; ask whether ours is *better*: the split and the tokens differ, and theirs is one run,
# so no. What the difference of the two rows does say: reviewers put their verdict at the end.

# %% [markdown] slideshow={"slide_type": "skip"} claims=["set(about('flatten_last_20', 'imdb', 'parameters')) == {80_161}"]
# The lecture slides, with ten epochs of the same network, report 0.7464 on validation. Read the
# recorded curves: the training accuracy climbs on while the validation accuracy stands still
# from the fourth epoch. 80,000 numbers, 20,000 reviews of twenty words: it learns them by
# heart.
#
# In the quick run, below, you can see *what* is cut away. Reviews that turn say the valid
# verdict near the end; their first twenty words hold the one that is withdrawn, and the network
# falls for it. *Far* reviews say it in their first words and never again. No end is right for
# all: a window of twenty words is a decision about which reviews you are willing to lose.

# %% slideshow={"slide_type": "skip"} tags=["hide-input"]
cu.plotting.bars(twenty, chance=0.5)

# %% [markdown] slideshow={"slide_type": "notes"}
# From twenty words, three IMDB reviews in four. From all the words, counting had nearly nine in
# ten. Ask:
# is it the network that is weak, or what it was given? The next slides give the average of
# *all* words.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Flatten or average

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
cu.figures.show("01_flatten_or_average")

# %% [markdown] slideshow={"slide_type": "skip"}
# There are two common ways from many vectors to one verdict. **Flatten** keeps the places
# apart: the text must have a fixed length, and a pad is looked up like any other word.
# **Averaging** accepts any length and needs nine parameters instead of 161, but has to know
# which places are real. `mask_zero=True` makes the embedding send a mask along, True at real
# words; the pooling layer divides by their number. `Flatten` receives the same mask and ignores
# it without a word.

# %% [markdown] slideshow={"slide_type": "notes"}
# Left: every place has weights of its own, so the text must have a fixed length, and a pad is a
# word like any other. Right: any length, 9 parameters, and a mask that says which places are
# real. `mask_zero=True` makes the mask; pooling uses it; Flatten ignores it silently.


# %% slideshow={"slide_type": "subslide"}
def averaging_network(masked=True, embed_dim=16):
    return keras.Sequential(
        [
            keras.Input((None,), dtype="int32"),
            keras.layers.Embedding(len(vocabulary), embed_dim, mask_zero=masked),
            keras.layers.GlobalAveragePooling1D(),
            keras.layers.Dense(1, activation="sigmoid"),
        ]
    )


average = averaging_network()
average.compile(keras.optimizers.Adam(0.02), "binary_crossentropy", metrics=["accuracy"])
run = cu.training.fit(average, reviews, epochs=10)

# %% [markdown] slideshow={"slide_type": "notes"}
# The last layer sees 16 averages. While it trains, collect bets for the next slide: what
# happens to negation? The validation loss rises while the accuracy holds: it grows surer of the
# reviews that it reads backwards.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Predict: does the embedding repair counting?
#
# Sixteen numbers a word instead of one, trained on the whole review.

# %% slideshow={"slide_type": "fragment"} tags=["hide-input"]
predicted = probability(average, reviews.test.inputs) > 0.5
averaged = by_phenomenon(predicted, reviews.test)
cu.plotting.bars(
    {"words": counted, "words and pairs": in_pairs, "averaged embeddings": averaged},
    chance=0.5,
)

# %% [markdown] slideshow={"slide_type": "fragment"}
# No: the same picture as counting. A weighted sum of averages is a sum over words again, with
# one number $E_w \cdot v$ a word: a word counter in different clothes.

# %% [markdown] slideshow={"slide_type": "skip"}
# The algebra takes one line. The output unit computes $v \cdot \frac{1}{n} \sum_w E_w + b$, and
# the product with $v$ can move inside the sum: $\frac{1}{n} \sum_w (E_w \cdot v) + b$. Each
# word contributes the **single** number $E_w \cdot v$, wherever it stands and whatever stands
# next to it. Sixteen dimensions, or sixteen hundred, make no difference to what this model can
# say; they matter as soon as something that is *not linear*, or that reads *in order*, comes
# between the vectors and the verdict. Everything from the next lecture on is about that
# something.

# %% [markdown] slideshow={"slide_type": "notes"}
# This slide carries the lecture. Derive it on the board: sigmoid(v · mean(E_w) + b): v goes
# inside the mean, so each word contributes the single number v·E_w. Sixteen dimensions, one
# degree of freedom a word. Embeddings help when something *nonlinear* or *ordered* sits on top.

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output", "headline"]
print(
    f"negated reviews read right: counting {counted['negation']:.2f}, "
    f"averaged embeddings {averaged['negation']:.2f}, bigrams {in_pairs['negation']:.2f}"
)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What can go wrong: padding that counts
#
# Thirty more zeros at the end must change nothing. Does the model know?

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
short = reviews.test.inputs[:100]
padded = np.pad(short, ((0, 0), (0, 30)))
unmasked = averaging_network(masked=False)
unmasked.set_weights(average.get_weights())
for name, network in {"masked": average, "not masked": unmasked}.items():
    change = np.abs(probability(network, short) - probability(network, padded)).max()
    print(f"{name:12s} largest change {change:.3f}")

# %% [markdown] slideshow={"slide_type": "skip"}
# *Why `mask_zero=True`?* Without it the average divides by the padded length, so the same
# review is milder in a batch with a long neighbour. Nothing crashes and nothing warns; only the
# padding test sees it. The NumPy form is short:

# %% shows="course_utils.lectures.lecture_01.masked_mean" slideshow={"slide_type": "skip"}
# filled by the build

# %% [markdown] slideshow={"slide_type": "notes"}
# Make this a habit: one line of test for every model that sees padding. We will run the same
# test on recurrent networks, convolutions and Transformers.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### What can go wrong: the offset of three
#
# `keras.datasets.imdb` brings reviews as ids, with 0 padding, 1 start and 2 unknown. Its **word
# index does not know**: it counts words from 1. Every id is three too high.

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
word_index = {"the": 1, "and": 2, "a": 3, "film": 4, "of": 5, "to": 6, "is": 7, "dull": 8}
review = [1, 4, 7, 10, 11]
by_id = {number: word for word, number in word_index.items()}
print("without:", " ".join(by_id.get(number, "?") for number in review))
print("with:   ", " ".join(by_id.get(number - 3, "?") for number in review))

# %% [markdown] slideshow={"slide_type": "skip"}
# A model trained on the ids never notices, since any renaming of words is as good as another.
# You notice when you read a review, look at one word's weight, or bring vectors along. This
# course makes its ids itself, from the texts, and the vocabulary knows them.

# %% [markdown] slideshow={"slide_type": "notes"}
# The toy index stands in for the real one, which needs a download. Moral: decode a review and
# read it before you train on it.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## 4 · Vectors without labels
#
# Labels are dear, text is cheap. What does plain text say about a word? **Which words keep it
# company.**

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
cu.figures.show("01_skip_gram")

# %% [markdown] slideshow={"slide_type": "skip"}
# Try to fill the gap: *a very ___ film*. Dull, funny, long, good, bad. Words that fit the same
# gaps are used alike, and **skip-gram** turns that into arithmetic: choose vectors so that from
# a word you can guess its neighbours. Words with like neighbours then need like vectors. No one
# has to label anything; the text brings its own questions and answers.
#
# In the picture, the one-hot row of the centre word selects its *input* vector. Multiplied by
# the matrix of *output* vectors it gives a score for each word of the vocabulary to be found
# nearby. When training is done only the input vectors are kept: they are the embedding.

# %% [markdown] slideshow={"slide_type": "notes"}
# Firth, 1957: you shall know a word by the company it keeps. Ask for words that fit the gap in
# "a very ___ film": dull, funny, good, bad. Words for the same gap get like vectors. Let them
# notice now that *good* and *bad* fit the same gap; do not say what follows.
#
# Below: one-hot in, 300 hidden numbers, one score for every word out. The input matrix is an
# embedding; the rest is scaffolding.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### The training data: pairs

# %% shows="course_utils.lectures.lecture_01.skip_gram_pairs" slideshow={"slide_type": "-"}
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
sentence = "a very dull film".split()
for word in sentence:
    found = skip_gram_pairs(sentence, window=2)
    contexts = [context for centre, context in found if centre == word]
    print(f"{word:4s} →", ", ".join(contexts))

# %% [markdown] slideshow={"slide_type": "notes"}
# Count with them: four words, window two, ten pairs. Words at the edge have fewer. Every
# sentence of the world is training data of this kind, and that is why this idea is still at
# work, in other clothes, in the largest language models.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 01.3 · Skip-gram pairs
#
# Now without looking: return the list of all pairs `(centre, context)` of a list of tokens, in
# any order. For every centre, the context is up to `window` words to the left **and** to the
# right.

# %% builds="course_utils.lectures.lecture_01.skip_gram_pairs" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
skip_gram_pairs = cu.exercises.use("01.3", skip_gram_pairs)

# %% [markdown] slideshow={"slide_type": "notes"}
# Three minutes. The usual slips: the word with itself, and only the words to the right. A
# subtle one: leaving out equal *words* instead of the same *place*, which loses pairs in "no
# no".

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The slides' network, and why nobody trains it so
#
# For a pair (centre $c$, context $o$), with input vectors $u$ and output vectors $v$:
#
# $$-\log p(o \mid c) = -u_c \cdot v_o + \log \sum_{w=1}^{10{,}000} e^{\,u_c \cdot v_w}$$
#
# The sum runs over the **whole vocabulary, for every pair**.

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
size, dimensions, negatives = 10_000, 300, 5
print(f"parameters            {2 * size * dimensions:>12,}")
print(f"products a pair, all  {size * dimensions:>12,}")
print(f"with 5 noise words    {(1 + negatives) * dimensions:>12,}")

# %% [markdown] slideshow={"slide_type": "skip"}
# Do the sum for the reviews below: they hold about 17.5 million words, a window of five gives
# ten pairs a word, and each pair costs three million products forward and twice that again for
# the gradients. At ten billion products a second, one pass takes nearly two days. The softmax
# is the culprit: to raise one score it has to look at, and lower, all 9,999 others.

# %% [markdown] slideshow={"slide_type": "notes"}
# Let them do the arithmetic: 3 million products for one pair, forward alone. The reviews we
# train on hold 17.5 million words; a window of five makes ten pairs a word. On a machine that
# does ten billion products a second that is fifteen hours for one pass forward, and two or
# three times that with the gradients. The next slides say what is done instead.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Negative sampling: one yes, five no
#
# Do not ask *which of 10,000 words?* Ask *is this a real pair?*: once for the pair, and once
# each for a few **noise** words drawn at random (Mikolov et al., 2013).
#
# $$-\log \sigma(u_c \cdot v_o) - \sum_{k=1}^{5} \log \sigma(-u_c \cdot v_{n_k})$$

# %% [markdown] slideshow={"slide_type": "skip"}
# The question has become a yes or no, which is logistic regression again: the real pair should
# get a high score, the noise words low ones. Six products of 300 instead of ten thousand. Noise
# words are drawn with their frequency to the power 0.75: as often as in the text, but a little
# flatter, so that rare words get to be noise as well. Mikolov and colleagues found that
# exponent by trying.

# %% shows="course_utils.lectures.lecture_01.sampled_loss" slideshow={"slide_type": "-"}
# filled by the build

# %% [markdown] slideshow={"slide_type": "skip"}
# How much that saves, measured here and now on your machine, and recorded:

# %% slideshow={"slide_type": "skip"} tags=["no-output"]
import timeit

generator = np.random.default_rng(0)
inputs = generator.normal(size=(size, dimensions)).astype("float32")
outputs = generator.normal(size=(dimensions, size)).astype("float32") * 0.01
# A program that reads single columns lays them out one after the other in memory.
columns = np.asfortranarray(outputs)
noise_words = generator.integers(2, size, negatives)
cost = {
    "full softmax": lambda: softmax_loss(7, 9, inputs, outputs),
    "five noise words": lambda: sampled_loss(7, 9, noise_words, inputs, columns),
}
rows = []
for name, loss in cost.items():
    microseconds = min(timeit.repeat(loss, number=20, repeat=5)) / 20 * 1e6
    rows.append({"loss of one pair": name, "microseconds": round(microseconds, 1)})
cu.results.record_table(LECTURE, "softmax_cost", rows, "forward only, NumPy, 10,000 × 300")
print(cu.results.Table(rows))

# %% slideshow={"slide_type": "fragment"} tags=["hide-input"]
cu.results.Table(cu.results.load_table(LECTURE, "softmax_cost"))

# %% [markdown] slideshow={"slide_type": "notes"}
# The table is recorded, forward pass of one pair in NumPy. The products differ by a factor of
# 1,667; the clock by less, since NumPy's own overhead for a tiny product is most of the second
# row. Frequent words are noise more often, with frequency to the power 3/4: a compromise
# between "as in the text" and "all alike" that Mikolov found by trying.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Faster still: count first, then learn
#
# The same pair comes up thousands of times, so count all pairs once. Then use the **expected**
# loss: with $C_{ij}$ the count, $C_i$ the row's sum and $p_j$ the noise,
#
# $$\sum_{i,j} -C_{ij} \log \sigma(u_i \cdot v_j) - 5\, C_i\, p_j \log \sigma(-u_i \cdot v_j)$$
#
# Where would each $u_i \cdot v_j$ like to be? At $\log \dfrac{C_{ij}}{5\, C_i\, p_j}$: how much
# more often than by chance the two meet (Levy and Goldberg, 2014).

# %% [markdown] slideshow={"slide_type": "skip"}
# Why may we average the noise away? Because with a few thousand words the whole table of pairs
# fits into memory. Each cell then has a known number of yes and an expected number of no, and
# the loss of the cell is smallest where its score is the logarithm of their ratio. So skip-gram
# approximates a large table, *how much more often than by chance do two words meet*, by a
# product of two thin matrices. Only a hundred dimensions are allowed, so it cannot copy the
# table and must find what rows have in common. That is where the likeness of like words comes
# from.

# %% shows="course_utils.lectures.lecture_01.count_pairs" slideshow={"slide_type": "skip"}
# filled by the build

# %% shows="course_utils.lectures.lecture_01.expected_gradients" slideshow={"slide_type":"skip"}
# filled by the build

# %% [markdown] slideshow={"slide_type": "skip"}
# The gradient reads like logistic regression: predicted share minus observed. A test holds it
# equal to automatic differentiation. Adam does the rest; `train_skip_gram` has the loop.

# %% [markdown] slideshow={"slide_type": "notes"}
# For those who like a proof: set the derivative of one cell to zero, solve for the product: it
# is the pointwise mutual information minus log 5 (exactly so with unflattened noise). So
# skip-gram factorises a matrix of "more often than chance", in a hundred dimensions. Neural it
# may be called; it is close kin to SVD.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Live: vectors from our small reviews
#
# Predict: which word will be nearest to *wonderful*?


# %% slideshow={"slide_type": "-"}
def stream(reviews, gap):
    """All ids in one row, with zeros between reviews so that no pair crosses."""
    return np.concatenate([np.append(ids[ids != 0], np.zeros(gap, int)) for ids in reviews])


ids = stream(reviews.train.inputs, gap=5)
frequencies = np.bincount(ids, minlength=len(vocabulary)) * 1.0
frequencies[:2] = 0
table = count_pairs(ids, len(vocabulary), window=5)
noise = noise_distribution(frequencies)
small_vectors = train_skip_gram(table, noise, embed_dim=16, epochs=200)

# %% [markdown] slideshow={"slide_type": "notes"}
# It takes a tenth of a second: 123 words, and the counting does the work of going through the
# text. Collect predictions for the neighbour of *wonderful*, and write them down.

# %% slideshow={"slide_type": "subslide"}
asked = ("wonderful", "monday", "sailor", "plot", "sister")
for word in (word for word in asked if word in vocabulary.words):
    near = neighbours(word, vocabulary.words, small_vectors)[:4]
    print(f"{word:10s}", ", ".join(f"{other} {cosine:.2f}" for other, cosine in near))

# %% [markdown] slideshow={"slide_type": "fragment"}
# Days, trades, kinsfolk and film words have found each other, with no label and no dictionary.
# And beside *wonderful* stands *dull*: **near means same company, not same meaning.**

# %% [markdown] slideshow={"slide_type": "skip"}
# In *the plot was ___* praise and blame are interchangeable, and hardly anything in a window of
# five words tells them apart. If your task *is* to tell praise from blame, these vectors have
# put together exactly what you must separate. Train with another `seed`, and other words of
# blame come near. The picture below keeps two of sixteen directions: what lies apart in it is
# apart; what lies together may differ in the other fourteen.

# %% [markdown] slideshow={"slide_type": "notes"}
# Let the first line sink in. In "the plot was ___" praise and blame are interchangeable; hardly
# anything in a window of five words tells them apart. If your task *is* praise against blame,
# these vectors have put together exactly what you must separate. Do real vectors do better?
# Next slide.


# %% slideshow={"slide_type": "skip"}
def show_map(groups, words, vectors, alt, named=True):
    """Draw groups of words on the two directions in which their unit vectors differ most."""
    known = {
        group: [word for word in listed.split() if word in words]
        for group, listed in groups.items()
    }
    places = {
        group: np.array([list(words).index(word) for word in known[group]], int)
        for group in known
    }
    chosen = unit(vectors)[np.concatenate(list(places.values()))]
    _, _, directions = np.linalg.svd(chosen - chosen.mean(axis=0), full_matrices=False)
    flat = unit(vectors) @ directions[:2].T
    drawing, axes = cu.plotting.figure(9, 4.4)
    for (group, members), marker in zip(places.items(), "osD^vP", strict=False):
        axes.scatter(*flat[members].T, label=group, marker=marker)
        for number, place in enumerate(members if named else []):
            side = {"xytext": (-6, -4), "ha": "right"} if number % 2 else {"xytext": (6, -4)}
            axes.annotate(words[place], flat[place], textcoords="offset points", **side)
    axes.margins(0.12)
    axes.set(xlabel="first principal direction", ylabel="second")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    cu.plotting.show(drawing, alt)


# %% slideshow={"slide_type": "subslide"} tags=["hide-input"]
show_map(
    {
        "praise": "wonderful superb charming great",
        "blame": "awful dull boring poor",
        "film": "acting plot music cast",
        "kin": "sister brother friend",
        "days": "monday tuesday friday",
        "trades": "teacher doctor sailor",
    },
    vocabulary.words,
    small_vectors,
    "Words of the small reviews on two principal directions of their vectors: days, trades and "
    "kin lie apart from one another; words of praise and of blame share one place, with the "
    "film words beside them.",
    named=False,
)

# %% [markdown] slideshow={"slide_type": "notes"}
# The picture keeps two of sixteen directions: what lies apart is apart, what lies together may
# not be. Ask which groups share one place, and what company the film words keep.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Real vectors: 75,000 film reviews
#
# The same two functions, on the 25,000 training and 50,000 unlabelled IMDB reviews; **never**
# the test texts. 6,000 words, 100 dimensions, window 5.

# %% [markdown] slideshow={"slide_type": "skip"}
# In the quick profile the cell loads the shipped vectors, the most frequent words and those
# that this lecture asks about. In the full profile it trains them anew, in a few minutes. One
# step is new: `thin` scales down the pairs of very frequent words, as if some of their
# occurrences had been left out of the text, since *the* stands beside everything and so says
# little about its neighbours (Mikolov et al., 2013).


# %% slideshow={"slide_type": "skip"}
def train_real_vectors(size=6_000, embed_dim=100, window=5, epochs=150):
    """Return words, their vectors, and how many words of text they were learned from."""
    corpus = cu.data.load_imdb_corpus(vocab_size=size)
    gaps = np.repeat(corpus.offsets[1:-1], window)
    ids = np.insert(corpus.ids, gaps, 0)
    frequencies = np.bincount(ids, minlength=size) * 1.0
    frequencies[:2] = 0
    table = subsample(count_pairs(ids, size, window), frequencies)
    noise = noise_distribution(frequencies)
    vectors = train_skip_gram(
        table, noise, embed_dim, epochs, learning_rate=0.02, seed=session.seed
    )
    return np.array(corpus.vocabulary.words[2:]), vectors[2:], len(corpus.ids)


if session.profile == "full":
    words, vectors, text_length = train_real_vectors()
else:
    shipped = cu.models.load_pretrained("skip_gram_imdb")
    words, vectors = shipped["words"], shipped["vectors"].astype("float32")
print(f"{len(words):,} words, {vectors.shape[1]} dimensions; the first: {', '.join(words[:6])}")

# %% [markdown] slideshow={"slide_type": "notes"}
# Say where the vectors come from and what they have not seen: no label, and no test text. Read
# the neighbours aloud. *boring*: synonyms. *actor*: his colleagues and his trade. *horror*: the
# shelf in the shop. Then ask where *bad* is in the list of *good*.

# %% slideshow={"slide_type": "-"}
for word in ("good", "boring", "actor", "funny", "horror", "france"):
    near = neighbours(word, words, vectors)[:5]
    print(f"{word:8s}", ", ".join(f"{other} {cosine:.2f}" for other, cosine in near))

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Opposites keep the same company
#
# Of all the other words, how near is the opposite?

# %% slideshow={"slide_type": "-"}
for pair in ("good bad", "best worst", "interesting boring", "love hate", "funny sad"):
    word, opposite = pair.split()
    near = neighbours(word, words, vectors)
    rank = [other for other, _ in near].index(opposite)
    print(f"{word:12s}{opposite:8s} cosine {near[rank][1]:.2f}, neighbour number {rank + 1:,}")

# %% [markdown] slideshow={"slide_type": "skip"}
# Of some four thousand words, *bad* is among the two dozen nearest to *good*, *worst* to
# *best*, and *sad* to *funny*. With *love* and *hate* it is not so: being opposites is not
# enough, they must also be used in the same places.

# %% [markdown] slideshow={"slide_type": "notes"}
# *good* and *bad*, *best* and *worst*: of four thousand words, the opposite is among the
# nearest two dozen, though not with every pair. Film reviews use both in the same places. Ask
# for pairs to try; this is the moment for a lecturer's own curiosity.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Analogies
#
# *man is to woman as actor is to …?* Take the step from man to woman, start at actor:
#
# $$\text{actor} - \text{man} + \text{woman} \approx \;?$$
#
# All vectors get length 1, and the three words of the question are no answers.

# %% slideshow={"slide_type": "fragment"}
asked = ("man woman actor", "good better bad", "man woman king", "prince princess king")
for question in asked:
    answers = analogy(*question.split(), words, vectors)
    print(f"{question:22s} → {', '.join(answers[:4])}")

# %% [markdown] slideshow={"slide_type": "skip"}
# The method deserves a second look. All vectors get length 1, since otherwise words with long
# ones would win by size. And the three words of the question are **left out** of the answers: a
# small step from *king* often ends nearest to *king* still, or to *woman*. The list below
# counts how often. Much of the fame of analogies rests on that rule.

# %% [markdown] slideshow={"slide_type": "notes"}
# Ask for predictions line by line, and for the last two insist on them. *man : woman :: king*
# is the famous one; ask for the same queen by another pair, *prince : princess :: king*, and
# see. In film reviews a king is rarely a monarch: King is Stephen, Kong, or the Lion. A vector
# knows the company that *this* corpus keeps, and nothing else.

# %% [markdown] slideshow={"slide_type": "skip"}
# One analogy proves nothing: textbooks print those that work. So here is a list from which
# nothing was taken out because it failed, and a score: the answer must come first of all words.

# %% slideshow={"slide_type": "skip"}
QUESTIONS = """
man woman actor actress;     man woman he she;            man woman father mother
man woman husband wife;      boy girl son daughter;       man woman king queen
prince princess king queen;  brother sister uncle aunt;   husband wife boyfriend girlfriend
good better bad worse;       good best bad worst;         big bigger small smaller
old older young younger;     movie movies film films;     actor actors actress actresses
child children man men;      is was are were;             go went come came
make made take took;         see seen do done;            think thought say said
play played act acted;       france french italy italian; germany german japan japanese
england london france paris; comedy funny horror scary;   book author film director
song singer script writer;   good bad interesting boring; he his she her
one first two second;        him himself her herself
"""
questions = [line.split() for line in QUESTIONS.replace("\n", ";").split(";") if line.strip()]
known = [question for question in questions if np.isin(question, words).all()]
answers = {" ".join(question): analogy(*question[:3], words, vectors)[:1] for question in known}
right = [question for question in answers if answers[question][0] == question.split()[3]]
print(f"right at first place: {len(right)} of {len(known)} (of {len(questions)} on the list)")

directions, allowed = unit(vectors), 0
for question in known:
    first, second, third = asked = [list(words).index(word) for word in question[:3]]
    target = directions[second] - directions[first] + directions[third]
    allowed += np.argmax(directions @ target) in asked
print(f"were the question's own words allowed, one would be the answer to {allowed} of these")

# %% slideshow={"slide_type": "skip"}
if session.profile == "full":
    metrics = {"analogies_right": len(right), "analogies_asked": len(known)}
    settings = {"words_of_text": text_length, "answers": answers}
    cu.results.record(
        LECTURE, "skip_gram", "imdb", metrics, parameters=2 * vectors.size, settings=settings
    )

# %% slideshow={"slide_type": "subslide"} tags=["hide-input"]
attempts = cu.results.load(LECTURE, "skip_gram")
rows = []
for question in questions:
    *asked, wanted = question
    replies = [run["settings"]["answers"].get(" ".join(question)) for run in attempts]
    replies = [reply[0] if reply else "not in the vocabulary" for reply in replies]
    if any(reply != wanted for reply in replies):
        row = {"question": " : ".join(asked[:2]) + f" :: {asked[2]} : ?", "wanted": wanted}
        rows.append(row | {f"seed {k}": reply for k, reply in enumerate(replies)})
scores = ", ".join(
    f"{run['metrics']['analogies_right']} of {run['metrics']['analogies_asked']}"
    for run in attempts
)
print(f"right: {scores}; {len(rows)} questions are missed by some seed, here are twelve")
cu.results.Table(rows[:12])

# %% [markdown] slideshow={"slide_type": "notes"} claims=["recorded('skip_gram', 'imdb', 'analogies_asked').min() >= 25"]
# Do not skip the failures. Read a few rows: many wrong answers are near misses of the right
# kind (a relative, another form of the verb). And look along the rows: the three seeds
# disagree, on the same counts, from another random start. One run's famous analogy is no
# property of the language.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The slides' relationship table (in brackets: what was wanted)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
RELATIONS = {
    "france paris": "italy rome, japan tokyo, germany berlin",
    "big bigger": "small smaller, cold colder, quick quicker",
    "miami florida": "baltimore maryland, dallas texas, kona hawaii",
    "einstein scientist": "messi midfielder, mozart violinist, picasso painter",
    "sarkozy france": "berlusconi italy, merkel germany, koizumi japan",
    "copper cu": "zinc zn, gold au, uranium u",
    "berlusconi silvio": "sarkozy nicolas, putin vladimir, obama barack",
    "microsoft windows": "google android, ibm linux, apple iphone",
    "microsoft ballmer": "google page, ibm mcnealy, apple jobs",
    "japan sushi": "germany bratwurst, france tapas, usa pizza",
}
rows = []
for relation, wanted in RELATIONS.items():
    replies, lacking = [], []
    for first, last in (pair.split() for pair in wanted.split(", ")):
        missing = [word for word in (*relation.split(), first) if word not in words]
        lacking += [word for word in missing if word not in lacking]
        if not missing:
            answer = analogy(*relation.split(), first, words, vectors)[0]
            replies.append(f"{first}: {answer}" + ("" if answer == last else f" ({last})"))
            lacking += [last] if last not in words else []
    row = {"relation": relation.replace(" ", " – "), "answers": "; ".join(replies) or None}
    rows.append(row | {"no vector for": ", ".join(lacking) or None})
cu.results.Table(rows)

# %% slideshow={"slide_type": "skip"}
if session.profile == "full":
    asked = set(" ".join([*RELATIONS, *RELATIONS.values(), *map(" ".join, questions)]).split())
    asked = np.flatnonzero(np.isin(words, [word.strip(",") for word in asked]))
    frequent = np.setdiff1d(np.arange(len(words)), asked)[: 4_000 - len(asked)]
    kept = np.sort(np.concatenate([asked, frequent]))
    arrays = {"words": words[kept], "vectors": vectors[kept].astype("float16")}
    run = f"{LECTURE}/skip_gram-imdb-seed0"
    note = "the most frequent words and those the lecture asks about; never the test texts"
    cu.models.save_pretrained(
        "skip_gram_imdb", arrays, run, words_of_text=text_length, which=note
    )

# %% [markdown] slideshow={"slide_type": "skip"}
# Each row's first pair sets a relation, and other words should follow it. Most rows fall at the
# first hurdle: film reviews of before 2011 do not speak of Sarkozy, zinc or sushi often enough
# for a vector. A word that is not in the vocabulary has no vector, and the model must say so
# rather than answer with its neighbour in the list. Vectors do not know *the world*, they know
# *their corpus*.

# %% [markdown] slideshow={"slide_type": "skip"}
# Look at the rows that *are* answered, too. *Tokyo*, *colder* and *quicker* have no vector, so
# three of the questions could only be answered wrongly. Of the other three the comparative is
# right: it is a matter of grammar and shows in any text. The two capitals are wrong: which city
# governs which country shows only in texts that speak of it. The published table has its errors
# as well, among them tapas for France: it was printed to show what the vectors say, not what is
# true.

# %% [markdown] slideshow={"slide_type": "notes"}
# The slides show this table from Mikolov et al. (2013), trained on Google News. There, too, not
# every cell is right: by exact match, the authors say, it would score about 60 %. Ask which
# corpus would answer "copper – Cu".

# %% slideshow={"slide_type": "subslide"} tags=["hide-input"]
show_map(
    {
        "praise": "wonderful superb great excellent",
        "blame": "awful terrible boring dull worst",
        "people": "actor director actress singer",
        "family": "mother sister father brother",
        "countries": "italy germany france england",
    },
    words,
    vectors,
    "Twenty-one words of the real vectors on two principal directions: countries, family, "
    "people of the film trade and judgements form clusters; praise and blame lie side by side.",
)

# %% [markdown] slideshow={"slide_type": "notes"}
# Praise and blame lie side by side, but no longer on top of each other: with 75,000 reviews
# there is a direction that tells them apart. Remember this for the next section.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 01.4 · The analogy
#
# Which words best complete *first is to second as third is to …*? Return all other words than
# these three, the best first.

# %% builds="course_utils.lectures.lecture_01.analogy" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
analogy = cu.exercises.use("01.4", analogy)

# %% [markdown] slideshow={"slide_type": "notes"}
# Five minutes. The two slips of the hint are the two that published code makes most: question
# words allowed, no normalisation. The check tells them apart by the ranking.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## 5 · Learned with the task, or brought along?
#
# The averaging classifier three times:
#
# | | the table starts | and then |
# | --- | --- | --- |
# | **learned** | at random | is trained with the labels |
# | **frozen** | with the skip-gram vectors | stays as it is |
# | **fine-tuned** | with the skip-gram vectors | is trained with the labels |
#
# **Predict:** which is best with 20,000 labels? And with 200?

# %% [markdown] slideshow={"slide_type": "notes"}
# Take the vote for both questions. Remind them of the warning two slides back: good and bad are
# neighbours. So is it hopeless? Neighbours, yes, but not the same point: with 100 dimensions
# there is room for a direction that tells them apart, if something looks for it.

# %% [markdown] slideshow={"slide_type": "skip"}
# The vectors are centred and scaled to one common spread before they move in: all skip-gram
# vectors share a large common part, which says nothing and slows the unit on top down. Words of
# the classifier's vocabulary that have no vector start at zero.

# %% slideshow={"slide_type": "skip"}
data = load(**session.pick(quick={"mixture": {"plain": 1.0}}, full={"length": 200}))
directions = unit(vectors)
directions = 3 * (directions - directions.mean(axis=0)) / directions.std()
place = {word: number for number, word in enumerate(words)}
brought = np.zeros((len(data.vocabulary), vectors.shape[1]), "float32")
for number, word in enumerate(data.vocabulary.words):
    if word in place:
        brought[number] = directions[place[word]]
found = int((brought != 0).any(axis=1).sum())
print(f"{found:,} of {len(data.vocabulary):,} words have a vector")


# %% slideshow={"slide_type": "subslide"}
def classifier(start):
    """The averaging network, whose table is learned, frozen or fine-tuned."""
    table = keras.layers.Embedding(
        *brought.shape, mask_zero=True, trainable=start != "frozen", name=start
    )
    network = keras.Sequential(
        [
            keras.Input((None,), dtype="int32"),
            table,
            keras.layers.GlobalAveragePooling1D(),
            keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    if start != "learned":
        table.set_weights([brought])
    adam = keras.optimizers.Adam(session.pick(quick=0.03, full=0.01))
    network.compile(adam, "binary_crossentropy", metrics=["accuracy"])
    return network


# %% [markdown] slideshow={"slide_type": "notes"}
# One network, three starts. *Frozen* leaves 101 numbers to learn, a hundred weights and a bias;
# the other two train a million. Ask which of them 200 reviews can determine.

# %% [markdown] slideshow={"slide_type": "skip"}
# All three train for the same number of epochs (more of them where there are few labels) and
# keep the epoch that was best on 1,000 validation reviews (all 400 in the quick run); the test
# set is read once, at the end. The quick run has 20 labelled plain reviews of ours, and the
# vectors of *real* reviews move in.

# %% slideshow={"slide_type": "skip"}
EPOCHS = session.pick(quick={20: 15}, full={200: 40, 2_000: 20, 20_000: 6})
order = np.random.default_rng(session.seed).permutation(len(data.train))
live = []
for labels, epochs in EPOCHS.items():
    drawn = data.train.take(order[:labels])
    few = replace(data, train=drawn, val=data.val.take(slice(0, 1_000)))
    for start in ("learned", "frozen", "fine_tuned"):
        keras.utils.set_random_seed(session.seed)
        print(f"{labels:,} labels, {start.replace('_', '-')}")
        network = classifier(start)
        run = cu.training.fit(network, few, epochs, batch_size=32, patience=epochs)
        test_accuracy = network.evaluate(data.test.inputs, data.test.targets, verbose=0)[1]
        live.append({"labels": labels, "table": start, "test accuracy": test_accuracy})
        settings = {"labels": labels, "length": 200, "learning_rate": 0.01, "batch_size": 32}
        name = f"{start}_{labels}"
        run.record(LECTURE, name, "imdb", settings=settings, test_accuracy=test_accuracy)

# %% slideshow={"slide_type": "subslide"} tags=["hide-input"]
drawing, axes = cu.plotting.figure(8, 3.6)
described = []
for start, marker in (("learned", "o"), ("frozen", "s"), ("fine_tuned", "^")):
    sizes = (200, 2_000, 20_000)
    runs = [cu.results.load(LECTURE, f"{start}_{labels}") for labels in sizes]
    means = [cu.results.mean(three, "test_accuracy")[0] for three in runs]
    for seed in range(min(map(len, runs))):
        single = [three[seed]["metrics"]["test_accuracy"] for three in runs]
        axes.plot(sizes, single, color="#C9CFD6", linewidth=1, zorder=1)
    axes.plot(sizes, means, marker=marker, label=start.replace("_", "-"))
    described.append(f"{start} " + ", ".join(f"{mean:.3f}" for mean in means))
axes.set(xscale="log", xlabel="labelled reviews", ylabel="test accuracy, IMDB")
axes.set_xticks(sizes, [f"{labels:,}" for labels in sizes])
axes.minorticks_off()
axes.legend()
cu.plotting.show(
    drawing,
    "Recorded test accuracy on IMDB with 200, 2,000 and 20,000 labels, mean of three seeds: "
    + "; ".join(described),
)

# %% slideshow={"slide_type": "skip"} tags=["hide-input"]
cu.results.Table(live)

# %% [markdown] slideshow={"slide_type": "fragment"}
# **Few labels: keep what the unlabelled text knows. Many labels: let the task change it.**

# %% [markdown] slideshow={"slide_type": "skip"} claims=["apart(recorded('frozen_200', 'imdb'), recorded('learned_200', 'imdb'))", "apart(*(recorded(f'{start}_20000', 'imdb').mean() for start in ('fine_tuned', 'learned', 'frozen')))"]
# With 200 labels the frozen table is best: only 101 numbers have to be learned, and the vectors
# know from unlabelled text that *superb* and *brilliant* go together, so a weight learned from
# one serves the other. A table that is learned from 200 reviews knows nothing of the words that
# these reviews lack. With 20,000 labels the order turns: frozen vectors, in which good and bad
# are neighbours, are now the handicap, and a table that the task may move does better; best if
# it did not start from nothing. The grey lines are single seeds, and each seed also draws other
# labelled reviews, so the spread is honest.
#
# And all of it stays below counting words, and words and pairs, with 20,000 labels. Part of
# that may be the text: these networks read the last 200 words, the counters all of them. And an
# average of vectors is, as you have seen above, at best a word counter again.

# %% [markdown] slideshow={"slide_type": "notes"}
# This is the seed of everything later in the course: *learn from much plain text first, from
# few labels afterwards*. Here it is one table of vectors; in the pre-training lab it is a whole
# network. Compare with counting on 20,000 labels: still ahead.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What no average of vectors can know
#
# Shuffle the words of every test review. What does each model say now?

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
generator = np.random.default_rng(0)
in_order = [cu.data.tokenize(text) for text in texts.test.inputs]
shuffled = [generator.permutation(tokens).tolist() for tokens in in_order]
outputs = []
for reading in (in_order, shuffled):
    ids = cu.data.pad([vocabulary.encode(tokens) for tokens in reading], length=200)
    outputs.append(probability(average, ids))
print(f"averaged embeddings: largest change {np.abs(outputs[0] - outputs[1]).max():.3f}")
moved = pair_counter.predict(vectorizer.transform(" ".join(tokens) for tokens in shuffled))
changed = (moved != pair_counter.predict(pairs_test)).mean()
print(f"words and pairs: {changed:.0%} of the verdicts change")

# %% [markdown] slideshow={"slide_type": "skip"}
# Averaging does not notice. The pair counter changes its mind on *more* than half, and a coin
# would change half. Who is hit?

# %% slideshow={"slide_type": "skip"}
found = by_phenomenon(moved, texts.test)
print("words and pairs, shuffled:", {name: round(value, 2) for name, value in found.items()})
for column in ("was dull", "never dull", "dull"):
    print(f"{column:12s}{pair_counter.coef_[0][vectorizer.vocabulary_[column]]:6.2f}")

# %% [markdown] slideshow={"slide_type": "skip"}
# The plain reviews: they are now read backwards. In a pair's company the signs are right: the
# sum of *dull* and *was dull* speaks for blame, that of *dull* and *never dull* for praise. But
# the bare *dull* has come out on the side of praise. In the training texts it never stands
# without a pair, so its own sign was never put to the test. Shuffling tears the pairs apart and
# leaves the bare words.

# %% [markdown] slideshow={"slide_type": "fragment"}
# To counting and averaging, *dull, not clever* and *clever, not dull* are **the same review**.
# What is missing is a model that reads word after word and remembers.

# %% [markdown] slideshow={"slide_type": "notes"}
# Should somebody ask why more than half of the pair counter's verdicts change: the notebook
# shows that, without its pairs, it reads plain reviews backwards.
#
# End on the board where you began: strike through everything on the list that our models have
# no access to. What remains on the list is the programme of the course. Next time: a loop that
# reads.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 01.5 · Fool every counter
#
# Write two short reviews with **opposite verdicts** that every word counter must score alike.
# Give each as `(text, label)`, label 1 for praise and 0 for blame.

# %% builds="course_utils.lectures.lecture_01.fool_every_counter" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
fool_every_counter = cu.exercises.use("01.5", fool_every_counter)

# %% [markdown] slideshow={"slide_type": "notes"}
# Collect the pairs of the room and read the best ones aloud. Then ask which of them *bigrams*
# would tell apart, and for a pair that fools bigrams too (repeat a neutral stretch between the
# clue and the adjective).

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Summary
#
# - **Counting** is strong on real reviews and reads negation backwards; n-grams buy short order
#   with columns
# - **An embedding is a lookup**, a lookup is a one-hot product: vocabulary × dimensions
#   parameters
# - **Flatten** sees places and pads, **averaging** with a mask sees neither
# - **Skip-gram** learns vectors from company: near means *used alike*, not *meaning the same*
# - **Brought along** beats learned when labels are few
# - **No average knows order** → lecture 2: the recurrent network

# %% [markdown] slideshow={"slide_type": "notes"}
# Go back to the list on the board and to the goals of the second slide. One sentence for the
# way home: *near means used alike*.

# %% [markdown] slideshow={"slide_type": "skip"}
# ### Papers
#
# - Mikolov, Chen, Corrado, Dean (2013). *Efficient estimation of word representations in vector
#   space.* Skip-gram, and the relationship table.
# - Mikolov, Sutskever, Chen, Corrado, Dean (2013). *Distributed representations of words and
#   phrases and their compositionality.* Negative sampling.
# - Levy, Goldberg (2014). *Neural word embedding as implicit matrix factorization.* What it
#   optimises.
# - Wang, Manning (2012). *Baselines and bigrams: simple, good sentiment and topic
#   classification.* The log ratios.
# - Maas, Daly, Pham, Huang, Ng, Potts (2011). *Learning word vectors for sentiment analysis.*
#   The IMDB reviews.

# %% [markdown] slideshow={"slide_type": "notes"}
# Homework, if you give any: replace the log ratios by the plain counts in `climb`, or ask
# `count_pairs` for a window of 1 and of 20 and compare the neighbours of *good*: small windows
# find words of the same grammar, large ones words of the same topic.
