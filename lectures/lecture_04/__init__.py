"""Lecture 04: convolution over time, how far a stack sees, convnets that read.

    y_t = b + Σ_j x_{t·stride + j·dilation} K_j

K is laid over the sequence as it is, not flipped: mathematics calls that cross-correlation, and
it is what every deep-learning library computes under the name of convolution.

Shapes: x (batch, steps, channels), K (kernel, channels, filters), b (filters,), ids (batch,
words) with 0 at padding.

The moving clips at the end are the data of one of the projects (project/project.md).

Source: Waibel et al., "Phoneme recognition using time-delay neural networks" (1989); dilation:
Yu and Koltun, "Multi-scale context aggregation by dilated convolutions" (2016), section 2.
"""

import keras
import numpy as np
from keras import layers, ops

from course_utils import data as sets
from course_utils import training
from course_utils.data.base import Dataset, Split, share, whole_number

MOTIONS = ("still", "left", "right", "up", "down")
MOVES = np.array([(0, 0), (0, -1), (0, 1), (-1, 0), (1, 0)])  # rows, columns, by motion
SHAPES = np.array(
    [
        [(1, 1, 1), (1, 1, 1), (1, 1, 1)],
        [(0, 1, 0), (1, 1, 1), (0, 1, 0)],
        [(1, 0, 1), (0, 1, 0), (1, 0, 1)],
        [(1, 1, 1), (1, 0, 1), (1, 1, 1)],
        [(1, 1, 1), (0, 1, 0), (0, 1, 0)],
    ],
    "float32",
)


def convolve(x, K, b, stride=1, dilation=1):
    """Slide every filter along the sequence, windows inside the sequence only ("valid").

    Args:
        x: (batch, steps, channels).
        K: (kernel, channels, filters). b: (filters,).
        stride: how many steps the next window starts later.
        dilation: how many steps apart two neighbours within a window are.

    Returns:
        NumPy array (batch, windows, filters):
        y[:, t] = b + Σ_j x[:, t · stride + j · dilation] @ K[j].
    """
    wide = (len(K) - 1) * dilation + 1
    windows = (x.shape[1] - wide) // stride + 1
    y = np.zeros((len(x), windows, K.shape[2])) + b
    for j in range(len(K)):
        start = j * dilation
        y += x[:, start : start + (windows - 1) * stride + 1 : stride] @ K[j]
    return y


def causal_convolution(x, K, b, dilation=1):
    """Convolve such that no output sees a later step.

    Args:
        x: (batch, steps, channels).
        K: (kernel, channels, filters); K[-1] is for the present step, K[-2] for the step
            `dilation` before it, and so on. Steps before the first one count as zeros.
        b: (filters,). dilation: how many steps apart two neighbours within a window are.

    Returns:
        NumPy array (batch, steps, filters): one output per step.
    """
    before = (len(K) - 1) * dilation
    return convolve(np.pad(x, ((0, 0), (before, 0), (0, 0))), K, b, dilation=dilation)


def receptive_field(stack):
    """Return how many steps of the input one output of a stack of layers sees.

    Args:
        stack: a list with (kernel, stride, dilation) of each layer, convolution or pooling,
            from the input upwards.
    """
    seen, jump = 1, 1  # jump: how many input steps lie between two neighbours of this layer
    for kernel, stride, dilation in stack:
        seen += (kernel - 1) * dilation * jump
        jump *= stride
    return seen


def strongest_windows(responses, ids, width):
    """Find, for each filter, the words to which it responds most.

    Args:
        responses: (texts, windows, filters). responses[n, t, f] is what filter f answers to the
            window that begins at word t of text n.
        ids: int (texts, words), the words of these texts.
        width: how many words a window has.

    Returns:
        Integer array (filters, width): the ids of the words in the window with the largest
        response, a row for each filter. Among equal responses the first counts: that of the
        first text, and in a text the first window.
    """
    _, windows, filters = responses.shape
    best = responses.reshape(-1, filters).argmax(axis=0)
    text, start = np.divmod(best, windows)
    return ids[text[:, None], start[:, None] + np.arange(width)]


