"""How an image becomes a sequence of tokens: patches, and a token that reads them all."""

import keras
from keras import ops

from course_utils.data.base import whole_number
from course_utils.data.images import check_images, patch_grid


class PatchLayer(keras.layers.Layer):
    """What an embedding of patches is told: embed_dim, and patch, the side of a patch.

    Raises ValueError for a patch that is no whole number of at least 1.
    """

    def __init__(self, embed_dim, patch, **kwargs):
        super().__init__(**kwargs)
        whole_number("patch", patch, at_least=1)
        self.embed_dim, self.patch = embed_dim, patch

    def check(self, shape):
        """Raise ValueError unless images of this shape can be cut without a remainder.

        The sides may be open until there are images. After that TensorFlow leaves them open
        where a graph has met two sizes, and the second would not be checked.
        """
        check_images(shape)
        if None not in shape[1:3]:
            patch_grid(tuple(shape[1:3]), self.patch)
        elif self.built:
            height, width = self.get_build_config()["input_shape"][1:3]
            raise ValueError(
                f"this model was built for images of {height} × {width} and cannot take "
                "another size: resize the images, or build a model of the new size"
            )

    def compute_output_shape(self, images_shape):
        height, width = images_shape[1:3]
        patches = height and width and (height // self.patch) * (width // self.patch)
        return (images_shape[0], patches or None, self.embed_dim)


@keras.saving.register_keras_serializable(package="course_utils")
class PatchEmbedding(PatchLayer):
    """Cuts images into patches and projects each: x_s E + b.

    Call: images (batch, height, width, channels) → (batch, S, embed_dim), with
    S = height/patch · width/patch tokens, row by row. Weights: E, whose rows follow the pixels
    of a patch in the order row, column, channel, and b (embed_dim,).
    `self.embed_dim` and `self.patch`, the side of a patch, are set. `self.check(shape)` raises
    ValueError for images whose sides the patch does not divide.

    Source: Dosovitskiy et al., "An image is worth 16x16 words" (2021), equation 1.
    """

    def build(self, images_shape):
        """Make and build the layers that are needed; images_shape[-1] channels."""
        self.check(images_shape)
        options = {"data_format": "channels_last", "dtype": self.dtype_policy}
        self.projection = keras.layers.Conv2D(
            self.embed_dim, self.patch, strides=self.patch, name="projection", **options
        )
        self.projection.build(images_shape)
        self.flatten = keras.layers.Reshape((-1, self.embed_dim), name="flatten")

    def call(self, images):
        """Check the images' shape, cut and project."""
        self.check(images.shape)
        images = ops.cast(images, self.compute_dtype)  # bytes would not be cast by themselves
        return self.flatten(self.projection(images))


class FrontToken(keras.layers.Layer):
    """What a token in front does to a mask: the new token is real."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def compute_mask(self, x, mask=None):
        if mask is None:
            return None
        return ops.concatenate([ops.ones_like(mask[:, :1]), mask], axis=1)


@keras.saving.register_keras_serializable(package="course_utils")
class ClassToken(FrontToken):
    """Puts one learned vector, the same for every image, in front of the tokens; 0 at first.

    Call: x (batch, S, embed_dim) → (batch, 1 + S, embed_dim).

    Source: Dosovitskiy et al., "An image is worth 16x16 words" (2021), equation 1, after the
    [class] token of Devlin et al., "BERT" (2019).
    """

    def build(self, x_shape):
        """Make the one weight of the layer; x_shape[-1] is embed_dim."""
        self.token = self.add_weight(shape=(x_shape[-1],), initializer="zeros", name="token")

    def call(self, x):
        """Repeat the token for each image of the batch, and put it in front."""
        token = ops.cast(self.token, x.dtype)
        token = ops.broadcast_to(token, (ops.shape(x)[0], 1, x.shape[-1]))
        return ops.concatenate([token, x], axis=1)
