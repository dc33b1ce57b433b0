"""Pairs of sentences: a premise entails a hypothesis, contradicts it, or does neither.

A premise has one to three clauses on different people, and the hypothesis is about one or two
of these. What decides is one of four phenomena:

    negation   who was late, and who was not?
    quantity   "at least seven coins" beside "fewer than five coins"; all, some, no
    roles      "Tom thanked Anna" beside "Tom was thanked by Anna"
    hypernyms  a rose is a flower; whoever had no flower had no rose, but not the reverse

Every hypothesis stands with three premises, one per label, so that the hypothesis alone never
tells the label. Where a premise has three clauses, and always with roles, the three premises
also consist of the same words, and differ only in who stands where: one has to find the name
and read what is said of it.
"""

from course_utils.data.base import tokenize
from tools.make_data import write_table
from tools.make_data.drawing import PARTS, Drawer

SIZES = {"train": 12_000, "val": 600, "test": 1_800}
LABELS = ("entails", "contradicts", "neither")

PEOPLE = "Anna Emil Lena Mira Paul Tom".split()
STATES = "angry hungry ill late tired".split()
DEEDS = "called helped thanked visited".split()
HAVING = "bought found".split()
COUNTING = "counted saw".split()  # of the same things, by several people
COUNTED = "bags books coins keys".split()
NUMBERS = "two three four five six seven".split()
KINDS = {
    "bird": "pigeon raven robin".split(),
    "flower": "daisy rose tulip".split(),
    "tool": "drill hammer spade".split(),
}
OPENINGS = "finally indeed luckily naturally oddly sadly soon today".split()
JOINTS = (" and ", ", while ", ", whereas ")
CLAUSES = (1, 2, 3)


