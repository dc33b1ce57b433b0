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
# 6. predict the loss of a model from smaller ones, and check the prediction

# %% [markdown] slideshow={"slide_type": "skip"}
# **You need** lecture 6 (the encoder block, the causal mask) and lecture 1 (tf-idf). **It
# takes** about ninety minutes, twenty-seven of them for exercises 06b.2 to 06b.5; 06b.1 is to
# be solved before the lab, 06b.6 to 06b.8 after it. After an exercise the notebook runs on your
# own definition if it is correct, and on the course's otherwise. Other heads than a classifier
# are in lab 6c.

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Read the six points. The third is easily missed: two methods that read the same
# text have not always been asked equally many questions.

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
    OnDense,
    Tuner,
    balanced_sample,
    few_reviews,
    freeze,
    library_merges,
    new_encoder,
    next_tokens,
    pooled,
    record,
)
from lectures.lecture_06b.pretraining import word_embedding
from lectures.lecture_06b.scaling import PREDICTED
from lectures.lecture_06b.tokenizers import MASK, SPECIAL, START, Tokenizer

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Few labels are not enough for an encoder
#
# Short reviews by the course's grammar; half of them negate their verdict ("was never dull").

# %% slideshow={"slide_type": "skip"}
recorded = cu.results.load(LECTURE, "few_labels", "short_reviews")


def by_count(arm, runs=recorded, counts=(50, 200, 800)):
    """Recorded test accuracies of an arm: {number of labels: one value per seed}."""
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

# %% [markdown] slideshow={"slide_type": "-"} tags=["lead"]
# One dot, one seed: the mean over three samples of labelled reviews, the same ones for all.
# *Words*: tf-idf of single words; *pairs*: with pairs of words or without, as validation
# chooses.
#
# The encoder has two of lecture 6's blocks and 32 channels, and trains for about 300 steps.
# **Tf-idf** (lecture 1) feeds a logistic regression. **LSA**, latent semantic analysis
# ([1990](https://doi.org/10.1002/%28SICI%291097-4571%28199009%2941:6%3C391::AID-ASI1%3E3.0.CO;2-9)),
# first reduces the tf-idf vectors to 50 or 200 numbers by a **singular value decomposition** of
# 6,000 *unlabelled* reviews: terms of the same reviews get similar numbers. It takes seconds,
# and any other way to use text without labels has to beat it. All settings, the encoder's
# learning rate included, are chosen on 400 validation reviews, whose labels the axis does not
# count.
#
# Single words stay near chance: in a sum of words, "never" cannot reverse its neighbour. Pairs
# can: "never dull" is a term of its own. **Tune a baseline as carefully as the candidate.**

# %% [raw]
# given(3)

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) Ask what the encoder has to learn from 200 labels: what "never" does, and that
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
# neighbours within words, a **merge**, and repeat until the vocabulary is full. A character
# that the training text lacks, such as 👍, is still unknown; BPE on *bytes* knows every text,
# as all 256 bytes are in its vocabulary.
#
# The drawing shows two relatives. **WordPiece** (BERT) cuts a word into the longest entries
# that fit, from left to right. *Unigram* gives each entry a probability and takes the most
# probable cut.

# %% [raw]
# cell("tokenizers-imdb", "characters", 152, "tokens a word") > 5 * cell(
#     "tokenizers-imdb", "words, lower-cased", 8000, "tokens a word"
# )

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Read the drawing from top to bottom and ask what each row costs: how many tokens,
# and what happens to a word and to an emoji that nobody has seen? 👍 is four bytes, so at
# most four tokens. ▁ and Ġ mark a blank in front of a token, ## a token that continues a
# word.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 06b.1 · One merge
#
# To solve before the lab. In `["l", "o", "l", "o", "w"]` the pair l, o becomes
# `["lo", "lo", "w"]`.

# %% builds="lectures.lecture_06b.merge" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
merge = cu.exercises.use("06b.1", merge)

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute; the exercise is homework, 5 minutes) Two traps: replacing inside one long string,
# which joins the end of one token with the start of the next, and a position that moves on by
# one after a merge. Ask what becomes of a a a.

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
# lab.SHORT asks for short reviews, half of them negated.
reviews = cu.data.load_reviews(form="text", **lab.SHORT).train.inputs
counts = Counter(word for text in reviews for word in tokenize(text))
merges = train_bpe(counts, 200, merge)
print(len(merges), "merges, equal to the library's:", merges == library_merges(counts, 200))

# %% slideshow={"slide_type": "skip"} shows="lectures.lecture_06b.BytePairs"
# filled by the build

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
tokenizer = BytePairs(merges, reviews)
rest = len(tokenizer) - len(SPECIAL) - len(merges)
print(f"{len(tokenizer)} entries: {len(SPECIAL)} special ones, {rest} characters, 200 merges")
for text in ("The plot was never dull.", "An unplanned plotline!"):
    print(" · ".join(tokenizer.tokens(text)), " ", tokenizer.ids(text))

