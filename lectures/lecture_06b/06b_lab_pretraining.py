# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   title: "Lab 6b · Pre-training"
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] slideshow={"slide_type": "slide"} tags=["title"]
# # Pre-training
#
# **Lab 6b** · what text without labels is worth, and what it costs to find out

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Ask how long it takes to label 25,000 reviews: at a minute each, ten working weeks.
# And to collect 50,000 without labels? An evening. Today's question is what the second
# collection is worth.

# %% [raw]
# given(25_000)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What you will be able to do
#
# 1. build a byte-pair tokenizer that learns the same merges as the library
# 2. build the masked objective of BERT and its loss, and pre-train an encoder with them
# 3. compare two objectives at equal numbers of predictions
# 4. fine-tune with 200 labels, beside baselines that are tuned alike; with all weights or with
#    a low-rank adapter that you build
# 5. find a test set that leaked into the pre-training text

# %% [markdown] slideshow={"slide_type": "skip"}
# **You need** lecture 6 (the encoder block, the causal mask) and lecture 1 (tf-idf). **It
# takes** about ninety minutes, of which the seven exercises take forty-eight. After an exercise
# the notebook runs on your own definition if it is correct, and on the course's otherwise.
# Other heads than a classifier, and BERT's ablations, are in lab 6c.

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Read the five points. The third is the one that papers get wrong most often: two
# methods that read the same text have not always been asked equally many questions.

# %% slideshow={"slide_type": "skip"} name="start"
import course_utils as cu

session = cu.start(seed=0)  # before Keras is imported, so that its backend starts quietly
LECTURE = "06b_lab_pretraining"

from collections import Counter

import keras
import numpy as np
from keras import layers, ops

from course_utils.data import tokenize
from course_utils.data.base import UNKNOWN
from lectures import lecture_06b as lab

# %% slideshow={"slide_type": "skip"}
from lectures.lecture_06b import (
    LanguageBatches,
    Tuner,
    balanced_sample,
    few_reviews,
    freeze,
    library_merges,
    new_encoder,
    next_tokens,
    pooled,
    record,
    tokenizers,
)
from lectures.lecture_06b.pretraining import word_embedding
from lectures.lecture_06b.shipped import load_encoder
from lectures.lecture_06b.tokenizers import MASK, SPECIAL, Tokenizer

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Few labels are not enough for an encoder
#
# Short reviews by the course's grammar; half of them negate their verdict ("was never dull").

# %% slideshow={"slide_type": "skip"}
recorded = cu.results.load(LECTURE, "few_labels", "short_reviews")


def by_count(arm, runs=recorded, counts=(50, 200, 800)):
    """Recorded test accuracies of an arm: {number of labels: a value a seed}."""
    return {
        str(count): [run["metrics"][f"{arm}, {count}: test"] for run in runs]
        for count in counts
    }


def panels(arms, **how):
    """One panel for each {title: arm}, by number of labels."""
    return {title: {"": by_count(arm, **how)} for title, arm in arms.items()}


# %% slideshow={"slide_type": "-"} tags=["hide-input"]
words = {"tf-idf, words": "tfidf of words", "tf-idf, pairs": "tfidf", "LSA, pairs": "lsa"}
cu.plotting.dots(
    panels({"encoder from scratch": "from scratch"} | words),
    ylabel="test accuracy",
    xlabel="labels",
    chance=0.5,
)

# %% [markdown] slideshow={"slide_type": "-"}
# One dot, one seed: the mean over three samples of labelled reviews, the same ones for all.
# *Words*: tf-idf of single words; *pairs*: with pairs of words or without, as validation
# chooses.

# %% [raw]
# given(3)

# %% [markdown] slideshow={"slide_type": "skip"}
# The encoder is the one of lecture 6: two blocks, 32 channels. **Tf-idf** (lecture 1) feeds a
# logistic regression. **LSA**, latent semantic analysis, first cuts the tf-idf vectors to 50 or
# 200 numbers by a **singular value decomposition** of 6,000 *unlabelled* reviews, so that terms
# which occur in the same reviews get similar numbers. (The weights of tf-idf, too, are counted
# in these reviews.) It is one of the oldest ways to use text without labels
# ([1990](https://doi.org/10.1002/%28SICI%291097-4571%28199009%2941:6%3C391::AID-ASI1%3E3.0.CO;2-9))
# and takes seconds; any other way has to beat it. The strength of the regression and the number
# of dimensions are chosen on 400 validation reviews, as the encoder's learning rate is.
#
# Single words stay near chance: in a sum of words, "never" cannot reverse its neighbour. Pairs
# can: "never dull" is a term of its own. **A baseline has to be tuned as carefully as the
# candidate; otherwise the candidate wins by neglect.**

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Ask what the encoder has to learn from 200 labels: what "never" does, and that
# "superb" and "splendid" mean the same. Who could tell it the second without a label? The
# reviews themselves: people who call the plot superb also call the cast splendid.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Text becomes tokens

# %% slideshow={"slide_type": "-"}
cu.figures.show("06b_pieces")

# %% [markdown] slideshow={"slide_type": "skip"}
# Whole words have two faults: every word outside the vocabulary becomes `<unknown>`, and *film*
# and *films* share nothing. Characters avoid both, but sequences become more than five times as
# long, and the cost of attention grows with the square of the length. **Subword tokens** lie
# between: frequent words stay whole, rare ones are cut into frequent parts. **Byte-pair
# encoding** (BPE) finds the parts: start from single characters, join the most frequent pair of
# neighbours, and repeat until the vocabulary is full. **Merges** never cross the border of a
# word.

# %% [raw]
# cell("tokenizers-imdb", "characters", 152, "tokens a word") > 5 * cell(
#     "tokenizers-imdb", "words, lower-cased", 8000, "tokens a word"
# )

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Read the drawing from top to bottom and ask what each row costs: how many tokens,
# and what happens to a word that nobody has seen? ▁ and Ġ mark a blank in front of a token, ##
# a token that continues a word.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 06b.1 · One merge
#
# In `["l", "o", "l", "o", "w"]` the pair l, o becomes `["lo", "lo", "w"]`.

