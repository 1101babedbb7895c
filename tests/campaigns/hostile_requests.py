"""Random and broken requests to every address of a laboratory.

A round is a request: a valid question with parts that were exchanged, removed, nested or made huge; text that is not
JSON, or not UTF-8; a file that is hardly a table; odd paths, queries, methods and headers; or bytes that break off or
are no HTTP at all. No answer may be an error of the server, except 503 with a time to try again; every refusal says in
JSON what is wrong; the log has no traces; the laboratory still runs a question afterwards, and takes at most 1 GB.
"""

from __future__ import annotations

import copy
import json
import random
import socket
from collections import Counter
from typing import Any
from urllib.parse import quote, urlsplit

from starlette.testclient import httpx  # the one that belongs to this version of Starlette

from tests.campaigns._server import attacked, resident_mb
from tests.lab.laboratory import Laboratory
from tests.lab.questions import data

SHORT, LONG = 200, 50_000
MOST_MEMORY_MB = 1024
CHECK_EVERY = 100  # rounds
MOST_SECONDS = 60  # that an answer may take, on a busy machine too

HUGE = (10**400, -(10**400), 1e308, -1e308, 5e-324, 2**53, 2**63, 2**64, -(2**63), -1, 0, 1e999, float("nan"))
TEXTS = (
    "",
    " ",
    "\x00",
    "\ud800",
    "\u202e",
    "=1+1",
    "<script>",
    "../../etc/passwd",
    "%00",
    "mean",
    "uniform",
    "scipy",
    "1e999",
    "formula(text='mean - 9**9**9')",
    "mixture(components=[uniform, beta(a=1, b=2)])",
    "clipped(distribution=" * 40,
    "é" * 300,
    "x" * 11_000,
    "beta(a=1e6, b=0.01)",
    "empirical(data=[0, 1, 1])",
    "{{7*7}}",
    "null",
    "true",
    "nan",
)
ARMS = (
    "beta(a=2, b=3)",
    "bernoulli(p=0.3)",
    {"name": "empirical", "data": [0, 0.5, 1]},
    {"name": "mixture", "components": ["uniform", "constant(value=0.2)"]},
    {"name": "clipped", "distribution": "uniform"},
    {"name": "scipy", "distribution": "expon"},
)
VALUES = ("mean", "cvar", {"name": "formula", "text": "mean - 0.5 * var"}, {"name": "mean-variance", "rho": 1})
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW", "get")
FILES = (
    "",
    "/events",
    "/figures/regret.json",
    "/figures/final.csv",
    "/figures/choices.svg",
    "/summary.json",
    "/summary.csv",
    "/results.nc",
    "/experiment.toml",
    "/script.py",
    "/command.sh",
    "/replay",
    "/figures/none.png",
    "/figures/regret.exe",
)
PAGES = ("/", "/docs", "/openapi.json", "/favicon.ico", "/api/health", "/api/catalogue", "/api/presets", "/nothing")
QUERIES = (
    "policy",
    "replication",
    "first",
    "count",
    "statistic",
    "log",
    "hidden",
    "follower",
    "arms",
    "seed",
    "low",
    "high",
    "clip",
    "name",
    "arm",
    "outcome",
    "x",
)
HEADERS = (
    (
        "content-type",
        ("application/json", "Application/JSON", "text/csv", "text/plain", "multipart/form-data; boundary=x", ""),
    ),
    ("accept-encoding", ("gzip", "br, *;q=0", "identity", "\xff")),
    ("origin", ("null", "http://evil.example", "http://[", "")),
    ("host", ("evil.example", "", "localhost:99999", "[::1", "a" * 3000)),
    ("x-forwarded-for", ("192.0.2.7", "x, y,, z", "[::1]:99999", "1" * 3000)),
    ("content-encoding", ("gzip",)),
    ("expect", ("100-continue",)),
    ("upgrade", ("websocket",)),
    ("range", ("bytes=0-1", "bytes=9-1")),
    ("transfer-encoding", ("chunked",)),
)
RAW = (
    b"",
    b"\r\n\r\n",
    b"GET",
    b"GET / HTTP/1.1\r\n",
    b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01",
    b"POST /api/runs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{",
    b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"POST /api/runs HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
    b"GET /" + b"a" * 70_000,
    b"POST /api/runs HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"GET http://[ HTTP/1.1\r\n\r\n",
    b"POST /api/runs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"GET /%ff%fe HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20,
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 70_000,
)


