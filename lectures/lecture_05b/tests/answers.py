"""Answers to the exercises of lab 05b, as students write them."""

import math
from collections import Counter

import numpy as np
from answers import right, wrong
from keras import ops

from course_utils.data.base import END, START


@right("05b.1")
def bleu(hypotheses, references):
    logs = 0.0
    for n in (1, 2, 3, 4):
        hits = count = 0
        for said, wanted in zip(hypotheses, references):
            mine = Counter(zip(*[said[k:] for k in range(n)]))
            theirs = Counter(zip(*[wanted[k:] for k in range(n)]))
            hits += sum(min(times, theirs[run]) for run, times in mine.items())
            count += sum(mine.values())
        logs += math.log(hits / count)
    length = sum(len(said) for said in hypotheses)
    needed = sum(len(wanted) for wanted in references)
    return 100 * min(1, math.exp(1 - needed / length)) * math.exp(logs / 4)


@right("05b.1")
def bleu(hypotheses, references):
    precisions = []
    for n in range(1, 5):
        hits, count = 0, 0
        for said, wanted in zip(hypotheses, references, strict=True):
            left = [tuple(wanted[k : k + n]) for k in range(len(wanted) - n + 1)]
            for k in range(len(said) - n + 1):
                count += 1
                run = tuple(said[k : k + n])
                if run in left:
                    left.remove(run)
                    hits += 1
        precisions.append(hits / count)
    shorter = sum(map(len, hypotheses)) < sum(map(len, references))
    ratio = sum(map(len, references)) / sum(map(len, hypotheses))
    penalty = np.exp(1 - ratio) if shorter else 1.0
    return 100 * penalty * np.prod(precisions) ** 0.25


@right("05b.1")
def bleu(hypotheses, references):
    def runs(words, n):
        return Counter(" ".join(words[k : k + n]) for k in range(len(words) - n + 1))

    p = 1.0
    for n in range(1, 5):
        pairs = [(runs(a, n), runs(b, n)) for a, b in zip(hypotheses, references)]
        p *= sum((a & b).total() for a, b in pairs) / sum(a.total() for a, _ in pairs)
    l, r = (sum(len(words) for words in texts) for texts in (hypotheses, references))
    return float(100 * np.minimum(1, np.exp(1 - r / l)) * p ** (1 / 4))


@right("05b.1")
def bleu(hypotheses, references):
    import sacrebleu

    said, wanted = (list(map(" ".join, texts)) for texts in (hypotheses, references))
    found = sacrebleu.corpus_bleu(said, [wanted], tokenize="none", smooth_method="none")
    return found.score


def counted(words, n):
    return Counter(tuple(words[k : k + n]) for k in range(len(words) - n + 1))


@wrong("05b.1", "own reference")
def bleu(hypotheses, references):
    logs = []
    for n in range(1, 5):
        known = Counter()
        for words in references:
            known += Counter(tuple(words[k : k + n]) for k in range(len(words) - n + 1))
        mine = Counter()
        for words in hypotheses:
            mine += Counter(tuple(words[k : k + n]) for k in range(len(words) - n + 1))
        logs.append(np.log((mine & known).total() / mine.total()))
    r, l = sum(map(len, references)), sum(map(len, hypotheses))
    return 100 * min(1, np.exp(1 - r / l)) * np.exp(np.mean(logs))


@wrong("05b.1", "shorter than n")
def bleu(hypotheses, references):
    logs = []
    for n in range(1, 5):
        hits = count = 0
        for said, wanted in zip(hypotheses, references):
            mine, theirs = (
                Counter(tuple(words[k : k + n]) for k in range(len(words)))
                for words in (said, wanted)
            )
            hits, count = hits + (mine & theirs).total(), count + mine.total()
        logs.append(np.log(hits / count))
    r, l = sum(map(len, references)), sum(map(len, hypotheses))
    return 100 * min(1, np.exp(1 - r / l)) * np.exp(np.mean(logs))


@wrong("05b.1", "exp")
def bleu(hypotheses, references):
    logs = []
    for n in range(1, 5):
        pairs = [
            [Counter(tuple(t[k : k + n]) for k in range(len(t) - n + 1)) for t in pair]
            for pair in zip(hypotheses, references)
        ]
        hits, count = sum((a & b).total() for a, b in pairs), sum(a.total() for a, _ in pairs)
        logs.append(np.log(hits / count))
    r, l = sum(map(len, references)), sum(map(len, hypotheses))
    return 100 * min(1, np.exp(1 - r / l)) * np.mean(logs)


@wrong("05b.1")
def bleu(hypotheses, references):
    logs = []
    for n in range(1, 5):
        hits = count = 0
        for said, wanted in zip(hypotheses, references):
            mine, theirs = (
                Counter(tuple(words[k : k + n]) for k in range(len(words) - n + 1))
                for words in (said, wanted)
            )
            hits, count = hits + (mine & theirs).total(), count + theirs.total()
        logs.append(np.log(hits / count))
    r, l = sum(map(len, references)), sum(map(len, hypotheses))
    return 100 * min(1, np.exp(1 - r / l)) * np.exp(np.mean(logs))