def real_words(ids):
    """Return 1 for a word and 0 for padding: (batch, words, 1)."""
    real = ops.expand_dims(ops.not_equal(ids, 0), -1)
    return ops.cast(real, keras.config.dtype_policy().compute_dtype)


def pool_real(x, size):
    """Take the maximum of every `size` steps, windows starting at step 0, none left out."""
    return layers.MaxPooling1D(size)(layers.ZeroPadding1D((0, size - 1))(x))


def slides_network(vocab_size):
    """Return the network of the lecture slides, corrected: probabilities come out of it.

    Args:
        vocab_size: entries of the vocabulary.

    Returns:
        Keras model, not compiled: ids (batch, words) → probability of praise (batch, 1), by
        Embedding(vocab_size, 128), Conv1D(32, 7, ReLU), MaxPooling1D(5), Conv1D(32, 7, ReLU),
        GlobalMaxPooling1D and a Dense layer.
    """
    return keras.Sequential(
        [
            keras.Input((None,), dtype="int32"),
            layers.Embedding(vocab_size, 128),
            layers.Conv1D(32, 7, activation="relu"),
            layers.MaxPooling1D(5),
            layers.Conv1D(32, 7, activation="relu"),
            layers.GlobalMaxPooling1D(),
            layers.Dense(1, activation="sigmoid", dtype="float32"),
        ]
    )


def text_convnet(vocab_size, embed_dim=16, dilation=1):
    """Return two convolutional blocks of which padding changes nothing.

    Args:
        vocab_size: entries of the vocabulary, padding (0) included.
        embed_dim: numbers per word. dilation: that of the second convolution.

    Returns:
        Keras model, not compiled: ids (batch, words), 0 at padding → probability (batch, 1), by
        Embedding, Conv1D(32, 7, padding="same", ReLU), `pool_real(…, 5)`, the same Conv1D
        again but dilated, GlobalMaxPooling1D, Dense(1, sigmoid). At padding, the input and the
        output of each convolution are 0. A pooled step is real if one of its five words is.
    """
    ids = keras.Input((None,), dtype="int32")
    x, real = layers.Embedding(vocab_size, embed_dim)(ids), real_words(ids)
    x = layers.Conv1D(32, 7, padding="same", activation="relu")(x * real) * real
    x, real = pool_real(x, 5), pool_real(real, 5)
    again = layers.Conv1D(32, 7, 1, "same", dilation_rate=dilation, activation="relu")
    x = layers.GlobalMaxPooling1D()(again(x * real) * real)
    return keras.Model(ids, layers.Dense(1, activation="sigmoid", dtype="float32")(x))


def phrase_net(vocab_size, kernel_size=5):
    """Return one convolution and a maximum over its whole windows: ids → probability.

    A window counts if its last word is real; padding stands after the text, so the words
    before it are real as well.
    """
    ids = keras.Input((None,), dtype="int32")
    x = layers.Embedding(vocab_size, 16)(ids)
    x = layers.Conv1D(32, kernel_size, activation="relu")(x)
    x = layers.GlobalMaxPooling1D()(x * real_words(ids)[:, kernel_size - 1 :])
    return keras.Model(ids, layers.Dense(1, activation="sigmoid", dtype="float32")(x))


def conv_gru(vocab_size):
    """Return a convolution, pooling by five and a GRU on top: ids → probability."""
    ids = keras.Input((None,), dtype="int32")
    x, real = layers.Embedding(vocab_size, 16)(ids), real_words(ids)
    x = layers.Conv1D(32, 5, padding="same", activation="relu")(x * real) * real
    x, real = pool_real(x, 5), pool_real(real, 5)
    x = layers.GRU(32)(x, mask=ops.squeeze(real, -1) > 0)
    return keras.Model(ids, layers.Dense(1, activation="sigmoid", dtype="float32")(x))


