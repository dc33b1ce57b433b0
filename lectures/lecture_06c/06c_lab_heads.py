# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   title: "Lab 6c · Heads and ablations"
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] slideshow={"slide_type": "slide"} tags=["title"]
# # Heads and ablations
#
# **Lab 6c** · one encoder, four kinds of questions, and what in it matters

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Lab 6b asked one question about a whole text. Today the same encoder finds names,
# marks answers, and chooses endings. The surprise is how little has to change for that: one
# Dense layer.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What you will be able to do
#
# 1. build the heads of BERT for tokens, spans and choices
# 2. align tags of words with subword tokens
# 3. score names by span, and say why accuracy flatters
# 4. find a bug in reading off an answer by its symptom
# 5. read a plot of ablations, and say which rows can be told apart

# %% [markdown] slideshow={"slide_type": "skip"}
# **You need** lecture 6 and lab 6b (subword tokens, masked pre-training, fine-tuning). **It
# takes** about eighty minutes, of which the seven exercises take forty-nine.

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Read the five points. The third one matters beyond language: wherever most answers
# are "nothing", accuracy flatters.

# %% slideshow={"slide_type": "skip"} name="start"
import course_utils as cu

session = cu.start(seed=0)  # before Keras is imported, so that its backend starts quietly
LECTURE = "06c_lab_heads"

import keras
import numpy as np
from keras import layers, ops

from course_utils.layers.attention import MASK_VALUE
from lectures import lecture_06c as lab

# %% slideshow={"slide_type": "skip"}
from lectures.lecture_06b import pooled, tokenizers
from lectures.lecture_06c import (
    IGNORE,
    load_choices,
    load_entities,
    load_questions,
    load_summaries,
    record,
    tagged_rows,
    tags_of,
    two_block_encoder,
)


def recorded(model, metric, dataset=None):
    """A recorded metric, a value a seed."""
    return [run["metrics"][metric] for run in cu.results.load(LECTURE, model, dataset)]


# %% [markdown] slideshow={"slide_type": "slide"}
# ## One encoder, four heads

# %% slideshow={"slide_type": "-"}
cu.figures.show("06c_heads")

# %% [markdown] slideshow={"slide_type": "skip"}
# | head | reads | returns | the softmax runs over |
# | --- | --- | --- | --- |
# | sequence | one vector a text | n scores | classes |
# | token | every token's state | n scores a token | classes, at each token |
# | span | every token's state | a start and an end score a token | *positions* |
# | choice | one vector for each choice | one score a choice | *choices* |
#
# An encoder of this lab is a model from ids to a *list* of states, one entry a layer:
# `encoder(ids)[-1]` are the last, (batch, tokens, channels). The sequence head is that of lab
# 6b: one vector a text, dropout, a Dense layer. With 64 channels and two classes it has
# 2 · 64 + 2 = 130 weights, the encoder below it 86,272. Nearly everything is learned in the
# encoder, whatever the question, so one pre-trained encoder can serve all of them.

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) For each drawing ask: over what does the softmax run? Classes, classes at each
# token, positions, choices. The third and the fourth surprise: one number a token, or one
# number a row, and the softmax runs across them.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Tokens: find the names

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
entities = load_entities()
tags = entities.class_names
for word, tag in zip(entities.train.inputs[3], entities.train.targets[3], strict=True):
    print(f"{word}/{tags[tag]}" if tag else word, end=" ")

# %% [markdown] slideshow={"slide_type": "-"}
# **BIO tags**: `B-film` begins a film, `I-film` continues it, `O` is outside.

# %% [markdown] slideshow={"slide_type": "skip"}
# The sentences come from a grammar of the course, with persons, films, places and
# organisations. Half of the names in the test sentences occur in no training sentence: the
# tagger can recognise them only by the words around them.

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Read the sentence aloud and let them call the tags. How would a look-up table of
# known names do? It fails on the new ones, and on names that are a person here and a film
# there.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 06c.1 · Words have tags, tokens are read
#
# A tokenizer cuts *Keller* into `Ke ##ll ##er`. One word, one tag: which token carries it?
#
# The loss skips -1, so a word's *first token* answers for it.

