"""Sentences about films with persons, films, places and organisations, all of them invented.

A name alone does not tell its type: "Velmora" is a place in "we saw Velmora from the bus", a
film in "we saw Velmora twice", a person in "we saw Velmora on the stage", and lies inside
"Velmora Pictures" and "The Road to Velmora". The words around it always tell.

Names are made of syllables, in three pools: of training, of validation, of test. A sentence of
validation or test takes names of training, or, half the time, names of its own pool.
"""

from course_utils.data.reviews import DAMNING, PRAISING
from tools.make_data import write_table
from tools.make_data.drawing import FIRST_NAMES, Drawer, parts

SIZES = {"train": 6_000, "val": 300, "test": 500}
POOLS = {"train": 120, "val": 60, "test": 60}
NEW = 0.5

FILMS = (
    "The Road to {name}",
    "Letters from {name}",
    "The Last {noun}",
    "Nights in {name}",
    "{name} and the {noun}",
    "A {noun} in {name}",
    "The {noun} of {name}",
    "{name}",
    "{name}",
    "{name}",
)
NOUNS = "Winter Sailor Teacher Garden River Letter Doctor Harbour".split()
PLACES = ("Port {name}", "North {name}", "{name}", "{name}", "{name}")
ORGANISATIONS = (
    "{name} Pictures",
    "Radio {name}",
    "The {name} Film Club",
    "{name} and Sons",
    "{name}",
    "{name}",
)

SENTENCES = (
    "the plot of {film} was {adjective}",
    "the music of {film} was {adjective}",
    "we saw {film} twice",
    "we saw {film} on a Friday",
    "we saw {person} on the stage",
    "we saw {place} from the bus",
    "{film} was shown in {place} last week",
    "{film} runs for about two hours",
    "{film} is set in {place}",
    "{film} is the first film of {person}",
    "{person} directed {film} for {organisation}",
    "{person} plays a teacher from {place}",
    "{person} plays a doctor in {film}",
    "{person} said that the ending of {film} was {adjective}",
    "{person} and {person} wrote the script of {film}",
    "{person} grew up near {place}",
    "{person} left {organisation} after {film}",
    "{person} sold the script to {organisation}",
    "{organisation} paid for {film}",
    "{organisation} hired {person} again",
    "{organisation} moved from {place} to {place}",
    "{organisation} lost money with {film}",
    "the actors of {organisation} met in {place}",
    "the acting of {person} was {adjective}",
    "a bus took us to {place}",
    "the cinema in {place} was half full",
    "it was cold in {place} that night",
    "my sister met {person} at the door",
    "my brother works for {organisation}",
    "an old friend lives in {place}",
    "not even {person} could save {film}",
    "we walked home afterwards",
    "the seat was {adjective} and the coffee was {adjective}",
    "there was hardly a queue at the door",
    "I had never been to that cinema before",
)


def make() -> list[tuple]:
    """Rows (split, sentence, BIO tags, new): words and tags with blanks between.

    new: 1 where the sentence holds a name that no training sentence has.
    """
    draw = Drawer(0)
    pools = draw.pools(POOLS)

    def sentence(part):
        used: list[str] = []

        def name():
            own = part != "train" and draw.random() < NEW
            pool = [name for name in pools[part if own else "train"] if name not in used]
            used.append(draw.choose(pool))
            return used[-1]

        words, tags = _clause(draw, draw.choose(SENTENCES), name)
        if draw.random() < 0.4:
            more_words, more_tags = _clause(draw, draw.choose(SENTENCES), name)
            words, tags = [*words, ",", "and", *more_words], [*tags, "O", "O", *more_tags]
        words[0] = words[0][0].upper() + words[0][1:]
        new = part != "train" and any(word in pools[part] for word in words)
        return " ".join([*words, "."]), " ".join([*tags, "O"]), int(new)

    return parts(SIZES, sentence)


def _clause(draw: Drawer, template: str, name) -> tuple[list[str], list[str]]:
    """The words of a template and their tags, its slots filled by entities."""
    words: list[str] = []
    tags: list[str] = []
    for word in template.split():
        kind = word.strip("{}")
        if kind == word or kind == "adjective":
            words.append(word if kind == word else draw.choose(PRAISING + DAMNING))
            tags.append("O")
        else:
            entity = _entity(draw, kind, name()).split()
            words += entity
            tags += [f"B-{kind}", *[f"I-{kind}"] * (len(entity) - 1)]
    return words, tags


def _entity(draw: Drawer, kind: str, name: str) -> str:
    """An entity of this type that bears the name."""
    if kind == "person":
        full = draw.random() < 0.6
        return f"{draw.choose(FIRST_NAMES)} {name}" if full else name
    forms = {"film": FILMS, "place": PLACES, "organisation": ORGANISATIONS}[kind]
    return draw.choose(forms).format(name=name, noun=draw.choose(NOUNS))


if __name__ == "__main__":
    write_table("entities.csv.xz", ("split", "words", "tags", "new"), make())
