"""What strangers send: each is answered with a sentence, and never with a mistake of the laboratory."""

from __future__ import annotations

import json
import threading
import time

import pytest

from primum.lab.http import concurrency, static_files
from primum.lab.http.concurrency import DRAFT_SLOTS, SLOTS
from primum.lab.http.schemas import Question
from primum.lab.jobs.manager import id_of

from .questions import data

FORMULAS = [
    "__import__('os').system('true')",
    "().__class__.__bases__[0]",
    "mean" + "+mean" * 5_000,
    "(" * 500 + "mean" + ")" * 500,
    "9**9**9**9",
    "mean ** mean ** 1e308",
    "cvar(0)",
    "quantile(nan)",
    "1/0",
    "mean/0*var",
    "log(0)",
    "sqrt(-1)",
    "exp(exp(exp(99)))",
    "",
    "\x00",
    "mean\u202e - var",
    "{{7*7}}",
    "<script>alert(1)</script>",
    "mean; drop table arms",
]


@pytest.mark.parametrize("text", FORMULAS, ids=[str(i) for i in range(len(FORMULAS))])
def test_formulas(client, text):
    value = {"name": "formula", "text": text}
    told = client.post("/api/appraisal", json=data(value=value))
    assert told.status_code == 200
    run = client.post("/api/runs", json=data(value=value))
    assert run.status_code == 422, "none of these is a value that can be measured"
    assert run.json()["errors"]
    assert told.json()["errors"]


HUGE = 10**400
SPECS = {
    "a list": [],
    "a number": 7,
    "nothing": None,
    "no arms": data(arms=[]),
    "fifty-one arms": data(arms=[{"name": str(i), "distribution": "uniform"} for i in range(51)]),
    "a callable": data(value="__import__"),
    "a scipy name that is no distribution": data(
        arms=[{"name": "a", "distribution": {"name": "scipy", "distribution": "__init__"}}]
    ),
    "a scipy distribution that runs away": data(
        arms=[{"name": "a", "distribution": {"name": "scipy", "distribution": "pareto", "shapes": [1e-9]}}]
    ),
    "a scipy distribution that takes its time": data(
        arms=[{"name": "a", "distribution": "scipy(distribution=levy_stable, shapes=[1.5, 0])"}]
    ),
    "the same, with a space": data(
        arms=[{"name": "a", "distribution": "scipy (distribution='levy_stable', shapes=[1.5, 0])"}]
    ),
    "the same, in another": data(
        arms=[{"name": "a", "distribution": {"name": "clipped", "distribution": "scipy(distribution=levy_stable)"}}]
    ),
    "a thousand components": data(
        arms=[{"name": "a", "distribution": {"name": "mixture", "components": ["uniform"] * 999}}]
    ),
    "a thousand components as text": data(
        arms=[{"name": "a", "distribution": f"mixture(components=[{', '.join(['uniform'] * 999)}])"}]
    ),
    "a long text": data(arms=[{"name": "a", "distribution": f"empirical(data=[{', '.join(['0'] * 9999)}])"}]),
    "sixty thousand numbers": data(arms=[{"name": "a", "distribution": {"name": "empirical", "data": [0.5] * 60_000}}]),
    "a path": data(arms=[{"name": "a", "distribution": {"name": "empirical", "data": "/etc/passwd"}}]),
    "deep": data(arms=[{"name": "a", "distribution": "clipped(distribution=" * 60 + "uniform" + ")" * 60}]),
    "a thousand digits": data(horizon=HUGE),
    "infinite": data(arms=[{"name": "a", "distribution": {"name": "constant", "value": 1e999}}]),
    "not a number": data(arms=[{"name": "a", "distribution": {"name": "constant", "value": float("nan")}}]),
    "large rewards": data(arms=[{"name": "a", "distribution": {"name": "constant", "value": 1e308}}] * 2),
    "a wide uniform": data(arms=[{"name": "a", "distribution": "uniform(low=-1e308, high=1e308)"}]),
    "an enormous beta": data(arms=[{"name": "a", "distribution": {"name": "beta", "a": HUGE, "b": 1}}]),
    "a name in markup": data(policies=["<img src=x onerror=alert(1)>"]),
    "unpaired surrogate": '{"title": "\\ud800", "arms": []}',
    "nested lists": "[" * 100_000,
    "nested objects": '{"arms":' * 2_000 + "1" + "}" * 2_000,
    "bytes": b"\xff\xfe\x00",
    "nothing at all": b"",
}


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("address", ["/api/runs", "/api/appraisal"])
def test_specs(client, name, address):
    sent = SPECS[name]
    body = sent if isinstance(sent, (str, bytes)) else json.dumps(sent)
    told = client.post(address, content=body, headers={"content-type": "application/json"})
    assert told.status_code < 500, told.text
    if address == "/api/runs":
        assert told.status_code >= 400, told.text
    if told.status_code >= 400:
        assert all(isinstance(sentence, str) and sentence for sentence in told.json()["errors"].values())


