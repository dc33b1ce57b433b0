"""The peers' side of `peers`: timm's and torch's models; runs in their own environment.

python -m benchmarks.peers_torch <file of weights>
"""

import sys

import numpy as np
import timm
import torch
from torch import nn

from benchmarks import sizes
from benchmarks.worker import serve

WEIGHTS = sys.argv[1]
BLOCK = {"batch_first": True, "norm_first": True, "dropout": 0.0, "layer_norm_eps": 1e-6}


class TextReader(nn.Module):
    """Vectors of a text, a recurrent layer, one logit."""

    def __init__(self, kind):
        super().__init__()
        self.recurrent = kind(sizes.TEXT["channels"], sizes.TEXT["units"], batch_first=True)
        self.logits = nn.Linear(sizes.TEXT["units"], 1)

    def forward(self, x):
        """The logit of the last state."""
        return self.logits(self.recurrent(x)[0][:, -1])


class Stack(nn.Module):
    """Vectors through blocks of an encoder or a decoder, their mean, one logit."""

    def __init__(self, kind):
        super().__init__()
        size = sizes.BLOCKS
        shape = (size["embed_dim"], size["num_heads"], size["mlp_dim"])
        blocks = [kind(*shape, **BLOCK) for _ in range(size["num_layers"])]
        self.blocks, self.logits = nn.ModuleList(blocks), nn.Linear(size["embed_dim"], 1)
        self.decodes = kind is nn.TransformerDecoderLayer
        self.hidden = nn.Transformer.generate_square_subsequent_mask(size["tokens"])

    def forward(self, vectors):
        """A decoder's blocks see the vectors as what was encoded, too."""
        x = vectors
        for block in self.blocks:
            if self.decodes:
                x = block(x, vectors, tgt_mask=self.hidden, tgt_is_causal=True)
            else:
                x = block(x)
        return self.logits(x.mean(1))


def vit():
    """timm's ViT at these sizes."""
    size, image = sizes.VIT, sizes.IMAGE
    return timm.models.VisionTransformer(
        img_size=image["image"], patch_size=image["patch"], num_classes=image["classes"],
        embed_dim=size["embed_dim"], depth=size["num_layers"], num_heads=size["num_heads"],
        mlp_ratio=size["mlp_dim"] / size["embed_dim"],
    )  # fmt: skip


def mixing(ratio, block):
    """timm's Mixer or gMLP at the sizes of that block."""
    size = sizes.MIXER if block is timm.models.mlp_mixer.MixerBlock else sizes.GMLP
    image = sizes.IMAGE
    return timm.models.MlpMixer(
        img_size=image["image"], patch_size=image["patch"], num_classes=image["classes"],
        num_blocks=size["num_layers"], embed_dim=size["embed_dim"], mlp_ratio=ratio,
        block_layer=block, mlp_layer=MLP[block],
    )  # fmt: skip


MLP = {
    timm.models.mlp_mixer.MixerBlock: timm.layers.Mlp,
    timm.models.mlp_mixer.SpatialGatingBlock: timm.layers.GatedMlp,
}
MODELS = {
    "Vision Transformer": vit,
    "Mixer": lambda: mixing((0.5, 4.0), timm.models.mlp_mixer.MixerBlock),
    "gMLP": lambda: mixing(6, timm.models.mlp_mixer.SpatialGatingBlock),
    "LSTM": lambda: TextReader(nn.LSTM),
    "GRU": lambda: TextReader(nn.GRU),
    "encoder": lambda: Stack(nn.TransformerEncoderLayer),
    "decoder": lambda: Stack(nn.TransformerDecoderLayer),
}


def dense(kept, ours, theirs):
    """A Dense layer's weights under torch's names."""
    return {
        f"{theirs}.weight": kept[f"{ours}/kernel"].T,
        f"{theirs}.bias": kept[f"{ours}/bias"],
    }