# %% builds="lectures.lecture_06b.merge" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
merge = cu.exercises.use("06b.1", merge)

# %% [markdown] slideshow={"slide_type": "notes"}
# (5 minutes) Two traps: replacing inside one long string, which joins the end of one token with
# the start of the next, and a position that moves on by one after a merge. Have them try a a a.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 06b.2 · Learn the merges
#
# *hug* 10 times, *pug* 5, *pun* 12, *bun* 4, *hugs* 5: u, g occurs 20 times. What is next?

# %% [raw]
# given(10, 20)

# %% slideshow={"slide_type": "skip"} shows="lectures.lecture_06b.count_pairs"
# filled by the build

# %% builds="lectures.lecture_06b.train_bpe" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
train_bpe = cu.exercises.use("06b.2", train_bpe)

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
print("merges:", *map("".join, train_bpe(counts, 3, merge)))
reviews = cu.data.load_reviews(form="text", **lab.SHORT).train.inputs
counts = Counter(word for text in reviews for word in tokenize(text))
merges = train_bpe(counts, 200, merge)
print(len(merges), "merges, equal to the library's:", merges == library_merges(counts, 200))

# %% [markdown] slideshow={"slide_type": "skip"}
# After *ug* comes *un* (16), then *hug* (15). The library breaks ties in the same way as you
# do; with another rule the lists would part at the first tie. It is faster because it updates
# only the counts that a merge has changed.

# %% slideshow={"slide_type": "skip"} shows="lectures.lecture_06b.BytePairs"
# filled by the build

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
tokenizer = BytePairs(merges, reviews)
for text in ("The plot was never dull.", "An unplanned plotline!"):
    print(" · ".join(tokenizer.tokens(text)), " ", tokenizer.ids(text))

# %% [markdown] slideshow={"slide_type": "skip"}
# To cut a new word, the merges are applied in the order in which they were learned. Words
# outside the training text are cut finely, but they are not lost. From here on the lab reads
# with this tokenizer, which is yours.

# %% [markdown] slideshow={"slide_type": "notes"}
# (8 minutes) Do the first two merges on the board. The usual mistakes: pairs counted once a
# word instead of once an occurrence, and all merges taken from the first count. Those who
# finish early predict how "bug" is cut: b, ug.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Which tokenizer loses what?

# %% slideshow={"slide_type": "skip"}
kinds = ("characters", "words", "bpe", "byte_bpe", "wordpiece", "unigram")
trained = {
    tokenizers.KINDS[kind]: tokenizers.train(kind, reviews[:2_000], size=400) for kind in kinds
}
strange = "The ending was 👍, сказал Иван."
table = []
for name, other in trained.items():
    ids = other.ids(strange)
    same = "yes" if other.text(ids) == strange else "no"
    table.append(
        {"tokenizer": name, "tokens": len(ids), "unknown": ids.count(1), "exact": same}
    )

# %% [markdown] slideshow={"slide_type": "-"}
# **Predict before you run:** "subwords have no unknowns". For which of six tokenizers is that
# true of *The ending was 👍, сказал Иван.*?

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "hide-input"]
cu.results.Table(table)

# %% [markdown] slideshow={"slide_type": "skip"}
# Only *bytes* survive: every text is a sequence of bytes, and all 256 are in the vocabulary.
# All others know the characters of their training text and no more. *Exact* says whether the
# text comes back letter for letter when its ids are decoded.

# %% slideshow={"slide_type": "skip"} tags=["hide-input"]
rows = cu.results.load_table(LECTURE, "tokenizers-imdb")
figure, axes = cu.plotting.figure(9.5, 3.4, columns=2)
shown = ["words, lower-cased", "BPE on characters", "BPE on bytes", "WordPiece, lower-cased"]
shown += ["WordPiece", "Unigram (tokenizers)"]
for axis, column in zip(axes, ("tokens a word", "unknown %"), strict=True):
    for number, name in enumerate(shown):
        points = [(r["vocabulary"], r[column]) for r in rows if r["tokenizer"] == name]
        axis.plot(
            *zip(*points, strict=True), "o-", color=cu.plotting.COLOURS[number], label=name
        )
    axis.set(xlabel="entries of the vocabulary", ylabel=column, ylim=(0, None))
    axis.set_xticks((1_000, 8_000), ("1,000", "8,000"))
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
described = "; ".join(
    f"{r['tokenizer']} {r['vocabulary']}: {r['tokens a word']:.2f}, {r['unknown %']:.2f}"
    for r in rows
    if r["tokenizer"] in shown
)
cu.plotting.show(figure, f"Real reviews: tokens a word and unknown tokens in %. {described}.")

# %% [markdown] slideshow={"slide_type": "skip"}
# Trained on 3,800 real reviews of IMDB, measured on 1,900 others. With 8,000 entries whole
# words still lose 7 % of the text. The size of the vocabulary matters more than the kind: from
# 1,000 to 8,000 entries a third of the tokens is saved. BPE on bytes needs 6 % more tokens than
# BPE on characters and loses nothing, which is why GPT-2 and its successors use it. Compare the
# two lines of **WordPiece**: lower-casing alone saves 3 to 5 % of its tokens, so tokenizers can
# be compared only where case is treated alike.

# %% [raw]
# near(cell("tokenizers-imdb", "words, lower-cased", 8000, "unknown %") / 100, 0.07, 0.005)
# near(
#     1
#     - cell("tokenizers-imdb", "BPE on characters", 8000, "tokens a word")
#     / cell("tokenizers-imdb", "BPE on characters", 1000, "tokens a word"),
#     1 / 3,
#     0.02,
# )
# near(
#     cell("tokenizers-imdb", "BPE on bytes", 8000, "tokens a word")
#     / cell("tokenizers-imdb", "BPE on characters", 8000, "tokens a word")
#     - 1,
#     0.06,
#     0.005,
# )
# near(
#     ends(
#         [
#             1
#             - cell("tokenizers-imdb", "WordPiece, lower-cased", size, "tokens a word")
#             / cell("tokenizers-imdb", "WordPiece", size, "tokens a word")
#             for size in (1000, 8000)
#         ]
#     ),
#     [0.03, 0.05],
#     0.005,
# )

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Most guess that only whole words have unknowns. The emoji costs four bytes, so
# four tokens: a tokenizer trained on English makes Persian texts several times as long, and
# users pay by the token.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Text labels itself

