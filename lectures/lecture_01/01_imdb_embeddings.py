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
# **Lecture 1** · counting, embeddings, skip-gram

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Write on the board: *The plot was never dull.* Ask who thinks that the writer liked
# the film: all hands go up. Then ask what a program has to know in order to agree. Collect
# answers (the words, their order, what "never" does) and leave them there until the end.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What you will be able to do
#
# 1. turn texts into ids and into rows of numbers: bag of words, n-grams, tf-idf
# 2. say which verdicts no bag of words can tell apart
# 3. explain an embedding as a product with a one-hot row, and count its parameters
# 4. build skip-gram with negative sampling in Keras and train it without labels
# 5. judge word vectors: cosine, analogies, bias, and when they beat vectors learned with the
#    task

# %% [markdown] slideshow={"slide_type": "skip"}
# **You need** Python, NumPy, and to have seen logistic regression and a Keras `Dense` layer.
# **It takes** ninety minutes, of which the exercises take about forty; 01.3 is homework.
#
# Cells that begin with a file name show that file's code. After an exercise, the rest of the
# notebook runs on your own definition if it is correct, and on the course's otherwise. The
# quick profile uses small reviews made for this course; figures on **IMDB**, 50,000 real film
# reviews, come from recorded runs.
#
# *The slides* below are those that the course is based on; you need not have them.

# %% [raw]
# given(50_000)

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Read the five points as questions. Ask who has used word vectors; ask who could
# train them from nothing. After this lecture everybody has.

# %% slideshow={"slide_type": "skip"} name="start"
import course_utils as cu

session = cu.start(seed=0)  # before Keras is imported, so that its backend starts quietly
LECTURE = "01_imdb_embeddings"

from collections import Counter

import keras
import numpy as np
from keras import layers, ops
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from course_utils.data.reviews import DAMNING, PRAISING
from course_utils.layers import MaskedAveragePooling1D
from lectures.lecture_01 import (
    GROUPS,
    encode,
    in_their_group,
    neighbours,
    ngrams,
    record,
    unit,
    with_noise,
)
from lectures.lecture_01.plots import bars, curves, plane

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The task: does a review praise or blame?
#
# Our small reviews come from a grammar, so we know *why* each one praises or blames: by
# *plain* words, by *negation*, by a *turn*, or by a word *far* back.

# %% slideshow={"slide_type": "-"}
texts = cu.data.load_reviews(form="text")
phenomenon = texts.test.columns["phenomenon"]
for name in ("plain", "negation", "turn", "far"):
    chosen = min(texts.test.inputs[phenomenon == name], key=len)
    print(f"{name}: {chosen[: chosen.rfind('.', 0, 280) + 1]}")  # whole sentences

# %% [markdown] slideshow={"slide_type": "skip"}
# | phenomenon | what decides the verdict | share |
# | --- | --- | --- |
# | plain | three adjectives that agree | 40 % |
# | negation | two adjectives, each negated: *never dull* is praise | 20 % |
# | turn | two opposite verdicts far apart; the later one counts | 20 % |
# | far | one verdict at the start; later, seats or popcorn are praised or blamed | 20 % |
#
# Real reviews mix all four. In ours you see which of them a model cannot handle.

# %% [raw]
# given(0.40, 0.20)

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Read the first two aloud. The small reviews are a measuring instrument, like a
# resolution chart for a camera.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## 1 · From words to ids
#
# To **tokenize** a text is to split it into words, in lower case, without punctuation. A
# **vocabulary** then gives each word a number, its **id**. Two ids have a fixed meaning: 0 is
# **padding**, which fills short texts up, and 1 is every **unknown word**.

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Ask for a word that they would not find in any vocabulary, and which id it gets.

# %% [markdown] slideshow={"slide_type": "subslide"} tags=["exercise"]
# ### Exercise 01.1 · Build the vocabulary
#
# Number the words of the training texts by frequency.

# %% builds="lectures.lecture_01.build_vocabulary" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
build_vocabulary = cu.exercises.use("01.1", build_vocabulary)

# %% [markdown] slideshow={"slide_type": "notes"}
# (6 minutes) Two details matter: the reserved ids, and a rule for ties.
#
# Ask why only the training texts may make the vocabulary, although words are no labels. The
# test set stands for reviews that are not written yet: their words cannot be known.

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
train_tokens = [cu.data.tokenize(text) for text in texts.train.inputs]
test_tokens = [cu.data.tokenize(text) for text in texts.test.inputs]
vocabulary = build_vocabulary(train_tokens, 10_000)
size = len(vocabulary) + 2
print(f"{len(vocabulary)} words + 2 reserved ids = {size}; first words:", list(vocabulary)[:6])
sentence = cu.data.tokenize("The plot was never, ever dull.")
print(sentence, encode(sentence, vocabulary))

reviews = cu.data.load_reviews()  # the same texts as rows of ids, padded with zeros
train, test = reviews.train, reviews.test

# %% [markdown] slideshow={"slide_type": "skip"}
# *Ever* is not among the training words, so its id is 1. **Ids are names, not amounts:** a
# formula that multiplies ids would take word 90 for ten times word 9. Each word needs numbers
# of its own: a column (section 2), or a row of a table (section 3). The Keras layer
# `TextVectorization` builds such a vocabulary, with the same reserved ids.
#
# **The offset of three.** `keras.datasets.imdb` delivers reviews as ids, in which 0 is padding,
# 1 the start of a review and 2 unknown. Its word index counts words from 1 and does not know of
# these three, so `index[word] + 3` is the id in a review. Forgetting it raises no error: decode
# a review and read it before you train.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## 2 · Count words: the bag of words

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
cu.figures.show("01_counting")

# %% [markdown] slideshow={"slide_type": "-"}
# Every word of the vocabulary gets a column. A review is a **multi-hot** row: 1 in the columns
# of its words, 0 elsewhere. (With a single 1, for a single word, it is **one-hot**.) The order
# of the words is gone, hence the name.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Go through the drawing from top to bottom. Ask for the verdict before you point to
# the last line, and note "never 0.0"; we need it in a minute.

