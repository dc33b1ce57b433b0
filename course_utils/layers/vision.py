"""How an image becomes a sequence of tokens: patches, and a token that reads them all."""

import keras
from keras import ops

from course_utils.data.base import whole_number
from course_utils.data.images import check_images, patch_grid


@keras.saving.register_keras_serializable(package="course_utils")
class PatchEmbedding(keras.layers.Layer):
    """Cuts images into patches and projects each: x_p E + b, one strided convolution.

    Call: images (batch, height, width, channels) → (batch, S, embed_dim), with
    S = height/patch · width/patch tokens, row by row. The kernel (patch, patch, channels,
    embed_dim), reshaped to (patch·patch·channels, embed_dim), is the matrix E.

    embed_dim: the channels of a token. patch: the side of a patch, and the convolution's
    stride.
    Raises ValueError for sides not divisible by the patch, for images of another rank, and for
    other channels than the layer was built for.

    Source: Dosovitskiy et al., "An image is worth 16x16 words" (2021), equation 1.
    """

    def __init__(self, embed_dim, patch, **kwargs):
        super().__init__(**kwargs)
        whole_number("patch", patch, at_least=1)
        self.embed_dim, self.patch = embed_dim, patch
        self.projection = keras.layers.Conv2D(
            embed_dim, patch, strides=patch, data_format="channels_last", name="projection"
        )
        self.flatten = keras.layers.Reshape((-1, embed_dim), name="flatten")

    def build(self, images_shape):
        self.check(images_shape)
        self.channels = images_shape[-1]
        self.projection.build(images_shape)

    def call(self, images):
        self.check(images.shape)
        images = ops.cast(images, self.compute_dtype)  # bytes would not be cast by themselves
        return self.flatten(self.projection(images))

    def check(self, shape):
        """Raise ValueError unless images of this shape can be cut and projected."""
        check_images(shape)
        if self.built and shape[-1] != self.channels:
            raise ValueError(
                f"the images have {shape[-1]} channels, but the layer {self.name!r} was built "
                f"for {self.channels}"
            )
        if None not in shape[1:3]:
            patch_grid(tuple(shape[1:3]), self.patch)


@keras.saving.register_keras_serializable(package="course_utils")
class ClassToken(keras.layers.Layer):
    """Puts one learned vector, the same for every image, in front of the tokens; 0 at first.

    Call: x (batch, S, embed_dim) → (batch, 1 + S, embed_dim). Where x has a mask, the new token
    is real.

    Source: Dosovitskiy et al., "An image is worth 16x16 words" (2021), equation 1, after the
    [class] token of Devlin et al., "BERT" (2019).
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def build(self, x_shape):
        self.input_spec = keras.layers.InputSpec(ndim=3, axes={-1: x_shape[-1]})
        self.token = self.add_weight(shape=(x_shape[-1],), initializer="zeros", name="token")

    def call(self, x):
        token = ops.cast(self.token, x.dtype)
        token = ops.broadcast_to(token, (ops.shape(x)[0], 1, x.shape[-1]))
        return ops.concatenate([token, x], axis=1)

    def compute_mask(self, x, mask=None):
        if mask is None:
            return None
        return ops.concatenate([ops.ones_like(mask[:, :1]), mask], axis=1)