def test_names_in_markup_stay_names(client):
    name = "<script>alert('x')</script> ; rm -rf / \u202e"
    told = client.post("/api/runs", json=data(arms=[{"name": name, "distribution": "uniform"}]))
    assert told.status_code == 202
    assert client.get(f"/api/runs/{told.json()['id']}").json()["question"]["arms"][0]["name"] == name


def test_too_much_is_refused_before_it_is_read(client):
    told = client.post("/api/runs", content=b" " * 3_000_000, headers={"content-type": "application/json"})
    assert told.status_code == 413
    assert told.json()["errors"][""] == "the request is larger than the limit of 2 MB"


def test_a_replay_that_would_take_minutes_is_refused(client):
    slow = data(policies=["npts"], horizon=1_000_000, replications=1)
    asked = Question.model_validate(slow)
    manager = client.app.state.manager
    manager._store_question(id_of(asked), asked)  # as if another laboratory, with a higher limit, had run it
    told = client.get(f"/api/runs/{id_of(asked)}/replay", params={"first": 990_000})
    assert told.status_code == 422
    assert "choose an earlier step" in told.json()["errors"][""]
    assert client.get(f"/api/runs/{id_of(asked)}/replay", params={"first": 100}).status_code == 200


def test_a_busy_laboratory_answers_what_takes_no_computing(client, monkeypatch):
    id = client.post("/api/runs", json=data()).json()["id"]
    client.get(f"/api/runs/{id}/events")
    monkeypatch.setattr(concurrency, "WAIT_SECONDS", 0.01)
    slots, borrowers = client.app.state.draft_slots, [object() for _ in range(SLOTS[DRAFT_SLOTS])]
    for borrower in borrowers:
        client.portal.call(slots.acquire_on_behalf_of_nowait, borrower)
    try:
        busy = client.post("/api/appraisal", json=data())
        assert busy.status_code == 503
        assert busy.headers["retry-after"] == "5"
        assert busy.json()["errors"] == {"": "the laboratory is busy; try again in 5 s"}
        assert client.get("/api/health").status_code == 200
        assert client.get("/api/presets").status_code == 200
        assert client.get(f"/api/runs/{id}/figures/regret.json").status_code == 200, "others see their figures"
    finally:
        for borrower in borrowers:
            client.portal.call(slots.release_on_behalf_of, borrower)
    assert client.post("/api/appraisal", json=data()).status_code == 200


def test_those_who_wait_for_a_slot_take_no_thread(client, monkeypatch):
    """With more waiting than the pool has threads, a request that needs a thread but no slot is answered."""
    monkeypatch.setattr(concurrency, "WAIT_SECONDS", 60)
    slots, borrowers = client.app.state.draft_slots, [object() for _ in range(SLOTS[DRAFT_SLOTS])]
    for borrower in borrowers:
        client.portal.call(slots.acquire_on_behalf_of_nowait, borrower)
    waiting = [
        threading.Thread(target=client.post, args=["/api/appraisal"], kwargs={"json": data()}) for _ in range(60)
    ]
    try:
        for thread in waiting:
            thread.start()
        while slots.statistics().tasks_waiting < len(waiting):
            time.sleep(0.01)
        assert client.get("/api/presets").status_code == 200
    finally:
        for borrower in borrowers:
            client.portal.call(slots.release_on_behalf_of, borrower)
        for thread in waiting:
            thread.join()


LINKS = [
    "0" * 31,
    "0" * 32,
    "G" * 32,
    "..",
    "%2e%2e%2f" * 4 + "etc%2fpasswd",
    "'; drop table",
    "%00",
    "\u202e",
    "a" * 5_000,
]


@pytest.mark.parametrize("link", LINKS, ids=[str(i) for i in range(len(LINKS))])
@pytest.mark.parametrize("rest", ["", "/events", "/figures/regret.png", "/results.nc", "/replay"])
def test_links(client, link, rest):
    told = client.get(f"/api/runs/{link}{rest}")
    assert told.status_code in (404, 405, 422)
    assert told.json()["errors"]


def test_other_places_of_the_disk_are_not_served(client):
    outside = ("../app.py", "..%2fapp.py", "%2e%2e/app.py", "lib/..%2f..%2fserver.py", "/etc/passwd")
    for name in (*outside, "index.html%00.js", "app.py"):
        assert client.get(f"/static/{static_files.FILES.version}/{name}").status_code == 404


