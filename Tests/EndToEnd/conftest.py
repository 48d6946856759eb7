import pathlib
import shutil

import pytest

from support import harness
from support.gateway import Gateway
from support.harness import free_port
from support.issuers import stand_ins
from support.leaks import secrets_in_database, secrets_in_logs
from support.names import OTHER
from support.plans import calls_answered, faults_of_statements, shared_cluster_log
from support.real_issuers.provider_mock import ProviderMock
from support.servers.postgres import remove_cluster
from support.servers.site import Site

calls_of_all_processes = set()
cluster_log = None
# What this run says after its last line, where a reader of a long log looks first.
last_words = []


def pytest_sessionstart(session):
    global cluster_log
    if not hasattr(session.config, "workerinput"):
        cluster_log = shared_cluster_log()
    if not harness.BINARY.exists():
        pytest.exit(f"there is no {harness.BINARY}; build it, or name one in GATEHOUSE_BINARY", returncode=2)


def ran_all(config):
    return [pathlib.Path(path).name for path in config.args] == ["EndToEnd"] and not config.option.keyword and not config.option.markexpr


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    calls_of_all_processes.update(getattr(node, "workeroutput", {}).get("calls", []))


def pytest_sessionfinish(session, exitstatus):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["calls"] = sorted(calls_answered())
    elif cluster_log and exitstatus in (0, 1):
        calls_of_all_processes.update(calls_answered())
        faults = faults_of_statements(cluster_log, calls_of_all_processes if ran_all(session.config) else None)
        if faults:
            last_words.append(faults)
            session.exitstatus = exitstatus = 1
    remove_cluster()
    if exitstatus == 0:
        shutil.rmtree(harness.home, ignore_errors=True)
    else:
        last_words.append(f"configurations and logs are in {harness.home}")


def pytest_unconfigure():
    for words in last_words:
        print(words)


@pytest.fixture(scope="session", autouse=True)
def no_secret_is_logged():
    """SEC-21: after all tests of this process, no secret that they saw is in one of their logs, at the most detailed level."""
    yield
    assert not secrets_in_logs()


@pytest.fixture(scope="session")
def real_issuer():
    issuer = ProviderMock()
    yield issuer
    issuer.close()


DOUBLES = {double.provider: double for double in stand_ins().values()}


@pytest.fixture(scope="session")
def doubles():
    """The stand-ins, by the ids of their providers."""
    doubles = {provider: double() for provider, double in DOUBLES.items()}
    yield doubles
    for double in doubles.values():
        double.close()


@pytest.fixture(scope="session")
def fake_issuer_of_session(doubles):
    return doubles["oidc.fake"]


def honest(double):
    """Lends a stand-in to one test: it is honest when the test begins, and again when it has ended."""
    double.reset()
    yield double
    double.reset()


def honest_again(provider):
    @pytest.fixture
    def double(doubles):
        yield from honest(doubles[provider])

    return double


# Each stand-in is a fixture with the name of its file: `fake_issuer`, `google`, ….
globals().update({name: honest_again(double.provider) for name, double in stand_ins().items()})


@pytest.fixture
def gateway():
    gateway = Gateway()
    yield gateway
    gateway.close()


@pytest.fixture(scope="session")
def site(real_issuer, doubles):
    """One site with one server for all tests that need nothing special."""
    site = Site(
        {
            "oidc.real": real_issuer.entry(),
            **{provider: double.entry() for provider, double in doubles.items()},
            "oidc.fake": doubles["oidc.fake"].entry(authoritativeDomains=["trusted.example"]),
            "oidc.posting": doubles["oidc.fake"].entry(responseMode="formPost"),
            "oidc.down": {
                "issuer": f"http://127.0.0.1:{free_port()}",
                "clientId": "nobody",
                "clientSecret": {"env": "CLIENT_SECRET"},
            },
        },
        others={
            "other": {
                **OTHER,
                "authorizedDomains": ["localhost"],
                "providers": {"oidc.fake": doubles["oidc.fake"].entry()},
            }
        },
    )
    site.serve()
    yield site
    stored = secrets_in_database(site)
    site.close()
    assert not stored, "SEC-21: a copy of the database opens nothing"


@pytest.fixture(scope="session")
def api(site):
    return site.servers[0].api()


@pytest.fixture(params=[provider for provider, double in DOUBLES.items() if double.has_id_tokens])
def hostile(request, doubles):
    """An issuer of ID tokens, which the test can make send wrong answers."""
    yield from honest(doubles[request.param])


def each_protocol(doubles):
    """The stand-ins, and those of them once more that speak another protocol where the entry says so."""
    for provider, double in doubles.items():
        for protocol in getattr(double, "protocols", (None,)):
            yield pytest.param((provider, protocol), id=f"{provider} {protocol}" if protocol else provider)


def speaking(request, doubles):
    """Lends a stand-in to one test; the server of `site` has it by the entry of its protocol meanwhile."""
    provider, protocol = request.param
    double = doubles[provider]
    usual = getattr(double, "protocols", (None,))[0]
    for _ in honest(double):
        if protocol == usual:
            yield double
        else:
            site = request.getfixturevalue("site")
            double.protocol = protocol
            with site.reloaded_with(**{provider: double.entry()}):
                yield double


@pytest.fixture(params=each_protocol({provider: double for provider, double in DOUBLES.items() if double.binds_codes}))
def binding_provider(request, doubles):
    """A provider whose codes are bound to the sign-in that asked for them: by PKCE, a nonce or a request token."""
    yield from speaking(request, doubles)


@pytest.fixture(params=each_protocol(DOUBLES))
def hostile_provider(request, doubles):
    """Any provider, by each of its protocols, which the test can make send wrong answers."""
    yield from speaking(request, doubles)


@pytest.fixture
def nothing_is_written(site):
    """No refused request leaves an account, an identity or a session."""
    before = site.counts()
    made = []
    yield made
    after = site.counts()
    assert {table: after[table] - before[table] for table in after} == {
        "accounts": len(made),
        "identities": len(made),
        "sessions": len(made),
    }