# %% [markdown] slideshow={"slide_type": "skip"}
# After *ug* comes *un* (16), then *hug* (15). The library breaks ties as you do.
#
# To cut a new word, the merges are applied in the order in which they were learned. Words
# outside the training text are cut finely, but not lost, as long as their characters are known.
# The lab goes on with this tokenizer, which marks no word boundaries.

# %% [markdown] slideshow={"slide_type": "notes"}
# (12 minutes) Do the first two merges on the board. The usual mistakes: pairs counted once a
# word instead of once an occurrence, and all merges taken from the first count. Those who
# finish early predict how "bug" is cut: b, ug.

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
# stay as they are. Its authors' argument: fine-tuning never shows a `<mask>`, and if any token
# may be wrong, every token needs a good state. In their own comparison, all masks fine-tune
# about as well.

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
example, draw = few.rows["train"][:1], np.random.default_rng(25)
noise = draw.integers(5, len(tokenizer), example.shape)
inputs, targets = hide_tokens(example, draw.random(example.shape), noise)
real = example[0] > 0
for name, row in (("text", example), ("input", inputs), ("target", targets)):
    print(f"{name:7}", *[tokenizer.entries[i] if i else "·" for i in row[0, real]])

# %% [markdown] slideshow={"slide_type": "notes"}
# (9 minutes) The silent mistake is the order: targets read after the hiding make "mask" the
# answer to nearly every question. The second: targets at all positions, where copying is free
# and the loss looks wonderful.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 06b.4 · The loss of what was asked
#
# A row of 40 positions asks about four of them. Average over these, and over nothing else.

# %% builds="lectures.lecture_06b.prediction_loss" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
prediction_loss = cu.exercises.use("06b.4", prediction_loss)

# %% [markdown] slideshow={"slide_type": "notes"}
# (5 minutes) The denominator is the point. With a mean over all positions, pads included, a
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
# `{"train", "val", "test"}`. `LanguageBatches` cuts rows into batches of 32 and calls
# `hide_tokens` on each, with new random numbers in every epoch.

# %% slideshow={"slide_type": "skip"} shows="lectures.lecture_06b.pretrain"
# filled by the build

# %% [markdown] slideshow={"slide_type": "-"}
# **Predict before you run.** Equal probabilities of the 229 tokens cost ln(229) = 5.4; their
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
reached = history["val_loss"][-1]
print(f"unigram baseline {unigram:.2f}; after one epoch {reached:.2f}")
if reached > unigram:
    print("This run has not learned from context: set another seed, or train a second epoch.")

# %% [markdown] slideshow={"slide_type": "skip"}
# Untrained, the model is worse than equal probabilities: its random scores favour some tokens,
# mostly wrong ones. Down to the unigram baseline a model need only know how often words occur;
# what lies below comes from the other words of the text. Always print the baseline beside the
# loss. The losses of the two objectives answer different questions and cannot be compared.

# %% [markdown] slideshow={"slide_type": "notes"}
# (5 minutes) Have a number written down. Where is the output layer of this model? There is
# none: the embedding is used backwards.

# %% [markdown] slideshow={"slide_type": "slide"}
# ### What has it learned?
#
# Two encoders come with the course: a masked one (16 epochs), which fills gaps, and a causal
# one (4 epochs), which writes.

# %% slideshow={"slide_type": "-"} tags=["slide-output"]
filler = language_model(lab.shipped_reader(tokenizer, "masked_reader"))
for text, gaps in (
    ("The plot was superb and the cast was", 1),
    ("The plot was never superb and the cast was never", 1),
    ("The plot was never superb and the cast was", 2),
):
    ids = np.array([[START, *tokenizer.ids(text), *[MASK] * gaps]])
    chances = ops.convert_to_numpy(ops.softmax(filler(ids)[0]))[ids[0] == MASK][0]
    best = [f"{tokenizer.entries[i]} {chances[i]:.2f}" for i in chances.argsort()[:-6:-1]]
    print(f"{text} …\n    {', '.join(best)}")

writer = language_model(lab.shipped_reader(tokenizer, "causal_reader"))
ids, draw = [START], np.random.default_rng(2)
for _ in range(30):
    chances = ops.convert_to_numpy(ops.softmax(writer(np.array([ids]))[0, -1]))
    ids.append(draw.choice(len(chances), p=chances / chances.sum()))
print(*[tokenizer.entries[i] for i in ids[1:]])

