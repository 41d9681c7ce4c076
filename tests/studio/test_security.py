"""The page is attacked: by web pages that its user visits, by other users of the machine, by files in its folder."""

import asyncio
import http.client
import os
import re
import select
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, suppress
from urllib.parse import quote

import pytest
import uvicorn
from starlette.testclient import TestClient

from conftest import ROOT
from PETWorks.errors import InputError
from PETWorks.studio.files.policy_file import PolicyFile
from PETWorks.studio.server import serving
from PETWorks.studio.server import serving as server_serving
from PETWorks.studio.server.app import make_app
from PETWorks.studio.server.jobs import MAX_AT_ONCE
from PETWorks.studio.server.serving import HEADERS, LARGEST_BODY, Guard
from processes import PATIENCE, wait_for
from studio_client import OWN, PORT, entered
from studio_server import Server

TABLE = "age,zip,illness\n" + "".join(f"{20 + n % 5},{100 + n % 3},{'flu' if n % 2 else 'cold'}\n" for n in range(30))
POLICY = """petworks_policy: 1
data: {data}
no_rule: {{illness: a test}}
roles:
  quasi_identifiers: [age, zip]
  sensitive_attributes: [illness]
rules:
  - {{measure: k-anonymity, k: 2}}
"""
SECRET = "secret-0123456789"


def write_folder(folder):
    folder.mkdir(exist_ok=True)
    (folder / "people.csv").write_text(TABLE, "utf-8")
    (folder / "people_policy.yaml").write_text(POLICY.format(data="people.csv"), "utf-8")
    return folder


@pytest.fixture
def folder(tmp_path):
    """A folder for the page; what is beside it is none of the page's business."""
    (tmp_path / "outside.csv").write_text(TABLE.replace("flu", SECRET), "utf-8")
    (tmp_path / "outside_policy.yaml").write_text(POLICY.format(data="outside.csv") + f"title: {SECRET}\n", "utf-8")
    return write_folder(tmp_path / "folder")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Server(write_folder(tmp_path_factory.mktemp("server"))) as server:
        server.enter()
        yield server


OPEN = {"table": "people.csv"}


# Which server is meant: DNS rebinding.


def test_only_the_names_of_this_machine_are_answered(server):
    for host in ("127.0.0.1", "localhost", "[::1]"):
        assert server.ask("/", Host=f"{host}:{server.port}").status == 200
    foreign = ["evil.example", f"evil.example:{server.port}", "127.0.0.1", "localhost", f"LOCALHOST:{server.port}"]
    foreign += [f"127.0.0.1:{server.port + 1}", f"127.0.0.1:0{server.port}", f"127.0.0.1.evil.example:{server.port}"]
    foreign += [f"localhost.:{server.port}", f"0.0.0.0:{server.port}", f"127.1:{server.port}", f"[::]:{server.port}"]
    foreign += [f"user@127.0.0.1:{server.port}", f"127.0.0.1:{server.port}, evil.example", None]
    for host in foreign:
        answer = server.ask("/", Host=host)
        assert answer.status in (400, 421), host
        assert "people.csv" not in answer.text
        assert server.ask(f"/enter?token={server.token}", Host=host).status in (400, 421)


def test_two_hosts_and_a_host_in_the_target_are_refused(server):
    rest = f"Cookie: {server.cookie}\r\nConnection: close\r\n\r\n"
    for start in (
        f"GET / HTTP/1.1\r\nHost: {server.host}\r\nHost: evil.example\r\n",
        f"GET / HTTP/1.1\r\nHost: {server.host}\r\nHost: {server.host}\r\n",
        f"GET http://evil.example/ HTTP/1.1\r\nHost: {server.host}\r\n",
        "GET / HTTP/1.0\r\n",
        f"GET / HTTP/1.1\r\nHost : {server.host}\r\n",
        f"GET / HTTP/1.1\r\nHost:{server.host}\x00\r\n",
    ):
        answer = server.raw((start + rest).encode())
        assert re.match(rb"HTTP/1.1 4\d\d ", answer), start
        assert b"people.csv" not in answer


# Who asks: the cookie and the token.


def test_without_the_cookie_nothing_is_shown_or_changed(server):
    name, secret = server.cookie.split("=")
    other = f"petworks-studio-{server.port + 1}={secret}"
    for cookie in (None, other, f"{name}=", f"{name}={secret[:-1]}", f"{name}={secret}x", f"{name}=é", ";;=", "\x01"):
        for path in ("/", "/static/studio.css", "/bar?policy=people_policy.yaml", "/nowhere"):
            assert server.ask(path, Cookie=cookie).status == 403, cookie
        assert server.post("/open", OPEN, Cookie=cookie).status == 403
    assert server.ask("/", Cookie=f"a=b; {server.cookie}; c=d").status == 200


