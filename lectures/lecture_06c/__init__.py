"""Lab 06c: heads for tokens, spans and choices, their data, and the arms of an ablation.

An encoder is a model from ids, int (batch, tokens), 0 for padding, to a list of hidden states
(batch, tokens, channels). A head shares its weights, so that training it trains the encoder
too. Rows of ids begin with <sos>; `tokenizer` is one of `lectures.lecture_06b.tokenizers`.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

import keras
import numpy as np
from keras import layers, ops

from course_utils import models
from course_utils.data.base import Dataset, Split, lists, one_of, read_table, rows_of
from course_utils.data.download import download
from course_utils.data.files import reading
from course_utils.layers import LearnedPositions, TransformerEncoderBlock
from course_utils.layers.attention import MASK_VALUE
from course_utils.layers.transformer import new_norm
from lectures.lecture_06b import PARTS, pooled
from lectures.lecture_06b.tokenizers import SPECIAL, START

LECTURE = "06c_lab_heads"
END = SPECIAL.index("<eos>")
IGNORE = -1


def spans(tags):
    """Return the set of (start, end, type) of a sentence's BIO tags; both ends inclusive.

    "B-film" begins a film, "I-film" goes on with it, "O" is outside; ValueError for another. As
    in the published scorer, an "I-film" after neither of the two begins a film as well.
    Source: Ramshaw and Marcus, "Text chunking using transformation-based learning" (1995).
    """
    found, start, kind = set(), None, None
    for place, tag in enumerate([*tags, "O"]):
        letter, _, name = str(tag).partition("-")
        if tag != "O" and (letter not in ("B", "I") or not name):
            raise ValueError(f"a tag is 'O', 'B-…' or 'I-…', got {tag!r}")
        goes_on = letter == "I" and name == kind
        if kind is not None and not goes_on:
            found.add((start, place - 1, kind))
            kind = None
        if tag != "O" and not goes_on:
            start, kind = place, name
    return found


def span_f1(true, predicted):
    """Return F1 over the spans of all sentences: both ends and the type have to be right.

    Args:
        true, predicted: lists of lists of BIO tags, sentence by sentence. `spans` gives the
            set of (start, end, type) of one sentence.

    Returns:
        2 · hits / (true spans + predicted spans), the harmonic mean of precision and recall;
        0 where there is no hit.
    """
    hits = total = 0
    for right, guess in zip(map(spans, true), map(spans, predicted), strict=True):
        hits += len(right & guess)
        total += len(right) + len(guess)
    return 2 * hits / total if hits else 0.0


def align_tags(tags, word_ids):
    """Return a tag for each token of a sentence: its word's at the first token, else -1.

    tags: one per word. word_ids: the number of each token's word, None for special tokens.
    """
    aligned, before = [], None
    for word in word_ids:
        first = word is not None and word != before
        aligned.append(tags[word] if first else IGNORE)
        before = word
    return aligned


def mistakes(true, predicted):
    """The numbers of the sentences with each kind of mistake: {kind: list, one per mistake}."""
    found = {"ends wrong": [], "type wrong": [], "missed": [], "invented": []}
    for row, pair in enumerate(zip(true, predicted, strict=True)):
        names, guesses = map(spans, pair)
        for start, end, _ in names - guesses:
            over = [one for one in guesses if one[0] <= end and start <= one[1]]
            same = any(one[:2] == (start, end) for one in over)
            found["type wrong" if same else "ends wrong" if over else "missed"].append(row)
        for start, end, _ in guesses:
            if not any(one[0] <= end and start <= one[1] for one in names):
                found["invented"].append(row)
    return found


def print_scores(true, answers, new, span_f1):
    """Print token accuracy and span F1 of each answer: of all, and with and without new names.

    answers: {name: tags of all sentences}; new: bool (sentences,).
    """
    print("                token accuracy   span F1   with a new name   without")
    for name, answer in answers.items():
        accuracy = np.mean(np.concatenate(answer) == np.concatenate(true))
        parts = [np.flatnonzero(which) for which in (new | True, new, ~new)]
        f1 = [span_f1([true[row] for row in part], [answer[row] for row in part])
              for part in parts]  # fmt: skip
        print(f"{name:15} {accuracy:14.3f} {f1[0]:9.3f} {f1[1]:17.3f} {f1[2]:9.3f}")


def print_mistakes(true, answer, sentences):
    """Print how many mistakes of each kind there are, and two sentences with the commonest."""
    found = mistakes(true, answer)
    print(", ".join(f"{len(rows)} {kind}" for kind, rows in found.items()))
    for row in max(found.values(), key=len)[:2]:
        tags = zip(sentences[row], true[row], answer[row], strict=True)
        marked = (
            word if right == given == "O" else f"{word}/{given}" if right == given
            else f"{word}/{given} (true: {right})" for word, right, given in tags
        )  # fmt: skip
        print("  ", *marked)


def beside_linear(recorded):
    """The dots of recorded networks and linear models: {task: {model: {"": values}}}.

    recorded: a function of model, metric, data set and lecture.
    """
    words, chosen = "linear, all words", "linear, chosen words"
    scratch, pretrained = "network, from scratch", "network, pre-trained"
    panels = {}
    for task, head, data, some, best in (
        ("spans", "span", "questions", "window", "window by question"),
        ("choices", "choice", "choices", "pairs", "verdicts"),
    ):
        panels[task] = {
            words: recorded("linear", some, data),
            chosen: recorded("linear", best, data),
            scratch: recorded(f"{head}_scratch", "exact_match", data),
            pretrained: recorded(f"{head}_pretrained", "exact_match", data),
        }
    real = {words: ("few_labels", "tfidf"), "linear, from other text": ("start", "counts")}
    real |= {scratch: ("few_labels", "scratch"), pretrained: ("few_labels", "fine-tuned")}
    panels["SST-2, 1,000 labels"] = {
        name: recorded(model, f"{arm}, 1000: test", "sst2", "06b_lab_pretraining")
        for name, (model, arm) in real.items()
    }
    return {
        task: {name: {"": values} for name, values in arms.items()}
        for task, arms in panels.items()
    }


def look_up_tags(train, sentences):
    """The baseline without a context: each word's most frequent tag in training, else O."""
    counts = defaultdict(Counter)
    for words, tags in zip(train.inputs, train.targets, strict=True):
        for word, tag in zip(words, tags, strict=True):
            counts[word][tag] += 1
    best = {
        word: min(found, key=lambda tag: (-found[tag], tag)) for word, found in counts.items()
    }
    return [
        [best.get(word, 0) for word in words] for words in lists("sentences", sentences, "str")
    ]