# %% builds="lectures.lecture_06c.align_tags" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
align_tags = cu.exercises.use("06c.1", align_tags)

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"] heading="Tags on tokens"
texts = [" ".join(words) for words in entities.train.inputs]
tokenizer = tokenizers.train("wordpiece_cased", texts, 300)
words, targets = entities.test.inputs[1], entities.test.targets[1]
pieces, places = tokenizer.of_words(words)
for piece, tag in zip(pieces, align_tags(targets, places), strict=True):
    print(tokenizer.text([piece]), tags[tag] if tag > 0 else {0: "O", -1: "·"}[tag], end="  ")

# %% [markdown] slideshow={"slide_type": "skip"}
# The dot stands for -1, which is not asked. If every token carried its word's tag, a long rare
# name would count several times, and the number of questions would depend on the tokenizer.

# %% [markdown] slideshow={"slide_type": "notes"}
# (6 minutes) The usual mistake is 0 instead of -1: 0 is the tag O, so the loss would teach that
# the rest of every name is outside.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 06c.2 · The token head
#
# From the encoder's last states, `encoder(ids)[-1]`, to a score for each class at each token.

# %% builds="lectures.lecture_06c.token_classifier" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
token_classifier = cu.exercises.use("06c.2", token_classifier)

# %% [markdown] slideshow={"slide_type": "notes"}
# (5 minutes) A Dense layer works on the last axis, so nothing has to be said about tokens. Ask
# what a mean over the states would do here: the same answer at every token.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 06c.3 · F1 by span
#
# **Precision** is the share of predicted names that are right, **recall** the share of true
# names that are found, and **F1** their harmonic mean. A name is right if both ends and the
# type are.

# %% slideshow={"slide_type": "skip"} shows="lectures.lecture_06c.spans"
# filled by the build

# %% builds="lectures.lecture_06c.span_f1" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
span_f1 = cu.exercises.use("06c.3", span_f1)

# %% [markdown] slideshow={"slide_type": "notes"}
# (8 minutes) By hand first: three true names, two predicted, one right: precision 1/2, recall
# 1/3, F1 2/5. The finest mistake: the spans of all sentences in one set, so that two names at
# the same place of two sentences become one.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 06c.4 · Train a tagger
#
# Reach a span F1 of 0.9 with your default number of epochs and the head that you built, in
# about a minute. The check keeps half of the validation sentences back and asks for those. The
# cell below trains for fewer epochs (in the quick profile), and tests on sentences half of
# whose names are new.

# %% [raw]
# given(0.9)

# %% builds="lectures.lecture_06c.train_tagger" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
train_tagger = cu.exercises.use("06c.4", train_tagger)

# %% slideshow={"slide_type": "skip"} tags=["headline"]
epochs = session.pick(quick=2, full=4)
tagger = train_tagger(entities, tokenizer, epochs, head=token_classifier)
names = entities.class_names
true = [[names[tag] for tag in row] for row in entities.test.targets]
answers = {
    "tagger": tags_of(tagger, entities.test, tokenizer, names),
    "look-up table": [
        [names[tag] for tag in row]
        for row in lab.look_up_tags(entities.train, entities.test.inputs)
    ],
    "always O": [["O"] * len(row) for row in true],
}
for name, answer in answers.items():
    accuracy = np.mean(np.concatenate(answer) == np.concatenate(true))
    print(f"{name:14} token accuracy {accuracy:.3f}, span F1 {span_f1(true, answer):.3f}")

# %% [markdown] slideshow={"slide_type": "skip"}
# The look-up table gives each word its most frequent tag in training. It has 78 % of the tags
# right and finds hardly a name: a name counts only as a whole.

# %% [raw]
# near(recorded("tagger", "entities", "look_up_accuracy"), 0.78, 0.005)

