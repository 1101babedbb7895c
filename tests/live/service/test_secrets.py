"""Tokens, codes and passwords are in no log, no address and no answer but the one that shows them once."""

from __future__ import annotations

import re
import shutil
import signal

import pytest

from primum.live import Live
from tests.live.joining import password_of

from .serving import process

pytestmark = pytest.mark.slow

TOKEN = re.compile(r"primum-[\w-]{20,}")
WRONG = f"primum-{'W' * 43}"
OWN, GUESS = "my own good password", "guessed by somebody"
UNASKED = ("/api/people", "/api/lock", "/api/recruitment-end", "/api/login", "/api/logout", "/api/join", "/api/tokens")


def test_tokens_appear_nowhere(tmp_path, first_entries):
    journal, tokens = shutil.copy(first_entries[0], tmp_path / "trial.db"), first_entries[1]
    secret = [*tokens.values(), *map(password_of, tokens), WRONG, OWN, GUESS]
    answers, addresses = [], []

    with process(journal) as service:

        def ask(method, address, data=None, **options):
            response = service.client.request(method, address, json=data, **options)
            answers.append(f"{response.headers}\n{response.text}")
            if TOKEN.search(str(data)) is None and TOKEN.search(address) is None:
                addresses.extend(str(each.url) for each in (*response.history, response))
            return response

        def bearer(token):
            return {"authorization": f"Bearer {token}"}

        everything = bearer(tokens["everything"])
        described = ask("GET", "/openapi.json", headers=everything).json()["paths"]
        for page in ("/", "/docs", "/nothing"):
            ask("GET", page)
        ask("POST", "/api/participants", {"participant": "P-1"}, headers=everything)
        for person, token in tokens.items():  # all addresses, with good tokens
            for path, methods in described.items():
                for method in methods:
                    if path in UNASKED and method != "get":
                        continue
                    given = {"participant": "P-1", "outcome": 1, "reason": person, "text": person}
                    data = given if method == "post" else None
                    ask(
                        method.upper(),
                        path.replace("{name}", "Nobody").replace("{label}", "none"),
                        data,
                        headers=bearer(token),
                    )
            login = {"name": person, "password": password_of(person)}
            assert ask("POST", "/api/login", login).status_code == 200
            assert ask("GET", "/api/me").status_code == 200
            assert ask("POST", "/api/logout", {}).status_code == 204
        misplaced = [
            ("GET", f"/?token={tokens['enrol']}", None),
            ("GET", f"/{tokens['enrol']}", None),
            ("GET", f"/api/me?token={tokens['enrol']}", None),
            ("DELETE", f"/api/people/{tokens['enrol']}", None),
            ("POST", "/api/participants", {"participant": tokens["enrol"]}),
            ("POST", "/api/notes", {"text": tokens["enrol"], "confirm": True}),
            ("POST", "/api/login", {"name": tokens["enrol"], "password": WRONG}),
            ("POST", "/api/login", {"name": "enrol", "password": [password_of("enrol")]}),
            ("POST", "/api/join", {"code": [password_of("enrol")], "password": 1}),
            ("POST", "/api/join", {"code": "x", "password": password_of("enrol"), "also": 1}),
        ]
        for method, address, data in misplaced:
            assert ask(method, address, data, headers=everything).status_code in (404, 422), address
        invited = service.client.post("/api/people", json={"name": "Ann", "roles": ["enrol"]}, headers=everything)
        renewed = service.client.post("/api/people/Ann/renewal", headers=everything)
        made = service.client.post("/api/tokens", json={"label": "once"}, headers=everything)
        for shown, name in ((invited, "code"), (renewed, "code"), (made, "token")):
            given = shown.json()[name]
            assert shown.text.count(given) == (1 if name == "token" else 2), "the link has it too"
            assert given not in str(shown.headers)
            secret.append(given)
        join = {"code": renewed.json()["code"], "password": OWN}
        assert ask("POST", "/api/join", join).status_code == 200
        assert ask("POST", "/api/join", join).status_code == 409
        assert ask("POST", "/api/join", {"code": invited.json()["code"], "password": OWN}).status_code == 422
        ask("GET", "/api/people", headers=everything)
        ask("GET", "/api/journal?limit=1000", headers=everything)
        assert ask("GET", "/api/me", headers=bearer(WRONG)).status_code == 401
        for expected in [401] * 5 + [429]:
            assert ask("POST", "/api/login", {"name": "Ann", "password": GUESS}).status_code == expected
        _, said = service.end(signal.SIGTERM)

    with Live(journal) as live:
        files = b"".join(live.files(unblinded=True, who="test").values()).decode()
    for token in secret:
        for text in (*answers, *addresses, said, files, journal.read_bytes().decode(errors="replace")):
            assert token not in text
            assert token[7:25] not in text
    assert not any(map(TOKEN.search, (*answers, *addresses, said, files)))


def test_an_error_in_the_service_logs_no_token(served, monkeypatch, caplog):
    def broken(*_, **__):
        raise RuntimeError("a mistake")

    monkeypatch.setattr(Live, "status", broken)
    assert served.ask("monitor", "GET", "/api/status").status_code == 500
    told = served.client.post("/api/login", json={"name": "record", "password": password_of("record")})
    assert (told.status_code, told.json()) == (
        500,
        {"errors": {"": "Internal error; details are in the server log"}},
    )
    assert "a mistake" in caplog.text
    assert TOKEN.search(caplog.text) is None
    assert password_of("record") not in caplog.text