def train_conv_gru(data):
    """Train a convolution with a recurrent layer on top, by `fit`, to read reviews that turn.

    Args:
        data: a Dataset of reviews with `data.vocabulary`; `data.train` and `data.val` are
            Splits with `inputs`, int (reviews, 200), 0 at padding, and `targets`, 0 or 1.

    Returns:
        A trained Keras model: ids (batch, words) → probability (batch, 1). Padding changes
        nothing.
    """
    ids = keras.Input((None,), dtype="int32")
    x, real = layers.Embedding(len(data.vocabulary), 16)(ids), real_words(ids)
    x = layers.Conv1D(32, 7, padding="same", activation="relu")(x * real) * real
    x, real = pool_real(x, 5), pool_real(real, 5)
    x = layers.GRU(32)(x, mask=ops.squeeze(real, -1) > 0)
    model = keras.Model(ids, layers.Dense(1, activation="sigmoid", dtype="float32")(x))
    adam = keras.optimizers.Adam(0.01, clipnorm=1.0)
    model.compile(adam, "binary_crossentropy", metrics=["accuracy"])
    training.fit(model, data, epochs=4, batch_size=64)
    return model


KINDS = ("plain", "negation", "turn", "far")


def by_phenomenon(model, part):
    """Return a model's accuracy on a Split of the reviews for each phenomenon."""
    said = ops.convert_to_numpy(model(part.inputs))[:, 0]  # `predict` would compile each model
    right = (said > 0.5) == part.targets
    kind = part.columns["phenomenon"]
    return {name: float(right[kind == name].mean()) for name in KINDS}


def framed_reviews():
    """Return the reviews with 45 words or more of neutral text at both ends.

    Only plain reviews still end in a verdict, which agrees with their others.
    """
    settings = {"before": (45, 50), "after": (45, 50), "after_turn": (98, 106)}
    texts = sets.load_reviews(form="text", far=(105, 150), **settings)
    parts = []
    for part in (texts.train, texts.val, texts.test):
        kinds = part.columns["phenomenon"]
        moved = [_to_the_front(*pair) for pair in zip(part.inputs, kinds, strict=True)]
        ids = [texts.vocabulary.encode(sets.tokenize(text)) for text in moved]
        parts.append(Split(sets.pad(ids, length=200), part.targets, columns=part.columns))
    return Dataset("framed_reviews", *parts, vocabulary=texts.vocabulary, source=texts.source)


def _to_the_front(text, kind, least=45):
    """Move a turned or far review's last sentences, `least` words or more, to its front."""
    if kind not in ("turn", "far"):
        return text
    back, front = text.removesuffix(".").split(". "), []
    while sum(len(sentence.split()) for sentence in front) < least:
        front.insert(0, back.pop())
    return ". ".join(front + back) + "."


NEUTRAL = "It was not cold that night."


def put_in_front(part, vocabulary, count):
    """Return a Split of reviews with neutral words, `count` of them, in front of each."""
    before = (vocabulary.encode(sets.tokenize(NEUTRAL)) * 9)[-count:] if count else []
    texts = [[*before, *ids[ids > 0]] for ids in part.inputs]
    inputs = sets.pad(texts, part.inputs.shape[1] + count)
    return Split(inputs, part.targets, columns=part.columns)


NETWORKS = {
    "phrase_1": lambda size: phrase_net(size, kernel_size=1),
    "phrase_5": phrase_net,
    "text_convnet": text_convnet,
    "dilated_convnet": lambda size: text_convnet(size, dilation=2),
    "conv_gru": conv_gru,
}


def load_motion(train=2_000, noise=0.1, seed=0):
    """Return clips of one shape that moves one pixel per frame and changes its motion.

    It changes once or twice. What leaves the canvas on one side comes in on the other, and
    position and shape are drawn without regard to the motion: one frame says nothing about it.

    Args:
        train: number of training clips; there are 300 for validation and 1,000 for test.
        noise: standard deviation of what is added to each pixel, from 0 to 1.

    Returns:
        A Dataset. Its inputs are float32 (clips, 12, 12, 12, 1), frames before rows and
        columns, 0 the background and 1 the shape. Its targets are int32 (clips, 12), the motion
        that brought the shape from the frame before to this one, an index into `class_names`;
        nothing moved before the first frame, and its target is the motion that follows.

    Raises:
        ValueError: for a wrong argument.
    """
    whole_number("train", train, at_least=1)
    whole_number("seed", seed, at_least=0)
    share("noise", noise)
    parts = [
        _clips(np.random.default_rng((seed, part)), count, noise)
        for part, count in enumerate((train, 300, 1_000))
    ]
    source = "made by lectures.lecture_04"
    return Dataset("motion", *parts, class_names=MOTIONS, source=source, licence="CC0")


