"""The configuration of a server that docs/laboratory.md shows."""

from __future__ import annotations

import configparser
import re
import shlex
from pathlib import Path

from typer.main import get_command

from primum.cli import app

PAGE = (Path(__file__).parents[2] / "docs" / "laboratory.md").read_text()
BLOCKS = re.findall(r"^```text\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
# where nginx allows what, from its list of directives; the file is included in its http block
ALLOWED = {
    "http": {"limit_conn_zone", "server"},
    "server": {"server_name", "listen", "ssl_certificate", "ssl_certificate_key", "client_max_body_size", "location"},
    "location": {
        "proxy_pass",
        "proxy_http_version",
        "proxy_set_header",
        "proxy_buffering",
        "proxy_read_timeout",
        "limit_conn",
    },
}


def block(mark: str) -> str:
    (found,) = [each for each in BLOCKS if mark in each]
    return found


def directives(text: str) -> list[tuple[str, list[str]]]:
    """The directives of a configuration of nginx with the block that each is in."""
    within, words, found = ["http"], list[str](), []
    for token in re.findall(r"[;{}]|[^\s;{}]+", re.sub(r"#.*", "", text)):
        if token not in ";{}":
            words.append(token)
        elif token == "}":
            assert words == [], f"{words} has no semicolon"
            within.pop()
        else:
            found.append((within[-1], words))
            within += [words[0]] if token == "{" else []
            words = []
    assert (within, words) == (["http"], [])
    return found


def test_each_directive_of_nginx_is_where_it_may_be():
    found = directives(block("proxy_pass"))
    for where, (name, *_) in found:
        assert name in ALLOWED[where], f"{name} is not allowed in {where}"
    zone = next(words for _, words in found if words[0] == "limit_conn_zone")[2]
    assert zone.removeprefix("zone=").partition(":")[0] in next(words for _, words in found if words[0] == "limit_conn")
    assert ("location", ["proxy_set_header", "Host", "$host"]) in found, "or the laboratory would not know its name"
    forwarded = [words[2] for _, words in found if words[:2] == ["proxy_set_header", "X-Forwarded-For"]]
    assert forwarded == ["$remote_addr"], "all clients would share one address, or could choose theirs"


def test_the_unit_starts_a_laboratory_that_knows_the_name_of_the_proxy():
    unit = configparser.ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read_string(block("[Service]"))
    _, name, *arguments = shlex.split(unit["Service"]["ExecStart"])
    given = get_command(app).commands[name].make_context(name, arguments).params
    host = next(words for _, words in directives(block("proxy_pass")) if words[0] == "server_name")[1]
    assert given["allow_host"] == [host]
    assert not given["browser"]
    assert (given["host"], given["port"]) == ("127.0.0.1", 8000), "where the proxy looks for it"
