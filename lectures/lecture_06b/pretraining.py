"""Learn from texts without labels: guess the next token, or hidden ones.

Rows of ids are those of `lectures.lecture_06b.tokenizers`: <sos> first, 0 after the last token.
"""

import keras
import numpy as np
from keras import ops

from course_utils.data import base
from course_utils.data.base import END, one_of, pad, whole_number
from course_utils.data.base import share as check_share
from lectures.lecture_06b.tokenizers import MASK, SPECIAL, START

OBJECTIVES = ("masked", "causal")
DROPPED = 8  # tokens at most, at the end of a long text


def mask_tokens(ids, vocab_size, generator, share=0.15, chances=None):
    """Choose places and hide what stands there: 80 % by the mask, 10 % by another word.

    A row is asked `share` of its ordinary tokens, at least one. The fixed number of places lets
    a model gather them before the product with the vocabulary: a sixth of its cost.

    Args:
        ids: int (batch, tokens); those of `SPECIAL` are never chosen and never drawn.
        generator: a NumPy generator.
        chances: (vocab_size,), how likely each token is chosen beside others; None: all alike.

    Returns:
        int32 arrays: the inputs (batch, tokens), and the chosen positions and what stood there,
        (batch, count) each, with count = ⌈share · tokens⌉; where a row is asked fewer, the rest
        of its targets is 0.

    Source: Devlin, Chang, Lee and Toutanova, "BERT" (2019), section 3.1.
    """
    share = check_share("share", share)
    ordinary = ids >= len(SPECIAL)
    count = max(1, int(np.ceil(share * ids.shape[1] - 1e-9)))
    luck = generator.random(ids.shape)
    if chances is not None:  # the first arrivals of a race, each with a speed of its own
        luck = -np.log1p(-luck) / np.maximum(chances, 1e-9)[ids]
    # Special tokens sort after all others.
    places = np.where(ordinary, luck, np.inf).argsort(axis=1)[:, :count]
    asked = np.round(share * ordinary.sum(axis=1)).clip(1, count)
    asked = np.minimum(asked, ordinary.sum(axis=1))
    chosen = np.arange(places.shape[1]) < asked[:, None]

    true = np.take_along_axis(ids, places, axis=1)
    lot = generator.random(places.shape)
    others = generator.choice(np.arange(len(SPECIAL), vocab_size), places.shape)
    shown = np.where(lot < 0.8, MASK, np.where(lot < 0.9, others, true))
    inputs = ids.copy()
    np.put_along_axis(inputs, places, np.where(chosen, shown, true), axis=1)
    targets = np.where(chosen, true, 0)
    return tuple(array.astype("int32") for array in (inputs, places, targets))


def windows(tokenizer, texts, length):
    """Cut texts into rows of `length` ids: int32 (rows, length), 0 after the last token.

    Each row starts with <sos> and goes on where the row before it stopped; no row holds two
    texts. What is left of a text is dropped where that is 8 tokens or fewer, unless it is the
    whole text.
    """
    length = whole_number("length", length, at_least=2)
    step, rows = length - 1, []
    for text in base.texts("texts", texts):
        ids = tokenizer.ids(text)
        starts = range(0, max(1, len(ids) - DROPPED), step)
        rows += [[START, *ids[start : start + step]] for start in starts]
    return pad(rows, length)


