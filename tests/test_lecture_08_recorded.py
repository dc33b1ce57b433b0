"""What lecture 08 says about its recorded runs."""

import numpy as np
import pytest

from course_utils import results

LECTURE = "08_mixer_gmlp"
WITHOUT_CONVOLUTION = ("gmlp", "mixer", "vit")


def recorded(model, dataset, metric="test_accuracy"):
    return [run["metrics"][metric] for run in results.load(LECTURE, model, dataset)]


def test_with_100_digits_the_order_is_that_of_what_is_assumed():
    found = [recorded(kind, "digits_100") for kind in ("convnet", *WITHOUT_CONVOLUTION)]
    for better, worse in zip(found, found[1:], strict=False):
        assert min(better) > max(worse)
    assert [np.mean(accuracies) for accuracies in found] == (
        pytest.approx([0.90, 0.85, 0.82, 0.77], abs=0.005)
    )


def test_with_1200_digits_only_the_convnet_is_told_apart():
    others = [recorded(kind, "digits_1200") for kind in WITHOUT_CONVOLUTION]
    means = [np.mean(accuracies) for accuracies in others]
    assert np.ptp(means) < max(np.ptp(accuracies) for accuracies in others)
    convnet = recorded("convnet", "digits_1200")
    assert min(convnet) > max(map(max, others))
    assert np.mean(convnet) - max(means) > 0.015


def test_places_bring_most_and_listening_the_rest():
    deaf, placed, whole = (
        recorded(kind, "digits_1200") for kind in ("gmlp_no_gate", "gmlp_no_W", "gmlp")
    )
    assert np.mean(placed) - np.mean(deaf) == pytest.approx(0.20, abs=0.01)
    assert np.mean(whole) - np.mean(deaf) == pytest.approx(0.22, abs=0.005)
    assert np.mean(whole) - np.mean(placed) == pytest.approx(0.014, abs=0.001)
    assert max(placed) < min(whole)


def test_at_four_blocks_the_start_does_not_show():
    paper = recorded("gmlp", "digits_1200")
    for start in ("gmlp_wide_W", "gmlp_b_zero"):
        assert abs(np.mean(recorded(start, "digits_1200")) - np.mean(paper)) < np.ptp(paper)


def test_pre_training_helps_most_whoever_assumes_least():
    def way(kind, name):
        return np.array(recorded(kind, "mnist_to_digits", name))

    gains = {
        kind: {n: way(kind, f"tuned_{n}") - way(kind, f"scratch_{n}") for n in (50, 100, 200)}
        for kind in ("convnet", *WITHOUT_CONVOLUTION)
    }
    assert all(gain.min() > 0 for found in gains.values() for gain in found.values())
    for kind in WITHOUT_CONVOLUTION:
        assert 0.135 < gains[kind][50].mean() < 0.175
        assert 0.045 < gains[kind][200].mean() < 0.075
    assert gains["convnet"][50].mean() == pytest.approx(0.08, abs=0.005)
    assert gains["convnet"][200].mean() == pytest.approx(0.01, abs=0.005)
    for kind in ("mixer", "gmlp"):
        assert way(kind, "tuned_100").mean() > way("convnet", "scratch_100").mean()
        for count, lead in ((50, 0.05), (200, 0.02)):
            ahead = way("convnet", f"tuned_{count}") - way(kind, f"tuned_{count}")
            assert ahead.mean() == pytest.approx(lead, abs=0.005)


def test_measured_cost_grows_nearly_as_the_theory_says():
    power = {}
    for row in results.load_table(LECTURE, "mixing-cost"):
        power.setdefault(row["layer"], {})[row["length"]] = row["milliseconds"]
    power = {name: np.log2(line[2048] / line[1024]) for name, line in power.items()}
    assert list(power) == [
        "attention(64, 2 heads)",
        "token mixing, D_S = 256",
        "token mixing, D_S = 2 S",
        "gate, one S × S matrix",
    ]
    for found, theory in zip(power.values(), (2, 1, 2, 2), strict=True):
        assert theory - 0.35 < found < theory + 0.1


def test_the_layers_form_is_the_fastest_with_tensorflow_and_not_with_jax():
    def ratios(table):
        return {
            (row["form"].split(",")[0] + row["form"][-7:], row["length"]): row["ratio"]
            for row in results.load_table(LECTURE, table)
        }

    assert min(ratios("token-mixing-forms").values()) == 1
    jax = ratios("token-mixing-forms-jax")
    found = [ratio for ratio in jax.values() if ratio < 1]
    assert found == pytest.approx([0.81, 0.94], abs=0.01)


