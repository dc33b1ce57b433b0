# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   title: "Lab: picture in, digits out"
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] slideshow={"slide_type": "slide"} tags=["title"]
# # Lab: picture in, digits out
#
# **Lab 7b** · a Vision Transformer reads, lecture 6's decoder writes
#
# *Translation, from the language of patches.*

# %% [markdown] slideshow={"slide_type": "notes"}
# Hold up a sheet with four handwritten digits, two above two, and ask somebody to read it
# aloud. Then ask the others: *where did you look while the third digit was said? Who told you
# the order?* Today a network learns both from nothing but pictures and the digits written on
# them: nobody ever tells it where a digit stands.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What you will be able to do
#
# 1. join an encoder for pictures to a decoder for text, and say what is new
# 2. train it end to end by **teacher forcing**, and judge it by **greedy decoding**
# 3. choose the right figure: exact match, digit accuracy, digit error rate
# 4. draw **cross-attention** on the picture, step by step, and test what it claims
# 5. make the same code write **captions**

# %% [markdown] slideshow={"slide_type": "skip"}
# **You need** lecture 7 (patches, the Vision Transformer) and lecture 6 (the decoder, its
# cross-attention and its cache); lecture 5's translators return as captioners. **It takes**
# about ninety minutes to read. Running it takes about a minute in the quick profile, on any
# laptop: one network trains live, on digits that come with scikit-learn. The full profile
# trains all that the tables show, which wants a GPU or patience.
#
# A cell that begins with the name of a file holds that file's code, letter for letter: change
# it here, and the cells below use your version. (The two cells that hold a single `encode` are
# for reading: to change it, change it in its class.)

# %% [markdown] slideshow={"slide_type": "notes"}
# It is a lab: the pieces are known, the joining is new. Point at the third line. Somebody will
# report "97 %" at the end of the day; by then everybody in the room should ask "97 % of what?".

# %% slideshow={"slide_type": "skip"} name="start"
import course_utils as cu

session = cu.start(seed=0)  # before Keras is imported, so that its backend starts quietly
LECTURE = "07b_lab_image_to_text"

import keras
import numpy as np
from keras import layers, ops

from course_utils import data, decoding, translation
from course_utils.data.base import one_of, whole_number
from course_utils.data.images import check_images, patch_grid, sides
from course_utils.layers import LuongAttention

# %% slideshow={"slide_type": "skip"}
from course_utils.layers.transformer import (
    LearnedPositions,
    SinusoidalPositions,
    TransformerDecoderBlock,
    TransformerEncoderBlock,
    new_norm,
)
from course_utils.layers.vision import PatchEmbedding
from course_utils.lectures.lecture_05 import softmax
from course_utils.lectures.lecture_06 import multi_head
from course_utils.lectures.lecture_07b import (
    COLOURS,
    SHAPES,
    caption_settings,
    draw_maps,
    edit_table,
    error_rate,
    heatmap,
    load_canvases,
    load_shapes,
    make_canvases,
    overlay,
    scaled,
    teacher_forced,
    weights_by_cell,
)
from course_utils.models.recurrent import ATTENTIONS, BahdanauDecoder, RecurrentTranslator
from course_utils.models.transformer import Transformer, token_embedding


# %% slideshow={"slide_type": "skip"}
def runs_of(name, dataset):
    """The recorded runs of a model, one a seed; none where nothing is recorded."""
    return [run for run in cu.results.load(LECTURE, dataset=dataset) if run["model"] == name]


def spread(values, digits=3):
    """The mean, and the range where the seeds differ; nothing where nothing is recorded."""
    if not values:
        return None
    ends = [f"{end(values):.{digits}f}" for end in (min, max)]
    return f"{np.mean(values):.{digits}f}" + (
        f" ({ends[0]} to {ends[1]})" if len(set(ends)) > 1 else ""
    )


def recorded(titles, columns, dataset):
    """The recorded runs as a table, a row a model: mean of the seeds, and range."""
    rows = []
    for name, title in titles.items():
        metrics = [run["metrics"] for run in runs_of(name, dataset)]
        found = {text: spread([m[key] for m in metrics]) for key, text in columns.items()}
        rows.append({"reader": title} | found)
    return cu.results.Table(rows)


# %% [markdown] slideshow={"slide_type": "slide"}
# ## Where lecture 7 stops: it answers once

# %% slideshow={"slide_type": "skip"}
canvases = load_canvases(count=6_400)
vocabulary = canvases.vocabulary
test = canvases.test


# %% slideshow={"slide_type": "-"} tags=["hide-input"]
answers = test.columns["answer"][:5]
alt = "Five canvases, each with two handwritten digits above two others. They read: "
images = test.inputs["image"][:5]
cu.plotting.show_images(images, answers, alt + "; ".join(answers) + ".", 2.0, 2.4)

# %% [markdown] slideshow={"slide_type": "-"}
# One class for each answer? Four digits have $10^4 = 10{,}000$ of them, nine have $10^9$, and
# the weights of the class *3 1 4 1* are of no use to *3 1 4 2*.

# %% [markdown] slideshow={"slide_type": "skip"}
# A classifier has a row of weights for each class, and learns a class from its examples. How
# many of the test's answers has it met at all, if it trains on 6,400 canvases? Count, for
# canvases of 1, 2 × 2 and 3 × 3 cells:

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
digits = cu.data.load_digits()
for grid in (1, 2, 3):
    made = [
        make_canvases(part.inputs, part.targets, count, grid=grid)[1]
        for part, count in ((digits.train, 6_400), (digits.test, 1_000))
    ]
    known = np.isin(made[1], made[0]).mean()
    print(f"{10 ** (grid**2):13,} classes; share of the test's answers met before: {known:.3f}")

# %% [markdown] slideshow={"slide_type": "skip"}
# *Four heads of ten classes each* would be a fair idea for four digits. It stops where the
# number of digits is not known beforehand, and it cannot write a sentence. What writes any
# number of words, each from a small vocabulary, is a **decoder**; we have had one since lecture
# 5.

# %% [markdown] slideshow={"slide_type": "notes"}
# Ask for the number of classes first, then how many canvases one would need to see each of them
# ten times. Somebody will propose four classifiers side by side, or cutting the picture into
# four. Both work here. *And if it holds one to four digits, anywhere? Or if the answer is a
# sentence?* Later today, both.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The idea: patches are a sentence

# %% slideshow={"slide_type": "-"}
cu.figures.show("07b_model")

# %% [markdown] slideshow={"slide_type": "skip"}
# Lecture 7 ended its Vision Transformer with a head: the mean of all tokens, or a class token,
# and a layer with a score for each class. Cut the head off. What remains is a sequence of
# vectors, one for each patch, just as lecture 6's encoder left one for each word. The decoder
# never asked what its source was made of. It compares queries with keys; whether these came
# from words or from ink is all the same to it.
#
# So the decoder stays as it is, block for block: causal self-attention over what has been
# written, cross-attention into the **memory**, the encoder's output, a feed-forward network.
# In lecture 6's letters: the canvas gives $S$ memory vectors, and $T$ tokens are written.

# %% [markdown] slideshow={"slide_type": "notes"}
# Cover the left half: what remains is lecture 6's picture. Cover the right: lecture 7 without
# its head. *What passes between them?* Sixteen vectors of 64 numbers; not one, as in lecture
# 5's first network, and not a verdict. Then: *does the decoder know that it looks at a
# picture?* It does not, and it need not.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Teacher forcing, as before: one row twice, a step apart

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
row = {"ids, read": test.inputs["ids"][0], "targets, written": test.targets[0]}
print("canvas", test.inputs["image"].shape[1:], "says", test.columns["answer"][0])
for name, ids in row.items():
    print(f"{name:17}{ids}   {vocabulary.decode(ids)}")
print(len(vocabulary), "words:", " ".join(vocabulary.words))

# %% [markdown] slideshow={"slide_type": "-"}
# Four digits and an end: **five** targets. Nothing says *where* on the canvas a digit stands.

# %% [markdown] slideshow={"slide_type": "skip"}
# The ids 0 to 3 are those of the translating lectures, `<pad>`, `<unknown>`, `<sos>` and
# `<eos>`, so that lecture 5's and 6's functions for decoding work on pictures without a change
# of a line. The digits follow: "7" has the id 11.

