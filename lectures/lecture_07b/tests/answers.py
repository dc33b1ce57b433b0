"""Answers to lab 07b's exercises: right ones written differently, and wrong ones."""

import keras
import numpy as np
from answers import right, wrong
from keras import layers, ops

from course_utils import schedules
from course_utils.layers.transformer import LearnedPositions, TransformerEncoderBlock, new_norm
from course_utils.layers.vision import PatchEmbedding
from lectures.lecture_07b import EncoderSettings, masked_loss


@right("07b.1")
def inputs_and_targets(tokens):
    texts, k = tokens.shape
    ids, targets = np.zeros((2, texts, k + 1), "int32")
    ids[:, 0], ids[:, 1:], targets[:, :-1] = 2, tokens, tokens
    for row, text in zip(targets, tokens, strict=True):
        row[np.count_nonzero(text)] = 3
    return ids, targets


@right("07b.1")
def inputs_and_targets(tokens):
    ids = np.insert(tokens, 0, 2, axis=1)
    targets = np.append(tokens, np.zeros((len(tokens), 1), int), axis=1)
    ended = (targets == 0) & (ids != 0)
    return ids, np.where(ended, 3, targets)


@right("07b.1")
def inputs_and_targets(tokens):
    column = np.full((len(tokens), 1), 2)
    ids = np.concatenate([column, tokens], axis=1)
    targets = np.concatenate([tokens, 0 * column], axis=1)
    first_pad = (targets == 0).argmax(axis=1)
    np.put_along_axis(targets, first_pad[:, None], 3, axis=1)
    return ids.astype("int32"), targets.astype("int32")


@right("07b.1")
def inputs_and_targets(tokens):
    ids, targets = [], []
    for row in tokens.tolist():
        words = [word for word in row if word > 0]
        pads = [0] * (len(row) - len(words))
        ids.append([2, *words, *pads])
        targets.append([*words, 3, *pads])
    return np.array(ids, "int32"), np.array(targets, "int32")


@wrong("07b.1", says="reads no <eos>")
def inputs_and_targets(tokens):
    ids = np.pad(tokens, ((0, 0), (1, 1)))
    ids[:, 0] = 2
    ids[np.arange(len(ids)), (tokens != 0).sum(axis=1) + 1] = 3
    return ids[:, :-1].astype("int32"), ids[:, 1:].astype("int32")


@wrong("07b.1", says="after the last word")
def inputs_and_targets(tokens):  # pads become <sos>
    ids = np.pad(tokens, ((0, 0), (1, 0)), constant_values=2)
    targets = np.pad(tokens, ((0, 0), (0, 1)))
    targets[np.arange(len(tokens)), (tokens != 0).sum(axis=1)] = 3
    ids[ids == 0] = 2
    return ids.astype("int32"), targets.astype("int32")


@wrong("07b.1")
def inputs_and_targets(tokens):  # <eos> in the last column
    ids = np.pad(tokens, ((0, 0), (1, 0)), constant_values=2)
    targets = np.pad(tokens, ((0, 0), (0, 1)), constant_values=3)
    return ids.astype("int32"), targets.astype("int32")


@wrong("07b.1", says="<eos> comes once")
def inputs_and_targets(tokens):
    ids = np.pad(tokens, ((0, 0), (1, 0)), constant_values=2)
    targets = np.pad(tokens, ((0, 0), (0, 1)))
    targets[targets == 0] = 3
    return ids.astype("int32"), targets.astype("int32")


@wrong("07b.1", says="exchanged")
def inputs_and_targets(tokens):
    ids = np.pad(tokens, ((0, 0), (1, 0)), constant_values=2)
    targets = np.pad(tokens, ((0, 0), (0, 1)))
    targets[np.arange(len(tokens)), (tokens != 0).sum(axis=1)] = 3
    return targets.astype("int32"), ids.astype("int32")


@wrong("07b.1")
def inputs_and_targets(tokens):  # no room for <eos>
    ids = np.roll(tokens, 1, axis=1)
    ids[:, 0] = 2
    return ids.astype("int32"), tokens.astype("int32")


@wrong("07b.1", says="whole numbers")
def inputs_and_targets(tokens):
    ids = np.concatenate([np.full((len(tokens), 1), 2.0), tokens], axis=1)
    targets = np.concatenate([tokens, np.zeros((len(tokens), 1))], axis=1)
    targets[np.arange(len(tokens)), (tokens != 0).sum(axis=1)] = 3
    return ids, targets


@wrong("07b.1")
def inputs_and_targets(tokens):  # <sos> and <eos> exchanged
    ids = np.pad(tokens, ((0, 0), (1, 0)), constant_values=3)
    targets = np.pad(tokens, ((0, 0), (0, 1)))
    targets[np.arange(len(tokens)), (tokens != 0).sum(axis=1)] = 2
    return ids.astype("int32"), targets.astype("int32")


@wrong("07b.1")
def inputs_and_targets(tokens):  # one column too many
    ids = np.pad(tokens, ((0, 0), (1, 1)))
    ids[:, 0] = 2
    targets = np.pad(tokens, ((0, 0), (0, 2)))
    targets[np.arange(len(tokens)), (tokens != 0).sum(axis=1)] = 3
    return ids.astype("int32"), targets.astype("int32")


@wrong("07b.1")
def inputs_and_targets(tokens):  # lists of different lengths
    rows = [[int(word) for word in row if word] for row in tokens]
    return [[2, *row] for row in rows], [[*row, 3] for row in rows]


@wrong("07b.1", says="return (ids, targets)")
def inputs_and_targets(tokens):
    return np.pad(tokens, ((0, 0), (1, 0)), constant_values=2).astype("int32")


@right("07b.2")
class CanvasEncoder(EncoderSettings):
    def make_layers(self):
        self.patches = PatchEmbedding(self.embed_dim, patch=self.patch)
        side = self.side // self.patch
        self.positions = LearnedPositions(side * side)
        self.blocks = []
        for _ in range(self.num_layers):
            block = TransformerEncoderBlock(
                self.embed_dim, self.num_heads, self.mlp_dim, activation="gelu"
            )
            self.blocks.append(block)
        self.norm = layers.LayerNormalization(epsilon=1e-6)

    def call(self, images):
        x = self.patches(images)
        x = self.positions(x)
        for block in self.blocks:
            x = block(x)
        return self.norm(x)