FILES = {
    "empty": b"",
    "a header": b"arm,outcome\n",
    "no numbers": b"arm,outcome\na,b\n",
    "zeros": b"\x00" * 1000,
    "random": bytes(range(256)) * 50,
    "UTF-16": "arm,outcome\na,1\n".encode("utf-16"),
    "a quotation without end": b'arm,outcome\n"a,1\n' + b"x" * 300_000,
    "many columns": b",".join(b"c%d" % i for i in range(200_000)) + b"\n1,2\n",
    "fifty-one arms": b"arm,outcome\n" + b"".join(b"a%d,1\n" % i for i in range(51)),
    "infinite": b"arm,outcome\na,inf\nb,1\n",
    "enormous": b"arm,outcome\na,1e308\nb,-1e308\n",
    "ragged": b"arm,outcome\na\nb,1,2,3\n",
    "twice the same column": b"arm,arm,outcome\n1,2,3\n",
    "a long name": b"arm,outcome\n" + b"n" * 5000 + b",1\n",
}


@pytest.mark.parametrize("name", FILES)
def test_files(client, name):
    told = client.post(
        "/api/arms-from-csv",
        params={"name": "../../<b>&\u202e" + "x" * 150},
        content=FILES[name],
        headers={"content-type": "text/csv"},
    )
    assert told.status_code == 422, told.text
    assert all(len(sentence) < 1000 for sentence in told.json()["errors"].values())


WIDE_FILES = {
    "nothing": b"",
    "null characters": b"a,b\n\0,1\n",
    "not UTF-8": b"\xff\xfe,b\n1,2\n",
    "a quote without an end": b'a,b\n"1,2\n',
    "only missing outcomes": b"a,b\nNA,.\nnan,\n",
    "only a head": b"a,b\n",
    "columns without names": b",,\n1,2,3\n",
    "columns of one name": b"a,a,a\n1,2,3\n",
    "as many columns as there is room for": b",".join(b"c%d" % i for i in range(200)) + b"\n" + b"1," * 199 + b"1\n",
    "huge numbers": b"a,b\n1e308,-1e308\n-1e308,1e308\n",
    "numbers that are too large": b"a,b\n1e999,1\n",
    "infinities": b"a,b\ninf,-inf\n",
    "digits of other scripts": "a,b\n\u0661,\u0662\n".encode(),
    "underscores": b"a,b\n1_0,2_0\n",
}


@pytest.mark.parametrize("name", WIDE_FILES)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"layout": "long"},
        {"layout": "wide", "drop_missing": "true"},
        {"arms": ["a", "a"]},
        {"arms": ["\0", "<script>"]},
        {"layout": "wide", "arm": "a", "low": "-1e308", "high": "1e308", "clip": "true"},
    ],
    ids=str,
)
def test_wide_files(client, name, options):
    told = client.post(
        "/api/arms-from-csv", params=options, content=WIDE_FILES[name], headers={"content-type": "text/csv"}
    )
    assert told.status_code in (200, 422), told.text
    if told.status_code == 422:
        assert all(isinstance(sentence, str) and sentence for sentence in told.json()["errors"].values())
    else:
        arms = [arm["distribution"]["data"] for arm in told.json()["arms"]]
        assert all(0 <= reward <= 1 for data in arms for reward in data)


@pytest.mark.parametrize("options", [{"layout": "tall"}, {"drop_missing": "perhaps"}, {"arms": ["a"] * 201}])
def test_options_of_files(client, options):
    told = client.post(
        "/api/arms-from-csv", params=options, content=b"a,b\n1,2\n", headers={"content-type": "text/csv"}
    )
    assert told.status_code == 422
    assert told.json()["errors"]


def test_missing_outcomes_have_a_place_of_their_own(client):
    content, head = b"arm,days\na,1\nb,NA\nb,2\n", {"content-type": "text/csv"}
    told = client.post("/api/arms-from-csv", params={"name": "x.csv"}, content=content, headers=head)
    assert told.status_code == 422
    assert told.json()["errors"] == {"drop_missing": "x.csv, line 3: days must be a finite number, got 'NA'"}
    told = client.post("/api/arms-from-csv", params={"drop_missing": "true"}, content=content, headers=head)
    assert (told.status_code, told.json()["missing"]) == (200, 1)


def test_sample_files(client):
    for layout, head in {"long": "arm,days", "wide": "standard,test"}.items():
        told = client.get(f"/api/arms-from-csv/sample-{layout}.csv")
        assert told.text.splitlines()[0] == head
        assert told.headers["content-disposition"] == f'attachment; filename="primum-sample-{layout}.csv"'
    assert client.get("/api/arms-from-csv/sample-tall.csv").status_code == 422


def test_arms_named_like_formulas_of_spreadsheets_are_names(client):
    told = client.post(
        "/api/arms-from-csv", content="arm,outcome\n=cmd|'/c calc'!A0,1\nb,0\n", headers={"content-type": "text/csv"}
    )
    assert told.json()["arms"][0]["name"] == "=cmd|'/c calc'!A0"