# %% shows="lectures.lecture_01.multi_hot" slideshow={"slide_type": "skip"}
# filled by the build

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
train_rows, test_rows = multi_hot(train.inputs, size), multi_hot(test.inputs, size)
counter = LogisticRegression(max_iter=1000).fit(train_rows, train.targets)
plain = phenomenon == "plain"
print(f"plain reviews: accuracy {counter.score(test_rows[plain], test.targets[plain]):.2f}")
for word in ("superb", "great", "dull", "boring", "never", "not"):
    praise = train.targets[train_rows[:, vocabulary[word]] > 0].mean()
    print(f"{word:8s}weight {counter.coef_[0][vocabulary[word]]:5.2f}, in praise {praise:.0%}")

# %% [markdown] slideshow={"slide_type": "skip"}
# *Why `ids != 0`?* Padding is not a word. With a column for it, a review would get another row
# as soon as it is padded.
#
# The weights can be read: words of praise lie above zero, words of blame below, and negators
# nearer to zero than most; about half of the reviews that contain one praise. Start every text
# project with this model. It trains in a second, it can be inspected, and it is the
# **baseline** that larger models have to beat.

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Readable weights are worth a lot in practice. Point to the negators: half of the
# reviews with *never* praise. By itself the word says next to nothing.

# %% [markdown] slideshow={"slide_type": "slide"}
# ### Predict before you run
#
# *“The plot was never dull and the acting was hardly boring.”* How often is the bag-of-words
# model right on *negated* reviews?
#
# - A: about 90 %, since most words still help
# - B: about 50 %, since it can only guess
# - C: less than 10 %

# %% [raw]
# given(0.50, 0.10)


# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "slide-output"]
def by_phenomenon(predicted):
    """Test accuracy for each phenomenon."""
    right = np.ravel(predicted) == test.targets
    names = ("plain", "negation", "turn", "far")
    return {name: float(right[phenomenon == name].mean()) for name in names}


counted = by_phenomenon(counter.predict(test_rows))
print({name: round(value, 2) for name, value in counted.items()})
# What would it learn from negated reviews only?
negated = texts.train.columns["phenomenon"] == "negation"
turned = LogisticRegression(max_iter=1000).fit(train_rows[negated], train.targets[negated])
in_turned = by_phenomenon(turned.predict(test_rows))
print("trained on negated reviews alone:", {n: round(in_turned[n], 2) for n in in_turned})

# %% [markdown] slideshow={"slide_type": "-"}
# **C: worse than chance.** A word has one weight, for both uses. Most training reviews with
# *dull* are negative, and the weight follows the majority. Trained on negated reviews alone,
# the same model reads these correctly, and the *plain* ones the wrong way round. On *turn*,
# both verdicts are in the bag; on *far*, verdicts on popcorn count like the verdict on the
# film.

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Take a vote. Most choose B: "it has no information, so it guesses". Ask the B
# voters which sign the weight of *dull* has and where it came from.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ### Exercise 01.2 · Fool every counter
#
# Write two short reviews with *opposite verdicts* to which every model that counts single
# words must give the same score. **Predict** whether a model that counts *pairs* tells yours
# apart; the last section of this lecture tests it.

# %% builds="lectures.lecture_01.fool_every_counter" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
fool_every_counter = cu.exercises.use("01.2", fool_every_counter)

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Read the best pairs aloud. Then ask for one that fools bigrams as well: put the
# same neutral words before *and after* both adjectives. *Never a really dull film but a really
# superb film* has the same bigrams as *never a really superb film but a really dull film*.

# %% [markdown] slideshow={"slide_type": "slide"}
# ### Two words at a time: bigrams
#
# If *never dull* were a column, it could have a weight of its own. A run of $n$ neighbouring
# words is an **n-gram**; for $n = 2$ a **bigram**.

# %% slideshow={"slide_type": "fragment"} tags=["hide-input"]
bigrams = CountVectorizer(analyzer=lambda tokens: ngrams(tokens, 2), binary=True)
bigrams = bigrams.fit(train_tokens)
pair_counter = LogisticRegression(max_iter=1000)
pair_counter = pair_counter.fit(bigrams.transform(train_tokens), train.targets)
in_pairs = by_phenomenon(pair_counter.predict(bigrams.transform(test_tokens)))
print(f"{len(vocabulary):,} words → {len(bigrams.vocabulary_):,} words and bigrams")
bars({"words": counted, "words and bigrams": in_pairs}, chance=0.5)

# %% slideshow={"slide_type": "skip"}
for pair in ("dull", "was dull", "never dull"):
    print(f"{pair:12s}{pair_counter.coef_[0][bigrams.vocabulary_[pair]]:6.2f}")

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# Bigrams repair negation: *was dull* and *never dull* have weights of their own. But no bigram
# helps with *turn* (more than forty words lie between) or *far* (*was awful* is said of camera
# and popcorn).
#
# With *really* in between, only the weights of single words are left, and that of *dull* is
# positive here: the blame sits in *was dull*.
#
# But 10,000 words allow 100,000,000 bigrams, nearly all never seen.

# %% [raw]
# 10_000**2 == 100_000_000
# given(40)

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Ask what "not really all that good" would need, and what 5-grams would cost.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ### Exercise 01.3 · tf-idf
#
# Homework; below, the course's own is used. A count says how often a word occurs *here* (**term
# frequency**, tf). **tf-idf** multiplies it by how rare the word is elsewhere (**inverse
# document frequency**, idf):
#
# $$\text{idf}(w) = \ln \frac{1 + N}{1 + \text{df}(w)} + 1$$
#
# $N$ is the number of training documents, $\text{df}(w)$ the number of those that contain $w$.
# Each row is then divided by its Euclidean length. (scikit-learn: `TfidfTransformer`.)

