"""Faults of proxies that `support.planted_faults` plants."""

from support.servers.installation import OUTER, Proxy
from support.web_server import WebServer


def an_outer_proxy_that_passes_on_what_it_gets(installation):
    installation.proxy.appends, installation.proxy.peer = True, OUTER.encode()

    def sound():
        installation.proxy.appends, installation.proxy.peer = False, Proxy.peer

    return sound


def a_proxy_before(status, body):
    """A proxy that leads to a server that answers everything like this."""

    def plant(installation):
        def app(environment, start):
            start(status, [("content-type", "application/json")])
            return [body]

        web = WebServer(app)
        installation.proxy.target = web.server.port

        def sound():
            installation.proxy.target = installation.port
            web.close()

        return sound

    return plant
