"""TLS in front of servers of this machine."""

import asyncio
import ssl
import threading

from support.certificates import of_any_name
from support.harness import wait_for_end
from support.names import TIMEOUT


class Front:
    """TLS in front of a server of this machine, as a reverse proxy would have it: bytes in, the same bytes out.

    With a listener, which may belong to another network, there is no TLS.
    """

    def __init__(self, port, listener=None, certificate=None):
        self.target = port
        self.listener = listener
        self.certificate = certificate or of_any_name()
        self.loop = asyncio.new_event_loop()
        started = threading.Event()
        self.thread = threading.Thread(target=self.run, args=(started,), daemon=True)
        self.thread.start()
        assert started.wait(TIMEOUT), "the front did not start"

    def run(self, started):
        asyncio.set_event_loop(self.loop)
        place = {"sock": self.listener} if self.listener else {"host": "127.0.0.1", "port": 0, "ssl": self.certificate.context()}
        server = self.loop.run_until_complete(asyncio.start_server(self.serve, **place))
        self.port = server.sockets[0].getsockname()[1]
        started.set()
        self.loop.run_forever()
        # Connections that browsers keep open.
        tasks = asyncio.all_tasks(self.loop)
        for task in tasks:
            task.cancel()
        self.loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))

    async def serve(self, reader, writer):
        try:
            other_reader, other_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.close()
            return
        await asyncio.gather(self.copy(reader, other_writer), self.copy(other_reader, writer))

    async def copy(self, source, sink):
        try:
            while data := await source.read(65536):
                sink.write(data)
                await sink.drain()
        except (OSError, ssl.SSLError):
            pass
        finally:
            sink.close()

    def close(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        wait_for_end(self.thread)