def make() -> list[tuple]:
    """Rows (split, premise, hypothesis, label, phenomenon, clauses, distance).

    distance: how many words stand between the clause that decides and the hypothesis.
    """
    write, part_of, known, rows = _Writer(0), {}, set(), []
    for part in PARTS:
        made: list[tuple] = []
        while len(made) < SIZES[part]:
            number = len(made) // len(LABELS)
            phenomenon = list(PHENOMENA)[number % len(PHENOMENA)]
            triple = write.triple(phenomenon, CLAUSES[number // len(PHENOMENA) % len(CLAUSES)])
            pairs = {row[:2] for row in triple}
            # No premise stands in two parts, and no pair comes twice.
            if not pairs & known and {part_of.get(one, part) for one, _ in pairs} == {part}:
                known |= pairs
                part_of |= {premise: part for premise, _ in pairs}
                made += [(part, *row) for row in triple]
        rows += write.sample(made, len(made))
    return rows


class _Writer(Drawer):
    """Draws triples. The method of a phenomenon returns a hypothesis and, per label, clauses.

    Of each label: a list of clauses, and the place of the one that decides. The lists run
    parallel, so that the order of the clauses, and what joins them, can be the same in all.
    """

    def triple(self, phenomenon: str, count: int) -> list[tuple]:
        """Three rows (premise, hypothesis, label, phenomenon, clauses, distance)."""
        claim, told = PHENOMENA[phenomenon](self, count)
        order, joints = self.sample(range(count), count), self.sample(JOINTS, count - 1)
        opening = f"{self.choose(OPENINGS)} " if self.random() < 0.6 else ""
        rows = []
        for label, (clauses, decides) in zip(LABELS, told, strict=True):
            parts = [clauses[order[0]]]
            for joint, place in zip(joints, order[1:], strict=True):
                parts += [joint, clauses[place]]
            later = parts[2 * order.index(decides) + 1 :]
            distance = sum(len(tokenize(text)) for text in later)
            premise = _sentence(opening + "".join(parts))
            rows.append((premise, _sentence(claim), label, phenomenon, count, distance))
        return rows

    def negation(self, count: int):
        state, other = self.sample(STATES, 2)
        denied = self.choose(("not", "never"))
        said = [f"was {state}", f"was {denied} {state}"]
        claim = said[0]
        if self.random() < 0.5:
            said, claim = said[::-1], f"was not {state}"
        said.append(f"was {self.choose(('not ', ''))}{other}")
        return self.about_one(count, claim, said)

    def quantity(self, count: int):
        verb, (noun, other) = self.choose(COUNTING), self.sample(COUNTED, 2)
        if self.random() < 0.6:
            claim, said = self.numbers()
            claim, said = f"{claim} {noun}", [f"{one} {noun}" for one in said]
        else:
            all_of = self.choose((f"all the {noun}", f"every {noun[:-1]}"))
            one, elsewhere = noun[:-1], f"all the {other}"
            claim, said = self.choose(
                (
                    (f"all the {noun}", (f"every {one}", f"only one {one}", f"some {noun}")),
                    (f"all the {noun}", (f"every {one}", f"no {noun}", f"some {noun}")),
                    (f"some {noun}", (all_of, f"no {noun}", elsewhere)),
                    (f"no {noun}", (f"not one {one}", f"some {noun}", elsewhere)),
                    (f"no {noun}", (f"not one {one}", all_of, elsewhere)),
                )
            )
        return self.about_one(count, f"{verb} {claim}", [f"{verb} {x}" for x in said])

    def numbers(self):
        """A claim such as "more than five", and what entails it, contradicts it, neither."""
        more, limit = self.random() < 0.5, 1 + int(self.random() * (len(NUMBERS) - 2))
        above, below = NUMBERS[limit + 1 :], NUMBERS[:limit]
        true, false = (above, below) if more else (below, above)
        false = [NUMBERS[limit], *false]
        bound, converse = ("at least", "at most") if more else ("at most", "at least")
        entailing = self.choose(("", f"{bound} ")) + self.choose(true)
        contradicting = self.choose(("", f"{converse} ")) + self.choose(false)
        unknown = self.choose(
            (f"{bound} {self.choose(false)}", f"{converse} {self.choose(true)}")
        )
        claim = f"{'more' if more else 'fewer'} than {NUMBERS[limit]}"
        return claim, (entailing, contradicting, unknown)

    def hypernyms(self, count: int):
        verb, (kind, other) = self.choose(HAVING), self.sample(KINDS, 2)
        thing, elsewhere = self.choose(KINDS[kind]), f"a {self.choose(KINDS[other])}"
        claim, said = self.choose(
            (
                (f"a {kind}", (f"a {thing}", f"no {kind}", f"no {thing}")),
                (f"a {kind}", (f"a {thing}", f"no {kind}", elsewhere)),
                (f"no {thing}", (f"no {kind}", f"a {thing}", f"a {kind}")),
                (f"no {thing}", (f"no {kind}", f"a {thing}", elsewhere)),
                (f"no {kind}", (f"no {kind}", f"a {thing}", f"no {thing}")),
                (f"a {thing}", (f"a {thing}", f"no {kind}", f"a {kind}")),
            )
        )
        return self.about_one(count, f"{verb} {claim}", [f"{verb} {x}" for x in said])

    def about_one(self, count: int, claim: str, said):
        """A claim about one subject. said: what entails it, contradicts it, does neither.

        With three clauses all of it is said, of three subjects; with fewer, "neither" may also
        come about because nothing is said of the subject of the claim.
        """
        asked, *others = self.sample(PEOPLE, 3)
        told = []
        for place in range(len(LABELS)):
            who = self.sample(others, 2)
            if count == 3:
                who.insert(place, asked)
                clauses, decides = list(zip(who, said, strict=True)), place
            elif place < 2:
                clauses = [(who[0], said[0]), (who[0], said[1])]
                clauses[place], decides = (asked, said[place]), place
                if count == 1:
                    clauses, decides = [clauses[place]], 0
            else:
                clauses = [(who[0], said[0]), (who[1], said[1])]
                decides = int(self.random() * 2)
                if self.random() < 0.5:
                    clauses[decides] = (asked, said[2])
                if count == 1:
                    clauses, decides = [clauses[decides]], 0
            told.append(([" ".join(clause) for clause in clauses], decides))
        return f"{asked} {claim}", told

    def roles(self, count: int):
        """Who did it to whom, and not to whom; other people beside them."""
        a, b, c, *others = self.sample(PEOPLE, 5)
        deed = self.choose(DEEDS)
        claim = self.choose((f"{a} {deed} {b}", f"{b} was {deed} by {a}"))
        turned = self.choose(((b, a, c), (b, a, c), (b, c, a), (c, b, a)))
        beside = [f"{one} was {self.choose(STATES)}" for one in others[: count - 1]]
        told = []
        for who, whom, spared in ((a, b, c), (a, c, b), turned):
            told.append(([f"{who} {deed} {whom} but not {spared}", *beside], 0))
        return claim, told


PHENOMENA = {
    "negation": _Writer.negation,
    "quantity": _Writer.quantity,
    "roles": _Writer.roles,
    "hypernyms": _Writer.hypernyms,
}


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


if __name__ == "__main__":
    header = ("split", "premise", "hypothesis", "label", "phenomenon", "clauses", "distance")
    write_table("sentence_pairs.csv.xz", header, make())
