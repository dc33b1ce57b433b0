"""Sentences about films with persons, films, places and organisations, all of them invented.

A name alone does not tell its type: "Velmora" is a place in "we saw Velmora from the bus", a
film in "we saw Velmora twice", a person in "we saw Velmora on the stage", and lies inside
"Velmora Pictures" and "The Road to Velmora". The words around it always tell.

Names are made of syllables, in three pools: of training, of validation, of test. A sentence of
validation or test takes names of training, or, with the probability NEW, names of its own pool.
"""

from __future__ import annotations

from random import Random

from course_utils.data.base import share, whole_number
from course_utils.data.reviews import DAMNING, PRAISING

TYPES = ("person", "film", "place", "organisation")
TAGS = ("O", *(f"{letter}-{name}" for name in TYPES for letter in "BI"))
SIZES = {"train": 2_000, "val": 300, "test": 500}
POOLS = {"train": 120, "val": 60, "test": 60}
NEW = 0.5
SEED = 0

_STARTS = "b br d dr f g gr h j k kr l m n p r s st t tr v w z".split()
_VOWELS = "a e i o u".split()
_MIDDLES = "l ld lm n nd r rd rm rv s st th v z".split()
_ENDS = "a en er in is o on or um yn".split()

FIRST_NAMES = "Anna Clara Emil Hanna Ivo Jonas Lena Mira Oskar Paul Rosa Tom".split()
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


class Namer:
    """Draws names and sentences: `random` is the one method of Random that never changes."""

    def __init__(self, generator: Random):
        self.random = generator.random

    def choose(self, options):
        return options[int(self.random() * len(options))]

    def sample(self, options, count: int) -> list:
        """So many different ones, in any order."""
        options = list(options)
        return [options.pop(int(self.random() * len(options))) for _ in range(count)]

    def name(self) -> str:
        """A name that nobody bears, such as "Velmora"."""
        parts = [self.choose(_STARTS), self.choose(_VOWELS), self.choose(_MIDDLES)]
        if self.random() < 0.3:
            parts += [self.choose(_VOWELS), self.choose("l m n r".split())]
        return "".join([*parts, self.choose(_ENDS)]).capitalize()

    def pools(self, sizes: dict[str, int]) -> dict[str, list[str]]:
        """So many names a part, all different."""
        names: dict[str, None] = {}
        while len(names) < sum(sizes.values()):
            names[self.name()] = None
        made = list(names)
        pools = {}
        for part, size in sizes.items():
            pools[part], made = made[:size], made[size:]
        return pools

    def entity(self, kind: str, name: str) -> str:
        """An entity of this type that bears the name."""
        if kind == "person":
            full = self.random() < 0.6
            return f"{self.choose(FIRST_NAMES)} {name}" if full else name
        forms = {"film": FILMS, "place": PLACES, "organisation": ORGANISATIONS}[kind]
        return self.choose(forms).format(name=name, noun=self.choose(NOUNS))

    def clause(self, template: str, draw_name) -> tuple[list[str], list[str]]:
        """The words of a template and their tags, its slots filled by entities."""
        words: list[str] = []
        tags: list[str] = []
        for word in template.split():
            kind = word.strip("{}")
            if kind == word or kind == "adjective":
                words.append(word if kind == word else self.choose(PRAISING + DAMNING))
                tags.append("O")
            else:
                entity = self.entity(kind, draw_name()).split()
                words += entity
                tags += [f"B-{kind}", *[f"I-{kind}"] * (len(entity) - 1)]
        return words, tags


def check_sizes(sizes: dict[str, int], seed: int) -> None:
    """Raise ValueError unless sizes gives a number for each part, and seed is one."""
    if not isinstance(sizes, dict) or set(sizes) != set(POOLS):
        raise ValueError(f"sizes has to be a dict with 'train', 'val', 'test', got {sizes!r}")
    for part, size in sizes.items():
        whole_number(f"sizes[{part!r}]", size, at_least=1)
    whole_number("seed", seed, at_least=0)


def make_sentences(sizes: dict[str, int] = SIZES, seed: int = SEED, new: float = NEW):
    """Sentences of each part: lists of (words, tags, new), the same for the same arguments.

    sizes: how many for each of "train", "val" and "test".
    new: the share of names in val and test that no training sentence holds.

    Words and tags are lists of str; the third is True where the sentence holds such a name. No
    sentence occurs twice.

    Raises ValueError for other parts, a size under 1, or a share outside 0 to 1.
    """
    check_sizes(sizes, seed)
    share("new", new)
    write = Namer(Random(seed))
    pools = write.pools(POOLS)
    made: set[str] = set()
    # The test part first, so that it is the same for any size of the others.
    parts = reversed(SIZES)
    return {part: _part(write, part, sizes[part], pools, new, made) for part in parts}


def _part(write: Namer, part: str, size: int, pools, new: float, made: set[str]) -> list:
    sentences: list[tuple[list[str], list[str], bool]] = []
    while len(sentences) < size:
        used: list[str] = []

        def draw_name(used=used) -> str:
            own = part != "train" and write.random() < new
            pool = [name for name in pools[part if own else "train"] if name not in used]
            used.append(write.choose(pool))
            return used[-1]

        words, tags = write.clause(write.choose(SENTENCES), draw_name)
        if write.random() < 0.4:
            more_words, more_tags = write.clause(write.choose(SENTENCES), draw_name)
            words, tags = [*words, ",", "and", *more_words], [*tags, "O", "O", *more_tags]
        words[0] = words[0][0].upper() + words[0][1:]
        words, tags = [*words, "."], [*tags, "O"]
        text = " ".join(words)
        if text not in made:
            made.add(text)
            is_new = part != "train" and any(name in pools[part] for name in words)
            sentences.append((words, tags, is_new))
    return sentences
