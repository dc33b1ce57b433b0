"""The peers' side of `peers`: timm's and torch's models; runs in their own environment.

python -m benchmarks.peers_torch <file of weights>
"""

import sys
from functools import partial

import numpy as np
import timm
import torch
from torch import nn

from benchmarks import worker
from benchmarks.worker import serve

WEIGHTS = sys.argv[1]
BLOCK = {"batch_first": True, "norm_first": True, "dropout": 0.0, "layer_norm_eps": 1e-6}


class TextReader(nn.Module):
    """Vectors of a text, a recurrent layer, one logit."""

    def __init__(self, kind):
        super().__init__()
        self.recurrent = kind(worker.TEXT["channels"], worker.TEXT["units"], batch_first=True)
        self.logits = nn.Linear(worker.TEXT["units"], 1)

    def forward(self, x):
        """The logit of the last state."""
        return self.logits(self.recurrent(x)[0][:, -1])


class Stack(nn.Module):
    """Vectors through blocks of an encoder or a decoder, their mean, one logit."""

    def __init__(self, kind):
        super().__init__()
        size = worker.BLOCKS
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
    size, image = worker.VIT, worker.IMAGE
    return timm.models.VisionTransformer(
        img_size=image["image"], patch_size=image["patch"], num_classes=image["classes"],
        embed_dim=size["embed_dim"], depth=size["num_layers"], num_heads=size["num_heads"],
        mlp_ratio=size["mlp_dim"] / size["embed_dim"],
    )  # fmt: skip


def mixing(ratio, block):
    """timm's Mixer or gMLP at the sizes of that block."""
    size = worker.MIXER if block is timm.models.mlp_mixer.MixerBlock else worker.GMLP
    image = worker.IMAGE
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


def gate(kept, ours, theirs):
    """The matrix and the bias of a spatial gate."""
    return {f"{theirs}.weight": kept[f"{ours}/W"], f"{theirs}.bias": kept[f"{ours}/b"]}


def patches(kept, theirs):
    """The patch embedding; torch's kernels have the channels first."""
    kernel = kept["patches/projection/kernel"].transpose(3, 2, 0, 1)
    bias = kept["patches/projection/bias"]
    return {f"{theirs}.proj.weight": kernel, f"{theirs}.proj.bias": bias}


FEED_FORWARD = ("feed_forward/hidden", "feed_forward/output")
VIT_ATTENTION = partial(attention, names=("qkv.weight", "qkv.bias", "proj"))
PARTS = {  # of a block: how they are carried, their names here and in torch
    "encoder": [
        (norm, "attention_norm", "norm1"),
        (norm, "feed_forward_norm", "norm2"),
        (attention, "attention", "self_attn"),
        *zip([dense] * 2, FEED_FORWARD, ("linear1", "linear2"), strict=True),
    ],
    "decoder": [
        (norm, "attention_norm", "norm1"),
        (norm, "cross_norm", "norm2"),
        (norm, "feed_forward_norm", "norm3"),
        (attention, "attention", "self_attn"),
        (attention, "cross_attention", "multihead_attn"),
        *zip([dense] * 2, FEED_FORWARD, ("linear1", "linear2"), strict=True),
    ],
    "Vision Transformer": [
        (norm, "attention_norm", "norm1"),
        (norm, "feed_forward_norm", "norm2"),
        (VIT_ATTENTION, "attention", "attn"),
        *zip([dense] * 2, FEED_FORWARD, ("mlp.fc1", "mlp.fc2"), strict=True),
    ],
    "Mixer": [
        (norm, "token_norm", "norm1"),
        (norm, "channel_norm", "norm2"),
        (dense, "token_mixing/hidden", "mlp_tokens.fc1"),
        (dense, "token_mixing/output", "mlp_tokens.fc2"),
        (dense, "channel_mixing/hidden", "mlp_channels.fc1"),
        (dense, "channel_mixing/output", "mlp_channels.fc2"),
    ],
    "gMLP": [
        (norm, "norm", "norm"),
        (norm, "gate/norm", "mlp_channels.gate.norm"),
        (gate, "gate", "mlp_channels.gate.proj"),
        (dense, "U", "mlp_channels.fc1"),
        (dense, "V", "mlp_channels.fc2"),
    ],
}


def reader(name, kept):
    """The weights of an LSTM or a GRU, whose gates torch has in another order."""
    cell = f"recurrent/{name.lower()}_cell"
    order = [0, 1, 2, 3] if name == "LSTM" else [1, 0, 2]  # torch: reset before update
    bias = kept[f"{cell}/bias"]
    both = bias if bias.ndim == 2 else np.stack([bias, np.zeros_like(bias)])
    arrays = {
        "weight_ih_l0": kept[f"{cell}/kernel"].T,
        "weight_hh_l0": kept[f"{cell}/recurrent_kernel"].T,
        "bias_ih_l0": both[0],
        "bias_hh_l0": both[1],
    }
    split = {key: np.split(array, len(order)) for key, array in arrays.items()}
    return {
        f"recurrent.{key}": np.concatenate([gates[gate] for gate in order])
        for key, gates in split.items()
    }


def carried(name, kept):
    """The course's weights `kept`, by path, as the state of torch's model of that name."""
    if name in worker.READERS:
        return reader(name, kept) | dense(kept, "logits", "logits")
    images = name in worker.IMAGES
    state = dense(kept, "logits", "head" if images else "logits")
    if images:
        state |= norm(kept, "final_norm", "norm")
        state |= patches(kept, "patch_embed" if name == "Vision Transformer" else "stem")
    if name == "Vision Transformer":
        state["cls_token"] = kept["class_token/token"][None, None]
        state["pos_embed"] = kept["positions/table"][None]
    sizes = {"Vision Transformer": worker.VIT, "Mixer": worker.MIXER, "gMLP": worker.GMLP}
    for number in range(sizes.get(name, worker.BLOCKS)["num_layers"]):
        for carry, ours, theirs in PARTS[name]:
            state |= carry(kept, f"block_{number}/{ours}", f"blocks.{number}.{theirs}")
    return state


def batches(name):
    """Inputs and targets of `worker.STEPS` batches, and the loss."""
    x, y = worker.batches(name)
    loss = nn.BCEWithLogitsLoss()
    if name in worker.IMAGES:
        x, loss = np.ascontiguousarray(x.transpose(0, 3, 1, 2)), nn.CrossEntropyLoss()
    return *(torch.from_numpy(part).split(worker.BATCHES[name]) for part in (x, y)), loss


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
        inputs, targets, loss = batches(name)
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