def test_the_token_works_once_and_only_whole(tmp_path):
    with Server(write_folder(tmp_path)) as server:
        assert re.fullmatch(r"[\w-]{43}", server.token), "256 bits"
        for wrong in (
            "",
            "x",
            server.token[:-1],
            server.token + "x",
            quote("\0é"),
            "%ff%fe",
            f"x&token={server.token}",
        ):
            answer = server.ask(f"/enter?token={wrong}")
            assert answer.status == 403, wrong
            assert "set-cookie" not in answer.headers
        assert server.ask("/enter").status == 403
        assert server.ask(f"/enter?token={server.token}", "POST", {}).status == 403
        cookie = server.enter().headers["set-cookie"]
        assert {"HttpOnly", "SameSite=strict", "Path=/", "Max-Age=604800"} <= set(cookie.split("; "))
        assert cookie.startswith(f"petworks-studio-{server.port}=")
        assert server.token not in cookie, "who reads the address in a history has no cookie"
        again = server.ask(f"/enter?token={server.token}", Cookie=None)
        assert again.status == 403
        assert "set-cookie" not in again.headers
        assert server.ask(f"/enter?token={server.token}").status == 200, "the browser that is in may reload the page"


def test_a_browser_that_has_lost_its_cookie_gets_a_new_address_from_the_terminal(folder, monkeypatch):
    new_tokens = []
    app = make_app(folder)
    guard = Guard(app, PORT, on_new_token=new_tokens.append)
    with TestClient(guard, base_url=OWN) as client:
        first = guard.token
        client.get("/")
        assert new_tokens == [], "the first address has not been used yet"
        assert client.get("/enter", params={"token": first}).status_code == 200
        client.cookies.clear()
        client.get("/")
        assert new_tokens == [], "not too often: any web page can cause it"
        monkeypatch.setattr(serving, "RENEW_EVERY", 0.0)
        client.get("/static/studio.css", headers={"Sec-Fetch-Mode": "no-cors"})
        client.post("/open", headers={"Origin": OWN})
        assert new_tokens == []
        assert "終端機" in client.get("/").text
        client.get("/")
        assert new_tokens == [guard.token], "one new address until it is used"
        assert guard.token != first
        assert client.get("/enter", params={"token": first}).status_code == 403
        assert client.get("/enter", params={"token": guard.token}).status_code == 200
        assert client.get("/").status_code == 200


@pytest.mark.slow
def test_the_cookie_of_one_server_opens_no_other(server, tmp_path):
    with Server(write_folder(tmp_path)) as other:
        assert other.port != server.port
        other.enter()
        secret = other.cookie.split("=")[1]
        assert server.ask("/", Cookie=other.cookie).status == 403
        assert server.ask("/", Cookie=f"petworks-studio-{server.port}={secret}").status == 403


# From where: other web pages of the same browser.


def test_forms_of_other_pages_change_nothing(server):
    same = f"http://localhost:{server.port}"
    assert server.post("/open", OPEN, Origin=same).status == 303
    foreign = ["https://evil.example", "null", f"http://127.0.0.1:{server.port + 1}", f"https://{server.host}", None]
    foreign += [f"http://{server.host}.evil.example", f"http://{server.host}/", server.own.upper()]
    for origin in foreign:
        assert server.post("/open", OPEN, Origin=origin).status == 403, origin
    for site in ("cross-site", "same-site", "none", "nonsense"):
        assert server.post("/open", OPEN, Sec_Fetch_Site=site).status == 403, site
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        assert server.ask("/open", method, OPEN, Origin="https://evil.example").status == 403


def test_other_pages_cannot_read_either(server):
    for site in ("cross-site", "same-site"):
        assert server.ask("/", Sec_Fetch_Site=site).status == 403
    for origin in ("https://evil.example", "null"):
        answer = server.ask("/", Origin=origin)
        assert answer.status == 403
        assert "access-control-allow-origin" not in answer.headers
    assert server.ask("/", Sec_Fetch_Site="none").status == 200, "an address that the user has typed"


def test_two_origins_are_none(server):
    body = "table=people.csv"
    for second in ("https://evil.example", server.own):
        answer = server.raw(
            f"POST /open HTTP/1.1\r\nHost: {server.host}\r\nOrigin: {server.own}\r\nOrigin: {second}\r\n"
            f"Cookie: {server.cookie}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode()
        )
        assert answer.startswith(b"HTTP/1.1 403")


def test_nothing_is_changed_by_a_link(server):
    folder = server.folder
    before = everything(folder)
    assert server.ask("/open?table=people.csv").status == 200  # only looks
    for path in ("/undo?policy=people_policy.yaml", "/language?lang=zh-TW", "/columns/look?policy=people_policy.yaml"):
        assert server.ask(path).status == 405
    assert everything(folder) == before


