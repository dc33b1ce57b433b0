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
# **Lecture 5** · every word that is written looks back at all words that were read
#
# *Do not learn the sentence by heart. Look it up.*

# %% [markdown] slideshow={"slide_type": "notes"}
# Read this aloud once, then have somebody repeat it: "the small black cat that follows my old
# dog does not see the red houses behind the church because the birds sleep". Now the same with
# the sentence left on the board. Nobody translates twenty words out of the head. Today's first
# network has to; the second may look.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What you will be able to do
#
# 1. turn pairs of sentences into padded ids, and train with **teacher forcing**
# 2. average a loss over real words only
# 3. decode: greedily, and with a beam, and always with a bound
# 4. show by length where one vector fails, and repair it with **attention**, in NumPy and Keras
# 5. read an alignment map, and say what it does not prove

# %% [markdown] slideshow={"slide_type": "skip"}
# **You need** lectures 2 and 3 (the loop, its mask, the GRU). **It takes** about ninety minutes
# to read. Running it takes about a minute in the quick profile, on any laptop: there one small
# network trains, and two come trained. The full profile trains all that the tables show.
#
# A cell that begins with the name of a file holds that file's code, letter for letter: change
# it here, and the cells below use your version.

# %% [markdown] slideshow={"slide_type": "notes"}
# Attention is the word everybody has heard; ask what it is. Collect answers ("the model focuses
# on what matters") and come back to them at the end: it is a weighted mean, and the weights are
# a softmax of scores. The interesting part is not the formula. It is why a network without it
# cannot do something that the room has just failed at, too.

# %% slideshow={"slide_type": "skip"} name="start"
import course_utils as cu

session = cu.start(seed=0)  # before Keras is imported, so that its backend starts quietly
LECTURE = "05_attention"

import keras
import numpy as np
from keras import layers, ops

from course_utils.data.base import END, START, one_of
from course_utils.data.translation import ADJECTIVES, NOUNS
from course_utils.lectures import lecture_05
from course_utils.lectures.lecture_05 import additive_score, concat_score, dot_score

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Where the last lectures stop
#
# | lecture | reads | and keeps |
# | --- | --- | --- |
# | 2, 3 | word after word | the **last** state |
# | 4 | all windows at once | the **maximum** |
#
# One vector, then one verdict. Now the answer is a **sentence**, of another length and in
# another order:

# %% slideshow={"slide_type": "-"}
pairs = cu.data.load_pairs()
vocabulary = pairs.vocabulary
columns = pairs.test.columns
for row in np.argsort(columns["words"], kind="stable")[[0, 150, 300]]:
    print(f"{columns['source_text'][row]}\n  → {columns['target_text'][row]}")

# %% [markdown] slideshow={"slide_type": "skip"}
# The pairs are the course's own, made by a small grammar: 81 English and 122 French words. It
# is small, and has what makes translating more than looking words up:
#
# - French nouns have a gender, and article and adjective follow it (*un vieux pont*, *une
#   vieille maison*); *the* is *le*, *la*, *l'* or *les*
# - some adjectives stand before the noun, most behind it: *the red house*, *la maison rouge*
# - negation stands around the verb: *does not see*, *ne voit pas*
# - relative clauses put verb and subject far apart
#
# What French elides is a token of its own: `l'`, `n'`, `d'`, `qu'`. Test sentences have 4 to 25
# words, of every length about equally many; none of them is in the training part, where short
# ones are more common, as in life.
#
# Both directions are offered, here and for the real pairs at the end of the lecture. We take
# the one in which there is more to find out: an English sentence does not tell the gender that
# the French one needs. The other is an exercise for a free evening:

# %% slideshow={"slide_type": "skip"}
back = cu.data.load_pairs(direction="to_english")
print(f"{back.test.columns['source_text'][0]}\n  → {back.test.columns['target_text'][0]}")

# %% [markdown] slideshow={"slide_type": "notes"}
# Read the pairs aloud, French too. Ask for what moved: the adjective behind its noun; the *ne*
# which stands for nothing in the English; the article which needs a gender that English does
# not have. *Could the convolution of lecture 4 do this?* It gives one answer a window, in the
# source's order and length. We need another order and another length.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## One network reads, another one writes

# %% slideshow={"slide_type": "-"}
cu.figures.show("05_encoder_decoder")

# %% [markdown] slideshow={"slide_type": "skip"}
# This is the *delayed many-to-many* shape of lecture 2. The **encoder** reads the source
# $x_1 \dots x_S$; its states are $h_1 \dots h_S$. The **decoder** starts in the last of them,
# $s_0 = h_S$, and writes the target $y_1 \dots y_T$: $s_t = \text{GRU}(y_{t-1}, s_{t-1})$, and
# a softmax over the French words says which one $y_t$ is. So $h$ is always a state of the
# encoder, $s$ one of the decoder; as an index, $s$ counts source words and $t$ target words.
# The decoder is a language model, as in lecture 2's last part, that was told before it begins
# what to say.
#
# Two words are added to both vocabularies. `<sos>`, *start of sentence*, is what the decoder
# reads before its first word; `<eos>`, *end of sentence*, is what it writes when it is done.
# Without the second it could not stop.

# %% [markdown] slideshow={"slide_type": "notes"}
# Walk along the arrows once. Put a finger on the arrow in the middle: *what passes through
# here?* 128 numbers, whether the sentence has four words or twenty-five. Let that stand for a
# moment; do not say yet that it is a problem. Then: *who tells the decoder to stop?* It does so
# itself, with a word.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Teacher forcing: it reads the true word, whatever it wrote

# %% slideshow={"slide_type": "-"}
cu.figures.show("05_shift")

# %% [markdown] slideshow={"slide_type": "skip"}
# While it trains, the decoder does not read what it wrote but what it *should* have written.
# That is **teacher forcing** (Williams and Zipser, 1989), and it has two sides. All steps'
# inputs are known beforehand, so one pass gives all the losses; and one wrong word does not
# spoil the words after it. But later, when it translates, the decoder reads its own words,
# right or wrong, and has never practised that.
#
# In arrays it is a shift by one: the same French sentence twice, once with `<sos>` in front,
# once with `<eos>` behind.

# %% [markdown] slideshow={"slide_type": "notes"}
# Cover the lower row and let them fill it in: at each column, *what should come out?* Always
# the word that stands one to the right in the row above. Whoever forgets the shift trains a
# network to copy its input: the loss falls to zero in minutes, and it translates nothing. It
# happens to everybody once.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### In ids

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
row = int(np.argmax(columns["words"] == 5))  # the first one of five words
arrays = {
    "source": pairs.test.inputs["source"],
    "target": pairs.test.inputs["target"],
    "targets": pairs.test.targets,
}
for name, ids in arrays.items():
    side = vocabulary["source" if name == "source" else "target"]
    print(f"{name:8}{ids.shape}", ids[row, :8], "…", side.decode(ids[row]))

# %% [markdown] slideshow={"slide_type": "-"}
# 0 `<pad>`, 1 `<unknown>`, 2 `<sos>`, 3 `<eos>`. Pads behind, as always.

# %% [markdown] slideshow={"slide_type": "notes"}
# Three arrays: what the encoder reads, what the decoder reads, what it should write. *Which of
# them does the network see when it translates for a user?* Only the first. *Why is there no
# `<eos>` in the source?* It could be there, many do it; the mask says where it ends.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The loss: over real words only
#
# Two sentences of 4 and 2 words, a network that knows nothing of 10 words: the loss should be
# $\ln 10 = 2.303$, however many pads stand behind

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
entropy = keras.losses.SparseCategoricalCrossentropy
for pads in (0, 2, 6):
    targets = np.pad([[5, 4, 7, 3], [6, 3, 0, 0]], ((0, 0), (0, pads)))
    logits = np.zeros((*targets.shape, 10))
    weighted = entropy(from_logits=True)(targets, logits, sample_weight=targets != 0)
    ignoring = entropy(from_logits=True, ignore_class=0)(targets, logits)
    print(f"{pads} more pads: weights 0 and 1 {weighted:.3f}   ignore_class {ignoring:.3f}")

# %% [markdown] slideshow={"slide_type": "-"}
# The weighted sum is right, but it is divided by **all** positions: more pads, better loss.

# %% [markdown] slideshow={"slide_type": "skip"}
# **Why this line:** `ignore_class=0`. The loss is averaged over positions that do not hold
# class 0, and that is what we mean. A `sample_weight` of zeros and ones leaves the pads out of
# the sum, and then Keras divides by the number of positions, pads included. So a batch of short
# sentences weighs less than one of long sentences, and two batch sizes give two losses for the
# same model. `reduction="mean_with_sample_weight"` divides by the sum of the weights and is
# right, too.

# %% [markdown] slideshow={"slide_type": "notes"}
# Nobody sees this mistake in a learning curve: it falls as nicely. *How would you notice?* Add
# pads and look whether the loss moves, as in the cell. A loss that improves when you append
# nothing is not a loss. Exercise 05.3 writes it by hand.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## In Keras: the fixed vector

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
english, french = len(vocabulary["source"]), len(vocabulary["target"])
source = keras.Input((None,), dtype="int32", name="source")
target = keras.Input((None,), dtype="int32", name="target")
read = layers.Embedding(english, 64)(source)
written = layers.Embedding(french, 64)(target)
last = layers.GRU(128)(read, mask=ops.not_equal(source, 0))
states = layers.GRU(128, return_sequences=True)(written, initial_state=last)
logits = layers.Dense(french)(states)
by_hand = keras.Model({"source": source, "target": target}, logits)
print(f"{by_hand.count_params():,} parameters; between the two GRUs: {last.shape[1]} numbers")

