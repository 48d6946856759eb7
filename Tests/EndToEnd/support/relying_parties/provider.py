"""Gatehouse as the OpenID provider of relying parties: behind TLS, with people who have accounts."""

import secrets

from support.browser.front import Front
from support.certificates import of_any_name
from support.leaks import note
from support.names import PROJECT
from support.openid.site import OpenIDSite


def secret(more=""):
    """A client's secret. `more`: further characters of it."""
    return note(secrets.token_urlsafe(24) + more)


class Provider(OpenIDSite):
    """The project `demo` with these clients. `more`: further keys of `openIDProvider`."""

    def __init__(self, *clients, development=False, **more):
        """`development` is for relying parties of this machine that are reached by plain http."""
        settings = {"clients": [client.entry() for client in clients], **more}
        super().__init__(clients=clients, provider=settings, project={"redirectURLs": [], "authorizedDomains": ["localhost"]})
        self.front = Front(self.port)
        self.origin = f"https://localhost:{self.front.port}"
        self.settings.update(development=development, publicURL=self.origin)
        self.write()
        self.serve()

    @property
    def issuer(self):
        return f"{self.origin}/{PROJECT}"

    @property
    def authority(self):
        """The file with the authority of the provider's certificate."""
        return str(of_any_name().authority)

    def close(self):
        super().close()
        self.front.close()
