"""A whole trial with made-up patients, against the real service, from the first code to the lock and the analysis."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from primum.errors import PrimumError
from primum.live.analysing import Statistics
from primum.live.conduct.times import day
from primum.live.journal.folded_journal import journal_at
from primum.live.live import Live
from primum.live.rehearsing.visitor import Visitor
from primum.live.starting import chosen
from primum.live.verifying import verify
from primum.trials.plan import Plan
from primum.trials.scenario import Scenario

MOST_PATIENTS = 300  # so that it takes a minute
LAG = 5  # patients after whom the outcome of one is recorded
ENDING_SECONDS = 60  # for the service to end
SEED = 2026  # of the outcomes
SAYS = "The trial is at "
ROLES = ("enrol", "record", "monitor", "statistician", "auditor", "unblinder")
FIRST = ("administrator", "approver")
WHO = "rehearsal (command line)"


@dataclass(frozen=True)
class Rehearsed:
    """What a rehearsal came to."""

    enrolled: int
    requests: int
    entries: int
    statistics: Statistics


def rehearse(
    plan: Plan,
    journal: str | os.PathLike[str],
    *,
    design: str | None = None,
    say: Callable[[str], None] = lambda step: None,
    plugins: Sequence[str] = (),
) -> Rehearsed:
    """Rehearse a design of a plan; `say` is told each step, and the journal stays, for people to train with.

    Outcomes are drawn from the last scenario of the plan, or evenly if it has none.
    """
    run, settings, title = chosen(plan, design, None, "")
    scenario = next(reversed([*plan.scenarios.values()]), None) or _even(len(run.arms), settings.range)
    uniforms = np.random.default_rng(SEED).random((1, run.patients))
    truth = np.array([scenario.ordered(run.arms).outcomes(uniforms, arm)[0] for arm in range(len(run.arms))])
    patients = _Patients(list(run.arms), np.clip(truth, *settings.range), settings.range)
    with Live.start(plan, journal, design=design, title=title, rehearsal=True, who=WHO) as live:
        codes = {role: live.admit(f"made-up {role}", [role], who=WHO).code for role in FIRST}
        asked: dict[str, Any] = {"eligibility": list(live.settings.eligibility)}
        if live.settings.consent:
            asked["consent"] = day(datetime.now(UTC), live.settings.time_zone).isoformat()
    with _service(os.fspath(journal), plugins) as address:
        say(f"the service answers at {address}")
        people = _People(address, codes)
        say(f"{len(people.visitors)} people joined; those who see arms were approved by a second person")
        enrolled = _treat(people, patients, asked, min(run.patients, MOST_PATIENTS))
        say(f"{enrolled:,} participants enrolled, with outcomes, a correction, withdrawals, a void and an unblinding")
        _end(people)
        say("recruitment ended, outcomes completed, the trial locked by two people")
        found = people["statistician"].ask("GET", "/api/statistics")
        if not people["auditor"].ask("GET", "/api/verification")["ok"]:
            raise PrimumError("the service says that the journal of the rehearsal is not sound")
        requests = sum(each.requests for each in people.visitors.values())
    with closing(journal_at(journal)) as store:
        checked = verify(store)
    if not checked.ok:
        raise PrimumError(f"the journal of the rehearsal is not sound: {checked.problem}")
    say(f"verified: {checked.entries:,} entries, all hashes and allocations recomputed")
    with Live(journal, rehearsal=True) as live:
        statistics = live.statistics(who=WHO)
    if found["estimand"] != statistics.estimand:
        raise PrimumError("the service and the journal give different analyses")
    return Rehearsed(enrolled, requests, checked.entries, statistics)


@dataclass(frozen=True)
class _Patients:
    """What the outcome of each patient would be on each arm, and the ends of all outcomes."""

    arms: list[str]
    truth: Any
    ends: tuple[float, float]

    def outcome(self, patient: int, arm: str) -> float:
        return float(self.truth[self.arms.index(arm), patient])

    def wrong(self, right: float) -> float:
        """Another outcome, as somebody may record it by mistake."""
        low, high = self.ends
        return high if right == low else low


class _People:
    """A person of each role, who joined with a code and was approved if need be."""

    def __init__(self, address: str, codes: dict[str, str]) -> None:
        self.visitors: dict[str, Visitor] = {}
        self._address = address
        for role in FIRST:
            self._add(role).join(codes[role])
        for role in ROLES:
            name = f"made-up {role}"
            invited = self["administrator"].ask("POST", "/api/people", {"name": name, "roles": [role]})
            check = self._add(role).join(invited["code"])
            if check is not None:
                self["approver"].ask("POST", f"/api/people/{name}/approval", {"check": check})

    def __getitem__(self, role: str) -> Visitor:
        return self.visitors[role]

    def _add(self, role: str) -> Visitor:
        self.visitors[role] = Visitor(self._address, f"made-up {role}")
        return self.visitors[role]


def _treat(people: _People, patients: _Patients, asked: dict[str, Any], most: int) -> int:
    """Enrol, and record outcomes some patients later; the number of those enrolled."""
    enrol, record, kits = people["enrol"], people["record"], _kits(people["statistician"])
    arms: list[str] = []
    for number in range(most):
        status, found = enrol.answer("POST", "/api/participants", {"participant": _code(number), **asked})
        if status == 409:  # it stopped at a look
            break
        if status != 200:
            raise PrimumError(f"a made-up patient was not enrolled: {found}")
        arms.append(found["arm"] or kits[found["kit"]])
        _event(people, number)
        if number >= LAG:
            _record(record, patients, number - LAG, arms)
    for number in range(max(0, len(arms) - LAG), len(arms)):
        _record(record, patients, number, arms)
    return len(arms)


def _event(people: _People, number: int) -> None:
    """What else happens in a trial."""
    about = {"participant": _code(number), "reason": "made up"}
    if number == 2:
        people["enrol"].ask("POST", "/api/voids", about)
    elif number == 3:
        people["record"].ask("POST", "/api/withdrawals", about | {"scope": "treatment"})
    elif number == 4:
        people["enrol"].ask("POST", "/api/withdrawals", about | {"scope": "data"})
    elif number == 5:
        people["unblinder"].ask("POST", "/api/unblindings", about)
    elif number == 6:
        people["administrator"].ask("POST", "/api/pause", {"reason": "made up"})
        people["administrator"].ask("POST", "/api/resume", {"reason": "made up"})


def _record(record: Visitor, patients: _Patients, number: int, arms: list[str]) -> None:
    """Record the outcome of a patient who is still in the trial; the first one is recorded wrongly, and corrected."""
    if number in (2, 4):
        return
    right = patients.outcome(number, arms[number])
    given = {"participant": _code(number), "outcome": right if number else patients.wrong(right)}
    status, _ = record.answer("POST", "/api/outcomes", given)
    if status == 422:  # before it is due, so it is questioned
        record.ask("POST", "/api/outcomes", given | {"confirm": True})
    elif status != 200:
        raise PrimumError(f"the outcome of a made-up patient was refused ({status})")
    if number == 0:
        replaced = {"outcome": right, "replaces": patients.wrong(right), "reason": "made up"}
        record.ask("POST", "/api/corrections", {"participant": _code(0), **replaced})


def _end(people: _People) -> None:
    """End recruitment, and lock the trial with what is missing."""
    people["administrator"].ask("POST", "/api/recruitment-end", {"reason": "end of the rehearsal"})
    missing = [each["participant"] for each in people["administrator"].ask("GET", "/api/missing")]
    people["administrator"].ask("POST", "/api/lock", {"reason": "end of the rehearsal", "missing": missing})
    people["approver"].ask("POST", "/api/lock/approval", {"missing": missing})


def _kits(statistician: Visitor) -> dict[str, str]:
    """The arm of each kit, as whoever packs them knows it."""
    return {row["kit"]: row["arm"] for row in csv.DictReader(io.StringIO(statistician.ask("GET", "/api/kits.csv")))}


def _code(number: int) -> str:
    return f"R-{number + 1:04}"


def _even(arms: int, ends: tuple[float, float]) -> Scenario:
    from primum.rewards import Bernoulli, Uniform

    low, high = ends
    return Scenario([Bernoulli(0.5) if ends == (0.0, 1.0) else Uniform(low, high)] * arms)


@contextmanager
def _service(journal: str, plugins: Sequence[str]) -> Iterator[str]:
    """The service as a process of its own; its address."""
    command = [sys.executable, "-m", "primum.cli", "trial", "serve", journal]
    command += ["--rehearsal", "--port", "0", "--no-browser"]
    for plugin in plugins:
        command += ["--plugins", plugin]
    environment = os.environ | {"COLUMNS": "1000", "NO_COLOR": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stderr is not None
        said = []
        for line in process.stderr:
            said.append(line)
            if SAYS in line:
                break
        else:
            raise PrimumError(f"the service did not start: {''.join(said).strip()}")
        threading.Thread(target=process.stderr.read, daemon=True).start()  # a full pipe would block it
        try:
            yield said[-1].split(SAYS)[1].split(";")[0]
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(ENDING_SECONDS)
            process.kill()
