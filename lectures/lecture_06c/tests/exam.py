"""The results of lab 6c's drawn exam questions, computed a second time."""

from itertools import product


def names_in(tags):
    found, began = set(), None
    for place, tag in enumerate([*tags, "O"]):
        inside = began is not None and tag == f"I-{tags[began][2:]}"
        if began is not None and not inside:
            found.add((began, place, tags[began][2:]))
            began = None
        if tag != "O" and not inside:
            began = place
    return found


def f1_by_span(true, predicted):
    pairs = list(zip(true, predicted, strict=True))
    names, said = (sum(len(names_in(tags)) for tags in one) for one in (true, predicted))
    hits = sum(len(names_in(a).intersection(names_in(b))) for a, b in pairs)
    precision, recall = hits / said, hits / names
    same = [x == y for a, b in pairs for x, y in zip(a, b, strict=True)]
    f1 = 2 / (1 / precision + 1 / recall)
    return names, said, hits, precision, recall, f1, sum(same) / len(same)


def four_heads(width, millions, classes, tags):
    heads = [outputs * width + outputs for outputs in (classes, tags, 2, 1)]
    return *heads, max(heads) / (millions * 1_000_000)


def best_answer(start, end):
    places = (2, 3, 5, 6, 7, 8, 9)
    starts, ends = dict(zip(places, start, strict=True)), dict(zip(places, end, strict=True))
    text = places[2:]
    pairs = {(i, j): starts[i] + ends[j] for i, j in product(text, text) if i <= j}
    best = max(pairs, key=pairs.get)
    single = max(text, key=lambda i: pairs[i, i])
    naive = max(places, key=starts.get), max(places, key=ends.get)
    inside = max(text, key=starts.get), max(text, key=ends.get)
    return *naive, *inside, pairs[best], single, len(pairs), str(best)


def tags_of_tokens(tags, pieces):
    labels, wrong, more = [-1], [0], 0
    for tag, count in zip(tags, pieces, strict=True):
        labels += [tag] + (count - 1) * [-1]
        wrong += count * [tag]
        more += (count - 1) * (tag % 2)  # odd numbers begin a name
    return *labels, -1, len(tags), *wrong, 0, more


def pairs_of_choices(context, endings):
    row = len([None] * context + [None] * 3) + max(endings)
    return (sum(row * row for _ in endings),)