def frequent_answers(questions):
    """The share of test answers found by the most frequent one that the review holds."""

    def answered(part):
        asked = part.inputs["text"], part.targets, part.columns["question_kind"]
        for text, (first, last), kind in zip(*asked, strict=True):
            yield f" {' '.join(text)} ", " ".join(text[first : last + 1]), kind

    counts, hits = defaultdict(Counter), 0
    for _, answer, kind in answered(questions.train):
        counts[kind][answer] += 1
    for text, answer, kind in answered(questions.test):
        likely = (found for found, _ in counts[kind].most_common() if f" {found} " in text)
        hits += next(likely, None) == answer
    return hits / len(questions.test)


def endings_alone(choices):
    """Test accuracy of choosing endings by their words, as counted in training."""
    scores = Counter()
    train, test = choices.train, choices.test
    for endings, right in zip(train.inputs["endings"], train.targets, strict=True):
        for place, ending in enumerate(endings):
            for word in ending:
                scores[word] += 1 if place == right else -1 / 3
    rows = test.inputs["endings"]
    sums = [[sum(scores[word] for word in ending) for ending in endings] for endings in rows]
    return float((np.argmax(sums, axis=1) == test.targets).mean())


def filled(row, length):
    """The row filled up with 0 to `length`. Raises ValueError where it does not fit."""
    if len(row) > length:
        raise ValueError(f"{len(row)} pieces do not fit into a length of {length}")
    return [*row, *[0] * (length - len(row))]