@wrong("05b.1")
def bleu(hypotheses, references):
    logs = []
    for n in range(1, 5):
        hits = count = 0
        for said, wanted in zip(hypotheses, references):
            mine, theirs = (
                Counter(tuple(words[k : k + n]) for k in range(len(words) - n + 1))
                for words in (said, wanted)
            )
            hits, count = hits + (mine & theirs).total(), count + mine.total()
        logs.append(np.log(hits / count))
    r, l = sum(map(len, references)), sum(map(len, hypotheses))
    return 100 * min(1, np.exp(1 - l / r)) * np.exp(np.mean(logs))


@wrong("05b.1")
def bleu(hypotheses, references):
    logs = []
    for n in range(1, 4):
        hits = count = 0
        for said, wanted in zip(hypotheses, references):
            mine, theirs = (
                Counter(tuple(words[k : k + n]) for k in range(len(words) - n + 1))
                for words in (said, wanted)
            )
            hits, count = hits + (mine & theirs).total(), count + mine.total()
        logs.append(np.log(hits / count))
    r, l = sum(map(len, references)), sum(map(len, hypotheses))
    return 100 * min(1, np.exp(1 - r / l)) * np.exp(np.sum(logs) / 4)


@wrong("05b.1")
def bleu(hypotheses, references):
    logs = []
    for n in range(1, 5):
        hits = count = 0
        for said, wanted in zip(hypotheses, references):
            mine = [tuple(said[k : k + n]) for k in range(len(said) - n + 1)]
            theirs = [tuple(wanted[k : k + n]) for k in range(len(wanted) - n + 1)]
            hits, count = hits + sum(run in theirs for run in mine), count + len(mine)
        logs.append(np.log(hits / count))
    r, l = sum(map(len, references)), sum(map(len, hypotheses))
    return 100 * min(1, np.exp(1 - r / l)) * np.exp(np.mean(logs))


@wrong("05b.1")
def bleu(hypotheses, references):
    logs = []
    for n in range(1, 5):
        mine = sum((list(zip(*[t[k:] for k in range(n)])) for t in hypotheses), [])
        theirs = sum((list(zip(*[t[k:] for k in range(n)])) for t in references), [])
        logs.append(np.log(len(set(mine) & set(theirs)) / len(set(mine))))
    r, l = sum(map(len, references)), sum(map(len, hypotheses))
    return 100 * min(1, np.exp(1 - r / l)) * np.exp(np.mean(logs))


@wrong("05b.1")
def bleu(hypotheses, references):
    logs = []
    for n in range(1, 5):
        hits = count = 0
        for said, wanted in zip(hypotheses, references):
            for k in range(min(len(said), len(wanted)) - n + 1):
                hits += said[k : k + n] == wanted[k : k + n]
            count += len(said) - n + 1
        logs.append(np.log(hits / count))
    r, l = sum(map(len, references)), sum(map(len, hypotheses))
    return 100 * min(1, np.exp(1 - r / l)) * np.exp(np.mean(logs))


@wrong("05b.1")
def bleu(hypotheses, references):
    scores = []
    for said, wanted in zip(hypotheses, references):
        logs = []
        for n in range(1, 5):
            mine, theirs = (
                Counter(tuple(words[k : k + n]) for k in range(len(words) - n + 1))
                for words in (said, wanted)
            )
            logs.append(np.log((mine & theirs).total() / mine.total()))
        penalty = min(1, np.exp(1 - len(wanted) / len(said)))
        scores.append(100 * penalty * np.exp(np.mean(logs)))
    return np.mean(scores)


@wrong("05b.1")
def bleu(hypotheses, references):
    hits = count = 0
    for n in range(1, 5):
        for said, wanted in zip(hypotheses, references):
            mine, theirs = (
                Counter(tuple(words[k : k + n]) for k in range(len(words) - n + 1))
                for words in (said, wanted)
            )
            hits, count = hits + (mine & theirs).total(), count + mine.total()
    r, l = sum(map(len, references)), sum(map(len, hypotheses))
    return 100 * min(1, np.exp(1 - r / l)) * hits / count


@wrong("05b.1", says="BLEU is")
def bleu(hypotheses, references):
    logs = 0.0
    for n in (1, 2, 3, 4):
        shared = total = 0
        for said, wanted in zip(hypotheses, references, strict=True):
            runs, known = (
                Counter(tuple(text[k : k + n]) for k in range(len(text) - n + 1))
                for text in (said, wanted)
            )
            shared += (runs & known).total()
            total += max(1, runs.total())
        logs += math.log(shared / total) / 4
    r, length = sum(map(len, references)), sum(map(len, hypotheses))
    return 100 * min(1, math.exp(1 - r / length)) * math.exp(logs)


@right("05b.2")
def beam_search(step, state, num_beams, max_length):
    beams, best = [(0.0, [START], state)], []
    for n in range(max_length):
        candidates = []
        for total, words, old in beams:
            log_p, new = step(words[-1], old)
            for word in np.argsort(log_p)[::-1][:num_beams]:
                candidates.append((total + log_p[word], words + [int(word)], new))
        candidates.sort(key=lambda one: -one[0])
        beams = []
        for total, words, new in candidates[:num_beams]:
            if words[-1] == END or n == max_length - 1:
                best.append((total / ((5 + len(words) - 1) / 6) ** 0.6, words))
            else:
                beams.append((total, words, new))
        if len(beams) == 0:
            break
    score, words = max(best, key=lambda one: one[0])
    return [word for word in words if word not in (START, END)], score