# %% slideshow={"slide_type": "-"}
cu.figures.show("06b_objectives")

# %% [markdown] slideshow={"slide_type": "skip"}
# Hide a part of a text and predict it: no label is needed.
#
# - A **causal language model** (GPT) predicts the *next* token at every position; the causal
#   mask of lecture 6 hides the answer.
# - A **masked language model** (BERT) sees both sides; some tokens are hidden and predicted.
#
# Both are trained with the cross-entropy of the true token, and both use the embedding matrix
# $E$ (words, channels) twice: at the bottom it turns ids into vectors; at the top $h E^\top$
# scores every word against the last state $h$ (**tied weights**).
#
# BERT chooses 15 % of the tokens. Of these, 80 % become `<mask>`, 10 % a random token, and 10 %
# stay as they are. Fine-tuning never shows a `<mask>`, so a model that was asked only at masks
# could ignore all other positions. If any token may be wrong, every token needs a good state.

# %% [raw]
# given(0.15, 0.80, 0.10)

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) Cover the hidden word in the lower row. Which words do you need to guess it? "was"
# says: some adjective. The verdict to the right says: one that praises. The upper row never
# sees the right side. Which of the two can write a text? The upper one.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 06b.3 · Hide tokens, 80/10/10
#
# All random numbers are arguments, so that your result can be checked.

# %% builds="lectures.lecture_06b.hide_tokens" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
hide_tokens = cu.exercises.use("06b.3", hide_tokens)

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
few = few_reviews(tokenizer)  # few.rows: ids without labels; few.ids, .labels, .texts: with
example, draw = few.rows["train"][:1], np.random.default_rng(7)
noise = draw.integers(5, len(tokenizer), example.shape)
inputs, targets = hide_tokens(example, draw.random(example.shape), noise)
real = example[0] > 0
for name, row in (("text", example), ("input", inputs), ("target", targets)):
    print(f"{name:7}", *[tokenizer.entries[i] if i else "·" for i in row[0, real]])

# %% [markdown] slideshow={"slide_type": "notes"}
# (7 minutes) The silent mistake is the order: targets read after the hiding make "mask" the
# answer to every question, and the loss falls to zero within a minute. The second: targets at
# all positions, where copying is free and the loss looks wonderful.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 06b.4 · The loss of what was asked
#
# A row of 40 positions asks about four of them. Average over these, and over nothing else.

# %% builds="lectures.lecture_06b.prediction_loss" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
prediction_loss = cu.exercises.use("06b.4", prediction_loss)

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) The denominator is the point. With a mean over all positions, pads included, a
# masked model's loss would look about eleven times as small: 3.6 of 40 positions are asked on
# average. The losses of models that are asked at different shares could not be compared.

# %% [raw]
# near(40 / 3.6, 11, 0.5)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Pre-train

# %% slideshow={"slide_type": "-"} shows="lectures.lecture_06b.language_model"
# filled by the build

# %% [markdown] slideshow={"slide_type": "skip"}
# Of 6,000 unlabelled reviews 400 are kept back for the validation loss. `few.rows` holds their
# ids, `{"train", "val"}`; `few.ids`, `few.labels` and `few.texts` hold the labelled reviews,
# `{"train", "val", "test"}`; `few.texts["unlabelled"]` the 6,000. `LanguageBatches` cuts rows
# into batches of 32 and calls `hide_tokens` on each, with new random numbers in every epoch.

# %% slideshow={"slide_type": "skip"} shows="lectures.lecture_06b.pretrain"
# filled by the build

# %% [markdown] slideshow={"slide_type": "-"}
# **Predict before you run.** Equal probabilities of all 229 tokens cost ln(229) = 5.4; their
# frequencies (the *unigram baseline*) about 4. Where will one epoch, 175 batches, end?

# %% [raw]
# near(np.log(229), 5.4, 0.05)

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "slide-output"]
keras.utils.set_random_seed(session.seed)
encoder = new_encoder(tokenizer)
batch, targets = LanguageBatches(few.rows["val"], len(tokenizer), hide_tokens, 0.15)[0]
print(f"untrained: {float(prediction_loss(targets, language_model(encoder)(batch))):.2f}")
history = pretrain(few, encoder, hide_tokens, 0.15, epochs=1)
tokens = few.rows["train"][few.rows["train"] >= 5]
shares = np.bincount(tokens) / len(tokens)
unigram = -np.sum(shares[shares > 0] * np.log(shares[shares > 0]))
print(f"unigram baseline {unigram:.2f}; after one epoch {history['val_loss'][-1]:.2f}")

# %% [markdown] slideshow={"slide_type": "skip"}
# Untrained, the model is worse than equal probabilities: its random scores favour some tokens,
# mostly wrong ones. A falling loss is not yet language. Down to the unigram baseline a model
# need only have learned how often words occur; what lies below has to come from the other words
# of the text. Always print the baseline beside the loss. The losses of the two objectives
# cannot be compared with each other; they answer different questions.

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Have a number written down. Where is the output layer of this model? There is
# none: the embedding is used backwards. On real text the plateau at the unigram baseline lasts
# far longer; patience there is part of the craft.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Masked or causal? Count the predictions
#
# Three **pre-trainings** on the same 5,600 reviews, each fine-tuned on the same 200 labels:
# masked at 15 % of the positions, causal at 15 % of them (the loss skips the others), causal at
# all.

# %% slideshow={"slide_type": "skip"}
objectives = cu.results.load(LECTURE, "objectives", "short_reviews")