def tagged_rows(part, tokenizer, length):
    """Sentences cut to `length`: ids (sentences, length), and tags, -1 where no word begins."""
    ids = np.zeros((len(part), length), "int32")
    targets = np.full((len(part), length), IGNORE, "int32")
    for row, (words, tags) in enumerate(zip(part.inputs, part.targets, strict=True)):
        pieces, places = tokenizer.of_words(words)
        pieces = [START, *pieces][:length]
        aligned = align_tags(tags, [None, *places])[:length]
        ids[row, : len(pieces)], targets[row, : len(aligned)] = pieces, aligned
    return ids, targets


def joined(first, second, tokenizer, length):
    """<sos> first <eos> second: ids, and each piece's word in `second` (its place, or None)."""
    before, (after, places) = tokenizer.of_words(first)[0], tokenizer.of_words(second)
    row = filled([START, *before, END, *after], length)
    return row, [None] * (len(before) + 2) + places


def question_rows(part, tokenizer, length):
    """Questions: ids (reviews, length), spans of pieces (reviews, 2), where the text stands."""
    ids, found, allowed = [], [], []
    pairs = zip(part.inputs["question"], part.inputs["text"], part.targets, strict=True)
    for question, text, (first, last) in pairs:
        row, places = joined(question, text, tokenizer, length)
        ids.append(row)
        found.append((places.index(first), len(places) - 1 - places[::-1].index(last)))
        allowed.append(filled([place is not None for place in places], length))
    return np.array(ids, "int32"), np.array(found, "int32"), np.array(allowed, bool)


def choice_rows(part, tokenizer, length):
    """Choices: ids (reviews, endings, length), each ending after its review."""
    pairs = zip(part.inputs["text"], part.inputs["endings"], strict=True)
    rows = [[joined(text, one, tokenizer, length)[0] for one in ends] for text, ends in pairs]
    return np.array(rows, "int32")


def token_classifier(encoder, classes):
    """One answer per token: ids (batch, tokens) → logits (batch, tokens, classes)."""
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(0.1)(encoder(ids)[-1])
    return keras.Model(ids, layers.Dense(classes, dtype="float32")(x), name="tagger")


def span_answerer(encoder, dropout=0.1):
    """Where an answer starts and ends: ids (batch, tokens) → {"start", "end"}.

    Both are scores, (batch, tokens). Question and text stand in one row; each end has a
    vector of its own, compared with every token's state. Pads score far below the rest.
    Source: Devlin et al. (2019), section 4.2.
    """
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(dropout)(encoder(ids)[-1])
    scores = layers.Dense(2, dtype="float32", name="ends")(x)
    scores = ops.where(ops.expand_dims(ops.not_equal(ids, 0), -1), scores, MASK_VALUE)
    ends = {"start": scores[..., 0], "end": scores[..., 1]}
    return keras.Model(ids, ends, name="span_answerer")


def choice_scorer(encoder, choices, pool="first", dropout=0.1):
    """Which of some answers fits: ids (batch, choices, tokens) → logits (batch, choices).

    Every choice is read by itself, with the question, and gets one number; the softmax
    runs over the choices. Source: Devlin et al. (2019), section 4.4.
    """
    ids = keras.Input((choices, None), dtype="int32")
    flat = OneRowAChoice()(ids)
    x = layers.Dropout(dropout)(pooled(encoder(flat)[-1], flat, pool))
    scores = layers.Dense(1, dtype="float32", name="score")(x)
    return keras.Model(ids, ops.reshape(scores, (-1, choices)), name="choice_scorer")


def pair_row(premise, hypothesis, length):
    """Join the two sentences of a pair: <sos> premise <eos> hypothesis, then zeros.

    Args:
        premise, hypothesis: lists of ids, without special tokens.
        length: how long the row should be.

    Returns:
        ids and segments, lists of `length` numbers each. The segment is 0 up to the <eos>, that
        token included, and 1 for the hypothesis; pads have the id 0 and the segment 0.

    Raises:
        ValueError: where a sentence is empty, and where the row does not fit.
    """
    if not premise or not hypothesis:
        raise ValueError("a pair needs two sentences, and one of these is empty")
    ids = [START, *premise, END, *hypothesis]
    segments = [0] * (len(premise) + 2) + [1] * len(hypothesis)
    return filled(ids, length), filled(segments, length)