@right("05b.2")
def beam_search(step, state, num_beams, max_length):
    def score(total, tokens):
        return total / ((5 + len(tokens)) / 6) ** 0.6

    open_, done = [(0.0, (), state)], []
    while open_ and len(open_[0][1]) < max_length:
        totals, where = [], []
        for total, tokens, before in open_:
            log_p, after = step(tokens[-1] if tokens else START, before)
            totals.append(total + np.asarray(log_p))
            where.append((tokens, after))
        totals = np.stack(totals)
        best = np.argsort(totals, axis=None)[::-1][:num_beams]
        open_ = []
        for beam, word in zip(*np.unravel_index(best, totals.shape)):
            tokens, after = where[beam]
            one = totals[beam, word], (*tokens, int(word)), after
            (done if word == END else open_).append(one)
    finished = [(score(total, tokens), list(tokens)) for total, tokens, _ in done + open_]
    top, tokens = max(finished)
    return [token for token in tokens if token != END], float(top)


@right("05b.2")
def beam_search(step, state, num_beams, max_length):
    import heapq

    kept, answer = [(0.0, [], state)], (-np.inf, [])
    for length in range(1, max_length + 1):
        grown = []
        for total, words, memory in kept:
            log_p, memory = step(([START] + words)[-1], memory)
            grown.extend((total + p, words + [w], memory) for w, p in enumerate(log_p))
        kept = []
        for total, words, memory in heapq.nlargest(num_beams, grown, key=lambda x: x[0]):
            if words[-1] != END and length < max_length:
                kept.append((total, words, memory))
                continue
            score = total / ((5 + length) / 6) ** 0.6
            answer = max(answer, (score, words))
        if not kept:
            break
    return [word for word in answer[1] if word != END], answer[0]


@right("05b.2")
def beam_search(step, state, num_beams, max_length):
    beams, finished = [{"p": 0.0, "ids": [], "state": state}], []
    for _ in range(max_length):
        new = []
        for beam in beams:
            logs, after = step(beam["ids"][-1] if beam["ids"] else START, beam["state"])
            logs = np.asarray(logs, dtype="float64")
            new += [
                {"p": beam["p"] + logs[k], "ids": beam["ids"] + [k], "state": after}
                for k in range(len(logs))
            ]
        new = sorted(new, key=lambda beam: beam["p"])[-num_beams:]
        finished += [beam for beam in new if beam["ids"][-1] == END]
        beams = [beam for beam in new if beam["ids"][-1] != END]
        if not beams:
            break
    finished += beams
    scores = [beam["p"] / ((5 + len(beam["ids"])) / 6) ** 0.6 for beam in finished]
    winner = finished[int(np.argmax(scores))]["ids"]
    return winner[:-1] if winner[-1] == END else winner, max(scores)


@wrong("05b.2", "in all")
def beam_search(step, state, num_beams, max_length):
    open_, finished = [(0.0, [], state)], []
    for length in range(1, max_length + 1):
        kept = []
        for total, tokens, before in open_:
            log_p, after = step(tokens[-1] if tokens else START, before)
            for word in np.argsort(log_p)[-num_beams:]:
                kept.append((total + log_p[word], [*tokens, int(word)], after))
        open_ = [one for one in kept if one[1][-1] != END]
        done = kept if length == max_length else [one for one in kept if one[1][-1] == END]
        finished += [(total / ((5 + length) / 6) ** 0.6, tokens) for total, tokens, _ in done]
    score, tokens = max(finished)
    return [token for token in tokens if token != END], score


@wrong("05b.2", "last word")
def beam_search(step, state, num_beams, max_length):
    open_, finished = [(0.0, [], state, 0.0)], []
    for length in range(1, max_length + 1):
        grown = []
        for total, tokens, before, _ in open_:
            log_p, after = step(tokens[-1] if tokens else START, before)
            grown += [(total + p, [*tokens, word], after, p) for word, p in enumerate(log_p)]
        kept = sorted(grown, key=lambda one: one[3], reverse=True)[:num_beams]
        open_ = [one for one in kept if one[1][-1] != END]
        done = kept if length == max_length else [one for one in kept if one[1][-1] == END]
        finished += [(one[0] / ((5 + length) / 6) ** 0.6, one[1]) for one in done]
        if not open_:
            break
    score, tokens = max(finished)
    return [token for token in tokens if token != END], score


@wrong("05b.2", "put aside")
def beam_search(step, state, num_beams, max_length):
    beams = [(0.0, [], state)]
    for _ in range(max_length):
        grown = []
        for total, tokens, before in beams:
            if tokens and tokens[-1] == END:
                grown.append((total, tokens, before))
                continue
            log_p, after = step(tokens[-1] if tokens else START, before)
            grown += [(total + p, [*tokens, word], after) for word, p in enumerate(log_p)]
        beams = sorted(grown, key=lambda one: one[0], reverse=True)[:num_beams]
    scored = [(total / ((5 + len(words)) / 6) ** 0.6, words) for total, words, _ in beams]
    score, tokens = max(scored)
    return [token for token in tokens if token != END], score