def run(rounds: int, seed: int) -> dict[str, Any]:
    rng, statuses, memory = random.Random(seed), Counter[str](), list[int]()
    with attacked() as (lab, _):
        id = lab.finish(data())
        for number in range(rounds):
            if rng.random() < 0.1:
                statuses["no HTTP"] += 1
                _send_raw(lab, rng)
            else:
                sent = _request(rng, id)
                statuses[str(_status(lab, sent, f"round {number}, {_shown(sent)}"))] += 1
            if number % CHECK_EVERY == 0 or number == rounds - 1:
                memory.append(resident_mb(lab.process.pid))
                assert memory[-1] <= MOST_MEMORY_MB, f"round {number}: {memory[-1]} MB"
                assert lab.client.get("/api/health").status_code == 200, number
        again = lab.finish(data(seed=rounds))
        assert lab.client.get(f"/api/runs/{again}").json()["run"]["state"] == "finished"
    return {"answers by status": dict(sorted(statuses.items())), "most memory of the server, in MB": max(memory)}


def _status(lab: Laboratory, sent: dict[str, Any], where: str) -> int | str:
    try:
        with lab.client.stream(**sent, timeout=MOST_SECONDS) as answer:
            if answer.status_code == 200 and answer.headers["content-type"].startswith("text/event-stream"):
                return 200  # it may last as long as a run
            answer.read()
    except (httpx.LocalProtocolError, httpx.InvalidURL, UnicodeEncodeError, ValueError):
        return "not sent"
    except (
        httpx.RemoteProtocolError,
        httpx.ReadError,
        httpx.WriteError,
    ):  # the answer came before the end of the request
        return "cut off"
    status = answer.status_code
    assert status < 500 or (status == 503 and "retry-after" in answer.headers), f"{where}: {status} {answer.text}"
    if status >= 400 and sent["method"] != "HEAD" and not answer.text.startswith("Invalid HTTP request"):
        errors = answer.json()["errors"]
        assert errors, where
        assert all(isinstance(sentence, str) and sentence for sentence in errors.values()), f"{where}: {answer.text}"
    return status


def _request(rng: random.Random, id: str) -> dict[str, Any]:
    some_id = rng.choice([id, id, "0" * 32, "f" * 31, quote(rng.choice(TEXTS), errors="replace")[:500]])
    address, kind = rng.choice(
        [
            ("/api/appraisal", "json"),
            ("/api/cost", "json"),
            ("/api/runs", "json"),
            ("/api/arms-from-csv", "csv"),
            (f"/api/runs/{some_id}{rng.choice(FILES)}", ""),
            (f"/api/presets/{rng.choice(['', 'bernoulli', 'paper-mixture', 'none'])}", ""),
            (rng.choice(PAGES), ""),
            (f"/static/{some_id}/lib/dom.js", ""),
        ]
    )
    headers = {name: rng.choice(texts).encode("latin-1") for name, texts in HEADERS if rng.random() < 0.04}
    method = (
        rng.choice(METHODS) if rng.random() < 0.1 else ("POST" if kind else rng.choice(["GET", "GET", "GET", "DELETE"]))
    )
    content = None
    if kind == "json":
        content = _body(rng)
        headers.setdefault("content-type", b"application/json")
    elif kind == "csv":
        content = _table(rng)
        headers.setdefault("content-type", b"text/csv")
    query = [
        (rng.choice(QUERIES), str(rng.choice((*HUGE, *TEXTS, 1, 2, "true")))) for _ in range(rng.choice([0, 0, 1, 3]))
    ]
    query_text = "&".join(f"{name}={quote(text[:500], errors='replace')}" for name, text in query)
    return {"method": method, "url": f"{address}?{query_text}"[:5000], "headers": headers, "content": content}