def accuracy_by(axis, asked):
    """Draw accuracy by epochs, or by predictions; a thin line a seed."""
    for number, name in enumerate(lab.OBJECTIVES):
        for run in objectives:
            each = run["metrics"][f"{name}: predictions"] if asked else 1
            values = [run["metrics"][f"{name}, {epochs}: test"] for epochs in lab.BUDGETS]
            label = name if run is objectives[0] else None
            where = [epochs * each for epochs in lab.BUDGETS]
            colour = cu.plotting.COLOURS[number]
            axis.plot(where, values, "o-", color=colour, markersize=4, linewidth=1, label=label)
    axis.set(xscale="log", xlabel="predictions" if asked else "epochs", ylim=(0.4, 1.02))
    ticks = (20_000, 200_000, 2_000_000) if asked else lab.BUDGETS
    axis.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axis.minorticks_off()
    axis.axhline(0.5, **cu.plotting.GUIDE)


# %% [markdown] slideshow={"slide_type": "-"}
# **Predict before you run:** the left panel counts epochs, the right panel *predictions*. Which
# curve moves, in which direction, and how far?

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "hide-input"]
figure, axes = cu.plotting.figure(9.5, 3.4, columns=2)
accuracy_by(axes[0], asked=False)
accuracy_by(axes[1], asked=True)
axes[0].set_ylabel("test accuracy, 200 labels")
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
said = [
    f"{name}, {epochs} epochs: "
    + ", ".join(f"{run['metrics'][f'{name}, {epochs}: test']:.2f}" for run in objectives)
    for name in lab.OBJECTIVES
    for epochs in lab.BUDGETS
]
cu.plotting.show(
    figure,
    f"Accuracy by epochs and by predictions, {len(objectives)} seeds. {'; '.join(said)}.",
)

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# The third curve moves to the right, by a factor of seven, and the two causal arms change
# places.
#
# An epoch of the first two arms makes 20,000 predictions, one of the third 134,000:
#
# - *At equal epochs* all positions are ahead. After 16 epochs they reach 0.96 to 0.99, 15 % of
#   them 0.94 to 0.96; all positions are higher with every seed.
# - *At equal predictions* they are behind with every seed. Two epochs at all positions make
#   269,000 predictions and give 0.83 to 0.90; sixteen epochs at 15 % make 321,000 and give 0.94
#   to 0.96. Even eight epochs at all positions, 1.07 million predictions, stay behind (0.91 to
#   0.96). So the predictions alone do not decide. Those at neighbouring positions of one review
#   are not independent questions, and the 15 % arm went through the text more often, in more
#   steps of the optimizer. This experiment does not separate the two.
# - **Masked or causal?** At 15 % and 16 epochs: 0.88 to 0.98 masked, 0.94 to 0.96 causal. Three
#   seeds show no order.
#
# Each arm has the learning rate of pre-training with the lowest validation loss among four
# after 16 epochs (0.01 masked, 0.003 causal twice; seed 0 chose); for short budgets another one
# may be better. The learning rate of fine-tuning is chosen on validation for every dot, and a
# dot is the mean over three samples of 200 labels.

# %% [raw]
# near(
#     recorded("objectives", "short_reviews", "causal, 15 %: predictions")
#     / recorded("objectives", "short_reviews", "masked, 15 %: predictions"),
#     1,
#     0.02,
# )
# (
#     recorded("objectives", "short_reviews", "causal, all positions, 16: test")
#     > recorded("objectives", "short_reviews", "causal, 15 %, 16: test")
# ).all() and (
#     recorded("objectives", "short_reviews", "causal, all positions, 8: test")
#     < recorded("objectives", "short_reviews", "causal, 15 %, 16: test")
# ).all()
# (
#     recorded("objectives", "short_reviews", "causal, all positions, 2: test")
#     < recorded("objectives", "short_reviews", "causal, 15 %, 16: test") - 0.06
# ).all() and (
#     recorded("objectives", "short_reviews", "causal, all positions, 1: test")
#     < recorded("objectives", "short_reviews", "causal, 15 %, 8: test")
# ).all()
# near(
#     [
#         recorded("objectives", "short_reviews", "causal, all positions, 8: test").min(),
#         recorded("objectives", "short_reviews", "causal, all positions, 8: test").max(),
#     ],
#     [0.91, 0.96],
#     0.006,
# )
# near(
#     [
#         recorded("objectives", "short_reviews", "causal, all positions, 16: test").min(),
#         recorded("objectives", "short_reviews", "causal, all positions, 16: test").max(),
#         recorded("objectives", "short_reviews", "causal, 15 %, 16: test").min(),
#         recorded("objectives", "short_reviews", "causal, 15 %, 16: test").max(),
#     ],
#     [0.96, 0.99, 0.94, 0.96],
#     0.006,
# )
# near(
#     [
#         recorded("objectives", "short_reviews", "causal, all positions, 2: test").min(),
#         recorded("objectives", "short_reviews", "causal, all positions, 2: test").max(),
#         recorded("objectives", "short_reviews", "masked, 15 %, 16: test").min(),
#         recorded("objectives", "short_reviews", "masked, 15 %, 16: test").max(),
#     ],
#     [0.83, 0.90, 0.88, 0.98],
#     0.006,
# )
# all(
#     about("objectives", "short_reviews", "rate, " + arm) == [rate] * 3
#     for arm, rate in [
#         ("masked, 15 %", 0.01),
#         ("causal, 15 %", 0.003),
#         ("causal, all positions", 0.003),
#     ]
# )
# near(
#     recorded("objectives", "short_reviews", "causal, all positions: predictions")
#     / recorded("objectives", "short_reviews", "causal, 15 %: predictions"),
#     7,
#     0.5,
# )
# near(
#     8 * recorded("objectives", "short_reviews", "causal, all positions: predictions") / 1e6,
#     1.07,
#     0.005,
# )
# given(0.15)
# near(
#     recorded("objectives", "short_reviews", "causal, all positions: predictions")[0]
#     * np.array([1, 2]),
#     [134_000, 269_000],
#     500,
# )
# near(
#     recorded("objectives", "short_reviews", "causal, 15 %: predictions")[0]
#     * np.array([1, 16]),
#     [20_000, 321_000],
#     500,
# )
# given(5_600)