@wrong("05b.2", "put aside")
def beam_search(step, state, num_beams, max_length):
    def score(one):
        return one[0] / ((5 + len(one[1])) / 6) ** 0.6 if one[1] else 0.0

    beams = [(0.0, [], state)]
    for _ in range(max_length):
        grown = [one for one in beams if one[1] and one[1][-1] == END]
        for total, tokens, before in beams:
            if not tokens or tokens[-1] != END:
                log_p, after = step(tokens[-1] if tokens else START, before)
                grown += [(total + p, [*tokens, w], after) for w, p in enumerate(log_p)]
        beams = sorted(grown, key=score, reverse=True)[:num_beams]
    best = max(beams, key=score)
    return [token for token in best[1] if token != END], score(best)


@wrong("05b.2", "may still win")
def beam_search(step, state, num_beams, max_length):
    open_, finished = [(0.0, [], state)], []
    for length in range(1, max_length + 1):
        grown = []
        for total, tokens, before in open_:
            log_p, after = step(tokens[-1] if tokens else START, before)
            grown += [(total + p, [*tokens, word], after) for word, p in enumerate(log_p)]
        kept = sorted(grown, key=lambda one: one[0], reverse=True)[:num_beams]
        open_ = [one for one in kept if one[1][-1] != END]
        done = kept if length == max_length else [one for one in kept if one[1][-1] == END]
        finished += [(total / ((5 + length) / 6) ** 0.6, tokens) for total, tokens, _ in done]
        if not open_:
            break
        now = max(one[0] for one in open_) / ((5 + length) / 6) ** 0.6
        if finished and max(finished)[0] >= now:
            break
    score, tokens = max(finished)
    return [token for token in tokens if token != END], score


@wrong("05b.2", "length penalty")
def beam_search(step, state, num_beams, max_length):
    def score(total, n):
        return total / ((5 + n) / 6) ** 0.6

    open_, finished = [(0.0, [], state)], []
    for length in range(1, max_length + 1):
        grown = []
        for total, tokens, before in open_:
            log_p, after = step(tokens[-1] if tokens else START, before)
            grown += [(total + p, [*tokens, word], after) for word, p in enumerate(log_p)]
        kept = sorted(grown, key=lambda one: one[0], reverse=True)[:num_beams]
        open_ = [one for one in kept if one[1][-1] != END]
        finished += [one for one in kept if one[1][-1] == END]
        if not open_:
            break
    best = max(finished + open_, key=lambda one: one[0])
    return [token for token in best[1] if token != END], best[0]


@wrong("05b.2")
def beam_search(step, state, num_beams, max_length):
    open_, finished = [(0.0, [START], state)], []
    for length in range(1, max_length + 1):
        grown = []
        for total, tokens, before in open_:
            log_p, after = step(tokens[-1], before)
            grown += [(total + p, [*tokens, word], after) for word, p in enumerate(log_p)]
        kept = sorted(grown, key=lambda one: one[0], reverse=True)[:num_beams]
        open_ = [one for one in kept if one[1][-1] != END]
        done = kept if length == max_length else [one for one in kept if one[1][-1] == END]
        finished += [(t / ((5 + len(words)) / 6) ** 0.6, words) for t, words, _ in done]
        if not open_:
            break
    score, tokens = max(finished)
    return [token for token in tokens if token > END], score


@wrong("05b.2")
def beam_search(step, state, num_beams, max_length):
    open_, finished = [(0.0, [], state)], []
    for length in range(1, max_length + 1):
        grown = []
        for total, tokens, before in open_:
            log_p, after = step(tokens[-1] if tokens else START, before)
            grown += [(total - p, [*tokens, word], after) for word, p in enumerate(log_p)]
        kept = sorted(grown, key=lambda one: one[0], reverse=True)[:num_beams]
        open_ = [one for one in kept if one[1][-1] != END]
        done = kept if length == max_length else [one for one in kept if one[1][-1] == END]
        finished += [(total / ((5 + length) / 6) ** 0.6, tokens) for total, tokens, _ in done]
        if not open_:
            break
    score, tokens = max(finished)
    return [token for token in tokens if token != END], score


@wrong("05b.2")
def beam_search(step, state, num_beams, max_length):
    open_, finished = [(0.0, [], state)], []
    for length in range(1, max_length + 1):
        grown = []
        for total, tokens, before in open_:
            log_p, after = step(tokens[-1] if tokens else START, before)
            grown += [(total + p, [*tokens, word], after) for word, p in enumerate(log_p)]
        kept = sorted(grown, key=lambda one: one[0], reverse=True)[:num_beams]
        open_ = [one for one in kept if one[1][-1] != END]
        finished += [
            (total / ((5 + length) / 6) ** 0.6, tokens)
            for total, tokens, _ in kept
            if tokens[-1] == END
        ]
        if not open_:
            break
    score, tokens = max(finished, default=(0.0, []))
    return tokens[:-1], score