def test_the_convnet_multiplies_most_and_is_the_fastest_with_tensorflow():
    tokens, patches = 64, 64 * 48 * 64
    millions = {
        "Mixer": patches + 3 * 2 * (tokens * 64 * 256 + 64 * tokens * 64),
        "gMLP": patches + 4 * (tokens * 64 * (256 + 128) + 128 * tokens * tokens),
        "ViT": patches + 3 * (tokens * 64 * (4 * 64 + 2 * 192) + 2 * tokens * tokens * 64),
        "convnet": 9 * (3 * 48 * 32**2 + 48 * 96 * 16**2 + 96 * 96 * 8**2),
    }
    assert [round(count / 1e6) for count in millions.values()] == [8, 9, 10, 17]
    for suffix, slowest in (("", "gMLP"), ("-jax", "convnet")):
        rows = {
            row["model"]: row for row in results.load_table(LECTURE, f"images-a-second{suffix}")
        }
        assert max(rows, key=lambda name: rows[name]["classified"]) == "convnet"
        assert min(rows, key=lambda name: rows[name]["trained"]) == slowest
        assert rows["gMLP"]["trained"] < rows["Mixer"]["trained"]
        if not suffix:
            assert max(rows, key=lambda name: rows[name]["trained"]) == "convnet"


PHOTOGRAPHS = "cifar10_recompressed"


def on_photographs(plan):
    """The runs of the four networks at the course work's size: after 20 epochs or after 60."""
    kinds = "convnet", "gmlp", "mixer", "vit"
    return {kind: results.load(LECTURE, f"{kind}_{plan}", PHOTOGRAPHS) for kind in kinds}


def curve(runs, metric):
    """A metric by epoch: (seeds, epochs)."""
    return np.array([run["history"][metric] for run in runs])


def test_on_photographs_four_ranges_lie_apart_after_twenty_epochs():
    order = [recorded(f"{kind}_short", PHOTOGRAPHS) for kind in on_photographs("short")]
    for better, worse in zip(order, order[1:], strict=False):
        assert min(better) > max(worse)
    means = [np.mean(one) for one in order]
    assert means == pytest.approx([0.84, 0.81, 0.69, 0.65], abs=0.005)
    runs = on_photographs("short")
    sizes = [of[0]["parameters"] for of in runs.values()]
    assert sizes[2] == 4_493_066 and max(np.abs(np.array(sizes) / sizes[2] - 1)) < 0.02
    learned = {kind: curve(of, "accuracy")[:, -1].mean() for kind, of in runs.items()}
    assert list(learned.values()) == pytest.approx([0.79, 0.81, 0.62, 0.58], abs=0.005)

    def gained(kind):
        lines = curve(runs[kind], "val_accuracy")
        return (lines[:, 19] - lines[:, 9]).mean()

    assert [gained(kind) for kind in ("mixer", "vit")] == pytest.approx([0.06, 0.09], abs=0.005)
    assert all(0.035 < gained(kind) < 0.055 for kind in ("gmlp", "convnet"))


def test_the_rate_on_photographs_was_chosen_by_validation():
    tried = {}
    first = on_photographs("short_one_seed")
    for kind, runs in first.items():
        tried[kind] = {0.001: runs[0]["metrics"]["val_accuracy"]}
        for rate in (0.002, 0.004):
            (run,) = results.load(LECTURE, f"{kind}_short_one_seed_rate_{rate}", PHOTOGRAPHS)
            assert (run["settings"]["rate"], run["epochs"], run["seed"]) == (rate, 20, 0)
            assert "test_accuracy" not in run["metrics"]
            tried[kind][rate] = run["metrics"]["val_accuracy"]
        chosen = {run["settings"]["rate"] for run in on_photographs("long")[kind]}
        assert chosen == {max(tried[kind], key=tried[kind].get)}
    spans = {kind: max(of.values()) - min(of.values()) for kind, of in tried.items()}
    seeds = curve(first["mixer"], "val_accuracy")[:, -1]
    assert spans["mixer"] < np.ptp(seeds) and spans["vit"] == pytest.approx(0.08, abs=0.005)
    for kind in ("gmlp", "vit"):
        assert list(tried[kind].values()) == sorted(tried[kind].values(), reverse=True)


