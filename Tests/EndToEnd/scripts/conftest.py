"""A browser, the app's pages, and pages around the scripts with answers that a test chooses."""

import pytest

from support.browser.app_pages import AppPages
from support.browser.drivers import Chromium
from support.browser.front import Front
from support.browser.script_pages import Parent, ScriptPages


@pytest.fixture(scope="module")
def driver(tmp_path_factory, pages_of_module):
    front = Front(pages_of_module.web.server.port)
    driver = Chromium(tmp_path_factory.mktemp("chromium"), f"MAP apis.google.com 127.0.0.1:{front.port}")
    yield driver
    driver.quit()
    front.close()


@pytest.fixture(scope="module")
def app_pages():
    pages = AppPages()
    yield pages
    pages.close()


@pytest.fixture(scope="module")
def pages_of_module():
    pages = ScriptPages()
    yield pages
    pages.web.close()


@pytest.fixture
def pages(pages_of_module):
    pages_of_module.reset()
    yield pages_of_module


@pytest.fixture
def parent(driver, pages, app_pages):
    return Parent(driver, pages, app_pages)
