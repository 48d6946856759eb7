"""Rules for the text of the scripts."""

import re

import pytest

from support.browser.script_pages import SCRIPTS


@pytest.mark.parametrize("script", ["iframe.js", "handler.js", "gapi.js"])
def test_the_scripts_are_strict_and_name_no_other_host(script):
    text = (SCRIPTS / script).read_text()
    assert '"use strict"' in text
    code = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    if script == "iframe.js":
        code = code.replace("https://apis.google.com/js/api.js", "", 1)
    assert "http://" not in code and "https://" not in code
    for danger in ("eval(", "innerHTML", "document.write", '"*"', "Function(", "insertAdjacentHTML"):
        assert danger not in code, danger


def test_the_pages_scripts_are_small():
    def code(name):
        """The script as it is served: without comment lines, and not indented."""
        text = re.sub(r"^ */\*.*?\*/$", "", (SCRIPTS / name).read_text(), flags=re.S | re.M)
        return "".join(line.strip() + "\n" for line in text.splitlines() if line.strip() and not line.strip().startswith("//"))

    assert sum(len(code(name)) for name in ("iframe.js", "handler.js")) < 10_000
    assert len(code("gapi.js")) < 6_000