# %% [markdown] slideshow={"slide_type": "skip"}
# The mask holds the encoder's state at the pads, so that `last` is the state behind the last
# real word. The decoder needs none: pads stand behind its sentence and cannot reach back, and
# the loss ignores what comes out there. `logits` are the scores of the French words *before*
# the softmax, which the loss applies itself (`from_logits=True`).
#
# The library has the same network as a class, since we need it in two ways. While it trains it
# gets all target words at once (`call`). When it translates it gets them one by one (`start`,
# then `step` after `step`), because each is made from the last. The class also holds what comes
# later in this lecture: `attention`, and `reverse`.

# %% slideshow={"slide_type": "skip"} shows="course_utils.models.recurrent.PAD"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.models.recurrent.ATTENTIONS"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.models.recurrent.compute_padding_mask"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.models.recurrent.reverse_words"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.models.recurrent.RecurrentTranslator"
# filled by the build

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
some = {name: ids[:8] for name, ids in pairs.test.inputs.items()}
translator = RecurrentTranslator(english, french)
shape = tuple(translator(some).shape)
print(f"from the class: logits {shape}, {translator.count_params():,} parameters")

# %% [markdown] slideshow={"slide_type": "notes"}
# Find the arrow in the middle again: `initial_state=last`. Everything that the French side
# ever learns about the English sentence is that one argument. Check a number with the room:
# GRU(128) on 64 inputs, 3 · (64 · 128 + 128² + 2 · 128) = 74,496, twice. *Why does the decoder
# need no mask?* Its pads stand behind, and nothing runs backwards here.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Decoding: greedy, and bounded


# %% slideshow={"slide_type": "-"}
def translate(model, text, max_length=40):
    """Greedy: the likeliest word at every step, until <eos> or `max_length` words."""
    state = model.start(cu.data.encode_sentence(text, vocabulary["source"]))
    token, written = np.array([START]), []
    for position in range(max_length):
        logits, state = model.step(token, position, state)
        token = ops.convert_to_numpy(ops.argmax(logits, axis=-1))
        if token[0] == END:
            break
        written.append(token[0])
    return vocabulary["target"].decode(written)


# %% slideshow={"slide_type": "-"}
print(translate(translator, "the cat sleeps"))

# %% [markdown] slideshow={"slide_type": "-"}
# Fresh weights, no sense. And nothing makes it end: if `<eos>` does not come, **`max_length`
# stops it**.

# %% [markdown] slideshow={"slide_type": "skip"}
# Nothing in a network guarantees that `<eos>` ever comes. A loop without a bound is a program
# that hangs, one day, on a user's sentence. What else can come in is decided, too: an empty
# sentence is refused with a `ValueError`, a word that the vocabulary does not have is read as
# `<unknown>`.

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
try:
    translate(translator, " … ")
except ValueError as error:
    print("ValueError:", error)
print(cu.data.encode_sentence("the zebra sleeps", vocabulary["source"]))

# %% [markdown] slideshow={"slide_type": "notes"}
# Go through the loop: start reads the English sentence once; then word in, word out. *Which
# word does it read at step 2?* Its own first one, no teacher now. *What if it was wrong?* Then
# it goes on from a beginning it has never practised. Ask for the line that makes this safe to
# deploy: the `for` with its bound.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## How good is a translation?
#
# - **next-word accuracy**: with the true words read before; easy to have, and flattering
# - **exact match**: every word right; fair here, where each sentence has one translation
# - **BLEU**: shared runs of one to four words, times a penalty for being short
#
# $$\text{BLEU} = 100 \cdot \min(1, e^{\,1 - r/\ell}) \cdot (p_1 p_2 p_3 p_4)^{1/4}$$
#
# $p_n$: share of the $n$-word runs that the reference has, too; $\ell, r$: words in the
# translations, in the references

# %% [markdown] slideshow={"slide_type": "skip"}
# BLEU (Papineni and others, 2002) counts over a whole test set, not sentence by sentence, and
# its figure depends on how the text is cut into words. That is why this course takes it from
# one library, **sacrebleu**, on text that has been cut already (`tokenize="none"`), and
# compares only figures that were made in the same way. A figure from a paper, cut otherwise,
# cannot be laid beside ours.
#
# Two details. A run counts at most as often as the reference has it, so that "le le le" earns
# nothing. And where no run of some length is shared, as with single sentences, the product
# would be 0: sacrebleu then puts a half, a quarter, … in place of the count (*smoothing*).

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
reference = "le petit chat noir ne voit pas la maison rouge"
for guess in (
    reference,
    "le petit chat noir ne voit pas la maison verte",
    "le noir petit chat ne pas voit la rouge maison",
    "le petit chat noir",
):
    print(f"{cu.translation.bleu([guess], [reference]):5.1f}  {guess}")

# %% [markdown] slideshow={"slide_type": "notes"}
# Cover the output and have them rank the cell's four lines. The third has every word right and
# the order wrong: of its nine pairs of words one is left, "petit chat", of the triples none.
# The fourth has nothing wrong and is short: the penalty, $e^{1 - 10/4} = 0.22$.
# *Which of the three measures would you show to a customer?* And which to a colleague?

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Predict before you run
#
# One vector of 128 numbers between the two networks. Exact match, by words in the English
# sentence:
#
# | 4 to 8 | 9 to 13 | 14 to 18 | 19 to 25 |
# | --- | --- | --- | --- |
# | your guess | | | |

# %% [markdown] slideshow={"slide_type": "notes"}
# Four numbers, in writing. Help with two questions: *how many yes-or-no facts does a sentence
# of 20 words carry here?* Three or four a word, some sixty or seventy, and 128 numbers of 32
# bits could hold them easily. So is it room that is missing? Let them disagree; do not settle
# it before the table. On paper there is room. What may be hard is to *learn* to put twenty
# words in and to take them out again in order.

# %% [markdown] slideshow={"slide_type": "skip"}
# Every translator is trained in the same way: the same 12,000 pairs in batches of like length,
# Adam with a rate that rises for 100 steps to 0.008 and then falls along a cosine, gradients
# clipped to a norm of 1. The rate is high on purpose. At 0.003 the plain network of one trial
# stayed a language model that ignores the source for all of eight epochs; our guess is that
# Keras' embeddings, which start within ±0.05, make all words look alike at first.
#
# One thing is *not* the same: the networks without attention get **sixteen** epochs, those with
# it **eight**. So nobody can say that the former were not given enough time.
#
# The test set is read once, at the end, by the functions below.

# %% slideshow={"slide_type": "skip"}
EMBEDDED = {"embed_dim": 64, "units": 128, "learning_rate": 8e-3, "epochs": 8, "max_length": 40}
LONGER = EMBEDDED | {"epochs": 16}
EMBEDDED_BINS = ((4, 8), (9, 13), (14, 18), (19, 25))
TRANSLATORS = {
    "plain": {},
    "reversed": {"reverse": True},
    "bahdanau": {"attention": "bahdanau"},
    "dot": {"attention": "dot"},
    "general": {"attention": "general"},
    "concat": {"attention": "concat"},
    "dot_fed": {"attention": "dot", "feed": True},
}


# %% slideshow={"slide_type": "skip"}
def train(name, pairs, settings, patience=None):
    """Train a translator, all in the same way; return it and its run."""
    keras.utils.set_random_seed(session.seed)
    sizes = [len(pairs.vocabulary[side]) for side in ("source", "target")]
    shape = settings["embed_dim"], settings["units"]
    model = RecurrentTranslator(*sizes, *shape, **TRANSLATORS[name], name=name)
    batches = [cu.data.length_buckets(part, 64) for part in (pairs.train, pairs.val)]
    if settings.get("bias") == "log frequencies":
        model(batches[0][0][0])  # the first call makes the weights
        frequencies = cu.translation.log_frequencies(pairs.train.targets, sizes[1])
        model.vocabulary.bias.assign(frequencies)
    steps = settings["epochs"] * len(batches[0])
    learning_rate = cu.schedules.WarmupCosine(settings["learning_rate"], steps)
    loss = entropy(from_logits=True, ignore_class=0)
    model.compile(keras.optimizers.Adam(learning_rate, clipnorm=1.0), loss)
    options = {"patience": patience, "monitor": "val_loss", "source": pairs.source}
    return model, cu.training.fit(model, batches, settings["epochs"], **options)


# %% [markdown] slideshow={"slide_type": "skip"}
# **Why these lines.** `clipnorm` is lecture 2's clipping. `length_buckets` makes batches of
# sentences of like length, in both languages. The loss ignores the class 0.

# %% slideshow={"slide_type": "skip"} shows="course_utils.translation.next_word_accuracy"
# filled by the build


