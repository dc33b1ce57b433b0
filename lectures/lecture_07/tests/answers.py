"""Answers to lecture 07's exercises: right ones written differently, and wrong ones."""

import keras
import numpy as np
from answers import right, wrong
from keras import layers, ops

import course_utils as cu
from course_utils import schedules
from course_utils.data.base import one_of
from course_utils.data.images import sides
from course_utils.layers import LearnedPositions, TransformerEncoderBlock
from course_utils.layers.transformer import new_norm
from course_utils.layers.vision import FrontToken, PatchLayer
from lectures.lecture_07 import from_patches, to_patches


@right("07.1")
class PatchEmbedding(PatchLayer):
    def build(self, images_shape):
        self.project = layers.Dense(self.embed_dim)
        self.project.build((None, None, self.patch**2 * images_shape[-1]))

    def call(self, images):
        self.check(images.shape)
        _, height, width, c = images.shape
        p = self.patch
        x = ops.reshape(images, (-1, height // p, p, width // p, p, c))
        x = ops.transpose(x, (0, 1, 3, 2, 4, 5))
        return self.project(ops.reshape(x, (-1, height * width // p**2, p * p * c)))


@right("07.1")
class PatchEmbedding(PatchLayer):
    def build(self, images_shape):
        self.convolution = layers.Conv2D(
            self.embed_dim, self.patch, strides=self.patch, data_format="channels_last"
        )
        self.convolution.build(images_shape)

    def call(self, images):
        self.check(images.shape)
        grid = self.convolution(images)
        return ops.reshape(grid, (ops.shape(grid)[0], -1, self.embed_dim))


@right("07.1")
class PatchEmbedding(PatchLayer):  # its own weights
    def build(self, images_shape):
        rows = self.patch * self.patch * images_shape[-1]
        self.E = self.add_weight(shape=(rows, self.embed_dim), name="E")
        self.b = self.add_weight(shape=(self.embed_dim,), initializer="zeros", name="b")

    def call(self, images):
        self.check(images.shape)
        p, (height, width, c) = self.patch, images.shape[1:]
        x = ops.reshape(images, (-1, height // p, p, width // p, p * c))
        x = ops.reshape(ops.swapaxes(x, 2, 3), (-1, height // p * (width // p), p * p * c))
        return x @ self.E + self.b


@right("07.1")
class PatchEmbedding(PatchLayer):
    def __init__(self, embed_dim, patch, **kwargs):
        super().__init__(embed_dim, patch, **kwargs)
        self.network = keras.Sequential(
            [
                layers.Conv2D(embed_dim, patch, strides=patch),
                layers.Reshape((-1, embed_dim)),
            ]
        )

    def build(self, images_shape):
        self.network.build(images_shape)

    def call(self, images):
        self.check(images.shape)
        return self.network(images)


@wrong("07.1", says="E first")
class PatchEmbedding(PatchLayer):
    def build(self, images_shape):
        rows = self.patch * self.patch * images_shape[-1]
        self.b = self.add_weight(shape=(self.embed_dim,), initializer="zeros", name="b")
        self.E = self.add_weight(shape=(rows, self.embed_dim), name="E")

    def call(self, images):
        self.check(images.shape)
        p, (height, width, c) = self.patch, images.shape[1:]
        x = ops.reshape(images, (-1, height // p, p, width // p, p * c))
        x = ops.reshape(ops.swapaxes(x, 2, 3), (-1, height // p * (width // p), p * p * c))
        return x @ self.E + self.b


@wrong("07.1", says="stripes")
class PatchEmbedding(PatchLayer):
    def build(self, images_shape):
        self.project = layers.Dense(self.embed_dim)
        self.project.build((None, None, self.patch**2 * images_shape[-1]))

    def call(self, images):
        self.check(images.shape)
        size = self.patch**2 * images.shape[-1]
        return self.project(ops.reshape(images, (ops.shape(images)[0], -1, size)))


@wrong("07.1")
class PatchEmbedding(PatchLayer):  # channels first within a patch
    def build(self, images_shape):
        self.project = layers.Dense(self.embed_dim)
        self.project.build((None, None, self.patch**2 * images_shape[-1]))

    def call(self, images):
        self.check(images.shape)
        _, height, width, c = images.shape
        p = self.patch
        x = ops.reshape(images, (-1, height // p, p, width // p, p, c))
        x = ops.transpose(x, (0, 1, 3, 5, 2, 4))
        return self.project(ops.reshape(x, (-1, height * width // p**2, p * p * c)))


@wrong("07.1", says="number of images")
class PatchEmbedding(PatchLayer):
    def build(self, images_shape):
        self.project = layers.Dense(self.embed_dim)
        self.project.build((None, None, self.patch**2 * images_shape[-1]))

    def call(self, images):
        self.check(images.shape)
        n, height, width, c = images.shape
        p = self.patch
        x = ops.reshape(images, (n, height // p, p, width // p, p, c))
        x = ops.transpose(x, (0, 1, 3, 2, 4, 5))
        return self.project(ops.reshape(x, (n, height * width // p**2, p * p * c)))


@wrong("07.1")
class PatchEmbedding(PatchLayer):  # NumPy
    def build(self, images_shape):
        self.project = layers.Dense(self.embed_dim)
        self.project.build((None, None, self.patch**2 * images_shape[-1]))

    def call(self, images):
        self.check(images.shape)
        return self.project(to_patches(np.asarray(images), self.patch))


@wrong("07.1", says="one sequence")
class PatchEmbedding(PatchLayer):
    def build(self, images_shape):
        self.convolution = layers.Conv2D(self.embed_dim, self.patch, strides=self.patch)
        self.convolution.build(images_shape)

    def call(self, images):
        self.check(images.shape)
        return self.convolution(images)


@wrong("07.1", says="must not overlap")
class PatchEmbedding(PatchLayer):
    def build(self, images_shape):
        self.convolution = layers.Conv2D(self.embed_dim, self.patch)
        self.convolution.build(images_shape)

    def call(self, images):
        self.check(images.shape)
        return ops.reshape(self.convolution(images), (ops.shape(images)[0], -1, self.embed_dim))


@wrong("07.1", says="not refused")
class PatchEmbedding(PatchLayer):
    def build(self, images_shape):
        self.convolution = layers.Conv2D(self.embed_dim, self.patch, strides=self.patch)
        self.convolution.build(images_shape)

    def call(self, images):
        return ops.reshape(self.convolution(images), (ops.shape(images)[0], -1, self.embed_dim))


@wrong("07.1")
class PatchEmbedding(PatchLayer):  # dilation in place of a stride
    def build(self, images_shape):
        self.convolution = layers.Conv2D(self.embed_dim, self.patch, dilation_rate=self.patch)
        self.convolution.build(images_shape)

    def call(self, images):
        self.check(images.shape)
        return ops.reshape(self.convolution(images), (ops.shape(images)[0], -1, self.embed_dim))


@wrong("07.1")
class PatchEmbedding(PatchLayer):  # the size as a name of a keyword that does not exist
    def build(self, images_shape):
        self.convolution = layers.Conv2D(self.embed_dim, self.patch, stride=self.patch)

    def call(self, images):
        self.check(images.shape)
        return ops.reshape(self.convolution(images), (ops.shape(images)[0], -1, self.embed_dim))


@wrong("07.1", says="make the layers in build")
class PatchEmbedding(PatchLayer):
    def build(self, images_shape):
        self.built = True

    def call(self, images):
        self.check(images.shape)
        x = layers.Conv2D(self.embed_dim, self.patch, strides=self.patch)(images)
        return ops.reshape(x, (ops.shape(images)[0], -1, self.embed_dim))


@wrong("07.1")
class PatchEmbedding(PatchLayer):  # a norm
    def build(self, images_shape):
        self.convolution = layers.Conv2D(self.embed_dim, self.patch, strides=self.patch)
        self.convolution.build(images_shape)
        self.norm = layers.LayerNormalization(epsilon=1e-6)
        self.norm.build((None, None, self.embed_dim))

    def call(self, images):
        self.check(images.shape)
        x = ops.reshape(self.convolution(images), (ops.shape(images)[0], -1, self.embed_dim))
        return self.norm(x)


@right("07.2")
class ClassToken(FrontToken):
    def build(self, x_shape):
        self.token = self.add_weight((1, 1, x_shape[-1]), initializer="zeros")

    def call(self, x):
        tokens = ops.repeat(self.token, ops.shape(x)[0], axis=0)
        return ops.concatenate((tokens, x), axis=1)


@right("07.2")
class ClassToken(FrontToken):
    def build(self, x_shape):
        self.token = self.add_weight(
            shape=(x_shape[-1],), initializer=keras.initializers.Zeros()
        )

    def call(self, x):
        return ops.concatenate([ops.zeros_like(x[:, :1]) + self.token, x], axis=-2)


@right("07.2")
class ClassToken(FrontToken):
    def build(self, x_shape):
        self.token = self.add_weight(shape=(1, x_shape[-1]), initializer="zeros", name="cls")

    def call(self, x):
        front = ops.tile(self.token[None], (ops.shape(x)[0], 1, 1))
        return layers.Concatenate(axis=1)([front, x])


@right("07.2")
class ClassToken(FrontToken):
    def build(self, x_shape):
        self.token = self.add_weight(
            shape=(x_shape[-1],), initializer="zeros", trainable=True, name="class_token"
        )

    def call(self, x):
        padded = ops.pad(x, ((0, 0), (1, 0), (0, 0)))
        first = ops.cast(ops.arange(ops.shape(padded)[1]) == 0, x.dtype)
        return padded + first[None, :, None] * self.token


@wrong("07.2", says="in front")
class ClassToken(FrontToken):
    def build(self, x_shape):
        self.token = self.add_weight(shape=(1, 1, x_shape[-1]), initializer="zeros")

    def call(self, x):
        return ops.concatenate([x, ops.repeat(self.token, ops.shape(x)[0], axis=0)], axis=1)


@wrong("07.2", says="0 at first")
class ClassToken(FrontToken):
    def build(self, x_shape):
        self.token = self.add_weight(shape=(1, 1, x_shape[-1]))

    def call(self, x):
        return ops.concatenate([ops.repeat(self.token, ops.shape(x)[0], axis=0), x], axis=1)


@wrong("07.2")
class ClassToken(FrontToken):  # not repeated
    def build(self, x_shape):
        self.token = self.add_weight(shape=(1, 1, x_shape[-1]), initializer="zeros")

    def call(self, x):
        return ops.concatenate([self.token, x], axis=1)


@wrong("07.2", says="number of images")
class ClassToken(FrontToken):
    def build(self, x_shape):
        self.token = self.add_weight(shape=(x_shape[-1],), initializer="zeros")

    def call(self, x):
        token = ops.broadcast_to(self.token, (x.shape[0], 1, x.shape[-1]))
        return ops.concatenate([token, x], axis=1)


@wrong("07.2")
class ClassToken(FrontToken):  # one token for each image of the batch
    def build(self, x_shape):
        shape = (x_shape[0], 1, x_shape[-1])
        self.token = self.add_weight(shape=shape, initializer="zeros")

    def call(self, x):
        return ops.concatenate([self.token, x], axis=1)


@wrong("07.2")
class ClassToken(FrontToken):  # not learned
    def build(self, x_shape):
        self.token = self.add_weight(
            shape=(1, 1, x_shape[-1]), initializer="zeros", trainable=False
        )

    def call(self, x):
        return ops.concatenate([ops.repeat(self.token, ops.shape(x)[0], axis=0), x], axis=1)


@wrong("07.2", says="it is not added")
class ClassToken(FrontToken):
    def build(self, x_shape):
        self.token = self.add_weight(shape=(1, 1, x_shape[-1]), initializer="zeros")

    def call(self, x):
        return x + self.token


@wrong("07.2", says="None")
class ClassToken(FrontToken):
    def build(self, x_shape):
        self.token = self.add_weight(shape=(1, 1, x_shape[-1]), initializer="zeros")

    def call(self, x):
        ops.concatenate([ops.repeat(self.token, ops.shape(x)[0], axis=0), x], axis=1)


@wrong("07.2")
class ClassToken(FrontToken):  # a Dense layer in its place
    def build(self, x_shape):
        self.token = layers.Dense(x_shape[-1])
        self.token.build((None, 1))

    def call(self, x):
        token = self.token(ops.ones((ops.shape(x)[0], 1, 1)))
        return ops.concatenate([token, x], axis=1)


@wrong("07.2")
class ClassToken(FrontToken):  # the mean of the patches
    def build(self, x_shape):
        self.token = self.add_weight(shape=(x_shape[-1],), initializer="zeros")

    def call(self, x):
        token = ops.mean(x, axis=1, keepdims=True) + self.token
        return ops.concatenate([token, x], axis=1)


@wrong("07.2")
class ClassToken(FrontToken):  # a variable of TensorFlow's making, kept in call
    def build(self, x_shape):
        self.width = x_shape[-1]

    def call(self, x):
        token = keras.Variable(np.zeros((1, 1, x.shape[-1]), "float32"))
        return ops.concatenate([ops.repeat(token, ops.shape(x)[0], axis=0), x], axis=1)


@right("07.3")
def vision_transformer(
    image, channels, patch, embed_dim, num_heads, mlp_dim, num_layers, classes,
    pool="class", positions="learned", name="vision_transformer",
):  # fmt: skip
    one_of("pool", pool, ("class", "mean"))
    one_of("positions", positions, ("learned", "none"))
    inputs = keras.Input(shape=sides("image", image) + (channels,))
    x = PatchEmbedding(embed_dim, patch)(inputs)
    if pool == "class":
        x = ClassToken()(x)
    if positions == "learned":
        x = LearnedPositions(x.shape[1])(x)
    for _ in range(num_layers):
        x = TransformerEncoderBlock(embed_dim, num_heads, mlp_dim, activation="gelu")(x)
    x = layers.LayerNormalization(epsilon=1e-6, dtype="float32")(x)
    x = x[:, 0] if pool == "class" else layers.GlobalAveragePooling1D()(x)
    outputs = layers.Dense(classes, dtype="float32")(x)
    return keras.Model(inputs, outputs, name=name)


@right("07.3")
def vision_transformer(
    image, channels, patch, embed_dim, num_heads, mlp_dim, num_layers, classes,
    pool="class", positions="learned", name="vision_transformer",
):  # fmt: skip
    if pool not in ("class", "mean") or positions not in ("learned", "none"):
        raise ValueError(f"unknown setting: {pool}, {positions}")
    height, width = sides("image", image)
    images = keras.Input((height, width, channels))
    x = PatchEmbedding(embed_dim, patch)(images)
    tokens = (height // patch) * (width // patch)
    if pool == "class":
        x, tokens = ClassToken()(x), tokens + 1
    if positions != "none":
        x = LearnedPositions(tokens)(x)
    blocks = [
        TransformerEncoderBlock(
            embed_dim, num_heads, mlp_dim, activation=keras.activations.gelu
        )
        for _ in range(num_layers)
    ]
    for block in blocks:
        x = block(x)
    x = new_norm("final_norm")(x)
    if pool == "mean":
        pooled = ops.mean(x, axis=1)
    else:
        pooled = layers.Lambda(lambda x: x[:, 0])(x)
    return keras.Model(images, layers.Dense(classes, dtype="float32")(pooled), name=name)


@right("07.3")
def vision_transformer(
    image, channels, patch, embed_dim, num_heads, mlp_dim, num_layers, classes,
    pool="class", positions="learned", name="vision_transformer",
):  # fmt: skip
    one_of("pool", pool, ["class", "mean"])
    one_of("positions", positions, ["learned", "none"])
    model = keras.Sequential(name=name)
    model.add(keras.Input((*sides("image", image), channels)))
    model.add(PatchEmbedding(embed_dim, patch))
    if pool == "class":
        model.add(ClassToken())
    if positions == "learned":
        model.add(LearnedPositions(model.output_shape[1]))
    for _ in range(num_layers):
        model.add(TransformerEncoderBlock(embed_dim, num_heads, mlp_dim, activation="gelu"))
    model.add(new_norm("final_norm"))
    first = layers.Cropping1D((0, model.output_shape[1] - 1))
    model.add(layers.GlobalAveragePooling1D() if pool == "mean" else first)
    if pool == "class":
        model.add(layers.Flatten())
    model.add(layers.Dense(classes, dtype="float32"))
    return model


@right("07.3")
def vision_transformer(
    image, channels, patch, embed_dim, num_heads, mlp_dim, num_layers, classes,
    pool="class", positions="learned", name="vision_transformer",
):  # fmt: skip
    one_of("pool", pool, ("class", "mean"))
    one_of("positions", positions, ("learned", "none"))
    images = x = keras.Input((*sides("image", image), channels))
    steps = [PatchEmbedding(embed_dim, patch)]
    steps += [ClassToken()] * (pool == "class")
    for step in steps:
        x = step(x)
    if positions == "learned":
        x = LearnedPositions(max_length=x.shape[1])(x)
    for number in range(num_layers):
        x = TransformerEncoderBlock(
            embed_dim, num_heads, mlp_dim, activation="gelu", name=f"encoder_{number}"
        )(x)
    x = new_norm("final_norm")(x)
    x = {"class": x[:, 0, :], "mean": ops.sum(x, axis=1) / x.shape[1]}[pool]
    head = layers.Dense(classes, dtype="float32", name="head")
    return keras.Model(inputs=images, outputs=head(x), name=name)


@wrong("07.3", says="Sequential")
def vision_transformer(
    image, channels, patch, embed_dim, num_heads, mlp_dim, num_layers, classes,
    pool="class", positions="learned", name="vision_transformer",
):  # fmt: skip
    one_of("pool", pool, ("class", "mean"))
    one_of("positions", positions, ("learned", "none"))
    images = keras.Input((*sides("image", image), channels))
    x = PatchEmbedding(embed_dim, patch)(images)
    if pool == "class":
        x = ClassToken()(x)
    if positions == "learned":
        x = LearnedPositions(x.shape[1])(x)
    x = keras.Sequential(
        [
            TransformerEncoderBlock(embed_dim, num_heads, mlp_dim, activation="gelu")
            for _ in range(num_layers)
        ]
    )(x)
    x = new_norm("final_norm")(x)
    x = x[:, 0] if pool == "class" else ops.mean(x, axis=1)
    return keras.Model(images, layers.Dense(classes, dtype="float32")(x), name=name)


@wrong("07.3", says="positions are missing")
def vision_transformer(
    image, channels, patch, embed_dim, num_heads, mlp_dim, num_layers, classes,
    pool="class", positions="learned", name="vision_transformer",
):  # fmt: skip
    one_of("pool", pool, ("class", "mean"))
    one_of("positions", positions, ("learned", "none"))
    images = keras.Input((*sides("image", image), channels))
    x = PatchEmbedding(embed_dim, patch)(images)
    if pool == "class":
        x = ClassToken()(x)
    if positions == "learned":
        x = x + layers.Embedding(x.shape[1], embed_dim)(ops.arange(x.shape[1])[None])
    for _ in range(num_layers):
        x = TransformerEncoderBlock(embed_dim, num_heads, mlp_dim, activation="gelu")(x)
    x = new_norm("final_norm")(x)
    x = x[:, 0] if pool == "class" else ops.mean(x, axis=1)
    return keras.Model(images, layers.Dense(classes, dtype="float32")(x), name=name)


@wrong("07.3", says="functional")
def vision_transformer(
    image, channels, patch, embed_dim, num_heads, mlp_dim, num_layers, classes,
    pool="class", positions="learned", name="vision_transformer",
):  # fmt: skip
    one_of("pool", pool, ("class", "mean"))
    one_of("positions", positions, ("learned", "none"))
    height, width = sides("image", image)

    class ViT(keras.Model):
        def __init__(self):
            super().__init__(name=name)
            self.patches = PatchEmbedding(embed_dim, patch)
            self.token = ClassToken()
            tokens = height * width // patch**2 + (pool == "class")
            self.positions = LearnedPositions(tokens)
            self.blocks = [
                TransformerEncoderBlock(embed_dim, num_heads, mlp_dim, activation="gelu")
                for _ in range(num_layers)
            ]
            self.norm = new_norm("final_norm")
            self.head = layers.Dense(classes, dtype="float32")

        def call(self, images):
            x = self.patches(images)
            x = self.token(x) if pool == "class" else x
            x = self.positions(x) if positions == "learned" else x
            for block in self.blocks:
                x = block(x)
            x = self.norm(x)
            return self.head(x[:, 0] if pool == "class" else ops.mean(x, axis=1))

    model = ViT()
    model(np.zeros((1, height, width, channels), "float32"))
    return model


@wrong("07.3", says="after the class token")
def vision_transformer(
    image, channels, patch, embed_dim, num_heads, mlp_dim, num_layers, classes,
    pool="class", positions="learned", name="vision_transformer",
):  # fmt: skip
    one_of("pool", pool, ("class", "mean"))
    one_of("positions", positions, ("learned", "none"))
    images = keras.Input((*sides("image", image), channels))
    x = PatchEmbedding(embed_dim, patch)(images)
    if positions == "learned":
        x = LearnedPositions(x.shape[1])(x)
    if pool == "class":
        x = ClassToken()(x)
    for _ in range(num_layers):
        x = TransformerEncoderBlock(embed_dim, num_heads, mlp_dim, activation="gelu")(x)
    x = new_norm("final_norm")(x)
    x = x[:, 0] if pool == "class" else ops.mean(x, axis=1)
    return keras.Model(images, layers.Dense(classes, dtype="float32")(x), name=name)


@wrong("07.3", says="positions are missing")
def vision_transformer(
    image, channels, patch, embed_dim, num_heads, mlp_dim, num_layers, classes,
    pool="class", positions="learned", name="vision_transformer",
):  # fmt: skip
    one_of("pool", pool, ("class", "mean"))
    one_of("positions", positions, ("learned", "none"))
    images = keras.Input((*sides("image", image), channels))
    x = PatchEmbedding(embed_dim, patch)(images)
    if pool == "class":
        x = ClassToken()(x)
    if positions == "learned":
        LearnedPositions(x.shape[1])(x)
    for _ in range(num_layers):
        x = TransformerEncoderBlock(embed_dim, num_heads, mlp_dim, activation="gelu")(x)
    x = new_norm("final_norm")(x)
    x = x[:, 0] if pool == "class" else ops.mean(x, axis=1)
    return keras.Model(images, layers.Dense(classes, dtype="float32")(x), name=name)


@wrong("07.3", says="gelu")
def vision_transformer(
    image, channels, patch, embed_dim, num_heads, mlp_dim, num_layers, classes,
    pool="class", positions="learned", name="vision_transformer",
):  # fmt: skip
    one_of("pool", pool, ("class", "mean"))
    one_of("positions", positions, ("learned", "none"))
    images = keras.Input((*sides("image", image), channels))
    x = PatchEmbedding(embed_dim, patch)(images)
    if pool == "class":
        x = ClassToken()(x)
    if positions == "learned":
        x = LearnedPositions(x.shape[1])(x)
    for _ in range(num_layers):
        x = TransformerEncoderBlock(embed_dim, num_heads, mlp_dim)(x)
    x = new_norm("final_norm")(x)
    x = x[:, 0] if pool == "class" else ops.mean(x, axis=1)
    return keras.Model(images, layers.Dense(classes, dtype="float32")(x), name=name)


@wrong("07.3")
def vision_transformer(
    image, channels, patch, embed_dim, num_heads, mlp_dim, num_layers, classes,
    pool="class", positions="learned", name="vision_transformer",
):  # fmt: skip  # the norm has Keras' epsilon, and a hidden layer stands in the head
    one_of("pool", pool, ("class", "mean"))
    one_of("positions", positions, ("learned", "none"))
    images = keras.Input((*sides("image", image), channels))
    x = PatchEmbedding(embed_dim, patch)(images)
    if pool == "class":
        x = ClassToken()(x)
    if positions == "learned":
        x = LearnedPositions(x.shape[1])(x)
    for _ in range(num_layers):
        x = TransformerEncoderBlock(embed_dim, num_heads, mlp_dim, activation="gelu")(x)
    x = layers.LayerNormalization()(x)
    x = x[:, 0] if pool == "class" else ops.mean(x, axis=1)
    x = layers.Dense(embed_dim, activation="tanh")(x)
    return keras.Model(images, layers.Dense(classes, dtype="float32")(x), name=name)


@wrong("07.3")
def vision_transformer(
    image, channels, patch, embed_dim, num_heads, mlp_dim, num_layers, classes,
    pool="class", positions="learned", name="vision_transformer",
):  # fmt: skip  # the last token
    one_of("pool", pool, ("class", "mean"))
    one_of("positions", positions, ("learned", "none"))
    images = keras.Input((*sides("image", image), channels))
    x = PatchEmbedding(embed_dim, patch)(images)
    if pool == "class":
        x = ClassToken()(x)
    if positions == "learned":
        x = LearnedPositions(x.shape[1])(x)
    for _ in range(num_layers):
        x = TransformerEncoderBlock(embed_dim, num_heads, mlp_dim, activation="gelu")(x)
    x = new_norm("final_norm")(x)
    x = x[:, -1] if pool == "class" else ops.mean(x, axis=1)
    return keras.Model(images, layers.Dense(classes, dtype="float32")(x), name=name)


@wrong("07.3")
def vision_transformer(
    image, channels, patch, embed_dim, num_heads, mlp_dim, num_layers, classes,
    pool="class", positions="learned", name="vision_transformer",
):  # fmt: skip  # dropout
    one_of("pool", pool, ("class", "mean"))
    one_of("positions", positions, ("learned", "none"))
    images = keras.Input((*sides("image", image), channels))
    x = PatchEmbedding(embed_dim, patch)(images)
    if pool == "class":
        x = ClassToken()(x)
    if positions == "learned":
        x = LearnedPositions(x.shape[1])(x)
    x = layers.Dropout(0.1)(x)
    for _ in range(num_layers):
        x = TransformerEncoderBlock(embed_dim, num_heads, mlp_dim, activation="gelu")(x)
    x = new_norm("final_norm")(x)
    x = x[:, 0] if pool == "class" else ops.mean(x, axis=1)
    return keras.Model(images, layers.Dense(classes, dtype="float32")(x), name=name)


@wrong("07.3", says="no ValueError")
def vision_transformer(
    image, channels, patch, embed_dim, num_heads, mlp_dim, num_layers, classes,
    pool="class", positions="learned", name="vision_transformer",
):  # fmt: skip
    images = keras.Input((*sides("image", image), channels))
    x = PatchEmbedding(embed_dim, patch)(images)
    if pool == "class":
        x = ClassToken()(x)
    if positions == "learned":
        x = LearnedPositions(x.shape[1])(x)
    for _ in range(num_layers):
        x = TransformerEncoderBlock(embed_dim, num_heads, mlp_dim, activation="gelu")(x)
    x = new_norm("final_norm")(x)
    x = x[:, 0] if pool == "class" else ops.mean(x, axis=1)
    return keras.Model(images, layers.Dense(classes, dtype="float32")(x), name=name)


@wrong("07.3", says="float32")
def vision_transformer(
    image, channels, patch, embed_dim, num_heads, mlp_dim, num_layers, classes,
    pool="class", positions="learned", name="vision_transformer",
):  # fmt: skip
    one_of("pool", pool, ("class", "mean"))
    one_of("positions", positions, ("learned", "none"))
    images = keras.Input((*sides("image", image), channels))
    x = PatchEmbedding(embed_dim, patch)(images)
    if pool == "class":
        x = ClassToken()(x)
    if positions == "learned":
        x = LearnedPositions(x.shape[1])(x)
    for _ in range(num_layers):
        x = TransformerEncoderBlock(embed_dim, num_heads, mlp_dim, activation="gelu")(x)
    x = new_norm("final_norm")(x)
    x = x[:, 0] if pool == "class" else ops.mean(x, axis=1)
    return keras.Model(images, layers.Dense(classes)(x), name=name)


@wrong("07.3", says="a new one each time")
def vision_transformer(
    image, channels, patch, embed_dim, num_heads, mlp_dim, num_layers, classes,
    pool="class", positions="learned", name="vision_transformer",
):  # fmt: skip
    one_of("pool", pool, ("class", "mean"))
    one_of("positions", positions, ("learned", "none"))
    images = keras.Input((*sides("image", image), channels))
    x = PatchEmbedding(embed_dim, patch)(images)
    if pool == "class":
        x = ClassToken()(x)
    if positions == "learned":
        x = LearnedPositions(x.shape[1])(x)
    block = TransformerEncoderBlock(embed_dim, num_heads, mlp_dim, activation="gelu")
    for _ in range(num_layers):
        x = block(x)
    x = new_norm("final_norm")(x)
    x = x[:, 0] if pool == "class" else ops.mean(x, axis=1)
    return keras.Model(images, layers.Dense(classes, dtype="float32")(x), name=name)


@wrong("07.3")
def vision_transformer(
    image, channels, patch, embed_dim, num_heads, mlp_dim, num_layers, classes,
    pool="class", positions="learned", name="vision_transformer",
):  # fmt: skip  # heads and mlp_dim exchanged
    one_of("pool", pool, ("class", "mean"))
    one_of("positions", positions, ("learned", "none"))
    images = keras.Input((*sides("image", image), channels))
    x = PatchEmbedding(embed_dim, patch)(images)
    if pool == "class":
        x = ClassToken()(x)
    if positions == "learned":
        x = LearnedPositions(x.shape[1])(x)
    for _ in range(num_layers):
        x = TransformerEncoderBlock(embed_dim, 1, mlp_dim, activation="gelu")(x)
    x = new_norm("final_norm")(x)
    x = x[:, 0] if pool == "class" else ops.mean(x, axis=1)
    return keras.Model(images, layers.Dense(classes, dtype="float32")(x), name=name)


@right("07.5")
def moved_by_shuffling(model, images, patch, order):
    height, width = images.shape[1:3]
    cut = to_patches(images, patch)
    other = from_patches(cut[:, order, :], height, width, patch)
    return np.max(np.abs(np.asarray(model(other)) - np.asarray(model(images))))


@right("07.5")
def moved_by_shuffling(model, images, patch, order):
    _, height, width, _ = images.shape
    shuffled = from_patches(
        np.take(to_patches(images, patch), order, axis=1), height, width, patch
    )
    return float(ops.max(ops.abs(model(images) - model(shuffled))))


@right("07.5")
def moved_by_shuffling(model, images, patch, order):
    columns = images.shape[2] // patch
    shuffled = np.empty_like(images)
    for s, old in enumerate(order):
        (a, b), (c, d) = divmod(s, columns), divmod(old, columns)
        shuffled[:, a * patch : (a + 1) * patch, b * patch : (b + 1) * patch] = images[
            :, c * patch : (c + 1) * patch, d * patch : (d + 1) * patch
        ]
    return np.abs(model(shuffled) - model(images)).max()


@right("07.5")
def moved_by_shuffling(model, images, patch, order):
    patches = to_patches(images, patch)
    new = np.stack([patches[:, place] for place in order], axis=1)
    new = from_patches(new, images.shape[1], images.shape[2], patch)
    moved = ops.convert_to_numpy(model(new) - model(images))
    return max(moved.max(), -moved.min())


@wrong("07.5", says="order[s]")
def moved_by_shuffling(model, images, patch, order):
    patches = to_patches(images, patch)
    new = np.empty_like(patches)
    new[:, order] = patches
    new = from_patches(new, *images.shape[1:3], patch)
    return float(np.abs(model(new) - model(images)).max())


@wrong("07.5", says="nothing was shuffled")
def moved_by_shuffling(model, images, patch, order):
    patches = to_patches(images, patch)
    patches[:, order]
    new = from_patches(patches, *images.shape[1:3], patch)
    return float(np.abs(model(new) - model(images)).max())


@wrong("07.5")
def moved_by_shuffling(model, images, patch, order):  # images in another order
    shuffled = images[order]
    return float(np.abs(model(shuffled) - model(images)).max())


@wrong("07.5", says="second axis")
def moved_by_shuffling(model, images, patch, order):
    new = from_patches(to_patches(images, patch)[order], *images.shape[1:3], patch)
    return float(np.abs(model(new) - model(images)).max())


@wrong("07.5")
def moved_by_shuffling(model, images, patch, order):  # patches, not images, go in
    patches = to_patches(images, patch)
    return float(np.abs(model(patches[:, order]) - model(patches)).max())


@wrong("07.5", says="not the mean")
def moved_by_shuffling(model, images, patch, order):
    new = from_patches(to_patches(images, patch)[:, order], *images.shape[1:3], patch)
    return float(np.abs(model(new) - model(images)).mean())


@wrong("07.5")
def moved_by_shuffling(model, images, patch, order):  # a norm
    new = from_patches(to_patches(images, patch)[:, order], *images.shape[1:3], patch)
    return float(np.linalg.norm(model(new) - model(images)))


@wrong("07.5")
def moved_by_shuffling(model, images, patch, order):  # pixels
    new = from_patches(to_patches(images, patch)[:, order], *images.shape[1:3], patch)
    return float(np.abs(new - images).max())


@wrong("07.5")
def moved_by_shuffling(model, images, patch, order):  # the first image alone
    new = from_patches(to_patches(images[:1], patch)[:, order], *images.shape[1:3], patch)
    return float(np.abs(model(new) - model(images[:1])).max())


@wrong("07.5")
def moved_by_shuffling(model, images, patch, order):  # a new order each time
    order = np.random.permutation(len(order))
    new = from_patches(to_patches(images, patch)[:, order], *images.shape[1:3], patch)
    return float(np.abs(model(new) - model(images)).max())


@wrong("07.5", says="not whether")
def moved_by_shuffling(model, images, patch, order):
    new = from_patches(to_patches(images, patch)[:, order], *images.shape[1:3], patch)
    return not np.allclose(model(new), model(images))


@wrong("07.5", says="None")
def moved_by_shuffling(model, images, patch, order):
    new = from_patches(to_patches(images, patch)[:, order], *images.shape[1:3], patch)
    np.abs(model(new) - model(images)).max()


@right("07.6")
def interpolate_positions(positions, old_grid, new_grid, extra=1):
    front, rest = np.split(positions, [extra])
    image = rest.reshape(old_grid[0], old_grid[1], positions.shape[1])
    larger = np.asarray(ops.image.resize(image, new_grid, interpolation="bilinear"))
    return np.vstack([front, larger.reshape(new_grid[0] * new_grid[1], -1)])


@right("07.6")
def interpolate_positions(positions, old_grid, new_grid, extra=1):
    def matrix(old, new):
        steps = ((np.arange(new) + 0.5) * old / new - 0.5).clip(0, old - 1)
        return np.maximum(1 - np.abs(steps[:, None] - np.arange(old)), 0)

    grid = positions[extra:].reshape(*old_grid, -1)
    rows, columns = (matrix(*sizes) for sizes in zip(old_grid, new_grid, strict=True))
    moved = np.einsum("ra,cb,abd->rcd", rows, columns, grid)
    return np.concatenate([positions[:extra], moved.reshape(-1, positions.shape[1])])


@right("07.6")
def interpolate_positions(positions, old_grid, new_grid, extra=1):
    _, d = positions.shape
    grid = ops.reshape(positions[extra:], (1, *old_grid, d))
    grid = ops.image.resize(grid, new_grid, data_format="channels_last")
    rows = ops.reshape(grid, (-1, d))
    return ops.convert_to_numpy(
        ops.concatenate([ops.cast(positions[:extra], rows.dtype), rows])
    )


@right("07.6")
def interpolate_positions(positions, old_grid, new_grid, extra=1):
    new = np.empty((extra + new_grid[0] * new_grid[1], positions.shape[1]), positions.dtype)
    new[:extra] = positions[:extra]
    planes = positions[extra:].T.reshape(-1, *old_grid)
    for channel, plane in enumerate(planes):
        large = ops.image.resize(plane[..., None], new_grid)
        new[extra:, channel] = ops.convert_to_numpy(large).ravel()
    return new


@wrong("07.6", says="set them aside")
def interpolate_positions(positions, old_grid, new_grid, extra=1):
    new = extra + new_grid[0] * new_grid[1]
    steps = (np.arange(new) + 0.5) * len(positions) / new - 0.5
    columns = [np.interp(steps, np.arange(len(positions)), one) for one in positions.T]
    return np.stack(columns, axis=1)


@wrong("07.6", says="stretched the list")
def interpolate_positions(positions, old_grid, new_grid, extra=1):
    front, rest = positions[:extra], positions[extra:]
    new = new_grid[0] * new_grid[1]
    steps = (np.arange(new) + 0.5) * len(rest) / new - 0.5
    columns = [np.interp(steps, np.arange(len(rest)), one) for one in rest.T]
    return np.concatenate([front, np.stack(columns, axis=1)])


@wrong("07.6")
def interpolate_positions(positions, old_grid, new_grid, extra=1):  # repeated rows
    grid = positions[extra:].reshape(*old_grid, -1)
    rows = np.arange(new_grid[0]) * old_grid[0] // new_grid[0]
    columns = np.arange(new_grid[1]) * old_grid[1] // new_grid[1]
    return np.concatenate(
        [positions[:extra], grid[rows][:, columns].reshape(-1, positions.shape[1])]
    )


@wrong("07.6", says="in front are missing")
def interpolate_positions(positions, old_grid, new_grid, extra=1):
    grid = positions[extra:].reshape(*old_grid, -1)
    return np.asarray(ops.image.resize(grid, new_grid)).reshape(-1, positions.shape[1])


@wrong("07.6", says="come first")
def interpolate_positions(positions, old_grid, new_grid, extra=1):
    grid = positions[extra:].reshape(*old_grid, -1)
    moved = np.asarray(ops.image.resize(grid, new_grid)).reshape(-1, positions.shape[1])
    return np.concatenate([moved, positions[:extra]])


@wrong("07.6")
def interpolate_positions(positions, old_grid, new_grid, extra=1):  # a fixed extra
    grid = positions[1:].reshape(*old_grid, -1)
    moved = np.asarray(ops.image.resize(grid, new_grid)).reshape(-1, positions.shape[1])
    return np.concatenate([positions[:1], moved])


@wrong("07.6")
def interpolate_positions(positions, old_grid, new_grid, extra=1):  # not reshaped
    moved = np.asarray(ops.image.resize(positions[extra:], new_grid))
    return np.concatenate([positions[:extra], moved])


@wrong("07.6")
def interpolate_positions(positions, old_grid, new_grid, extra=1):  # bicubic
    grid = positions[extra:].reshape(*old_grid, -1)
    moved = np.asarray(ops.image.resize(grid, new_grid, interpolation="bicubic"))
    return np.concatenate([positions[:extra], moved.reshape(-1, positions.shape[1])])


@wrong("07.6")
def interpolate_positions(positions, old_grid, new_grid, extra=1):  # antialiased
    grid = positions[extra:].reshape(*old_grid, -1)
    moved = np.asarray(ops.image.resize(grid, new_grid, antialias=True))
    return np.concatenate([positions[:extra], moved.reshape(-1, positions.shape[1])])


@wrong("07.6")
def interpolate_positions(positions, old_grid, new_grid, extra=1):  # the grid as it is
    grid = positions[extra:].reshape(*old_grid, -1)
    return np.asarray(ops.image.resize(grid, new_grid))


@wrong("07.6")
def interpolate_positions(positions, old_grid, new_grid, extra=1):  # channels as a batch
    grid = positions[extra:].reshape(-1, *old_grid)
    moved = np.asarray(ops.image.resize(grid[..., None], new_grid))
    return np.concatenate([positions[:extra], moved.reshape(-1, positions.shape[1])])


@right("07.7")
def multiplications(image, channels, patch, embed_dim, mlp_dim, num_layers, classes):
    C, M, L, S = embed_dim, mlp_dim, num_layers, (image // patch) ** 2
    T = 1 + S
    return {
        "projection": S * patch**2 * channels * C,
        "attention matrices": L * 4 * T * C**2,
        "token pairs": L * 2 * T**2 * C,
        "feed-forward": L * 2 * T * C * M,
        "head": C * classes,
    }


@right("07.7")
def multiplications(image, channels, patch, embed_dim, mlp_dim, num_layers, classes):
    tokens = (image * image) // (patch * patch)
    count = dict.fromkeys(
        ["projection", "attention matrices", "token pairs", "feed-forward", "head"], 0
    )
    count["projection"] = tokens * embed_dim * (patch * patch * channels)
    count["head"] = classes * embed_dim
    tokens += 1
    for _ in range(num_layers):
        count["attention matrices"] += 4 * (tokens * embed_dim * embed_dim)
        count["token pairs"] += 2 * (tokens * embed_dim * tokens)
        count["feed-forward"] += tokens * embed_dim * mlp_dim + tokens * mlp_dim * embed_dim
    return count


@right("07.7")
def multiplications(image, channels, patch, embed_dim, mlp_dim, num_layers, classes):
    def product(a, b, c):
        return a * b * c

    S = (image // patch) ** 2
    T = S + 1
    qkvo = 4 * product(T, embed_dim, embed_dim)
    pairs = product(T, embed_dim, T) + product(T, T, embed_dim)
    network = product(T, embed_dim, mlp_dim) + product(T, mlp_dim, embed_dim)
    return {
        "head": product(1, embed_dim, classes),
        "feed-forward": num_layers * network,
        "token pairs": num_layers * pairs,
        "attention matrices": num_layers * qkvo,
        "projection": product(S, patch * patch * channels, embed_dim),
    }


@right("07.7")
def multiplications(image, channels, patch, embed_dim, mlp_dim, num_layers, classes):
    T = int((image / patch) ** 2 + 1)
    return {
        "projection": image**2 * channels * embed_dim,
        "attention matrices": 4 * num_layers * T * embed_dim**2,
        "token pairs": 2 * num_layers * T * T * embed_dim,
        "feed-forward": 2 * num_layers * T * embed_dim * mlp_dim,
        "head": embed_dim * classes,
    }


@wrong("07.7")
def multiplications(image, channels, patch, embed_dim, mlp_dim, num_layers, classes):
    S = (image // patch) ** 2  # the channels of the image are forgotten
    T = S + 1
    return {
        "projection": S * patch * patch * embed_dim,
        "attention matrices": num_layers * 4 * T * embed_dim**2,
        "token pairs": num_layers * 2 * T * T * embed_dim,
        "feed-forward": num_layers * 2 * T * embed_dim * mlp_dim,
        "head": embed_dim * classes,
    }


@wrong("07.7", says="class token")
def multiplications(image, channels, patch, embed_dim, mlp_dim, num_layers, classes):
    S = T = (image // patch) ** 2
    return {
        "projection": S * patch * patch * channels * embed_dim,
        "attention matrices": num_layers * 4 * T * embed_dim**2,
        "token pairs": num_layers * 2 * T * T * embed_dim,
        "feed-forward": num_layers * 2 * T * embed_dim * mlp_dim,
        "head": embed_dim * classes,
    }


@wrong("07.7")
def multiplications(image, channels, patch, embed_dim, mlp_dim, num_layers, classes):
    S = (image // patch) ** 2  # the class token is projected, too
    T = S + 1
    return {
        "projection": T * patch * patch * channels * embed_dim,
        "attention matrices": num_layers * 4 * T * embed_dim**2,
        "token pairs": num_layers * 2 * T * T * embed_dim,
        "feed-forward": num_layers * 2 * T * embed_dim * mlp_dim,
        "head": embed_dim * classes,
    }


@wrong("07.7", says="two products")
def multiplications(image, channels, patch, embed_dim, mlp_dim, num_layers, classes):
    S = (image // patch) ** 2
    T = S + 1
    return {
        "projection": S * patch * patch * channels * embed_dim,
        "attention matrices": num_layers * 4 * T * embed_dim**2,
        "token pairs": num_layers * T * T * embed_dim,
        "feed-forward": num_layers * 2 * T * embed_dim * mlp_dim,
        "head": embed_dim * classes,
    }


@wrong("07.7")
def multiplications(image, channels, patch, embed_dim, mlp_dim, num_layers, classes):
    S = (image // patch) ** 2  # pairs without the channels
    T = S + 1
    return {
        "projection": S * patch * patch * channels * embed_dim,
        "attention matrices": num_layers * 4 * T * embed_dim**2,
        "token pairs": num_layers * 2 * T * T,
        "feed-forward": num_layers * 2 * T * embed_dim * mlp_dim,
        "head": embed_dim * classes,
    }


@wrong("07.7")
def multiplications(image, channels, patch, embed_dim, mlp_dim, num_layers, classes):
    S = (image // patch) ** 2  # three matrices, one network layer
    T = S + 1
    return {
        "projection": S * patch * patch * channels * embed_dim,
        "attention matrices": num_layers * 3 * T * embed_dim**2,
        "token pairs": num_layers * 2 * T * T * embed_dim,
        "feed-forward": num_layers * T * embed_dim * mlp_dim,
        "head": embed_dim * classes,
    }


@wrong("07.7")
def multiplications(image, channels, patch, embed_dim, mlp_dim, num_layers, classes):
    S = (image // patch) ** 2  # other names
    T = S + 1
    return {
        "patches": S * patch * patch * channels * embed_dim,
        "attention": num_layers * 4 * T * embed_dim**2,
        "pairs": num_layers * 2 * T * T * embed_dim,
        "network": num_layers * 2 * T * embed_dim * mlp_dim,
        "head": embed_dim * classes,
    }


@wrong("07.7")
def multiplications(image, channels, patch, embed_dim, mlp_dim, num_layers, classes):
    S = (image // patch) ** 2  # one sum
    T = S + 1
    block = 4 * T * embed_dim**2 + 2 * T * T * embed_dim + 2 * T * embed_dim * mlp_dim
    return S * patch * patch * channels * embed_dim + num_layers * block + embed_dim * classes


@wrong("07.7", says="bias")
def multiplications(image, channels, patch, embed_dim, mlp_dim, num_layers, classes):
    S = (image // patch) ** 2
    T = S + 1
    return {
        "projection": S * (patch * patch * channels + 1) * embed_dim,
        "attention matrices": num_layers * 4 * T * (embed_dim + 1) * embed_dim,
        "token pairs": num_layers * 2 * T * T * embed_dim,
        "feed-forward": num_layers * T * (2 * embed_dim * mlp_dim + mlp_dim + embed_dim),
        "head": (embed_dim + 1) * classes,
    }


@wrong("07.7", says="head reads one token")
def multiplications(image, channels, patch, embed_dim, mlp_dim, num_layers, classes):
    S = (image // patch) ** 2
    T = S + 1
    return {
        "projection": S * patch * patch * channels * embed_dim,
        "attention matrices": num_layers * 4 * T * embed_dim**2,
        "token pairs": num_layers * 2 * T * T * embed_dim,
        "feed-forward": num_layers * 2 * T * embed_dim * mlp_dim,
        "head": T * embed_dim * classes,
    }


@wrong("07.7")
def multiplications(image, channels, patch, embed_dim, mlp_dim, num_layers, classes):
    S = image // patch  # one side of the grid
    T = S + 1
    return {
        "projection": S * patch * patch * channels * embed_dim,
        "attention matrices": num_layers * 4 * T * embed_dim**2,
        "token pairs": num_layers * 2 * T * T * embed_dim,
        "feed-forward": num_layers * 2 * T * embed_dim * mlp_dim,
        "head": embed_dim * classes,
    }


@right("07.4", trains=True)
def train_reader(model, digits):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss)
    model.fit(digits.train.inputs, digits.train.targets, 64, epochs=26, verbose=0)
    return model


@right("07.4", trains=True)
def train_reader(model, digits):
    from lectures.lecture_07.digits import train_on_images

    train_on_images(model, digits, 0.004)
    return model


@right("07.4", trains=True)
def train_reader(model, digits):  # targets as vectors, batches by hand
    schedule = schedules.WarmupCosine(0.004, steps=500)
    model.compile(
        keras.optimizers.AdamW(schedule),
        keras.losses.CategoricalCrossentropy(from_logits=True),
        metrics=[keras.metrics.CategoricalAccuracy(name="mine")],
    )
    draw = np.random.default_rng(0)
    for _ in range(500):
        rows = draw.choice(len(digits.train.inputs), 64, replace=False)
        model.train_on_batch(digits.train.inputs[rows], np.eye(10)[digits.train.targets[rows]])
    return model


@wrong("07.4", says="validation", trains=True)
def train_reader(model, digits):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.003), loss)
    inputs = np.concatenate([digits.train.inputs, digits.val.inputs])
    targets = np.concatenate([digits.train.targets, digits.val.targets])
    model.fit(inputs, targets, batch_size=64, epochs=22, verbose=0)
    return model


@wrong("07.4", says="test", trains=True)
def train_reader(model, digits):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.003), loss)
    model.fit(digits.test.inputs, digits.test.targets, batch_size=64, epochs=60, verbose=0)
    return model


@wrong("07.4", says="other digits", trains=True)
def train_reader(model, digits):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.003), loss)
    others = cu.data.load_digits().train
    model.fit(1 - others.inputs, others.targets, batch_size=64, epochs=20, verbose=0)
    return model


@wrong("07.4", says="64", trains=True)
def train_reader(model, digits):  # batches of 240
    import tensorflow as tf

    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.003), loss)
    pairs = tf.data.Dataset.from_tensor_slices((digits.train.inputs, digits.train.targets))
    model.fit(pairs.shuffle(1_200).batch(240).repeat(), steps_per_epoch=490, verbose=0)
    return model


@wrong("07.4", says="500", trains=True)
def train_reader(model, digits):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.001), loss)
    model.fit(digits.train.inputs, digits.train.targets, batch_size=64, epochs=40, verbose=0)
    return model


@wrong("07.4", says="smaller", trains=True)
def train_reader(model, digits):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(1.0), loss)
    model.fit(digits.train.inputs, digits.train.targets, batch_size=64, epochs=10, verbose=0)
    return model


@wrong("07.4", says="longer", trains=True)
def train_reader(model, digits):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.001), loss)
    model.fit(digits.train.inputs, digits.train.targets, batch_size=64, epochs=2, verbose=0)
    return model


@wrong("07.4", says="from_logits", trains=True)
def train_reader(model, digits):
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(digits.train.inputs, digits.train.targets, batch_size=64, epochs=2, verbose=0)
    return model


@wrong("07.4", says="return", trains=True)
def train_reader(model, digits):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss)
    return model.fit(digits.train.inputs, digits.train.targets, 64, epochs=1, verbose=0)


@wrong("07.4", says="given", trains=True)
def train_reader(model, digits):
    other = keras.models.clone_model(model)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    other.compile("adam", loss)
    other.fit(digits.train.inputs, digits.train.targets, batch_size=64, epochs=1, verbose=0)
    return other


@right("07.5")
def moved_by_shuffling(model, images, patch, order):
    _, height, width, channels = images.shape
    grid = images.reshape(-1, height // patch, patch, width // patch, patch, channels)
    grid = grid.transpose(0, 1, 3, 2, 4, 5).reshape(len(images), len(order), -1)
    shuffled = from_patches(grid[:, order], height, width, patch)
    return ops.max(ops.absolute(ops.subtract(model(shuffled), model(images))))


@right("07.5")
def moved_by_shuffling(model, images, patch, order):
    shuffled = from_patches(to_patches(images, patch)[:, order], *images.shape[1:3], patch)
    before, after = (model.predict(x, verbose=0) for x in (images, shuffled))
    return np.abs(after - before).max()


@right("07.6")
def interpolate_positions(positions, old_grid, new_grid, extra=1):
    from scipy.ndimage import map_coordinates

    grid = positions[extra:].reshape(*old_grid, -1)
    places = [
        (np.arange(new) + 0.5) * old / new - 0.5
        for old, new in zip(old_grid, new_grid, strict=True)
    ]
    at = np.meshgrid(*places, indexing="ij")
    planes = [
        map_coordinates(plane, at, order=1, mode="nearest") for plane in grid.T.swapaxes(1, 2)
    ]
    moved = np.stack(planes, axis=-1).reshape(-1, positions.shape[1])
    return np.concatenate([positions[:extra], moved])


@right("07.7")
def multiplications(image, channels, patch, embed_dim, mlp_dim, num_layers, classes):
    S = (image // patch) ** 2
    per_block = {
        "attention matrices": 4 * (S + 1) * embed_dim**2,
        "token pairs": 2 * (S + 1) ** 2 * embed_dim,
        "feed-forward": 2 * (S + 1) * embed_dim * mlp_dim,
    }
    counts = {name: num_layers * count for name, count in per_block.items()}
    counts["projection"] = S * embed_dim * channels * patch * patch
    counts["head"] = embed_dim * classes
    return counts


@wrong("07.1", "embed_dim=4")
def build(self, images_shape):
    self.check(images_shape)
    self.projection = layers.Conv2D(5, self.patch, strides=self.patch)
    self.projection.build(images_shape)
    self.flatten = layers.Reshape((-1, 5))


@wrong("07.1", "do not learn")
def build(self, images_shape):
    self.check(images_shape)
    how = {"strides": self.patch, "trainable": False}
    self.projection = layers.Conv2D(self.embed_dim, self.patch, **how)
    self.projection.build(images_shape)
    self.flatten = layers.Reshape((-1, self.embed_dim))


@wrong("07.3", "regularizer")
def vision_transformer(
    image, channels, patch, embed_dim, num_heads, mlp_dim, num_layers, classes,
    pool="class", positions="learned", name="vision_transformer",
):  # fmt: skip
    one_of("pool", pool, ("class", "mean"))
    one_of("positions", positions, ("learned", "none"))
    images = keras.Input((*sides("image", image), channels))
    x = cu.layers.PatchEmbedding(embed_dim, patch)(images)
    x = cu.layers.ClassToken()(x) if pool == "class" else x
    x = LearnedPositions(x.shape[1])(x) if positions == "learned" else x
    for _ in range(num_layers):
        x = TransformerEncoderBlock(embed_dim, num_heads, mlp_dim, activation="gelu")(x)
    x = new_norm("final_norm")(x)
    x = x[:, 0] if pool == "class" else ops.mean(x, axis=1)
    head = layers.Dense(classes, dtype="float32", kernel_regularizer="l2")
    return keras.Model(images, head(x), name=name)


@wrong("07.3")
def vision_transformer(
    image, channels, patch, embed_dim, num_heads, mlp_dim, num_layers, classes,
    pool="class", positions="learned", name="vision_transformer",
):  # fmt: skip
    one_of("pool", pool, ("class", "mean"))
    one_of("positions", positions, ("learned", "none"))
    images = keras.Input((*sides("image", image), channels))
    x = cu.layers.PatchEmbedding(embed_dim, patch)(images)
    x = cu.layers.ClassToken()(x) if pool == "class" else x
    x = LearnedPositions(x.shape[1])(x) if positions == "learned" else x
    for _ in range(num_layers):
        x = TransformerEncoderBlock(embed_dim, 2, mlp_dim, activation="gelu")(x)
    x = new_norm("final_norm")(x)
    x = x[:, 0] if pool == "class" else ops.mean(x, axis=1)
    return keras.Model(images, layers.Dense(classes, dtype="float32")(x), name=name)


@wrong("07.5")
def moved_by_shuffling(model, images, patch, order):
    places = np.roll(np.arange(len(order)), 1)
    shuffled = from_patches(to_patches(images, patch)[:, places], *images.shape[1:3], patch)
    return float(np.abs(np.array(model(shuffled)) - np.array(model(images))).max())


@wrong("07.6")
def interpolate_positions(positions, old_grid, new_grid, extra=1):
    grid = positions[extra:].reshape(*old_grid, 4)
    moved = ops.image.resize(grid, new_grid, data_format="channels_last")
    moved = ops.convert_to_numpy(moved).reshape(-1, 4)
    return np.concatenate([positions[:extra], moved])


@right("07.1")
class PatchEmbedding(PatchLayer):
    def build(self, images_shape):
        self.dense = layers.Dense(self.embed_dim)
        self.dense.build((None, self.patch**2 * images_shape[-1]))

    def call(self, images):
        self.check(images.shape)
        grid = ops.image.extract_patches(images, self.patch)
        return self.dense(ops.reshape(grid, (-1, grid.shape[1] * grid.shape[2], grid.shape[3])))


@right("07.1")
class PatchEmbedding(PatchLayer):  # no other size than that of build
    def build(self, images_shape):
        self.convolution = layers.Conv2D(self.embed_dim, self.patch, strides=self.patch)
        self.convolution.build(images_shape)
        self.S = images_shape[1] // self.patch * (images_shape[2] // self.patch)

    def call(self, images):
        self.check(images.shape)
        grid = self.convolution(images)
        return ops.reshape(grid, (ops.shape(images)[0], self.S, self.embed_dim))


@wrong("07.1", says="twice the height became two")
class PatchEmbedding(PatchLayer):
    def build(self, images_shape):
        self.convolution = layers.Conv2D(self.embed_dim, self.patch, strides=self.patch)
        self.convolution.build(images_shape)
        self.S = images_shape[1] // self.patch * (images_shape[2] // self.patch)

    def call(self, images):
        self.check(images.shape)
        return ops.reshape(self.convolution(images), (-1, self.S, self.embed_dim))


@wrong("07.6")
def interpolate_positions(positions, old_grid, new_grid, extra=1):
    if new_grid[0] <= old_grid[0] and new_grid[1] <= old_grid[1]:
        return positions
    grid = positions[extra:].reshape(*old_grid, -1)
    moved = ops.convert_to_numpy(ops.image.resize(grid, new_grid))
    return np.concatenate([positions[:extra], moved.reshape(-1, positions.shape[1])])
