"""What moves: small pages of HTML on the reader's own weights, which need nothing from outside.

Each function returns an `Explorable`, which shows itself in a notebook, on a slide and on a
page of the site from the same JavaScript module beside this file. Where scripts do not run (a
notebook that is not trusted, paper, GitHub) its picture stands, with its alternative text.
"""

import base64
import json
import re
from pathlib import Path

import numpy as np

from course_utils import plotting

FREQUENT = 1_500  # words of a table that a page holds: more would make a notebook too large
MARK = '<div class="explore"'
NO_SHORTCUTS = 'data-lm-suppress-shortcuts="true"'  # JupyterLab's, while one types here
HERE = Path(__file__).resolve().parent


class Explorable:
    """A page that moves, and the picture that stands where it cannot.

    Args:
        name: of the module beside this file, without ".js".
        data: what the module gets: what JSON knows, and arrays of numbers.
        picture: a matplotlib figure and its alternative text, as `plotting.show` takes them.
    """

    def __init__(self, name, data, picture):
        self.name, self.data = name, data
        self.picture = plotting.forms(*picture)

    def _repr_mimebundle_(self, **_):  # as IPython calls it
        plain = {"ensure_ascii": False, "separators": (",", ":"), "default": tensor}
        data = json.dumps(self.data, **plain)
        data = data.replace("</", r"<\/")  # which would end the script
        parts = [
            f'{MARK} data-explore="{self.name}" {NO_SHORTCUTS}>',
            self.picture["text/html"],
            f'<script type="application/json">{data}</script></div>',
        ]
        html = "\n".join(parts) + moving(self.name)
        return {"text/html": html, "text/plain": self.picture["text/plain"]}


def moving(name):
    """Return the HTML of a module's styles and script."""
    style = (HERE / "style.css").read_text(encoding="utf-8")
    return f'<style>{style}</style>\n<script type="module">{script(name)}</script>'


def renewed(html):
    """Return an explorable's HTML with the styles and the script of today."""
    name = re.search('data-explore="(\\w+)"', html)[1]
    return html.partition("<style>")[0] + moving(name)


IMPORT = re.compile(r'^import [^;]* from "\./(\w+)\.js";\n', re.MULTILINE)


def script(name):
    """Return a module and those that it imports as one, which starts by itself."""
    joined = "\n".join(_modules(name).values())
    joined = re.sub(r"^export ", "", joined, flags=re.MULTILINE)
    return f"{joined}\nstartAll({json.dumps(name)}, start);\n"


def _modules(name):
    """Return the texts of a module's imports and its own, each once, in that order."""
    text = (HERE / f"{name}.js").read_text(encoding="utf-8")
    imported = [_modules(one) for one in IMPORT.findall(text)]
    return {key: one for found in imported for key, one in found.items()} | {
        name: IMPORT.sub("", text)
    }


def tensor(array):
    """Return an array of numbers as `unpack` in base.js reads it: float32, nothing rounded."""
    array = np.asarray(array, "<f4")
    content = base64.b64encode(array.tobytes()).decode("ascii")
    return {"shape": list(array.shape), "float32": content}


def weights(layer, count):
    """Return the weights of a Keras layer; ValueError where it has another number of them."""
    found = layer.get_weights()
    if len(found) != count:
        raise ValueError(
            f"{layer.name} should have {count} arrays of weights, and has {len(found)}"
        )
    return found


def reader(model, vocabulary, texts):
    """Return a recurrent network and what it reads, for a module; its layers in this order:

    Embedding, one recurrent layer with weights W, U and b, Dense of one unit.
    """
    embedding, recurrent, output = [layer for layer in model.layers if layer.get_weights()]
    [table], [W, U, b], [V, c] = (
        weights(embedding, 1),
        weights(recurrent, 3),
        weights(output, 2),
    )
    arrays = {"table": table, "W": W, "U": U, "b": b, "V": V, "c": c}
    return arrays | {"words": vocabulary.words, "texts": texts}


def state(model, vocabulary, texts, picture):
    """Show the state of a SimpleRNN while it reads a review, and the gradient on its way back.

    Args:
        model: a Keras model of an Embedding, a SimpleRNN and a Dense layer of one unit.
        vocabulary: the `Vocabulary` whose ids the model reads.
        texts: the reviews to pick from, a dict of names and texts.
        picture: what stands where scripts do not run, a figure and its alternative text.
    """
    data = reader(model, vocabulary, texts)
    radius = float(np.abs(np.linalg.eigvals(data["U"])).max())
    return Explorable("state", data | {"radius": radius}, picture)