@wrong("05b.2")
def beam_search(step, state, num_beams, max_length):
    open_, finished = [(0.0, [], state)], []
    for length in range(1, max_length + 1):
        grown = []
        for total, tokens, before in open_:
            log_p, state = step(tokens[-1] if tokens else START, state)
            grown += [(total + p, [*tokens, word], state) for word, p in enumerate(log_p)]
        kept = sorted(grown, key=lambda one: one[0], reverse=True)[:num_beams]
        open_ = [one for one in kept if one[1][-1] != END]
        done = kept if length == max_length else [one for one in kept if one[1][-1] == END]
        finished += [(total / ((5 + length) / 6) ** 0.6, tokens) for total, tokens, _ in done]
        if not open_:
            break
    score, tokens = max(finished)
    return [token for token in tokens if token != END], score


@wrong("05b.2")
def beam_search(step, state, num_beams, max_length):
    token, tokens, total = START, [], 0.0
    for _ in range(max_length):
        log_p, state = step(token, state)
        token = int(np.argmax(log_p))
        total += log_p[token]
        tokens.append(token)
        if token == END:
            break
    return [t for t in tokens if t != END], total / ((5 + len(tokens)) / 6) ** 0.6


@wrong("05b.2")
def beam_search(step, state, num_beams, max_length):
    open_, finished = [(0.0, [], state)], []
    for length in range(1, max_length + 1):
        grown = []
        for total, tokens, before in open_:
            log_p, after = step(tokens[-1] if tokens else START, before)
            grown += [(total + p, [*tokens, word], after) for word, p in enumerate(log_p)]
        kept = sorted(grown, key=lambda one: one[0], reverse=True)[: num_beams + len(finished)]
        open_ = [one for one in kept if one[1][-1] != END]
        done = kept if length == max_length else [one for one in kept if one[1][-1] == END]
        finished += [(total / ((5 + length) / 6) ** 0.6, tokens) for total, tokens, _ in done]
        if not open_:
            break
    score, tokens = max(finished)
    return [token for token in tokens if token != END], score


@wrong("05b.2")
def beam_search(step, state, num_beams, max_length):
    live, done = [(0.0, [], state)], []
    for n in range(1, max_length + 1):
        grown = []
        for total, words, before in live:
            log_p, after = step(words[-1] if words else START, before)
            grown += [(total + log_p[word], [*words, word], after) for word in range(6)]
        grown = sorted(grown, key=lambda one: -one[0])[:num_beams]
        over = [one for one in grown if one[1][-1] == END or n == max_length]
        done += [(total / ((5 + n) / 6) ** 0.6, words) for total, words, _ in over]
        live = [one for one in grown if one[1][-1] != END]
    score, words = max(done)
    return [word for word in words if word != END], score


@wrong("05b.2", "a model of 6 words")
def beam_search(step, state, num_beams, max_length):
    live, done = [(0.0, [], state)], []
    for n in range(1, max_length + 1):
        grown = []
        for total, words, old in live:
            log_p, new = step(words[-1] if words else START, old)
            grown += [(total + p, [*words, word], new) for word, p in enumerate(log_p)]
        grown = sorted(grown, key=lambda one: -one[0])[:num_beams]
        over = [one for one in grown if one[1][-1] == END or n == max_length]
        done += [(total / ((5 + n) / 6) ** 0.6, words) for total, words, _ in over]
        live = [one for one in grown if one[1][-1] != END]
    score, words = min(done)
    return [word for word in words if word != END], score


@right("05b.3")
def reverse_words(ids):
    n = ops.sum(ops.cast(ops.not_equal(ids, 0), "int32"), axis=1, keepdims=True)
    places = n - 1 - ops.arange(ops.shape(ids)[1])
    words = ops.take_along_axis(ids, ops.maximum(places, 0), axis=1)
    return ops.where(places >= 0, words, 0)


@right("05b.3")
def reverse_words(ids):
    turned = ops.flip(ids, axis=1)
    order = ops.argsort(ops.cast(ops.equal(turned, 0), "int32"), axis=1)
    return ops.take_along_axis(turned, order, axis=1)


@right("05b.3")
def reverse_words(ids):
    mask = ops.cast(ids != 0, "int32") if ops.is_tensor(ids) else (ids != 0).astype("int32")
    lengths = ops.sum(mask, axis=1)
    positions = ops.arange(ops.shape(ids)[1])[None]
    new = (lengths[:, None] - 1 - positions) * mask + positions * (1 - mask)
    return ops.take_along_axis(ids, new, axis=-1)


@right("05b.3")
def reverse_words(ids):
    ids = ops.convert_to_tensor(ids)
    after = ops.cumsum(ops.cast(ops.flip(ids, 1) != 0, "int32"), axis=1) - 1
    tokens = ops.shape(ids)[1]
    words = ops.max(after, axis=1, keepdims=True)
    k = words - ops.arange(tokens)[None]
    return ops.where(k < 0, 0, ops.take_along_axis(ids, ops.where(k < 0, 0, k), axis=1))