# %% [markdown] slideshow={"slide_type": "notes"}
# The same question as in lecture 5: at each column, what should come out? *Which of the two
# rows does the network see when a user brings a picture?* Neither. Exercise 1 makes the rows,
# for texts of different lengths. The trap is where the end sign goes.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### New canvases are not enough: split the **digits** first
#
# | how the test is made | the test's canvases | the test's digits |
# | --- | --- | --- |
# | compose 20,000 canvases, set 1,000 aside | never seen | **all seen in training** |
# | set 397 digits aside, compose the test of them | never seen | never seen |
#
# Every figure of this lab is about the second kind, unless its row says otherwise.

# %% [markdown] slideshow={"slide_type": "skip"}
# With 1,200 digits there are $1200^4$, two million million, canvases of four. Set a thousand of
# those aside and none of them was ever trained on, and still every single digit was, many
# times. Such a test asks whether the network can read digits that it knows by heart, in a new
# arrangement. `load_canvases` cuts the digits first, and makes the canvases of each part from
# its own digits. After the run we measure how much the other way would have flattered us.

# %% [markdown] slideshow={"slide_type": "notes"}
# Ask the room to find the mistake in the first row before you say it: the canvases are new,
# what more does one want? This leak is common wherever examples are composed: sentence pairs
# that share a sentence, patches of one photograph, windows of one series (lab 3b had it).

# %% [markdown] slideshow={"slide_type": "slide"}
# ## First, the slides' way: a convnet, then words

# %% slideshow={"slide_type": "-"}
cu.figures.show("07b_captioners")

# %% [markdown] slideshow={"slide_type": "skip"}
# This is how captions were first written by networks. **Show and tell** (Vinyals and others,
# 2015): a convnet makes one vector of the picture, and the recurrent decoder gets it once,
# before the first word (there as an input, in ours as its first state). **Show, attend and
# tell** (Xu and others, 2015): the last feature map is kept, each of its places is a vector,
# and the decoder looks at them before every step, with Bahdanau's score. In lecture 5's words:
# the last state alone, and attention; only that the states come from places now and not from
# words.
#
# Ours has two convolutions, each with a pooling, and lecture 5's decoder. A canvas of 16 × 16
# pixels becomes a map of 4 × 4 places with 64 channels.

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_07b.check_size"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_07b.ConvnetToText"
# filled by the build

# %% [markdown] slideshow={"slide_type": "notes"}
# Lecture 5's two pictures once more: the arrow through one vector, and the weights over all
# states. *Which of the two do you expect to fail, and on what?* On long answers, says lecture
# 5. Is four digits long? Collect votes; a table with four and with nine digits comes later.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Only the reading is new

# %% slideshow={"slide_type": "-"} shows="course_utils.lectures.lecture_07b.ConvnetToText.encode"
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
side, words, steps = 16, len(vocabulary), test.targets.shape[1]
convnet_reader = ConvnetToText(side, 1, words, attention="bahdanau")
few = {name: array[:3] for name, array in test.inputs.items()}
print(f"{encode.__name__:7} is new; logits", tuple(convnet_reader(few).shape))
for name in ("decode", "start", "step"):
    same = getattr(ConvnetToText, name) is getattr(RecurrentTranslator, name)
    print(f"{name:7} is lecture 5's: {same}")

# %% [markdown] slideshow={"slide_type": "notes"}
# Read the method from above: convolve, pool, twice; then twice the same map. All places
# together make the first state; each place alone is a state to look at. *Where is the order of
# the places kept?* In the first state, because a Dense layer over the flattened map has weights
# for each place. In the looked-at states: only as far as the convolutions have felt the rim.
# That is worth a discussion.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Cross-attention over a grid, in NumPy
#
# Three steps of writing look at a canvas of $4 \times 4$ patches, $d = 8$ numbers each

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
generator = np.random.default_rng(0)
memory = generator.normal(size=(16, 8))  # S patches, as the encoder leaves them
queries = generator.normal(size=(3, 8))  # T steps of the decoder
scores = queries @ memory.T / 8**0.5
weights = softmax(scores)
found = weights @ memory
maps = weights.reshape(3, 4, 4)
print("scores", scores.shape, " found", found.shape, " maps", maps.shape)
print("each step's weights add up to", weights.sum(axis=-1))

# %% [markdown] slideshow={"slide_type": "-"}
# Patches stand row by row, so a row of $S$ weights folds back into a **picture**: the map.

# %% [markdown] slideshow={"slide_type": "skip"}
# It is lecture 6's formula, $\text{softmax}(QK^\top / \sqrt{d})\,V$, with one head, and with
# the memory itself as keys and values. The scores have a row for each written token and a
# column for each patch; the softmax runs over the patches. In the model there is an axis for
# the batch and one for the heads in front: (batch, heads, T, S).
#
# Which masks are there? The **causal** mask belongs to the decoder's self-attention: a step
# must not see the digits behind it. Cross-attention has no such mask, each step may look at the
# whole picture; and no padding mask either, for every patch of a canvas is real.

# %% [markdown] slideshow={"slide_type": "notes"}
# Ask for each shape before you show the output. *Over which axis does the softmax go?* The
# patches. *Why is there no mask?* Every patch is there at every step; only what has been
# *written* must be hidden. A mask on the picture would forbid step 1 to look at the last cell,
# which is a mistake that trains without an error.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The same in Keras: lecture 6's decoder, a new `encode`

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_07b.ImageToText"
# filled by the build

# %% slideshow={"slide_type": "-"} shows="course_utils.lectures.lecture_07b.ImageToText.encode"
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
with cu.full_precision():
    reader = ImageToText(side, 1, words, max_length=steps)
print("logits", tuple(reader(few).shape))
for name in ("embed", "logits", "start", "step", "alignment"):
    print(f"{name:9} is lecture 6's:", getattr(ImageToText, name) is getattr(Transformer, name))

# %% [markdown] slideshow={"slide_type": "skip"}
# `ImageToText` has lecture 7's encoder: patches, learned positions, blocks with GELU. Its
# decoder has the same blocks under the same names as lecture 6's `Transformer`, so the methods
# that were written for translating work here as they are, the cache included. `encode` returns
# the memory and a mask; the mask is `None`, since no patch is a pad.

# %% [markdown] slideshow={"slide_type": "notes"}
# This is the slide of the day: eight lines are new. Have somebody name what each of
# lecture 6's methods does: embed the words, score the vocabulary, begin with a cache, do one
# step, say where it looked. *What would you change to read sound?* `encode`.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Equal, by weight transfer

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
block = reader.decoder[0]
with cu.full_precision():
    memory = ops.convert_to_numpy(reader.encode(few["image"])[0])
    written = generator.normal(size=(3, 5, 64)).astype("float32")
    theirs, alpha = block.cross_attention(written, memory, return_attention_scores=True)
transferred = block.cross_attention.get_weights()  # W_Q, b_Q, W_K, b_K, W_V, b_V, W_O, b_O
ours, ours_alpha = multi_head(written, memory, transferred, num_heads=4)
gap = max(np.abs(ours - theirs).max(), np.abs(ours_alpha - alpha).max())
print("memory", memory.shape, " α", tuple(alpha.shape), " equal within 1e-5:", gap < 1e-5)

# %% [markdown] slideshow={"slide_type": "skip"}
# Lecture 6's NumPy function, with the weights of this decoder and the memory of this encoder.
# Two more equalities have to hold before we train anything; the first is lecture 6's, the
# second is worth a thought.
#
# - **No step sees later digits.** Change token 3, and the logits of tokens 0 to 2 stay.
# - **With the cache or without, the same is written.**

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
changed = few | {"ids": few["ids"].copy()}
changed["ids"][:, 3] = 4 + (few["ids"][:, 3] - 3) % 10
before, after = (ops.convert_to_numpy(reader(given)) for given in (few, changed))
print("earlier logits moved by", np.abs(before[:, :3] - after[:, :3]).max())
print("later ones moved:", np.abs(before[:, 3:] - after[:, 3:]).max() > 1e-3)
state = reader.start(few["image"], steps)
gap = 0.0
for place in range(steps):
    logits, state = reader.step(few["ids"][:, place], place, state)
    gap = max(gap, np.abs(ops.convert_to_numpy(logits) - before[:, place]).max())