def norm(kept, ours, theirs):
    """A LayerNormalization's weights under torch's names."""
    return {
        f"{theirs}.weight": kept[f"{ours}/gamma"],
        f"{theirs}.bias": kept[f"{ours}/beta"],
    }


def attention(kept, ours, theirs, names=("in_proj_weight", "in_proj_bias", "out_proj")):
    """The matrices of all heads, those of queries, keys and values in one."""
    parts = [f"{ours}/{name}" for name in ("query", "key", "value")]
    weight, bias, out = (f"{theirs}.{name}" for name in names)
    return {
        weight: np.concatenate([kept[f"{part}/kernel"].T for part in parts]),
        bias: np.concatenate([kept[f"{part}/bias"] for part in parts]),
    } | dense(kept, f"{ours}/output", out)


def patches(kept, theirs):
    """The patch embedding; torch's kernels have the channels first."""
    kernel = kept["patches/projection/kernel"].transpose(3, 2, 0, 1)
    bias = kept["patches/projection/bias"]
    return {f"{theirs}.proj.weight": kernel, f"{theirs}.proj.bias": bias}


def image_ends(kept, stem):
    """What a network for images has before and behind its blocks."""
    ends = patches(kept, stem) | norm(kept, "final_norm", "norm")
    return ends | dense(kept, "logits", "head")


def carried(name, kept):
    """The course's weights `kept`, by path, as the state of torch's model of that name."""
    state = {}
    if name in ("LSTM", "GRU"):
        cell = f"recurrent/{name.lower()}_cell"
        order = [0, 1, 2, 3] if name == "LSTM" else [1, 0, 2]  # torch: reset before update
        bias = kept[f"{cell}/bias"]
        both = bias if bias.ndim == 2 else np.stack([bias, np.zeros_like(bias)])
        arrays = {
            "weight_ih_l0": kept[f"{cell}/kernel"],
            "weight_hh_l0": kept[f"{cell}/recurrent_kernel"],
            "bias_ih_l0": both[0],
            "bias_hh_l0": both[1],
        }
        for key, array in arrays.items():
            gates = np.split(array.T if array.ndim == 2 else array, len(order))
            state[f"recurrent.{key}"] = np.concatenate([gates[gate] for gate in order])
        return state | dense(kept, "logits", "logits")
    if name in ("encoder", "decoder"):
        parts = ["attention", *["cross"] * (name == "decoder"), "feed_forward"]
        for i in range(sizes.BLOCKS["num_layers"]):
            ours, theirs = f"block_{i}", f"blocks.{i}"
            for number, part in enumerate(parts, start=1):
                state |= norm(kept, f"{ours}/{part}_norm", f"{theirs}.norm{number}")
            state |= attention(kept, f"{ours}/attention", f"{theirs}.self_attn")
            if name == "decoder":
                state |= attention(kept, f"{ours}/cross_attention", f"{theirs}.multihead_attn")
            state |= dense(kept, f"{ours}/feed_forward/hidden", f"{theirs}.linear1")
            state |= dense(kept, f"{ours}/feed_forward/output", f"{theirs}.linear2")
        return state | dense(kept, "logits", "logits")
    if name == "Vision Transformer":
        state = image_ends(kept, "patch_embed")
        state["cls_token"] = kept["class_token/token"][None, None]
        state["pos_embed"] = kept["positions/table"][None]
        for i in range(sizes.VIT["num_layers"]):
            ours, theirs = f"block_{i}", f"blocks.{i}"
            state |= norm(kept, f"{ours}/attention_norm", f"{theirs}.norm1")
            state |= norm(kept, f"{ours}/feed_forward_norm", f"{theirs}.norm2")
            names = ("qkv.weight", "qkv.bias", "proj")
            state |= attention(kept, f"{ours}/attention", f"{theirs}.attn", names)
            state |= dense(kept, f"{ours}/feed_forward/hidden", f"{theirs}.mlp.fc1")
            state |= dense(kept, f"{ours}/feed_forward/output", f"{theirs}.mlp.fc2")
        return state
    state = image_ends(kept, "stem")
    for i in range(8):
        ours, theirs = f"block_{i}", f"blocks.{i}"
        if name == "Mixer":
            for k, (part, mlp) in enumerate((("token", "tokens"), ("channel", "channels"))):
                state |= norm(kept, f"{ours}/{part}_norm", f"{theirs}.norm{k + 1}")
                for at, layer in enumerate(("hidden", "output"), start=1):
                    path, fc = f"{ours}/{part}_mixing/{layer}", f"mlp_{mlp}.fc{at}"
                    state |= dense(kept, path, f"{theirs}.{fc}")
        else:
            mlp = f"{theirs}.mlp_channels"
            state |= norm(kept, f"{ours}/norm", f"{theirs}.norm")
            state |= norm(kept, f"{ours}/gate/norm", f"{mlp}.gate.norm")
            state[f"{mlp}.gate.proj.weight"] = kept[f"{ours}/gate/W"]
            state[f"{mlp}.gate.proj.bias"] = kept[f"{ours}/gate/b"]
            state |= dense(kept, f"{ours}/U", f"{mlp}.fc1")
            state |= dense(kept, f"{ours}/V", f"{mlp}.fc2")
    return state