def gates(model, vocabulary, texts, picture):
    """Show one unit of an LSTM by hand, and the gates of a trained one over a review.

    Args: as in `state`, the model with an LSTM, whose blocks are input gate, forget gate,
    candidate and output gate.
    """
    return Explorable("gates", reader(model, vocabulary, texts), picture)


def receptive(model, vocabulary, texts, library, neutral, picture):
    """Show which words one output of a stack sees, and what excites a network's filters.

    Args:
        model: a Keras model of an Embedding, a Conv1D and a Dense layer of one unit.
        vocabulary, texts, picture: as in `state`.
        library: texts, of which the windows that excite a filter most are shown.
        neutral: a sentence that may be put in front.
    """
    embedding, convolution, output = [layer for layer in model.layers if layer.get_weights()]
    [table], [K, b], [V, _] = weights(embedding, 1), weights(convolution, 2), weights(output, 2)
    data = {"words": vocabulary.words, "texts": texts, "library": library, "neutral": neutral}
    return Explorable("receptive", data | {"table": table, "K": K, "b": b, "V": V}, picture)


def scan(kept, written, vocabulary, texts, picture):
    """Show how a parallel scan makes the states of h_t = kept_t · h_{t−1} + written_t.

    Args:
        kept, written: of every word of the vocabulary, (words, units): the parts of a step that
            reads this word.
        vocabulary, texts, picture: as in `state`; of a text the first 8 words are read.
    """
    data = {"kept": kept, "written": written, "words": vocabulary.words, "texts": texts}
    return Explorable("scan", data, picture)


def words(tables, first, examples, picture):
    """Show the words that are nearest to another by cosine or dot product, and sums of words.

    Args:
        tables: `{title: (words, vectors, {group: its words})}`, the most frequent words first;
            vectors: (words, numbers), such as counts or learned ones. The map always has the
            groups.
        first: the word that is shown at first.
        examples: words and sums to click, such as "king − man + woman".
        picture: as in `state`.

    Of a table the `FREQUENT` first words are kept, and those of groups and examples.
    """
    named = [part for text in examples for part in text.split()]
    sent = {}
    for title, (names, vectors, groups) in tables.items():
        place = {word: number for number, word in enumerate(names)}
        shown = [place[word] for group in groups.values() for word in group]
        wanted = shown + [place[word] for word in named if word in place]
        kept = sorted({*range(min(FREQUENT, len(names))), *wanted})
        sent[title] = {"words": [str(names[one]) for one in kept], "vectors": vectors[kept]}
        sent[title]["shown"] = [kept.index(one) for one in shown]
    return Explorable("words", {"tables": sent, "first": first, "examples": examples}, picture)


def alignment(model, vocabulary, texts, picture):
    """Show a translation word by word, and which words of the source each step reads.

    Args:
        model: a translator of lecture 5 with Luong's dot score, whose GRUs are `encoder` and
            `decoder`.
        vocabulary: a dict of the `Vocabulary` of "source" and "target".
        texts: sentences to pick from.
        picture: as in `state`.
    """
    gru = ("W", "U", "b")
    data = {
        "source": weights(model.source_embedding, 1)[0],
        "target": weights(model.target_embedding, 1)[0],
        "encoder": dict(zip(gru, weights(model.encoder, 3), strict=True)),
        "decoder": dict(zip(gru, weights(model.decoder, 3), strict=True)),
        "W_c": weights(model.attend.W_c, 1)[0],
        "words": weights(model.to_words, 2),
    }
    return Explorable("alignment", data | sentences(vocabulary, texts), picture)


def sentences(vocabulary, texts):
    """Return what both translators' modules get besides weights."""
    sides = {"english": vocabulary["source"].words, "french": vocabulary["target"].words}
    return sides | {"texts": texts}