def test_every_answer_has_the_headers(server):
    answers = [server.ask("/"), server.ask("/static/studio.js"), server.ask("/nowhere"), server.ask("/", Cookie=None)]
    answers += [server.ask("/", Host="evil.example"), server.post("/open", OPEN), server.ask("/columns?policy=../x")]
    for answer in answers:
        for name, value in HEADERS.items():
            assert answer.headers[name] == value, (answer, name)
        assert "server" not in answer.headers
    policy = HEADERS["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert HEADERS["X-Frame-Options"] == "DENY"
    assert HEADERS["Cache-Control"] == "no-store"


ELSEWHERE = ["https://evil.example/", "//evil.example/", "/\\evil.example", "/\t/evil.example", "\\\\evil.example"]
ELSEWHERE += [
    "javascript:alert(1)",
    "/ /evil.example\r\nSet-Cookie: a=b",
    "http:evil.example",
    "///evil.example",
    "http://[",
    "/x\ny",
]


@pytest.mark.parametrize("back", [*ELSEWHERE, "evil", ""])
def test_no_way_back_leads_elsewhere(server, back):
    for path in ("/language", "/undo?policy=people_policy.yaml"):
        answer = server.post(path, {"back": back, "lang": "en"})
        to = answer.headers.get("location", "/")
        assert to in ("/", "/?policy=people_policy.yaml"), to
        assert answer.status < 500
        assert "a=b" not in str(answer.headers)


# Requests that are too large, slow or broken.


def test_a_body_that_is_too_large_is_refused_however_it_comes(server):
    start = f"POST /open HTTP/1.1\r\nHost: {server.host}\r\nOrigin: {server.own}\r\nCookie: {server.cookie}\r\n"
    for length in (str(LARGEST_BODY + 1), "9" * 30):
        answer = server.raw(f"{start}Content-Length: {length}\r\n\r\n".encode())
        assert re.match(rb"HTTP/1.1 4(13|00) ", answer), answer[:200]
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    chunks = chunk * (LARGEST_BODY // 0x10000 + 2) + b"0\r\n\r\n"
    answer = server.raw(f"{start}Transfer-Encoding: chunked\r\n\r\n".encode() + chunks)
    assert b" 413 " in answer[:100] or answer == b"", "the server may close the connection while more is sent"
    small = b"10\r\ntable=people.csv\r\n0\r\n\r\n"
    assert server.raw(f"{start}Transfer-Encoding: chunked\r\n\r\n".encode() + small).startswith(b"HTTP/1.1 303")
    assert server.ask("/").status == 200


def test_a_form_with_many_fields_is_refused(server):
    assert server.post("/open", {f"f{n}": "1" for n in range(25_000)}).status == 400


def test_broken_requests_leave_the_server_as_it_was(server):
    start = f"POST /open HTTP/1.1\r\nHost: {server.host}\r\nOrigin: {server.own}\r\nCookie: {server.cookie}\r\n"
    long = f"GET /{'x' * 100_000} HTTP/1.1\r\nHost: {server.host}\r\n\r\n"
    both = f"{start}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    for broken in (b"\x16\x03\x01\x02\x00\x01", b"GET", b"\r\n" * 10, b"\0" * 1000, long.encode(), both.encode()):
        assert b"200 OK" not in server.raw(broken, 1.0)
    upgrade = f"GET / HTTP/1.1\r\nHost: {server.host}\r\nCookie: {server.cookie}\r\nUpgrade: websocket\r\n"
    upgrade += "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    assert b" 101 " not in server.raw(upgrade.encode(), 1.0)[:30]
    assert server.ask("/").status == 200


@pytest.mark.slow
def test_half_a_form_is_not_acted_upon(folder):
    (folder / "people_policy.yaml").unlink()
    with Server(folder) as server:
        server.enter()
        start = f"POST /open HTTP/1.1\r\nHost: {server.host}\r\nOrigin: {server.own}\r\nCookie: {server.cookie}\r\n"
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(f"{start}Content-Length: 100\r\n\r\ntable=people.csv".encode())
            time.sleep(0.3)
        assert server.ask("/").status == 200
        time.sleep(0.3)
        assert not (folder / "people_policy.yaml").exists()


def test_slow_requests_keep_nobody_waiting(server):
    waiting = []
    for _ in range(50):
        connection = socket.create_connection(("127.0.0.1", server.port))
        connection.sendall(f"GET / HTTP/1.1\r\nHost: {server.host}\r\nX-Slow:".encode())
        waiting.append(connection)
    assert server.ask("/").status == 200
    assert select.select(waiting, [], [], 0)[0] == [], "they are still open: it waited for none of them"
    for connection in waiting:
        connection.close()


def half_sent(server):
    """What somebody sends who never sends the rest."""
    start = f"POST /open HTTP/1.1\r\nHost: {server.host}\r\nOrigin: {server.own}\r\n"
    return {
        "nothing": "",
        "half a line": "GET / HT",
        "half the headers": f"GET / HTTP/1.1\r\nHost: {server.host}\r\nX-Slow:",
        "half a body, refused": f"{start}Content-Length: 100\r\n\r\ntable=",
        "half a body": f"{start}Cookie: {server.cookie}\r\nContent-Length: 100\r\n\r\ntable=",
        "half a chunk": f"{start}Cookie: {server.cookie}\r\nTransfer-Encoding: chunked\r\n\r\n10\r\ntab",
        "an answered request": f"GET / HTTP/1.1\r\nHost: {server.host}\r\n\r\n",
    }


@pytest.mark.skipif(os.name == "nt", reason="Windows has no limit of open files")
def test_more_half_sent_requests_than_files_may_be_open_keep_nobody_out(folder):
    import resource

    files = 128
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
    # What is half-sent would be given up in the end anyway; here it never is.
    patient = "from PETWorks.studio.server import serving\nserving.LONGEST_REQUEST = serving.LONGEST_BODY = 1e6"
    try:
        server = Server(folder, first=patient)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    with server:
        server.enter()
        for kind, sent in half_sent(server).items():
            with ExitStack() as opened:
                for number in range(files + 10):
                    # The system drops connections that wait for `accept`, and tries again ever later: no more than
                    # some wait at a time.
                    if number % 32 == 0:
                        assert server.ask("/").status == 200, (kind, number)
                    connection = opened.enter_context(socket.create_connection(("127.0.0.1", server.port)))
                    with suppress(ConnectionError):
                        connection.sendall(sent.encode())
                assert server.ask("/").status == 200, kind


def test_a_request_that_does_not_come_is_not_waited_for(monkeypatch):
    """Bytes that drip in do not prolong the time; a request that is being answered is not cut off."""
    monkeypatch.setattr(server_serving, "LONGEST_REQUEST", 0.6)
    slow = asyncio.Event()

    async def app(scope, receive, send):
        await slow.wait()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    async def dripping(port):
        """Whether the connection is closed before the last of many bytes, five seconds or more after the first."""
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for letter in b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: " + b"x" * 200:
            writer.write(bytes([letter]))
            await asyncio.sleep(0.02)
            if reader.at_eof() or reader.exception() is not None:
                writer.close()
                return True
        writer.close()
        return False

    async def run():
        config = uvicorn.Config(
            app, http=server_serving.Connection, lifespan="off", log_config=None, log_level="critical"
        )
        with socket.socket() as listening:
            listening.bind(("127.0.0.1", 0))
            port = listening.getsockname()[1]
            server = uvicorn.Server(config)
            serving = asyncio.create_task(server.serve([listening]))
            while not server.started:
                await asyncio.sleep(0.01)
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            is_given_up = await asyncio.wait_for(dripping(port), PATIENCE)
            slow.set()
            answer = await asyncio.wait_for(reader.read(), PATIENCE)
            writer.close()
            server.should_exit = True
            await asyncio.wait_for(serving, PATIENCE)
        return is_given_up, answer

    is_given_up, answer = asyncio.run(run())
    assert is_given_up
    assert answer.endswith(b"ok")


# Other users of the machine.


def test_only_this_machine_can_connect(server):
    others = ["127.0.0.2", "::1"]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as route, suppress(OSError):  # no network at all
        route.connect(("192.0.2.1", 9))  # sends nothing
        others.append(route.getsockname()[0])
    for address in others:
        with pytest.raises(OSError, match=r"refused|unreachable|assign|supported"):
            socket.create_connection((address, server.port), timeout=5)


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can act as another user")
@pytest.mark.skipif(not server_serving.CONNECTIONS.exists(), reason="the system does not tell whose a connection is")
def test_another_user_who_has_stolen_the_cookie_gets_nothing(server):
    become = "import os; os.setgroups([]); os.setgid(65534); os.setuid(65534)"
    script = """import sys, http.client, encodings.idna
{}
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=300)
connection.request("GET", sys.argv[3], headers={{"Cookie": sys.argv[2]}})
answer = connection.getresponse()
print(answer.status, answer.read().decode())"""  # modules may be where other users cannot read: imported before
    for path in ("/", f"/enter?token={server.token}"):
        for user, expected in (("", "200"), (become, "403 this page is another user's")):
            command = [sys.executable, "-c", script.format(user), str(server.port), server.cookie, path]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            assert done.stdout.startswith(expected), (path, user)


def test_whose_a_connection_is(tmp_path, monkeypatch):
    line = "  {n}: {near} {far} {state} 00000000:00000000 00:00000000 00000000 {user:5d} 0 1 1 0 20 4 30 10 -1\n"
    me = os.getuid()

    def is_allowed_user(*ends):
        lines = [
            line.format(n=n, near=near, far=far, state=st, user=user) for n, (near, far, st, user) in enumerate(ends)
        ]
        (tmp_path / "tcp").write_text("  sl  local_address rem_address   st ...\n" + "".join(lines), "ascii")
        return server_serving.is_allowed_user(0xD431, 0x1F90)

    monkeypatch.setattr(server_serving, "CONNECTIONS", tmp_path / "tcp")
    mine = ("0100007F:D431", "0100007F:1F90", "01", me)
    server = ("0100007F:1F90", "0100007F:D431", "01", me)
    assert is_allowed_user(server, mine)
    assert is_allowed_user(server, (*mine[:3], 0)), "root may read everything"
    assert not is_allowed_user(server, (*mine[:3], me + 1))
    assert not is_allowed_user(server, (*mine[:2], "04", 0)), "closed by its program"
    assert not is_allowed_user(server), "gone"
    assert not is_allowed_user((mine[0], "0100007F:1F91", "01", me)), "a connection to another server"
    (tmp_path / "tcp").unlink()
    assert server_serving.is_allowed_user(0xD431, 0x1F90), "where the system tells nothing, the cookie has to do"


@pytest.mark.slow
def test_the_redirect_file_is_for_the_user_alone_and_goes_away(folder, tmp_path):
    seen = tmp_path / "seen"
    browser = tmp_path / "browser.sh"
    browser.write_text(f'#!/bin/sh\nprintf "%s\\n" "$1" > {seen}.part && mv {seen}.part {seen}\n', "utf-8")
    browser.chmod(0o755)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    temporary.chmod(0o777)
    with Server(folder, "--idle", "5", BROWSER=f"{browser} %s", TMPDIR=str(temporary)) as server:
        wait_for(seen.exists)
        address = seen.read_text("utf-8").strip()
        assert server.token not in address, "others can read command lines"
        file = next(temporary.glob("petworks-studio-*/open.html"))
        assert address == file.as_uri()
        assert file.stat().st_mode & 0o777 == 0o600
        assert file.parent.stat().st_mode & 0o777 == 0o700
        assert server.token in file.read_text("utf-8")
        server.enter()
        wait_for(lambda: not file.parent.exists())
    server = Server(folder, "--idle", "5", BROWSER=f"{browser} %s", TMPDIR=str(temporary))
    wait_for(lambda: any(temporary.glob("petworks-studio-*/open.html")))
    server.end()
    assert list(temporary.glob("petworks-studio-*")) == [], "removed although nobody has used it"


# Paths out of the folder.

OUT = ["../outside{}", "..\\outside{}", "x/../../outside{}", "./../outside{}", "sub/link/outside{}", "link{}"]
OUT += ["%2e%2e/outside{}", "/etc/passwd", "//etc/passwd", "~/x{}", "", ".", "..", "people.csv/../../outside{}", "\0{}"]
OUT += ["x" * 5000, "a/" * 3000, "loop{}", "C:\\x{}", "file:///etc/passwd", "postgresql://evil.example/x"]


def with_links(folder):
    (folder / "sub").mkdir()
    (folder / "sub/link").symlink_to(folder.parent)
    for ending in (".csv", "_policy.yaml"):
        (folder / f"link{ending}").symlink_to(folder.parent / f"outside{ending}")
        (folder / f"loop{ending}").symlink_to(folder / f"loop{ending}")
    return folder


def pages(client):
    """The paths of all pages and forms."""
    routes = client.guard._app.routes
    return [(route.path, method) for route in routes for method in sorted(route.methods - {"HEAD"})]


# Fields of forms; what they are meant for does not matter here.
FIELDS = [
    "policy",
    "table",
    "file",
    "path",
    "name",
    "first",
    "second",
    "before",
    "after",
    "release",
    "output",
    "job",
    "id",
]


@pytest.mark.slow
def test_no_page_leads_out_of_the_folder(folder):
    with_links(folder)
    before = everything(folder.parent)
    with entered(folder) as page:
        listed = page.get("/").text
        assert "link.csv" not in listed
        assert "outside" not in listed
        for path, method in pages(page):
            address = re.sub(r"\{\w+(:\w+)?\}", "..%2foutside.csv", path)
            for ending in ("_policy.yaml", ".csv"):
                for way in (one.format(ending) for one in OUT):
                    given = dict.fromkeys(FIELDS, way)
                    if method == "GET":
                        answer = page.get(address, params={"policy": way})
                    else:
                        answer = page.post(address, params={"policy": way}, data=given, follow_redirects=False)
                    assert SECRET not in answer.text, (path, way)
                    assert answer.status_code < 500, (path, way)
                    assert path == "/" or path == "/language" or answer.status_code >= 400, (path, way)
    after = everything(folder.parent)
    assert {path: content for path, content in after.items() if path in before} == before
    assert all(path.startswith("folder/") for path in after.keys() - before.keys())


STRANGE = ["../outside.csv", "link.csv", "/etc/passwd", "\0", "9" * 5000, "-1", "²", "{{ 'ab' * 3 }}"]
MORE_FIELDS = [
    *(f"{start}-{n}" for start in ("level", "role", "reason", "weight", "low", "high", "limit") for n in (0, 1))
]
MORE_FIELDS += [
    "do",
    "take",
    "bulk",
    "pick",
    "unit",
    "column",
    "kind",
    "propose",
    "bound",
    "levels",
    "threshold",
    "suppression",
]
MORE_FIELDS += [
    "minutes",
    "objective",
    "method",
    "below",
    "limits",
    "values",
    "varied",
    "preset",
    "sizes",
    "regime",
    "number",
]
MORE_FIELDS += [
    "waiver-0-rule",
    "waiver-0-expires",
    "rule-0-p-k",
    "new-measure",
    "key",
    "page",
    "find",
    "show",
    "before",
    "add",
]


@pytest.mark.slow
def test_no_form_makes_the_program_fail_or_leave_the_folder(folder, capfd):
    """Nonsense in every field, and a policy that is there; what is wrong is said in the language of the page."""
    with_links(folder)
    outside = {name: content for name, content in everything(folder.parent).items() if not name.startswith("folder/")}
    policy = (folder / "people_policy.yaml").read_bytes()
    alerts = set()
    with entered(folder) as page:
        page.cookies.set("petworks-language", "zh-TW")
        for path, method in pages(page):
            address = re.sub(r"\{\w+(:\w+)?\}", "rules", path)
            for nonsense in STRANGE:
                given = dict.fromkeys([*FIELDS, *MORE_FIELDS], nonsense) | {"policy": "people_policy.yaml"}
                if method == "GET":
                    answer = page.get(address, params={name: text[:60] for name, text in given.items()})
                else:
                    answer = page.post(
                        address, params={"policy": "people_policy.yaml"}, data=given, follow_redirects=False
                    )
                assert answer.status_code < 500, (path, nonsense)
                assert SECRET not in answer.text, (path, nonsense)
                assert "ababab" not in answer.text, (path, nonsense)
                alerts |= set(re.findall(r'<p class="message fail[^>]*>(.*?)</p>', answer.text, re.DOTALL))
            page.studio.jobs.cancel_all()
            (folder / "people_policy.yaml").write_bytes(policy)
    assert len(alerts) > 30, "they were really looked at"
    for alert in alerts:
        assert re.search(r"[\u4e00-\u9fff]{3}", alert), alert
        assert not re.search(r"\b[a-z]{2,} [a-z]{2,} [a-z]{2,}\b", alert), alert
    after = everything(folder.parent)
    assert {name: content for name, content in after.items() if not name.startswith("folder/")} == outside
    assert "Traceback" not in "".join(capfd.readouterr())


def everything(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


def test_a_file_that_becomes_a_symlink_is_refused(folder):
    with entered(folder) as page:
        assert page.get("/bar", params={"policy": "people_policy.yaml"}).status_code == 200
        for name in ("people.csv", "people_policy.yaml"):
            (folder / name).unlink()
            (folder / name).symlink_to(folder.parent / name.replace("people", "outside"))
            answer = page.get("/bar", params={"policy": "people_policy.yaml"})
            assert answer.status_code == 400
            assert SECRET not in answer.text
            answer = page.post("/open", data=OPEN, follow_redirects=False)
            assert answer.status_code == 400
            assert SECRET not in answer.text


@pytest.mark.parametrize(
    "ending",
    [".csv", "_policy.yaml", "_plan.json", "_report.html", "_report.json", "_reasons_internal.csv", ".csv.unfinished"],
)
def test_files_of_a_release_that_are_symlinks_are_neither_shown_nor_replaced(folder, ending):
    outside = folder.parent / "elsewhere"
    outside.write_text(SECRET, "utf-8")
    (folder / f"x{ending}").symlink_to(outside)
    with entered(folder) as page:
        query = {"policy": "people_policy.yaml", "release": "x.csv", "file": f"x{ending}", "path": f"x{ending}"}
        for path in ("/safe/result", "/file", "/report"):
            answer = page.get(path, params=query)
            assert answer.status_code == 400
            assert SECRET not in answer.text
        for path in ("/safe/run", "/safe/choose"):
            data = {"release": "x.csv", "do": "run", "suppression": "0", "method": "global", "reasons": "yes"}
            assert page.post(path, params=query, data=data, follow_redirects=False).status_code == 400
        assert not page.studio.jobs.running
    assert outside.read_text("utf-8") == SECRET


def test_only_visible_files_of_the_folder_are_downloaded(folder):
    with_links(folder)
    (folder / ".petworks").mkdir(exist_ok=True)
    (folder / ".petworks/kept.csv").write_text(SECRET, "utf-8")
    (folder / "inside.csv").symlink_to(folder / "people.csv")
    with entered(folder) as page:
        answer = page.get("/file", params={"path": "people.csv"})
        assert answer.content == (folder / "people.csv").read_bytes()
        assert answer.headers["content-disposition"].startswith("attachment")
        ways = [way.format(".csv") for way in OUT]
        for name in (*ways, "link.csv", "loop.csv", "inside.csv", ".petworks/kept.csv", ".petworks", "", ".", "no.csv"):
            answer = page.get("/file", params={"path": name})
            assert answer.status_code == 400, name
            assert SECRET not in answer.text, name


def test_a_report_in_the_folder_cannot_act(folder):
    (folder / "evil.html").write_text("<script>alert(1)</script>", "utf-8")
    (folder / "evil.js").write_text("alert(1)", "utf-8")
    with entered(folder) as page:
        answer = page.get("/report", params={"file": "evil.html"})
        rules = [rule.strip() for rule in answer.headers["content-security-policy"].split(";")]
        assert "default-src 'none'" in rules
        assert "frame-ancestors 'none'" in rules
        sandbox = next(rule for rule in rules if rule.startswith("sandbox"))
        assert "allow-scripts" not in sandbox
        assert "allow-same-origin" not in sandbox
        assert not [rule for rule in rules if rule.startswith("script-src")]
        for name in ("evil.js", "people.csv", "people_policy.yaml"):
            assert page.get("/report", params={"file": name}).status_code == 400


def test_a_folder_that_becomes_a_symlink_is_refused(folder):
    write_folder(folder / "sub")
    with entered(folder) as page:
        query = {"policy": "sub/people_policy.yaml"}
        assert page.get("/bar", params=query).status_code == 200
        (folder / "sub").rename(folder.parent / "moved")
        (folder / "sub").symlink_to(folder.parent / "moved")
        assert page.get("/bar", params=query).status_code == 400
        assert page.post("/undo", params=query, data={}).status_code == 400


@pytest.mark.parametrize("link", [".petworks", ".petworks/people_policy.yaml"])
def test_versions_are_not_written_through_a_symlink(folder, link):
    (folder.parent / "elsewhere").mkdir()
    (folder / link).parent.mkdir(exist_ok=True)
    (folder / link).symlink_to(folder.parent / "elsewhere")
    file = PolicyFile(folder / "people_policy.yaml")
    before = file.text
    with pytest.raises(InputError, match="symlink"):
        file.change(lambda document: document.update(title="x"))
    assert file.text == before
    assert list((folder.parent / "elsewhere").iterdir()) == []


def test_versions_that_someone_has_put_there_are_not_taken_for_granted(folder):
    file = PolicyFile(folder / "people_policy.yaml")
    versions = folder / ".petworks/people_policy.yaml"
    versions.mkdir(parents=True)
    (versions / "0001.yaml").symlink_to(folder.parent / "outside_policy.yaml")
    (versions / f"{'9' * 100}.yaml").write_text("x", "utf-8")
    (versions / "²³.yaml").write_text("x", "utf-8")
    assert file.versions == []
    (versions / "0002.yaml").write_text(POLICY.format(data="../outside.csv"), "utf-8")
    before = file.text
    with pytest.raises(InputError, match="leads out of"):
        file.undo()
    assert file.text == before
    file.change(lambda document: document.update(title="mine"))
    file.undo()
    assert file.text == before
    assert "title: mine" in (versions / "undone.yaml").read_text("utf-8"), "nothing that was typed is lost"


def test_a_yaml_file_beside_a_table_leads_nowhere(folder):
    (folder / "people_policy.yaml").unlink()
    (folder / "people.yaml").symlink_to(folder.parent / "outside_policy.yaml")
    with entered(folder) as page:
        answer = page.post("/open", data=OPEN, follow_redirects=False)
        assert answer.status_code == 400
        assert SECRET not in answer.text
        assert not (folder / "people_policy.yaml").exists()


# Policies that are hostile.

NAMES = ["../outside.csv", "/etc/passwd", "link.csv", "sub/link/outside.csv", "../*.csv", "li*.csv"]
NAMES += [
    "postgresql://evil.example/people",
    "spark://evil.example/people",
    "sc://evil.example",
    "http://evil.example/x",
]
NAMES += ["file:///etc/passwd", "s3://bucket/x", "hdfs://evil.example/x"]


@pytest.mark.parametrize("key", ["data", "original", "population", "hierarchies"])
def test_a_policy_names_nothing_outside_and_no_server(folder, key, monkeypatch):
    with_links(folder)
    connected = []
    monkeypatch.setattr(socket.socket, "connect", lambda *address: connected.append(address))
    with entered(folder) as page:
        for name in NAMES:
            text = POLICY.format(data="people.csv")
            text = text.replace("data: people.csv", f"data: {name}") if key == "data" else text + f"{key}: {name}\n"
            (folder / "people_policy.yaml").write_text(text, "utf-8")
            answer = page.get("/bar", params={"policy": "people_policy.yaml"})
            assert answer.status_code == 400, name
            assert SECRET not in answer.text
            assert "root:" not in answer.text
    assert connected == []


def test_a_database_cannot_read_files_for_a_policy(folder):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(folder / "people.duckdb")) as made:
        made.execute(f"create view people as select * from read_csv('{folder.parent}/outside.csv')")
    (folder / "people_policy.yaml").write_text(POLICY.format(data="people.duckdb#people"), "utf-8")
    with entered(folder) as page:
        answer = page.get("/bar", params={"policy": "people_policy.yaml"})
        assert answer.status_code == 400
        assert SECRET not in answer.text


BOMBS = {
    "aliases": "a: &a [x,x,x,x,x,x,x,x,x]\n"
    + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(9)),
    "merged": "base: &base {a: 1}\nother:\n  <<: *base\n",
    "tags": "title: !!python/object/apply:os.system ['touch hacked']\n",
    "deep": "title: " + "[" * 5_000 + "]" * 5_000,
    "keys": "? [a, b]\n: c\n",
    "twice": "data: people.csv\n",
    "documents": "---\npetworks_policy: 1\n",
    "bytes": "title: \x00\x01\n",
    "large": "# " + "x" * (1 << 20),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_yaml_that_is_more_than_data_is_refused_soon(folder, bomb):
    (folder / "people_policy.yaml").write_text(POLICY.format(data="people.csv") + BOMBS[bomb], "utf-8")
    with entered(folder) as page:
        started = time.monotonic()
        for answer in (
            page.get("/bar", params={"policy": "people_policy.yaml"}),
            page.post("/undo", params={"policy": "people_policy.yaml"}, data={"back": "/"}),
        ):
            assert answer.status_code == 400
            assert len(answer.text) < 10_000
        assert page.get("/").status_code == 200
        assert time.monotonic() - started < PATIENCE
    assert not (ROOT / "hacked").exists()
    assert not (folder / "hacked").exists()


def test_pipes_devices_and_files_of_the_system_are_no_policies(folder):
    os.mkfifo(folder / "pipe_policy.yaml")
    os.mkfifo(folder / "pipe.csv")
    with entered(folder) as page:
        assert "pipe" not in page.get("/").text
        assert page.get("/bar", params={"policy": "pipe_policy.yaml"}).status_code == 400
        assert page.post("/open", data={"table": "pipe.csv"}, follow_redirects=False).status_code == 400


def test_python_files_in_the_folder_are_not_run(folder):
    """A job runs in the folder of the page, which someone else may have filled."""
    for name in ("json", "numpy", "PETWorks", "sitecustomize", "pyarrow", "shlex"):
        (folder / f"{name}.py").write_text("open('hacked', 'w').close()\n", "utf-8")
    with entered(folder) as page:
        job = page.studio.jobs.start("check", "people_policy.yaml", "--json", "-")
        wait_for(lambda: not job.is_running)
        assert job.code in (0, 1), job.messages
    assert not (folder / "hacked").exists()


@pytest.mark.slow
def test_not_any_number_of_jobs_runs_at_once(folder):
    with entered(folder) as page:
        jobs = page.studio.jobs
        for _ in range(MAX_AT_ONCE):
            jobs.start("studio", ".", "--no-browser")
        with pytest.raises(InputError, match="running already"):
            jobs.start("check", "people_policy.yaml")
        jobs.cancel_all()


def test_a_relative_path_of_modules_is_none_of_the_folder(folder, monkeypatch):
    (folder / "src").mkdir()
    (folder / "src/numpy.py").write_text("open('hacked', 'w').close()\n", "utf-8")
    monkeypatch.setenv("PYTHONPATH", "src")
    with entered(folder) as page:
        job = page.studio.jobs.start("check", "people_policy.yaml")
        wait_for(lambda: not job.is_running)
        assert job.code in (0, 1), job.messages
    assert not any(folder.rglob("hacked"))


def test_a_file_is_never_taken_for_an_option(folder):
    (folder / "--html=x_policy.yaml").write_text(POLICY.format(data="people.csv"), "utf-8")
    with entered(folder) as page:
        workspace = page.studio.workspace
        path = workspace.path("--html=x_policy.yaml")
        job = page.studio.jobs.start("check", workspace.argument(path))
        wait_for(lambda: not job.is_running)
        assert job.code in (0, 1), job.messages
        assert workspace.argument(folder / "people.csv") == "people.csv"


# Names of files that are hostile.


def test_hostile_file_names_are_only_text(folder):
    hostile = [
        "<script>alert(1)<.csv",
        '"><img src=x onerror=alert(1)>.csv',
        "\u202efdp.csv",
        "\x1b[31mred.csv",
        "a&b.csv",
    ]
    for name in hostile:
        (folder / name).write_text(TABLE, "utf-8")
    with suppress(OSError):  # a system whose names are texts
        (folder / os.fsdecode(b"\xff\xfe.csv")).write_text(TABLE, "utf-8")
    with entered(folder) as page:
        text = page.get("/").text
        assert "<script>alert" not in text
        assert "<img" not in text
        assert "a&amp;b.csv" in text
        answer = page.post("/open", data={"table": "a&b.csv"}, follow_redirects=False)
        assert answer.headers["location"] == "/columns?policy=a%26b_policy.yaml"


# Errors of the program itself.


def test_an_error_of_the_program_shows_no_cell(folder, monkeypatch, capfd):
    with entered(folder) as page:

        def broken(*_):
            raise RuntimeError(f"cannot use {SECRET}")

        monkeypatch.setattr(page.studio.cases, "of", broken)
        answer = page.get("/bar", params={"policy": "people_policy.yaml"})
        assert answer.status_code == 500
        assert "error of the program itself" in answer.text
        printed = "".join(capfd.readouterr())
        assert SECRET not in answer.text + printed
        assert "RuntimeError" in printed
        assert "test_security.py" in printed, "where it happened"


def test_many_at_once_change_a_policy_one_after_the_other(folder):
    file = PolicyFile(folder / "people_policy.yaml")
    seen, results = file.digest, []

    def change(n):
        with suppress(InputError):
            file.change(lambda document: document.update(title=f"by {n}"), seen)
            results.append(n)

    threads = [threading.Thread(target=change, args=[n]) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 1
    assert f"title: by {results[0]}" in file.text
    assert len(file.versions) == 1
    assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == [".petworks"]


def test_keep_alive_is_checked_each_time(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    headers = {"Host": server.host, "Cookie": server.cookie}
    for sent, status in ((headers, 200), ({**headers, "Cookie": "x=y"}, 403), (headers, 200), ({"Host": "evil"}, 421)):
        connection.request("GET", "/", headers=sent)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == status
    connection.close()