# %% [markdown] slideshow={"slide_type": "notes"}
# (9 minutes) Those who finish early find out what happens without ignore_class. -1 is no class:
# TensorFlow stops with an error, JAX silently counts a loss of 0 there. A bug that depends on
# the backend is worth a minute.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Accuracy flatters
#
# **Predict before you run:** **WNUT-17** holds real messages with names that hardly ever occur
# twice. Which of encoder, look-up table and "always O" has the highest token accuracy?

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "hide-input"]
arms = {"encoder": "tagger", "look-up table": "look_up"}
scores = {
    title: {
        column: {
            name: recorded("tagger", f"{arm}_{metric}", "wnut17") for name, arm in arms.items()
        }
        for column, metric in {"": metric}.items()
    }
    for title, metric in {"token accuracy": "accuracy", "span F1": "f1"}.items()
}
scores["token accuracy"][""]["always O"] = recorded("tagger", "always_o", "wnut17")
scores["span F1"][""]["always O"] = [0.0] * 3
cu.plotting.dots(scores, ylabel="score on WNUT-17, test")

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# "Always O" is the most accurate (0.9256, the look-up table 0.9255, the encoder 0.91 to 0.92),
# and it finds nothing at all.
#
# The encoder, trained on three thousand messages from scratch, has an F1 below 0.08, hardly
# more than the look-up table's 0.06 (which finds single words of longer training names, such as
# *Trump*). On our own sentences a network of the same kind, with a vocabulary of 300 tokens
# instead of 4,000, reaches 0.99 after ten epochs. No entity of WNUT-17's test part occurs in
# training as it is written (a few do if case is ignored), so what a name looks like has to come
# from elsewhere: the best system of the shared task reached an F1 of 0.42, with vectors trained
# on much other text.

# %% [raw]
# near(recorded("tagger", "wnut17", "always_o").mean(), 0.9256, 0.00005)
# near(recorded("tagger", "wnut17", "look_up_accuracy").mean(), 0.9255, 0.00005)
# recorded("tagger", "wnut17", "tagger_accuracy").max() < recorded(
#     "tagger", "wnut17", "always_o"
# ).min()
# recorded("tagger", "wnut17", "tagger_f1").max() < 0.08
# near(recorded("tagger", "wnut17", "look_up_f1").mean(), 0.06, 0.005)
# recorded("tagger", "entities", "tagger_f1").min() > 0.99
# near(ends(recorded("tagger", "wnut17", "tagger_accuracy")), [0.91, 0.92], 0.005)
# near(recorded("tagger", "wnut17", "always_o"), 9 / 10, 0.03)
# given(0.42)

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) Nine words in ten are outside, so nine in ten is what silence earns. The same
# holds for fraud, rare diseases and defects: print the majority-class baseline beside every
# accuracy.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Spans: where in the text is the answer?

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
questions = load_questions()
text, (first, last) = questions.train.inputs["text"][0], questions.train.targets[0]
print(" ".join(questions.train.inputs["question"][0]), "?")
print(" ".join(text[:first]), "[", " ".join(text[first : last + 1]), "]", end=" ")
print(" ".join(text[last + 1 :]))

# %% [markdown] slideshow={"slide_type": "skip"}
# A row is `<sos>` question `<eos>` text, so that every token of the text can attend to the
# question. The head gives each token two scores: "the answer starts here" and "it ends here".
# Each is trained as a choice among all positions of the row: as many classes as tokens, from a
# head of two columns. Every review holds two spans of the right sort, two persons, days, places
# or verdicts, so finding *a* person is right only half of the time. ("Most frequent answer",
# below, takes the span of the review that most often answered this question in training.)

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Why one row for question and text? Because each token of the text has to see the
# question. What would two encoders, one for each, miss? The comparison token by token.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 06c.5 · The span head
#
# Two scores a token. Pads get `MASK_VALUE`, -60,000: low enough for a probability of 0, and,
# unlike minus infinity, harmless where a row is masked throughout.