# %% slideshow={"slide_type": "skip"}
def evaluate(model, pairs, settings, bins):
    """Translate the test set, greedily and with a beam: what is recorded, and the texts."""
    split, long = pairs.test, pairs.test.columns["words"] > 13
    references = split.columns["references"]
    source, length = split.inputs["source"], settings["max_length"]
    translated = [
        cu.translation.translate(model, source, pairs.vocabulary, length, num_beams=beams)
        for beams in (1, 4)
    ]
    greedy, beam = translated
    next_word = next_word_accuracy(model, split)
    found = {
        "exact_match": cu.translation.exact_match(greedy, references),
        "bleu": cu.translation.bleu(greedy, references),
        "exact_long": cu.translation.exact_match(np.array(greedy)[long], references[long]),
        "next_word": next_word.mean(),
        "next_word_long": next_word[long].mean(),
        "beam_exact_match": cu.translation.exact_match(beam, references),
        "beam_bleu": cu.translation.bleu(beam, references),
        "beam_changed": np.mean(np.array(greedy) != np.array(beam)),
    }
    words = split.columns["words"]
    for row in cu.translation.by_length(greedy, references, words, bins):
        found[f"exact {row['words']}"] = row["exact_match"]
        found[f"bleu {row['words']}"] = row["bleu"]
    return found, translated


# %% slideshow={"slide_type": "skip"}
def train_and_record(name, pairs, settings, bins, patience=None):
    """Train a translator, judge and record it; return the model."""
    model, run = train(name, pairs, settings, patience)
    found, _ = evaluate(model, pairs, settings, bins)
    if model.attention and "alignment" in pairs.test.columns:
        found |= aligned(model, pairs.test)
    run.record(LECTURE, name, pairs.name, settings, **found)
    return model


# %% slideshow={"slide_type": "skip"}
def weights_of(model, split, rows=100):
    """The attention weights of a split, the true words before given: (sentences, T, S)."""
    parts = [
        model.weights_for(*(ids[start : start + rows] for ids in split.inputs.values()))
        for start in range(0, len(split), rows)
    ]
    return ops.convert_to_numpy(ops.concatenate(parts, axis=0))


def aligned(model, split):
    """How often the largest weight of a rightly predicted word is on its source word."""
    logits = model.predict(split.inputs, batch_size=100, verbose=0)
    places = split.columns["alignment"]
    told = (logits.argmax(axis=-1) == split.targets) & (places >= 0)
    hits = weights_of(model, split).argmax(axis=-1) == places
    source = np.take_along_axis(split.inputs["source"], np.maximum(places, 0), axis=1)
    found = {"aligned_all": hits[told].mean()}
    for kind, ids in word_classes.items():
        found[f"aligned_{kind}"] = hits[told & np.isin(source, ids)].mean()
    return found


# %% slideshow={"slide_type": "skip"}
kinds = {
    "nouns": NOUNS,
    "adjectives": ADJECTIVES,
    "articles": {"the", "a", "an", "some", "any", "this", "these", "my"},
}
word_classes = {
    kind: vocabulary["source"].encode(sorted(forms)) for kind, forms in kinds.items()
}


# %% slideshow={"slide_type": "skip"}
def ship_translator(model, settings):
    """Keep a trained translator's weights with the course (full profile, seed 0 only)."""
    arrays = {f"{number:02}": array for number, array in enumerate(model.get_weights())}
    run = f"{LECTURE}/{model.name}-{pairs.name}-seed0"
    cu.models.save_pretrained(f"translator_{model.name}", arrays, run, **settings)


def shipped_translator(name):
    """A trained translator that came with the course."""
    model = RecurrentTranslator(english, french, **TRANSLATORS[name], name=name)
    model(some)  # the first call makes the weights
    arrays = cu.models.load_pretrained(f"translator_{name}")
    model.set_weights([arrays[key] for key in sorted(arrays)])
    return model


# %% slideshow={"slide_type": "skip"}
trained = {}
for name in session.pick(quick=[], full=["plain", "reversed"]):
    trained[name] = train_and_record(name, pairs, LONGER, EMBEDDED_BINS)
if session.profile == "full":
    ship_translator(trained["plain"], LONGER)
else:
    trained["plain"] = shipped_translator("plain")

# %% [markdown] slideshow={"slide_type": "skip"}
# In the quick profile nothing has been trained so far: the weights that are loaded here are
# those of the recorded run with seed 0. What they translate, they translate here and now.


# %% slideshow={"slide_type": "skip"}
bins = [f"{low}–{high}" for low, high in EMBEDDED_BINS]


def spread(values, digits=2):
    """The mean, and the range where the seeds differ."""
    ends = [f"{end(values):.{digits}f}" for end in (min, max)]
    return f"{np.mean(values):.{digits}f}" + (
        f" ({ends[0]} to {ends[1]})" if len(set(ends)) > 1 else ""
    )


def runs_of(name, dataset="english_french"):
    """The recorded runs of a translator; none where nobody has trained it yet."""
    runs = cu.results.load(LECTURE, dataset=dataset)
    return [run for run in runs if run["model"] == name]


def recorded(titles, columns, dataset="english_french", digits=2):
    """The recorded runs as a table, a row a model: mean of the seeds, and range."""
    rows = []
    for name, title in titles.items():
        metrics = [run["metrics"] for run in runs_of(name, dataset)]
        values = {text: [found[key] for found in metrics] for key, text in columns.items()}
        if metrics:
            cells = {text: spread(figures, digits) for text, figures in values.items()}
            rows.append({"translator": title, **cells})
    return cu.results.Table(rows)


# %% [markdown] slideshow={"slide_type": "subslide"}
# ### The guesses on the board, and the recorded runs (three seeds, range)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
cu.results.Table(
    [
        {"plain, by words": measure}
        | {
            column: spread(
                [run["metrics"][f"{key} {column}"] for run in runs_of("plain")], digits
            )
            for column in bins
        }
        for measure, key, digits in [("exact match", "exact", 2), ("BLEU", "bleu", 0)]
    ]
)

# %% [markdown] slideshow={"slide_type": "-"} claims=["recorded('plain', 'english_french', 'exact 4–8').mean() >= 0.75", "recorded('plain', 'english_french', 'exact_long').max() <= 0.10"]
# Good on short sentences, next to **nothing** right beyond 13 words: the same network, the
# same training.

# %% slideshow={"slide_type": "-"}
by_words = np.argsort(columns["words"], kind="stable")
for row in by_words[[40, 285]]:
    text = columns["source_text"][row]
    print(f"{text}\n  wrote   {translate(trained['plain'], text)}")
    print(f"  correct {columns['target_text'][row]}")

# %% [markdown] slideshow={"slide_type": "skip"}
# *"It failed because it was trained too briefly."* The table says no: for the same training the
# short ones are fine. Look at the long translation instead. It is fluent French, its grammar
# holds for a few words at a time, it starts well, and then it is about something else. The
# decoder has become a good language model with a poor memory of what it was told.
#
# One average over the test set would have hidden this. An average over short sentences, such as
# many collections consist of, would have hidden it altogether. So: **plot by length.**

# %% [markdown] slideshow={"slide_type": "notes"}
# Compare with the guesses. Then read the long one aloud, French and all: how far is it right?
# Mark the place on the board. *What do you notice about the rest?* It is French. The network
# does not stammer, it invents. This is what today's systems are accused of, in its smallest
# form: fluent where it has no evidence.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## A trick: read the source backwards

# %% slideshow={"slide_type": "-"}
cu.figures.show("05_reversed")

# %% [markdown] slideshow={"slide_type": "skip"}
# Sutskever, Vinyals and Le (2014) fed their sentences in reverse, "milk drink I" for "I drink
# milk", and gained several points of BLEU. The *mean* distance between a word and its
# translation stays the same. But the first words of the source, read last, are now close to the
# first words that are to be written, so that a beginning is easy to learn; the rest can follow.
# Their network had LSTMs in four layers of a thousand units; ours is small. So: try it.

# %% [markdown] slideshow={"slide_type": "notes"}
# Let them count the steps from "I" to its French word, upper picture and lower; then from
# "milk". *What is the mean?* The same. So what can be gained? A good start. Ask for a vote:
# will it help our network, with which sentences? Then the table.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Recorded: forwards and backwards, three seeds (range)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
directions = {"plain": "forwards", "reversed": "backwards"}
exact_columns = {f"exact {name}": f"exact {name}" for name in bins[:2]}
recorded(directions, exact_columns | {"bleu": "BLEU, all"})

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
recorded(directions, {f"bleu {name}": f"BLEU {name}" for name in bins}, digits=0)

# %% [markdown] slideshow={"slide_type": "-"}
# Beyond 13 words nothing is won: the trick brings *some* words closer and others farther away.
# It opens no new way to any of them.

# %% [markdown] slideshow={"slide_type": "notes"}
# Hold the table against the vote, short sentences first. Where the ranges of the two rows
# overlap, three seeds do not decide; say so. *Why did it help Sutskever, and not here?* Other
# sentences, four layers, a thousand times the data: a trick that shortens some ways and
# lengthens others depends on all of it. What we want is a short way to *every* word.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The idea: keep everything, and look

# %% slideshow={"slide_type": "-"}
cu.figures.show("05_attention")

# %% [markdown] slideshow={"slide_type": "-"}
# $$\alpha_{ts} = \frac{e^{\text{score}(s_t,\, h_s)}}{\sum_{s'} e^{\text{score}(s_t,\, h_{s'})}}
# \qquad c_t = \sum_s \alpha_{ts}\, h_s$$

