"""Pairs of sentences: a premise entails a hypothesis, contradicts it, or does neither.

A premise has one to three clauses, each about somebody or something else, and the hypothesis is
about one or two of these. What decides is one of four phenomena:

    negation   who was late, and who was not?
    quantity   "at least seven coins" beside "fewer than five coins"; all, some, no
    roles      "Tom thanked Anna" beside "Tom was thanked by Anna"; older and younger
    hypernyms  a rose is a flower; whoever had no flower had no rose, but not the reverse

Every hypothesis stands with three premises, one per label, so that the hypothesis alone never
tells the label. Premises of three clauses also consist of the same words, and differ only in
who stands where: one has to find the name and read what is said of it.
"""

from course_utils.data.base import tokenize
from tools.make_data import write_table
from tools.make_data.drawing import PARTS, Drawer

SIZES = {"train": 12_000, "val": 600, "test": 1_800}
LABELS = ("entails", "contradicts", "neither")

SUBJECTS = {
    "people": "Anna Emil Ivo Lena Mira Paul Rosa Tom".split(),
    "things": [f"the {noun}" for noun in "boat box clock cup door lamp".split()],
}
STATES = {
    "people": "angry hungry ill late ready tired".split(),
    "things": "broken cheap heavy open rusty wet".split(),
}
COMPARED = {  # each beside its converse
    "people": (("older", "younger"), ("taller", "shorter")),
    "things": (("bigger", "smaller"), ("newer", "older")),
}
DEEDS = "called helped invited thanked visited warned".split()
HAVING = "bought found sold".split()
COUNTING = "counted noticed saw".split()  # of the same things, by several people
COUNTED = "bags books coins eggs keys letters".split()
NUMBERS = "two three four five six seven eight".split()
KINDS = {
    "bird": "pigeon raven robin".split(),
    "flower": "daisy rose tulip".split(),
    "fruit": "lemon pear plum".split(),
    "tool": "drill hammer spade".split(),
}
FILLER = (
    "it rained all day",
    "nobody sang",
    "dinner was at eight",
    "the market was full",
    "the road was long",
    "a train came in",
)
CLAUSES = (1, 2, 3)  # equally likely
JOINTS = (" and ", ", while ", ", whereas ")


def make() -> list[tuple]:
    """Rows (split, premise, hypothesis, label, phenomenon, distance).

    distance: how many words stand between the clause that decides and the hypothesis.
    """
    write, known, rows = _Writer(0), set(), []
    for part in PARTS:
        made: list[tuple] = []
        while len(made) < SIZES[part]:
            triple = write.triple(PHENOMENA[len(made) // len(LABELS) % len(PHENOMENA)])
            premises = {premise for premise, *_ in triple}
            if not premises & known:  # no premise comes twice, least of all in two parts
                known |= premises
                made += [(part, *row) for row in triple]
        rows += write.sample(made, len(made))
    return rows


class _Writer(Drawer):
    """Draws triples. The method of a phenomenon returns a hypothesis and, per label, clauses.

    Of each label: a list of clauses, and the place of the one that decides. The lists run
    parallel, so that of all three the order, the joints and the filler can be the same.
    """

    def triple(self, phenomenon: str) -> list[tuple]:
        """Three rows (premise, hypothesis, label, phenomenon, distance)."""
        count = self.choose(CLAUSES)
        claim, told = getattr(self, phenomenon)(count)
        order, joints = self.sample(range(count), count), self.sample(JOINTS, count - 1)
        filler = self.sample(FILLER, int(self.random() * (4 - count)))
        before = int(self.random() * (len(filler) + 1))
        rows = []
        for label, (clauses, decides) in zip(LABELS, told, strict=True):
            parts = [clauses[order[0]]]
            for joint, place in zip(joints, order[1:], strict=True):
                parts += [joint, clauses[place]]
            later = parts[2 * order.index(decides) + 1 :] + filler[before:]
            distance = sum(len(tokenize(text)) for text in later)
            said = [*filler[:before], "".join(parts), *filler[before:]]
            premise = " ".join(map(_sentence, said))
            rows.append((premise, _sentence(claim), label, phenomenon, distance))
        return rows

    def negation(self, count: int):
        subjects = self.choose(list(SUBJECTS))
        state, other = self.sample(STATES[subjects], 2)
        denied = self.choose(("not", "never"))
        said = [f"was {state}", f"was {denied} {state}"]
        claim = said[0]
        if self.random() < 0.5:
            said, claim = said[::-1], f"was not {state}"
        said.append(f"was {self.choose(('not ', ''))}{other}")
        return self.about_one(count, subjects, claim, said)

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
        return self.about_one(count, "people", f"{verb} {claim}", [f"{verb} {x}" for x in said])

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
        return self.about_one(count, "people", f"{verb} {claim}", [f"{verb} {x}" for x in said])

    def about_one(self, count: int, subjects: str, claim: str, said):
        """A claim about one subject. said: what entails it, contradicts it, does neither.

        With three clauses all of it is said, of three subjects; with fewer, "neither" may also
        come about because nothing is said of the subject of the claim.
        """
        asked, *others = self.sample(SUBJECTS[subjects], 3)
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
        """Two in an order that the hypothesis keeps or turns round, and others beside them."""
        subjects = self.choose(("people", "people", "things"))
        a, b, c, *others = self.sample(SUBJECTS[subjects], 5)
        pair, deed = self.choose(COMPARED[subjects]), self.choose(DEEDS)
        if subjects == "people" and self.random() < 0.7:
            claim = self.choose((f"{a} {deed} {b}", f"{b} was {deed} by {a}"))
            clause = self.choose(
                (
                    f"{{0}} {deed} {{1}} but not {{2}}",
                    f"{{1}} was {deed} by {{0}} but {{2}} was not",
                )
            )
            turned = self.choose(((b, a, c), (b, a, c), (b, c, a), (c, b, a)))
            casts = ((a, b, c), (a, c, b), turned)
        else:
            said, asked = self.choose(pair), self.choose(pair)
            claim, clause = f"{a} was {asked} than {b}", f"{{0}} was {said} than {{1}}"
            first, second = (a, b) if said == asked else (b, a)
            apart = self.choose(((a, c), (c, a), (b, c), (c, b)))
            casts = ((first, second), (second, first), apart)
        beside = [f"{one} was {self.choose(STATES[subjects])}" for one in others[: count - 1]]
        return claim, [([clause.format(*who), *beside], 0) for who in casts]


PHENOMENA = ("negation", "quantity", "roles", "hypernyms")


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


if __name__ == "__main__":
    header = ("split", "premise", "hypothesis", "label", "phenomenon", "distance")
    write_table("sentence_pairs.csv.xz", header, make())