# %% builds="lectures.lecture_01.tf_idf" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
tf_idf = cu.exercises.use("01.3", tf_idf)
counts = np.array([[3, 1, 0], [2, 0, 1]])  # two reviews: how often *the*, *film*, *dull*
print(tf_idf(counts, np.array([1_000, 400, 10]), num_documents=1_000).round(2))

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes; the exercise is homework, 6 minutes) Put two words into the formula. If *the*
# occurs in all documents, its idf is 1, the smallest possible; a word in one of a thousand
# documents gets more than 7. The mistake with consequences is to compute document frequencies
# on the documents at hand: then a test text is weighted by other test texts. The check names
# it.

# %% [markdown] slideshow={"slide_type": "slide"}
# ### On real reviews, counting is a strong baseline

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
MODELS = {"words": "multi_hot_10k", "words\ntf-idf": "tf_idf_10k"}
MODELS |= {"+ bigrams": "bigrams_200k", "+ bigrams\ntf-idf": "tf_idf_bigrams_200k"}
MODELS |= {"+ bigrams\nlog ratios": "bigrams_200k_log_ratios"}


def tested(model):
    """Return the recorded test accuracies of a model, one per run."""
    return [run["metrics"]["test_accuracy"] for run in cu.results.load(LECTURE, model)]


dots = {label: tested(model) for label, model in MODELS.items()}
panels = {"IMDB": {"a validation set": dots}}
cu.plotting.dots(panels, ylabel="test accuracy", limits=(0.85, 0.95))

# %% [markdown] slideshow={"slide_type": "-"}
# Logistic regression on 10,000 words, or on 200,000 words and bigrams, reaches 88 % to 91 %.
# **Compare every text classifier of this course with this baseline.**

# %% [raw]
# recorded("bigrams_200k_log_ratios", "imdb").min() >= 0.90

# %% [markdown] slideshow={"slide_type": "skip"}
# For each model, the strength of the **regularisation** (the penalty on large weights) was
# chosen from eight values on 5,000 validation reviews, taken out of the training set (and from
# weaker ones while the weakest was best); then the test set was read once. A dot is one of
# three random validation sets. The last column scales by the **log ratio** ([Wang and Manning,
# 2012](https://aclanthology.org/P12-2018/)): the logarithm of how much more often a word or
# bigram occurs in positive than in negative reviews.
#
# Counting words fails on negated reviews and is still this good on real ones: their average
# does not show which phenomena a model has mastered.

# %% [raw]
# near(
#     [
#         recorded("multi_hot_10k", "imdb").mean(),
#         recorded("bigrams_200k_log_ratios", "imdb").mean(),
#     ],
#     [0.88, 0.91],
#     0.005,
# )
# len(recorded("bigrams_200k_log_ratios", "imdb")) == 3
# given(5_000)

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Nine in ten without a network. Let them keep this figure in mind for the whole
# course. Ask what it suggests about IMDB, and how one would find out.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## 3 · Look words up: embeddings
#
# So far each word has *one* number, its weight. With several, words can be similar in some
# respects and different in others. An **embedding** is a matrix $E$ with one row a word.

# %% slideshow={"slide_type": "subslide"} tags=["hide-input"]
cu.figures.show("01_lookup")

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Compute the first column on the board: 0 · 0.1 + 0 · 0.0 + 0 · (−0.7) + 1 · 0.9 +
# … Only one term survives, so the product *selects a row*. A library reads the row and skips
# the multiplications; mathematically it is a dense layer without bias on one-hot inputs.

# %% [raw]
# given(0.1, 0.7, 0.9)

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
generator = np.random.default_rng(0)
E = generator.normal(size=(6, 3)).astype("float32")  # six words, three numbers each
ids = np.array([2, 3, 4, 5])
one_hot = np.eye(6, dtype="float32")[ids]
with cu.full_precision():
    layer = layers.Embedding(input_dim=6, output_dim=3)
    layer.build()
    layer.set_weights([E])
    from_keras = ops.convert_to_numpy(layer(ids))
print("one-hot", one_hot.shape, "times E", E.shape, "gives", (one_hot @ E).shape)
print("largest difference from E[ids]:       ", np.abs(one_hot @ E - E[ids]).max())
print("largest difference from Keras' layer: ", np.abs(from_keras - E[ids]).max())

# %% [markdown] slideshow={"slide_type": "-"}
# Not small but exactly zero: **an embedding is a lookup, and a lookup is a one-hot product.**
# What is new is that $E$ is *learned*, from whatever task uses it.

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Name the misconception: "an embedding layer understands words". It is a table.

# %% [markdown] slideshow={"slide_type": "slide"}
# ### The first network: twenty words
#
# **Predict:** how many parameters does each layer have?

# %% shows="lectures.lecture_01.flatten_network" slideshow={"slide_type": "-"}
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "slide-output"]
for layer in flatten_network().layers:
    shape = str(layer.output.shape)
    print(f"{layer.name.split('_')[0]:10s} {shape:18s} {layer.count_params():,}")

# %% [markdown] slideshow={"slide_type": "-"}
# $10{,}000 \cdot 8 = 80{,}000$ in the table and $20 \cdot 8 + 1 = 161$ in the output unit.

# %% [raw]
# set(about("flatten_last_20", "imdb", "parameters")) == {80_161}

# %% [markdown] slideshow={"slide_type": "skip"}
# Almost all parameters of a small text model are its table. `Flatten` lays the 20 vectors side
# by side, so the output unit has a separate weight for, say, the fifth number at the third
# position. But the positions are only added up: *never* at the third does not change what
# *dull* at the fourth contributes.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Let them compute both numbers first. Then ask where the parameters are.

# %% [markdown] slideshow={"slide_type": "slide"}
# ### What `fit` does
#
# Training repeats one *step*: take a *batch* of reviews, 32 for example; compute their
# probabilities; compute the **loss**, here $-\ln$ of the probability given to the true label,
# on average; compute its **gradient** $g$, the derivative with respect to every parameter
# $\theta$; move against it:
#
# $$\theta \leftarrow \theta - \eta\, g$$
#
# $\eta$ is the **learning rate**: with a small one training takes long, with a large one the
# loss jumps about. *Adam* and *RMSprop* also divide each parameter's step by the recent
# size of its gradient. One pass through all training reviews is an **epoch**. A model that
# becomes better on its training reviews and no longer on others has begun to **overfit**.