# %% [markdown] slideshow={"slide_type": "skip"}
# The encoder computed $S$ states and threw all but the last away. Keep them. At step $t$ the
# decoder's state $s_t$ is compared with each $h_s$: a **score** says how well they fit. A
# softmax over the *source words* turns the scores into **attention weights** $\alpha_{ts}$,
# which are positive and add up to 1. Their mean of the encoder's states is the **context
# vector** $c_t$, another one for each word that is written.
#
# Nothing is chosen; everything is averaged, so there is a slope everywhere, and the scores are
# learned by back-propagation with all the rest. Nobody tells the network which word belongs to
# which.
#
# In the words that came later, and which lecture 6 uses: $s_t$ is the **query**, the $h_s$ are
# the **keys** that it is compared with and, at the same time, the **values** that are averaged.

# %% [markdown] slideshow={"slide_type": "notes"}
# Two lines of formula; have somebody read them aloud in words: "compare, softmax, average".
# *Over what does the softmax go?* Over the source words, for each written word anew. *How many
# numbers reach the decoder now?* 128 a step again, but other ones at each step. And *what does
# it cost?* S scores for each of T words, S · T in all: lecture 6 will worry about that.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## By hand: three source words
#
# $h_1 = (1, 0),\; h_2 = (0, 2),\; h_3 = (1, 2)$, the decoder is at $s = (1, 1)$; score: the dot
# product
#
# $$\text{scores } 1,\; 2,\; 3 \qquad
# \alpha = \frac{(e^1, e^2, e^3)}{e^1 + e^2 + e^3} = (0.090,\; 0.245,\; 0.665)$$
#
# $$c = 0.090\,(1, 0) + 0.245\,(0, 2) + 0.665\,(1, 2) = (0.755,\; 1.820)$$

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
h, s = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 2.0]]), np.array([1.0, 1.0])
alpha = lecture_05.softmax(h @ s)
print("weights", alpha.round(3), " context", (alpha @ h).round(3))

# %% [markdown] slideshow={"slide_type": "notes"}
# Do it on the board before you show the cell. Then two questions: *what if all states were ten
# times as long?* Scores times a hundred, and the softmax takes the largest alone: dot products
# of long vectors make hard choices, which lecture 6 repairs with a division. *What if two
# source words had equal states?* Equal weights: attention cannot tell them apart.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Four scores
#
# | score | $\text{score}(s, h)$ | weights to learn |
# | --- | --- | --- |
# | **dot** (Luong) | $s \cdot h$ | none; equal widths only |
# | **general** (Luong) | $s \cdot (W h)$ | $W$ |
# | **concat** (Luong) | $v \cdot \tanh(W\,[s; h])$ | $W, v$ |
# | **additive** (Bahdanau) | $v \cdot \tanh(W_s s + W_h h)$ | $W_s, W_h, v$ |
#
# The first two are called *multiplicative*. The last two are **the same numbers**: $W = [W_s,
# W_h]$, side by side. $[s; h]$: one vector laid behind the other.

# %% [markdown] slideshow={"slide_type": "skip"}
# The letters: $W$, $W_s$, $W_h$ and the vector $v$ are learned, with all other weights. Here a
# vector is a column and its matrix stands to the left, $W h$, as in the papers on attention;
# lectures 2 to 4 wrote $h W$, with rows, as code does. The next slide goes back to rows.

# %% [markdown] slideshow={"slide_type": "notes"}
# Ask which of them needs equal widths, and which could compare a state of 128 with one of 256.
# Then the last two rows: *write $W [s; h]$ as two products*. It falls apart into $W_s s + W_h
# h$. Bahdanau's and Luong's "concat" differ in what surrounds them, not in the score. Somebody
# will ask for the fastest: dot and general are one matrix product for all pairs of words.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Ten lines of NumPy

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
generator = np.random.default_rng(0)
S, T, d = 5, 3, 4
h, s = generator.normal(size=(S, d)), generator.normal(size=(T, d))
W, v = generator.normal(size=(2 * d, d)), generator.normal(size=d)
W_c = generator.normal(size=(2 * d, d))
dot = s @ h.T
general = s @ W[:d] @ h.T
additive = np.tanh((s @ W[:d])[:, None] + (h @ W[d:])[None]) @ v
alpha = np.exp(dot) / np.exp(dot).sum(axis=1, keepdims=True)
c = alpha @ h
a = np.tanh(np.concatenate([c, s], axis=1) @ W_c)
print("scores", dot.shape, general.shape, additive.shape, " rows of α:", alpha.sum(axis=1))
print("contexts", c.shape, " attention vectors", a.shape)

# %% [markdown] slideshow={"slide_type": "-"}
# Luong's **attention vector** $\tilde a_t = \tanh(W_c\,[c_t; s_t])$ joins what was found and
# what is being said; the vocabulary is scored from it.

# %% [markdown] slideshow={"slide_type": "skip"}
# The papers write $W s$ with column vectors; in code the vectors are rows, `d` numbers wide,
# and it reads $s W$. So the matrices of concat, additive and $W_c$ are those of the formulas,
# transposed, as Keras keeps them: what stood side by side there lies one above the other here.
# The $W$ of the general score stays as it is, for it stands *between* a row and a column:
# $s \cdot (W h)$ is `s @ W @ h.T`. Luong's paper writes $h_t$ for the decoder's states and
# $\bar h_s$ for the encoder's, and $\tilde h_t$ for our $\tilde a_t$.
#
# The library's functions take a batch in front and a mask. A masked score becomes −∞ *before*
# the softmax, so that the weights of the real words add up to 1. They stand, two to four lines
# each, in `course_utils/lectures/lecture_05.py`.

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_05.attention_vector"
# filled by the build

# %% [markdown] slideshow={"slide_type": "notes"}
# Shapes first: every score is T × S, a row for each word written, a column for each word read.
# *Which axis has the softmax?* The columns' axis: each row sums to 1. In the additive score,
# follow the `None`s: (T, 1, d) plus (1, S, d) gives every pair. That array is why it is slower:
# T · S · d numbers, where the dot product needs T · S.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The same in Keras, equal

# %% slideshow={"slide_type": "skip"} shows="course_utils.layers.attention.MASK_VALUE"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.layers.attention.masked_softmax"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.layers.attention.softmax"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.layers.attention.check_mask"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.layers.attention.LuongAttention"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.layers.attention.BahdanauAttention"
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
h = generator.normal(size=(2, 6, 8)).astype("float32")  # encoder states: batch, S, d
s = generator.normal(size=(2, 4, 8)).astype("float32")  # decoder states: batch, T, d
mask = np.arange(6) < np.array([[6], [4]])
scores = {
    "dot": lambda layer: dot_score(s, h),
    "general": lambda layer: lecture_05.general_score(s, h, layer.W.numpy()),
    "concat": lambda layer: concat_score(s, h, layer.W.numpy(), layer.v.numpy()),
}
for name, score in scores.items():
    with cu.full_precision():
        layer = LuongAttention(8, name)
        theirs, weights = layer(s, h, mask, return_attention_scores=True)
    alpha = lecture_05.softmax(score(layer), mask[:, None])
    ours = attention_vector(alpha @ h, s, layer.W_c.kernel.numpy())
    gap = max(np.abs(ours - theirs).max(), np.abs(alpha - weights).max())
    print(f"{name:8} {layer.count_params():4} weights, equal within 1e-5: {gap < 1e-5}")

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
with cu.full_precision():
    layer = BahdanauAttention(5)
    theirs, weights = layer(s, h, mask, return_attention_scores=True)
W_s, W_h, v = (array.numpy() for array in (layer.W_s.kernel, layer.W_h.kernel, layer.v.kernel))
alpha = lecture_05.softmax(additive_score(s, h, W_s, W_h, v[:, 0]), mask[:, None])
ours = alpha @ h
gap = max(np.abs(ours - theirs).max(), np.abs(alpha - weights).max())
print(f"additive {layer.count_params():4} weights, equal within 1e-5: {gap < 1e-5}")

# %% [markdown] slideshow={"slide_type": "notes"}
# The second sentence of the batch has four words and two pads; the mask goes in on both sides.
# Read off the weights: dot has 2 · 8 · 8 = 128, all of them in W_c. *What do general and concat
# add?* 64, which is 8 · 8; and 136, which is 16 · 8 and v's 8. Bahdanau's layer, in the next
# cell of the notebook, returns the context and has no W_c: with 5 units 2 · 8 · 5 + 5 = 85.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Keras' own two layers
#
# - `keras.layers.Attention` is the **dot** score, unscaled, and returns the context $c$
# - `keras.layers.AdditiveAttention` is $\text{sum}(g \cdot \tanh(s + h))$ with one vector $g$:
#   it has **no** $W_s$, $W_h$; project both beforehand to have Bahdanau's score

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
with cu.full_precision():
    from_dot = layers.Attention()([s, h], mask=[None, mask])
    theirs = layers.AdditiveAttention()
    theirs([s @ W_s, h, h @ W_h])  # the first call makes g
    theirs.set_weights([v[:, 0]])
    projected = theirs([s @ W_s, h, h @ W_h], mask=[None, mask])
alpha = lecture_05.softmax(dot_score(s, h), mask[:, None])
print("Attention is dot:", np.abs(alpha @ h - from_dot).max() < 1e-5)
print("AdditiveAttention, projected, is additive:", np.abs(ours - projected).max() < 1e-5)

# %% [markdown] slideshow={"slide_type": "skip"}
# The order of the arguments is a trap: `[query, value, key]`, where most texts say query, key,
# value. The first two are the decoder's and the encoder's states, and the key is the value
# where it is not given. `use_scale=True` gives the dot score one learned factor.