# %% [raw]
# given(60_000)

# %% builds="lectures.lecture_06c.span_answerer" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
span_answerer = cu.exercises.use("06c.5", span_answerer)

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"] heading="Shapes, weights, pads"
keras.utils.set_random_seed(session.seed)
encoder = two_block_encoder(tokenizer, 80)
reader = span_answerer(encoder)
ids = np.random.default_rng(0).integers(5, 300, (2, 20)) * (np.arange(20) < [[20], [12]])
ends = {name: ops.convert_to_numpy(score) for name, score in reader(ids).items()}
print({name: score.shape for name, score in ends.items()}, end=" ")
print("weights of the head:", reader.count_params() - encoder.count_params())
share = ops.convert_to_numpy(ops.softmax(ends["start"]))
print("probability of all pads:", share[1, 12:].sum())

# %% [markdown] slideshow={"slide_type": "notes"}
# (8 minutes) Which softmax would be wrong? One over the two columns: a token would then have to
# be start or end. Why do pads need a score at all? They take part in the softmax over
# positions.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 06c.6 · Find the bug
#
# A student reads off the answers: the position with the best start score, the position with the
# best end score. The scores are fine. Yet some answers are empty, and one lies in the question.

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
row = "<sos> who wrote it <eos> anna keller wrote it and jonas beck directed".split()
start, end = np.zeros((2, 1, len(row)))
start[0, [2, 5, 10]], end[0, [3, 6, 11]] = [1, 4, 5], [1, 6, 3]
first, last = start[0].argmax(), end[0].argmax()
print("from", row[first], "to", row[last], "->", row[first : last + 1])

# %% [markdown] slideshow={"slide_type": "-"}
# Repair it: return the best *pair* of ends, in order and inside the text.

# %% builds="lectures.lecture_06c.best_span" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
best_span = cu.exercises.use("06c.6", best_span)

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"] heading="The best span that is allowed"
allowed = np.arange(len(row))[None] > 4
[(first, last)] = best_span(start, end, allowed)
print(row[first : last + 1])

# %% [markdown] slideshow={"slide_type": "skip"}
# The best pair need hold neither the best start nor the best end. Sorting the two positions, or
# taking the best end behind the best start, would hide the symptom and keep the bug.

# %% [markdown] slideshow={"slide_type": "notes"}
# (8 minutes) The symptom is the empty answer. Ask for the cost: with S tokens there are S²
# pairs; real systems look at the twenty best starts and ends only, and limit the length.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Choices: which ending fits?

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
choices = load_choices()
print(" ".join(choices.train.inputs["text"][1]).replace(" . ", " .\n"))
for place, ending in enumerate(choices.train.inputs["endings"][1]):
    print("  ", " ".join(ending), "<- fits" if place == choices.train.targets[1] else "")

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Hide the mark and let them choose. What did they compare? All endings with one
# context: that is a softmax over candidates.

# %% [markdown] slideshow={"slide_type": "skip"}
# Every ending is joined to its review and read by itself; each row gets *one* number, and the
# softmax compares the four numbers. The endings are made so that neither they alone nor the
# words that they share with the review tell anything: one has to find the subject, know whether
# its adjective praises, and heed a "not", "hardly" or "never".

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 06c.7 · The choice head
#
# (reviews, choices, tokens) → one score a choice. `pooled(states, ids, pool)` reads a row: for
# `pool="first"` it is the state of the first token.

# %% slideshow={"slide_type": "skip"} shows="lectures.lecture_06c.OneRowAChoice"
# filled by the build

# %% builds="lectures.lecture_06c.choice_scorer" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
choice_scorer = cu.exercises.use("06c.7", choice_scorer)

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"] heading="The order of the endings does not count"
keras.utils.set_random_seed(session.seed)
model = choice_scorer(two_block_encoder(tokenizer, 56), 4)
ids = np.random.default_rng(0).integers(5, 300, (1, 4, 20))
scores, turned = (ops.convert_to_numpy(model(rows)) for rows in (ids, ids[:, ::-1]))
same = np.allclose(scores, turned[:, ::-1], atol=1e-5)
print("scores", scores.shape, "independent of the order:", same)