# %% [markdown] slideshow={"slide_type": "skip"}
# Overfitting shows on a **validation set**: reviews held out of the training set, which `fit`
# measures after each epoch. Number of epochs and learning rate are chosen there. The **test
# set** is read once, at the end: chosen on it, the best of several runs would be partly luck.
#
# The cell trains the network on the *last* twenty words of each review: we **truncate** longer
# texts. The recorded runs also read the *first* twenty. **Predict** which end says more about
# the verdict.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Draw the loop on the board: batch, loss, gradient, step, and around it the epochs.
# Everything from here to the last lecture is trained by it.

# %% slideshow={"slide_type": "skip"}
load = session.pick(quick=cu.data.load_reviews, full=cu.data.load_imdb)
data = load(length=20, keep="last")
keras.utils.set_random_seed(session.seed)
model = flatten_network(data.train.inputs.shape[1])
model.compile("rmsprop", "binary_crossentropy", metrics=["accuracy"])
run = cu.training.fit(model, data, session.pick(quick=5, full=10), batch_size=32)
curves(run, cu.results.load(LECTURE, "flatten_last_20"))

# %% slideshow={"slide_type": "subslide"} tags=["answers-prediction", "hide-input"]
TWENTY = {"network": "flatten", "bag of the same words": "words"}
panels = {
    f"IMDB, {keep} 20 words": {
        name: {"": tested(f"{model}_{keep}_20")} for name, model in TWENTY.items()
    }
    for keep in ("last", "first")
}
cu.plotting.dots(panels, ylabel="test accuracy", limits=(0.65, 0.8))

# %% [markdown] slideshow={"slide_type": "fragment"}
# The *last* words say more; a possible reason is that reviewers close with their verdict. A
# tuned bag of the same words is *ahead* of the network, which was not tuned, at both ends.
#
# In the recorded curves above only the training accuracy still rises after a few epochs: the
# network overfits. On validation it ends at 76 %; the slides report 74.64 %, with another
# split. On the small reviews (left), *far* is out of reach: its verdict stands at the start,
# more than twenty words back.

# %% [raw]
# apart(recorded("flatten_last_20", "imdb"), recorded("flatten_first_20", "imdb"))
# near(recorded("flatten_last_20", "imdb", "val_accuracy").mean(), 0.76, 0.005)
# recorded("words_last_20", "imdb").min() > recorded("flatten_last_20", "imdb").max()
# recorded("words_first_20", "imdb").min() > recorded("flatten_first_20", "imdb").max()
# given(0.7464)

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Vote first: the first or the last twenty words?

# %% [markdown] slideshow={"slide_type": "slide"}
# ### Flatten or average

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
cu.figures.show("01_flatten_or_average")

# %% [markdown] slideshow={"slide_type": "-"}
# **Flatten** needs a fixed length. **Averaging** accepts any length and needs fewer weights,
# but it has to know which positions are words. That is what a **mask** says: `mask_zero=True`
# makes the embedding layer produce one, True where the id is not 0.

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Left: separate weights for each position, padding included. Right: any length, and
# a mask. Pooling uses it; Flatten drops it, with a warning that is easily missed.

# %% [markdown] slideshow={"slide_type": "slide"}
# ### Something is wrong here
#
# A colleague scales the vectors by $\sqrt{\text{dim}}$, as Transformers do (lecture 6), and
# complains: the same review gets another probability when it is padded to another length,
# although `mask_zero=True` is set.


# %% slideshow={"slide_type": "-"}
def colleagues_network(vocab_size):
    ids = keras.Input((None,), dtype="int32")
    vectors = layers.Embedding(vocab_size, 16, mask_zero=True)(ids)
    vectors = vectors * 16**0.5
    average = layers.GlobalAveragePooling1D()(vectors)
    return keras.Model(ids, layers.Dense(1, activation="sigmoid")(average))


model, review = colleagues_network(size), test.inputs[:1, :60]
for zeros in (0, 30, 300):
    padded = np.pad(review, ((0, 0), (0, zeros)))
    print(f"{zeros:3d} more zeros: {float(ops.squeeze(model(padded))):.4f}")

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) One review, three answers. Let them name suspects before they open the exercise.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ### Exercise 01.4 · Find the bug
#
# Find out where the mask is lost, and build the network so that padding changes nothing. Keep
# the embedding, the factor and the output layer. A pooling layer, Keras' or the course's
# `MaskedAveragePooling1D`, also takes the mask by hand: `layer(vectors, mask=…)`.

# %% builds="lectures.lecture_01.averaging_network" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
averaging_network = cu.exercises.use("01.4", averaging_network)

# %% [markdown] slideshow={"slide_type": "notes"}
# (6 minutes) Keras attaches the mask to a layer's output and hands it to the next *layer*. The
# multiplication is a bare operation, not a layer, and its result has no mask. Nothing crashes.
# A padding test, two lines, finds it; make it a habit for every model that reads padded text.

# %% [markdown] slideshow={"slide_type": "slide"}
# ### Predict: does the embedding repair counting?
#
# Sixteen numbers a word instead of one, trained on the whole review. Which bars will change?

# %% slideshow={"slide_type": "skip"}
average = averaging_network(size)
average.compile(keras.optimizers.Adam(0.005), "binary_crossentropy", metrics=["accuracy"])
run = cu.training.fit(average, reviews, epochs=10)

