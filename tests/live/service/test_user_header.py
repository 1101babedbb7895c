"""A proxy that identifies people: whom it names, they are; from anybody else the header says nothing."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import threading
from contextlib import contextmanager
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from starlette.testclient import TestClient, httpx

from primum.errors import ParameterError
from primum.live import Live
from primum.live.service.app import create
from primum.live.service.user_header import BehindProxy
from primum.web.hosts import Hosts
from tests.live.joining import ON_SERVER, password_of

from .serving import process

HEADER = "X-Forwarded-User"
PROXY = ("127.0.0.1", 50_000)
NGINX = Path(__file__).parents[3] / "examples" / "live-trial" / "nginx-oidc.conf"


def errors(response):
    return response.json()["errors"]


@pytest.fixture
def live(tmp_path, first_entries):
    with Live(shutil.copy(first_entries[0], tmp_path / "trial.db")) as live:
        yield live


@pytest.fixture
def visitor(live):
    """Requests as they arrive, from an address and with headers."""
    app = create(live, Hosts("testserver"))

    def visit(user=None, address=PROXY, header=HEADER, proxies=(), **headers):
        headers |= {} if user is None else {HEADER: user}
        found = BehindProxy(app, header=header, proxies=proxies)
        return TestClient(found, client=address, headers=headers, raise_server_exceptions=False)

    return visit


def joined(live, visitor, name="ann@example.org", *roles):
    code = live.admit(name, roles or ["enrol"], who=ON_SERVER).code
    return visitor(name).post("/api/join", json={"code": code})


def test_whom_a_proxy_names_redeems_the_code_once_and_needs_no_password(live, visitor):
    told = visitor("ann@example.org").get("/api/me")
    assert (told.status_code, errors(told)) == (
        401,
        {"": "ann@example.org has no access here yet; redeem the code that an administrator gave you"},
    )
    assert visitor("ann@example.org").get("/api/login").json() == {"proxy_user": "ann@example.org"}
    me = joined(live, visitor)
    assert (me.status_code, me.json()["name"]) == (200, "ann@example.org")
    assert "set-cookie" not in me.headers, "every request says who it is"
    for name in ("ann@example.org", "Ann@Example.ORG"):
        assert visitor(name).get("/api/me").json() == me.json()
    assert visitor("bob@example.org").get("/api/me").status_code == 401


def test_an_approval_is_needed_as_by_others(live, visitor):
    me = joined(live, visitor, "sue", "statistician").json()
    assert me["access"] == "awaiting approval"
    assert visitor("sue").get("/api/statistics").status_code == 403
    live.approve("sue", me["check"], who=ON_SERVER)
    assert visitor("sue").get("/api/statistics").status_code == 200


def test_nobody_redeems_the_code_of_another_person(live, visitor):
    code = live.admit("sue", ["statistician"], who=ON_SERVER).code
    for sent in ({"code": code}, {"code": code, "password": "a good password"}):
        told = visitor("administrator").post("/api/join", json=sent)
        assert told.status_code == 422
    assert {each.name: each.state for each in live.people()}["sue"] == "invited"


@pytest.mark.parametrize("address", [("192.0.2.7", 1), ("::ffff:192.0.2.7", 1), ("testclient", 1), ("", 1)])
def test_from_others_the_header_says_nothing(live, visitor, address):
    joined(live, visitor)
    assert visitor("ann@example.org").get("/api/me").status_code == 200
    forged = visitor("ann@example.org", address)
    told = forged.get("/api/me")
    assert (told.status_code, errors(told)) == (
        401,
        {"": "log in, or send your token in the header Authorization: Bearer TOKEN"},
    )
    assert forged.get("/api/login").json() == {"proxy_user": None}
    forwarded = visitor("ann@example.org", address, **{"x-forwarded-for": "127.0.0.1"})
    assert forwarded.get("/api/me").status_code == 401, "the address that counts is that of the peer"


@pytest.mark.parametrize("proxy", ["192.0.2.7", "192.0.2.0/24", " 192.0.2.7 "])
def test_another_proxy_is_believed_if_it_is_named(live, visitor, proxy):
    joined(live, visitor)
    for address in (("192.0.2.7", 1), ("::ffff:192.0.2.7", 1)):
        assert visitor("ann@example.org", address, proxies=[proxy]).get("/api/me").status_code == 200
    assert visitor("ann@example.org", ("192.0.3.7", 1), proxies=[proxy]).get("/api/me").status_code == 401


def test_without_the_option_the_header_says_nothing(live, visitor):
    joined(live, visitor)
    assert visitor("ann@example.org", header=None).get("/api/me").status_code == 401


def test_a_header_that_is_there_twice_is_refused(live, visitor):
    joined(live, visitor)
    told = visitor().get("/api/me", headers=httpx.Headers([(HEADER, "ann@example.org"), (HEADER, "sue")]))
    assert (told.status_code, told.text) == (400, f"the header {HEADER} is there more than once")
    assert visitor(" ").get("/api/me").status_code == 401


def test_the_name_of_a_person_with_a_password_is_not_enough(live, visitor):
    """Else whoever gets that name at the proxy would have the access of somebody who never used it."""
    assert visitor("monitor").get("/api/me").status_code == 401
    told = visitor("monitor").post("/api/login", json={"name": "monitor", "password": password_of("monitor")})
    assert told.status_code == 200
    client = visitor("somebody else")
    client.cookies = told.cookies
    assert client.get("/api/me").json()["name"] == "monitor"


def test_a_person_of_the_proxy_has_no_password(live, visitor):
    joined(live, visitor)
    for password in ("", " ", "a good password"):
        told = visitor().post("/api/login", json={"name": "ann@example.org", "password": password})
        assert told.status_code in (401, 422)


@pytest.mark.parametrize("done", ["renew", "dismiss"])
def test_renewal_and_dismissal_count_at_once(live, visitor, done):
    joined(live, visitor)
    getattr(live, done)("ann@example.org", who=ON_SERVER)
    assert visitor("ann@example.org").get("/api/me").status_code == 401


@pytest.mark.parametrize("site", ["same-site", "cross-site"])
def test_pages_of_other_sites_cannot_use_what_the_proxy_says(live, visitor, site):
    joined(live, visitor)
    told = visitor("ann@example.org", **{"sec-fetch-site": site}).get("/api/me")
    assert (told.status_code, errors(told)) == (403, {"": "pages of other sites must not use this service"})
    origin = visitor("ann@example.org", origin="https://evil.example")
    assert origin.post("/api/notes", json={"text": "hello"}).status_code == 403


def test_programs_show_their_tokens_behind_the_proxy_too(live, visitor):
    joined(live, visitor)
    token = live.make_token("R", who="ann@example.org")
    with_token = visitor(None, authorization=f"Bearer {token}")
    assert with_token.get("/api/me").json()["name"] == "ann@example.org"


@pytest.mark.parametrize("proxy", ["proxy.example.org", "10.0.0.0/99", "10.0.0.1/24", ""])
def test_what_is_no_address_of_a_proxy_is_refused(proxy):
    with pytest.raises(ParameterError, match="trusted-proxy must be an address such as"):
        BehindProxy(lambda *_: None, proxies=[proxy])


@pytest.mark.slow
def test_served_by_a_process(tmp_path, first_entries):
    """uvicorn does not replace the address of the proxy before the header is judged."""
    journal = shutil.copy(first_entries[0], tmp_path / "trial.db")
    with Live(journal) as live:
        code = live.admit("ann", ["enrol"], who=ON_SERVER).code
    with process(journal, user_header=HEADER) as service:
        headers = {HEADER: "ann", "x-forwarded-for": "198.51.100.4"}
        assert service.client.post("/api/join", json={"code": code}, headers=headers).status_code == 200
        assert service.client.get("/api/me", headers=headers).json()["name"] == "ann"
        assert service.client.get("/api/me").status_code == 401
    with process(journal) as service:
        assert service.client.get("/api/me", headers=headers).status_code == 401


def test_the_example_sets_the_header_that_it_documents():
    """The proxy sets it itself, from what oauth2-proxy says, so what a client sends under this name is lost."""
    text = NGINX.read_text()
    assert re.search(r"auth_request_set \$user \$upstream_http_x_auth_request_user;", text)
    assert re.findall(r"proxy_set_header X-Forwarded-User (\S+);", text) == ["$user"]
    assert "--user-header X-Forwarded-User" in text


class Identifying(BaseHTTPRequestHandler):
    """As oauth2-proxy answers /oauth2/auth: whom the cookie of its session names, or nobody."""

    def do_GET(self) -> None:
        user = SimpleCookie(self.headers.get("cookie", "")).get("_oauth2_proxy")
        self.send_response(401 if user is None else 202)
        if user is not None:
            self.send_header("X-Auth-Request-User", user.value)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing."""