def pair_rows(part, tokenizer, length):
    """Pairs of `load_sentence_pairs`: {"ids", "segments"}, int32 (pairs, length) each."""
    sides = (map(tokenizer.ids, part.inputs[name]) for name in ("premise", "hypothesis"))
    rows = [pair_row(*pair, length) for pair in zip(*sides, strict=True)]
    return dict(zip(("ids", "segments"), np.array(rows, "int32").swapaxes(0, 1), strict=True))


def single_rows(part, tokenizer, length, side):
    """One side of each pair, "premise" or "hypothesis", in the form of `pair_rows`."""
    ids = tokenizer.encode(part.inputs[side], length)
    return {"ids": ids, "segments": np.zeros_like(ids)}


def row_inputs():
    """The inputs of a model that reads `pair_rows` or `single_rows`."""
    return {
        name: keras.Input((None,), dtype="int32", name=name) for name in ("ids", "segments")
    }


def pair_encoder(vocab_size, length):
    """BERT's encoder of two segments: {"ids", "segments"}, (batch, tokens), → states.

    The vectors of token, segment and position, all learned, are added up and normalised; then
    come two blocks of four heads. States: (batch, tokens, 64). length: the most tokens.
    Source: Devlin et al. (2019), section 3.
    """
    row, start = row_inputs(), keras.initializers.RandomNormal(stddev=0.02)  # BERT's
    x = layers.Embedding(vocab_size, 64, start, name="tokens")(row["ids"])
    x = x + layers.Embedding(2, 64, start, name="segment_vectors")(row["segments"])
    x = new_norm("norm")(LearnedPositions(length, name="positions")(x))
    for number in range(2):
        block = TransformerEncoderBlock(64, 4, 128, activation="gelu", name=f"block_{number}")
        x = block(x, mask=ops.not_equal(row["ids"], 0))
    return keras.Model(row, new_norm("final_norm")(x), name="pair_encoder")


def pair_classifier(encoder, classes):
    """Both sentences in one row: {"ids", "segments"} → logits (batch, classes)."""
    row = row_inputs()
    x = pooled(encoder(row), row["ids"], "mean")
    return keras.Model(row, layers.Dense(classes, dtype="float32")(x), name="pair_classifier")


def side_by_side(encoder, classes):
    """Each sentence in a row of its own, through the same encoder, → logits (batch, classes).

    Inputs: {"premise", "hypothesis"}, ids (batch, tokens). The two vectors u and v meet in the
    head alone: u, v, |u − v| and u ⊙ v.
    Source: Conneau et al., "Supervised learning of universal sentence representations" (2017).
    """
    rows = {
        name: keras.Input((None,), dtype="int32", name=name)
        for name in ("premise", "hypothesis")
    }
    u, v = (
        pooled(encoder({"ids": ids, "segments": ops.zeros_like(ids)}), ids, "mean")
        for ids in rows.values()
    )
    x = ops.concatenate([u, v, ops.abs(u - v), u * v], axis=-1)
    x = layers.Dense(128, activation="gelu")(x)
    return keras.Model(rows, layers.Dense(classes, dtype="float32")(x), name="side_by_side")


@keras.saving.register_keras_serializable(package="course_utils")
class OneRowAChoice(keras.layers.Layer):
    """(batch, choices, tokens) → (batch · choices, tokens)."""

    def call(self, ids):
        return ops.reshape(ids, (-1, ops.shape(ids)[-1]))


