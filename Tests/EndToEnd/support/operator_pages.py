"""The commands on the operator's pages: fenced blocks, in which the word behind the language says who runs them."""

import re

from support.harness import ROOT

PAGES = ("docs/install.md", "docs/operations.md") + tuple(
    sorted(f"docs/operations/{page.name}" for page in (ROOT / "docs/operations").glob("*.md"))
)
# The groups, each of which one test runs.
GROUPS = ("install", "operations", "backup", "restore", "upgrade", "rollback", "processes", "restarts", "sockets", "credentials")
_FENCE = re.compile(r"^```(?P<language>sh|sql|caddy|haproxy)(?: (?P<group>\S+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language="sh"):
    """Each block in a language: the page, the group that it belongs to (or None), and its text."""
    found = ((page, fence) for page in PAGES for fence in _FENCE.finditer((ROOT / page).read_text()))
    return [(page, fence["group"], fence["text"]) for page, fence in found if fence["language"] == language]


def commands(group):
    """The blocks of a group as one script, as an operator pastes them into one shell."""
    texts = [text for _, named, text in blocks() if named == group]
    assert texts, f"no page has a block of the group {group}"
    return "\n".join(texts)
