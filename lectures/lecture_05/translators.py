"""Translate with two recurrent networks: one reads the source, the other writes the target."""

import keras
from keras import layers, ops

from course_utils.data.base import one_of
from course_utils.layers import BahdanauAttention, LuongAttention
from course_utils.layers.attention import masked_softmax, zero_hidden

PAD = 0
ATTENTIONS = ("bahdanau", "dot", "general")


def compute_padding_mask(ids):
    """True where a row of ids holds a word, False at pads: the same shape as ids."""
    return ops.not_equal(ids, PAD)


def reverse_words(ids):
    """Return the words of each row in reverse order, with its pads still after them.

    ids: (batch, tokens), 0 at pads; the result has the same shape.
    """
    padding_mask = ops.cast(compute_padding_mask(ids), "int32")
    words = ops.sum(padding_mask, axis=1, keepdims=True)
    positions = ops.arange(ops.shape(ids)[1])
    turned = ops.where(positions < words, words - 1 - positions, positions)
    return ops.take_along_axis(ids, turned, axis=1)


@keras.saving.register_keras_serializable(package="course_utils")
class BahdanauDecoder(layers.Layer):
    """A GRU that looks at the source before every step, and reads what it found.

        c_t = attention(s_{t-1}, h)    s_t = GRU([y_{t-1}; c_t], s_{t-1})

    call(words (batch, T, channels), state (batch, units), encoded (batch, S, d), mask (batch,
    S)) -> ([s_t; c_t] (batch, T, units + d), last state (batch, units), weights (batch, T, S)).

    Source: Bahdanau, Cho and Bengio, "Neural machine translation by jointly learning to align
    and translate" (2015), without its maxout in front of the vocabulary.
    """

    attention_layer = BahdanauAttention  # the default, which a notebook's own may replace

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.attend = self.attention_layer(units)
        self.cell = layers.GRUCell(units)

    def build(self, words_shape, state_shape, encoded_shape, mask_shape=None):
        self.attend.build((words_shape[0], 1, self.units), encoded_shape)
        self.cell.build((words_shape[0], words_shape[-1] + encoded_shape[-1]))

    def call(self, words, state, encoded, mask=None):
        keys = self.attend.W_h(encoded)

        def step(before, word):
            state = before[:, : self.units]
            context = self.attend.attend(state[:, None], keys, encoded, mask)[:, 0]
            state = self.cell(ops.concatenate([word, context], axis=-1), [state])[0]
            written = ops.concatenate([state, context], axis=-1)
            return written, written

        first = ops.concatenate([state, ops.zeros_like(encoded[:, 0])], axis=-1)
        last, written = ops.scan(step, first, ops.transpose(words, (1, 0, 2)))
        written = ops.transpose(written, (1, 0, 2))
        before = ops.concatenate([first[:, None], written[:, :-1]], axis=1)[..., : self.units]
        weights = self.attend.attend(before, keys, encoded, mask, True)[1]
        return written, last[:, : self.units], weights


@keras.saving.register_keras_serializable(package="course_utils")
class LuongDecoder(layers.Layer):
    """A GRU that steps, looks, and hands what it found to its next step ("input feeding").

        s_t = GRU([y_{t-1}; ã_{t-1}], s_{t-1})    ã_t = tanh([c_t; s_t] W_c)

    call(words (batch, T, channels), state [s; ã] (batch, 2 · units), encoded (batch, S, units),
    mask (batch, S)) -> (ã (batch, T, units), last state [s; ã], weights (batch, T, S)).

    Source: Luong, Pham and Manning, "Effective approaches to attention-based neural machine
    translation" (2015), section 3.3.
    """

    def __init__(self, units, score="dot", **kwargs):
        super().__init__(**kwargs)
        self.units, self.score = units, score
        self.attend = LuongAttention(units, score)
        self.cell = layers.GRUCell(units)

    def build(self, words_shape, state_shape, encoded_shape, mask_shape=None):
        self.attend.build((words_shape[0], 1, self.units), encoded_shape)
        self.cell.build((words_shape[0], words_shape[-1] + self.units))

    def call(self, words, state, encoded, mask=None):
        def step(before, word):
            after = self.step(before, word, encoded, mask)
            return after, after

        last, written = ops.scan(step, state, ops.transpose(words, (1, 0, 2)))
        states, found = ops.split(ops.transpose(written, (1, 0, 2)), 2, axis=-1)
        weights = self.attend(states, encoded, value_mask=mask, return_attention_scores=True)[1]
        return found, last, weights

    def step(self, before, word, encoded, mask):
        """One step: from [s_{t-1}; ã_{t-1}] and the word y_{t-1} to [s_t; ã_t].

        Shapes: before (batch, 2 · units), word (batch, channels), encoded (batch, S, units),
        mask (batch, S); returns (batch, 2 · units). `self.cell(inputs, [state])` returns the
        new state and a list; `self.attend` is a `LuongAttention`.
        """
        state, found = ops.split(before, 2, axis=-1)
        state = self.cell(ops.concatenate([word, found], axis=-1), [state])[0]
        found = self.attend(state[:, None], encoded, value_mask=mask)[:, 0]
        return ops.concatenate([state, found], axis=-1)