# %% [markdown] slideshow={"slide_type": "fragment"}
# After "superb" praise, after "never superb … never" praise again: adjectives of one kind share
# a review, and the masked model has learned so without a label. The third line has two gaps and
# shows the first. In this grammar a sentence negates both of its verdicts or neither, so that
# the gap needs a negation: *never*, *not* and *hardly* are the three most probable tokens. That
# "never" turns praise into blame, none of the lines asks.

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) Before each line ask for the five words. Then ask what the network must know to
# answer so: which adjectives stand together, and that negations come in pairs. Must it know
# that a verdict is denied? Not for these three lines. Then read the written review: each clause
# fits the grammar, but do its verdicts agree?

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Masked or causal? Count the predictions
#
# Three **pre-trainings** on the same 5,600 reviews, each fine-tuned on the same 200 labels:
# masked at 15 % of the positions, causal at 15 % of them (the loss skips the others), causal at
# all.
#
# **Predict before you run:** the left panel counts epochs, the right panel *predictions*. Which
# curve moves, in which direction, and how far?

# %% slideshow={"slide_type": "skip"}
objectives = cu.results.load(LECTURE, "objectives", "short_reviews")


def accuracy_by(axis, asked):
    """Draw accuracy by epochs, or by predictions; one thin line per seed."""
    for number, name in enumerate(lab.OBJECTIVES):
        for run in objectives:
            each = run["metrics"][f"{name}: predictions"] if asked else 1
            values = [run["metrics"][f"{name}, {epochs}: test"] for epochs in lab.BUDGETS]
            label = name if run is objectives[0] else None
            where = [epochs * each for epochs in lab.BUDGETS]
            colour = cu.plotting.COLOURS[number]
            axis.plot(where, values, "o-", color=colour, markersize=4, linewidth=1, label=label)
    axis.set(xscale="log", xlabel="predictions" if asked else "epochs", ylim=(0.64, 1.01))
    ticks = (20_000, 200_000, 2_000_000) if asked else lab.BUDGETS
    axis.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axis.minorticks_off()


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
# After 16 epochs all positions lead on average; at about 300,000 predictions they are last.
#
# The third curve moves to the right, by a factor of seven. After 16 epochs it is ahead of
# causal at 15 % with every seed, of masked with two of three. At about 300,000 predictions it
# is behind both with every seed: 269,000 in two epochs at all positions give less than 321,000
# in sixteen epochs at 15 %. The latter also took more passes through the text and more steps;
# this experiment does not separate the three. Between masked and causal at 15 % the seeds show
# no order.
#
# One dot is the mean over three samples of 200 labels. The learning rate of pre-training is the
# best of four by seed 0's validation loss, that of fine-tuning the best of three on validation.

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
#     recorded("objectives", "short_reviews", "causal, all positions, 16: test")
#     > recorded("objectives", "short_reviews", "masked, 15 %, 16: test")
# ).sum() == 2
# recorded("objectives", "short_reviews", "causal, all positions, 16: test").mean() > max(
#     recorded("objectives", "short_reviews", f"{arm}, 15 %, 16: test").mean()
#     for arm in ("masked", "causal")
# )
# all(
#     (
#         recorded("objectives", "short_reviews", "causal, all positions, 2: test")
#         < recorded("objectives", "short_reviews", f"{arm}, 15 %, 16: test") - 0.05
#     ).all()
#     for arm in ("masked", "causal")
# ) and (
#     recorded("objectives", "short_reviews", "causal, all positions, 1: test")
#     < recorded("objectives", "short_reviews", "causal, 15 %, 8: test")
# ).all()
# near(
#     recorded("objectives", "short_reviews", "causal, all positions: predictions")
#     / recorded("objectives", "short_reviews", "causal, 15 %: predictions"),
#     7,
#     0.5,
# )
# given(0.15)
# near(
#     recorded("objectives", "short_reviews", "causal, all positions: predictions")[0]
#     * 2,
#     269_000,
#     500,
# )
# near(
#     recorded("objectives", "short_reviews", "causal, 15 %: predictions")[0]
#     * 16,
#     321_000,
#     500,
# )
# near((269_000 + 321_000) / 2, 300_000, 10_000)
# not (
#     recorded("objectives", "short_reviews", "causal, all positions, 1: test")
#     < recorded("objectives", "short_reviews", "masked, 15 %, 8: test")
# ).all()
# given(5_600, 3)

# %% [markdown] slideshow={"slide_type": "notes"}
# (6 minutes) Cover the right panel first and collect conclusions. Then uncover it: the third
# curve moves to the right, by a factor of seven, and its second dot lies below the last ones of
# the others. Its first dot, beside theirs after eight epochs, lies below causal at 15 % with
# every seed, but not below masked. Equal epochs, equal predictions, equal time: each is a fair
# comparison, and they can have different answers, so always say which one you mean. Then ask
# what still differs at equal predictions: passes through the text, and steps.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Fine-tuning against everything else
#
# Fine-tuning puts a new output layer on the encoder and trains all weights, for about 300
# steps. Before it, *masked* has made 321,000 predictions and *causal*, at all positions,
# 2.1 million.