# %% [markdown] slideshow={"slide_type": "notes"}
# Point at the second line: whoever takes AdditiveAttention as it is for Bahdanau's has no
# matrix that could learn which numbers of s and h speak of the same. *How would you find out?*
# Count the parameters: it has as many as the states are wide, and no more.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## When does it look? Two wirings

# %% slideshow={"slide_type": "-"}
cu.figures.show("05_wirings")

# %% [markdown] slideshow={"slide_type": "skip"}
# **Bahdanau** (2015) looks *before* the step: the query is the state $s_{t-1}$, the context
# goes into the GRU together with the last word, $s_t = \text{GRU}([y_{t-1}; c_t], s_{t-1})$. So
# the recurrence knows what it has looked at; but the steps have to be made one behind the other
# even while training.
#
# **Luong** (2015) steps first and looks with the *new* state $s_t$, which has read the last
# word; the context meets the state only in $\tilde a_t$. All steps of the GRU are made at once
# by one layer, and then all T · S scores in one product. What it loses, that the next step
# knows nothing of where this one looked, Luong gives back by **input feeding**: his GRU reads
# $\tilde a_{t-1}$ too, $s_t = \text{GRU}([y_{t-1}; \tilde a_{t-1}], s_{t-1})$. With it the
# speed is given up as well. Where nothing is said, ours does without; `feed=True` has it.
#
# Bahdanau's steps and those of input feeding need a loop of their own, `ops.scan`. His paper
# also has an encoder that reads both ways and a layer before the vocabulary; ours does without,
# so that only the wiring differs.

# %% slideshow={"slide_type": "skip"} shows="course_utils.models.recurrent.BahdanauDecoder"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.models.recurrent.LuongDecoder"
# filled by the build

# %% [markdown] slideshow={"slide_type": "notes"}
# Trace the order with a finger: on the left look, step; on the right step, look. *Which of the
# two knows the word that it has just written, when it looks?* The right one: its state has read
# it. The left one asks with a state that does not yet know which word was chosen. *And which
# one's next step knows where it has looked?* The left one's.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### What it costs, in weights

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
base = translator.count_params()
for name in ("plain", "dot", "general", "concat", "bahdanau", "dot_fed"):
    model = RecurrentTranslator(english, french, **TRANSLATORS[name])
    model(some)
    print(f"{name:9}{model.count_params():8,}   {model.count_params() - base:+8,}")

# %% [markdown] slideshow={"slide_type": "-"}
# The dot score adds $W_c$ alone, 2 · 128 · 128 = 32,768. No larger state: another **way** to
# the source.

# %% [markdown] slideshow={"slide_type": "notes"}
# Have them explain each difference. General: 128² more than dot. Concat: 2 · 128² + 128 more
# than dot. Bahdanau: no W_c; the score's own 2 · 128² + 128, the GRU reads 128 more inputs,
# 3 · 128 · 128, and the vocabulary's layer 128 more, 126 · 128. *Is the comparison fair?* The
# plain network with 143 units has about as many weights as dot: whoever doubts may train it.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Predict, then run: short sentences
#
# The same training pairs up to nine words, a few epochs, the dot score. Will it have most of
# the test sentences of this length right?

# %% slideshow={"slide_type": "fragment"}
short = cu.data.load_pairs(max_words=9)
brief = EMBEDDED | {"epochs": session.pick(quick=10, full=12)}
small, run = train("dot", short, brief)

# %% slideshow={"slide_type": "skip"}
guesses = cu.translation.translate(small, short.test.inputs["source"], short.vocabulary, 20)
exact = cu.translation.exact_match(guesses, short.test.columns["references"])
right_words = next_word_accuracy(small, short.test).mean()

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
print(f"next word {right_words:.2f}, whole sentence {exact:.2f}: {len(guesses)} test sentences")

# %% [markdown] slideshow={"slide_type": "notes"}
# Some seconds on a laptop. While it runs: *how often does one have to be right a word to be
# right a sentence?* Nine words at 0.95 each are 0.63. So the gap between the two printed
# figures is no surprise, and it grows with length.

# %% slideshow={"slide_type": "skip"}
for name in session.pick(quick=[], full=["bahdanau", "dot", "general", "concat", "dot_fed"]):
    trained[name] = train_and_record(name, pairs, EMBEDDED, EMBEDDED_BINS)
if session.profile == "full":
    ship_translator(trained["dot"], EMBEDDED)
else:
    trained["dot"] = shipped_translator("dot")

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The same data, half the epochs

# %% slideshow={"slide_type": "skip"}
translated = {}
for name in ("plain", "dot"):
    settings = pairs.test.inputs["source"], vocabulary, EMBEDDED["max_length"]
    translated[name] = cu.translation.translate(trained[name], *settings)
references = columns["references"]
lines = {
    name: cu.translation.by_length(texts, references, columns["words"], EMBEDDED_BINS)
    for name, texts in translated.items()
}

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
figure, axes = cu.plotting.figure(10, 3.5, columns=2)
said = []
titles = {
    "plain": "last state only",
    "reversed": "source reversed",
    "dot": "dot",
    "general": "general",
    "concat": "concat",
    "bahdanau": "Bahdanau",
    "dot_fed": "dot, fed to the next step",
}
for number, (name, title) in enumerate(titles.items()):
    style = {"color": cu.plotting.COLOURS[number], "marker": "o", "markersize": 4}
    if name in lines:
        scores = [row["bleu"] for row in lines[name]]
        axes[0].plot(bins, scores, label=title, **style)
    runs = [[run["metrics"][f"bleu {words}"] for words in bins] for run in runs_of(name)]
    if runs:
        scores = np.mean(runs, axis=0)
        axes[1].plot(bins, scores, label=title, **style)
        said.append(f"{title} " + ", ".join(f"{score:.0f}" for score in scores))
for axis, title in zip(axes, ["translated here", "recorded, mean of three seeds"], strict=True):
    axis.set(title=title, xlabel="words in the source", ylim=(0, 103))
    axis.legend(fontsize=9)
axes[0].set_ylabel("BLEU")
alt = f"BLEU by source length, bins {', '.join(bins)}. Recorded: " + "; ".join(said) + "."
cu.plotting.show(figure, alt)

# %% slideshow={"slide_type": "skip"} tags=["headline"]
long = columns["words"] > 13
exact_long = {
    name: cu.translation.exact_match(np.array(texts)[long], references[long])
    for name, texts in translated.items()
}
print(
    "sentences of more than 13 words translated without a mistake: "
    f"{exact_long['plain']:.2f} from the last state, {exact_long['dot']:.2f} with attention"
)

# %% [markdown] slideshow={"slide_type": "notes"}
# Cover the upper lines and ask what should become of the lower one. Then uncover. The curve
# does not only move up, it lies flat: length is hardly a difficulty. *Did anything get a larger
# memory?* No. The state has 128 numbers as before. What it needs to hold is now only where it
# is in the sentence.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Exact match by length, three seeds (range)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
recorded(titles, {f"exact {name}": name for name in bins})

# %% [markdown] slideshow={"slide_type": "-"} claims=["min(recorded(model, 'english_french', 'exact_long').min() for model in ('bahdanau', 'dot', 'general', 'concat')) > recorded('plain', 'english_french', 'exact_long').max() + 0.3", "min(recorded(model, 'english_french', 'bleu 19–25').min() for model in ('bahdanau', 'dot', 'general', 'concat')) > recorded('plain', 'english_french', 'bleu 19–25').max() + 30"]
# Long sentences come out right, and that after **half** the epochs: nearly all with dot, concat
# and Bahdanau's, about half with general.

# %% [markdown] slideshow={"slide_type": "skip"}
# Do not read a ranking of dot, concat and Bahdanau from these rows: they lie close together,
# and where they differ, so do the seeds of one row. The general score is behind on every seed,
# and no two of its seeds agree. Its matrix
# starts at random, so at first its scores compare nothing, while those of dot do from the first
# step; but concat starts at random, too. Rate and epochs are the same for all and were chosen
# with the plain network and dot; whether general would catch up with others was not tried. What
# holds on every seed is the gap between those that may look and those that may not.
#
# Is this only because the networks with attention have more weights? The dot score adds 32,768.
# The state is as long as before, and the training shorter. That makes it unlikely, and is no
# proof: a plain network of 143 units has about as many weights (`"units": 143` in `LONGER`),
# and this course has not trained it.

# %% [markdown] slideshow={"slide_type": "notes"}
# Rows three to six against the first two. *Which score would you take?* The cheapest that does
# it: here the dot score, one matrix product and no weights of its own. *So general is a bad
# score?* It was behind with this rate and so many epochs; that is all the table says. Then ask
# what it cannot tell: real sentences, rare words, several right translations. They come last.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Where did it look?

# %% slideshow={"slide_type": "skip"}
EXAMPLE = "the small black cat does not see the red house"


def look(model, text):
    """Translate and return source words, target words, and the weights (T, S)."""
    said = translate(model, text).split()
    target = np.array([[START, *vocabulary["target"].encode(said)]])
    source = cu.data.encode_sentence(text, vocabulary["source"])
    weights = ops.convert_to_numpy(model.weights_for(source, target))[0]
    return text.split(), [*said, "<eos>"], weights


