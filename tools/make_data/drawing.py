"""What the makers of lab 06c's sets share: words and names, and parts that repeat nothing."""

from itertools import islice

from course_utils.data import reviews

FIRST_NAMES = "Anna Clara Emil Hanna Ivo Jonas Lena Mira Oskar Paul Rosa Tom".split()
PARTS = ("test", "val", "train")  # the test part is made first: it is the same for any sizes

_STARTS = "b br d dr f g gr h j k kr l m n p r s st t tr v w z".split()
_VOWELS = "a e i o u".split()
_MIDDLES = "l ld lm n nd r rd rm rv s st th v z".split()
_ENDS = "a en er in is o on or um yn".split()


class Drawer(reviews.Drawer):
    """Draws words, as all makers do, several at once, and names."""

    def sample(self, options, count: int) -> list:
        """So many different ones, in any order."""
        options = list(options)
        return [options.pop(int(self.random() * len(options))) for _ in range(count)]

    def verdict(self, good: bool, negated: bool, without=()) -> str:
        """Praise or blame in one adjective, which may be denied: "never dull"."""
        words = reviews.PRAISING if good != negated else reviews.DAMNING
        adjective = self.choose([word for word in words if word not in without])
        return f"{self.choose(reviews.NEGATORS)} {adjective}" if negated else adjective

    def name(self) -> str:
        """A name that nobody bears, such as "Velmora"."""
        parts = [self.choose(_STARTS), self.choose(_VOWELS), self.choose(_MIDDLES)]
        if self.random() < 0.3:
            parts += [self.choose(_VOWELS), self.choose("l m n r".split())]
        return "".join([*parts, self.choose(_ENDS)]).capitalize()

    def pools(self, sizes: dict[str, int]) -> dict[str, list[str]]:
        """So many names per part, all different."""
        names: dict[str, None] = {}
        while len(names) < sum(sizes.values()):
            names[self.name()] = None
        made = iter(names)
        return {part: list(islice(made, size)) for part, size in sizes.items()}


def parts(sizes: dict[str, int], example) -> list[tuple]:
    """Rows (part, text, …) of `example(part)`, (text, …); no text comes twice."""
    made: dict[str, tuple] = {}
    for part in PARTS:
        size = len(made) + sizes[part]
        while len(made) < size:
            text, *rest = example(part)
            made.setdefault(text, (part, text, *rest))
    return list(made.values())
