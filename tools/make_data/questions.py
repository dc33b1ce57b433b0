"""Questions on short reviews, whose answer is a span of the review.

A review does two of three things: it names two persons and what they did, judges two things
about the film, or says when it was seen, with whom, or where it is set. The question asks for
one of these facts. They come in any order, and the review always holds at least two spans of
the right sort (persons, verdicts, days): a reader that cannot tell who did what is right at
most half of the time.
"""

from course_utils.data import reviews
from tools.make_data import write_table
from tools.make_data.drawing import FIRST_NAMES, Drawer, parts

SIZES = {"train": 8_000, "val": 300, "test": 500}
NAMES = 120
# The square brackets hold the answer.
CREDITS = (
    ("who directed it", "[{name}] directed it"),
    ("who directed it", "it was directed by [{name}]"),
    ("who wrote it", "[{name}] wrote it"),
    ("who wrote it", "it was written by [{name}]"),
    ("who sings in it", "[{name}] sings in it"),
    ("who plays the {hero}", "[{name}] plays the {hero}"),
    ("who plays the {hero}", "the {hero} is played by [{name}]"),
)
# Beside each, a sentence with another span of the same sort, which is no answer.
CIRCUMSTANCES = (
    ("who came with us", "we saw it with [{person}]", "{other} had read about it"),
    ("who came with us", "[{person}] came with us", "{other} had bought the tickets"),
    ("when did we see it", "we saw it on a [{day}]", "the tickets were sold on a {other}"),
    ("when did we see it", "it was a [{day}] when we saw it", "we never go out on a {other}"),
    ("where is it set", "it is set in a small town [{place}]", "we live in a house {other}"),
    ("where is it set", "the story begins [{place}]", "the cinema is {other}"),
)
FILLER = tuple(
    sentence
    for sentence in reviews.NEUTRAL
    if not any(slot in sentence for slot in ("{day}", "{person}", "{place}", "{hero}"))
    and not sentence.startswith("we never go out")
)


def make() -> list[tuple]:
    """Rows (split, review, question, kind, first, last): where in the words the answer stands.

    kind: the question without what differs from review to review.
    """
    draw = Drawer(0)
    pools = draw.pools(dict.fromkeys(("train", "val", "test"), NAMES))

    def example(part):
        return _example(draw, pools["train"] + (pools[part] if part != "train" else []))

    return parts(SIZES, example)


def _example(draw: Drawer, names: list[str]):
    asking = draw.sample([_credits, _verdicts, _circumstances], 2)
    (facts, others), (more_facts, more_others) = (ask(draw, names) for ask in asking)
    kind, question, asked = draw.choose(facts)
    others += [sentence for _, _, sentence in facts + more_facts if sentence is not asked]
    others += more_others
    if draw.random() < 0.5:
        others.append(
            draw.choose(FILLER).format(number=draw.choose(reviews.SLOTS["number"])).lower()
        )
    others = [sentence.replace("[", "").replace("]", "") for sentence in others]
    sentences = draw.sample([*others, asked], len(others) + 1)
    marked = " ".join(f"{sentence} ." for sentence in sentences).split()
    start = next(place for place, word in enumerate(marked) if word.startswith("["))
    end = next(place for place, word in enumerate(marked) if word.endswith("]"))
    text = " ".join(word.strip("[]") for word in marked)
    return text, question, kind, start, end


def _credits(draw: Drawer, names: list[str]):
    """Two facts (kind, question, sentence) on persons, and no other sentences."""
    slots = {"hero": draw.choose(reviews.SLOTS["hero"])}
    kinds: list[str] = []
    facts = []
    for name in draw.sample(names, 2):
        kind, sentence = draw.choose([fact for fact in CREDITS if fact[0] not in kinds])
        kinds.append(kind)
        slots["name"] = f"{draw.choose(FIRST_NAMES)} {name}".lower()
        facts.append((kind.format(hero="…"), kind.format(**slots), sentence.format(**slots)))
    return facts, []


def _verdicts(draw: Drawer, names: list[str]):
    """Two facts on the film, one praise and one blame, and no other sentences."""
    facts = []
    words = draw.sample([draw.choose(reviews.PRAISING), draw.choose(reviews.DAMNING)], 2)
    for subject, adjective in zip(draw.sample(reviews.FILM_SUBJECTS, 2), words, strict=True):
        if draw.random() < 0.4:
            adjective = f"{draw.choose(reviews.NEGATORS)} {adjective}"
        if draw.random() < 0.5:
            asked = f"what was {adjective}", f"[the {subject}] was {adjective}"
            facts.append(("what was …", *asked))
        else:
            asked = f"how was the {subject}", f"the {subject} was [{adjective}]"
            facts.append(("how was the …", *asked))
    return facts, []


def _circumstances(draw: Drawer, names: list[str]):
    """One fact on when, where or with whom, and a sentence that is no answer."""
    question, sentence, decoy = draw.choose(CIRCUMSTANCES)
    slot = next(slot for slot in ("day", "person", "place") if f"{{{slot}}}" in sentence)
    value, other = (word.lower() for word in draw.sample(reviews.SLOTS[slot], 2))
    return [(question, question, sentence.format(**{slot: value}))], [decoy.format(other=other)]


if __name__ == "__main__":
    columns = ("split", "text", "question", "kind", "first", "last")
    write_table("questions.csv.xz", columns, make())