print("one token at a time, equal within 1e-5:", gap < 1e-5)

# %% [markdown] slideshow={"slide_type": "notes"}
# The order of the weights is that of lecture 6. Point at the shape of α: three canvases, four
# heads, five steps, sixteen patches. *Which of these axes will the pictures later today fold
# into a square?* The last.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### What it weighs

# %% slideshow={"slide_type": "-"} tags=["hide-input", "nbval-check-output"]
parts = {
    "patches to tokens, 4·4·64 + 64": reader.patches.count_params(),
    "positions of 16 patches": reader.places.count_params(),
    "encoder, two blocks and a norm": sum(
        part.count_params() for part in (*reader.encoder, reader.encoder_norm)
    ),
    "embedding of 14 words": reader.target_embedding.count_params(),
    "decoder, one block and a norm": sum(
        part.count_params() for part in (*reader.decoder, reader.decoder_norm)
    ),
    "logits of 14 words": reader.to_words.count_params(),
}
parts |= {
    "all of it": reader.count_params(),
    "the convnet reader": convnet_reader.count_params(),
}
cu.results.Table([{"part": name, "parameters": count} for name, count in parts.items()])

# %% [markdown] slideshow={"slide_type": "notes"}
# *Why has the decoder's one block so much more than half of the encoder's two?* Two attentions
# instead of one. Check a line: 14 words of 64 numbers are 896. The convnet reader is more than
# two and a half times as large: whoever wants to explain its results by too few weights has to
# look elsewhere.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Predict before you run
#
# 1,200 steps of 64 canvases (full profile: 3,000), made of 1,200 digits; test canvases of
# digits never trained on.
#
# 1. How many of the **digits** will be right? How many of the **canvases**?
# 2. Where will step $k$ look?
# 3. And without the positions of the patches?

# %% [markdown] slideshow={"slide_type": "notes"}
# Three guesses in writing. Help with the first: if nine digits in ten are right, and mistakes
# fall independently, how many canvases? $0.9^4 = 0.66$. For the third remind them of lecture 7:
# a set of patches has no order. *What can a reader still get from a set of patches?* Perhaps
# which digits there are; not which comes first.

# %% [markdown] slideshow={"slide_type": "skip"}
# **The training data are drawn, not stored.** Every epoch of 100 steps composes 6,400 new
# canvases from the training digits, each digit shifted by up to a pixel in its cell, as in all
# parts. No canvas comes twice; the digits do, of course, and that is what will be overfitted.


# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_07b.FreshCanvases"
# filled by the build

# %% [markdown] slideshow={"slide_type": "skip"}
# All readers of this lab are trained in the same way, by the settings below: AdamW, a rate that
# rises for 100 steps and then falls along a cosine, gradients clipped to a norm of 1. The loss
# is averaged over real tokens (`ignore_class=0`), which begins to matter where answers differ
# in length.

# %% slideshow={"slide_type": "skip"}
VIT = {"patch": 4, "embed_dim": 64, "num_heads": 4, "mlp_dim": 128, "num_encoder_layers": 2}
LARGER = {"patch": 7, "embed_dim": 96, "num_heads": 4, "mlp_dim": 192, "num_encoder_layers": 3}
FEW = {"source": "digits", "grid": 2, "shift": 1, "scattered": False, "vit": VIT, "turn": 0}
FEW |= {"learning_rate": 2e-3, "steps": session.pick(quick=1_200, full=3_000), "epoch": 100}
MNIST = FEW | {"source": "mnist", "vit": LARGER}
MNIST |= {"learning_rate": 1.5e-3, "steps": 10_000, "epoch": 500}
TASKS = {
    "digits_2x2": FEW,
    "digits_3x3": FEW | {"grid": 3},
    "mnist_2x2": MNIST,
    "mnist_2x2_turned": MNIST | {"turn": 10},
    "mnist_2x2_turned_longer": MNIST | {"turn": 10, "steps": 20_000},
    "scattered": FEW | {"scattered": True, "steps": 12_000, "epoch": 500},
}
WAYS = {
    "": "shifted",
    "_turned": "shifted, turned by up to 10°",
    "_turned_longer": "the same, 20,000 steps",
}
READERS = {
    "conv_gru": "convnet, GRU, one vector",
    "conv_gru_attention": "convnet, GRU, attention",
    "vit_no_positions": "ViT without positions, Transformer",
    "vit": "ViT, Transformer",
}


# %% slideshow={"slide_type": "skip"}
def new_reader(kind, task, side, vocab_size):
    """A fresh reader of one of the `READERS`' kinds."""
    one_of("kind", kind, tuple(READERS))
    length = task["grid"] ** 2 + 1
    if kind.startswith("conv"):
        attention = "bahdanau" if kind == "conv_gru_attention" else None
        return ConvnetToText(side, 1, vocab_size, attention=attention, name=kind)
    positions = "none" if kind == "vit_no_positions" else "learned"
    sizes = task["vit"] | {"max_length": length, "positions": positions}
    return ImageToText(side, 1, vocab_size, **sizes, name=kind)


def compiled(model, steps, learning_rate):
    """The model with its optimizer and its loss of real tokens."""
    learning_rate = cu.schedules.WarmupCosine(learning_rate, steps)
    optimizer = keras.optimizers.AdamW(learning_rate, weight_decay=0.02, clipnorm=1.0)
    entropy = keras.losses.SparseCategoricalCrossentropy
    model.compile(optimizer, entropy(from_logits=True, ignore_class=0))
    return model


# %% [markdown] slideshow={"slide_type": "skip"}
# **Reading by itself.** `cu.decoding.greedy` is lecture 6's loop with the cache: its own tokens
# in, one token out, bounded. `cross_attention` asks where it attends to: the weights, mean of
# the heads. While a reader trains, `DecodingMonitor` lets it read a hundred validation canvases
# after every epoch, and keeps the maps.


# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_07b.read"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_07b.cross_attention"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_07b.mass_on_cell"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_07b.DecodingMonitor"
# filled by the build


# %% slideshow={"slide_type": "skip"}
def data_for(task):
    """Canvases to be judged on, and fresh ones of other digits to train on."""
    canvas = {name: task[name] for name in ("grid", "shift", "scattered")}
    held_out = load_canvases(task["source"], count=64, **canvas)
    if task["source"] == "digits":
        known = cu.data.load_digits()
    else:
        known = cu.data.load_images("mnist", dtype="uint8")
    seed = 1_000 * (1 + session.seed)
    return held_out, FreshCanvases(
        known.train, held_out.vocabulary, task["epoch"], seed, task["turn"], **canvas
    )


def train(kind, task, held_out, fresh):
    """Train a reader from scratch; return it, its run, and what was watched."""
    keras.utils.set_random_seed(session.seed)
    model = new_reader(kind, task, fresh.images.shape[1], len(held_out.vocabulary))
    compiled(model, task["steps"], task["learning_rate"])
    watch = DecodingMonitor(held_out.val.take(slice(100)))
    parts = fresh, held_out.val
    epochs = task["steps"] // task["epoch"]
    options = {"callbacks": [watch], "source": held_out.source}
    return model, cu.training.fit(model, parts, epochs, **options), watch


# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_07b.evaluate"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_07b.exact_on_known_digits"
# filled by the build


# %% slideshow={"slide_type": "skip"}
def train_and_record(kind, name):
    """Train a reader, judge and record it; the test canvases are read once, here."""
    task = TASKS[name]
    held_out, fresh = data_for(task)
    model, run, watch = train(kind, task, held_out, fresh)
    found = evaluate(model, held_out.test, held_out.vocabulary, task["grid"])
    found["exact_known_digits"] = exact_on_known_digits(model, fresh)
    for epoch, exact in enumerate(watch.exact, start=1):
        run.history.setdefault("val_exact", []).append(exact)
        if epoch * task["epoch"] in (200, 500, 1_000):
            found[f"exact_step_{epoch * task['epoch']}"] = exact
    run.record(LECTURE, kind, name, task, **found)
    return model, found, run, watch