@contextmanager
def identifying():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Identifying)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def nginx(example, folder, ports):
    """The example at other ports and without TLS; its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        own = free.getsockname()[1]
    text = re.sub(
        r"ssl_certificate\S* \S+;", "", example.read_text().replace("listen 443 ssl", f"listen 127.0.0.1:{own}")
    )
    for old, new in ports.items():
        text = text.replace(f"127.0.0.1:{old}", f"127.0.0.1:{new}")
    temporary = "\n".join(
        f"{each}_temp_path {folder}/{each};" for each in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    config = folder / "nginx.conf"
    config.write_text(
        f"daemon off; master_process off; pid {folder}/pid; error_log {folder}/errors;\n"
        f"events {{}}\nhttp {{\naccess_log off;\n{temporary}\n{text}\n}}"
    )
    command = ["nginx", "-c", str(config), "-p", str(folder), "-e", f"{folder}/errors"]
    assert subprocess.run([*command, "-t"], capture_output=True).returncode == 0, (folder / "errors").read_text()
    with subprocess.Popen(command) as running:
        try:
            while not is_listening(own):
                assert running.poll() is None, (folder / "errors").read_text()
            yield f"http://127.0.0.1:{own}"
        finally:
            running.terminate()


def is_listening(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed")
def test_the_example_behind_nginx(tmp_path, first_entries):
    journal = shutil.copy(first_entries[0], tmp_path / "trial.db")
    with Live(journal) as live:
        code = live.admit("ann", ["enrol"], who=ON_SERVER).code
    with identifying() as identity, process(journal, "trial.example.org", user_header=HEADER) as service:
        ports = {4180: identity, 8001: service.address.rpartition(":")[2]}
        with (
            nginx(NGINX, tmp_path, ports) as address,
            httpx.Client(base_url=address, headers={"host": "trial.example.org"}) as client,
        ):
            told = client.get("/api/me", headers={HEADER: "ann"})
            assert (told.status_code, told.headers["location"].partition("?")[0]) == (
                302,
                f"http://trial.example.org:{address.rpartition(chr(58))[2]}/oauth2/start",
            )
            ann = {"cookie": "_oauth2_proxy=ann"}
            told = client.get("/api/me", headers=ann)
            assert (told.status_code, "redeem the code" in errors(told)[""]) == (401, True), "as the service says"
            assert client.post("/api/join", json={"code": code}, headers=ann).status_code == 200
            assert client.get("/api/me", headers=ann).json()["name"] == "ann"
            forged = {"cookie": "_oauth2_proxy=bob", HEADER: "ann"}
            told = client.get("/api/login", headers=forged)
            assert told.json() == {"proxy_user": "bob"}, "what a client sends is lost"
            assert client.get("/api/me", headers=forged).status_code == 401
            assert client.get("/oauth2/auth", headers=ann).status_code == 404, "internal"
