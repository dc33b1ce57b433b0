"""The results of lab 6b's drawn exam questions, computed a second time."""

import math
import re
from collections import Counter


def merges_by_hand(counts, strange):
    def join(word, pair):  # tokens have a blank to either side
        return re.sub(rf"(?<= ){pair[0]} {pair[1]}(?= )", "".join(pair), word)

    words = {f" {' '.join(word)} ": count for word, count in counts.items()}
    cut = [f" {' '.join(word)} " for word in strange]
    joined, steps = [], []
    for _ in range(3):
        pairs = Counter()
        for word, count in words.items():
            tokens = word.split()
            for k in range(len(tokens) - 1):
                pairs[tokens[k], tokens[k + 1]] += count
        pair, times = pairs.most_common(1)[0]
        joined.append("".join(pair))
        steps.append(times)
        words = {join(word, pair): count for word, count in words.items()}
        cut = [join(word, pair) for word in cut]
    tokens = sum(len(word.split()) * count for word, count in words.items())
    return *joined, *steps, *(" · ".join(word.split()) for word in cut), tokens


def predictions(texts, length, share, epochs):
    asked = texts * length * share
    causal = texts * length - texts
    return asked, 0.8 * asked, asked / 10, asked / 10, causal, epochs * causal / asked


def unigram_baseline(p, losses):
    entropy = sum(one * math.log(1 / one) for one in p)

    def verdict(loss):
        if loss < entropy:
            return "uses context"
        worse = "the unigram baseline" if math.exp(loss) < 5 else "equal probabilities"
        return f"worse than {worse}"

    return math.log(5), entropy, math.prod(one**-one for one in p), *map(verdict, losses)


def adapters(blocks, width, rank, matrices):
    trained = sum(rank * width + width * rank for _ in range(blocks * matrices))
    return trained, matrices * rank / (6 * width)


def masked_row(ids, chance, noise, share):
    inputs, targets = [], []
    for token, value, other in zip(ids, chance, noise, strict=True):
        place = value / share if token > 4 else 1
        inputs.append(4 if place < 0.8 else other if place < 0.9 else token)
        targets.append(token if place < 1 else 0)
    return *inputs, *targets, len(targets) - targets.count(0)


def leaked_tests(tests, share, others, harm):
    def measured(leaked):
        return 1 - (100 - leaked) * (100 - others) / 10_000

    return measured(share), measured(harm), tests * share / 100


def power_law(small, times, losses, further, reached):
    def law(parameters):  # by powers of the ratio of the two losses
        steps = math.log(parameters / small, times)
        return losses[0] * (losses[1] / losses[0]) ** steps

    predicted = law(small * times * further)
    side = "above" if reached - predicted > 0 else "below"
    alpha = -math.log2(losses[1] / losses[0]) / math.log2(times)
    return alpha, predicted, max(reached, predicted) - min(reached, predicted), side
