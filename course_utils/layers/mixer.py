"""MLP-Mixer's block: two small networks, one along the tokens and one along the channels."""

import keras
from keras import ops

from course_utils.data.arguments import share, whole_number
from course_utils.layers.fixed_size import check_tokens, tokens_of
from course_utils.layers.transformer import new_norm


@keras.saving.register_keras_serializable(package="course_utils")
class MixerBlock(keras.layers.Layer):
    """U = X + W_2 σ(W_1 LayerNorm(X)), along the tokens; Y = U + W_4 σ(W_3 LayerNorm(U)).

    Call: x (batch, S, C) → (batch, S, C), for the number of tokens S that it was built with.

    token_mlp_dim: D_S, the units between W_1 and W_2, chosen apart from S. channel_mlp_dim:
    D_C, between W_3 and W_4. dropout: the share of each network's output that training sets to
    0. activation: σ, by default the exact GELU.

    Raises ValueError for another number of tokens than it was built for, since W_1 and W_2 have
    one row, or column, for each place; and for settings that do not fit.

    Source: Tolstikhin et al., "MLP-Mixer: An all-MLP architecture for vision" (2021),
    equation 1 and figure 1.
    """

    def __init__(
        self, token_mlp_dim, channel_mlp_dim, dropout=0.0, activation="gelu", **kwargs
    ):
        super().__init__(**kwargs)
        whole_number("token_mlp_dim", token_mlp_dim, at_least=1)
        whole_number("channel_mlp_dim", channel_mlp_dim, at_least=1)
        share("dropout", dropout)
        self.settings = {
            "token_mlp_dim": token_mlp_dim,
            "channel_mlp_dim": channel_mlp_dim,
            "dropout": dropout,
            "activation": activation,
        }
        self.token_norm = new_norm("token_norm")
        self.channel_norm = new_norm("channel_norm")
        self.dropout = keras.layers.Dropout(dropout, name="dropout")

    def build(self, x_shape):
        self.tokens, channels = tokens_of(x_shape), x_shape[-1]
        self.token_mixing = self.two_layers("token", self.tokens)
        self.token_mixing.build((None, channels, self.tokens))
        self.channel_mixing = self.two_layers("channel", channels)
        self.channel_mixing.build(x_shape)
        self.token_norm.build(x_shape)
        self.channel_norm.build(x_shape)

    def two_layers(self, kind, width):
        """Dense, σ, Dense on the last axis, of `width`."""
        mlp_dim = self.settings[f"{kind}_mlp_dim"]
        return keras.Sequential(
            [
                keras.layers.Dense(
                    mlp_dim, activation=self.settings["activation"], name="hidden"
                ),
                keras.layers.Dense(width, name="output"),
            ],
            name=f"{kind}_mixing",
        )

    def call(self, x):
        check_tokens(self.tokens, x)
        x = x + self.dropout(self.mix_tokens(self.token_norm(x)))
        return x + self.dropout(self.channel_mixing(self.channel_norm(x)))

    def mix_tokens(self, x):
        """Dense works on the last axis, so the tokens are laid there, and back again."""
        return ops.swapaxes(self.token_mixing(ops.swapaxes(x, 1, 2)), 1, 2)

    def compute_output_shape(self, x_shape):
        return x_shape

    def get_config(self):
        return {**super().get_config(), **self.settings}