# %% [markdown] slideshow={"slide_type": "notes"}
# (8 minutes) Does the scorer know the other endings? No; only the softmax compares. Four rows a
# question mean four times the work. And a text longer than 512 tokens? That is the problem of
# every such reader.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Writing: the model is its own head

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
summaries = load_summaries()
print(summaries.train.inputs[0], "->", summaries.train.targets[0])

# %% [markdown] slideshow={"slide_type": "-"}
# A causal model needs no new head to write: put the summary *behind* the review, and train on
# the tokens behind the separator only.

# %% [markdown] slideshow={"slide_type": "skip"}
# The review itself has target 0, which the loss skips: nobody has to write reviews. To use the
# model, show it the review and let it go on, token by token (greedy decoding of lecture 6).
# Trained from scratch on 4,000 pairs, such a model writes 90 to 96 % of the 500 test summaries
# without a mistake. [GPT-2
# (2019)](https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf)
# was made to summarise by a **prompt** alone, "TL;DR:" behind the text, though not well; larger
# models do it well.

# %% [raw]
# recorded("summary_writer", "summaries", "exact_match").min() >= 0.9
# near(ends(recorded("summary_writer", "summaries", "exact_match")), [0.90, 0.96], 0.005)

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) What must the loss leave out, and why? Without it most of the training goes into
# writing reviews.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The heads, recorded

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
starts = {"from scratch": "scratch", "read its rows first": "pretrained"}
heads = {"spans": ("span", "questions"), "choices": ("choice", "choices")}
cu.plotting.dots(
    {
        title: {
            name: {"": recorded(f"{head}_{start}", "exact_match", data)}
            for name, start in starts.items()
        }
        for title, (head, data) in heads.items()
    },
    ylabel="exact match, test",
)
print(f"spans: most frequent answer {lab.frequent_answers(questions):.2f}, one of two 0.50")
print(f"choices: by the endings alone {lab.endings_alone(choices):.2f}, chance 0.25")

# %% [markdown] slideshow={"slide_type": "-"} tags=["lead"]
# *At the one pair of learning rates that was tried*, reading first is ahead on both tasks
# (spans 0.79 against 0.62 on average, choices 0.43 against 0.34). That decides nothing yet.
#
# "Read its rows first" means six epochs of masked pre-training on the training rows *without
# their answers*, then six epochs with answers; "from scratch" means twelve with answers. For
# spans both read the rows equally often. For choices pre-training reads one of each review's
# four rows an epoch, so that "from scratch" reads a row 12 times and the other arm 7.5 times.
# No other text comes in. (The recorded heads differ from yours: the choice head reads the mean
# of all states, and neither head has dropout.)
#
# The pair is 0.002 for reading and 0.001 for answering: a better learning rate, or longer
# training, might close the gap. To find out, one would give both arms the same grid of learning
# rates, chosen on validation, at two budgets.
#
# The choices stay far from solved. Four things decide together: the subject, its adjective, a
# negation ("not", "hardly", "never"), and the ending's adjective. No single word and no pair of
# words tells anything, so the gradient has little to begin with.

# %% [raw]
# near(recorded("span_scratch", "questions", "exact_match").mean(), 0.62, 0.01)
# near(recorded("span_pretrained", "questions", "exact_match").mean(), 0.79, 0.01)
# near(recorded("choice_pretrained", "choices", "exact_match").mean(), 0.43, 0.01)
# near(recorded("choice_scratch", "choices", "exact_match").mean(), 0.34, 0.01)
# 6 / 4 + 6 == 7.5
# given(12, 0.002, 0.001)

