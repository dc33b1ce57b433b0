"""Compare Mixer, gMLP, ViT and a convnet of one size: images a second, trained and classified.

    python -m benchmarks.images_a_second

The models are lecture 08's for photographs of 32×32 pixels, 122,000 to 133,000 weights each,
with fresh weights on random pictures. The models take turns, one round after the other.
"""

import keras
import numpy as np
from keras import layers

import course_utils as cu
from benchmarks.timing import interleaved

LECTURE = "08_mixer_gmlp"
BATCH, SIDE = 128, 32
PHOTOGRAPHS = {"image": SIDE, "channels": 3, "classes": 10}


def convnet():
    """Three convolutions of 3×3, two poolings, a mean: the lecture's."""
    x = images = keras.Input((SIDE, SIDE, 3))
    for number, filters in enumerate((48, 96, 96)):
        x = layers.MaxPooling2D()(x) if number else x
        x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    return keras.Model(images, layers.Dense(10)(layers.GlobalAveragePooling2D()(x)))


MODELS = {
    "Mixer": lambda: cu.models.mixer_model(
        **PHOTOGRAPHS,
        patch=4,
        embed_dim=64,
        token_mlp_dim=64,
        channel_mlp_dim=256,
        num_layers=3,
    ),
    "gMLP": lambda: cu.models.gmlp_model(
        **PHOTOGRAPHS, patch=4, embed_dim=64, mlp_dim=256, num_layers=4
    ),
    "ViT": lambda: cu.models.vision_transformer(
        **PHOTOGRAPHS,
        patch=4,
        embed_dim=64,
        num_heads=4,
        mlp_dim=192,
        num_layers=3,
        pool="mean",
    ),
    "convnet": convnet,
}


def cases(models):
    """Return two dictionaries of functions by name: a training step, and a classification."""
    draw = np.random.default_rng(0)
    pictures = draw.normal(size=(BATCH, SIDE, SIDE, 3)).astype("float32")
    answers = draw.integers(10, size=BATCH)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    steps, looks = {}, {}
    for name, model in models.items():
        model.compile("adam", loss)
        steps[name] = lambda model=model: model.train_on_batch(pictures, answers)
        looks[name] = lambda model=model: model.predict_on_batch(pictures)
    return steps, looks


def main(repeats=15):
    """Measure, print and record."""
    session = cu.start(seed=0)
    models = {name: make() for name, make in MODELS.items()}
    steps, looks = cases(models)
    trained, classified = interleaved(steps, repeats), interleaved(looks, repeats)
    rows = []
    for name, model in models.items():
        row = {"model": name, "parameters": model.count_params()}
        row["trained"] = round(BATCH / trained[name])
        row["classified"] = round(BATCH / classified[name])
        rows.append(row)
        print(row, flush=True)
    suffix = "" if session.backend == "tensorflow" else f"-{session.backend}"
    note = (
        f"pictures of {SIDE}×{SIDE} a second with {session.backend}, batches of {BATCH}, "
        f"median of {repeats}"
    )
    cu.results.record_table(LECTURE, f"images-a-second{suffix}", rows, note)


if __name__ == "__main__":
    main()
