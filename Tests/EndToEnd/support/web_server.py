"""A web server in this process, which every stand-in here runs on."""

import contextlib
import logging
import socket
import threading

from werkzeug.serving import WSGIRequestHandler, make_server

from support.harness import wait_for_end
from support.names import TIMEOUT

logging.getLogger("werkzeug").setLevel(logging.ERROR)


class QuietHandler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_request(self, *_, **__):
        pass


class WebServer:
    """A WSGI application on a loopback port, in threads of this process; over TLS where there is a certificate."""

    def __init__(self, app, port=0, certificate=None, host="127.0.0.1"):
        context = certificate.context() if certificate else None
        self.server = make_server(host, port, app, threaded=True, request_handler=QuietHandler, ssl_context=context)
        self.server.daemon_threads = True
        self.url = f"{'https' if certificate else 'http'}://{f'[{host}]' if ':' in host else host}:{self.server.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        ending = threading.Thread(target=self.server.shutdown)
        ending.start()
        # Wakes the server, which by itself looks twice a second whether it is to end.
        with contextlib.suppress(OSError):
            socket.create_connection(self.server.server_address[:2], TIMEOUT).close()
        wait_for_end(ending)
        self.server.server_close()