def alignment_map(model, text):
    """Draw the weights: a row for each word written, a column for each word read."""
    read, said, weights = look(model, text)
    figure, axis = cu.plotting.figure(0.8 + 0.62 * len(read), 0.9 + 0.3 * len(said))
    axis.imshow(weights, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    axis.set_xticks(range(len(read)), read)
    axis.set_yticks(range(len(said)), said)
    axis.xaxis.tick_top()
    axis.grid(False)
    for t, s in zip(*np.nonzero(weights > 0.1), strict=True):
        colour = "white" if weights[t, s] > 0.5 else "black"
        axis.text(s, t, f"{weights[t, s]:.2f}", ha="center", va="center", color=colour, size=9)
    top = [f"{word} at {read[s]}" for word, s in zip(said, weights.argmax(axis=1), strict=True)]
    cu.plotting.show(figure, "Attention weights. Each word looks most at: " + ", ".join(top))


# %% slideshow={"slide_type": "-"}
alignment_map(trained["dot"], EXAMPLE)

# %% [markdown] slideshow={"slide_type": "notes"}
# Read it from above. The marks of *chat* and *noir* cross: French turns noun and adjective, and
# the network has found it by itself. *ne* and *pas* stand around the verb; *where do they
# look?* At *does not see*, each spread over two or three words, and *voit* between them at
# *see*. Then the best question: *why do the articles look past "the"?* English *the* does not
# know the gender. The noun does.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### A sentence in which more has to move

# %% slideshow={"slide_type": "-"}
alignment_map(trained["dot"], "my old church that does not like a grey dog waits")

# %% [markdown] slideshow={"slide_type": "notes"}
# Let them find the crossings themselves: *grey dog* becomes *chien gris*. *un* became *de*
# behind the negation; where does it look? Nobody has told the network any of this: no word of
# the training data says which word belongs to which.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What weights do not say
#
# Recorded: of the words predicted rightly, how many have their largest weight on the word that
# they translate? The grammar knows; three seeds (range)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
looking = {name: titles[name] for name in ("dot", "general", "concat", "bahdanau")}
recorded(
    looking,
    {f"aligned_{kind}": kind for kind in ("nouns", "adjectives", "articles")}
    | {"aligned_all": "all words"},
)

# %% slideshow={"slide_type": "skip"}
source_ids, places = pairs.test.inputs["source"], columns["alignment"]
top = weights_of(trained["dot"], pairs.test).argmax(axis=-1)
seen = np.take_along_axis(source_ids, top, axis=1)
translates = np.take_along_axis(source_ids, np.maximum(places, 0), axis=1)
chosen = (places >= 0) & np.isin(translates, word_classes["articles"])
for kind, ids in word_classes.items():
    part = np.isin(seen[chosen], ids).mean()
    print(f"articles that look most at one of the {kind}: {part:.2f}")

# %% [markdown] slideshow={"slide_type": "-"}
# Nouns, nearly always. For adjectives and articles it depends on the network; with the dot
# score most of the articles that look elsewhere look at a noun. And **all** these words are
# right.

# %% [markdown] slideshow={"slide_type": "skip"}
# An article that looks at its noun is no mistake: *the* is the same for *le*, *la* and *les*,
# and what decides is the noun. That a right adjective looks elsewhere is harder to read. One
# reason is that the state at a word is not the word. The GRU has read everything before it, so
# the state at *cat* knows of *black* as well. Bahdanau's wiring shows another: his query does
# not know yet which word was written last, so its weights may well stand a word aside.
#
# So a large weight says: from this state it took most. It does not say: because of this word.
# To show the second, one would have to change the word and see whether the output changes
# (Jain and Wallace, 2019, and the answer by Wiegreffe and Pinter).

# %% [markdown] slideshow={"slide_type": "notes"}
# *"The weights explain the translation."* Ask why a rightly translated adjective may look
# elsewhere. The state at a word is not the word: it is everything up to there, and the state at
# *cat* has just read *black*. A weight says which vector was taken, not which word in it
# mattered. As a debugging tool the map is fine; as a proof of reasons it is not.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Next word right, sentence right: two figures
#
# Recorded on sentences of more than 13 words, three seeds (range)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
told = {"next_word_long": "next word, true words before", "exact_long": "exact match"}
recorded(titles, told)

# %% [markdown] slideshow={"slide_type": "-"}
# Next-word accuracy is measured **with the true words given**. It is what a training log shows,
# and it is not the quality of a translation.

# %% [markdown] slideshow={"slide_type": "skip"} claims=["recorded('plain', 'english_french', 'next_word_long').min() > 0.5"]
# The plain network knows more than half of the next words where hardly a sentence is right.
# French grammar gives much away: behind *ne voit* comes *pas*, behind *la* a feminine noun, the
# words before it are the *true* ones, however lost the network would have been without them.
# Whoever reports only this figure reports how good a language model the decoder is.

# %% [markdown] slideshow={"slide_type": "notes"}
# First column only: *more than half of all next words right, is that network of any use?* Take
# the votes, then the second column. *Why is the gap so wide in the first row?* The true words
# before it keep it on its way, and much of French follows from French; left alone it has to be
# right some twenty times running. If a paper shows you perplexity or token accuracy, ask for
# the decoded text.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Beam search: keep several beginnings

# %% slideshow={"slide_type": "-"}
cu.figures.show("05_beam")

# %% [markdown] slideshow={"slide_type": "skip"}
# Greedy decoding takes the likeliest *word* at every step, and cannot take it back. Wanted is
# the likeliest *sentence*. **Beam search** keeps the `beams` likeliest beginnings, prolongs
# each by every word, and keeps the best again. With one beam it is greedy decoding.
#
# A product of probabilities falls with every word, so short sentences would win. What is
# compared is therefore the product's logarithm, divided by $((5 + n) / 6)^{0.6}$ for $n$
# tokens, `<eos>` among them (Wu and others, 2016). The library's function does it for a batch;
# it is longer than a lecture cell should be, and stands in `course_utils/decoding.py`.

# %% [markdown] slideshow={"slide_type": "notes"}
# Follow the picture: greedy takes "le", 0.5 against 0.4, and ends at 0.5 · 0.4 = 0.20; the beam
# keeps "la" as well and finds 0.4 · 0.9 = 0.36. *Does beam search find the likeliest sentence
# for certain?* No, only what fits into the beam. *And is the likeliest the best?* Not always:
# with many beams real systems get worse, they like to be short.

# %% slideshow={"slide_type": "skip"}
settings = pairs.test.inputs["source"], vocabulary, EMBEDDED["max_length"]
beam = cu.translation.translate(trained["plain"], *settings, num_beams=4)
changed = [row for row in by_words if beam[row] != translated["plain"][row]]
changed.sort(key=lambda row: beam[row] != columns["target_text"][row])  # mended ones first

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### What it changes

# %% slideshow={"slide_type": "-"}
row = changed[0]
print("source ", columns["source_text"][row])
print("greedy ", translated["plain"][row])
print("4 beams", beam[row])
print("correct", columns["target_text"][row])

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
recorded(
    {name: titles[name] for name in ("plain", "general", "dot", "bahdanau")},
    {
        "beam_changed": "changed",
        "exact_match": "exact match",
        "beam_exact_match": "with 4 beams",
    },
)

# %% [markdown] slideshow={"slide_type": "-"} claims=["max(np.abs(recorded(model, 'english_french', 'beam_exact_match') - recorded(model, 'english_french', 'exact_match')).max() for model in ('plain', 'dot')) < 0.05"]
# Lost, the beam changes much and mends little; sure, there is little to mend; in between it
# mends some. A beam repairs the **search**, not the model.

# %% [markdown] slideshow={"slide_type": "notes"}
# First the example, then the table: the plain network's beam changes more than half of its
# translations, and the share of right ones hardly moves. *Why?* The right sentence is not
# likely to this network, so looking harder for likely sentences does not find it. *Where does
# a beam help?* Where a word or two decide, as in the second row. And where a sure network gets
# *worse* by it: the search stopped before the long sentence was finished, the notebook says
# why. The last table of the lecture, on real pairs, has a column for beams, too.

# %% [markdown] slideshow={"slide_type": "skip"}
# A beam can lose what greedy decoding had. This search ends as soon as four translations are
# finished, and one that is cut off behind its first clause counts as finished, however unlikely
# it is. Four such stubs, and the long sentence that the network was sure of is never completed.
# So the rule by which a search *stops* is part of the search.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Persian: from the right, verb last

# %% slideshow={"slide_type": "-"}
cu.figures.show("05_persian")

# %% [markdown] slideshow={"slide_type": "skip"}
# «من یک دانشجو هستم», *man yek dāneshju hastam*, word by word "I a student am". Two things are
# often confused here.
#
# - **The script runs from right to left. That is display.** In memory, and for every network
#   of this course, a text is a sequence in the order in which it is read and spoken:
#   `tokens[0]` is `من`, `tokens[3]` is `هستم`. Nothing has to be reversed, and nothing may be.
# - **The verb stands last. That is language.** *am* is the second English word and the fourth
#   Persian one. An alignment has to reach across the object, and in long sentences far.
#
# The map on the right has the tokens' order on both axes. It is filled in by hand: it shows
# what a trained network should find.

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
persian = "من یک دانشجو هستم".split()
spoken = ["man", "yek", "dāneshju", "hastam"]
aligned_with = {"I": 0, "am": 3, "a": 1, "student": 2}
for place, sound in enumerate(spoken):
    print(place, sound, f"first letter U+{ord(persian[place][0]):04X}")
for word, place in aligned_with.items():
    print(f"{word:8} looks at token {place}, {spoken[place]}")

# %% [markdown] slideshow={"slide_type": "notes"}
# Ask somebody who reads Persian or Arabic to read the line aloud, and the others to count the
# words as they hear them: index 0 is the first one heard. *Is this source reversed for the
# network?* No; that would be the trick of the earlier slide, and another thing. Then the verb:
# the decoder writes "am" second and has to look at the end. A fixed order of looking, left to
# right, would fail; a learned one does not care.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## How far back does each one see?
#
# The slides speak of a *reference window*: short for an RNN, longer for an LSTM, unlimited for
# attention. Measure it: how much of the last output's gradient reaches a word $k$ steps back?


# %% slideshow={"slide_type": "skip"}
def reader(kind, units=64, length=101):
    """The last output of a fresh network over `length` vectors that can be trained."""
    places = keras.Input((length,), dtype="int32")
    vectors = keras.initializers.RandomNormal(stddev=1.0)
    x = layers.Embedding(length, units, vectors, name="words")(places)
    loops = {
        "SimpleRNN": layers.SimpleRNN,
        "LSTM": layers.LSTM,
        "LSTM, forget bias 4": layers.LSTM,
        "GRU": layers.GRU,
        "GRU and attention": layers.GRU,
    }
    states = loops[kind](units, return_sequences=True, name="loop")(x)
    last = states[:, -1:]
    if kind == "GRU and attention":
        last = LuongAttention(units, "general")(last, states)
    return keras.Model(places, layers.Dense(1, use_bias=False)(last)[:, 0])


# %% slideshow={"slide_type": "skip"}
def gradient_by_distance(kind, draws=5, length=101):
    """Mean norm of the output's gradient at each word, the last one first: (length,)."""
    norms = []
    for draw in range(draws):
        keras.utils.set_random_seed(draw)
        model = reader(kind, length=length)
        loop = model.get_layer("loop")
        if kind == "LSTM, forget bias 4":
            W, U, b = loop.get_weights()
            b[64:128] = 4.0
            loop.set_weights([W, U, b])
        model.compile(keras.optimizers.SGD(1e6), lambda truth, output: ops.sum(output))
        words = model.get_layer("words")
        before = words.get_weights()[0]
        model.train_on_batch(np.arange(length)[None], np.zeros((1, 1)))
        moved = before - words.get_weights()[0]
        norms.append(np.linalg.norm(moved, axis=1)[::-1] / 1e6)
    return np.mean(norms, axis=0)


# %% slideshow={"slide_type": "skip"}
DISTANCES = (0, 1, 2, 5, 10, 20, 50, 100)
READERS = ("SimpleRNN", "GRU", "LSTM", "LSTM, forget bias 4", "GRU and attention")
if session.profile == "full":
    rows = []
    for kind in READERS:
        norms = gradient_by_distance(kind)
        rows.append({"reader": kind, **{f"{k}": norms[k] / norms[0] for k in DISTANCES}})
    note = (
        "norm of the last output's gradient at the word so many steps back, over that at the "
        "last word; fresh networks of 64 units, mean of 5 draws"
    )
    cu.results.record_table(LECTURE, "reference-window", rows, note)
windows = cu.results.load_table(LECTURE, "reference-window")

# %% [markdown] slideshow={"slide_type": "skip"}
# How to read a gradient off Keras on any backend: the words' vectors are rows of an embedding,
# each used once, and one step of plain SGD moves each row by minus the rate times its gradient.
# The rate of a million keeps small gradients above what a difference of two numbers of 32 bits
# can show.

# %% [markdown] slideshow={"slide_type": "notes"}
# Ask for a sketch before the figure: distance to the right, gradient upwards, logarithmic; a
# line for the simple loop, one for the LSTM, one for attention. Remind them of lecture 3: gates
# brought little *before* training. Most draw the LSTM far above. Then the next slide.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Recorded: gradient by distance, fresh networks

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
figure, axis = cu.plotting.figure(9, 3.6)
said = []
for row in windows:
    reach = [row[f"{k}"] for k in DISTANCES[1:]]
    axis.loglog(DISTANCES[1:], reach, marker="o", markersize=4, label=row["reader"])
    said.append(f"{row['reader']} {row['10']:.0e} at 10 and {row['100']:.0e} at 100 steps")
axis.set_xticks(DISTANCES[1:], DISTANCES[1:])
axis.minorticks_off()
axis.set(xlabel="words back", ylabel="gradient, last word = 1", ylim=(1e-8, 3))
axis.legend(fontsize=9)
alt = "Gradient of the last output at a word against its distance, logarithmic: "
cu.plotting.show(figure, alt + "; ".join(said) + ".")

# %% [markdown] slideshow={"slide_type": "-"}
# Through a fresh loop the gradient falls with every step, unless a gate is set to hold it;
# through attention it takes **one** step to any word, however far.

# %% [markdown] slideshow={"slide_type": "skip"}
# Fresh networks on random words, so this shows what the *architecture* passes on, not what
# training makes of it. As in lecture 3, gates alone bring little: the GRU falls like the simple
# loop, even a little faster, and the LSTM slower, for its forget gate starts at σ(1) = 0.73. A
# forget bias of 4, σ(4) = 0.98, such as a memory may learn, holds a third of the gradient over
# fifty words. That this line rises at the end has to do with the beginning of the sequence, not
# with the distance: at its first words, here 100 steps back, the cell is still empty and the
# gates far from their limits. With 151 words the rise stands at 150.
#
# With attention the line goes flat, at about two hundredths: a fresh softmax spreads itself
# almost evenly over 101 states, a hundredth each, and a word stands in its own state and,
# fading, in the few behind it. Trained weights gather on one word, as in the maps, and it then
# gets nearly all. The way is what counts: one step from the output to any state. What that
# state knows of the words *before* it has still come through the loop. Lecture 6 removes this
# rest, and adds its own line to the figure.

# %% [markdown] slideshow={"slide_type": "notes"}
# First the surprise: who drew the GRU beneath the simple loop? Then the flat line. *Why does it
# fall first?* Up to five words or so the loop's own path is the larger part; behind that only
# attention is left. *Why two hundredths?* A hundred states share the weight, and each word is
# in two or three of them. Then: *what would training do to this line?* Bend it up at the word
# that is needed.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Real pairs: English and French from Tatoeba
#
# | | |
# | --- | --- |
# | pairs | sentences of volunteers, with punctuation; several translations of one are common |
# | split | by source sentence: none in two parts |
# | words | the most frequent ones of each language; all others are `<unknown>` |
# | training | as before, other sizes; best of the epochs by validation loss |
# | measured | BLEU against *all* known translations, by length; exact match |

# %% [markdown] slideshow={"slide_type": "skip"}
# The archive is one of *manythings.org*'s, made from the Tatoeba project; the loader fetches it
# where it is missing. It has several editions, so the one used is printed and recorded;
# `source="spanish"` takes Spanish in place of French, one edition, checked by its checksum. In
# the quick profile nothing of it is needed: the figures below were recorded, and the sentences
# of this lecture are its own.
#
# Most real sentences are short: half of the different English ones have six words or fewer.
# That is where the plain network loses least, so an average over a real set *hides* what this
# lecture is about. The test set therefore holds more long sentences, by share, than the
# training set. Words are counted with punctuation marks here.

# %% slideshow={"slide_type": "skip"}
REAL = {
    "pairs": 80_000,
    "vocab_size": 6_000,
    "embed_dim": 96,
    "units": 128,
    "learning_rate": 5e-3,
    "bias": "log frequencies",
    "epochs": 3,
    "max_length": 40,
}
REAL_BINS = ((1, 5), (6, 9), (10, 14), (15, 25))


def train_on_real_pairs(name, source="french", direction="from_english"):
    """Train and record a translator on real pairs; the test set is read once, at the end."""
    words = {"source_vocab_size": REAL["vocab_size"], "target_vocab_size": REAL["vocab_size"]}
    real = cu.data.load_pairs(source, direction, **words, max_pairs=REAL["pairs"])
    train_and_record(name, real, REAL, REAL_BINS, patience=REAL["epochs"])


for name in session.pick(quick=[], full=["plain", "bahdanau", "dot"]):
    train_on_real_pairs(name)

# %% [markdown] slideshow={"slide_type": "notes"}
# Say what is different from our own pairs: punctuation, names, words that come once. And that
# one sentence has many right translations, so that exact match is harsh and BLEU counts what
# any of the known translations has. *Which lengths will show the gain?* By now they know.

# %% slideshow={"slide_type": "skip"}
FEW = {"pairs": 25_600, "epochs": 1}  # 400 batches
STARTS = {"zeros": "zeros", "frequencies": "log frequencies"}


def saturated(model, split, rows=200):
    """The share of the numbers of ã that lie within 0.05 of an end of the tanh, ±1."""
    source, target = split.inputs["source"][:rows], split.inputs["target"][:rows]
    encoded, last, mask = model.encode(source)
    states = model.decoder(model.target_embedding(target), initial_state=last)[0]
    found = np.abs(ops.convert_to_numpy(model.attend(states, encoded, mask)))
    return (found[split.targets[:rows] != 0] > 0.95).mean()


# %% slideshow={"slide_type": "skip"}
def first_batches(name, start):
    """Train a translator for 400 batches from this bias, and record where it stands."""
    words = {"source_vocab_size": REAL["vocab_size"], "target_vocab_size": REAL["vocab_size"]}
    some = cu.data.load_pairs("french", **words, max_pairs=FEW["pairs"])
    settings = REAL | FEW | {"bias": STARTS[start]}
    model, run = train(name, some, settings)
    found = {"saturated": saturated(model, some.val)} if model.attention else {}
    run.record(LECTURE, f"{name}_{start}", "first_400_batches", settings, **found)


for name in session.pick(quick=[], full=["plain", "dot"]):
    for start in STARTS:
        first_batches(name, start)

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### First, attention was worse than none
#
# Six thousand French words in place of 126. After 400 batches, recorded, three seeds (range):

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
rows = []
for name in ("plain", "dot"):
    for start, label in STARTS.items():
        runs = runs_of(f"{name}_{start}", "first_400_batches")
        row = {"network": titles[name], "output bias starts at": label}
        for metric, title in {"val_loss": "loss", "saturated": "ã beyond ±0.95"}.items():
            found = [run["metrics"][metric] for run in runs if metric in run["metrics"]]
            span = (
                f"{np.mean(found):.2f} ({min(found):.2f} to {max(found):.2f})"
                if found
                else None
            )
            row[title] = span
        rows.append(row)
cu.results.Table(rows)

# %% [markdown] slideshow={"slide_type": "-"}
# A network first learns how **often** each word comes. Where can it write that down?

# %% [markdown] slideshow={"slide_type": "skip"}
# Its proper place is the bias of the last layer: with $b = \log$ of the frequencies and no
# other input, the softmax says exactly these frequencies. But all weights learn at once, and
# the same constant can be had from $\tilde a$: push some of its numbers to an end of their
# tanh, whatever was read, and let the last layer's weights take the frequencies from there. At
# its ends a tanh is flat. Its slope is $1 - \tilde a^2$, at 0.95 less than a tenth; so what
# should be learned next, where to look, gets hardly any gradient through these numbers. The
# plain network has no such layer between its states and the words.
#
# The remedy costs one line: start the bias where it would go anyway.
# `cu.translation.log_frequencies` counts the training targets. All networks of the next table,
# and lecture 6's, start from there. In general: if a loss stands still near what frequencies
# alone would give, ask where the network has put the frequencies.

# %% slideshow={"slide_type": "skip"} shows="course_utils.translation.log_frequencies"
# filled by the build

# %% [markdown] slideshow={"slide_type": "notes"}
# This happened while the course was made, and went nearly into the table as "Luong's score does
# not work on real text". *What would you have tried?* A smaller rate, another score, dividing
# by the root of d: none of them helped. What helped the detective was one look at ã: most of
# its numbers stood at plus or minus one, whatever the sentence. Then ask why the plain network
# did not have the trouble, and why our own pairs did not show it: 126 words, not 6,000.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Recorded on real pairs

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
REAL_NAME = "tatoeba_french"
real_columns = {f"bleu {low}–{high}": f"{low}–{high}" for low, high in REAL_BINS}
recorded(titles, {"bleu": "BLEU, all"} | real_columns, REAL_NAME, digits=1)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
real_measures = {
    "exact_match": "exact match",
    "beam_exact_match": "exact match, 4 beams",
    "next_word": "next word, true words before",
}
recorded(titles, real_measures, REAL_NAME)

# %% [markdown] slideshow={"slide_type": "-"}
# Every row falls with length. Divide its last figure by its first: how much is left?

# %% [markdown] slideshow={"slide_type": "skip"}
# Those that may look lead in the short sentences, too: even five words are hard to hand over in
# one vector when there are six thousand to choose from. It is not the number of weights. The
# dot score adds 32,768 to two million, Bahdanau's wiring 850,000, most of them in its last
# layer, which reads $[s_t; c_t]$; and their rows lie close together. All networks had three
# epochs; none of these rows is finished with learning. And mind what BLEU hides: nearly thirty
# sounds good, and fewer than one sentence in ten is word for word a known translation.

# %% [markdown] slideshow={"slide_type": "notes"}
# Read along the first row, then down the columns: *how much of its BLEU does the last state
# keep from the shortest sentences to the longest? How much do those that may look?* Then: *what
# limits all of the rows alike?* Three epochs, the unknown words, the size of the training part,
# and the references: a right translation that nobody has entered counts as wrong.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 05.1 · The dot score by hand
#
# `states` (T, d) are the decoder's, `encoded` (S, d) the encoder's. Return `(weights,
# contexts)`: (T, S) and (T, d).

# %% builds="course_utils.lectures.lecture_05.dot_attention" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
dot_attention = cu.exercises.use("05.1", dot_attention)

# %% [markdown] slideshow={"slide_type": "notes"}
# Three minutes. The two usual mistakes: the softmax over the wrong axis, so that the *source*
# words' weights add up over the written ones; and averaging the queries. Both have shapes that
# look right whenever S equals T, so ask for a test with S ≠ T.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 05.2 · No weight for pads
#
# `scores` (batch, T, S), `mask` (batch, S), True where a source word is real. Return the
# weights: 0 at pads, and each row adds up to 1.

# %% builds="course_utils.lectures.lecture_05.masked_weights" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
masked_weights = cu.exercises.use("05.2", masked_weights)

# %% [markdown] slideshow={"slide_type": "notes"}
# The check uses large scores, so that an exponential without the maximum taken off overflows.
# Masking after the softmax leaves rows that add up to less than 1: the context shrinks with the
# number of pads, silently. In 16 bits −10⁹ is −∞ as well, and a row of nothing but pads becomes
# NaN; the library's `masked_softmax` says what it does then.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 05.3 · The loss of real words
#
# `logits` (batch, T, words), `targets` (batch, T), 0 behind the sentence. Return the mean
# cross-entropy over the real targets, one number; `<eos>` is one of them.

# %% builds="course_utils.lectures.lecture_05.masked_loss" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
masked_loss = cu.exercises.use("05.3", masked_loss)

# %% [markdown] slideshow={"slide_type": "notes"}
# Four figures are plausible and wrong: divided by all positions; the mean of the sentences'
# means, which weighs a short sentence's words more; the sum; and a loss without `<eos>`, with
# which no sentence ever ends. Ask what each would do to training.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 05.4 · The general score
#
# $\text{score}(s_t, h_s) = s_t \cdot (W h_s)$ in rows: `query` (…, T, d), the decoder's states,
# `keys` (…, S, e), the encoder's, and `W` (d, e). Return all scores, (…, T, S), before the
# softmax. The dots stand for a batch, or for nothing.

# %% builds="course_utils.lectures.lecture_05.general_score" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
general_score = cu.exercises.use("05.4", general_score)

# %% [markdown] slideshow={"slide_type": "notes"}
# With d = e a transposed W raises no error, and a network *trained* with it works as well: it
# learns the transposed matrix. It fails the day weights are moved from one program to another.
# A bias on $W h$ would shift all of a row's scores by $s \cdot b$, which the softmax forgets.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 05.5 · Decode
#
# `step(token, state)` returns `(logits, state)`: logits (words,) for the next word. Begin with
# `<sos>` (2) and `state`; return the list of at most `max_length` word ids, **without** `<sos>`
# and `<eos>` (3).

# %% builds="course_utils.lectures.lecture_05.decode" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
decode = cu.exercises.use("05.5", decode)

# %% [markdown] slideshow={"slide_type": "notes"}
# The check hands over models that nobody would train: one that never says `<eos>`, one that
# says it at once, one whose answer depends on the state. Whoever wrote `while token != 3` finds
# out here, and not in front of a user.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Summary
#
# - pairs: target in with `<sos>`, target out with `<eos>`, shifted by one: teacher forcing
# - loss over real words; decoding bounded; figures **by length**
# - one last state carries short sentences, and loses long ones
# - attention: score, softmax over the source, mean: $c_t = \sum_s \alpha_{ts} h_s$
# - dot, general, concat = additive; look then step, or step then look
# - a weight says where it looked, not why; next-word accuracy is not translation

# %% [markdown] slideshow={"slide_type": "skip"}
# **What changed since lecture 4.** There, everything that was read ended in one vector, and the
# vector in one verdict. Here nothing is summed up beforehand: the states are kept, and each
# word that is written makes its own summary.
#
# **What comes next.** The gradient's way to any source word is now one step long, and yet both
# GRUs still walk, word by word, each step waiting for the last. If attention can bring any word
# to any other, what are they still for? Lecture 6 leaves them out.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Papers
#
# - Williams and Zipser (1989), *A learning algorithm for continually running fully recurrent
#   neural networks*: teacher forcing
# - Papineni and others (2002), *BLEU*; Post (2018), *A call for clarity in reporting BLEU*
# - Cho and others (2014), *Learning phrase representations using RNN encoder–decoder*
# - Sutskever, Vinyals and Le (2014), *Sequence to sequence learning with neural networks*
# - Bahdanau, Cho and Bengio (2015), *Neural machine translation by jointly learning to align
#   and translate*
# - Luong, Pham and Manning (2015), *Effective approaches to attention-based neural machine
#   translation*
# - Wu and others (2016), *Google's neural machine translation system*: beam search in use
# - Jain and Wallace (2019), *Attention is not explanation*; Wiegreffe and Pinter (2019),
#   *Attention is not not explanation*

# %% [markdown] slideshow={"slide_type": "notes"}
# Close with the sentence of the beginning, on the board this time, and have the room translate
# it word by word. *What did your eyes do at each word?* That is α. Then ask: if the eyes may go
# anywhere at any time, does it matter that you once read the sentence from left to right?
