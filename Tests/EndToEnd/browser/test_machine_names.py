"""Every name that this machine has is good for development."""

import pytest

from support.browser.app_pages import AppPages
from support.browser.sign_in import in_settings
from support.browser.tab import App
from support.servers.site import Site


@pytest.mark.parametrize("app_host", ["localhost", "127.0.0.1", "app.localhost", "[::1]"])
@pytest.mark.parametrize("server_host", ["localhost", "127.0.0.1", "auth.localhost"])
@in_settings(modes=["emulator"])
def test_every_name_of_this_machine_signs_in_in_development(setting, local, person, app_host, server_host):
    """Pop-up, link, redirect and reauthentication, whichever name the app's page has and whichever the server was pointed to by."""
    server = f"http://{server_host}:{local.site.port}"
    port = local.six.port if app_host == "[::1]" else setting.stage.pages.port
    wish = {"client": setting.client, "emulator": server, "gapi": "/__/auth/gapi.js"}
    app = App(setting.stage.driver, f"http://{app_host}:{port}", **wish)
    setting.opened.append(app)
    uid = app.act("popup", "signIn", "oidc.one", login_hint=person).result()["uid"]
    assert app.closed().act("popup", "link", "oidc.two", login_hint=person).result()["uid"] == uid
    app.closed().act("redirect", "reauth", "oidc.two", login_hint=person)
    assert app.result()["operation"] == "reauth"
    assert app.act("redirect", "signIn", "oidc.one", login_hint=f"not-{person}").result()["isNew"]
    assert app.driver.current_url == app.url
    redirects = {row[0] for row in local.site.rows("SELECT redirect_uri FROM sign_in_flows WHERE return_url = %s", app.url)}
    assert redirects == {f"{server}/__/auth/handler"}


class Local:
    """A server as `make run` configures it: any name of this machine for the app, and one of them in publicURL."""

    def __init__(self, stage):
        providers = {"oidc.one": stage.issuer.entry(), "oidc.two": stage.issuer.entry()}
        domains = ["localhost", "*.localhost", "127.0.0.1", "[::1]"]
        self.site = Site(providers, project={"authorizedDomains": domains, "apps": []})
        self.site.settings["publicURL"] = f"http://localhost:{self.site.port}"
        self.site.write()
        self.site.serve()
        self.six = AppPages(host="::1")


@pytest.fixture(scope="module")
def local(stage):
    local = Local(stage)
    yield local
    local.site.close()
    local.six.close()