# %% slideshow={"slide_type": "skip"} shows="lectures.lecture_06b.Tuner.__call__"
# filled by the build

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
# beside pairs, "counting takes seconds, is as good as causal pre-training and, with 50 labels,
# better than masked": the baseline decides.
#
# Nothing here needs an encoder; does real text?

# %% [raw]
# (
#     recorded("few_labels", "short_reviews", "tfidf, 200: test")
#     > recorded("few_labels", "short_reviews", "masked, 200: test")
# ).sum() == 2
# near(
#     recorded("few_labels", "short_reviews", "tfidf, 200: test").mean(),
#     recorded("few_labels", "short_reviews", "causal, 200: test").mean(),
#     0.005,
# )
# (
#     recorded("few_labels", "short_reviews", "tfidf, 50: test")
#     > recorded("few_labels", "short_reviews", "masked, 50: test")
# ).all() and near(
#     recorded("few_labels", "short_reviews", "tfidf, 50: test").mean(),
#     recorded("few_labels", "short_reviews", "causal, 50: test").mean(),
#     0.01,
# )
# near(
#     16 * recorded("objectives", "short_reviews", "masked, 15 %: predictions")[0],
#     321_000,
#     500,
# )
# near(
#     recorded("objectives", "short_reviews", "causal, all positions: predictions")[0]
#     * 16
#     / 1e6,
#     2.1,
#     0.05,
# )

# %% [markdown] slideshow={"slide_type": "notes"}
# (5 minutes) What has to be equal in all panels? Collect on the board: the labelled reviews,
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
# with a small rank $r$ and a constant factor $s$, here 1. With 768 channels and $r = 4$ that is
# 6,144 trained weights in place of 589,824.

# %% [raw]
# 768 * 4 * 2 == 6_144
# 768 * 768 == 589_824

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Check the count together: 768 · 4 twice. Ask where B has to start, so that a new
# adapter changes nothing.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 06b.5 · Build the adapter
#
# Add two weights and one line; `OnDense` stores the Dense layer, `rank` and `scale`. $B$ starts
# at zero and $A$ does not. Why?

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
# with adapters of rank 8 trains a file of some tens of megabytes a task. Ask why A is applied
# first: x A has four columns.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Your adapter on the masked encoder
#
# 16 epochs of pre-training, then 200 labels and 300 steps:

# %% slideshow={"slide_type": "-"} tags=["headline"]
ways = {
    "all weights": (None, 0.002),
    "low rank": (lambda fresh: lab.add_adapters(fresh, LowRank), 0.008),
    "head alone": (freeze, 0.008),
}
reader = lab.shipped_reader(tokenizer, "masked_reader")
for name, (adapt, learning_rate) in ways.items():
    tuner = Tuner(few, new_encoder(tokenizer), adapt)
    _, accuracy = tuner(reader.get_weights(), 200, learning_rate, session.seed)  # val, test
    count = sum(int(np.prod(weight.shape)) for weight in tuner.model.trainable_variables)
    print(f"{name:12} {count:6,} trained weights, test accuracy {accuracy:.2f}")

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) Which settings differ between the rows? What is trained, and the learning rate,
# which was fixed for each row. The recorded runs tuned it. Why does the head alone stay so far
# behind? A possible reason: pre-training did not ask for the verdict.

# %% [markdown] slideshow={"slide_type": "skip"}
# In recorded runs (three encoders, every row tuned) the adapter, with 1,090 trained weights
# instead of 24,546, stays behind all weights with every seed where there are 200 or 800 labels,
# by at most five and a half points. With 50 labels it is ahead for two seeds of three.
#
# The head alone, an output layer on frozen states, reaches 0.57 at most. The encoder above is
# another one of the same recipe; a logistic regression on its states reaches 0.67 to 0.69 with
# 200 labels: what a linear head finds can differ from encoder to encoder.

# %% [raw]
# (
#     recorded("few_labels", "short_reviews", "low rank, 200: test")
#     < recorded("few_labels", "short_reviews", "masked, 200: test")
# ).all() and (
#     recorded("few_labels", "short_reviews", "low rank, 800: test")
#     < recorded("few_labels", "short_reviews", "masked, 800: test")
# ).all()
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
# near(
#     max(
#         recorded("few_labels", "short_reviews", f"head alone, {labels}: test").max()
#         for labels in (50, 200, 800)
#     ),
#     0.57,
#     0.005,
# )
# near(ends(recorded("frozen", "short_reviews", "frozen, 200: test")), [0.67, 0.69], 0.005)
# given(2 / 3)
# (
#     recorded("few_labels", "short_reviews", "low rank, 50: test")
#     > recorded("few_labels", "short_reviews", "masked, 50: test")
# ).sum() == 2

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 06b.6 · A reader from 400 labels
#
# For home. Reach an accuracy of 0.9 on new reviews with 400 labels, in about a minute: four to
# eight epochs of pre-training fit into it. (Pairs of words need no more than 200 labels; what
# you practise is the recipe.) Take the objective from the plot of the objectives, not from
# trial and error, and fine-tune as above, 300 to 400 steps at 0.002.
# `sequence_classifier(encoder, classes, pool)` is the model. With `pool="first"` it reads the
# state of the first token, which in a causal encoder has seen itself alone; `pool="mean"` reads
# all states.