# %% slideshow={"slide_type": "fragment"} tags=["answers-prediction", "hide-input"]
averaged = by_phenomenon(average.predict(test.inputs, verbose=0)[:, 0] > 0.5)
bars(
    {"words": counted, "words and bigrams": in_pairs, "averaged embeddings": averaged},
    chance=0.5,
)

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# Hardly any: each word contributes a *single number*, wherever it stands: a bag of words again.
#
# With $a$ the weights of the output unit (the factor $\sqrt{\text{dim}}$ is part of $a$) and
# $n$ the number of words, its sigmoid (that of logistic regression) receives
#
# $$a \cdot \frac{1}{n} \sum_{w} E_w + b = \frac{1}{n} \sum_{w} (E_w \cdot a) + b .$$
#
# The single number is $E_w \cdot a$.

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output", "headline"]
models = {"words": counted, "averages": averaged, "bigrams": in_pairs}
found = (f"{name} {by['negation'] > 0.5}" for name, by in models.items())
print("right on most negated reviews:", ", ".join(found))

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Derive it on the board: the product moves into the sum. Sixteen dimensions, but
# one degree of freedom a word. This equation is the programme of the course: everything from
# the next lecture on is about what should come between the vectors and the verdict.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## 4 · Vectors without labels: skip-gram
#
# Labels are expensive, text is cheap. What does plain text say about a word? **Which words
# surround it.**

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
cu.figures.show("01_skip_gram")

# %% [markdown] slideshow={"slide_type": "skip"}
# Fill the gap: *a very ___ film*. Dull, funny, long, good, bad. Words that fit the same gaps
# are used alike. **Skip-gram** learns a vector for each word such that the word's neighbours
# can be predicted from it; words with the same neighbours can share a vector. The word in the
# middle is the **centre**, a neighbour within the **window** is its **context**. **CBOW**
# (continuous bag of words) predicts the centre from the average of its context instead.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Quote Firth, 1957: you shall know a word by the company it keeps. Ask for words
# that fit the gap in "a very ___ film". Let them notice that *good* and *bad* fit the same
# gap, and do not say yet what follows from it.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ### Exercise 01.5 · Training pairs
#
# List all pairs (centre, context) of a text. In *a very dull film* with a window of 2 there are
# ten, such as (very, a), (very, dull) and (very, film).

# %% builds="lectures.lecture_01.skip_gram_pairs" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
skip_gram_pairs = cu.exercises.use("01.5", skip_gram_pairs)

# %% [markdown] slideshow={"slide_type": "notes"}
# (5 minutes) Usual mistakes: the word with itself, and a window that wraps around at the start
# of the text because Python counts negative positions from the end.

# %% slideshow={"slide_type": "skip"}
words = ["<pad>", "<unknown>", *vocabulary]
pairs = np.array(
    [pair for r in train_tokens[:1_000] for pair in skip_gram_pairs(encode(r, vocabulary), 2)]
)
frequencies = np.bincount(train.inputs[train.inputs > 0], minlength=size)
print(f"{len(pairs):,} pairs from 1,000 reviews")

# %% [markdown] slideshow={"slide_type": "slide"}
# ### Ten thousand outputs, or six
#
# Give each word two vectors: $u_w$ as a centre, $v_w$ as a context. A **softmax** over the
# vocabulary, $P(c \mid w) = e^{u_w \cdot v_c} / \sum_j e^{u_w \cdot v_j}$, needs a product with
# *every* word for every pair. **Negative sampling** asks an easier question: is this a real
# context, or a **noise word**? For one real context $c$ and $k$ sampled noise words $n_i$ the
# loss is
#
# $$-\ln \sigma(u_w \cdot v_c) - \sum_{i=1}^{k} \ln \sigma(-u_w \cdot v_{n_i}), \qquad
# \sigma(x) = \frac{1}{1 + e^{-x}}$$
#
# With $k = 5$ that is six products instead of 10,000. It is the **binary cross-entropy** of
# logistic regression.

# %% [markdown] slideshow={"slide_type": "skip"}
# A step against the gradient moves $u_w$ towards the real context and away from the noise, and
# further where the prediction was worse.
#
# Noise words are sampled in proportion to their frequency to the power 0.75, which gives rare
# words more than their share; Mikolov and colleagues found it better than the exponents 1 and
# 0. A noise word may happen to be a real context: nobody checks. For each pair, `with_noise`
# returns the centre, six candidates (the real context, then five noise words) and their targets
# 1, 0, 0, 0, 0, 0.

# %% [raw]
# given(0.75, 1, 0)

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Write the softmax and point to its sum: that is the expensive part. Then turn the
# multiple-choice question into yes or no. Ask why we need noise at all: without it, the loss
# falls as long as all products grow, and all vectors may point the same way.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ### Exercise 01.6 · Build skip-gram in Keras
#
# Two tables and a dot product: for each candidate word, the probability that it is a real
# context of the centre. A scalar input is `keras.Input(())`. About ten lines.

# %% builds="lectures.lecture_01.skip_gram_model" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
skip_gram_model = cu.exercises.use("01.6", skip_gram_model)

# %% [markdown] slideshow={"slide_type": "notes"}
# (10 minutes) Let them write the shapes first: u is (batch, dim), v is (batch, words, dim). The
# conceptual mistake is to share one table. The product of a vector with itself is never
# negative, so the model could never say that a word is *not* a neighbour of itself.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ### Exercise 01.7 · Train word vectors
#
# Train your model on 191,000 pairs from the small reviews, with `centres, candidates, targets =
# with_noise(pairs, frequencies)`. In the grammar, 44 words form five groups that can replace
# each other: days, professions, parts of a film, things, verdicts. *At least 40* must have a
# nearest neighbour of their own group, by **cosine similarity** $\frac{a \cdot b}{\lVert a
# \rVert\, \lVert b \rVert}$: it compares directions alone, where a dot product grows with the
# lengths. You choose dimensions, optimizer, learning rate, **batch size** (pairs a step) and
# epochs; a few seconds suffice.

# %% [raw]
# given(191_000)

# %% builds="lectures.lecture_01.train_vectors" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
train_vectors = cu.exercises.use("01.7", train_vectors)

# %% [markdown] slideshow={"slide_type": "notes"}
# (8 minutes) `with_noise(pairs, frequencies)` returns what `fit` needs. Then look at the
# neighbours, and at the rival.

