"""Requests from elsewhere are refused, and every page answers HEAD."""

from __future__ import annotations

import asyncio
import json
import socket

import pytest

from primum.web.hosts import Hosts
from primum.web.middleware import Guard

from .questions import data

OTHERS = ["evil.example", "evil.example:8000", "testserver.evil.example", "127.0.0.1.evil.example", ""]


@pytest.mark.parametrize("host", OTHERS)
def test_a_request_to_another_host_is_refused(client, host):
    told = client.get("/api/health", headers={"host": host})
    assert told.status_code == 421
    sentence = f"this laboratory does not serve the host {host!r}; start it with --allow-host NAME if that is its name"
    assert told.json()["errors"] == {"": sentence}
    assert client.get("/", headers={"host": host}).status_code == 421


FOREIGN = ["http://evil.example", "http://testserver:3000", "null", "http://[", "", "https://testserver.evil.example"]


@pytest.mark.parametrize("origin", FOREIGN)
def test_a_change_by_a_page_of_another_site_is_refused(client, origin):
    told = client.post("/api/runs", json=data(), headers={"origin": origin})
    assert told.status_code == 403
    assert told.json()["errors"][""] == f"pages of {origin!r} must not change anything in this laboratory"
    id = client.post("/api/runs", json=data(), headers={"origin": "http://testserver"}).json()["id"]
    assert client.delete(f"/api/runs/{id}", headers={"origin": origin}).status_code == 403
    assert client.get("/api/health", headers={"origin": origin}).status_code == 200, "browsers keep that to themselves"


@pytest.mark.parametrize("bound", ["127.0.0.1", "localhost", "::1"])
def test_on_the_loopback_address_only_its_names_are_served(bound):
    hosts = Hosts(bound)
    served = ["localhost", "LOCALHOST:8000", "localhost.:8000", "127.0.0.1:8000", "127.0.0.2", "[::1]", "[::1]:8000"]
    assert all(map(hosts.serves, served))
    others = ["192.168.1.7", "[fe80::1]:8000", "example.org", "localhost.example.org", socket.gethostname(), "["]
    assert not any(map(hosts.serves, others))


@pytest.mark.parametrize("bound", ["0.0.0.0", "::", "192.168.1.7"])
def test_in_a_network_numbers_and_the_names_of_the_machine_are_served(bound, monkeypatch):
    monkeypatch.setattr(socket, "gethostname", lambda: "Box.example.org")
    hosts = Hosts(bound)
    served = ["localhost:8000", "192.168.1.7:8000", "[fe80::1]:8000", "box", "box.local:8000", "box.example.org"]
    assert all(map(hosts.serves, served))
    assert not any(map(hosts.serves, ["example.org", "box.evil.example", "box.local.evil.example", ""]))


def test_behind_a_proxy_names_are_given():
    hosts = Hosts("127.0.0.1", ["Lab.Example.org", "other.example.org:8443"])
    assert all(map(hosts.serves, ["lab.example.org", "other.example.org", "lab.example.org:443"]))
    assert hosts.allows("https://lab.example.org", "127.0.0.1:8000"), "a proxy may pass its own name on"
    assert not hosts.allows("https://lab.example.org.evil.example", "127.0.0.1:8000")


def test_what_answers_get_answers_head(client):
    id = client.post("/api/runs", json=data()).json()["id"]
    client.get(f"/api/runs/{id}/events")
    script = client.get("/").text.split('src="')[1].split('"')[0]
    for address in ("/", "/docs", "/favicon.ico", "/openapi.json", script, "/api/health", f"/api/runs/{id}"):
        get, head = client.get(address), client.head(address)
        assert (head.status_code, head.content) == (200, b""), address
        assert head.headers["content-type"] == get.headers["content-type"]
        assert head.headers["content-length"] == get.headers["content-length"]
    assert client.head("/nothing").status_code == 404
    assert client.head(f"/api/runs/{id}/events").content == b""


def test_who_is_cut_off_by_a_shutdown_is_told():
    async def endless(scope, receive, send):
        await asyncio.sleep(3600)

    sent = []

    async def cut_off():
        scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"host", b"localhost")]}

        async def send(message):
            sent.append(message)

        request = asyncio.create_task(Guard(endless, Hosts("127.0.0.1"), "service")(scope, None, send))
        await asyncio.sleep(0)
        request.cancel()
        await request

    asyncio.run(cut_off())
    assert sent[0]["status"] == 503
    assert (b"retry-after", b"10") in sent[0]["headers"]
    assert json.loads(sent[1]["body"]) == {"errors": {"": "the service is shutting down; try again in 10 s"}}