def test_sixty_epochs_bring_gmlp_over_the_course_work_and_mixer_not():
    short, long = (
        {kind: recorded(f"{kind}_{plan}", PHOTOGRAPHS) for kind in on_photographs(plan)}
        for plan in ("short", "long")
    )
    assert np.mean(long["gmlp"]) == pytest.approx(0.834, abs=0.0005)
    assert min(long["gmlp"]) > 0.802
    assert np.mean(long["mixer"]) == pytest.approx(0.741, abs=0.0005)
    assert 0.823 - np.mean(long["mixer"]) == pytest.approx(0.08, abs=0.005)
    assert np.mean(long["gmlp"]) - np.mean(long["mixer"]) == pytest.approx(0.09, abs=0.005)
    assert [np.mean(long[kind]) for kind in ("mixer", "vit")] == (
        pytest.approx([0.74, 0.76], abs=0.005)
    )
    assert min(long["vit"]) > max(long["mixer"])
    gained = {kind: np.mean(long[kind]) - np.mean(short[kind]) for kind in long}
    assert max(gained, key=gained.get) == "vit"
    assert gained["mixer"] == pytest.approx(0.05, abs=0.005)


def least_losses(runs):
    """The epochs of the lowest validation loss, their mean, and the mean at the end."""
    losses = curve(runs, "val_loss")
    return losses.argmin(axis=1) + 1, losses.min(axis=1).mean(), losses[:, -1].mean()


def test_mixer_learns_its_photographs_by_heart_and_the_vit_runs_out_of_time():
    runs = on_photographs("long")
    assert all(run["epochs"] == 60 for of in runs.values() for run in of)
    seen = {kind: curve(of, "accuracy")[:, -1].mean() for kind, of in runs.items()}
    assert [seen["mixer"], seen["vit"]] == pytest.approx([0.84, 0.74], abs=0.005)
    assert seen["gmlp"] == pytest.approx(0.92, abs=0.005)
    new = {kind: curve(of, "val_accuracy")[:, -1].mean() for kind, of in runs.items()}
    assert seen["vit"] < new["vit"] and seen["mixer"] > new["mixer"] + 0.09
    assert 0.08 < seen["gmlp"] - new["gmlp"] < seen["mixer"] - new["mixer"]

    best, *ends = least_losses(runs["mixer"])
    assert (min(best), max(best)) == (30, 37)
    assert ends == pytest.approx([0.79, 0.88], abs=0.005)
    accuracy = curve(runs["mixer"], "val_accuracy").mean(axis=0)
    assert accuracy[-1] > accuracy[31]
    assert min(least_losses(runs["vit"])[0]) > 50
    assert least_losses(runs["gmlp"])[1:] == pytest.approx((0.58, 0.61), abs=0.005)


KINDS = ("mixer", "convnet", "gmlp", "vit")
SLIPS = [("small", "mixer"), ("small", "convnet")]
SLIPS += [(plan, kind) for plan in ("short", "long") for kind in KINDS]


def with_and_without_the_slip(kind, plan):
    return [
        results.load(LECTURE, f"{kind}_{plan}{end}", PHOTOGRAPHS) for end in ("_one_seed", "")
    ]


@pytest.mark.parametrize(("plan", "kind"), SLIPS)
def test_runs_with_and_without_the_slip_can_be_compared(plan, kind):
    for one, other in zip(*with_and_without_the_slip(kind, plan), strict=True):
        for key in ("seed", "epochs", "backend", "precision", "hardware"):
            assert one[key] == other[key]
        assert one["settings"]["rate"] == other["settings"]["rate"]


def test_the_slip_costs_gmlp_half_a_point_or_more_and_the_others_nothing_certain():
    better = {}
    for plan, kind in SLIPS:
        slip, mended = (
            recorded(f"{kind}_{plan}{end}", PHOTOGRAPHS) for end in ("_one_seed", "")
        )
        better.setdefault(kind, []).extend(np.subtract(mended, slip))
    assert (min(better["gmlp"]), max(better["gmlp"])) == pytest.approx((0.005, 0.013), abs=6e-4)
    assert [len(of) for of in better.values()] == [9, 9, 6, 6]
    assert all(
        min(better[kind]) < 0 < max(better[kind]) for kind in ("mixer", "convnet", "vit")
    )
    assert better["vit"][3:] == pytest.approx([0.031, 0.016, -0.001], abs=0.0006)