def _body(rng: random.Random) -> bytes:
    asked: Any = data(
        arms=[{"name": str(i), "distribution": rng.choice(ARMS)} for i in range(rng.choice([1, 2, 2, 5, 5, 5, 51]))],
        value=rng.choice(VALUES),
        replications=rng.choice([1, 20]),
        seed=rng.randrange(100),
    )
    for _ in range(rng.choice([0, 0, 1, 1, 2, 4])):
        asked = _mutated(rng, asked)
    written = json.dumps(asked, ensure_ascii=rng.random() < 0.8).encode("utf-8", "surrogatepass")
    if rng.random() < 0.1:
        cut = rng.randrange(len(written) + 1)
        written = rng.choice(
            [written[:cut], written[:cut] + rng.randbytes(5) + written[cut:], b"[" * 50_000, rng.randbytes(50)]
        )
    if rng.random() < 0.05:
        written = written.decode("utf-8", "replace").encode(rng.choice(["utf-16", "utf-32", "utf-8-sig"]))
    return written


def _mutated(rng: random.Random, given: Any) -> Any:
    """The same with one part changed, at a random depth."""
    if isinstance(given, (dict, list)) and given and rng.random() < 0.8:
        given = copy.copy(given)
        key = rng.choice(list(given)) if isinstance(given, dict) else rng.randrange(len(given))
        if rng.random() < 0.1:
            del given[key]
        elif rng.random() < 0.05 and isinstance(given, dict):
            given[rng.choice(TEXTS)] = given[key]
        else:
            given[key] = _mutated(rng, given[key])
        return given
    kind = rng.randrange(6)
    if kind == 0:
        return rng.choice(HUGE)
    if kind == 1:
        return rng.choice(TEXTS)
    if kind == 2:
        return [given] * rng.choice([0, 1, 2, 60, 300])
    if kind == 3:
        for _ in range(rng.choice([1, 5, 200])):
            given = rng.choice([{"name": "clipped", "distribution": given}, [given], {"arms": given}])
        return given
    return rng.choice([None, True, {}, [], 0.5, copy.copy(rng.choice((*ARMS, *VALUES)))])


def _table(rng: random.Random) -> bytes:
    mark = rng.choice([",", ";", "\t", "|", "\x00"])
    cells = (*TEXTS[:12], "1", "0.5", "2,5", "a", "b", "inf", '"', '"a\nb"', "1e308")
    rows = [
        mark.join(rng.choice(cells) for _ in range(rng.choice([2, 2, 2, 1, 5])))
        for _ in range(rng.choice([0, 3, 30, 500]))
    ]
    head = rng.choice(["arm,outcome", "arm;outcome", "a,a", "", "outcome"])
    table = rng.choice(["\n", "\r\n", "\r"]).join([head, *rows]).encode("utf-8", "surrogatepass")
    return table if rng.random() < 0.9 else table[: rng.randrange(len(table) + 1)] + rng.randbytes(20)


def _send_raw(lab: Laboratory, rng: random.Random) -> None:
    """Bytes that are no request, on a connection that ends in one of several ways."""
    place = urlsplit(lab.address)
    with socket.create_connection((place.hostname, place.port), MOST_SECONDS) as connection:
        connection.sendall(rng.choice([*RAW, rng.randbytes(rng.choice([1, 100, 5000]))]))
        if rng.random() < 0.3:
            connection.setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0"
            )  # cut off, instead of closed
        elif rng.random() < 0.5:
            connection.settimeout(0.02)
            try:
                connection.recv(4096)
            except (TimeoutError, ConnectionResetError):
                return


def _shown(sent: dict[str, Any]) -> str:
    return str({key: part[:2000] if isinstance(part, bytes) else part for key, part in sent.items()})