# %% slideshow={"slide_type": "skip"}
small = train_vectors(pairs, frequencies)
table = np.zeros((size, size))
np.add.at(table, tuple(pairs.T), 1)  # how often each pair occurs; no training
print(f"{in_their_group(words, small)} of 44 words have a neighbour of their own group")
print(f"{in_their_group(words, table)} of 44 by the rows of the table of pair counts")
for word in ("monday", "sailor", "plot", "wonderful"):
    print(
        f"{word:10s}",
        ", ".join(f"{w} {near:.2f}" for w, near in neighbours(word, words, small)[:4]),
    )

# %% [markdown] slideshow={"slide_type": "skip"}
# Days, professions and parts of a film have found each other without a label, and *counting the
# pairs finds as many*. A row of that table has a number for each word of the vocabulary, a
# skip-gram vector has 16 in the course's own solution: it compresses the table. Words of praise
# and of blame form *one* group. All that skip-gram sees are pairs, and our grammar puts both
# kinds of words into the same ones.

# %% [raw]
# given(16)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## 5 · Real vectors: 75,000 film reviews
#
# Skip-gram on the training and the unlabelled IMDB reviews, *never* the test texts: 100
# dimensions, window 5.

# %% [raw]
# given(75_000)

# %% slideshow={"slide_type": "-"}
shipped = cu.models.load_pretrained("skip_gram_imdb")
words, vectors = shipped["words"], shipped["vectors"].astype("float32")
print(f"{len(words):,} words, {vectors.shape[1]} dimensions")
for word in ("boring", "actor", "funny", "king", "france"):
    print(f"{word:8s}", ", ".join(other for other, _ in neighbours(word, words, vectors)[:5]))

# %% [markdown] slideshow={"slide_type": "skip"}
# These 17.6 million words are too many for a notebook, so the vectors come trained. All pairs
# were counted first, near ones more than distant ones, and those of very frequent words less;
# then each step used the *expected* loss instead of sampled noise words, in which frequent
# centre words weigh less (`lectures/lecture_01/word_vectors.py`). Let $C_{wc}$ be the count of
# a pair, $C_w$ the sum of its row and $p_c$ the probability of $c$ as noise. If each product
# could be chosen freely, the best would be
#
# $$u_w \cdot v_c = \ln \frac{C_{wc}}{k\, C_w\, p_c} .$$
#
# This is the *logarithm* of how much more often than by chance the two words meet, their
# **pointwise mutual information**, minus $\ln k$ ([Levy and Goldberg,
# 2014](https://papers.nips.cc/paper/2014/hash/feab05aa91085b7a8012516bc3533958-Abstract.html);
# exactly so if $p_c$ is the frequency itself). **GloVe** factorises the logarithm of the counts
# themselves, by weighted least squares.

# %% [raw]
# near(about("skip_gram", "imdb", "words_of_text")[0] / 1e6, 17.6, 0.05)

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Read the neighbours aloud. *actor*: the trade; *king*: Arthur and Kong. Ask where
# *bad* will be in the list of *good*.

# %% [markdown] slideshow={"slide_type": "slide"}
# ### Do good and bad lie apart?
#
# Both fit *a very ___ film*. **Predict:** is the mean cosine between a word of praise and a
# word of blame as high as between two words of praise?

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "slide-output"]
PRAISE = "good great excellent wonderful superb brilliant fantastic amazing".split()
BLAME = "bad terrible awful horrible poor boring dull worst".split()
directions = unit(vectors)
praise, blame = (directions[[list(words).index(w) for w in group]] for group in (PRAISE, BLAME))
different = ~np.eye(8, dtype=bool)
print(f"praise with praise {(praise @ praise.T)[different].mean():.2f}")
print(f"blame with blame   {(blame @ blame.T)[different].mean():.2f}")
print(f"praise with blame  {(praise @ blame.T).mean():.2f}")
for word, opposite in (("good", "bad"), ("best", "worst"), ("great", "terrible")):
    near = [other for other, _ in neighbours(word, words, vectors)]
    print(f"{opposite} is neighbour number {near.index(opposite) + 1:,} of {word}")

# %% [markdown] slideshow={"slide_type": "-"}
# **Praise lies nearer to praise than to blame.** Still, *bad* and *worst* are among the nearest
# of four thousand words to *good* and *best* (but *terrible* is not to *great*): similar means
# *used alike*.

# %% slideshow={"slide_type": "subslide"} tags=["hide-input"]
DAYS, JOBS, PARTS, THINGS, _ = GROUPS
own = {"days": DAYS, "professions": JOBS, "parts of a film": PARTS, "things": THINGS}
own |= {"praise": PRAISING, "blame": DAMNING}
jobs = "teacher doctor scientist writer singer lawyer soldier cop".split()
countries = "france germany italy japan england america canada australia".split()
real = {"professions": jobs, "countries": countries, "praise": PRAISE, "blame": BLAME}
small_words = ["<pad>", "<unknown>", *vocabulary]
tables = {"IMDB": (words, vectors, real), "your vectors": (small_words, small, own)}
counts = {"counts of your pairs": (small_words, table, own)}
sums = ["king − man + woman", "actor − man + woman", "wonderful", "bad − good + best"]
cu.explore.words(tables | counts, "good", sums, plane(tables))

# %% [markdown] slideshow={"slide_type": "-"} tags=["lead"]
# In the small reviews praise and blame lie on top of each other; on IMDB they part.
#
# The map is the plane in which the words differ most (their first two *principal components*);
# most of the hundred dimensions are lost. The IMDB list has the 1,500 most frequent words and
# those of the groups.

# %% [raw]
# given(1_500)

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Ask which words will be next to *good*, then to *wonderful* in your vectors and in
# the counts; press a dot to take its word. Before you exchange cosine for the dot product, ask
# whose neighbours will change, and why those. (Long vectors win.) The textbook warning, "good
# and bad are neighbours", is half true: some opposites are near as single pairs, and the
# groups are apart on average.

# %% [markdown] slideshow={"slide_type": "slide"}
# ### Analogies
#
# *man is to woman as actor is to …?* Take the step from *man* to *woman*, start at *actor*, and
# look for the words with the largest cosine: $\text{woman} - \text{man} + \text{actor}$.

