"""The stage of each suite here: servers, an app's pages and a browser."""

import pytest

from support.browser.sign_in import Setting, Stage
from support.harness import counter


@pytest.fixture(scope="module")
def stage(request, fake_issuer_of_session, tmp_path_factory):
    """A suite may name a stage of its own as `STAGE`."""
    stage = getattr(request.module, "STAGE", Stage)(fake_issuer_of_session, tmp_path_factory.mktemp("chromium"))
    yield stage
    stage.close()


@pytest.fixture
def setting(request, stage, fake_issuer):
    setting = Setting(stage, *request.param)
    yield setting
    # Error monitors of apps record uncaught errors, and test runners fail because of them.
    assert [thrown for app in setting.opened for thrown in app.thrown()] == []


@pytest.fixture
def person():
    """A new person."""
    return f"person-{next(counter)}"