# %% [markdown] slideshow={"slide_type": "notes"}
# (6 minutes) Cover the right panel first and collect conclusions. Then uncover it: the third
# curve moves to the right, by a factor of seven, and the winner becomes the loser. Equal
# epochs, equal predictions, equal time: each is a fair comparison, and they can have different
# answers, so always say which one you mean. Then ask what still differs at equal predictions:
# passes through the text, and steps.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Fine-tuning against everything else

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
pretrained = {"masked": "masked", "causal": "causal"}
cu.plotting.dots(
    panels({"from scratch": "from scratch"} | words | pretrained),
    ylabel="test accuracy",
    xlabel="labels",
    chance=0.5,
)

# %% [markdown] slideshow={"slide_type": "-"} tags=["lead"]
# Beside tf-idf of *single* words one would write "pre-training solves what counting cannot";
# beside pairs, "counting is about as good and takes seconds": the baseline decides.
#
# With 200 labels the encoder reaches 0.67 to 0.71 from scratch, 0.88 to 0.98 after masked and
# 0.96 to 0.99 after causal pre-training; tf-idf and LSA with pairs of words reach 0.97 to 0.98,
# tf-idf of single words 0.54. With 50 labels it is 0.59 to 0.72 (masked), 0.68 to 0.80 (causal)
# and 0.73 to 0.74 (pairs); with 800 masked, causal and pairs are all at 0.99 or above, the
# encoder from scratch at 0.91 to 0.97. The first of the two sentences is wrong, and nothing in
# its table shows it.
#
# There is a reason to expect pairs of words to do well: in this grammar a negation stands
# directly before its adjective, so pairs are the right inductive bias. Note also what is not
# equal: both encoders have read 16 epochs, but the causal one was asked at all positions. The
# learning rate of fine-tuning (three values), the strength of the regression (seven), the use
# of pairs and the size of LSA were chosen on the same validation reviews.

# %% [raw]
# near(
#     [
#         recorded("few_labels", "short_reviews", "from scratch, 200: test").min(),
#         recorded("few_labels", "short_reviews", "from scratch, 200: test").max(),
#     ],
#     [0.67, 0.71],
#     0.006,
# )
# near(
#     [
#         recorded("few_labels", "short_reviews", "masked, 200: test").min(),
#         recorded("few_labels", "short_reviews", "masked, 200: test").max(),
#     ],
#     [0.88, 0.98],
#     0.006,
# )
# near(
#     [
#         recorded("few_labels", "short_reviews", "causal, 200: test").min(),
#         recorded("few_labels", "short_reviews", "causal, 200: test").max(),
#     ],
#     [0.96, 0.99],
#     0.006,
# )
# near(
#     ends(
#         [
#             recorded("few_labels", "short_reviews", f"{arm}, 200: test")
#             for arm in ("tfidf", "lsa")
#         ]
#     ),
#     [0.97, 0.98],
#     0.006,
# )
# near(
#     [
#         recorded("few_labels", "short_reviews", "tfidf, 50: test").min(),
#         recorded("few_labels", "short_reviews", "tfidf, 50: test").max(),
#     ],
#     [0.73, 0.74],
#     0.006,
# )
# near(
#     [
#         recorded("few_labels", "short_reviews", "causal, 50: test").min(),
#         recorded("few_labels", "short_reviews", "causal, 50: test").max(),
#     ],
#     [0.68, 0.8],
#     0.006,
# )
# near(
#     [
#         recorded("few_labels", "short_reviews", "masked, 50: test").min(),
#         recorded("few_labels", "short_reviews", "masked, 50: test").max(),
#     ],
#     [0.59, 0.72],
#     0.006,
# )
# near(recorded("few_labels", "short_reviews", "tfidf of words, 200: test").mean(), 0.54, 0.005)
# min(
#     recorded("few_labels", "short_reviews", "tfidf, 800: test").min(),
#     recorded("few_labels", "short_reviews", "masked, 800: test").min(),
#     recorded("few_labels", "short_reviews", "causal, 800: test").min(),
# ) > 0.985 and near(
#     [
#         recorded("few_labels", "short_reviews", "from scratch, 800: test").min(),
#         recorded("few_labels", "short_reviews", "from scratch, 800: test").max(),
#     ],
#     [0.91, 0.97],
#     0.006,
# )

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) What has to be equal in all panels? Collect on the board: the labelled reviews,
# the right to choose settings on validation, a test set that chooses nothing. What is not
# equal? The time: tf-idf took a second.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## A low-rank adapter
#
# Fine-tuning changes every weight and needs a copy of the model for every task. **LoRA**
# freezes the weight matrix $W$ (inputs, units) and trains a product of two thin ones beside it:
#
# $$y = xW + b + s \cdot (xA)B \qquad A: (\text{inputs}, r) \quad B: (r, \text{units})$$
#
# with a small rank $r$ and a constant factor $s$. With 768 channels and $r = 4$ that is 6,144
# trained weights in place of 589,824.

# %% [raw]
# 768 * 4 * 2 == 6_144
# 768 * 768 == 589_824

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Check the count together: 768 · 4 twice. Ask where B has to start, so that a new
# adapter changes nothing.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 06b.5 · Build the adapter
#
# Two weights and one line. $B$ starts at zero. Why one of the two, and why not both?

# %% slideshow={"slide_type": "skip"} shows="lectures.lecture_06b.OnDense"
# filled by the build

# %% builds="lectures.lecture_06b.LowRank" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
LowRank = cu.exercises.use("06b.5", LowRank)

# %% [markdown] slideshow={"slide_type": "skip"}
# With $B = 0$ the model starts exactly where pre-training ended, and $B$ receives a gradient at
# the first step, because $A$ is sampled. If both started at zero, each gradient, which is a
# product with the other, would stay zero. After training, $W + sAB$ can be added up once, so
# that the adapted model costs no extra time. `lab.add_adapters` freezes an encoder and puts
# your adapter on the queries and values of its attention.

# %% [markdown] slideshow={"slide_type": "notes"}
# (9 minutes) Let them answer the question before they write. Then count: a 70-billion model
# with adapters of rank 8 trains a file of some hundred megabytes a task. Ask why A is applied
# first: x A has four columns.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Your adapter on an encoder that has read
#
# The causal encoder after four epochs at all positions, which comes with the course, then 200
# labels and 300 steps:

# %% slideshow={"slide_type": "skip"}
reader = new_encoder(tokenizer, causal=True)
arrays = cu.models.load_pretrained("causal_reader")
reader.set_weights([arrays[name] for name in sorted(arrays)])

# %% slideshow={"slide_type": "-"} tags=["headline"]
ways = {
    "all weights": (None, 0.002),
    "low rank": (lambda fresh: lab.add_adapters(fresh, LowRank), 0.008),
    "head alone": (freeze, 0.008),
}
for name, (adapt, learning_rate) in ways.items():
    tuner = Tuner(few, new_encoder(tokenizer, causal=True), adapt)
    _, accuracy = tuner(reader.get_weights(), 200, learning_rate, session.seed)  # val, test
    count = sum(int(np.prod(weight.shape)) for weight in tuner.model.trainable_variables)
    print(f"{name:12} {count:6,} trained weights, test accuracy {accuracy:.2f}")

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Which settings differ between the three rows? What is trained, and the learning
# rate, which was fixed for each row and not tuned. So this cell compares nothing fairly; the
# next plot does.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Recorded: the masked encoder after 16 epochs, every row tuned

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
cu.plotting.dots(
    panels({"all weights": "masked", "low rank": "low rank", "head alone": "head alone"}),
    ylabel="test accuracy",
    xlabel="labels",
    chance=0.5,
)

# %% [markdown] slideshow={"slide_type": "-"} tags=["lead"]
# With 1,090 trained weights instead of 24,546 the adapter reaches 0.86 to 0.98 with 200 labels
# (all weights: 0.88 to 0.98); the head alone reaches 0.57 at most.
#
# With 800 labels it reaches 0.95 to 0.99 (0.99 to 1.00): with every seed less than all weights,
# by up to five and a half points. With 50 labels it is ahead of them in two seeds of three. The
# live run starts from another encoder, with one learning rate a row that was not tuned, so its
# rows need not agree. Whether the price of the small update comes from the small encoder or
# from 300 steps of training stays a question; on large models it is reported to be small.

# %% [raw]
# near(
#     [
#         recorded("few_labels", "short_reviews", "low rank, 200: test").min(),
#         recorded("few_labels", "short_reviews", "low rank, 200: test").max(),
#     ],
#     [0.86, 0.98],
#     0.006,
# )
# near(
#     [
#         recorded("few_labels", "short_reviews", "masked, 200: test").min(),
#         recorded("few_labels", "short_reviews", "masked, 200: test").max(),
#     ],
#     [0.88, 0.98],
#     0.006,
# )
# near(
#     [
#         recorded("few_labels", "short_reviews", "low rank, 800: test").min(),
#         recorded("few_labels", "short_reviews", "low rank, 800: test").max(),
#     ],
#     [0.95, 0.99],
#     0.006,
# )
# (
#     recorded("few_labels", "short_reviews", "low rank, 200: test")
#     < recorded("few_labels", "short_reviews", "masked, 200: test")
# ).all() and (
#     recorded("few_labels", "short_reviews", "low rank, 800: test")
#     < recorded("few_labels", "short_reviews", "masked, 800: test")
# ).all()
# (
#     recorded("few_labels", "short_reviews", "low rank, 50: test")
#     > recorded("few_labels", "short_reviews", "masked, 50: test")
# ).sum() == 2
# (
#     near(
#         [
#             recorded("few_labels", "short_reviews", "low rank: trained weights")[0],
#             recorded("few_labels", "short_reviews", "masked: trained weights")[0],
#         ],
#         [1090, 24546],
#         0.5,
#     )
# )
# near(ends(recorded("few_labels", "short_reviews", "masked, 800: test")), [0.99, 1.00], 0.005)
# near(
#     max(
#         np.max(
#             recorded("few_labels", "short_reviews", f"masked, {labels}: test")
#             - recorded("few_labels", "short_reviews", f"low rank, {labels}: test")
#         )
#         for labels in (200, 800)
#     ),
#     0.055,
#     0.0005,
# )
# len(recorded("few_labels", "short_reviews", "low rank, 50: test")) == 3
# near(
#     max(
#         recorded("few_labels", "short_reviews", f"head alone, {labels}: test").max()
#         for labels in (50, 200, 800)
#     ),
#     0.57,
#     0.005,
# )

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Compare seed by seed, from left to right: the first two panels rise together,
# because the same three encoders stand behind them.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 06b.6 · A reader from 400 labels
#
# Reach an accuracy of 0.9 on new reviews with 400 labels, in one training of about a minute.
# Take objective and number of epochs from the plot of the objectives, not from trial and error.
# `sequence_classifier(encoder, classes, pool)` is the model. With `pool="first"` it reads the
# state of the first token, which in a causal encoder has seen itself alone; `pool="mean"` reads
# all states.

# %% [raw]
# given(0.9)

# %% slideshow={"slide_type": "skip"} shows="lectures.lecture_06b.sequence_classifier"
# filled by the build

# %% builds="lectures.lecture_06b.train_reader" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
cu.exercises.check("06b.6", train_reader)

# %% [markdown] slideshow={"slide_type": "notes"}
# (10 minutes) The plot gives the answer to those who read it. The check sees which reviews are
# trained on, and judges on 1,000 labelled ones outside the 400 rows.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 06b.7 · Find the leak
#
# A colleague has collected 6,000 reviews for pre-training. She made sure that no test review is
# among them. A model pre-trained on them has a suspiciously low loss on the test reviews.

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
collected, test = lab.collected_reviews(few), few.texts["test"]
print(len(collected), "reviews; test reviews among them:", len({*collected} & {*test}))

# %% [markdown] slideshow={"slide_type": "-"}
# Exact comparison finds nothing. Compare *runs of words* instead.

# %% builds="lectures.lecture_06b.contaminated" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
contaminated = cu.exercises.use("06b.7", contaminated)

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
for run in (6, 10, 14, 18):
    found = [contaminated(corpus, test, run) for corpus in (collected, few.texts["unlabelled"])]
    print(
        f"runs of {run:2} words: {found[0].mean():.2f} of the test reviews in the collection, "
    )
    print(f"{found[1].mean():41.2f} in our own unlabelled reviews")

