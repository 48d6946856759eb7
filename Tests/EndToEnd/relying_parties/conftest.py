import pytest


@pytest.fixture(scope="session", autouse=True)
def own_authorities():
    """Each client here is told its authorities; `requests` prefers those of the environment."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
            patch.delenv(name, raising=False)
        yield