def test_fewer_kinds_of_pictures_are_learned_more_at_first():
    for plan, least, most in (("short", 0.015, 0.025), ("long", -0.015, 0.015)):
        for kind in KINDS:
            slip, mended = (
                curve(runs, "accuracy")[:, -1] for runs in with_and_without_the_slip(kind, plan)
            )
            assert least < (slip - mended).mean() < most
            if (plan, kind) == ("long", "mixer") or plan == "short":
                assert min(slip - mended) > 0.008
            elif kind == "vit":
                assert min(slip - mended) < 0 < max(slip - mended)
            else:
                assert abs(slip - mended).max() < 0.009


def by_rate(kind, careful=True):
    """Validation accuracy at each rate: (seeds, rates)."""
    name = "sweep_digits_400" + ("" if careful else "_plain")
    return np.array(
        [list(run["metrics"].values()) for run in results.load(LECTURE, kind, name)]
    )


def test_with_warm_up_and_clipping_there_is_no_knifes_edge():
    for kind, least, most in (
        ("mixer", 0.92, 0.94),
        ("gmlp", 0.92, 0.96),
        ("convnet", 0.97, 0.98),
    ):
        means = by_rate(kind).mean(axis=0)[2:]
        assert (means.min(), means.max()) == pytest.approx((least, most), abs=0.006)
    assert by_rate("vit").mean(axis=0)[[3, 5]] == pytest.approx([0.95, 0.87], abs=0.005)


def test_without_them_the_convnet_falls_first_and_gmlp_hardly():
    kinds = ("convnet", "vit", "mixer", "gmlp")
    found = {kind: by_rate(kind, careful=False) for kind in kinds}
    assert [found[kind].mean(axis=0)[4] for kind in ("convnet", "vit")] == (
        pytest.approx([0.34, 0.78], abs=0.005)
    )
    assert (found["convnet"][:, 4] < 0.15).sum() == 2 and (found["convnet"][:, 5] < 0.15).all()
    assert (found["mixer"][:, 5] < 0.15).sum() == 1
    last = [found[kind].mean(axis=0)[5] for kind in ("vit", "mixer", "gmlp")]
    assert last == pytest.approx([0.52, 0.61, 0.90], abs=0.005)
    for kind in kinds:
        apart = by_rate(kind).mean(axis=0) - found[kind].mean(axis=0)
        assert np.abs(apart[:3]).max() < 0.02


def test_the_lectures_rates_are_left_of_every_hill():
    for kind in ("convnet", "vit", "mixer", "gmlp"):
        means = by_rate(kind).mean(axis=0)
        assert means.argmax() >= 3 and 0.005 < means.max() - means[2] < 0.035


def test_pictures_that_differ_more_cure_the_symptom_and_not_mixer():
    runs = results.load(LECTURE, "mixer_varied", PHOTOGRAPHS)
    assert [(run["seed"], run["epochs"]) for run in runs] == [(0, 60), (1, 60), (2, 60)]
    before, after = (recorded(f"mixer_{plan}", PHOTOGRAPHS) for plan in ("long", "varied"))
    assert (np.mean(before), np.mean(after)) == pytest.approx((0.741, 0.742), abs=0.0005)
    assert min(after) < max(before) and min(before) < max(after)
    assert curve(runs, "accuracy")[:, -1].mean() == pytest.approx(0.66, abs=0.005)
    assert min(least_losses(runs)[0]) > 55
    rates = {run["settings"]["rate"] for run in runs}
    assert rates == {run["settings"]["rate"] for run in on_photographs("long")["mixer"]}


def on_plan(plan):
    return results.load(LECTURE, f"mixer_{plan}", PHOTOGRAPHS)


