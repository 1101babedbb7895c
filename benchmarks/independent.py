"""Our numbers of trials and values beside those of other programs and of articles.

    python benchmarks/independent.py [--only PART ...]

Each part computes some rows: a number of ours with its standard error, somebody else's with its own, and where that
comes from. The rows of the parts that ran replace the same parts in independent.json, which the page "Verification"
shows (python docs/verification.py). What R and its packages give stands in independent.csv, which independent.R prints;
figures of articles stand here, as they are printed.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from comparison import HERE, Parts, Row, compare

from primum import policies, rewards, trials, values
from primum.policies import gittins_index
from primum.policies.counts import Counts
from primum.trials.data import TrialData
from primum.trials.stopping.spending import boundaries as spent

ARMS = ["control", "new"]
COUNTS, SUCCESSES = [40, 38], [12, 21]
CONTROL, NEW = (2.1, 3.4, 1.9, 5.6, 4.4, 3.8, 2.7, 3.4, 6.1), (4.9, 3.4, 6.8, 7.2, 5.6, 4.1, 8.3)
SPENDING = {"obrien-fleming": "O'Brien-Fleming", "pocock": "Pocock"}
SEED = 20204


class Others:
    """What R and its packages printed."""

    def __init__(self) -> None:
        with (HERE / "independent.csv").open(newline="") as lines:
            self.rows = {row["name"]: row for row in csv.DictReader(lines)}

    def row(self, name: str, what: str, setting: str, ours: float, se: float = 0.0, note: str = "") -> Row:
        """Our number beside the one of this name; printed with 12 digits."""
        other = self.rows[name]
        number = float(other["value"])
        digits = abs(number) * 5e-12
        return Row(what, setting, float(ours), se, number, float(other["error"]), other["program"], digits, note)


def boundaries() -> Iterator[Row]:
    """Boundaries by alpha spending."""
    others, fifths, uneven = Others(), (0.2, 0.4, 0.6, 0.8, 1.0), (0.3, 0.55, 0.7, 1.0)
    for name, at, spending, alpha, two_sided, setting in (
        ("obrien-fleming.fifths", fifths, "obrien-fleming", 0.025, False, "5 looks, one-sided .025"),
        ("pocock.fifths", fifths, "pocock", 0.025, False, "5 looks, one-sided .025"),
        ("obrien-fleming.uneven", uneven, "obrien-fleming", 0.05, False, "looks at .3, .55, .7, 1, one-sided .05"),
        ("pocock.uneven", uneven, "pocock", 0.05, False, "looks at .3, .55, .7, 1, one-sided .05"),
        (
            "obrien-fleming.two-sided",
            (0.25, 0.5, 0.75, 1.0),
            "obrien-fleming",
            0.025,
            True,
            "4 looks, two-sided .05",
        ),
    ):
        for i, bound in enumerate(spent(at, spending, alpha, two_sided)):
            yield others.row(f"{name}.{i + 1}", f"{SPENDING[spending]} boundary of look {i + 1}", setting, bound)


def sequential() -> Iterator[Row]:
    """A group sequential trial as a whole: ours exact, theirs simulated."""
    others = Others()
    design = trials.Design(
        arms=ARMS, patients=200, policy=policies.RoundRobin(), looks=[40, 80, 120, 160, 200],
        stopping=trials.GroupSequential(spending="pocock", alpha=0.025, sided="greater"),
    )  # fmt: skip
    law = trials.exact(design, progress=False)
    for name, p in (("null", (0.3, 0.3)), ("effect", (0.3, 0.5))):
        setting = f"Pocock spending, five looks at 40 to 200 patients in turn, one-sided .025, rates {p[0]} and {p[1]}"
        yield others.row(
            f"group-sequential.{name}.rejects", "trials that declare a difference", setting, law.reject(*p)
        )
        size = others.row(f"group-sequential.{name}.size", "mean number of patients", setting, law.size(*p))
        # the arms are equally large at each look, so the standard deviation of both is the sum
        error = float(law.patients_sd(*p).sum()) / math.sqrt(200_000)
        yield replace(size, published_se=error, note="Theirs is of 200,000 trials; its se is from our distribution.")


def design(patients: int) -> trials.Design:
    """What a data set needs besides its numbers."""
    return trials.Design(arms=ARMS, patients=patients, policy="uniform-random", analysis="pooled-z")


def of_counts() -> TrialData:
    return TrialData.from_successes(design(78), [COUNTS], [SUCCESSES])


def of_patients() -> TrialData:
    """The outcomes of CONTROL and NEW as the data of one trial."""
    groups = [np.asarray(group) for group in (CONTROL, NEW)]
    counts = np.array([[group.size for group in groups]])
    return TrialData(
        design(int(counts.sum())),
        counts,
        np.array([[group.sum() for group in groups]]),
        np.array([[group.var(ddof=1) for group in groups]]),
        np.repeat([0, 1], counts[0])[None].astype(np.int16),
        np.concatenate(groups)[None],
    )


def tests() -> Iterator[Row]:
    """Tests of one data set."""
    others, data = Others(), of_counts()
    counts = "21 of 38 successes against 12 of 40"
    for sided in ("two-sided", "greater"):
        p = trials.Fisher(sided=sided).p_values(data).item()
        yield others.row(f"fisher.{sided}", "p of Fisher's test", f"{counts}, {sided}", p)
    yield others.row("pooled-z.statistic", "pooled Z", counts, trials.PooledZ().statistic(data).item())
    yield others.row("pooled-z.p", "p of the pooled Z", f"{counts}, two-sided", trials.PooledZ().p_values(data).item())
    posterior = trials.PosteriorSuperiority(sided="greater")
    yield others.row(
        "posterior.better", "P(new is better), uniform priors", counts, 1 - posterior.p_values(data).item()
    )
    data, setting = of_patients(), "7 outcomes against 9"
    yield others.row("welch.statistic", "Welch's t", setting, trials.WelchT().statistic(data).item())
    yield others.row("welch.p", "p of Welch's t", f"{setting}, two-sided", trials.WelchT().p_values(data).item())
    for sided in ("two-sided", "greater"):
        p = trials.MannWhitney(sided=sided).p_values(data).item()
        yield others.row(
            f"mann-whitney.{sided}", "p of the Mann-Whitney Z", f"{setting}, {sided}, normal approximation", p
        )


def exact_tests() -> Iterator[Row]:
    """Exact tests: with numbers of patients fixed in advance they are those of SciPy."""
    import scipy
    from scipy import stats

    source, fixed = f"SciPy {scipy.__version__}", design(40).replace(burn_in=20)  # 20 patients on each arm
    for first, second in ((4, 11), (9, 10), (0, 4), (15, 20)):
        data = TrialData.from_successes(fixed, [[20, 20]], [[first, second]])
        table = [[second, first], [20 - second, 20 - first]]
        setting = f"{second} of 20 successes against {first} of 20, one-sided"
        boschloo, barnard = stats.boschloo_exact(table, "greater", n=256), stats.barnard_exact(table, "greater", n=256)
        for what, test, other in (
            ("Fisher's test", trials.ConditionalExact(sided="greater"), stats.fisher_exact(table, "greater")),
            ("Boschloo's test", trials.UnconditionalExact(sided="greater"), boschloo),
            ("Barnard's test", trials.UnconditionalExact(sided="greater", order=trials.PooledZ()), barnard),
        ):
            # SciPy searches the largest probability with this tolerance
            yield Row(f"p of {what}", setting, test.p_values(data).item(), 0.0, float(other.pvalue), 0.0, source, 1e-8)


def catalogue() -> Iterator[Row]:
    """Values of a distribution."""
    others, beta, setting = Others(), rewards.Beta(2, 5), "Beta(2, 5)"
    for name, what, value in (
        ("beta.quantile", "quantile at 10 %", values.Quantile(0.1)),
        ("beta.cvar", "CVaR at 10 %", values.CVaR(0.1)),
        ("beta.entropic", "entropic value, theta 3", values.Entropic(3)),
    ):
        yield others.row(name, what, setting, value.true_value(beta))


def allocation() -> Iterator[Row]:
    """The probability that the next patient gets the second arm, by doubly adaptive biased coins."""
    others, n, successes = Others(), (25, 35), (10, 21)
    for target in ("RSIHR", "Neyman"):
        for coin, gamma in (("target", 0.0), ("hu-zhang", 2.0)):
            policy = policies.DoublyAdaptiveBiasedCoin(target=target.lower(), gamma=gamma)
            found = policy.chances(Counts(n, n, 100, values.Mean()))[successes]
            setting = f"{target}, gamma {gamma:g}, successes {successes} of {n}"
            yield others.row(f"allocation.{target}.{coin}", "P(second arm)", setting, found)


def play_the_winner() -> Iterator[Row]:
    """Randomised play-the-winner: ours exact."""
    others = Others()
    design = trials.Design(
        arms=ARMS, patients=192, policy=policies.RandomisedPlayTheWinner(),
        analysis=trials.PooledZ(critical=1.988, sided="greater"),
    )  # fmt: skip
    law = trials.exact(design, progress=False)
    setting = "192 patients, urn (1, 1), Z > 1.988, rates {} and {}"
    note = "RARtrials takes the unpooled Z, ours is pooled."
    for name, p in (("null", (0.5, 0.5)), ("effect", (0.5, 0.7))):
        where = setting.format(*p)
        yield others.row(f"play-the-winner.{name}.rejects", "trials that reject", where, law.reject(*p), note=note)
        share = law.patients(*p)[1] / 192
        yield others.row(f"play-the-winner.{name}.share", "share of patients on the second arm", where, share)
    yield Row(
        "power", setting.format(0.5, 0.7), float(law.reject(0.5, 0.7)), 0.0, 0.794, 0.0, "RARtrials, documentation",
        0.0005, "Theirs is simulated; with 10,000 trials its standard error would be .0041.",
    )  # fmt: skip


def simulated(
    design: trials.Design, scenarios: dict[str, tuple[float, ...]], replications: int
) -> Callable[[str, str, str | None], tuple[float, float]]:
    """A characteristic in a scenario, at an arm or a reason, with its standard error."""
    data = trials.operate(
        design,
        {name: [rewards.Bernoulli(p) for p in rates] for name, rates in scenarios.items()},
        replications=replications,
        seed=SEED,
        exact=False,
    ).data.isel(design=0)

    def find(scenario: str, name: str, where: str | None = None) -> tuple[float, float]:
        found = []
        for key in (name, f"{name}_error"):
            each = data[key].sel(scenario=scenario)
            found.append(float(each.sel({each.dims[0]: where}) if where else each))
        return found[0], found[1]

    return find


def adaptr() -> Iterator[Row]:
    """Bayesian monitoring of three arms with late outcomes, both simulated."""
    others, level = Others(), 0.9814318
    design = trials.Design(
        arms=["A", "B", "C"],
        patients=2000,
        policy=policies.PosteriorBest(least=0.2, best="lowest"),
        blocks=range(400, 2000, 100),
        delay=trials.after_patients(100),
        looks=range(300, 2001, 100),
        looks_count="outcomes",
        stopping=trials.PosteriorLimits(
            superiority=level, inferiority=1 - level, equivalence=0.9, within=0.05, best="lowest"
        ),
    )
    find = simulated(design, {"null": (0.25, 0.25, 0.25), "effect": (0.25, 0.25, 0.2)}, 20_000)
    for name, rates in (("null", ".25 on all arms"), ("effect", ".25, .25 and .2")):
        setting = f"three arms, P(best) with at least .2, 18 looks, event rate {rates}"
        for key, what, ours in (
            ("superiority", "trials that end for superiority", find(name, "stop", "superiority")),
            ("equivalence", "trials that end for equivalence", find(name, "stop", "equivalence")),
            ("size", "mean number of patients", find(name, "size", None)),
            ("events", "mean number of events", find(name, "outcome", None)),
        ):
            yield others.row(f"adaptr.{name}.{key}", what, setting, *ours)


def four_arms() -> Iterator[Row]:
    """The design of Villar, Bowden and Wason with 423 patients; the other program played 50,000 trials."""
    played, source = (
        50_000,
        "a separate program of ours for the design of Villar, Bowden, Wason (Statistical Science 2015)",
    )
    for title, policy, published in (
        ("complete randomisation", policies.UniformRandom(), (0.0412, 0.8045, 0.25, 148.08, 9.82)),
        ("Gittins, discount .999", policies.Gittins(discount=0.999), (0.0057, 0.2993, 0.842, 198.19, 14.04)),
        (
            "Gittins that keeps the control, discount .999",
            policies.ForwardLookingGittins(discount=0.999, block=1, control="fixed"),
            (0.0293, 0.9142, 0.648, 181.73, 12.26),
        ),
    ):
        design = trials.Design(
            arms=["control", "a", "b", "c"], patients=423, policy=policy,
            analysis=trials.PooledZ(sided="greater", critical=2.128),
        )  # fmt: skip
        find = simulated(design, {"null": (0.3,) * 4, "effect": (0.3, 0.3, 0.3, 0.5)}, 10_000)
        for what, ours, number, digits in zip(
            ("familywise error", "power", "share on the best arm", "successes", "successes, SD"),
            (
                find("null", "reject", None),
                find("effect", "claim", "c"),
                find("effect", "share", "c"),
                find("effect", "outcome", None),
                find("effect", "outcome_sd", None),
            ),
            published,
            (4, 4, 3, 2, 2),
            strict=True,
        ):
            rounding = 0.5 * 10**-digits
            # both simulate the same design, so that the spread of a trial is the same
            error = ours[1] * math.sqrt(10_000 / played)
            yield Row(what, f"four arms, 423 patients, {title}", *ours, number, error, source, rounding)


def two_arms() -> Iterator[Row]:
    """The exact law of 148 patients against a separate recursion; four digits were printed."""
    source = "a separate recursion of ours, checked in C"
    z = trials.PooledZ(critical=1.645, sided="greater")
    for title, policy, published in (
        ("complete randomisation", policies.UniformRandom(), (0.0504, 0.8042, 0.5, 0.041, 59.2, 5.96, 0.0)),
        ("Thompson", policies.Thompson(), (0.0813, 0.6618, 0.8355, 0.134, 69.131, 7.32, 0.0521)),
        (
            "Thompson to the power t/(2N)",
            policies.PosteriorBest(schedule="thall-wathen"),
            (0.0554, 0.7876, 0.6851, 0.083, 64.678, 6.51, 0.0096),
        ),
    ):
        law = trials.exact(trials.Design(arms=ARMS, patients=148, policy=policy, analysis=z), progress=False)
        found = (
            law.type_1(0.3),
            law.reject(0.3, 0.5),
            law.patients(0.3, 0.5)[1] / 148,
            law.patients_sd(0.3, 0.5)[1] / 148,
            law.successes(0.3, 0.5),
            law.successes_sd(0.3, 0.5),
            law.bias(0.3, 0.5),
        )
        names = ("type I error", "power", "share", "share, SD", "successes", "successes, SD", "bias of the difference")
        for what, ours, number, digits in zip(names, found, published, (4, 4, 4, 3, 3, 2, 4), strict=True):
            setting = f"148 patients, {title}, Z > 1.645, rates .3 and .5"
            yield Row(what, setting, float(ours), 0.0, number, 0.0, source, 0.5 * 10**-digits)


def gittins() -> Iterator[Row]:
    """Gittins indices; the table cuts them off after three digits."""
    table = gittins_index.packed_table(0.99, 1, False)
    for (successes, failures), published in {(0, 0): 0.869, (1, 0): 0.910, (0, 1): 0.700, (1, 1): 0.784}.items():
        yield Row(
            "Gittins index", f"discount .99, {successes} successes and {failures} failures, uniform prior",
            float(gittins_index.index(table, successes, successes + failures)), 0.0, published, 0.0,
            "Gittins, Multi-armed bandit allocation indices, 1989", 0.001, "Theirs is cut off after three digits.",
        )  # fmt: skip


PARTS: Parts = {
    "boundaries": boundaries,
    "sequential": sequential,
    "tests": tests,
    "exact-tests": exact_tests,
    "values": catalogue,
    "allocation": allocation,
    "play-the-winner": play_the_winner,
    "two-arms": two_arms,
    "four-arms": four_arms,
    "adaptr": adaptr,
    "gittins": gittins,
}

if __name__ == "__main__":
    compare("independent", __doc__ or "", PARTS)