def next_sentence_pairs(ids, generator):
    """Make rows <sos> first half <eos> second half, which half the time is another row's.

    What does not fit is cut.

    Args:
        ids: int (batch, tokens).

    Returns:
        Rows of the same shape, and float (batch,), 1 where the halves belong together.
    """
    lengths = np.count_nonzero(ids, axis=1)
    together = generator.random(len(ids)) < 0.5
    rows = np.zeros_like(ids)
    for own, row in enumerate(rows):
        second = own if together[own] else own - 1
        first = ids[own, : lengths[own] // 2 + 1]
        rest = ids[second, lengths[second] // 2 + 1 : lengths[second]]
        joined = np.concatenate([first, [END], rest])[: len(row)]
        row[: len(joined)] = joined
    return rows, together.astype("float32")


class PretrainingBatches(keras.utils.PyDataset):
    """Batches for `PretrainingModel`: ({"ids", "positions"}, the tokens at these positions).

    Args:
        ids: int (texts, tokens).
        objective: "masked": `count` tokens of a full row are hidden and to be guessed, fewer of
            a shorter one. "causal": at `count` places per row, or at all for None, the *next*
            token is to be guessed.
        shuffle: whether every epoch draws again; without (validation) all are the same.
        next_sentence: makes the targets {"words", "next"}, see `next_sentence_pairs`.
        steps: batches per epoch; the next one goes on where it stopped. None: as many whole
            batches as the texts fill.
        chances: of the tokens to be hidden, see `mask_tokens`.
    """

    def __init__(
        self,
        ids,
        vocab_size,
        objective="masked",
        count=8,
        batch_size=32,
        seed=0,
        shuffle=True,
        next_sentence=False,
        steps=None,
        chances=None,
    ):
        super().__init__()
        one_of("objective", objective, OBJECTIVES)
        batch_size = whole_number("batch_size", batch_size, at_least=1)
        if count is not None or objective == "masked":
            count = whole_number("count", count, at_least=1)
        self.ids, self.vocab_size, self.chances = ids, vocab_size, chances
        self.objective, self.count = objective, count
        self.batch_size, self.seed, self.shuffle = batch_size, seed, shuffle
        self.next_sentence, self.epoch, self.lap = next_sentence, 0, None
        self.batches = max(1, len(ids) // batch_size)
        self.steps = steps or self.batches
        self.examples = len(self) * batch_size

    def __len__(self):
        return self.steps

    def on_epoch_end(self):
        self.epoch += self.shuffle

    def _order(self, lap):
        if lap != self.lap:
            self.lap, self.order = lap, np.arange(len(self.ids))
            if self.shuffle:
                np.random.default_rng([self.seed, lap]).shuffle(self.order)
        return self.order

    def __getitem__(self, number):
        generator = np.random.default_rng([self.seed, self.epoch, number])
        lap, batch = divmod(self.epoch * self.steps + number, self.batches)
        start = batch * self.batch_size
        ids = self.ids[self._order(lap)[start : start + self.batch_size]]
        together = None
        if self.next_sentence:
            ids, together = next_sentence_pairs(ids, generator)
        if self.objective == "masked":
            share = min(1.0, self.count / ids.shape[1])
            how = (self.vocab_size, generator, share, self.chances)
            ids, positions, targets = mask_tokens(ids, *how)
        else:
            positions, targets = self._next_tokens(ids, generator)
        inputs = {"ids": ids.astype("int32"), "positions": positions}
        return inputs, {"words": targets, "next": together} if self.next_sentence else targets

    def _next_tokens(self, ids, generator):
        """Places, and the token after each; 0, which the loss leaves out, where none is."""
        following = ids[:, 1:]
        places = np.broadcast_to(np.arange(following.shape[1], dtype="int32"), following.shape)
        if self.count is not None:
            luck = np.where(following > 0, generator.random(following.shape), 2.0)
            places = np.sort(np.argsort(luck, axis=1)[:, : self.count], axis=1)
        targets = np.take_along_axis(following, places, axis=1)
        return places.astype("int32"), targets.astype("int32")


@keras.saving.register_keras_serializable(package="course_utils")
class PretrainingModel(keras.Model):
    """Scores of every word at some places: h E^T + b, with the embedding's own matrix E.

    Hidden states are gathered *before* the product with E, so that the words are scored where
    they are asked for only.

    Call: {"ids": int (batch, tokens), "positions": int (batch, places)} → logits
    (batch, places, words); with `next_sentence` {"words": those, "next": a logit (batch,) from
    the first token's state}.

    Args:
        encoder: a model from ids to a list of hidden states, as `cu.models.transformer_encoder`
            makes it; its `ReversibleEmbedding` holds E.
    """

    def __init__(self, encoder, next_sentence=False, **kwargs):
        super().__init__(**kwargs)
        self.encoder, self.next_sentence = encoder, next_sentence
        self.embedding = word_embedding(encoder)
        zeros = {"shape": (self.embedding.input_dim,), "initializer": "zeros"}
        self.bias = self.add_weight(**zeros, name="bias", autocast=False)
        self.belongs = keras.layers.Dense(1, dtype="float32") if next_sentence else None

    def build(self, input_shape):
        if self.next_sentence:
            self.belongs.build((None, self.embedding.output_dim))

    def call(self, inputs, training=None):
        hidden = self.encoder(inputs["ids"], training=training)[-1]
        places = ops.expand_dims(inputs["positions"], -1)
        chosen = ops.take_along_axis(hidden, places, axis=1)
        scores = self.embedding(chosen, reverse=True)
        scores = scores + ops.cast(self.bias, scores.dtype)
        if not self.next_sentence:
            return scores
        return {"words": scores, "next": self.belongs(hidden[:, 0])[:, 0]}

    def get_config(self):
        encoder = keras.saving.serialize_keras_object(self.encoder)
        own = {"encoder": encoder, "next_sentence": self.next_sentence}
        return {**super().get_config(), **own}

    @classmethod
    def from_config(cls, config):
        return cls(keras.saving.deserialize_keras_object(config.pop("encoder")), **config)


def word_embedding(encoder):
    """Return the `ReversibleEmbedding` of a model."""
    for layer in encoder._flatten_layers(include_self=False):
        if isinstance(layer, keras.layers.ReversibleEmbedding):
            return layer
    raise ValueError("the encoder has no ReversibleEmbedding whose matrix could score words")


def word_loss():
    """Return the mean loss of the guesses, those at places without a target left out."""
    return keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0)


def unigram_loss(ids, batches):
    """Return the loss of always guessing by frequency: what a model without context reaches.

    Args:
        ids: the training rows, whose tokens are counted.
        batches: `PretrainingBatches` on which the loss is taken.
    """
    targets = [batches[number][1] for number in range(len(batches))]
    targets = [part["words"] if isinstance(part, dict) else part for part in targets]
    found = np.concatenate([part[part > 0] for part in targets])
    if not len(found):
        return 0.0
    counts = np.bincount(ids[ids >= len(SPECIAL)], minlength=found.max() + 1) + 1e-9
    return float(-np.log(np.maximum((counts / counts.sum())[found], 1e-9)).mean())
