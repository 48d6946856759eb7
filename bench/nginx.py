"""nginx with one worker, which answers with the same bytes as the server."""

import http.client
import os

import processes
from processes import free_port

# nginx in a fast configuration: the body in memory, no limit on requests for each connection, and its usual access log.
CONFIGURATION = """
daemon off; {user} worker_processes 1; worker_rlimit_nofile 20000; pid {folder}/nginx.pid; error_log {folder}/nginx.error.log;
events {{ worker_connections 16384; }}
http {{
    access_log {folder}/nginx.access.log combined; keepalive_requests 1000000000; keepalive_timeout 75s; tcp_nodelay on;
    client_body_temp_path {folder}/nginx-body; proxy_temp_path {folder}/nginx-proxy; fastcgi_temp_path {folder}/nginx-fastcgi;
    uwsgi_temp_path {folder}/nginx-uwsgi; scgi_temp_path {folder}/nginx-scgi;
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        location / {{ default_type "{type}"; {headers} return 200 '{body}'; }}
    }}
}}
"""


class Nginx:
    def __init__(self, folder, headers, body):
        """`headers` are those of the server, so that both send the same number of bytes."""
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._log = folder / "nginx.access.log"
        fields = {name.lower(): value for name, value in headers}
        added = [
            'add_header {} "{}";'.format(name, value.replace('"', '\\"'))
            for name, value in fields.items()
            if name not in ("date", "content-length", "content-type", "connection")
        ]
        text = CONFIGURATION.format(
            user="user root;" if os.getuid() == 0 else "",
            folder=folder,
            port=self.port,
            type=fields.get("content-type", "text/plain"),
            headers=" ".join(added),
            body=body.decode(),
        )
        path = folder / "nginx.conf"
        path.write_text(text)
        self.process = processes.start(["nginx", "-c", path, "-e", folder / "nginx.error.log"], processes.SERVER_CORE)
        processes.wait_until(self._answers, "nginx", 10)

    def _answers(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def forget_log(self):
        os.truncate(self._log, 0)

    def stop(self):
        processes.stop(self.process)