def read_grid(kind, grid=2):
    """Canvases of grid × grid small digits, by one of the four readers."""
    return train_and_record(kind, f"digits_{grid}x{grid}")


def read_mnist(way=""):
    """Canvases of 2 × 2 digits of MNIST, 56 × 56 pixels; way: one of `WAYS`."""
    one_of("way", way, tuple(WAYS))
    return train_and_record("vit", "mnist_2x2" + way)


def read_scattered():
    """One to four small digits, anywhere in their cells."""
    return train_and_record("vit", "scattered")


# %% [markdown] slideshow={"slide_type": "slide"}
# ## The run

# %% slideshow={"slide_type": "-"}
reader, found, run, watch = read_grid("vit")

# %% [markdown] slideshow={"slide_type": "skip"}
# The lines are the losses, every 100 steps or so, on canvases of training digits and (`val_`)
# on canvases of others. Within a hundred steps they come down to about $\ln 10 = 2.3$ for each
# of the four digits and nothing for the end sign, whose place is always the same:
# $4/5 \cdot 2.3 = 1.84$. At this point the reader knows that four digits come, and no more.
# From there they go on slowly for a while.

# %% slideshow={"slide_type": "skip"}
if session.profile == "full":
    for kind in READERS:
        for grid in (2, 3):
            if (kind, grid) != ("vit", 2):
                read_grid(kind, grid)

