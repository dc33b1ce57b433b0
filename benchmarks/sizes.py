"""What both sides of `peers` build: sizes, batches, steps a call. Imports nothing."""

STEPS = 8  # of training or inference in a call
IMAGE = {"image": 32, "channels": 3, "patch": 4, "classes": 10}
VIT = {"embed_dim": 64, "num_heads": 4, "mlp_dim": 128, "num_layers": 6}
MIXER = {"embed_dim": 256, "token_mlp_dim": 128, "channel_mlp_dim": 1024, "num_layers": 8}
GMLP = {"embed_dim": 128, "mlp_dim": 768, "num_layers": 8}
TEXT = {"tokens": 200, "channels": 32, "units": 32}
BLOCKS = {"tokens": 64, "embed_dim": 128, "num_heads": 4, "mlp_dim": 512, "num_layers": 2}
PAIRS = {"tokens": 20, "words": 15_000, "embed_dim": 256, "num_heads": 8, "mlp_dim": 2_048}
BATCHES = {
    "Vision Transformer": 64,
    "Mixer": 32,
    "gMLP": 32,
    "LSTM": 128,
    "GRU": 128,
    "encoder": 64,
    "decoder": 64,
    "translator": 64,
}
SIDE = 2_048  # of the square matrices whose product shows the processor's peak