def attention(model, vocabulary, texts, picture):
    """Show a Transformer's heads from inside, on a sentence that is typed.

    Args:
        model: a `Transformer` of pre-norm blocks for pairs of sentences.
        vocabulary, texts, picture: as in `alignment`.
    """
    data = {
        "source": weights(model.source_embedding, 1)[0],
        "target": weights(model.target_embedding, 1)[0],
        "positions": np.asarray(model.positions.table)[:64],
        "encoder": [block_weights(block) for block in model.encoder],
        "decoder": [block_weights(block) for block in model.decoder],
        "encoder_norm": weights(model.encoder_norm, 2),
        "decoder_norm": weights(model.decoder_norm, 2),
        "words": weights(model.to_words, 2),
    }
    return Explorable("attention", data | sentences(vocabulary, texts), picture)


def block_weights(block):
    """Return the weights of a Transformer's block by the names that the modules use."""
    hidden, output = block.feed_forward.layers
    names = ["attention_norm", "feed_forward_norm"]
    found = {"attention": head_weights(block.attention)}
    if getattr(block, "cross", False):
        found["cross_attention"] = head_weights(block.cross_attention)
        names.append("cross_norm")
    found |= {name: weights(getattr(block, name), 2) for name in names}
    return found | {"hidden": weights(hidden, 2), "output": weights(output, 2)}


def head_weights(layer):
    """Return the four projections of a `MultiHeadAttention`, and its number of heads."""
    parts = {"query": "query", "key": "key", "value": "value", "output": "output_projection"}
    found = {part: weights(getattr(layer, name), 2) for part, name in parts.items()}
    return found | {"heads": layer.num_heads}


def digit(model, digits, picture):
    """Show what a Vision Transformer makes of a digit that is drawn.

    Args:
        model: a Vision Transformer for square images of one channel, with a class token and
            learned positions.
        digits: images to begin with, a dict of names and arrays (side, side).
        picture: as in `state`.
    """
    layers = [layer for layer in model.layers if layer.get_weights()]
    patches, token, positions, *blocks, norm, logits = layers
    data = {
        "patches": patch_weights(patches),
        "token": weights(token, 1)[0],
        "positions": weights(positions, 1)[0],
        "blocks": [block_weights(block) for block in blocks],
        "norm": weights(norm, 2),
        "logits": weights(logits, 2),
    }
    return Explorable("digit", data | pixels(patches, digits), picture)


def mixing(models, digits, picture):
    """Show which tokens of a digit reach which in a Mixer and a gMLP, and what the gate does.

    Args:
        models: a dict of names and pairs: a model of `MixerBlock` or `GMLPBlock` blocks, for
            square images of one channel, and what its first classes are called.
        digits, picture: as in `digit`.
    """
    networks = {}
    for name, (model, classes) in models.items():
        layers = [layer for layer in model.layers if layer.get_weights()]
        patches, *blocks, norm, logits = layers
        found = {"patches": patch_weights(patches), "norm": weights(norm, 2)}
        found |= {"blocks": [mixing_weights(block) for block in blocks]}
        found |= {"logits": weights(logits, 2), "patch": patches.patch}
        networks[name] = found | {"tokens": patches.output.shape[1], "classes": classes}
    return Explorable("mixing", {"networks": networks} | pixels(patches, digits), picture)


def pixels(patches, digits):
    """Return what both modules that draw digits get: the patch, and digits to begin with."""
    drawn = [{"name": name, "pixels": np.ravel(image)} for name, image in digits.items()]
    return {"patch": patches.patch, "digits": drawn}


def patch_weights(layer):
    """Return E, (numbers of a patch, channels), and b of a layer that embeds patches."""
    E, b = sorted(weights(layer, 2), key=np.ndim, reverse=True)
    return [E.reshape(-1, E.shape[-1]), b]


def mixing_weights(block):
    """Return the weights of a Mixer's or gMLP's block by the names that the module uses."""
    if hasattr(block, "token_mixing"):
        mixings = {name: getattr(block, name) for name in ("token_mixing", "channel_mixing")}
        norms = {name: getattr(block, name) for name in ("token_norm", "channel_norm")}
        found = {name: weights(layer, 2) for name, layer in norms.items()}
        return found | {name: weights(layer, 4) for name, layer in mixings.items()}
    gate = {"gate_norm": weights(block.gate.norm, 2), "b": np.asarray(block.gate.b)}
    dense = {"U": weights(block.U, 2), "V": weights(block.V, 2)}
    return gate | dense | {"W": np.asarray(block.gate.W), "norm": weights(block.norm, 2)}