def test_a_large_mixer_that_starts_deaf_reads_nearly_seven_points_more():
    usual, deaf = on_plan("long"), on_plan("long_deaf")
    gained = np.subtract(
        *(recorded(f"mixer_{plan}", PHOTOGRAPHS) for plan in ("long_deaf", "long"))
    )
    assert np.mean(recorded("mixer_long_deaf", PHOTOGRAPHS)) == pytest.approx(0.809, abs=5e-4)
    assert gained == pytest.approx([0.067, 0.079, 0.058], abs=0.0006)
    assert gained.mean() == pytest.approx(0.068, abs=0.0005)
    behind = np.subtract(*(recorded(f"{kind}_long", PHOTOGRAPHS) for kind in ("gmlp", "mixer")))
    assert 0.7 < gained.mean() / behind.mean() < 0.75
    trained = [curve(runs, "accuracy") for runs in (usual, deaf)]
    assert (trained[1] > trained[0])[:, 1:].all()
    assert [of[:, 19].mean() for of in trained] == pytest.approx([0.59, 0.68], abs=0.005)
    assert trained[1][:, -1].mean() == pytest.approx(0.90, abs=0.005)
    best, *ends = least_losses(deaf)
    assert (min(best), max(best)) == (29, 35)
    assert ends == pytest.approx([0.64, 0.66], abs=0.005)


def test_a_deaf_start_and_varied_pictures_reach_the_course_work_in_150_epochs():
    runs = [on_plan("varied_deaf"), on_plan("varied_deaf_150")]
    assert [[run["epochs"] for run in of] for of in runs] == [[60] * 3, [150] * 3]
    rates = {run["settings"]["rate"] for of in runs for run in of}
    assert rates == {run["settings"]["rate"] for run in on_photographs("long")["mixer"]}
    first, last = (
        recorded(f"mixer_{plan}", PHOTOGRAPHS) for plan in ("varied_deaf", "varied_deaf_150")
    )
    assert np.mean(first) == pytest.approx(0.798, abs=0.0005)
    seen, new = (curve(runs[0], key)[:, -1].mean() for key in ("accuracy", "val_accuracy"))
    assert seen < new and min(least_losses(runs[0])[0]) >= 54
    assert last == pytest.approx([0.8211, 0.8230, 0.8235], abs=0.00005)
    assert round(np.mean(last), 3) == 0.823 and np.mean(last) > 0.8225
    best = least_losses(runs[1])[0]
    assert (min(best), max(best)) == (71, 82)
    ends = [least_losses(of)[2] for of in (runs[0], on_plan("long_deaf"))]
    assert ends == pytest.approx([0.60, 0.66], abs=0.005)
    assert np.mean(first) - np.mean(recorded("mixer_varied", PHOTOGRAPHS)) == (
        pytest.approx(0.056, abs=0.0005)
    )
    for of in (runs[1], on_plan("long_deaf")):
        accuracy, turns = curve(of, "val_accuracy"), least_losses(of)[0]
        assert all(turns / accuracy.shape[1] > 0.45) and all(turns / accuracy.shape[1] < 0.6)
        later = [line[-1] - line[turn - 1] for line, turn in zip(accuracy, turns, strict=True)]
        assert min(later) > 0.005 and max(later) < 0.035
    assert np.mean(last) < min(recorded("gmlp_long", PHOTOGRAPHS))


def test_a_mixer_that_starts_deaf_learns_faster_and_reads_more():
    usual, deaf = (
        results.load(LECTURE, f"mixer_{plan}", PHOTOGRAPHS) for plan in ("deep", "deep_deaf")
    )
    assert [run["seed"] for run in usual] == [run["seed"] for run in deaf] == [0, 1, 2]
    assert {run["parameters"] for run in usual + deaf} == {337_226}
    assert (curve(deaf, "accuracy") > curve(usual, "accuracy")).all()
    assert (curve(deaf, "val_accuracy") > curve(usual, "val_accuracy"))[:, 3:].all()
    trained = [curve(runs, "accuracy")[:, -1].mean() for runs in (usual, deaf)]
    assert trained[1] - trained[0] == pytest.approx(0.060, abs=0.0005)
    gained = np.subtract(
        *(recorded(f"mixer_{plan}", PHOTOGRAPHS) for plan in ("deep_deaf", "deep"))
    )
    assert gained.mean() == pytest.approx(0.047, abs=0.0005) and min(gained) > 0.04
    tests = [np.mean(recorded(name, PHOTOGRAPHS)) for name in ("mixer_deep", "gmlp_deep")]
    assert tests[1] == pytest.approx(0.569, abs=0.0005)
    assert gained.mean() / (tests[1] - tests[0]) == pytest.approx(2 / 3, abs=0.02)
    for runs in (usual, deaf):
        assert (curve(runs, "val_loss").argmin(axis=1) == 11).all()