def batch(name):
    """Inputs, targets and loss of `sizes.STEPS` batches, the course's own numbers."""
    draw, size = np.random.default_rng(0), sizes.BATCHES[name]
    examples = sizes.STEPS * size
    if name in ("Vision Transformer", "Mixer", "gMLP"):
        x = draw.random((examples, 32, 32, 3), "float32").transpose(0, 3, 1, 2)
        y, loss = draw.integers(10, size=examples), nn.CrossEntropyLoss()
    else:
        length = sizes.TEXT if name in ("LSTM", "GRU") else sizes.BLOCKS
        shape = (examples, length["tokens"], length.get("channels") or length["embed_dim"])
        x = draw.normal(size=shape).astype("float32")
        y = draw.integers(2, size=(examples, 1)).astype("float32")
        loss = nn.BCEWithLogitsLoss()
    x, y = torch.from_numpy(np.ascontiguousarray(x)), torch.from_numpy(y)
    return x.split(size), y.split(size), loss


def side(compiles):
    """Return a side for `serve`: eager, or through torch.compile."""

    def make(name):
        torch.manual_seed(0)
        torch.compiler.reset()
        model = MODELS[name]()
        kept = {
            number_and_path[4:]: array for number_and_path, array in np.load(WEIGHTS).items()
        }
        state = {
            key: torch.from_numpy(np.ascontiguousarray(array))
            for key, array in carried(name, kept).items()
        }
        model.load_state_dict(state, strict=True)
        if name == "gMLP":  # timm leaves the gate's norm at torch's own epsilon
            for block in model.blocks:
                block.mlp_channels.gate.norm.eps = 1e-6
        inputs, targets, loss = batch(name)
        numbers = sum(part.numel() for part in model.parameters())
        numbers -= 128 if name == "LSTM" else 0  # torch keeps two biases that are added
        model.eval()
        with torch.no_grad():
            outputs = model(inputs[0][:8]).ravel()[:100].tolist()
        network = torch.compile(model) if compiles else model
        optimizer = torch.optim.Adam(model.parameters())

        def train(steps):
            model.train()
            for x, y in zip(inputs, targets, strict=True):
                optimizer.zero_grad(set_to_none=True)
                loss(network(x), y).backward()
                optimizer.step()
                steps.tick()

        def infer(steps):
            model.eval()
            with torch.inference_mode():
                for x in inputs:
                    network(x)
                    steps.tick()

        return {"train": train, "infer": infer}, numbers, outputs

    return make


if __name__ == "__main__":
    serve({"plain": side(False), "compiled": side(True)})