# %% [raw]
# recorded("few_labels", "short_reviews", "tfidf, 200: test").min() > 0.9
# given(0.9, 0.002)

# %% slideshow={"slide_type": "skip"} shows="lectures.lecture_06b.sequence_classifier"
# filled by the build

# %% builds="lectures.lecture_06b.train_reader" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
cu.exercises.check("06b.6", train_reader)

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute; the exercise is homework, 10 minutes) The plot gives the answer to those who read
# it. The check sees which reviews are trained on, and judges on 1,000 labelled ones outside the
# 400 rows.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 06b.7 · Find the leak
#
# For home. A colleague has collected 6,000 reviews for pre-training. She made sure, as the cell
# below does, that no test review is among them, letter for letter. Compare *runs of words*.

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
collected, test = lab.collected_reviews(few), few.texts["test"]
print(len(collected), "reviews; test reviews among them:", len({*collected} & {*test}))

# %% builds="lectures.lecture_06b.contaminated" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
contaminated = cu.exercises.use("06b.7", contaminated)

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
sources = {"the collection": collected, "our own unlabelled reviews": few.texts["unlabelled"]}
for run in (6, 10, 14, 18, 20):
    hits = [
        f"{contaminated(one, test, run).sum():5,} in {name}" for name, one in sources.items()
    ]
    print(f"{run:2} words in a row, of {len(test):,} test reviews:", *hits)

# %% [markdown] slideshow={"slide_type": "skip"}
# Short runs prove nothing: in a small language everybody says "the plot was superb and the".
# The control is a corpus that is known to be clean. At 20 words it has no hits left: there a
# hit means a copy. The collection holds 240 test reviews, 12 % of the test set, in capitals and
# with exclamation marks. Not all are found, for a review with fewer words than the run counts
# as clean. GPT-3's authors searched for runs of thirteen words.

# %% [raw]
# 240 / 2_000 == 0.12

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute; the exercise is homework, 6 minutes) Ask why the line above finds nothing: capitals
# and other signs hide a copy. The table in the notebook has a control, a corpus that is known
# to be clean: short runs occur everywhere, and only one that is too long to be a coincidence
# proves a copy.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Real text: does pre-training beat counting?
#
# IMDB's 75,000 reviews outside its test part, read without labels; then **SST-2**, sentences of
# film reviews labelled as praise or blame, with 200 or 1,000 labels.
#
# - An encoder of 4 blocks and 128 channels, 1.6 million weights
# - Its embeddings start from *counts*: how often two tokens occur near each other, against
#   chance (positive *pointwise mutual information*), reduced to 128 numbers as in LSA
# - 2,500 batches of 64 windows of 64 tokens, 12 of each chosen: an hour on two cores
# - tf-idf and LSA are fitted to the same reviews
#
# **Predict:** who is ahead with 200 labels, and who with 1,000?

# %% [raw]
# about("real_masked", "imdb_texts", "steps")[0] * about("real_masked", "imdb_texts", "epochs")[
#     0
# ] == 2_500

