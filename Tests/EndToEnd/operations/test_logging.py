"""The log never delays a request or a stop, and can be rotated."""

import os
import signal
import socket
import subprocess

import requests

from support.harness import free_port, wait_until
from support.leaks import logs
from support.names import TIMEOUT
from support.servers.site import a_site


def hammer(url, count):
    """Sends this many requests one after another."""
    with requests.Session() as session:
        for _ in range(count):
            assert session.get(url, timeout=TIMEOUT).status_code == 200


def test_SEC_76_a_reader_of_the_log_that_stands_still_stops_neither_requests_nor_a_stop():
    with a_site() as site:
        reader = subprocess.Popen(["sleep", "600"], stdin=subprocess.PIPE)
        try:
            # The reader never reads: the pipe is full after some hundred lines.
            server = site.serve(stderr=reader.stdin)
            reader.send_signal(signal.SIGSTOP)
            hammer(server.url + "/health/live", 3000)
            assert server.stop() == 0
        finally:
            reader.kill()
            reader.wait(10)


def test_SEC_76_what_a_full_log_drops_is_counted_and_events_come_through():
    settings = {"operations": {"listen": f"127.0.0.1:{free_port()}"}, "loops": 1}
    with a_site(settings=settings) as site:
        start, end = os.pipe()
        server = site.serve(stderr=end)
        os.close(end)
        # 4 MiB of room, as much in the thread's hands, and the pipe: about 80,000 lines. Sent ahead, since there are many.
        batch = b"GET /demo/oauth2/jwks HTTP/1.1\r\nHost: a\r\n\r\n" * 1000
        dropped = 'gatehouse_log_lines_dropped_total{kind="access"}'
        wait_until(lambda: pipelined(server.port, batch, 1000, times=10) and server.metric(dropped), every=0, what="a drop")
        server.signal(signal.SIGHUP)
        assert server.metric('gatehouse_log_lines_dropped_total{kind="event"}') == 0
        text = b""
        while b'"reloaded"' not in text:
            text += os.read(start, 1 << 20)
        assert all(line.startswith(b"{") and line.endswith(b"}") for line in text.split(b"\n")[:-1])
        os.close(start)
        assert server.stop() == 0, "and a log whose reader has gone stops nothing either"


def pipelined(port, batch, count, times):
    with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT) as connection:
        for _ in range(times):
            connection.sendall(batch)
            seen = b""
            answers = 0
            while answers < count:
                seen = seen[-20:] + connection.recv(1 << 20)
                answers += seen.count(b"HTTP/1.1 200 OK\r\n")
                seen = seen[-16:] if not seen.endswith(b"\r\n") else b""
    return True


def test_a_log_file_is_opened_anew_at_SIGHUP():
    with a_site(settings={"log": {"path": "gatehouse.log"}}) as site:
        server = site.serve()
        path = site.folder / "gatehouse.log"
        logs.append(path)
        wait_until(lambda: '"serving"' in path.read_text(), what="the line in the file")
        assert server.log() == "", "nothing of it goes to standard error"
        path.rename(site.folder / "gatehouse.log.1")
        logs.append(site.folder / "gatehouse.log.1")
        server.signal(signal.SIGHUP)
        wait_until(lambda: path.exists() and '"reloaded"' in path.read_text(), what="the new file")
        requests.get(site.url + "/after-the-rotation", timeout=TIMEOUT)
        assert server.stop() == 0
        assert '"stopped"' in path.read_text() and '"serving"' not in path.read_text()
        assert path.stat().st_mode & 0o007 == 0


def test_a_log_file_that_cannot_be_written_stops_the_start():
    with a_site(settings={"log": {"path": "/nonexistent/gatehouse.log"}}) as site:
        refused = site.run("serve")
        assert refused.returncode == 1 and "/nonexistent/gatehouse.log" in refused.stderr


def test_why_it_did_not_start_is_told_on_standard_error_too():
    with a_site(settings={"log": {"path": "gatehouse.log"}}) as site:
        site.rows("DELETE FROM schema_migrations WHERE number = 1")
        refused = site.run("serve")
        assert refused.returncode == 1 and "not started" in refused.stderr
        assert "not started" in (site.folder / "gatehouse.log").read_text()