@wrong("05b.3", "NumPy")
def reverse_words(ids):
    turned = np.zeros_like(ids)
    for row, words in enumerate(ids):
        real = words[words != 0]
        turned[row, : len(real)] = real[::-1]
    return turned


@wrong("05b.3")
def reverse_words(ids):
    return ids[:, ::-1]


@wrong("05b.3")
def reverse_words(ids):
    return ops.flip(ids, axis=0)


@wrong("05b.3")
def reverse_words(ids):
    return ops.flip(ids)


@wrong("05b.3")
def reverse_words(ids):
    return -np.sort(-ids, axis=1)


@wrong("05b.3")
def reverse_words(ids):
    return ops.flip(ids, axis=1) * ops.cast(ops.not_equal(ids, 0), ids.dtype)


@wrong("05b.3")
def reverse_words(ids):
    n = ops.sum(ops.cast(ops.not_equal(ids, 0), "int32"), axis=1, keepdims=True)
    positions = ops.arange(ops.shape(ids)[1])
    turned = ops.where(positions < n, n - positions, positions)
    return ops.take_along_axis(ids, ops.minimum(turned, ids.shape[1] - 1), axis=1)


@wrong("05b.3")
def reverse_words(ids):
    n = ops.sum(ops.cast(ops.not_equal(ids, 0), "int32"))
    positions = ops.arange(ids.shape[1])
    turned = ops.where(positions < n, n - 1 - positions, positions)
    return ops.take(ids, turned, axis=1)


@wrong("05b.3")
def reverse_words(ids):
    return ids[ids != 0][::-1]


@wrong("05b.3")
def reverse_words(ids):
    return np.array([[w for w in row[::-1] if w] + [0] * int((row == 0).sum()) for row in ids])[
        ::-1
    ]


@wrong("05b.3", "in place")
def reverse_words(ids):
    for row in ids:
        n = int((row != 0).sum())
        row[:n] = row[:n][::-1].copy()
    return ids


@wrong("05b.3")
def reverse_words(ids):
    words = ops.sum(ops.cast(ids > 3, "int32"), axis=1, keepdims=True)
    places = ops.arange(ops.shape(ids)[1])
    turned = ops.where(places < words, words - 1 - places, places)
    return ops.take_along_axis(ids, turned, axis=1)


@right("05b.4")
def step(self, before, word, encoded, mask):
    s, a = before[:, : self.units], before[:, self.units :]
    s, _ = self.cell(ops.concatenate([word, a], axis=-1), [s])
    a = self.attend(ops.expand_dims(s, 1), encoded, mask)
    return ops.concatenate([s, ops.squeeze(a, axis=1)], axis=-1)


@right("05b.4")
def step(self, before, word, encoded, mask):
    half = before.shape[-1] // 2
    inputs = ops.concatenate((word, before[:, half:]), axis=1)
    new, states = self.cell(inputs, [before[:, :half]])
    vector = self.attend(new[:, None, :], encoded, value_mask=mask)[:, 0, :]
    return ops.concatenate([states[0], vector], axis=1)


@right("05b.4")
def step(self, before, word, encoded, mask):
    s, a = ops.split(before, 2, axis=1)
    s = self.cell(ops.hstack([word, a]), [s])[1][0]
    vector, weights = self.attend(s[:, None], encoded, mask, return_attention_scores=True)
    return ops.hstack([s, ops.sum(vector, axis=1)])


@right("05b.4")
def step(self, before, word, encoded, mask):
    s, a = ops.split(before, [self.units], axis=-1)
    s = self.cell(ops.concatenate([word, a], -1), s)[0]
    a = self.attend(query=s[:, None], value=encoded, value_mask=mask)
    return ops.reshape(ops.stack([s, a[:, 0]], axis=1), (-1, 2 * self.units))


@wrong("05b.4", "[0]")
def step(self, before, word, encoded, mask):
    state, found = ops.split(before, 2, axis=-1)
    state = self.cell(ops.concatenate([word, found], axis=-1), [state])
    found = self.attend(state[:, None], encoded, value_mask=mask)[:, 0]
    return ops.concatenate([state, found], axis=-1)


@wrong("05b.4", "side by side")
def step(self, before, word, encoded, mask):
    state, found = ops.split(before, 2, axis=-1)
    state = self.cell(ops.concatenate([word, found], axis=-1), [state])[0]
    found = self.attend(state[:, None], encoded, value_mask=mask)[:, 0]
    return state, found


@wrong("05b.4")
def step(self, before, word, encoded, mask):
    state = self.cell(ops.concatenate([word, before], axis=-1), [before])[0]
    found = self.attend(state[:, None], encoded, value_mask=mask)[:, 0]
    return ops.concatenate([state, found], axis=-1)


@wrong("05b.4")
def step(self, before, word, encoded, mask):
    state, found = ops.split(before, 2, axis=-1)
    state = self.cell(word, [state])[0]
    found = self.attend(state[:, None], encoded, value_mask=mask)[:, 0]
    return ops.concatenate([state, found], axis=-1)


@wrong("05b.4")
def step(self, before, word, encoded, mask):
    state, found = ops.split(before, 2, axis=-1)
    state = self.cell(ops.concatenate([word, found], axis=-1), [state])[0]
    found = self.attend(state, encoded, value_mask=mask)
    return ops.concatenate([state, found], axis=-1)