# %% [markdown] slideshow={"slide_type": "skip"}
# Short runs prove nothing: in a small language everybody says "the plot was superb and the".
# The control is a corpus that is known to be clean. At the length at which the clean corpus has
# no hits left, a hit means a copy. The collection holds 240 test reviews, written in capitals
# and with exclamation marks, so that an exact comparison cannot find them. That is 12 % of the
# test set, and 8 % are found: a review with fewer words than the run counts as clean. GPT-3's
# authors searched for runs of thirteen words.

# %% [raw]
# 240 / 2_000 == 0.12

# %% [markdown] slideshow={"slide_type": "notes"}
# (7 minutes) Ask what else could make the loss low: more epochs, an easier corpus. The control
# is the second number, a corpus that is known to be clean. Short runs occur everywhere; only a
# run that is too long to be a coincidence proves a copy.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Real text: what does pre-training need to beat counting?
#
# IMDB's 75,000 reviews outside its test part, read without labels; then sentences of SST-2 with
# 200 or 1,000 labels.
#
# - An encoder of 4 blocks and 128 channels, 1.6 million weights
# - 2,500 batches of 64 windows of 64 tokens, 12 of them hidden: an hour on one core
# - tf-idf and LSA are fitted to the same reviews
#
# **Predict:** who is ahead with 200 labels, and who with 1,000?

# %% [raw]
# about("real_masked", "imdb_texts", "steps")[0] * about("real_masked", "imdb_texts", "epochs")[
#     0
# ] == 2_500

# %% slideshow={"slide_type": "subslide"} tags=["answers-prediction", "hide-input"]
real_arms = {"tf-idf": "tfidf", "LSA": "lsa", "from scratch": "scratch"}
real_arms |= {"embeddings": "layer 0", "last block": "layer 4", "fine-tuned": "fine-tuned"}
sst2 = {"runs": cu.results.load(LECTURE, "few_labels", "sst2"), "counts": (200, 1_000)}
cu.plotting.dots(
    panels(real_arms, **sst2), "test accuracy, SST-2", "labels", chance=0.5, limits=(0.45, 0.8)
)

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# Here pre-training pays: in every sample the fine-tuned encoder is ahead of tf-idf and of LSA.
# The same network from scratch stays behind counting.
#
# A dot is one of three samples of labelled sentences; the pre-trained encoder is one and the
# same. *Embeddings* and *last block* are **probes**: a logistic regression on the mean of that
# layer's frozen states. Every arm was tuned on the same 800 validation sentences: counting in
# its terms, dimensions and strength of regression, probes in the strength, networks in learning
# rate and epoch.
#
# Three details help. The embeddings start from *counts*: how often two tokens occur near each
# other, against chance (the positive *pointwise mutual information*, PMI), cut to 128 numbers
# by a singular value decomposition; the output bias starts as the tokens' log frequencies.
# *Rare tokens are hidden more often* than commas and "the". And fine-tuning starts from an
# *output layer fitted to the frozen encoder* by a logistic regression, because a freshly drawn
# one sends large, aimless gradients through the weights ([Kumar et al.,
# 2022](https://arxiv.org/abs/2202.10054)). `lectures/lecture_06b/record.py` has the code, a
# page long.
#
# On average the lead over LSA is about 3 points with 200 labels (0.71 against 0.68) and with
# 1,000 (0.77 against 0.74). The same network from scratch reaches 0.58 and 0.67. The margin is
# narrow: 872 test sentences leave a standard error of 1.5 points, one sample of 1,000 labels is
# nearly a tie, and the recipe was found in shorter runs whose test accuracies we saw. Probing
# the last block instead of the embeddings helps in every sample of 200 labels (0.71 against
# 0.68), and not with 1,000 (0.75, 0.76). The embeddings alone are level with LSA at 200 labels
# (0.68 both) and on average ahead at 1,000, and they started from counts: how much of the lead
# the masked training brought, and how much its start, these runs do not say. Leakage is small:
# 18 of 75,000 reviews share eight words with a test sentence (exercise 06b.7).

# %% [raw]
# (
#     recorded("few_labels", "sst2", "fine-tuned, 200: test")
#     > recorded("few_labels", "sst2", "lsa, 200: test")
# ).all() and (
#     recorded("few_labels", "sst2", "fine-tuned, 200: test")
#     > recorded("few_labels", "sst2", "tfidf, 200: test")
# ).all()
# (
#     recorded("few_labels", "sst2", "fine-tuned, 1000: test")
#     > recorded("few_labels", "sst2", "lsa, 1000: test")
# ).all() and (
#     recorded("few_labels", "sst2", "fine-tuned, 1000: test")
#     > recorded("few_labels", "sst2", "tfidf, 1000: test")
# ).all()
# near(
#     [
#         recorded("few_labels", "sst2", "fine-tuned, 200: test").mean(),
#         recorded("few_labels", "sst2", "lsa, 200: test").mean(),
#         recorded("few_labels", "sst2", "scratch, 200: test").mean(),
#     ],
#     [0.71, 0.68, 0.58],
#     0.006,
# )
# recorded("few_labels", "sst2", "scratch, 200: test").max() < recorded(
#     "few_labels", "sst2", "tfidf, 200: test"
# ).min()
# near(
#     [
#         recorded("few_labels", "sst2", "fine-tuned, 1000: test").mean(),
#         recorded("few_labels", "sst2", "lsa, 1000: test").mean(),
#         recorded("few_labels", "sst2", "scratch, 1000: test").mean(),
#     ],
#     [0.77, 0.74, 0.67],
#     0.006,
# )
# recorded("few_labels", "sst2", "scratch, 1000: test").max() < recorded(
#     "few_labels", "sst2", "tfidf, 1000: test"
# ).min()
# near(
#     recorded("few_labels", "sst2", "reviews that share eight words with a test sentence"),
#     18,
#     0.1,
# )
# about("real_masked", "imdb_texts", "parameters")[0] < 1.7e6
# (
#     recorded("few_labels", "sst2", "layer 4, 200: test")
#     > recorded("few_labels", "sst2", "layer 0, 200: test")
# ).all()
# abs(
#     recorded("few_labels", "sst2", "layer 4, 1000: test").mean()
#     - recorded("few_labels", "sst2", "layer 0, 1000: test").mean()
# ) < 0.01
# near(
#     [
#         recorded("few_labels", "sst2", "layer 4, 200: test").mean(),
#         recorded("few_labels", "sst2", "layer 0, 200: test").mean(),
#     ],
#     [0.71, 0.68],
#     0.006,
# )
# near(about("real_masked", "imdb_texts", "parameters")[0] / 1e6, 1.6, 0.05)
# near(
#     [
#         np.mean(
#             recorded("few_labels", "sst2", f"fine-tuned, {labels}: test")
#             - recorded("few_labels", "sst2", f"lsa, {labels}: test")
#         )
#         for labels in (200, 1000)
#     ],
#     0.03,
#     0.005,
# )
# near((0.71 * 0.29 / 872) ** 0.5, 0.015, 0.0005)
# near(
#     [
#         recorded("few_labels", "sst2", "layer 4, 1000: test").mean(),
#         recorded("few_labels", "sst2", "layer 0, 1000: test").mean(),
#     ],
#     [0.75, 0.76],
#     0.005,
# )
# given(3, 75_000, 0.93)