def best_span(start, end, allowed):
    """The best pair of ends, NumPy: start and end (batch, tokens) → int (batch, 2).

    The largest start + end score of all pairs whose end does not stand before their start.
    allowed: bool (batch, tokens), where an answer may lie: in the text, not in the question.
    """
    start, end = np.asarray(start, "float64"), np.asarray(end, "float64")
    tokens = start.shape[1]
    scores = start[:, :, None] + end[:, None, :]
    possible = np.triu(allowed[:, :, None] & allowed[:, None, :])
    best = np.where(possible, scores, -np.inf).reshape(len(scores), -1).argmax(axis=1)
    return np.stack([best // tokens, best % tokens], axis=1)


TYPES = ("person", "film", "place", "organisation")
WNUT17_TYPES = ("person", "location", "group", "creative-work", "corporation", "product")
WNUT17 = "https://raw.githubusercontent.com/leondz/emerging_entities_17/master/"
WNUT17_FILES = (
    ("wnut17train.conll", "731820e13f71af324c6b55a1575ec2ce59fbaa2a0806f8f0400b98d56cd6a7a5"),
    ("emerging.dev.conll", "e053b752b8155113ca66e7db08af5f2f5f43ab993694e4774f1ec5bad42312d8"),
    (
        "emerging.test.annotated",
        "2aa79b764e56ec9264a1b30fdd9b70195bd00ff400b62edd8f399d5f13c178f0",
    ),
)


def load_entities(source: str = "embedded") -> Dataset:
    """Sentences with named entities, one BIO tag per word.

    Inputs: an object array of lists of str, capitals kept. Targets: an object array of lists of
    tag ids; `class_names[id]` is the tag, and "O" is 0.
    source: "embedded", 6,000 / 300 / 500 sentences by a grammar (person, film, place,
        organisation), with the column "new" (bool): the sentence holds a name that no training
        sentence has. Or "wnut17", 3,394 / 1,009 / 1,287 messages and comments (Derczynski et
        al., 2017; six types), whose entities are new or rare.
    Raises ValueError for another source, ConnectionError without WNUT17.
    """
    one_of("source", source, ("embedded", "wnut17"))
    types = TYPES if source == "embedded" else WNUT17_TYPES
    tags = ("O", *(f"{letter}-{name}" for name in types for letter in "BI"))

    def tagged(words, names, **columns):
        index = {tag: number for number, tag in enumerate(tags)}
        ids = [[index[name] for name in row] for row in names]
        return Split(rows_of(words), rows_of(ids), columns=columns or None)

    if source == "embedded":

        def sentences(words, names, new):
            return tagged(map(str.split, words), map(str.split, names), new=new == "1")

        return _kept("entities", sentences, tags)
    source = "https://github.com/leondz/emerging_entities_17 (Derczynski et al., 2017)"
    parts = (tagged(*_wnut17(*file, tags)) for file in WNUT17_FILES)
    dataset = Dataset("wnut17", *parts, None, tags, source, "CC BY 4.0")
    return dataset.announce(f"; {source}")


def load_questions() -> Dataset:
    """Span answering: 8,000 / 300 / 500 reviews, each with a question.

    Inputs {"text", "question"}: object arrays of lists of str, lower case, a full stop being a
    word of its own. Targets: int32 (reviews, 2), the first and the last word of the answer,
    both inclusive. Column "question_kind": the question without what differs from review to
    review. Half of the names in val and test occur in no training review.
    """

    def questions(texts, asked, kinds, first, last):
        inputs = {"text": rows_of(map(str.split, texts))}
        inputs["question"] = rows_of(map(str.split, asked))
        spans = np.stack([first, last], axis=1).astype("int32")
        return Split(inputs, spans, columns={"question_kind": np.array(kinds)})

    return _kept("questions", questions)


def load_choices() -> Dataset:
    """Multiple choice: 8,000 / 300 / 500 reviews with four endings, of which one fits.

    Inputs {"text": object array of lists of str, "endings": object array (reviews, 4) of lists
    of str}, lower case. Targets: int32 (reviews,), the place of the ending that fits, 0 to 3.
    """

    def choices(texts, endings, fits):
        words = [ending.split() for row in endings for ending in row.split("|")]
        inputs = {"text": rows_of(map(str.split, texts))}
        inputs["endings"] = rows_of(words).reshape(len(fits), -1)
        return Split(inputs, np.array(fits).astype("int32"))

    return _kept("choices", choices)


def _kept(name: str, split, class_names=None) -> Dataset:
    """The frozen set of this name; `split` makes a Split of its columns but the first."""

    def arrange(table):
        where = np.array(table.pop("split"))
        columns = [np.array(column, object) for column in table.values()]
        return [split(*(c[where == part] for c in columns)) for part in PARTS]

    source, parts = f"made by tools.make_data.{name}", read_table(f"{name}.csv.xz", arrange)
    dataset = Dataset(name, *parts, class_names=class_names, source=source, licence="CC0")
    return dataset.announce(f"; {source}")


def _wnut17(name: str, sha256: str, tags: Sequence[str]):
    path = download(WNUT17 + name, sha256, "datasets/course/wnut17")
    with reading(path):
        return read_conll(path.read_text(encoding="utf-8"), tags)


def read_conll(text: str, tags: Sequence[str]) -> tuple[list[list[str]], list[list[str]]]:
    """Words and tags of a file with "word<tab>tag" per line, a blank line between sentences.

    Raises ValueError, which names the line, for another line or an unknown tag.
    """
    sentences: list[list[tuple[str, str]]] = [[]]
    for number, line in enumerate(text.split("\n"), start=1):
        word, tab, tag = line.rstrip("\r").partition("\t")
        if not line.strip():
            sentences.append([])
        elif tab and tag in tags:
            sentences[-1].append((word, tag))
        else:
            raise ValueError(f"line {number} is no word with one of {', '.join(tags)}")
    pairs = [tuple(zip(*sentence, strict=True)) for sentence in sentences if sentence]
    return [list(words) for words, _ in pairs], [list(tags) for _, tags in pairs]


def two_block_encoder(tokenizer, length, dropout=0.0):
    """An untrained encoder of this lab's size: two blocks, four heads."""
    return models.transformer_encoder(len(tokenizer), 64, 4, 128, 2, length, dropout)


def train_tagger(data, tokenizer, epochs=4, head=token_classifier):
    """Train an encoder and a token head on `data.train`; return the model.

    Args:
        data: what `load_entities` returns.
        tokenizer: cuts words; `tagged_rows(part, tokenizer, 48)` gives ids and tags, int
            (sentences, 48) each, -1 where no word begins.
        epochs: passes over the training sentences.
        head: your `token_classifier` of exercise 06c.2. `two_block_encoder(tokenizer, 48)`
            makes an untrained encoder; batches of 32 and Adam at 0.002 suit it.
    """
    keras.utils.set_random_seed(0)
    ids, tags = tagged_rows(data.train, tokenizer, 48)
    model = head(two_block_encoder(tokenizer, 48, dropout=0.1), len(data.class_names))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=IGNORE)
    model.compile(keras.optimizers.Adam(2e-3, clipnorm=1.0), loss)
    model.fit(ids, tags, batch_size=32, epochs=epochs, verbose=0)
    return model


def tags_of(model, part, tokenizer, class_names):
    """The tags that a tagger gives each word: a list of lists; "O" where the row was cut."""
    ids, targets = tagged_rows(part, tokenizer, 48)
    guesses = model.predict(ids, batch_size=256, verbose=0).argmax(-1)
    rows = zip(guesses, targets >= 0, part.targets, strict=True)
    found = [[*guess[seen], *[0] * (len(true) - seen.sum())] for guess, seen, true in rows]
    return [[class_names[tag] for tag in row] for row in found]


ABLATIONS = {  # causal or not, what is changed in the encoder, with the next-part task or not
    "base": (False, {}, False),
    "next part": (False, {}, True),
    "left to right": (True, {}, False),
    "1 block": (False, {"num_layers": 1}, False),
    "half as wide": (False, {"embed_dim": 16, "mlp_dim": 32}, False),
    "1 head": (False, {"num_heads": 1}, False),
}


def told_apart(base, arm):
    """Where an arm's runs lie: "below" or "above" all runs of the base model, or "overlap".

    Args:
        base, arm: lists of accuracies, one per seed.
    """
    if max(arm) < min(base):
        return "below"
    return "above" if min(arm) > max(base) else "overlap"