# %% slideshow={"slide_type": "skip"}
if session.profile == "full":
    record.record_all(session.seed)

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) Which number says that a model reads? None by itself. For spans the line is one
# half: below it a model finds names, above it it reads who did what. Ask what a fair second run
# would need: the same grid of learning rates for each arm, judged on validation.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What matters? BERT's ablations, at our size
#
# An **ablation** changes one factor and keeps the rest: same reviews, same number of
# predictions in pre-training, same 200 labels, settings chosen alike. *Base*: masked, two
# blocks, 32 channels, four heads.
#
# **Predict:** better, worse, or not to be told from the base? *Next part* (BERT's
# **next-sentence task**: do the two halves of a row belong together? Half of the rows are
# joined from two reviews) · left to right · a BiLSTM on top, of either · 1 block · 16 channels
# · 1 head

# %% slideshow={"slide_type": "skip"} shows="lectures.lecture_06c.ABLATIONS"
# filled by the build

# %% slideshow={"slide_type": "subslide"} tags=["answers-prediction", "hide-input"]
rows = [*lab.ABLATIONS]
rows[1:1] = ["base + BiLSTM"]
rows.insert(rows.index("left to right") + 1, "left to right + BiLSTM")
arms = {row.replace(" ", "\n"): recorded("ablations", f"{row}: test") for row in rows}
cu.plotting.dots({"": {"": arms}}, ylabel="test accuracy, 200 labels", limits=(0.5, 1.02))

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# Three rows lie below all dots of the base model: the next-sentence task, one block, one head.
# The other four *cannot be told apart* from it.
#
# A dot is a seed: two epochs of pre-training, then 200 labels; the learning rate of
# pre-training is each row's own (the better of 0.003 and 0.01 by validation loss), that of
# fine-tuning is chosen on validation. The base model reaches 0.84 to 0.91, left to right from
# 0.78 to 0.93: overlapping rows cannot be told apart, which is not the same as equal.
#
# Two of the three need a word. The next-sentence row changes more than one factor: its rows
# hold an `<eos>` in the middle, half of them join two reviews, and its scores have a bias, so
# the run cannot say which of these hurts. And with one head the words are guessed *better* than
# by the base model (validation loss 2.32 against 2.44, one seed), yet labels help it less.
#
# How sure are the three? If two arms are equal, with three seeds each, the one lies wholly
# below the other by chance alone in 1 of 20 cases, and above it in another 1 of 20. With seven
# rows, a false finding somewhere is not rare. Besides, 0.01 was the better learning rate of
# every row, so a still larger one might change the order, and two epochs are a small budget.
# Five seeds, a wider grid and a second budget would be the next run;
# `record.record_ablations(seed)` makes
# one seed.
#
# What the papers found: in BERT's table 5 ([2019](https://arxiv.org/abs/1810.04805)) leaving
# out the next-sentence task cost up to three and a half points, reading left to right more, and
# a BiLSTM on top won back a part on one task and nothing on the others. [RoBERTa
# (2019)](https://arxiv.org/abs/1907.11692) repeated the first row with more care and found that
# leaving the task out does no harm. And the BiLSTM: whether it makes up for what a
# left-to-right model lacks shows only if the base model gets one, too, as it does here.

# %% [raw]
# near([cell("ablation-rates", row, "0.01") for row in ("1 head", "base")], [2.32, 2.44], 0.005)
# all(
#     recorded("ablations", "short_reviews", row + ": test").max()
#     < recorded("ablations", "short_reviews", "base: test").min()
#     for row in ("next part", "1 block", "1 head")
# )
# all(
#     recorded("ablations", "short_reviews", row + ": test").max()
#     > recorded("ablations", "short_reviews", "base: test").min()
#     for row in ("base + BiLSTM", "left to right", "left to right + BiLSTM", "16 channels")
# )
# near(
#     [
#         recorded("ablations", "short_reviews", "base: test").min(),
#         recorded("ablations", "short_reviews", "base: test").max(),
#     ],
#     [0.84, 0.91],
#     0.006,
# )
# near(
#     [
#         recorded("ablations", "short_reviews", "left to right: test").min(),
#         recorded("ablations", "short_reviews", "left to right: test").max(),
#     ],
#     [0.78, 0.93],
#     0.006,
# )
# len(recorded("ablations", "short_reviews", "base: test")) == 3
# given(0.003, 0.01, 20, 3.5, 2, 5)

