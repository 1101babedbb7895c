"""The expected cost of a run."""

from __future__ import annotations

from primum.errors import ParameterError, as_primum_error
from primum.lab.drafts.cost_model import Pace, pace_of_policy, pace_of_rewards
from primum.lab.drafts.preview import true_value
from primum.lab.drafts.time_limit import SKIPPED, TimeBudget
from primum.lab.http.schemas import Cost, Question
from primum.lab.jobs.limits import Limits
from primum.lab.sandbox.sandbox import allowance
from primum.runs import Experiment
from primum.runs.simulation import check_fit, check_steps
from primum.text import counted

REWARDS = ""  # the key of the pace of drawing rewards, beside those of the policies
SAFETY_FACTOR = 0.9  # of the limit, for a proposed horizon: its own measurement will differ a little


def estimate(question: Question, limits: Limits) -> Cost:
    """The cost of a question's run; a PrimumError if it cannot be run at all."""
    experiment = question.experiment()
    try:
        _check_true_values(experiment)
        paces = _paces(experiment)
    except Exception as error:  # a plug-in of another author may raise anything
        raise as_primum_error(error) from None
    seconds, memory = _seconds(experiment, paces), memory_of(experiment)
    fits = seconds <= limits.seconds and memory <= limits.share
    if not fits:
        sentence = f"this run {_excess(seconds, memory, limits)}; {_ways(experiment, paces, limits)}"
    else:
        sentence = f"about {duration(seconds)}" if seconds >= 0.5 else "less than 1 s"
    return Cost(seconds=seconds, limit=limits.seconds, memory=memory, fits=fits, sentence=sentence)


def memory_of(experiment: Experiment) -> int:
    """Bytes of the pulls that an experiment records."""
    arms, recorded = len(experiment.arms or ()), check_steps(experiment.steps, experiment.horizon).size
    return int(4 * len(experiment.policies) * experiment.replications * recorded * arms)


def duration(seconds: float) -> str:
    """A duration in words.

    >>> [duration(x) for x in (0.5, 3.4, 89, 600, 15_000, 1e6)]
    ['1 s', '3 s', '89 s', '10 min', '4.2 h', '12 days']
    """
    if seconds < 100:
        return f"{max(seconds, 1):.0f} s"
    if seconds < 6000:
        return f"{seconds / 60:.0f} min"
    hours = seconds / 3600
    return f"{hours:.2g} h" if hours < 100 else f"{hours / 24:,.0f} days"


def size(count: int) -> str:
    """A number of bytes in words.

    >>> size(900), size(256 << 20), size(5 << 30)
    ('1 kB', '256 MB', '5.0 GB')
    """
    if count < 1 << 20:
        return f"{max(1, count >> 10)} kB"
    return f"{count / (1 << 20):,.0f} MB" if count < 1 << 30 else f"{count / (1 << 30):,.1f} GB"


def _check_true_values(experiment: Experiment) -> None:
    """Refuse arms whose true values are not known, or take too long: a run computes them without a limit."""
    budget = TimeBudget()
    for name, arm in (experiment.arms or {}).items():
        found = SKIPPED if budget.over else true_value(arm, experiment.value)
        if isinstance(found, str):
            raise ParameterError(found).at("arms", name)


@allowance()
def _paces(experiment: Experiment) -> dict[str, Pace]:
    problem, horizon = experiment.problem(), experiment.horizon
    for policy in experiment.policies:
        check_fit(problem, policy)
    paces = {policy.label: pace_of_policy(problem, policy, horizon) for policy in experiment.policies}
    return paces | {REWARDS: pace_of_rewards(problem, horizon)}


def _seconds(experiment: Experiment, paces: dict[str, Pace]) -> float:
    labels = [REWARDS, *(policy.label for policy in experiment.policies)]
    return sum(paces[label].seconds_for(experiment.horizon) for label in labels) * experiment.replications


def _excess(seconds: float, memory: int, limits: Limits) -> str:
    """By how much the run exceeds the limits."""
    parts = []
    if seconds > limits.seconds:
        limit = f"{_times(seconds / limits.seconds)} the limit of {duration(limits.seconds)}"
        parts.append(f"needs about {duration(seconds)} of processor time, {limit}")
    if memory > limits.share:
        limit = f"{_times(memory / limits.share)} the limit of {size(limits.share)}"
        parts.append(f"records {size(memory)} of pulls, {limit}")
    return " and ".join(parts)


def _ways(experiment: Experiment, paces: dict[str, Pace], limits: Limits) -> str:
    """Advice on what to reduce: one setting at a time, with a number that fits."""
    seconds, memory = _seconds(experiment, paces), memory_of(experiment)
    ways = []
    fewer = _rounded_down(int(min(limits.seconds / seconds, limits.share / memory) * experiment.replications))
    if fewer:
        ways.append(f"with {counted(fewer, 'replication')}")
    if shorter := _rounded_down(_longest(experiment, paces, limits)):
        ways.append(f"with a horizon of {shorter:,}")
    slowest = max(experiment.policies, key=lambda policy: paces[policy.label].seconds_for(experiment.horizon))
    if others := [policy for policy in experiment.policies if policy is not slowest]:
        rest = experiment.replace(policies=others)
        if _seconds(rest, paces) <= limits.seconds < seconds and memory_of(rest) <= limits.share:
            percentage = 100 * (1 - _seconds(rest, paces) / seconds)
            ways.append(f"without {slowest.display_name}, which takes {percentage:.0f} % of it")
    if not ways:
        return "reduce both the horizon and the replications"
    return f"it would fit {', or '.join(ways)}"


def _longest(experiment: Experiment, paces: dict[str, Pace], limits: Limits) -> int:
    """The longest horizon that fits; 0 if none does."""
    low, high = 0, experiment.horizon
    while high - low > 1:
        middle = (low + high) // 2
        shorter = experiment.replace(horizon=middle)
        if _seconds(shorter, paces) <= SAFETY_FACTOR * limits.seconds and memory_of(shorter) <= limits.share:
            low = middle
        else:
            high = middle
    return low


def _times(ratio: float) -> str:
    return f"{ratio:.2g} times" if ratio < 10 else f"{ratio:,.0f} times"


def _rounded_down(number: int) -> int:
    """To two digits."""
    unit = int(10 ** max(0, len(str(number)) - 2))
    return number // unit * unit