# %% [markdown] slideshow={"slide_type": "notes"}
# Half a minute or so on a laptop; about a third of it goes into compiling. While it runs: *what
# loss has a reader that knows there are four digits, and nothing else?* Four times ln 10 and
# once 0, over five: 1.84. So when the lines show that, it looks as if nothing had been learned.
# Keep the guess, the next slide draws it.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Nothing is read, and then nearly all of it

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
figure, axes = cu.plotting.figure(9.6, 3.5, columns=2)
seen = 100 * np.arange(1, 1 + len(watch.exact))
axes[0].plot(seen, run.history["loss"], label="training digits")
axes[0].plot(seen, run.history["val_loss"], label="other digits")
axes[0].axhline(0.8 * np.log(10), color="#555555", linestyle="--", linewidth=1)
axes[0].annotate("knows only that four come", (seen[-1], 1.9), ha="right", fontsize=9)
axes[0].set(title="loss, teacher forcing", xlabel="step", ylim=(0, 2.4))
axes[0].legend(fontsize=9)
axes[1].plot(seen, watch.exact, color=cu.plotting.COLOURS[2], marker="o", markersize=4)
axes[1].set(title="canvases read without a mistake", xlabel="step", ylim=(0, 1))
ends = {f"step {step}": watch.exact[step // 100 - 1] for step in (200, 500, 1_000, seen[-1])}
alt = "Loss and exact match while training. Exact match on 100 validation canvases: "
alt += ", ".join(f"{step} {share:.2f}" for step, share in ends.items())
loss = f"; training loss from {run.history['loss'][0]:.2f} to {run.history['loss'][-1]:.2f}."
cu.plotting.show(figure, alt + loss)

# %% [markdown] slideshow={"slide_type": "-"}
# First next to nothing, for some hundred steps, then a fall: **which digit** can only be
# learned once it is known **where** to look, and the other way round.

# %% [markdown] slideshow={"slide_type": "skip"}
# A digit's gradient reaches the right patches through the attention weights, and these are
# nearly even at first: a quarter on each cell. So the first digit's loss tells all four cells'
# patches to look like it, and three times in four that is wrong. As soon as one step leans a
# little to one cell, its digit is learned a little better, and this makes leaning pay more.
# A reader without attention has such a beginning, too (the table of four readers): there the
# Dense layer has to find out which of its inputs belong to which step. A beginning in which
# nothing is read is no reason to stop early. It is a reason to look at more than one figure.

# %% [markdown] slideshow={"slide_type": "notes"}
# *If you had stopped at step 300, what would you have concluded?* That it does not work. Many
# projects end there. *How could you have known better?* By the loss: at step 200 it is already
# below the dashed line, while hardly a canvas is read and the maps still lean nowhere on
# average. Exact match is the figure that stands still, so do not judge by it alone. The dashed
# line is worth the time: a loss has to be compared with what knowing nothing gives.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## How good is it? Five figures for one reader

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
measured = {
    "next token, true digits before (teacher forcing)": found["next_token"],
    "digits right, reading by itself": found["digit_accuracy"],
    "that to the fourth power": found["digit_accuracy"] ** 4,
    "exact match: canvases right": found["exact_match"],
    "exact match, new canvases of the training digits": found["exact_known_digits"],
}
cu.results.Table([{"figure": name, "this run": value} for name, value in measured.items()])

# %% slideshow={"slide_type": "skip"} tags=["headline"]
print(
    f"2 × 2 canvases of digits never trained on: {found['exact_match']:.3f} read without a "
    f"mistake, {found['digit_accuracy']:.3f} of the digits; attention on the right cell "
    f"{found['mass']:.2f}"
)

# %% [markdown] slideshow={"slide_type": "-"}
# Mistakes fall nearly independently: exact match is close to the fourth power. The **order** is
# solved; single digits are not.

# %% [markdown] slideshow={"slide_type": "skip"}
# - *"The training loss is low, so it reads."* It reads the digits that it was trained on. The
#   last row shows what a test would have said that composes new canvases of old digits.
# - *"The next-token figure is high, so it reads."* It is measured with the true digits before
#   each step, and it counts the end sign, which is never in doubt here. Digits on a canvas do
#   not depend on each other, so a wrong one does not lead the next astray, and the gap to
#   reading by itself is small. In lecture 5, where words hang on words, it was wide.
# - *"97 % of the digits are right."* Then about 89 % of the canvases are.

# %% [markdown] slideshow={"slide_type": "notes"}
# Let them compare with their guesses, digits first. Then cover the last row and ask for it.
# *Which row would you report of a product?* The fourth, exact match, for a customer reads
# numbers, not digits. Ask for the conversion: postcodes have five digits, account numbers
# twenty. What does 0.98 a digit give there?

# %% [markdown] slideshow={"slide_type": "subslide"} claims=["all(near(recorded(name, 'digits_3x3', 'digit_accuracy').mean() ** 9, recorded(name, 'digits_3x3', 'exact_match').mean(), 0.02) for name in ('conv_gru_attention', 'vit'))"]
# ### ".96 a digit is good"

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
for digit in (0.96, 0.98, 0.9873, 0.999):
    powers = {length: digit**length for length in (4, 9, 20)}
    said = "   ".join(f"{length} digits {power:.3f}" for length, power in powers.items())
    print(f"a digit {digit:<7} all of {said}")

# %% [markdown] slideshow={"slide_type": "-"}
# For 0.95 of the canvases of four, 0.9873 of the digits have to be right; for account numbers
# of twenty, **0.9974**.

# %% [markdown] slideshow={"slide_type": "notes"}
# Have somebody compute the first row in the head: 0.96 squared is about 0.92, and again, about
# 0.85. *Under which assumption?* Independent mistakes. *When are they not?* One writer's hand,
# one bad scan: mistakes come together, and more canvases are right than the power says.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## When lengths differ: edit distance
#
# True: 3 1 4 1. Written: 3 4 1. Place by place only the 3 is right; but **one** digit is
# missing, that is all.

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
true, own = "3141", "341"
heatmap(
    edit_table(own, true),
    ["nothing", *(f"…{digit}" for digit in own)],
    ["nothing", *(f"…{digit}" for digit in true)],
    "Table of edit distances between the beginnings of 3 4 1 (rows) and 3 1 4 1 (columns); the "
    "last cell is 1.",
    title="rows: written, columns: true",
    fmt="%d",
)

# %% [markdown] slideshow={"slide_type": "-"}
# The table turns what was **written** into the **truth**. From above: strike out a written
# digit, +1. From the left: put in a missing one, +1. From above left: keep, or replace, +1.
# **Digit error rate** = all edits ÷ all true digits.

# %% [markdown] slideshow={"slide_type": "skip"}
# This is Levenshtein's distance (1966) by Wagner and Fischer's table (1974). With words for
# digits it is the word error rate by which speech recognition is judged; with characters, the
# figure for handwriting. It can exceed 1, where a reader writes too much. `error_rate` adds up
# the last cells of such tables.

# %% slideshow={"slide_type": "skip"} shows="course_utils.lectures.lecture_07b.edit_table"
# filled by the build

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
for own in ("3 1 4 1", "3 4 1", "3 1 4 1 1", "1 3 1 4", "2 7 1 8"):
    print(f"{own:10} error rate {error_rate([own], ['3 1 4 1']):.2f}")

# %% [markdown] slideshow={"slide_type": "notes"}
# Fill two cells of the table on the board together, then ask for the last. *What is the
# distance of 1 3 1 4 from 3 1 4 1?* Two: one out at the front, one in at the end; place by
# place all four are wrong. *Which figure would you take for canvases of always four digits?*
# Any; it matters with scattered ones.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Where does it look?


# %% slideshow={"slide_type": "skip"}
def in_words(mass):
    """Attention by cell, (steps, cells), as text."""
    rows = [", ".join(f"{part:.2f}" for part in row) for row in mass]
    return "; ".join(f"step {number}: {row}" for number, row in enumerate(rows, start=1))


# %% slideshow={"slide_type": "-"} tags=["hide-input"]
one = {name: array[:1] for name, array in test.inputs.items()}
[own] = read(reader, one["image"], vocabulary, steps)
[maps] = cross_attention(reader, one)
titles = [f"step {k}: {token}" for k, token in enumerate([*own.split(), "<eos>"], start=1)]
alt = f"A canvas of {test.columns['answer'][0]}, read as {own}. Attention to the four cells: "
alt += in_words(weights_by_cell(maps, 2)) + "."
draw_maps(one["image"][0], maps, titles[: len(maps)], alt)

# %% [markdown] slideshow={"slide_type": "-"}
# Step $k$ looks at cell $k$. **No box, no detector, no position was given**: only which digits
# come, and in which order.

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
print(
    f"1,000 test canvases: {found['mass']:.3f} of the attention lies on the step's own cell, "
    f"the largest share in {found['largest']:.3f} of the steps"
)

# %% [markdown] slideshow={"slide_type": "skip"}
# The weights are those of the decoder's only block, mean of its four heads, the true digits
# before each step. A cell has four of the sixteen patches. How the weights of a cell are added
# up is exercise 4.
#
# Where does the last step look, which writes `<eos>`? The end sign always comes fifth, so the
# step needs nothing from the picture, and nothing trains it to look anywhere. A map can be
# drawn for it all the same. Keep that in mind whenever you see a map: the softmax has to put
# its weight somewhere.

# %% [markdown] slideshow={"slide_type": "notes"}
# Let them say aloud what they see, step after step. *How does step 3 know that it is the
# third?* From the position that is added to the written tokens, and from the tokens before it.
# *And how does it find the third cell?* By the positions of the patches, in the keys. Then the
# last map: what does it need from the picture? Nothing; so what does its map mean?

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### The same canvas at steps 200, 500 and 1,000

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
image, answer = watch.split.inputs["image"][0], watch.split.columns["answer"][0]
figure, axes = cu.plotting.figure(6.0, 4.7, columns=4, rows=3)
said = []
for row, step in zip(axes, (200, 500, 1_000), strict=True):
    maps = watch.maps[step // 100 - 1][0][:4]
    for axis, weights, digit in zip(row, maps, answer.split(), strict=True):
        overlay(axis, image, weights)
        axis.set_title(f"true digit {digit}" if step == 200 else "", fontsize=11)
    row[0].set_ylabel(f"step {step:,}")
    said.append(f"step {step}: " + in_words(weights_by_cell(maps, 2)))
alt = f"Attention to the four cells of a canvas of {answer} while training. "
cu.plotting.show(figure, alt + ". ".join(said) + ".")

# %% [markdown] slideshow={"slide_type": "-"}
# Nowhere in particular, then on the own cell: this happens while exact match is still near
# zero.

# %% [markdown] slideshow={"slide_type": "skip"}
# The mass on the right cell, mean over a hundred validation canvases, beside the loss. A fresh
# reader spreads a quarter on each cell:

# %% slideshow={"slide_type": "skip"} tags=["hide-input"]
rows = []
for step in (100, 200, 300, 400, 500, 700, 1_000):
    by_cell = weights_by_cell(watch.maps[step // 100 - 1], 2)[:, :4]
    own = {f"digit {k + 1} on its cell": float(by_cell[:, k, k].mean()) for k in range(4)}
    loss = run.history["val_loss"][step // 100 - 1]
    rows.append({"after step": step} | own | {"validation loss": loss})
cu.results.Table(rows)

# %% [markdown] slideshow={"slide_type": "notes"}
# Read the figure row by row: at first all steps lean to the same cell, and to the wrong one for
# most of them; then each to its own. *Is there one cell that is found first?* It differs from
# seed to seed. The table in the notebook has the figures. The turn comes between steps 200 and
# 400.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Does the map tell the truth? Blank a cell
#
# If step 2 reads only cell 2, then wiping out cell 3 must not change what it writes. The share
# of 300 test canvases in which a step now writes another digit:

# %% slideshow={"slide_type": "skip"}
images = test.inputs["image"][:300]
before = [text.split() for text in read(reader, images, vocabulary, steps)]
changes = np.zeros((4, 4))
for cell in range(4):
    rows, columns = (slice(8 * place, 8 * place + 8) for place in divmod(cell, 2))
    blank = images.copy()
    blank[:, rows, columns] = 0.0
    after = [text.split() for text in read(reader, blank, vocabulary, steps)]
    for step in range(4):
        here = slice(step, step + 1)
        pairs = zip(before, after, strict=True)
        changes[cell, step] = np.mean([old[here] != new[here] for old, new in pairs])

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
places = ["upper left", "upper right", "lower left", "lower right"]
heatmap(
    changes,
    [f"{place} blank" for place in places],
    [f"step {step}" for step in range(1, 5)],
    "Share of canvases in which steps 1 to 4 write another digit when a cell is blank, a row a "
    "cell: " + in_words(changes).replace("step", "cell"),
)

# %% [markdown] slideshow={"slide_type": "skip"} claims=["near(np.sort(recorded('vit', 'digits_3x3', 'largest')), [0.90, 1, 1], 0.005)", "recorded('vit', 'digits_3x3', 'exact_match')[recorded('vit', 'digits_3x3', 'largest').argmin()] > recorded('vit', 'digits_3x3', 'exact_match').mean() - 0.02"]
# The map said where the weights are. This says what the output depends on, which is the claim
# one would like to make. Here they agree, and they need not: the encoder's blocks mix the
# patches before the decoder looks, so a memory vector "at" cell 2 could hold what is in cell 3.
# Within a cell the map misleads already: the patch with all the weight need not hold the ink
# that was read. And in one of three recorded runs with nine digits it misleads across cells:
# one of the nine steps has its largest weight on a cell that is not its own (the own cell has
# it in 0.90 of all steps, in the other two runs in 1.00), and this reader reads no worse than
# the others. Its encoder has carried a digit over. Lecture 5 had such a case, where a right
# adjective looked at its neighbour. Whoever draws a map should blank something, too.

# %% [markdown] slideshow={"slide_type": "notes"}
# Predict the table first: a diagonal? And how large is its entry, if a blank cell makes the
# reader guess? *Not 1:* what it writes for an empty cell is sometimes what stood there. Then
# the entries beside the diagonal: *what would a large one mean?* That a digit is read with the
# help of another cell. The encoder has mixed, within a cell: look again at the maps of steps 1
# and 2, whose weight lies on one patch that is nearly empty. Across cells it has hardly done
# so.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Without the patches' positions

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
sizes = {"max_length": steps} | VIT
swapped = few | {"image": np.roll(few["image"], 8, axis=2)}  # left and right cells exchanged
for positions in ("learned", "none"):
    fresh = ImageToText(side, 1, words, positions=positions, **sizes)
    both = [ops.convert_to_numpy(fresh(given)) for given in (few, swapped)]
    moved = np.abs(both[0] - both[1]).max()
    print(f"positions {positions:8} logits move when the cells change places: {moved > 1e-4}")

# %% [markdown] slideshow={"slide_type": "-"}
# *3 1 4 1* and *1 3 1 4* are then the same picture to it. It can learn **which** digits there
# are, and never their order.

# %% [markdown] slideshow={"slide_type": "skip"}
# The encoder's blocks treat a set of patches: exchange two of them, and the outputs are
# exchanged in the same way (lecture 7). The cross-attention then takes a weighted mean over
# them, and a mean does not know in which order it was taken. So the logits are *equal*, not
# only similar, whatever the weights are. No training can help. What is left to learn is that
# four digits come, and something about which.
#
# The written tokens keep their positions: the step knows that it is the third. It does not know
# which patches are the third cell's.

# %% [markdown] slideshow={"slide_type": "notes"}
# The third prediction. *Which digit would you write first, knowing only the set of four?* One
# of them, at a chance of a quarter or so; so digit accuracy should not be a tenth but something
# above a quarter. The next slide has the recorded figure. *And the convnet, which has no
# positions at all?* It has a rim and, for its first state, a Dense layer that knows each place.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Recorded: four readers, four digits, and nine (three seeds, range)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
figures = {"exact_match": "exact match", "digit_accuracy": "digits", "mass": "on own cell"}
rows = []
for kind, title in READERS.items():
    row = {"reader": title}
    for name, cells in {"digits_2x2": "2×2", "digits_3x3": "3×3"}.items():
        metrics = [run["metrics"] for run in runs_of(kind, name)]
        for key, text in figures.items():
            if (key, cells) != ("mass", "3×3"):
                values = [metric[key] for metric in metrics if key in metric]
                row[f"{text}, {cells}"] = spread(values, 2)
    rows.append(row)
cu.results.Table(rows)

# %% [markdown] slideshow={"slide_type": "-"}
# The same canvases, the same 3,000 steps. At four digits one vector is enough, and even ahead;
# at nine two of its three seeds have read **nothing** yet: lecture 5's lesson, in pictures.

# %% [markdown] slideshow={"slide_type": "skip"} claims=["apart(recorded('conv_gru', 'digits_2x2', 'exact_match'), recorded('conv_gru_attention', 'digits_2x2', 'exact_match'))", "near([recorded(name, 'digits_2x2', 'exact_match').mean() for name in ('conv_gru', 'conv_gru_attention')], [0.94, 0.90], 0.005)", "near(np.sort(recorded('conv_gru', 'digits_3x3', 'exact_match')), [0, 0, 0.5], 0.05)", "apart(recorded('conv_gru_attention', 'digits_3x3', 'exact_match'), recorded('conv_gru', 'digits_3x3', 'exact_match'))", "near(np.sort(recorded('conv_gru', 'digits_3x3', 'val_loss'))[1:], 0.9 * np.log(10), 0.005)"]
# On four digits one vector does well, as lecture 5's plain translator did with short sentences.
# It is even ahead of attention on the same convnet, 0.94 against 0.90, and the seeds' ranges do
# not touch: the Dense layer behind the map has weights for each place, so nothing has to be
# looked for. Nine digits are the longer sentence. Two of three seeds end at a loss of 2.07,
# which is $9/10 \cdot \ln 10$: they know that nine digits come. The third reads half of the
# canvases. Beware of the wrong conclusion, though: whoever stands on a plateau after 3,000
# steps need not stay there for ever. What the table says is how far each gets in the same
# number of steps.
#
# Nor does it rank convnets against Transformers. The readers differ in more than one part and
# in size: at nine digits the ViT reader has 122,638 weights, the convnet with attention
# 483,214. What holds is what is left out of one row and is there in the next: a place to look,
# and positions. Nine digits in a row are also a hard test of single digits: 0.953 of them to
# the ninth power is 0.65, and 0.982 is 0.85, which is what the second and the last row have.

# %% [markdown] slideshow={"slide_type": "notes"} claims=["recorded('vit_no_positions', 'digits_2x2', 'exact_match').max() < 0.05", "near(recorded('vit_no_positions', 'digits_2x2', 'digit_accuracy').mean(), 0.28, 0.01)"]
# Row by row, with the votes from before. *Who had the convnet with one vector as the winner of
# the first columns?* Say it plainly: for a short answer the old way is the best here. *Why
# should one vector do for four digits and not for nine?* Thirteen bits or thirty, both are
# little for 128 numbers; lecture 5 said it already: hard to learn to put in and take out, not
# too small. Then the third row: *is its digit figure what you predicted from a set?* 0.28 at
# four digits: a little above a quarter. A column stays empty where a network has no attention.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Real size: four digits of MNIST
#
# | | |
# | --- | --- |
# | canvas | 56 × 56 pixels; patch 7: 64 tokens, sixteen a digit |
# | digits | 55,000 to train on, shifted by up to a pixel; the test's own 10,000 |
# | reader | 96 wide, three encoder blocks, one decoder block |
# | training | 10,000 steps of 64 fresh canvases (last row: 20,000), rate 0.0015 |

# %% slideshow={"slide_type": "skip"}
for way in session.pick(quick=(), full=WAYS):
    read_mnist(way)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
columns = {
    "exact_match": "exact match",
    "digit_accuracy": "digits",
    "exact_known_digits": "exact match, known digits",
}
rows = []
for way, words in WAYS.items():
    (row,) = recorded({"vit": READERS["vit"]}, columns, "mnist_2x2" + way).rows
    rows.append({"training digits": words} | {name: row[name] for name in columns.values()})
cu.results.Table(rows)

# %% [markdown] slideshow={"slide_type": "-"} claims=["near([0.95 - recorded('vit', f'mnist_2x2{end}', 'exact_match').mean() for end in ('', '_turned')], [0.002, 0.001], 0.0006)"]
# The bar is 0.95 exact, that is 0.9873 a digit (three seeds, range). **Missed by 0.2 points,
# with turned digits by 0.1; met at 0.957 with twice the steps.**

# %% [markdown] slideshow={"slide_type": "skip"} claims=["near([recorded('vit', f'mnist_2x2{end}', 'exact_match').mean() for end in ('', '_turned', '_turned_longer')], [0.948, 0.949, 0.957], 0.0005)", "near([recorded('vit', f'mnist_2x2{end}', 'exact_known_digits').mean() for end in ('', '_turned', '_turned_longer')], [0.985, 0.976, 0.988], 0.001)", "near([recorded('vit', f'mnist_2x2{end}', 'digit_accuracy').mean() ** 4 - recorded('vit', f'mnist_2x2{end}', 'exact_match').mean() for end in ('', '_turned')], 0, 0.005)", "near([recorded('vit', f'mnist_2x2{end}', 'val_loss').mean() for end in ('', '_turned')], [0.046, 0.042], 0.0005)", "recorded('vit', 'mnist_2x2_turned_longer', 'exact_match').min() > 0.95"]
# What is missing to 1 are single digits: the order has been learned, and part of the 55,000
# digits by heart. Canvases of digits that it was trained on are read at 0.985, of new ones at
# 0.948, and the fourth power of the digits' accuracy is nearly that again: mistakes come one at
# a time. What helps against them should be what helps a classifier of single digits. So we
# turned every training digit by up to ten degrees, anew in each epoch (`"turn": 10` in the
# task; the test's digits stay as they are). Less is learned by heart: of known digits, turned
# ones, 0.976 of the canvases are right. The loss on validation falls a little, from 0.046 to
# 0.042. But exact match stays where it was: 0.949.
#
# Whoever has more to learn needs longer. The same again with 20,000 steps (begun anew, the
# cosine twice as long): 0.957, and of known digits, turned ones, 0.988 are read. Each of its
# seeds is above 0.95. Whether the digits that were not turned would have gained as much from
# 20,000 steps has not been tried. The arrangement needs no more than the small canvases did.
#
# A figure so close to a bar deserves care. A thousand canvases have a standard error of 0.7
# points, three seeds together 0.4: 0.957 is above 0.95 by less than two of these. And it took
# four tries: the first, which is not recorded, had shifts of two pixels, in the test's
# canvases, too, and 6,000 steps, and was further below. The present test is the easier one.
# Whoever tries until a bar is met has measured patience, too.
#
# The last row was trained on a GPU, in bfloat16, the others on two CPU cores in float32.

# %% [markdown] slideshow={"slide_type": "notes"} claims=["sorted(np.sign(np.round(recorded('vit', 'mnist_2x2_turned', 'exact_match') - recorded('vit', 'mnist_2x2', 'exact_match'), 4))) == [-1, 0, 1]"]
# No picture here, for MNIST's are not ours to print. *Which of the two problems is left, order
# or digits?* The column of known digits says so. Then the rows: *did turning help?* One seed
# up, one down, one as before: nobody can say. *And twice the steps?* All three seeds above the
# bar; but which of the two did it, the turns or the steps? The row that would part them is
# missing: undisturbed digits, 20,000 steps. Ask what a convnet reaches on single MNIST digits:
# above 0.99, and to the fourth power?

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Scattered: one to four digits, anywhere

# %% slideshow={"slide_type": "skip"}
scattered = load_canvases(scattered=True, count=64)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
answers = scattered.test.columns["answer"][:5]
alt = "Five canvases of 24 × 24 pixels with one to four scattered digits. They read: "
images = scattered.test.inputs["image"][:5]
cu.plotting.show_images(images, answers, alt + "; ".join(answers) + ".", 2.0, 2.4)

# %% [markdown] slideshow={"slide_type": "-"}
# What is new: digits lie **across** the edges of patches; cells may be empty; and how many
# there are is part of the answer: the end sign must be read off the picture.

# %% slideshow={"slide_type": "skip"}
if session.profile == "full":
    read_scattered()

# %% [markdown] slideshow={"slide_type": "notes"}
# *Which of the three makes it hardest?* Let them vote. On the grid a digit lies at most one
# pixel off; here its offset against the patches takes all sixteen values, and it may lie across
# nine patches. So each patch has to be understood through its neighbours: now the encoder's
# self-attention has something to do. And `<eos>` needs a look: are all of them said?

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Recorded (three seeds, range)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
columns = {"exact_match": "exact match", "digit_error_rate": "digit error rate"}
columns |= {f"exact_{count}_digits": f"{count} digits" for count in range(1, 5)}
recorded({"vit": READERS["vit"]}, columns, "scattered")

# %% [markdown] slideshow={"slide_type": "-"}
# 12,000 steps, four times those of the four readers: **19 canvases in 20** are read. Look along
# the row: is it length that hurts?

# %% [markdown] slideshow={"slide_type": "skip"} claims=["recorded('vit', 'scattered', 'exact_match').min() > 0.95", "near([recorded('vit', 'scattered', f'exact_{n}_digits').mean() for n in range(1, 5)], [0.988, 0.959, 0.961, 0.941], 0.0006)", "near(recorded('vit', 'scattered', 'exact_1_digits').mean() ** np.arange(2, 5), [0.976, 0.965, 0.953], 0.001)", "near([recorded('vit', data, 'exact_step_1000').min() for data in ('scattered', 'digits_2x2')], [0.20, 0.80], 1e-6)", "near([recorded('vit', data, 'exact_step_1000').max() for data in ('scattered', 'digits_2x2')], [0.31, 0.90], 1e-6)"]
# If mistakes were independent, the columns would fall like the powers of one number. Where they
# fall faster, something else fails as well: a digit is left out, or read twice, or the end
# comes too early. The digit error rate counts such slips as one edit each, exact match counts
# the canvas.
#
# A single digit is read in 0.988 of its canvases on average; the powers of that are 0.976,
# 0.965 and 0.953. The columns' means, 0.959, 0.961 and 0.941, lie 1.7, 0.3 and 1.2 points
# below; a column has some 250 test canvases, so one standard error is more than a point. And
# canvases of digits that it was trained on are all read, in all three seeds: where digits lie,
# and how many they are, has been learned. What is lost is lost on new digits.
#
# After 1,000 steps the three readers had read 20 to 31 in a hundred validation canvases. On the
# grid it was 80 to 90 after as many.

# %% [markdown] slideshow={"slide_type": "notes"}
# Have them compute: from the column of one digit, what would four be if mistakes fell
# independently? Compare with the last column. *What kind of mistake is left over?* Then the
# honest part: learning takes much longer here. A reader that is stopped after a thousand steps
# looks hopeless, and is not.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The same code writes captions

# %% slideshow={"slide_type": "skip"}
shapes = load_shapes(count=64)
scenes = shapes.test
caption_sizes = caption_settings(
    scenes.inputs["image"], scenes.targets, shapes.vocabulary.words
)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
said = scenes.columns["caption"][:4]
half = [len(caption.split()) // 2 for caption in said]
words_of = [caption.split() for caption in said]
broken = [" ".join(w[:k]) + "\n" + " ".join(w[k:]) for w, k in zip(words_of, half, strict=True)]
alt = "Four pictures of two coloured shapes each. Their captions: " + "; ".join(said) + "."
cu.plotting.show_images(scenes.inputs["image"][:4], broken, alt, 2.6, 2.7)

# %% [markdown] slideshow={"slide_type": "-"}
# | | canvases | captions |
# | --- | --- | --- |
# | pictures | 16 × 16, grey | 32 × 32, three colours |
# | vocabulary | 14 | 17 |
# | encoder, decoder, loss, decoding | | **the same** |

# %% [markdown] slideshow={"slide_type": "skip"}
# The captions come from a small grammar of the course: two objects of four colours and three
# shapes, and how the one lies to the other. Two captions of every picture are true, "a red
# circle left of a blue square" and "a blue square right of a red circle"; the training part has
# the one whose first object comes first in the alphabet, and a written caption is right if it
# is either.
#
# **Held out:** no training picture has a *red circle* or a *blue triangle*, though there are
# red squares, and circles in other colours. In half of the test pictures one object is such a
# pair. A reader with a class for every caption could not even name it.


# %% slideshow={"slide_type": "skip"}
CAPTIONS = {"count": 20_000, "epochs": 10, "learning_rate": 1.5e-3}


def new_captioner():
    """A fresh reader for the images with captions."""
    return ImageToText(**caption_sizes, name="captioner", **VIT)


def judge_captions(model, scenes, vocabulary):
    """Exact match with either true caption, by whether an object was held out."""
    written = read(model, scenes.inputs["image"], vocabulary, scenes.targets.shape[1])
    columns, right = scenes.columns, cu.translation.exact_match
    new = columns["held_out"]
    parts = {"exact_known_pairs": ~new, "exact_new_pairs": new}
    own = np.array(written, object)
    found = {key: right(own[rows], columns["references"][rows]) for key, rows in parts.items()}
    return {"exact_match": right(written, columns["references"])} | found, written


# %% slideshow={"slide_type": "skip"}
def caption_shapes():
    """Train a captioner, judge and record it; seed 0 is kept with the course."""
    data = load_shapes(count=CAPTIONS["count"], seed=session.seed)
    keras.utils.set_random_seed(session.seed)
    model = new_captioner()
    steps = CAPTIONS["epochs"] * -(-CAPTIONS["count"] // 64)
    compiled(model, steps, CAPTIONS["learning_rate"])
    parts = data.train, data.val
    run = cu.training.fit(model, parts, CAPTIONS["epochs"], source=data.source)
    found, _ = judge_captions(model, data.test, data.vocabulary)
    run.record(LECTURE, "captioner", "shapes", CAPTIONS | {"vit": VIT}, **found)
    arrays = {f"{number:02}": array for number, array in enumerate(model.get_weights())}
    made_by = f"{LECTURE}/captioner-shapes-seed0"
    cu.models.save_pretrained("captioner", arrays, made_by, **CAPTIONS)
    return model


def shipped_captioner():
    """The captioner that came with the course, or None before it has been recorded."""
    try:
        arrays = cu.models.load_pretrained("captioner")
    except ValueError:
        return None
    model = new_captioner()
    model({name: array[:1] for name, array in scenes.inputs.items()})  # makes the weights
    model.set_weights([arrays[key] for key in sorted(arrays)])
    return model


captioner = caption_shapes() if session.profile == "full" else shipped_captioner()

# %% [markdown] slideshow={"slide_type": "notes"}
# Let the room write the first caption before you uncover the titles. Somebody will name the
# other object first: right as well, so how do we judge? *Which lines of code change?* Sizes and
# words; exercise 5 asks for exactly these. *Can it say "a red circle", having met red and
# circles, but never the two together?* A vote, then the next slide.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Recorded: known pairs, and pairs it has never met (three seeds, range)

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
columns = {
    "exact_match": "captions right: all pictures",
    "exact_known_pairs": "of known pairs",
    "exact_new_pairs": "with a red circle or a blue triangle",
}
recorded({"captioner": "ViT, Transformer"}, columns, "shapes")

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
new = np.flatnonzero(scenes.columns["held_out"])[:100]
captions = scenes.columns["caption"][new]


def named(texts, words):
    """Which of these words each text has, in their order."""
    return [[word for word in text.split() if word in words] for text in texts]


if captioner is not None:
    says = read(captioner, scenes.inputs["image"][new], shapes.vocabulary, 9)
    for pair in zip(captions[:3], says, strict=False):
        print("true  {}\nsays  {}\n".format(*pair))
    for kind, words_of in {"shape": SHAPES, "colour": COLOURS}.items():
        both = zip(named(captions, words_of), named(says, words_of), strict=True)
        print(f"a {kind} is wrong in {sum(one != other for one, other in both)} of {len(new)}")

# %% [markdown] slideshow={"slide_type": "skip"} claims=["recorded('captioner', 'shapes', 'exact_known_pairs').min() > 0.95", "recorded('captioner', 'shapes', 'exact_new_pairs').max() < 0.1"]
# A caption's words are chosen one after the other, and each word looks for itself. So *red* can
# come from the colour and *circle* from the shape, and a pair that was never trained on has a
# way to come out. It hardly ever does. The decoder is a language model, too, and in all the
# text that it has read, behind *red* there never came *circle*. The colour is written first,
# and freely: it is right. Then the shape has to follow *red*, and the picture loses: *a red
# square*, says the captioner, of a red circle that it sees. Such a gap between what is familiar
# and what is merely composed is one that large captioning systems have as well.

# %% [markdown] slideshow={"slide_type": "notes"}
# *What would a classifier with a class for each caption have in the last column?* Zero, by
# construction; and ours, which could compose, has hardly more. Have them find out from the
# three examples which word gives way: the one that is written second. *What would happen in a
# language that says "circle red"?* The colour would give way. So the pressure comes from the
# words. *How could one reduce it?* More pairs in training; a smaller share of language in the
# decision. It is the same pressure that makes a captioner write "a green banana" as "a yellow
# banana".

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 07b.1 · What it reads, what it should write
#
# `tokens` (canvases, k): ids of digits, 4 or more, 0 after the last. Return `(ids, targets)`,
# both (canvases, k + 1): `<sos>` (2) and the digits; the digits and `<eos>` (3). Pads are 0.

# %% builds="course_utils.lectures.lecture_07b.inputs_and_targets" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
inputs_and_targets = cu.exercises.use("07b.1", inputs_and_targets)

# %% [markdown] slideshow={"slide_type": "notes"}
# Two answers train without an error. With equal rows the network learns to copy: its loss falls
# to nothing, and reading by itself is at chance. Without `<eos>` it never stops. A third, the
# end sign in the last column, makes it write pads first; on canvases of always four digits
# nobody would notice.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 07b.2 · Exact match
#
# `written` and `targets` (canvases, T) hold ids; a text ends with `<eos>` (3). Return the share
# of canvases that are read without a mistake: all tokens **up to and with** `<eos>`.

# %% builds="course_utils.lectures.lecture_07b.exact_match" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
exact_match = cu.exercises.use("07b.2", exact_match)

# %% [markdown] slideshow={"slide_type": "notes"}
# The mean over digits is digit accuracy. The mean over all positions counts pads, and flatters
# short canvases. Whoever leaves `<eos>` out calls "3 1 4 1 1" right. *Why is it enough to look
# where the target is real?* If all of it agrees, the end sign agrees, too, and nothing behind
# it is read.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 07b.3 · Read by itself
#
# `logits_of(ids)` takes int (1, max_length), 0 after what is known, and gives logits (1,
# max_length, vocab_size). Begin with `<sos>` (2); return the list of at most `max_length` ids,
# without `<eos>` (3).

# %% builds="course_utils.lectures.lecture_07b.read_out" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
read_out = cu.exercises.use("07b.3", read_out)

# %% [markdown] slideshow={"slide_type": "notes"}
# The loop without a cache, one shape for every call, so that it is compiled once. The usual
# mistake is the last position at each step: there stands what comes behind a pad. Feeding the
# true digits is teacher forcing, which is no reading. *What does the cache save?* The steps
# that are computed anew in each call; here, with five, hardly anything.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 07b.4 · How much attention falls on each cell?
#
# `weights` (…, S): attention to $S = g \cdot g$ patches, row by row, of a canvas of grid × grid
# cells. Return each cell's share, (…, grid²), cells row by row; each row adds up to 1.

# %% builds="course_utils.lectures.lecture_07b.weights_by_cell" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
weights_by_cell = cu.exercises.use("07b.4", weights_by_cell)

# %% [markdown] slideshow={"slide_type": "notes"}
# It is lecture 7's patch puzzle once more: the axes are row of cells, row inside the cell,
# column of cells, column inside. With (2, 2, g/2, g/2) the masses still add up to 1, and the
# maps look plausible: two cells beside each other are mixed. Draw four by four on the board and
# number the patches.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 07b.5 · Captions: what changes, what stays?
#
# `pictures` (n, height, width, channels), `targets` (n, T) with `<eos>`, `vocabulary` the list
# of all words. Return the dictionary of what `ImageToText(**settings)` must be told **anew**:
# `image`, `channels`, `vocab_size`, `max_length`, and nothing that may stay.

# %% builds="course_utils.lectures.lecture_07b.caption_settings" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
caption_settings = cu.exercises.use("07b.5", caption_settings)

# %% [markdown] slideshow={"slide_type": "notes"}
# What is *not* in the dict is the point: no new encoder (still patches), no new decoder, no new
# loss. And the number of classes is that of words. Whoever counts captions has built lecture
# 7's classifier again: "a red circle left of a blue square" needs a class of its own, and an
# unseen pair has none.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Summary
#
# - a ViT without its head leaves a **memory**: a vector for each patch
# - lecture 6's decoder reads it unchanged, by cross-attention; nobody says where digits stand
# - split the digits before composing the canvases
# - judge what it writes **by itself**: exact match, and edit distance where lengths differ
# - nothing is read while it finds out where to look: watch the loss and the maps, too
# - a map says where the weight is; blank a cell to see what the output hangs on

# %% [markdown] slideshow={"slide_type": "skip"}
# **What changed since lecture 7.** There a picture got one answer from a fixed list. Here it
# gets a text of any length, and the only new code is the one that reads. The pattern, an
# encoder for what comes in and a decoder for what goes out, carries speech recognition,
# handwriting, captions and questions about pictures; large systems differ in size and in being
# pre-trained on both sides.
#
# **What comes next.** Attention has now done everything in this course since lecture 5. Is it
# needed? Lecture 8 takes it out of the Vision Transformer and puts two matrix products in its
# place.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Papers
#
# - Levenshtein (1966), *Binary codes capable of correcting deletions, insertions and
#   reversals*; Wagner and Fischer (1974), *The string-to-string correction problem*
# - Vinyals and others (2015), *Show and tell: a neural image caption generator*
# - Xu and others (2015), *Show, attend and tell: neural image caption generation with visual
#   attention*
# - Vaswani and others (2017), *Attention is all you need*
# - Dosovitskiy and others (2021), *An image is worth 16x16 words*
# - Li and others (2023), *TrOCR: Transformer-based optical character recognition with
#   pre-trained models*

# %% [markdown] slideshow={"slide_type": "notes"}
# Take the sheet of the beginning once more and have somebody read it slowly while the others
# watch the eyes. *What would you have to show the network for it to read from bottom to top?*
# Other answers, nothing else. Then: *which of today's figures would you print on the box?*