# %% slideshow={"slide_type": "subslide"} tags=["answers-prediction", "hide-input"]
real_arms = {"embeddings": "layer 0", "last block": "layer 4", "fine-tuned": "fine-tuned"}
real_arms |= {"from scratch": "scratch"}
sst2 = {"runs": cu.results.load(LECTURE, "few_labels", "sst2"), "counts": (200, 1_000)}
counted = sst2 | {"runs": cu.results.load(LECTURE, "start", "sst2")}
shown = panels({"tf-idf": "tfidf", "LSA": "lsa"}, **sst2)
shown |= panels({"counts": "counts"}, **counted)
cu.plotting.dots(
    shown | panels(real_arms, **sst2),
    ylabel="test accuracy, SST-2",
    xlabel="labels",
    chance=0.5,
    limits=(0.45, 0.8),
)

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# Here pre-training pays a little, by a margin close to the noise. With 1,000 labels the
# fine-tuned encoder is ahead of everything that only counts, in every sample; with 200 of
# tf-idf and LSA in every sample, of the counted embeddings in two of three. The same network
# from scratch stays behind tf-idf.
#
# A dot is one of three samples of labelled sentences; the pre-trained encoder is one and the
# same. Three panels are **probes**, a logistic regression on the mean of frozen states: of
# *counts*, the embeddings before any training, of the trained *embeddings* and of the *last
# block*. Every arm was tuned on the same 800 validation sentences.
#
# The strongest cheap rival is the probe of the counts: 0.69 and 0.75. Fine-tuning is ahead of
# it by 1.6 points with 200 labels and by 1.9 with 1,000; 872 test sentences leave a standard
# error of 1.5 points. The probes of the trained embeddings and of the last block differ from it
# by less than two points, up or down. Fine-tuning straight from the counts, without masked
# training, was not run: its accuracy is an open question.
#
# The recipe was found in shorter runs whose test accuracies we saw. Rare tokens are hidden
# more often than frequent ones, and fine-tuning starts from an output layer fitted to the
# frozen encoder ([Kumar et al., 2022](https://arxiv.org/abs/2202.10054)). Leakage is small: 18
# of 75,000 reviews share eight words with a test sentence.

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
#     [recorded("start", "sst2", f"counts, {count}: test").mean() for count in (200, 1000)],
#     [0.69, 0.75],
#     0.005,
# )
# near(
#     [
#         100
#         * np.mean(
#             recorded("few_labels", "sst2", f"fine-tuned, {count}: test")
#             - recorded("start", "sst2", f"counts, {count}: test")
#         )
#         for count in (200, 1000)
#     ],
#     [1.6, 1.9],
#     0.05,
# )
# [
#     (
#         recorded("few_labels", "sst2", f"fine-tuned, {count}: test")
#         > recorded("start", "sst2", f"counts, {count}: test")
#     ).sum()
#     for count in (200, 1000)
# ] == [2, 3]
# 0.015 < max(
#     abs(
#         recorded("few_labels", "sst2", f"layer {layer}, {n}: test").mean()
#         - recorded("start", "sst2", f"counts, {n}: test").mean()
#     )
#     for layer in (0, 4)
#     for n in (200, 1000)
# ) < 0.02
# all(
#     recorded("start", "sst2", f"counts, {count}: test").mean()
#     > recorded("few_labels", "sst2", f"{arm}, {count}: test").mean()
#     for count in (200, 1000)
#     for arm in ("tfidf", "lsa")
# )
# recorded("few_labels", "sst2", "scratch, 200: test").max() < recorded(
#     "few_labels", "sst2", "tfidf, 200: test"
# ).min()
# recorded("few_labels", "sst2", "scratch, 1000: test").max() < recorded(
#     "few_labels", "sst2", "tfidf, 1000: test"
# ).min()
# near(
#     recorded("few_labels", "sst2", "reviews that share eight words with a test sentence"),
#     18,
#     0.1,
# )
# about("real_masked", "imdb_texts", "parameters")[0] < 1.7e6
# near(about("real_masked", "imdb_texts", "parameters")[0] / 1e6, 1.6, 0.05)
# near((0.71 * 0.29 / 872) ** 0.5, 0.015, 0.0005)
# given(3, 75_000, 0.93)

# %% [markdown] slideshow={"slide_type": "notes"}
# (6 minutes) Collect bets before the plot. Then ask what each panel adds to the one before:
# counts of words, masked training, the blocks, fine-tuning. BERT read ten
# thousand times as much with seventy times the network, and reaches 93 % with all labels.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## How good would a larger model be?
#
# With enough text, the loss of causal language models falls with their number of parameters $N$
# nearly as a **power law** ([Kaplan et al., 2020](https://arxiv.org/abs/2001.08361)), with two
# constants $k$ and $\alpha$:
#
# $$L(N) = k\,N^{-\alpha} \qquad \log L = \log k - \alpha \log N$$
#
# On logarithmic axes that is a straight line. Small models give the line, and **extrapolation**
# gives the loss of a large one before anybody has paid for it: a **scaling law**.

# %% [markdown] slideshow={"slide_type": "skip"}
# Five causal models of two blocks read the same 1.6 million characters of IMDB's reviews, once,
# in windows of 64: 8, 12, 20 and 32 channels for the fit, 48 to be predicted. A token is one
# character here, which keeps the output layer small. As in the paper, $N$ leaves out the
# embedding. For each width the learning rate is the best of four on validation reviews, by
# seed 0. The loss is the mean over other reviews, in nats (natural logarithms).
#
# Others add a floor, $L = L_\infty + k N^{-\alpha}$: the loss $L_\infty$ that remains however
# large the model is ([Hoffmann et al., 2022](https://arxiv.org/abs/2203.15556)). Three
# constants for four points would fit nearly anything; we fit the line, which is wrong if the
# points bend.