# %% [markdown] slideshow={"slide_type": "notes"}
# (5 minutes) Collect bets for both panels of labels before the plot. Then ask what would have
# to be equal for a fair table, and check the list: text, labelled sentences, the right to
# choose on validation. BERT read ten thousand times as much with seventy times the network, and
# reaches 93 % with all labels.

# %% [markdown] slideshow={"slide_type": "slide"}
# ### Use it: which sentences mean alike?
#
# The encoder comes with the course, rounded to 16 bits. Add two sentences of your own.

# %% slideshow={"slide_type": "-"} tags=["slide-output"]
sentences = [
    "the film is boring and far too long",
    "a thriller that kept me on the edge of my seat",
    "what a wonderful performance by the lead actress",
    "a dull movie that never ends",
    "gripping from the first minute to the last",
    "the actress plays her part brilliantly",
]
pieces, reader = load_encoder()
ids = pieces.encode(sentences, 32)
vectors = keras.ops.convert_to_numpy(lab.pooled(reader(ids)[-1], ids, "mean"))
vectors -= vectors.mean(axis=0)
vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
cosines = vectors @ vectors.T - 2 * np.eye(len(vectors))  # a sentence is not its own neighbour
for sentence, nearest in zip(sentences, cosines.argmax(axis=1), strict=True):
    print(f"{sentence}\n  → {sentences[nearest]}")

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) One pair shares no telling word: "on the edge of my seat" and "gripping". Nobody
# told the network that they belong together; it had to fill gaps in reviews where both occur.
# Ask for a pair that fails.

# %% slideshow={"slide_type": "skip"}
if session.profile == "full":
    record.record_all(session.seed)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Where it stands today
#
# - **Scaling laws** ([2020](https://arxiv.org/abs/2001.08361),
#   [2022](https://arxiv.org/abs/2203.15556)): the loss falls as a power of parameters, text and
#   compute; about 20 tokens a parameter are a good balance.
# - **In-context learning** ([GPT-3, 2020](https://arxiv.org/abs/2005.14165)): examples in the
#   prompt replace fine-tuning.
# - **Instruction tuning** and **RLHF** ([InstructGPT, 2022](https://arxiv.org/abs/2203.02155))
#   turn a language model into an assistant; both are fine-tuning on far fewer texts.
# - **LoRA** ([2021](https://arxiv.org/abs/2106.09685)) and its kin are how most people
#   fine-tune; [QLoRA (2023)](https://arxiv.org/abs/2305.14314) keeps the frozen weights in 4
#   bits.
# - Encoders with masked objectives live on in search and classification ([ModernBERT,
#   2024](https://arxiv.org/abs/2412.13663)).

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) One sentence a line. Everything on this slide begins with one of today's two
# objectives.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Summary
#
# - BPE joins the most frequent pair, again and again; only bytes know every text.
# - Masked or causal: the loss averages over what was asked, and nothing else.
# - Compare objectives by epochs and by predictions, and say what else differs.
# - Put tf-idf and LSA, tuned alike, into every table about pre-training.
# - A low-rank adapter trains a small fraction of the weights.
# - Look for the test set in the pre-training text, by runs of words.

# %% [markdown] slideshow={"slide_type": "skip"}
# **Papers.** Deerwester et al., [*Indexing by latent semantic
# analysis*](https://doi.org/10.1002/%28SICI%291097-4571%28199009%2941:6%3C391::AID-ASI1%3E3.0.CO;2-9)
# (1990) · Sennrich, Haddow and Birch, [*Neural machine translation of rare words with subword
# units*](https://arxiv.org/abs/1508.07909) (2016) · Kudo and Richardson,
# [*SentencePiece*](https://arxiv.org/abs/1808.06226) (2018) · Radford et al., [*Improving
# language understanding by generative
# pre-training*](https://cdn.openai.com/research-covers/language-unsupervised/language_understanding_paper.pdf)
# (2018) · Devlin et al., [*BERT*](https://arxiv.org/abs/1810.04805) (2019) · Liu et al.,
# [*RoBERTa*](https://arxiv.org/abs/1907.11692) (2019) · Brown et al., [*Language models are
# few-shot learners*](https://arxiv.org/abs/2005.14165) (2020) · Hu et al.,
# [*LoRA*](https://arxiv.org/abs/2106.09685) (2021) · Kumar et al., [*Fine-tuning can distort
# pretrained features*](https://arxiv.org/abs/2202.10054) (2022) · Hoffmann et al., [*Training
# compute-optimal large language models*](https://arxiv.org/abs/2203.15556) (2022)

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Ask again what the pile without labels is worth. Accept only answers with a number
# of predictions and a baseline in them.