# %% shows="lectures.lecture_01.analogy" slideshow={"slide_type": "skip"}
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["slide-output"]
for question in (
    "man woman actor", "man woman king", "france paris italy"
):  # fmt: skip
    answers = analogy(*question.split(), words, vectors)
    print(f"{question:22s} → {', '.join(answers[:4])}")

runs = cu.results.load(LECTURE, "skip_gram")
asked = [q.split() for q in runs[0]["settings"]["answers"]]
place = {word: number for number, word in enumerate(words)}
sums = {"actor": (0, 0, 1), "woman + actor": (0, 1, 1), "woman − man + actor": (-1, 1, 1)}
print("correct on a list of", len(asked), "questions, fixed in advance:")
for name, signs in sums.items():
    right = 0
    for *question, answer in asked:
        given = [place[word] for word in question]
        closeness = directions @ (signs @ directions[given])
        closeness[given] = -np.inf
        right += words[closeness.argmax()] == answer
    print(f"    nearest to {name}: {right}")

# %% [markdown] slideshow={"slide_type": "-"}
# **One analogy that works proves nothing.** On the whole list, the sum *without* the step away
# from *man* solves 17 where the full sum solves 21, and these vectors are the best of three
# trainings: the full sums of the others solve 17 and 18, and their sums without the step were
# not recorded. And vectors know their **corpus**, not the world: *Italy* gets *London*, and
# next to *king* stand *Arthur* and *Kong*.

# %% [raw]
# near(recorded("skip_gram", "imdb", "analogies_right"), [21, 17, 18], 0)
# len(recorded("skip_gram", "imdb", "analogies_right")) == 3

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Insist on a prediction for the king. Then show the score on a fixed list, with its
# rivals: that is how an honest evaluation looks.

# %% [markdown] slideshow={"slide_type": "slide"}
# ### Vectors learn our prejudices
#
# How far does a profession lie towards *she* rather than *he*?

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
axis = directions[list(words).index("she")] - directions[list(words).index("he")]
PROFESSIONS = "nurse dancer singer teacher writer doctor scientist cop soldier boss".split()
lean = {word: float(directions[list(words).index(word)] @ axis) for word in PROFESSIONS}
ranked = sorted(lean, key=lean.get)
drawing, axes = cu.plotting.figure(8, 3.4)
band = np.quantile(directions @ axis, [0.05, 0.95])  # nine of ten words lie between
axes.axvspan(*band, color=cu.plotting.GREY, alpha=0.2)
axes.barh(ranked, [lean[word] for word in ranked], color=cu.plotting.COLOURS[0])
axes.axvline(0, color=cu.plotting.GREY, linewidth=1)
axes.set(xlabel="cosine with she minus cosine with he")
cu.plotting.show(
    drawing,
    "Bars: cosine with she minus cosine with he: "
    + ", ".join(f"{word} {lean[word]:.2f}" for word in ranked)
    + f"; grey: {band[0]:.2f} to {band[1]:.2f}",
)

# %% [markdown] slideshow={"slide_type": "-"}
# Nothing here is a fact about professions: the texts use the words in this way, and a model
# built on the vectors can inherit it ([Bolukbasi et al.,
# 2016](https://arxiv.org/abs/1607.06520)). But nine of ten words of the vocabulary lie in the
# grey band, and so do most of these: ten words that we chose, from one training, are an
# illustration and no measurement.

# %% [raw]
# given(9, 10)

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Let them find the extremes. Ask where such a vector would do harm: sorting job
# applications, for example.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## 6 · Learned with the task, or pre-trained?
#
# The averaging classifier on IMDB three times: its table is *learned* from a random start,
# **frozen** at the skip-gram vectors, or trained further (**fine-tuning**). With 200 labels
# three rivals join: n-grams, logistic regression on the mean vectors, and the same with the
# vectors *exchanged* among the words. **Predict** the order with 200 labelled reviews, and of
# the three tables with 20,000.

# %% [raw]
# given(3)

# %% slideshow={"slide_type": "skip"}
if session.profile == "full":  # remakes what is recorded: twelve minutes on two cores
    record.record_all(session.seed)

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "hide-input"]
ARMS = {
    "learned": "learned",
    "frozen": "frozen",
    "fine-tuned": "fine_tuned",
    "n-grams, tf-idf": "counted",
    "linear on mean vectors": "mean_vector",
    "vectors exchanged": "exchanged",
}
recorded = {run["model"] for run in cu.results.load(LECTURE)}
panels = {
    f"{labels:,} labels": {
        name: {"": tested(f"{arm}_{labels}")}
        for name, arm in ARMS.items()
        if f"{arm}_{labels}" in recorded
    }
    for labels in (200, 2_000, 20_000)
}
cu.plotting.dots(panels, ylabel="test accuracy, IMDB", limits=(0.5, 0.95))

# %% [markdown] slideshow={"slide_type": "fragment"}
# **With 200 labels, keep the pre-trained table as it is. With 20,000, train it: a pre-trained
# start then gains at most two points on the test set, and none on validation.**

# %% [markdown] slideshow={"slide_type": "skip"}
# All arms read the same input, the last 200 words; a word without a vector counts as unknown.
# On 1,000 validation reviews the best epoch and the learning rate were chosen (one for table
# and output unit; the vectors were centred and rescaled first), or the regularisation. These
# have labels, too: *200* means 1,200. Each dot is another sample of training reviews.
#
# With 200, the frozen table wins; *linear on mean vectors*, the same model fitted by another
# method, is within a point on average. Fine-tuning took the largest learning rate of its grid
# in two of three samples, and the n-grams (tried with tf-idf only) the weakest regularisation:
# wider grids might help both. With *exchanged* vectors as few numbers are learned, and accuracy
# falls to 61 %, below all others: what helps is which vector a word has.
#
# With 20,000, both trained tables overtake the frozen one. The bigram models of section 2 are
# better than all of these, but they read whole reviews and know more words.

