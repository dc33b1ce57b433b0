"""How every Transformer of the course begins: token vectors, positions, dropout."""

import keras

from course_utils.layers.transformer import LearnedPositions, SinusoidalPositions

POSITIONS = {"sinusoidal": SinusoidalPositions, "learned": LearnedPositions}


def token_embedding(vocab_size, embed_dim, name):
    """Vectors N(0, 1/embed_dim) for `vocab_size` ids; called with reverse=True it gives logits.

    Multiplied by √embed_dim, as the paper has it, they are as large as the positions.
    """
    return keras.layers.ReversibleEmbedding(
        vocab_size,
        embed_dim,
        embeddings_initializer=keras.initializers.RandomNormal(stddev=embed_dim**-0.5),
        reverse_dtype="float32",
        name=name,
    )