def _clips(draw, count, noise):
    frames = size = 12
    targets = _motions(draw, count, frames)
    moves = MOVES[targets]
    moves[:, 0] = draw.integers(size, size=(count, 2))  # where the shape stands at first
    corner = moves.cumsum(axis=1)
    shape = SHAPES[draw.integers(len(SHAPES), size=count)]
    clips = np.zeros((count, frames, size, size), "float32")
    clip, frame = np.ogrid[:count, :frames]
    for row, column in np.ndindex(3, 3):
        at = (corner + (row, column)) % size
        clips[clip, frame, at[..., 0], at[..., 1]] = shape[:, None, row, column]
    clips += noise * draw.standard_normal(clips.shape, dtype="float32")
    return Split(clips[..., None], targets)


def _motions(draw, count, frames):
    """Return one motion per frame, (count, frames): two or three runs, neighbours unlike."""
    kinds = len(MOTIONS)
    first = draw.integers(kinds, size=count)
    second = (first + draw.integers(1, kinds, size=count)) % kinds
    third = (second + draw.integers(1, kinds, size=count)) % kinds
    change = draw.integers(2, frames - 1, size=count)
    another = change + draw.integers(2, frames, size=count)  # in many clips after the end
    changes = np.stack([change, another], axis=1)
    number = (np.arange(frames)[:, None] >= changes[:, None]).sum(axis=-1)
    return np.choose(number, [first[:, None], second[:, None], third[:, None]]).astype("int32")


def motion_net(memory):
    """Return a network that classifies the motion at every frame of a clip.

    Args:
        memory: a layer that reads the sequence of frames, (batch, frames, 32).

    Returns:
        Keras model: clips (batch, 12, 12, 12, 1) → probabilities (batch, 12, 5).
    """
    clips = keras.Input((12, 12, 12, 1))
    convnet = keras.Sequential(
        [
            keras.Input((12, 12, 1)),
            layers.Conv2D(8, 3, activation="relu"),
            layers.Flatten(),
            layers.Dense(32, activation="relu"),
        ]
    )
    seen = layers.TimeDistributed(convnet)(clips)  # the same convnet on every frame
    return keras.Model(
        clips, layers.Dense(5, activation="softmax", dtype="float32")(memory(seen))
    )


MEMORIES = {
    "motion_frame": lambda: layers.Dense(64, activation="relu"),
    "motion_conv": lambda: layers.Conv1D(64, 2, padding="causal", activation="relu"),
    "motion_lstm": lambda: layers.LSTM(64, return_sequences=True),
}


def imdb_network(name, vocab_size=5_000, embed_dim=128):
    """Return the two-block convnet, or the one with a GRU, with dropout for real reviews.

    A quarter of the words, and half of the components of the vectors, are dropped in training.
    """
    ids = keras.Input((None,), dtype="int32")
    x, real = layers.Embedding(vocab_size, embed_dim)(ids), real_words(ids)
    x = layers.SpatialDropout1D(0.5)(layers.Dropout(0.25, noise_shape=(None, None, 1))(x))
    x = layers.Conv1D(32, 7, padding="same", activation="relu")(x * real) * real
    x, real = pool_real(x, 5), pool_real(real, 5)
    if name == "conv_gru":
        x = layers.GRU(32)(x, mask=ops.squeeze(real, -1) > 0)
    else:
        x = layers.Conv1D(32, 7, padding="same", activation="relu")(x * real) * real
        x = layers.GlobalMaxPooling1D()(x)
    verdict = layers.Dense(1, activation="sigmoid", dtype="float32")
    return keras.Model(ids, verdict(layers.Dropout(0.5)(x)))