# %% [raw]
# apart(recorded("frozen_200", "imdb"), recorded("learned_200", "imdb"))
# apart(recorded("frozen_200", "imdb"), recorded("counted_200", "imdb"))
# 0 < (recorded("frozen_200", "imdb") - recorded("mean_vector_200", "imdb")).mean() < 0.01
# sum(rate == 0.1 for rate in about("fine_tuned_200", "imdb", "learning_rate")) == 2
# sum(strength == 810 for strength in about("counted_200", "imdb", "strength")) == 2
# apart(recorded("mean_vector_200", "imdb"), recorded("counted_200", "imdb"))
# apart(recorded("counted_200", "imdb"), recorded("exchanged_200", "imdb"))
# apart(recorded("learned_200", "imdb"), recorded("exchanged_200", "imdb"))
# near(recorded("exchanged_200", "imdb").mean(), 0.61, 0.005)
# (recorded("fine_tuned_20000", "imdb") - recorded("learned_20000", "imdb")).max() < 0.02
# near(
#     recorded("fine_tuned_20000", "imdb", "val_accuracy").mean(),
#     recorded("learned_20000", "imdb", "val_accuracy").mean(), 0.002
# )
# min(
#     recorded("fine_tuned_20000", "imdb").min(), recorded("learned_20000", "imdb").min()
# ) > recorded("frozen_20000", "imdb").max()
# recorded("bigrams_200k", "imdb").min() > recorded("fine_tuned_20000", "imdb").max()
# recorded("tf_idf_bigrams_200k", "imdb").min() > recorded("fine_tuned_20000", "imdb").max()
# recorded("bigrams_200k_log_ratios", "imdb").min() > recorded("fine_tuned_20000", "imdb").max()
# given(200, 1_000, 1_200)

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) This is the first appearance of the idea that carries the second half of the
# course: learn from much plain text first, from few labels afterwards.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What no average can know
#
# Shuffle the words of every test review. **Predict** how many verdicts change for the averaging
# network, and for the bigrams; and what both say of your two reviews of exercise 01.2.

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "slide-output"]
shuffle = np.random.default_rng(0).permutation
shuffled = [list(shuffle(tokens)) for tokens in test_tokens]
ids = cu.data.pad([encode(tokens, vocabulary) for tokens in shuffled], test.inputs.shape[1])
change = average.predict(ids, verbose=0) - average.predict(test.inputs, verbose=0)
print(f"averaged embeddings: largest change of a probability {np.abs(change).max():.3f}")
moved = pair_counter.predict(bigrams.transform(shuffled))
changed = moved != pair_counter.predict(bigrams.transform(test_tokens))
print(f"bigrams: {changed.mean():.0%} of the verdicts change")
for text, _ in fool_every_counter():
    tokens = cu.data.tokenize(text)
    one = average.predict(np.array([encode(tokens, vocabulary)]), verbose=0)[0, 0]
    two = pair_counter.predict_proba(bigrams.transform([tokens]))[0, 1]
    print(f"averaged embeddings {one:.3f}, bigrams {two:.3f} for “{text}”")

# %% [markdown] slideshow={"slide_type": "-"}
# Most verdicts of the bigrams change; a possible reason is the positive weight of *dull* alone
# (section 2). To counting single words and to averaging, *dull, not clever* and *clever, not
# dull* are *the same review*. What is missing is a model that reads one word after another and
# remembers: lecture 2.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Return to the board and strike out everything that today's models have no access
# to. What remains is the programme of the course.

# %% [markdown] slideshow={"slide_type": "skip"}
# ## Where this stands today
#
# - **fastText** adds vectors of character n-grams, so that unknown words get one too
# - Large models split words into *subword tokens* (lab 6b); their first layer is still an
#   embedding table
# - Their vectors depend on the sentence: **contextual embeddings** (lectures 6 and 6b)
# - tf-idf and its relative BM25 are still the baseline of document search

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Summary
#
# - A **bag of words** is a strong baseline on real reviews; on ours it reads negation the
#   wrong way round
# - An **embedding** is a lookup, that is a one-hot product: vocabulary × dimensions parameters
# - An average of embeddings is a bag of words again; it needs a mask
# - **Skip-gram** learns vectors from contexts: similar means *used alike*
# - Pre-trained vectors beat learned ones where labels are few

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Let them tick off the goals of the second slide. Homework: train
# skip-gram with windows of 1 and of 10 and compare the neighbours of *wonderful*.

# %% [markdown] slideshow={"slide_type": "skip"}
# ### Papers
#
# - Maas, Daly, Pham, Huang, Ng, Potts (2011). [*Learning word vectors for sentiment
#   analysis.*](https://aclanthology.org/P11-1015/) IMDB.
# - Wang, Manning (2012). [*Baselines and bigrams: simple, good sentiment and topic
#   classification.*](https://aclanthology.org/P12-2018/) The log ratios.
# - Mikolov, Chen, Corrado, Dean (2013). [*Efficient estimation of word representations in
#   vector space.*](https://arxiv.org/abs/1301.3781) Skip-gram, CBOW, analogies.
# - Mikolov, Sutskever, Chen, Corrado, Dean (2013). [*Distributed representations of words and
#   phrases and their compositionality.*](https://arxiv.org/abs/1310.4546) Negative sampling.
# - Levy, Goldberg (2014). [*Neural word embedding as implicit matrix
# factorization.*](https://papers.nips.cc/paper/2014/hash/feab05aa91085b7a8012516bc3533958-Abstract.html)
# - Pennington, Socher, Manning (2014). [*GloVe: global vectors for word
#   representation.*](https://doi.org/10.3115/v1/D14-1162)
# - Bolukbasi, Chang, Zou, Saligrama, Kalai (2016). [*Man is to computer programmer as woman is
#   to homemaker?*](https://arxiv.org/abs/1607.06520) Bias in vectors.
# - Bojanowski, Grave, Joulin, Mikolov (2017). [*Enriching word vectors with subword
#   information.*](https://doi.org/10.1162/tacl_a_00051)