@right("07b.2")
class CanvasEncoder(EncoderSettings):  # made in another order
    def make_layers(self):
        self.norm = layers.LayerNormalization(epsilon=1e-6)
        size = self.embed_dim, self.num_heads, self.mlp_dim
        self.blocks = [
            TransformerEncoderBlock(*size, activation=keras.activations.gelu)
            for _ in range(self.num_layers)
        ]
        self.positions = LearnedPositions(self.side**2 // self.patch**2)
        self.patches = PatchEmbedding(self.embed_dim, self.patch)

    def call(self, images):
        x = self.positions(self.patches(images))
        for number in range(self.num_layers):
            x = self.blocks[number](x)
        x = self.norm(x)
        return x


@right("07b.2")
class CanvasEncoder(EncoderSettings):
    def make_layers(self):
        self.patches = PatchEmbedding(self.embed_dim, self.patch)
        self.positions = LearnedPositions((self.side // self.patch) ** 2, name="E_pos")
        self.blocks = [self.block(number) for number in range(self.num_layers)]
        self.norm = new_norm("final_norm")

    def block(self, number):
        return TransformerEncoderBlock(
            embed_dim=self.embed_dim,
            num_heads=self.num_heads,
            mlp_dim=self.mlp_dim,
            activation="gelu",
            name=f"block_{number}",
        )

    def call(self, images, training=None):
        x = self.positions(self.patches(images))
        for block in self.blocks:
            x = block(x, training=training)
        return self.norm(x)


@right("07b.2")
class CanvasEncoder(EncoderSettings):
    def make_layers(self):
        d, h, m = self.embed_dim, self.num_heads, self.mlp_dim
        self.patches = PatchEmbedding(d, self.patch)
        self.positions = LearnedPositions(max_length=int((self.side / self.patch) ** 2))
        self.blocks = [
            TransformerEncoderBlock(d, h, m, activation="gelu", dropout=0.0)
            for _ in range(self.num_layers)
        ]
        self.norm = layers.LayerNormalization(epsilon=1e-6, name="norm")

    def call(self, images):
        from functools import reduce

        parts = [self.patches, self.positions, *self.blocks, self.norm]
        return reduce(lambda x, part: part(x), parts, images)


@wrong("07b.2", says="positions")
class CanvasEncoder(EncoderSettings):
    def make_layers(self):
        self.patches = PatchEmbedding(self.embed_dim, self.patch)
        self.positions = LearnedPositions(self.side // self.patch)
        size = self.embed_dim, self.num_heads, self.mlp_dim
        self.blocks = [
            TransformerEncoderBlock(*size, activation="gelu") for _ in range(self.num_layers)
        ]
        self.norm = layers.LayerNormalization(epsilon=1e-6)

    def call(self, images):
        x = self.positions(self.patches(images))
        for block in self.blocks:
            x = block(x)
        return self.norm(x)


@wrong("07b.2", says="used repeatedly")
class CanvasEncoder(EncoderSettings):
    def make_layers(self):
        self.patches = PatchEmbedding(self.embed_dim, self.patch)
        self.positions = LearnedPositions((self.side // self.patch) ** 2)
        size = self.embed_dim, self.num_heads, self.mlp_dim
        block = TransformerEncoderBlock(*size, activation="gelu")
        self.blocks = [block for _ in range(self.num_layers)]
        self.norm = layers.LayerNormalization(epsilon=1e-6)

    def call(self, images):
        x = self.positions(self.patches(images))
        for block in self.blocks:
            x = block(x)
        return self.norm(x)


@wrong("07b.2")
class CanvasEncoder(EncoderSettings):  # no list
    def make_layers(self):
        self.patches = PatchEmbedding(self.embed_dim, self.patch)
        self.positions = LearnedPositions((self.side // self.patch) ** 2)
        size = self.embed_dim, self.num_heads, self.mlp_dim
        self.blocks = TransformerEncoderBlock(*size, activation="gelu")
        self.norm = layers.LayerNormalization(epsilon=1e-6)

    def call(self, images):
        return self.norm(self.blocks(self.positions(self.patches(images))))


@wrong("07b.2", says="make_layers has to set")
class CanvasEncoder(EncoderSettings):
    def make_layers(self):
        self.patch_embedding = PatchEmbedding(self.embed_dim, self.patch)
        self.positions = LearnedPositions((self.side // self.patch) ** 2)
        size = self.embed_dim, self.num_heads, self.mlp_dim
        self.blocks = [
            TransformerEncoderBlock(*size, activation="gelu") for _ in range(self.num_layers)
        ]
        self.norm = layers.LayerNormalization(epsilon=1e-6)

    def call(self, images):
        x = self.positions(self.patch_embedding(images))
        for block in self.blocks:
            x = block(x)
        return self.norm(x)


@wrong("07b.2")
class CanvasEncoder(EncoderSettings):  # local names
    def make_layers(self):
        patches = PatchEmbedding(self.embed_dim, self.patch)
        positions = LearnedPositions((self.side // self.patch) ** 2)
        return patches, positions

    def call(self, images):
        return self.norm(self.positions(self.patches(images)))


@wrong("07b.2", says="gelu")
class CanvasEncoder(EncoderSettings):
    def make_layers(self):
        self.patches = PatchEmbedding(self.embed_dim, self.patch)
        self.positions = LearnedPositions((self.side // self.patch) ** 2)
        size = self.embed_dim, self.num_heads, self.mlp_dim
        self.blocks = [TransformerEncoderBlock(*size) for _ in range(self.num_layers)]
        self.norm = layers.LayerNormalization(epsilon=1e-6)

    def call(self, images):
        x = self.positions(self.patches(images))
        for block in self.blocks:
            x = block(x)
        return self.norm(x)


@wrong("07b.2", says="None")
class CanvasEncoder(EncoderSettings):
    def make_layers(self):
        self.patches = PatchEmbedding(self.embed_dim, self.patch)
        self.positions = LearnedPositions((self.side // self.patch) ** 2)
        size = self.embed_dim, self.num_heads, self.mlp_dim
        self.blocks = [
            TransformerEncoderBlock(*size, activation="gelu") for _ in range(self.num_layers)
        ]
        self.norm = layers.LayerNormalization(epsilon=1e-6)

    def call(self, images):
        x = self.positions(self.patches(images))
        for block in self.blocks:
            x = block(x)
        self.norm(x)


@wrong("07b.2")
class CanvasEncoder(EncoderSettings):  # every block reads the patches
    def make_layers(self):
        self.patches = PatchEmbedding(self.embed_dim, self.patch)
        self.positions = LearnedPositions((self.side // self.patch) ** 2)
        size = self.embed_dim, self.num_heads, self.mlp_dim
        self.blocks = [
            TransformerEncoderBlock(*size, activation="gelu") for _ in range(self.num_layers)
        ]
        self.norm = layers.LayerNormalization(epsilon=1e-6)

    def call(self, images):
        tokens = self.positions(self.patches(images))
        for block in self.blocks:
            x = block(tokens)
        return self.norm(x)


@wrong("07b.2")
class CanvasEncoder(EncoderSettings):  # the mean of patches
    def make_layers(self):
        self.patches = PatchEmbedding(self.embed_dim, self.patch)
        self.positions = LearnedPositions((self.side // self.patch) ** 2)
        size = self.embed_dim, self.num_heads, self.mlp_dim
        self.blocks = [
            TransformerEncoderBlock(*size, activation="gelu") for _ in range(self.num_layers)
        ]
        self.norm = layers.LayerNormalization(epsilon=1e-6)

    def call(self, images):
        x = self.positions(self.patches(images))
        for block in self.blocks:
            x = block(x)
        return ops.mean(self.norm(x), axis=1, keepdims=True)


@wrong("07b.2")
class CanvasEncoder(EncoderSettings):  # blocks with a causal mask
    def make_layers(self):
        self.patches = PatchEmbedding(self.embed_dim, self.patch)
        self.positions = LearnedPositions((self.side // self.patch) ** 2)
        size = self.embed_dim, self.num_heads, self.mlp_dim
        self.blocks = [
            TransformerEncoderBlock(*size, activation="gelu", dropout=0.1)
            for _ in range(self.num_layers)
        ]
        self.norm = layers.LayerNormalization(epsilon=1e-6)

    def call(self, images):
        x = self.positions(self.patches(images))
        for block in self.blocks:
            x = block(x)
        return self.norm(x)


@wrong("07b.2", says="blocks")
class CanvasEncoder(EncoderSettings):
    def make_layers(self):
        self.patches = PatchEmbedding(self.embed_dim, self.patch)
        self.positions = LearnedPositions((self.side // self.patch) ** 2)
        size = self.embed_dim, self.num_heads, self.mlp_dim
        self.blocks = [TransformerEncoderBlock(*size, activation="gelu")]
        self.norm = layers.LayerNormalization(epsilon=1e-6)

    def call(self, images):
        x = self.positions(self.patches(images))
        for block in self.blocks:
            x = block(x)
        return self.norm(x)


@right("07b.3")
def masked_loss(targets, logits):
    losses = keras.losses.sparse_categorical_crossentropy(targets, logits, from_logits=True)
    mask = ops.cast(targets != 0, "float32")
    return ops.sum(mask * losses) / ops.sum(mask)


@right("07b.3")
def masked_loss(targets, logits):
    targets = ops.cast(targets, "int32")
    log_p = ops.log_softmax(logits)
    chosen = ops.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    mask = ops.cast(targets > 0, log_p.dtype)
    return -ops.sum(chosen * mask) / ops.sum(mask)


@right("07b.3")
def masked_loss(targets, logits):
    loss = keras.losses.SparseCategoricalCrossentropy(
        from_logits=True, ignore_class=0, reduction="sum"
    )
    real = ops.sum(ops.cast(ops.not_equal(targets, 0), "float32"))
    return loss(targets, logits) / real


@right("07b.3")
def masked_loss(targets, logits):
    one_hot = ops.one_hot(ops.cast(targets, "int32"), logits.shape[-1])
    losses = ops.logsumexp(logits, axis=-1) - ops.sum(one_hot * logits, axis=-1)
    real = 1 - one_hot[..., 0]
    return ops.mean(losses * real) / ops.mean(real)


@wrong("07b.3", says="pads")
def masked_loss(targets, logits):
    return keras.losses.SparseCategoricalCrossentropy(from_logits=True)(targets, logits)


@right("07b.3")
def masked_loss(targets, logits):  # Keras' own mean leaves out what is ignored
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0)
    return loss(targets, logits)


@wrong("07b.3", says="float()")
def masked_loss(targets, logits):
    losses = keras.losses.sparse_categorical_crossentropy(targets, logits, from_logits=True)
    mask = ops.cast(targets != 0, "float32")
    return ops.sum(losses * mask) / float(ops.sum(mask))


@wrong("07b.3", says="without a softmax")
def masked_loss(targets, logits):  # a softmax too many
    losses = keras.losses.sparse_categorical_crossentropy(
        targets, ops.softmax(logits), from_logits=True
    )
    real = ops.cast(ops.not_equal(targets, 0), losses.dtype)
    return ops.sum(losses * real) / ops.sum(real)


@wrong("07b.3", says="without a softmax")
def masked_loss(targets, logits):  # a softmax too many, by a layer
    losses = keras.losses.sparse_categorical_crossentropy(
        targets, layers.Softmax()(logits), from_logits=True
    )
    real = ops.cast(ops.not_equal(targets, 0), losses.dtype)
    return ops.sum(losses * real) / ops.sum(real)


@wrong("07b.3", says="from_logits")
def masked_loss(targets, logits):
    losses = keras.losses.sparse_categorical_crossentropy(targets, logits)
    real = ops.cast(ops.not_equal(targets, 0), losses.dtype)
    return ops.sum(losses * real) / ops.sum(real)


@wrong("07b.3", says="Keras")
def masked_loss(targets, logits):
    logits, targets = ops.convert_to_numpy(logits), ops.convert_to_numpy(targets).astype(int)
    log_p = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    losses = -np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    return losses[targets != 0].mean()


@wrong("07b.3", says="one number")
def masked_loss(targets, logits):
    losses = keras.losses.sparse_categorical_crossentropy(targets, logits, from_logits=True)
    return losses * ops.cast(ops.not_equal(targets, 0), losses.dtype)


@wrong("07b.3")
def masked_loss(targets, logits):  # the sign
    log_p = ops.log_softmax(logits)
    indices = ops.cast(targets, "int32")[..., None]
    chosen = ops.take_along_axis(log_p, indices, axis=-1)[..., 0]
    mask = ops.cast(targets != 0, log_p.dtype)
    return ops.sum(chosen * mask) / ops.sum(mask)


@wrong("07b.3")
def masked_loss(targets, logits):  # logits are hidden, not losses
    mask = ops.cast(ops.not_equal(targets, 0), "float32")[..., None]
    losses = keras.losses.sparse_categorical_crossentropy(
        targets, logits * mask, from_logits=True
    )
    return ops.mean(losses)


@wrong("07b.3", says="None")
def masked_loss(targets, logits):
    losses = keras.losses.sparse_categorical_crossentropy(targets, logits, from_logits=True)
    real = ops.cast(ops.not_equal(targets, 0), losses.dtype)
    ops.sum(losses * real) / ops.sum(real)


@wrong("07b.3")
def masked_loss(targets, logits):  # the root of a square
    mask = ops.cast(ops.not_equal(targets, 0), "float32")
    one_hot = ops.one_hot(ops.cast(targets, "int32"), logits.shape[-1])
    errors = ops.mean((ops.softmax(logits) - one_hot) ** 2, axis=-1)
    return ops.sum(errors * mask) / ops.sum(mask)


@wrong("07b.3")
def masked_loss(targets, logits):  # bits
    losses = keras.losses.sparse_categorical_crossentropy(targets, logits, from_logits=True)
    real = ops.cast(ops.not_equal(targets, 0), losses.dtype)
    return ops.sum(losses * real) / ops.sum(real) / np.log(2)


@right("07b.4")
def greedy(logits_of, texts, max_length):
    written = np.zeros((texts, max_length), "int32")
    ended = np.zeros(texts, bool)
    for k in range(max_length):
        ids = np.zeros((texts, max_length), "int32")
        ids[:, 0], ids[:, 1 : k + 1] = 2, written[:, :k]
        tokens = np.argmax(logits_of(ids)[:, k], axis=-1)
        written[~ended, k] = tokens[~ended]
        ended |= tokens == 3
    return written


@right("07b.4")
def greedy(logits_of, texts, max_length):
    ids = np.zeros((texts, max_length), "int32")
    ids[:, 0] = 2
    columns = []
    for k in range(max_length):
        tokens = logits_of(ids)[:, k, :].argmax(-1).astype("int32")
        done = np.any(np.array(columns) == 3, axis=0) if columns else np.zeros(texts, bool)
        tokens[done] = 0
        columns.append(tokens)
        if k + 1 < max_length:
            ids[:, k + 1] = tokens
    return np.stack(columns, axis=1)


@right("07b.4")
def greedy(logits_of, texts, max_length):  # what comes after <eos> is removed at the end
    ids = np.zeros((texts, max_length), "int32")
    ids[:, 0] = 2
    for k in range(max_length - 1):
        ids[:, k + 1] = logits_of(ids)[:, k].argmax(axis=1)
    last = logits_of(ids)[:, -1].argmax(axis=1)
    written = np.column_stack([ids[:, 1:], last]).astype("int32")
    for row in written:
        ends = np.flatnonzero(row == 3)
        if len(ends):
            row[ends[0] + 1 :] = 0
    return written


@right("07b.4")
def greedy(logits_of, texts, max_length):  # stops when all have ended
    ids = np.zeros((texts, max_length + 1), "int32")
    ids[:, 0], alive = 2, np.ones(texts, bool)
    for k in range(max_length):
        if not alive.any():
            break
        logits = logits_of(ids[:, :max_length])
        ids[:, k + 1] = alive * np.argmax(logits[:, k], axis=-1)
        alive &= ids[:, k + 1] != 3
    return ids[:, 1:]


@wrong("07b.4", says="NumPy array is asked for")
def greedy(logits_of, texts, max_length):
    ids = ops.pad(ops.full((texts, 1), 2, "int32"), ((0, 0), (0, max_length)))
    for k in range(max_length):
        tokens = ops.cast(ops.argmax(logits_of(ids[:, :-1])[:, k], axis=-1), "int32")
        tokens = ops.where(ops.any(ids == 3, axis=1), 0, tokens)
        ids = ops.slice_update(ids, (0, k + 1), tokens[:, None])
    return ids[:, 1:]


@wrong("07b.4", says="not known yet is 0")
def greedy(logits_of, texts, max_length):
    ids = np.full((texts, max_length + 1), 3, "int32")
    ids[:, 0], alive = 2, np.ones(texts, bool)
    for k in range(max_length):
        ids[:, k + 1] = alive * np.argmax(logits_of(ids[:, :-1])[:, k], axis=-1)
        alive &= ids[:, k + 1] != 3
    return ids[:, 1:]


@wrong("07b.4", says="not known yet is 0")
def greedy(logits_of, texts, max_length):
    ids = np.full((texts, max_length + 1), 2, "int32")
    alive = np.ones(texts, bool)
    for k in range(max_length):
        ids[:, k + 1] = alive * np.argmax(logits_of(ids[:, :-1])[:, k], axis=-1)
        alive &= ids[:, k + 1] != 3
    return ids[:, 1:]


@wrong("07b.4", says="<sos>, 2")
def greedy(logits_of, texts, max_length):
    ids = np.zeros((texts, max_length + 1), "int32")
    for k in range(max_length):
        ids[:, k + 1] = logits_of(ids[:, :-1])[:, k].argmax(axis=-1)
    return ids[:, 1:]


@wrong("07b.4", says="at every call")
def greedy(logits_of, texts, max_length):
    ids = np.full((texts, 1), 2, "int32")
    for _ in range(max_length):
        tokens = logits_of(ids)[:, -1].argmax(axis=-1)
        ids = np.column_stack([ids, tokens])
    return ids[:, 1:]


@wrong("07b.4", says="a text has 0")
def greedy(logits_of, texts, max_length):
    ids = np.zeros((texts, max_length + 1), "int32")
    ids[:, 0] = 2
    for k in range(max_length):
        ids[:, k + 1] = logits_of(ids[:, :-1])[:, k].argmax(axis=-1)
    return ids[:, 1:]


@wrong("07b.4", says="does not end the others")
def greedy(logits_of, texts, max_length):
    ids = np.zeros((texts, max_length + 1), "int32")
    ids[:, 0] = 2
    for k in range(max_length):
        if (ids == 3).any():
            break
        ids[:, k + 1] = logits_of(ids[:, :-1])[:, k].argmax(axis=-1)
    return ids[:, 1:]


@wrong("07b.4")
def greedy(logits_of, texts, max_length):  # the logits, not the ids
    ids = np.zeros((texts, max_length + 1), "int32")
    ids[:, 0] = 2
    for k in range(max_length):
        ids[:, k + 1] = logits_of(ids[:, :-1])[:, k].max(axis=-1)
    return ids[:, 1:]


@wrong("07b.4")
def greedy(logits_of, texts, max_length):  # along the wrong axis
    ids = np.zeros((texts, max_length + 1), "int32")
    ids[:, 0] = 2
    for k in range(max_length):
        ids[:, k + 1] = logits_of(ids[:, :-1])[:, :, k].argmax(axis=-1)
    return ids[:, 1:]


@wrong("07b.4")
def greedy(logits_of, texts, max_length):  # words alone, no <eos>
    ids = np.zeros((texts, max_length + 1), "int32")
    ids[:, 0], alive = 2, np.ones(texts, bool)
    for k in range(max_length):
        tokens = logits_of(ids[:, :-1])[:, k].argmax(axis=-1)
        alive &= tokens != 3
        ids[:, k + 1] = alive * tokens
    return ids[:, 1:]


@wrong("07b.4", says="<sos>")
def greedy(logits_of, texts, max_length):  # <sos> comes back
    ids = np.zeros((texts, max_length), "int32")
    ids[:, 0], alive = 2, np.ones(texts, bool)
    for k in range(max_length - 1):
        ids[:, k + 1] = alive * logits_of(ids)[:, k].argmax(axis=-1)
        alive &= ids[:, k + 1] != 3
    return ids


@wrong("07b.4", says="does not stop")
def greedy(logits_of, texts, max_length):
    ids = np.zeros((texts, max_length + 1), "int32")
    ids[:, 0] = 2
    while not (ids == 3).any(axis=1).all():
        for k in range(max_length):
            ids[:, k + 1] = logits_of(ids[:, :-1])[:, k].argmax(axis=-1)
            ids[:, k + 2 :] = 0
        if (ids == 3).any(axis=1).all():
            break
    return ids[:, 1:]


@right("07b.6")
def weights_by_cell(weights, grid):
    side = int(np.sqrt(weights.shape[-1]))
    maps = weights.reshape(*weights.shape[:-1], side, side)
    inside = side // grid
    cells = [
        maps[..., r * inside : (r + 1) * inside, c * inside : (c + 1) * inside].sum((-2, -1))
        for r in range(grid)
        for c in range(grid)
    ]
    return np.stack(cells, axis=-1)


@right("07b.6")
def weights_by_cell(weights, grid):
    side = round(weights.shape[-1] ** 0.5)
    place = np.arange(side) * grid // side
    cell = (grid * place[:, None] + place).ravel()
    return weights @ np.eye(grid * grid)[cell]


@right("07b.6")
def weights_by_cell(weights, grid):
    S = weights.shape[-1]
    side = round(S**0.5)
    result = np.zeros((*weights.shape[:-1], grid * grid))
    for s in range(S):
        row, column = divmod(s, side)
        cell = row // (side // grid) * grid + column // (side // grid)
        result[..., cell] += weights[..., s]
    return result


@right("07b.6")
def weights_by_cell(weights, grid):
    *before, S = weights.shape
    n = round(S**0.5) // grid
    parts = np.moveaxis(weights.reshape(*before, grid, n, grid, n), -3, -2)
    return parts.reshape(*before, grid * grid, n * n).sum(axis=-1)


@wrong("07b.6", says="student's version")
def weights_by_cell(weights, grid):
    inside = round(weights.shape[-1] ** 0.5) // grid
    parts = weights.reshape(*weights.shape[:-1], grid * grid, inside, inside)
    return parts.sum(axis=(-2, -1))


@wrong("07b.6")
def weights_by_cell(weights, grid):  # the grid remains
    inside = round(weights.shape[-1] ** 0.5) // grid
    parts = weights.reshape(*weights.shape[:-1], grid, inside, grid, inside)
    return parts.sum(axis=(-3, -1))


@wrong("07b.6", says="sum them")
def weights_by_cell(weights, grid):
    inside = round(weights.shape[-1] ** 0.5) // grid
    parts = weights.reshape(*weights.shape[:-1], grid, inside, grid, inside)
    return parts.mean(axis=(-3, -1)).reshape(*weights.shape[:-1], grid**2)


@wrong("07b.6")
def weights_by_cell(weights, grid):  # the largest
    inside = round(weights.shape[-1] ** 0.5) // grid
    parts = weights.reshape(*weights.shape[:-1], grid, inside, grid, inside)
    return parts.max(axis=(-3, -1)).reshape(*weights.shape[:-1], grid**2)


@wrong("07b.6")
def weights_by_cell(weights, grid):  # grid and inside exchanged
    inside = round(weights.shape[-1] ** 0.5) // grid
    parts = weights.reshape(*weights.shape[:-1], inside, grid, inside, grid)
    return parts.sum(axis=(-4, -2)).reshape(*weights.shape[:-1], grid**2)


@wrong("07b.6")
def weights_by_cell(weights, grid):  # always two by two
    inside = round(weights.shape[-1] ** 0.5) // 2
    parts = weights.reshape(*weights.shape[:-1], 2, inside, 2, inside)
    return parts.sum(axis=(-3, -1)).reshape(*weights.shape[:-1], 4)


@wrong("07b.6")
def weights_by_cell(weights, grid):  # only of steps
    inside = round(weights.shape[1] ** 0.5) // grid
    parts = weights.reshape(len(weights), grid, inside, grid, inside)
    return parts.sum(axis=(2, 4)).reshape(len(weights), grid**2)


@wrong("07b.6")
def weights_by_cell(weights, grid):  # normalised once more
    inside = round(weights.shape[-1] ** 0.5) // grid
    parts = weights.reshape(*weights.shape[:-1], grid, inside, grid, inside)
    cells = parts.sum(axis=(-3, -1)).reshape(*weights.shape[:-1], grid**2)
    return np.exp(cells) / np.exp(cells).sum(axis=-1, keepdims=True)


@wrong("07b.6")
def weights_by_cell(weights, grid):  # added up over the steps
    inside = round(weights.shape[-1] ** 0.5) // grid
    parts = weights.reshape(-1, grid, inside, grid, inside)
    return parts.sum(axis=(0, 2, 4)).ravel()


@wrong("07b.6")
def weights_by_cell(weights, grid):  # rows of cells alone
    return weights.reshape(*weights.shape[:-1], grid, -1).sum(axis=-1)


@wrong("07b.6")
def weights_by_cell(weights, grid):  # a float as a size
    inside = weights.shape[-1] ** 0.5 / grid
    parts = weights.reshape(*weights.shape[:-1], grid, inside, grid, inside)
    return parts.sum(axis=(-3, -1)).reshape(*weights.shape[:-1], grid**2)


@right("07b.7")
def effect_of_blanking(write, images, grid):
    whole = write(images)
    side = images.shape[1] // grid
    rows = []
    for cell in range(grid * grid):
        row, column = divmod(cell, grid)
        mask = np.ones((*images.shape[1:3], 1))
        mask[row * side : (row + 1) * side, column * side : (column + 1) * side] = 0
        rows.append(np.mean(write(images * mask) != whole, axis=0))
    return np.stack(rows)


@right("07b.7")
def effect_of_blanking(write, images, grid):
    whole = write(images)
    side = images.shape[2] // grid
    effects = np.zeros((grid**2, whole.shape[1]))
    for r in range(grid):
        for c in range(grid):
            blank = np.array(images)
            blank[:, r * side : r * side + side, c * side : c * side + side, :] = 0
            effects[r * grid + c] = (write(blank) != whole).sum(axis=0) / len(images)
    return effects


@right("07b.7")
def effect_of_blanking(write, images, grid):
    n, side, _, channels = images.shape
    s = side // grid
    cells = images.reshape(n, grid, s, grid, s, channels)
    found = []
    for r, c in np.ndindex(grid, grid):
        blank = cells.copy()
        blank[:, r, :, c] = 0
        found.append((write(blank.reshape(images.shape)) != write(images)).mean(0))
    return np.array(found)


@right("07b.7")
def effect_of_blanking(write, images, grid):
    cell = np.arange(images.shape[1]) // (images.shape[1] // grid)
    cell = grid * cell[:, None] + cell
    blanks = [np.where((cell == k)[..., None], 0, images) for k in range(grid**2)]
    return np.array([1 - (write(b) == write(images)).mean(axis=0) for b in blanks])


@wrong("07b.7", says="NumPy array is asked for")
def effect_of_blanking(write, images, grid):
    before, side, effects = write(images), images.shape[1] // grid, []
    for row, column in np.ndindex(grid, grid):
        blank = images.copy()
        blank[:, row * side : (row + 1) * side, column * side : (column + 1) * side] = 0
        effects.append((write(blank) != before).mean(axis=0))
    return effects


@wrong("07b.7")
def effect_of_blanking(write, images, grid):  # the canvas is changed
    whole, side = write(images), images.shape[1] // grid
    effects = []
    for r, c in np.ndindex(grid, grid):
        images[:, r * side : (r + 1) * side, c * side : (c + 1) * side] = 0
        effects.append((write(images) != whole).mean(axis=0))
    return np.array(effects)


@wrong("07b.7", says="whole images")
def effect_of_blanking(write, images, grid):  # more and more cells
    whole, side, blank = write(images), images.shape[1] // grid, images.copy()
    effects = []
    for r, c in np.ndindex(grid, grid):
        blank[:, r * side : (r + 1) * side, c * side : (c + 1) * side] = 0
        effects.append((write(blank) != whole).mean(axis=0))
    return np.array(effects)


@wrong("07b.7")
def effect_of_blanking(write, images, grid):  # all but one cell
    whole, side = write(images), images.shape[1] // grid
    effects = []
    for r, c in np.ndindex(grid, grid):
        blank = np.zeros_like(images)
        cell = slice(r * side, (r + 1) * side), slice(c * side, (c + 1) * side)
        blank[:, *cell] = images[:, *cell]
        effects.append((write(blank) != whole).mean(axis=0))
    return np.array(effects)


@wrong("07b.7")
def effect_of_blanking(write, images, grid):  # white, not 0
    whole, side = write(images), images.shape[1] // grid
    effects = []
    for r, c in np.ndindex(grid, grid):
        blank = images.copy()
        blank[:, r * side : (r + 1) * side, c * side : (c + 1) * side] = 1
        effects.append((write(blank) != whole).mean(axis=0))
    return np.array(effects)


@wrong("07b.7", says="divide by the number")
def effect_of_blanking(write, images, grid):
    whole, side = write(images), images.shape[1] // grid
    effects = []
    for r, c in np.ndindex(grid, grid):
        blank = images.copy()
        blank[:, r * side : (r + 1) * side, c * side : (c + 1) * side] = 0
        effects.append((write(blank) != whole).sum(axis=0))
    return np.array(effects)


@wrong("07b.7")
def effect_of_blanking(write, images, grid):  # one share a cell
    whole, side = write(images), images.shape[1] // grid
    effects = []
    for r, c in np.ndindex(grid, grid):
        blank = images.copy()
        blank[:, r * side : (r + 1) * side, c * side : (c + 1) * side] = 0
        effects.append((write(blank) != whole).any(axis=1).mean())
    return np.array(effects)


@wrong("07b.7")
def effect_of_blanking(write, images, grid):  # a fixed size
    whole = write(images)
    effects = []
    for r, c in np.ndindex(grid, grid):
        blank = images.copy()
        blank[:, r * 8 : (r + 1) * 8, c * 8 : (c + 1) * 8] = 0
        effects.append((write(blank) != whole).mean(axis=0))
    return np.array(effects)


@wrong("07b.7")
def effect_of_blanking(write, images, grid):  # a grid of cells and steps
    whole, side = write(images), images.shape[1] // grid
    effects = np.zeros((grid, grid, whole.shape[1]))
    for r, c in np.ndindex(grid, grid):
        blank = images.copy()
        blank[:, r * side : (r + 1) * side, c * side : (c + 1) * side] = 0
        effects[r, c] = (write(blank) != whole).mean(axis=0)
    return effects


@wrong("07b.7", says="row by row")
def effect_of_blanking(write, images, grid):
    whole, side = write(images), images.shape[1] // grid
    effects = []
    for c, r in np.ndindex(grid, grid):
        blank = images.copy()
        blank[:, r * side : (r + 1) * side, c * side : (c + 1) * side] = 0
        effects.append((write(blank) != whole).mean(axis=0))
    return np.array(effects)


@wrong("07b.7")
def effect_of_blanking(write, images, grid):  # one pixel less
    whole, side = write(images), images.shape[1] // grid
    effects = []
    for r, c in np.ndindex(grid, grid):
        blank = images.copy()
        blank[:, r * side : (r + 1) * side - 1, c * side : (c + 1) * side - 1] = 0
        effects.append((write(blank) != whole).mean(axis=0))
    return np.array(effects)


@wrong("07b.7")
def effect_of_blanking(write, images, grid):  # how far the ids move
    whole, side = write(images), images.shape[1] // grid
    effects = []
    for r, c in np.ndindex(grid, grid):
        blank = images.copy()
        blank[:, r * side : (r + 1) * side, c * side : (c + 1) * side] = 0
        effects.append(np.abs(write(blank) - whole).mean(axis=0))
    return np.array(effects)


@right("07b.8")
def share_after(logits_of, ids, place, colour=None):
    forced = np.array(ids)
    if colour:
        forced[:, place] = colour
    return float(np.mean(logits_of(forced)[:, place].argmax(-1) == forced[:, place + 1]))


@right("07b.8")
def share_after(logits_of, ids, place, colour=None):
    columns = np.arange(ids.shape[1]) == place
    forced = ids if colour is None else np.where(columns, colour, ids)
    said = np.argmax(logits_of(forced), axis=-1)
    return np.mean(said[:, place] == ids[:, place + 1])


@right("07b.8")
def share_after(logits_of, ids, place, colour=None):
    forced = ids.copy()
    forced[:, place] = ids[:, place] if colour is None else colour
    logits = logits_of(forced)
    hits = [logits[i, place].argmax() == ids[i, place + 1] for i in range(len(ids))]
    return sum(hits) / len(hits)


@right("07b.8")
def share_after(logits_of, ids, place, colour=None):
    before, _, after = np.split(ids, [place, place + 1], axis=1)
    middle = ids[:, [place]] if colour is None else np.full((len(ids), 1), colour)
    logits = logits_of(np.concatenate([before, middle, after], axis=1))
    return (logits[:, place].argmax(axis=1) == after[:, 0]).mean()


@wrong("07b.8")
def share_after(logits_of, ids, place, colour=None):  # ids are changed
    if colour is not None:
        ids[:, place] = colour
    return (logits_of(ids)[:, place].argmax(axis=-1) == ids[:, place + 1]).mean()


@wrong("07b.8", says="was not exchanged")
def share_after(logits_of, ids, place, colour=None):
    return (logits_of(ids)[:, place].argmax(axis=-1) == ids[:, place + 1]).mean()


@wrong("07b.8")
def share_after(logits_of, ids, place, colour=None):  # None is written as an id
    forced = ids.copy()
    forced[:, place] = colour
    return (logits_of(forced)[:, place].argmax(axis=-1) == ids[:, place + 1]).mean()


@wrong("07b.8", says="that is the colour")
def share_after(logits_of, ids, place, colour=None):
    forced = ids.copy()
    if colour is not None:
        forced[:, place] = colour
    return (logits_of(forced)[:, place - 1].argmax(axis=-1) == ids[:, place]).mean()


@wrong("07b.8")
def share_after(logits_of, ids, place, colour=None):  # the next position's logits
    forced = ids.copy()
    if colour is not None:
        forced[:, place] = colour
    return (logits_of(forced)[:, place + 1].argmax(axis=-1) == ids[:, place + 1]).mean()


@wrong("07b.8", says="divide by the number of images")
def share_after(logits_of, ids, place, colour=None):
    forced = ids.copy()
    if colour is not None:
        forced[:, place] = colour
    return (logits_of(forced)[:, place].argmax(axis=-1) == ids[:, place + 1]).sum()


@wrong("07b.8")
def share_after(logits_of, ids, place, colour=None):  # the share that says the forced colour
    forced = ids.copy()
    if colour is not None:
        forced[:, place] = colour
    return (logits_of(forced)[:, place].argmax(axis=-1) == colour).mean()


@wrong("07b.8")
def share_after(logits_of, ids, place, colour=None):  # an image a number
    forced = ids.copy()
    if colour is not None:
        forced[:, place] = colour
    return logits_of(forced)[:, place].argmax(axis=-1) == ids[:, place + 1]


@wrong("07b.8", says="use `place`")
def share_after(logits_of, ids, place, colour=None):
    forced = ids.copy()
    if colour is not None:
        forced[:, 2] = colour
    return (logits_of(forced)[:, 2].argmax(axis=-1) == ids[:, 3]).mean()


@wrong("07b.8", says="None")
def share_after(logits_of, ids, place, colour=None):
    if colour is not None:
        forced = ids.copy()
        forced[:, place] = colour
        return (logits_of(forced)[:, place].argmax(axis=-1) == ids[:, place + 1]).mean()


@wrong("07b.8")
def share_after(logits_of, ids, place, colour=None):  # the whole caption
    forced = ids.copy()
    if colour is not None:
        forced[:, place] = colour
    said = logits_of(forced).argmax(axis=-1)
    return (said[:, :-1] == ids[:, 1:]).all(axis=1).mean()


@wrong("07b.8")
def share_after(logits_of, ids, place, colour=None):  # the texts are cut
    forced = ids[:, : place + 1].copy()
    if colour is not None:
        forced[:, place] = colour
    return (logits_of(forced)[:, -1].argmax(axis=-1) == ids[:, place]).mean()


@right("07b.5", trains=True)
def compile_reader(model, steps):
    rate = schedules.WarmupCosine(0.004, steps)
    model.compile(keras.optimizers.Adam(rate, global_clipnorm=1.0), loss=masked_loss)
    return model


@right("07b.5", trains=True)
def compile_reader(model, steps):
    model.compile(
        optimizer=keras.optimizers.Nadam(0.003), loss=[masked_loss], jit_compile=False
    )
    return model


@wrong("07b.5", says="pads", trains=True)
def compile_reader(model, steps):
    model.compile(
        keras.optimizers.Adam(0.004),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    )
    return model


@wrong("07b.5", says="return the model", trains=True)
def compile_reader(model, steps):
    model.compile(keras.optimizers.Adam(0.004), masked_loss)


@wrong("07b.5", says="compile", trains=True)
def compile_reader(model, steps):
    return model


@wrong("07b.5", says="from_logits", trains=True)
def compile_reader(model, steps):
    model.compile(keras.optimizers.Adam(0.004), "sparse_categorical_crossentropy")
    return model


@wrong("07b.5", says="learning rate", trains=True)
def compile_reader(model, steps):
    model.compile(keras.optimizers.SGD(0.0001), masked_loss)
    return model


@right("07b.1")
def inputs_and_targets(tokens):
    shape = (len(tokens), tokens.shape[1] + 1)
    ids, targets = np.full(shape, 2, "int32"), np.zeros(shape, "int32")
    ids[:, 1:] = tokens
    for text in range(len(tokens)):
        count = int((tokens[text] > 0).sum())
        targets[text, :count], targets[text, count] = tokens[text, :count], 3
    return ids, targets


@right("07b.6")
def weights_by_cell(weights, grid):
    side = round(weights.shape[-1] ** 0.5)
    maps = weights.reshape(*weights.shape[:-1], side, side)
    edges = np.arange(0, side, side // grid)
    cells = np.add.reduceat(np.add.reduceat(maps, edges, axis=-2), edges, axis=-1)
    return cells.reshape(*weights.shape[:-1], grid * grid)


@right("07b.8")
def share_after(logits_of, ids, place, colour=None):
    forced = ids.copy()
    forced[:, place] = forced[:, place] if colour is None else colour
    ranks = np.argsort(-logits_of(forced)[:, place], axis=1, kind="stable")
    return np.count_nonzero(ranks[:, 0] == ids[:, place + 1]) / len(ids)


@wrong("07b.1", "NumPy arrays")
def inputs_and_targets(tokens):
    ids = [[2, *row] for row in tokens.tolist()]
    targets = [[*row, 0] for row in tokens.tolist()]
    for row in targets:
        row[np.count_nonzero(row)] = 3
    return ids, targets


@wrong("07b.2", "cannot be built")
def call(self, images):
    x = self.positions(self.patches(images))
    for block in self.blocks:
        x = block(x)
    return ops.convert_to_tensor(np.array(self.norm(x)))


@wrong("07b.2", "do not learn")
def make_layers(self):
    self.patches = PatchEmbedding(self.embed_dim, self.patch)
    self.positions = LearnedPositions((self.side // self.patch) ** 2)
    how = {"num_heads": self.num_heads, "mlp_dim": self.mlp_dim, "activation": "gelu"}
    self.blocks = [
        TransformerEncoderBlock(self.embed_dim, **how) for _ in range(self.num_layers)
    ]
    self.norm = layers.LayerNormalization(epsilon=1e-6, trainable=False)


@wrong("07b.2")
def make_layers(self):
    self.patches = PatchEmbedding(self.embed_dim, self.patch)
    self.positions = LearnedPositions((self.side // self.patch) ** 2)
    how = {"num_heads": 2, "mlp_dim": 7, "activation": "gelu"}
    self.blocks = [
        TransformerEncoderBlock(self.embed_dim, **how) for _ in range(self.num_layers)
    ]
    self.norm = layers.LayerNormalization(epsilon=1e-6)


@wrong("07b.4")
def greedy(logits_of, texts, max_length):
    ids = np.zeros((texts, max_length + 1), "int32")
    ids[:, 0] = 2
    for k in range(max_length):
        tokens = np.squeeze(logits_of(ids[:, :-1])[:, k]).argmax(axis=-1)
        if np.ndim(tokens) == 0:  # one text
            return ids[0, 1:]
        ended = (ids[:, : k + 1] == 3).any(axis=1)
        ids[:, k + 1] = np.where(ended, 0, tokens)
    return ids[:, 1:]


@right("07b.3")
def masked_loss(targets, logits):
    logits = logits - ops.max(logits, axis=-1, keepdims=True)
    powers = ops.exp(logits)
    p = powers / ops.sum(powers, axis=-1, keepdims=True)
    asked = ops.cast(targets, "int32")[..., None]
    losses = -ops.log(ops.take_along_axis(p, asked, axis=-1)[..., 0])
    real = ops.cast(targets != 0, losses.dtype)
    return ops.sum(losses * real) / ops.sum(real)


@wrong("07b.3", "train as it should")
def masked_loss(targets, logits):
    losses = keras.losses.sparse_categorical_crossentropy(
        targets, ops.stop_gradient(logits), from_logits=True
    )
    real = ops.cast(targets != 0, losses.dtype)
    return ops.sum(losses * real) / ops.sum(real)


@right("07b.8")
def share_after(logits_of, ids, place, colour=None):  # the texts end with the colour
    prefix = ids[:, : place + 1].copy()
    if colour is not None:
        prefix[:, -1] = colour
    return (logits_of(prefix)[:, -1].argmax(axis=-1) == ids[:, place + 1]).mean()


@wrong("07b.5", says="no more", trains=True)
def compile_reader(model, steps):
    model.compile(keras.optimizers.AdamW(0.004, global_clipnorm=1.0), masked_loss)
    images = load_canvases()
    model.fit(images.train.inputs, images.train.targets, epochs=1, verbose=0)
    return model