@keras.saving.register_keras_serializable(package="course_utils")
class RecurrentTranslator(keras.Model):
    """An encoder GRU and a decoder GRU, joined by the last state alone or by attention.

    call({"source": (batch, S), "target": (batch, T)}) -> logits (batch, T, target words): the
    target begins with <sos>, and logits t say which word comes after target word t.
    `start` and `step` do the same one word at a time.

    attention: None (the last encoder state is all that the decoder gets), "bahdanau" (his
    wiring: attend, then step), or Luong's (step, then attend) with the score "dot" or
    "general". reverse: read the source from its last word to its first. feed: with Luong's,
    hand each attention vector to the next step ("input feeding").
    Raises ValueError for another attention, and for feed without one of Luong's.

    Sources: Cho and others (2014); Sutskever, Vinyals and Le (2014), who reverse the source;
    Bahdanau and others (2015); Luong, Pham and Manning (2015).
    """

    bahdanau, luong = BahdanauDecoder, LuongAttention  # which a notebook's own may replace

    def __init__(
        self,
        source_vocab_size,
        target_vocab_size,
        embed_dim=64,
        units=128,
        attention=None,
        reverse=False,
        feed=False,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if attention is not None:
            one_of("attention", attention, ATTENTIONS)
        if feed and attention in (None, "bahdanau"):
            raise ValueError("feed=True goes with Luong's scores: dot or general")
        words = {"source_vocab_size": source_vocab_size, "target_vocab_size": target_vocab_size}
        sizes = {"embed_dim": embed_dim, "units": units}
        self.settings = (
            words | sizes | {"attention": attention, "reverse": reverse, "feed": feed}
        )
        self.attention, self.reverse, self.feed = attention, reverse, feed
        self.source_embedding = layers.Embedding(source_vocab_size, embed_dim)
        self.encoder = layers.GRU(units, return_sequences=True, return_state=True)
        self.target_embedding = layers.Embedding(target_vocab_size, embed_dim)
        if attention == "bahdanau":
            self.decoder = self.bahdanau(units)
        elif feed:
            self.decoder = LuongDecoder(units, attention)
        else:
            self.decoder = layers.GRU(units, return_sequences=True, return_state=True)
            if attention is not None:
                self.attend = self.luong(units, attention)
        self.to_words = layers.Dense(target_vocab_size, dtype="float32")

    def encode(self, source):
        """All encoder states (batch, S, units), the last (batch, units), mask (batch, S)."""
        source = reverse_words(source) if self.reverse else source
        mask = compute_padding_mask(source)
        encoded, last = self.encoder(self.source_embedding(source), mask=mask)
        if self.feed:
            last = ops.concatenate([last, ops.zeros_like(last)], axis=-1)
        return encoded, last, mask

    def decode(self, target, state, encoded, mask):
        """Logits (batch, T, words), last state, weights (batch, T, S) or None."""
        words = self.target_embedding(target)
        weights = None
        if self.attention == "bahdanau" or self.feed:
            written, state, weights = self.decoder(words, state, encoded, mask)
        else:
            written, state = self.decoder(words, initial_state=state)
            if self.attention is not None:
                scores = {"return_attention_scores": True}
                written, weights = self.attend(written, encoded, value_mask=mask, **scores)
        return self.to_words(written), state, weights

    def call(self, inputs):
        encoded, last, mask = self.encode(inputs["source"])
        return self.decode(inputs["target"], last, encoded, mask)[0]

    def alignment(self, source, target):
        """Where each target word looked: α (batch, T, S), or None without attention.

        With `reverse` the columns are the source's words as they were read, the last one first.
        """
        encoded, last, mask = self.encode(source)
        return self.decode(target, last, encoded, mask)[2]

    def start(self, source, max_length=None):
        """Read the source: the state before the first word is written, a dict of tensors."""
        encoded, last, mask = self.encode(source)
        return {"encoded": encoded, "mask": mask, "state": last}

    def step(self, tokens, position, state):
        """Logits (batch, words) for the word after `tokens` (batch,), and the new state."""
        last, encoded, mask = state["state"], state["encoded"], state["mask"]
        logits, last, _ = self.decode(ops.expand_dims(tokens, 1), last, encoded, mask)
        return logits[:, 0], {**state, "state": last}

    def get_config(self):
        return {**super().get_config(), **self.settings}


@keras.saving.register_keras_serializable(package="course_utils")
class MeanAttention(LuongAttention):
    """Luong's layer with equal weights for all real tokens, whatever the scores say."""

    def call(self, query, value, value_mask=None, return_attention_scores=False):
        mask = None if value_mask is None else value_mask[:, None]
        value = zero_hidden(value, mask)
        scores = ops.matmul(query, ops.swapaxes(value, -1, -2))
        weights = masked_softmax(ops.zeros_like(scores), mask)
        context = ops.matmul(weights, value)
        attention_vector = self.W_c(ops.concatenate([context, query], axis=-1))
        return (attention_vector, weights) if return_attention_scores else attention_vector


def classmate(model, source):
    """Read a batch of sources: all states, the last one, a mask. It has a bug."""
    vectors = model.source_embedding(source)
    mask = ops.any(ops.not_equal(vectors, 0.0), axis=-1)  # a pad is a vector of zeros
    encoded, last = model.encoder(vectors, mask=mask)
    return encoded, last, mask


@keras.saving.register_keras_serializable(package="course_utils")
class ClassmatesTranslator(RecurrentTranslator):
    """The translator with the bug of `classmate`, in training and afterwards."""

    def encode(self, source):
        return classmate(self, source)


@keras.saving.register_keras_serializable(package="course_utils")
class EqualTranslator(RecurrentTranslator):
    """The translator whose attention reads every state alike."""

    luong = MeanAttention