# %% [markdown] slideshow={"slide_type": "notes"}
# (7 minutes) Have each row predicted, with a reason. Then ask for the design before you show
# the dots: how many seeds, which budget, which learning rates, and what would count as a
# difference? Rows whose dots overlap with those of the base model cannot be told from it.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The families

# %% slideshow={"slide_type": "-"}
cu.figures.show("06c_families")

# %% [markdown] slideshow={"slide_type": "skip"}
# - **Encoders** see both sides: [BERT (2019)](https://arxiv.org/abs/1810.04805), RoBERTa (2019:
#   longer, more text, no next-sentence task), [ELECTRA
#   (2020](https://arxiv.org/abs/2003.10555): was this token replaced?).
# - **Decoders** write: [GPT
#   (2018)](https://cdn.openai.com/research-covers/language-unsupervised/language_understanding_paper.pdf),
#   GPT-2, [GPT-3 (2020](https://arxiv.org/abs/2005.14165): examples in the prompt).
# - **Both:** [T5 (2020)](https://arxiv.org/abs/1910.10683), every task as text to text; [BART
#   (2020)](https://arxiv.org/abs/1910.13461), which restores damaged text.
#
# Ask five questions of any new model: what is hidden, who sees whom, what shares weights, which
# text, and how much of it.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Where would you put a translator, a spam filter, a chat? Then: which of the
# changes could you test with today's code? New masks every epoch, the next-sentence task, the
# objective.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Where it stands today
#
# - Large decoders answer most of these tasks as text to continue, without any head.
# - Small fine-tuned encoders still tag, classify and search where speed and cost count.
# - **Constrained decoding** makes a writer return valid spans, tags and choices.
# - F1 by span is still how **named entities** are scored. Taggers that forbid impossible
#   sequences (O, then I-film) add a **conditional random field** or a constrained search.
# - **SQuAD** 2.0 ([2018](https://arxiv.org/abs/1806.03822)) added questions without an answer;
#   BERT lets their span be the first token.

# %% [raw]
# given(2.0)

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) One sentence a line; ask which of these tasks they would still give to a small
# encoder, and why.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Summary
#
# - A head is one Dense layer; ask what it reads and over what the softmax runs.
# - One tag a word, at its first token; -1 is not asked.
# - Score names by span, beside the majority-class baseline.
# - The best span is the best *pair*.
# - An ablation changes one factor at an equal budget; overlapping ranges decide nothing.

# %% [markdown] slideshow={"slide_type": "skip"}
# **Papers.** Ramshaw and Marcus, [*Text chunking using transformation-based
# learning*](https://arxiv.org/abs/cmp-lg/9505040) (1995) · Rajpurkar et al.,
# [*SQuAD*](https://arxiv.org/abs/1606.05250) (2016) · Derczynski et al., [*Results of the
# WNUT2017 shared task*](https://doi.org/10.18653/v1/W17-4418) (2017) · Zellers et al.,
# [*SWAG*](https://arxiv.org/abs/1808.05326) (2018) · Devlin et al.,
# [*BERT*](https://arxiv.org/abs/1810.04805) (2019), tables 5 to 7 · Liu et al.,
# [*RoBERTa*](https://arxiv.org/abs/1907.11692) (2019) · Clark et al.,
# [*ELECTRA*](https://arxiv.org/abs/2003.10555) (2020) · Raffel et al.,
# [*T5*](https://arxiv.org/abs/1910.10683) (2020)

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Ask each table which head their own problem at home would need, and what its
# majority-class baseline is.