# %% [raw]
# near(recorded("sizes", "imdb_texts", "predictions") / 1e6, 1.6, 0.05)
# recorded("sizes", "imdb_texts", "predictions").tolist() == recorded(
#     "largest", "imdb_texts", "predictions"
# ).tolist()
# given(4)

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) It is called a law because one line fits models of very different sizes; it was
# found by measuring. It is used to decide what to train: how large, on how much text, and
# whether a change of the architecture is worth it. Slope and height belong to the data, the
# tokenizer and the recipe: another corpus has another line.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 06b.8 · Fit the line and extrapolate
#
# For home. `np.polyfit(x, y, 1)` fits a line by least squares. What are `x` and `y`, and how
# do $k$ and $\alpha$ follow from its slope and intercept?

# %% builds="lectures.lecture_06b.scaling.extrapolate" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
extrapolate = cu.exercises.use("06b.8", extrapolate)

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute; the exercise is homework, 10 minutes) Ask for the sign of the slope, and what
# undoes the logarithm. The likeliest mistake is a line through the losses themselves.


# %% slideshow={"slide_type": "skip"}
def by_size(name, widths):
    """Recorded models by width: parameters (widths,) and test losses (seeds, widths)."""
    runs = [run["metrics"] for run in cu.results.load(LECTURE, name, "imdb_texts")]
    losses = [[run[f"width {width}: loss"] for width in widths] for run in runs]
    counted = [float(runs[0][f"width {width}: parameters"]) for width in widths]
    return np.array(counted), np.array(losses)


parameters, losses = by_size("sizes", (8, 12, 20, 32))
k, alpha, predicted = extrapolate(parameters, losses.mean(axis=0), 56_640)
print(f"L = {k:.2f} N^-{alpha:.3f}; for 56,640 parameters it says {predicted:.3f}")
print(f"written down before such a model was trained: {PREDICTED:.3f}")

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### The prediction, checked
#
# Four sizes from 1,760 to 25,472 parameters give the line; the fifth has 56,640. What the line
# promises was written down before that model was trained. **Predict before you run:** will its
# three seeds lie above the line, on it or below?

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "hide-input"]
[larger], reached = by_size("largest", (48,))
figure, axis = cu.plotting.figure(7.5, 3.6)
blue, orange, *_ = cu.plotting.COLOURS
dots = {"linestyle": "none", "markersize": 6, "alpha": 0.8}
for number, run in enumerate(losses):
    label = None if number else "widths 8 to 32, one dot per seed"
    axis.plot(parameters, run, marker="o", color=blue, label=label, **dots)
for ends, style in ((parameters[[0, -1]], "-"), (np.array([parameters[-1], larger]), "--")):
    axis.plot(ends, k * ends**-alpha, style, color=blue, linewidth=1.5)
ring = {"color": "black", "markersize": 14, "fillstyle": "none"}
axis.plot(larger, predicted, "o", label="what the line says of width 48", **ring)
axis.plot([larger] * len(reached), reached, marker="s", color=orange, label="width 48", **dots)
axis.set(xscale="log", yscale="log", xlabel="parameters N, without the embedding")
axis.set_ylabel("test loss in nats")
ticks = (2.0, 2.2, 2.4, 2.6)
axis.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
axis.minorticks_off()
axis.legend()
found = "; ".join(
    f"{count:,.0f} parameters: {', '.join(f'{loss:.2f}' for loss in each)}"
    for count, each in zip([*parameters, larger], [*losses.T, *reached.T], strict=True)
)
cu.plotting.show(
    figure,
    f"Test loss by number of parameters, both axes logarithmic, three seeds. {found}. A line "
    f"fits the four smaller sizes; dashed, it goes on to a ring at {predicted:.2f}.",
)

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# The line says 1.827 nats; the three seeds reach 1.837 to 1.873. All three lie above the
# line, by 0.025 on average. Fitted to one seed at a time, it says 1.80 to 1.87: chance may
# explain the miss.
#
# The four sizes miss their own line by 0.041 at most. Its slope is −0.097, and the step from
# width 32 to width 48 is short, a factor of 2.2 in parameters. All sizes read the same text,
# 900 characters per parameter of the smallest model and 28 of the largest. With more text or
# another corpus the slope may be another; neither was varied.