@wrong("05b.4")
def step(self, before, word, encoded, mask):
    state, found = ops.split(before, 2, axis=-1)
    state = self.cell(ops.concatenate([word, found], axis=-1), [state])[0]
    found = self.attend(state[:, None], encoded)[:, 0]
    return ops.concatenate([state, found], axis=-1)


@wrong("05b.4")
def step(self, before, word, encoded, mask):
    state, found = ops.split(before, 2, axis=-1)
    found = self.attend(state[:, None], encoded, value_mask=mask)[:, 0]
    state = self.cell(ops.concatenate([word, found], axis=-1), [state])[0]
    return ops.concatenate([state, found], axis=-1)


@wrong("05b.4")
def step(self, before, word, encoded, mask):
    state, found = ops.split(before, 2, axis=-1)
    state = self.cell(ops.concatenate([word, found], axis=-1), [state])[0]
    found = self.attend(state[:, None], encoded, value_mask=mask)
    return ops.concatenate([state[:, None], found], axis=-1)


@wrong("05b.4")
def step(self, before, word, encoded, mask):
    state, found = ops.split(before, 2, axis=-1)
    state = self.cell(ops.concatenate([word, found], axis=-1), [state])[0]
    found = self.attend(state[:, None], encoded, value_mask=mask)[:, 0]
    return found


@wrong("05b.4")
def step(self, before, word, encoded, mask):
    state, found = ops.split(before, 2, axis=-1)
    state = self.cell(ops.concatenate([word, found], axis=-1), [state])[0]
    found = self.attend(encoded, state[:, None])[:, 0]
    return ops.concatenate([state, found], axis=-1)


@wrong("05b.4")
def step(self, before, word, encoded, mask):
    state, found = ops.split(before, 2, axis=-1)
    state = self.cell(word + found, [state])[0]
    found = self.attend(state[:, None], encoded, value_mask=mask)[:, 0]
    return ops.concatenate([state, found], axis=-1)


@wrong("05b.4")
def step(self, before, word, encoded, mask):
    state, found = ops.split(before, 2, axis=-1)
    state = self.cell(ops.concatenate([word, found], axis=-1), [state])[0]
    found = self.attend(state[:, None], encoded, value_mask=mask)
    return ops.concatenate([state, ops.reshape(found, (2, -1))], axis=-1)


@wrong("05b.4")
def step(self, before, word, encoded, mask):
    state, found = ops.split(before, 2, axis=-1)
    state = self.cell(ops.concatenate([word, found], axis=-1), [state])[0]
    found = ops.squeeze(self.attend(state[:, None], encoded, value_mask=mask))
    return ops.concatenate([state, found], axis=-1)


@right("05b.5")
def best_setting(validation_loss, settings, seeds):
    best, lowest = None, float("inf")
    for setting in settings:
        loss = sum(validation_loss(setting, seed) for seed in seeds) / len(seeds)
        if loss < lowest:
            best, lowest = setting, loss
    return best


@right("05b.5")
def best_setting(validation_loss, settings, seeds):
    return min(
        settings,
        key=lambda setting: np.mean([validation_loss(setting, seed) for seed in seeds]),
    )


@right("05b.5")
def best_setting(validation_loss, settings, seeds):
    losses = {s: [validation_loss(s, seed) for seed in seeds] for s in settings}
    return sorted(losses, key=lambda s: sum(losses[s]))[0]


@right("05b.5")
def best_setting(validation_loss, settings, seeds):
    losses = np.array([[validation_loss(s, k) for k in seeds] for s in settings])
    return settings[losses.mean(axis=1).argmin()]


@wrong("05b.5", "vote")
def best_setting(validation_loss, settings, seeds):
    losses = np.array([[validation_loss(s, k) for k in seeds] for s in settings])
    wins = np.bincount(losses.argmin(axis=0), minlength=len(settings))
    return settings[int(wins.argmax())]


@wrong("05b.5")
def best_setting(validation_loss, settings, seeds):
    winners = [min(settings, key=lambda s: validation_loss(s, seed)) for seed in seeds]
    return Counter(winners).most_common(1)[0][0]


