"""Every test of this folder that asks for `sdk` or `stage` runs three times: in development mode, with signed and with unsigned ID tokens, and
as in production, through names of Google that lead to Gatehouse (`support/admin_sdk/split_horizon.py`)."""

from dataclasses import dataclass, field

import pytest

from support.admin_sdk.back_end import AdminSDK, Process
from support.admin_sdk.split_horizon import SETTINGS, SplitHorizon
from support.admin_sdk.tokens import expired_token
from support.clients.api import API
from support.clients.backend import make_key
from support.names import API_KEY, METHODS, OTHER, PROJECT
from support.servers.site import Site

PROVIDERS = {
    "google.com": {"clientId": "google-client", "clientSecret": {"env": "CLIENT_SECRET"}},
    **{
        f"oidc.{name}": {"issuer": f"https://{name}.example.com", "clientId": f"{name}-client", "clientSecret": {"env": "CLIENT_SECRET"}}
        for name in ("first", "second", "third")
    },
}
NUMBER = "+16505550101"
SETUP = {
    "mfa": {"state": "enabled", "sms": True},
    "phone": {"testNumbers": {NUMBER: "123456"}},
    "signIn": METHODS,
    "dynamicTenants": True,
    "redirectURLs": [],
    "authorizedDomains": ["localhost", "127.0.0.1", "app.example.com", "auth.example.com"],
}


@dataclass
class Stage:
    """A server, and a back end of its project."""

    mode: str
    site: Site
    process: Process
    # The back end of the project, and one of another project on the same server. In development mode that one is made on the fly, since
    # `Bearer owner` does not count for the projects that have a file.
    sdk: AdminSDK = None
    other: AdminSDK = None
    # An ID token of the project that ended an hour ago.
    expired: str = None
    keys: dict = field(default_factory=dict)

    @property
    def api(self):
        """What the app calls."""
        return API(self.site.url, API_KEY)

    @property
    def other_api(self):
        return API(self.site.url, OTHER["apiKeys"][0])

    @property
    def in_production(self):
        return self.mode == "production"

    def key(self, project=PROJECT):
        if project not in self.keys:
            self.keys[project] = make_key(self.site, project)
        return self.keys[project]

    def close(self):
        self.process.close()
        self.site.close()


def a_stage(mode, settings, process, **tokens):
    other = {**OTHER, "signIn": METHODS, "tokens": {"issuer": "firebase"}}
    site = Site(PROVIDERS, settings=settings, project={**SETUP, "tokens": {"issuer": "firebase", **tokens}}, others={"other": other})
    expired = expired_token(site)
    site.serve()
    return Stage(mode, site, process(site), expired=expired)


def development(mode="development", **tokens):
    settings = {"developmentProject": PROJECT}
    stage = a_stage(mode, settings, lambda site: Process({"FIREBASE_AUTH_EMULATOR_HOST": f"127.0.0.1:{site.port}"}), **tokens)
    stage.sdk, stage.other = stage.process.app(), stage.process.app(project="elsewhere")
    return stage


def production():
    stage = a_stage("production", SETTINGS, lambda site: SplitHorizon(site.port))
    stage.sdk, stage.other = stage.process.app(stage.key()), stage.process.app(stage.key("other"), "other")
    return stage


def unsigned():
    """As `gatehouse dev` has it."""
    return development("unsigned", algorithm="none")


MODES = {"development": development, "unsigned": unsigned, "production": production}


@pytest.fixture(scope="session")
def stages():
    """Makes each stage when a test first asks for it."""
    made = {}

    def stage(mode):
        if mode not in made:
            made[mode] = MODES[mode]()
        return made[mode]

    yield stage
    for stage in made.values():
        stage.close()


@pytest.fixture(params=list(MODES))
def stage(request, stages):
    return stages(request.param)


@pytest.fixture
def development_stage(stages):
    return stages("development")


@pytest.fixture
def production_stage(stages):
    return stages("production")


@pytest.fixture
def sdk(stage):
    return stage.sdk