# %% [raw]
# near(
#     np.exp(
#         np.polyval(
#             np.polyfit(
#                 *(
#                     np.log(
#                         [
#                             recorded("sizes", "imdb_texts", f"width {width}: {what}").mean()
#                             for width in (8, 12, 20, 32)
#                         ]
#                     )
#                     for what in ("parameters", "loss")
#                 ),
#                 1,
#             ),
#             np.log(56_640),
#         )
#     ),
#     1.827,
#     0.0005,
# )
# near(
#     np.polyfit(
#         *(
#             np.log(
#                 [
#                     recorded("sizes", "imdb_texts", f"width {width}: {what}").mean()
#                     for width in (8, 12, 20, 32)
#                 ]
#             )
#             for what in ("parameters", "loss")
#         ),
#         1,
#     )[0],
#     -0.097,
#     0.0005,
# )
# near(ends(recorded("largest", "imdb_texts", "width 48: loss")), [1.837, 1.873], 0.0005)
# near(
#     abs(
#         recorded("largest", "imdb_texts", "width 48: loss").mean()
#         - np.exp(
#             np.polyval(
#                 np.polyfit(
#                     *(
#                         np.log(
#                             [
#                                 recorded(
#                                     "sizes", "imdb_texts", f"width {width}: {what}"
#                                 ).mean()
#                                 for width in (8, 12, 20, 32)
#                             ]
#                         )
#                         for what in ("parameters", "loss")
#                     ),
#                     1,
#                 ),
#                 np.log(56_640),
#             )
#         )
#     ),
#     0.025,
#     0.0005,
# )
# near(
#     ends(
#         [
#             np.exp(
#                 np.polyval(
#                     np.polyfit(
#                         *(
#                             np.log(
#                                 [
#                                     recorded("sizes", "imdb_texts", f"width {width}: {what}")[
#                                         seed
#                                     ]
#                                     for width in (8, 12, 20, 32)
#                                 ]
#                             )
#                             for what in ("parameters", "loss")
#                         ),
#                         1,
#                     ),
#                     np.log(56_640),
#                 )
#             )
#             for seed in range(3)
#         ]
#     ),
#     [1.80, 1.87],
#     0.005,
# )
# near(56_640 / 25_472, 2.2, 0.05)
# near(
#     [recorded("sizes", "imdb_texts", "predictions")[0] / count for count in (1_760, 56_640)],
#     [900, 28],
#     0.5,
# )
# near(
#     max(
#         abs(
#             recorded("sizes", "imdb_texts", f"width {width}: loss").mean()
#             - np.exp(
#                 np.polyval(
#                     np.polyfit(
#                         *(
#                             np.log(
#                                 [
#                                     recorded(
#                                         "sizes", "imdb_texts", f"width {width}: {what}"
#                                     ).mean()
#                                     for width in (8, 12, 20, 32)
#                                 ]
#                             )
#                             for what in ("parameters", "loss")
#                         ),
#                         1,
#                     ),
#                     np.log(recorded("sizes", "imdb_texts", f"width {width}: parameters")[0]),
#                 )
#             )
#         )
#         for width in (8, 12, 20, 32)
#     ),
#     0.041,
#     0.0005,
# )
# (recorded("largest", "imdb_texts", "width 48: loss") > 1.827).all()
# near(
#     [recorded("sizes", "imdb_texts", f"width {width}: parameters")[0] for width in (8, 32)],
#     [1_760, 25_472],
#     0.5,
# )
# near(recorded("largest", "imdb_texts", "width 48: parameters")[0], 56_640, 0.5)
# given(3, 5)

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Have everybody mark a point before the click. Then ask what one would have said
# of a line through all five points: that it fits. Only a prediction made before can fail.
# What was the same for all sizes? The text and the steps. Which size had the least text per
# parameter? The largest.

# %% slideshow={"slide_type": "skip"}
if session.profile == "full":
    record.record_all(session.seed)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Where it stands today
#
# - Scaling laws for parameters, text and compute together
#   ([2022](https://arxiv.org/abs/2203.15556)): for given compute, about 20 tokens a parameter.
# - **In-context learning** ([GPT-3, 2020](https://arxiv.org/abs/2005.14165)): examples in the
#   **prompt**, the text that the model goes on with, can replace fine-tuning.
# - **Instruction tuning** and **RLHF** ([InstructGPT, 2022](https://arxiv.org/abs/2203.02155))
#   turn a language model into an assistant; both are fine-tuning on far fewer texts.
# - **LoRA** ([2021](https://arxiv.org/abs/2106.09685)) and its kin are a common way to
#   fine-tune large models; [QLoRA (2023)](https://arxiv.org/abs/2305.14314) keeps the frozen
#   weights in 4 bits.
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
# - Put what only counts, tuned alike, into every table about pre-training.
# - A low-rank adapter trains a small fraction of the weights.
# - Look for the test set in the pre-training text, by runs of words.
# - A power law fitted to small models is a prediction: write it down, then check it.

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
# few-shot learners*](https://arxiv.org/abs/2005.14165) (2020) · Kaplan et al., [*Scaling laws
# for neural language models*](https://arxiv.org/abs/2001.08361) (2020) · Hu et al.,
# [*LoRA*](https://arxiv.org/abs/2106.09685) (2021) · Kumar et al., [*Fine-tuning can distort
# pretrained features*](https://arxiv.org/abs/2202.10054) (2022) · Hoffmann et al., [*Training
# compute-optimal large language models*](https://arxiv.org/abs/2203.15556) (2022)

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Ask again what the pile without labels is worth. Accept only answers with a number
# of predictions and a baseline in them.