@wrong("05b.5")
def best_setting(validation_loss, settings, seeds):
    losses = np.array([[validation_loss(s, k) for k in seeds] for s in settings])
    return settings[losses.argmin() // len(seeds)]


@wrong("05b.5")
def best_setting(validation_loss, settings, seeds):
    losses = np.array([[validation_loss(s, k) for k in seeds] for s in settings])
    return settings[losses.mean(axis=0).argmin()]


@wrong("05b.5")
def best_setting(validation_loss, settings, seeds):
    losses = [validation_loss(s, seeds) for s in settings]
    return settings[int(np.argmin(losses))]


@wrong("05b.5")
def best_setting(validation_loss, settings, seeds):
    losses = np.array([[validation_loss(k, s) for k in seeds] for s in settings])
    return settings[losses.mean(axis=1).argmin()]


@wrong("05b.5")
def best_setting(validation_loss, settings, seeds):
    losses = np.array([[validation_loss(s, k) for k in seeds] for s in settings])
    return settings[(losses.mean(axis=1) + losses.std(axis=1)).argmin()]


@wrong("05b.5")
def best_setting(validation_loss, settings, seeds):
    losses = [np.mean([validation_loss(s, k) for k in range(3)]) for s in settings]
    return settings[int(np.argmin(losses))]


@wrong("05b.5")
def best_setting(validation_loss, settings, seeds):
    losses = [np.mean([validation_loss(s, k) for k in seeds]) for s in settings]
    return int(np.argmin(losses)), min(losses)


@wrong("05b.5")
def best_setting(validation_loss, settings, seeds):
    for setting in settings:
        losses = [validation_loss(setting, seed) for seed in seeds]
    return settings[int(np.argmin(losses))]


@wrong("05b.5")
def best_setting(validation_loss, settings, seeds):
    return validation_loss(min(settings), seeds[0])


@wrong("05b.5")
def best_setting(validation_loss, settings, seeds):
    means = {s: sum(validation_loss(s, seed) for seed in seeds) / len(seeds) for s in settings}
    return int(min(means, key=means.get))


@wrong("05b.5")
def best_setting(validation_loss, settings, seeds):
    best, lowest = settings[0], 100
    for setting in settings:
        mean = np.mean([validation_loss(setting, seed) for seed in seeds])
        if mean < lowest:
            best, lowest = setting, mean
    return best


@wrong("05b.5", "the chosen setting is")
def best_setting(validation_loss, settings, seeds):
    losses = np.array([[validation_loss(s, k) for k in seeds] for s in settings])
    return settings[(losses**2).mean(axis=1).argmin()]


@right("05b.6")
def log_frequencies(targets, vocab_size):
    counts = np.full(vocab_size, 0.5)
    np.add.at(counts, targets[targets != 0], 1)
    return np.log(counts) - np.log(counts.sum())


@right("05b.6")
def log_frequencies(targets, vocab_size):
    counts = np.array([(targets == word).sum() for word in range(vocab_size)], "float64")
    counts[0] = 0
    counts += 0.5
    return np.log(counts / counts.sum()).astype("float32")


@right("05b.6")
def log_frequencies(targets, vocab_size):
    found = Counter(targets.ravel().tolist())
    counts = [0.5] + [found[word] + 0.5 for word in range(1, vocab_size)]
    return np.array([math.log(count / sum(counts)) for count in counts])


@right("05b.6")
def log_frequencies(targets, vocab_size):
    words = ops.one_hot(targets.reshape(-1), vocab_size)
    real = ops.cast(targets.reshape(-1, 1) != 0, "float32")
    counts = ops.convert_to_numpy(ops.sum(words * real, axis=0)) + 0.5
    return np.log(counts / counts.sum())


@wrong("05b.6")
def log_frequencies(targets, vocab_size):
    counts = np.bincount(targets.ravel(), minlength=vocab_size) + 0.5
    return np.log(counts / counts.sum())


@wrong("05b.6")
def log_frequencies(targets, vocab_size):
    counts = np.bincount(targets[targets != 0]) + 0.5
    return np.log(counts / counts.sum())


@wrong("05b.6")
def log_frequencies(targets, vocab_size):
    counts = np.bincount(targets[targets != 0], minlength=vocab_size)
    return np.log(counts / counts.sum())


@wrong("05b.6")
def log_frequencies(targets, vocab_size):
    counts = np.bincount(targets[targets != 0], minlength=vocab_size)
    counts = np.maximum(counts, 0.5)
    return np.log(counts / counts.sum())


@wrong("05b.6")
def log_frequencies(targets, vocab_size):
    counts = np.bincount(targets[targets != 0], minlength=vocab_size) + 0.5
    return np.log10(counts / counts.sum())


@wrong("05b.6")
def log_frequencies(targets, vocab_size):
    counts = np.bincount(targets[targets != 0], minlength=vocab_size) + 0.5
    return np.log(counts) / np.log(counts.sum())


@wrong("05b.6")
def log_frequencies(targets, vocab_size):
    counts = np.bincount(targets[targets != 0], minlength=vocab_size) + 0.5
    return np.log(counts / targets.size)


@wrong("05b.6")
def log_frequencies(targets, vocab_size):
    counts = np.bincount(targets[targets != 0], minlength=vocab_size) + 1e-9
    return np.log(counts / counts.sum())


@wrong("05b.6")
def log_frequencies(targets, vocab_size):
    counts = np.bincount(targets[targets != 0], minlength=vocab_size)
    return np.log1p(counts / counts.sum())


@wrong("05b.6")
def log_frequencies(targets, vocab_size):
    counts = np.bincount(targets[targets != 0], minlength=vocab_size) + 0.5
    return counts / counts.sum()


@wrong("05b.6")
def log_frequencies(targets, vocab_size):
    words, counts = np.unique(targets[targets != 0], return_counts=True)
    return np.log((counts + 0.5) / (counts + 0.5).sum())


@wrong("05b.6")
def log_frequencies(targets, vocab_size):
    counts = np.bincount(targets[targets > 1], minlength=vocab_size) + 0.5
    return np.log(counts / counts.sum())
