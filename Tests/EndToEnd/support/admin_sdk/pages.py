"""The examples and commands of `docs/backends`, by their fences: the language, and behind it the place where they run."""

import re

from support.harness import ROOT

FOLDER = ROOT / "docs/backends"
_FENCE = re.compile(r"^```(?P<language>[a-z]+)(?: (?P<group>\S+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page, language, group=None):
    """The texts of the fenced blocks of a page in a language that belong to this group."""
    found = _FENCE.finditer((FOLDER / page).read_text())
    return [fence["text"] for fence in found if (fence["language"], fence["group"]) == (language, group)]


def example(page, language, group=None):
    """The only one."""
    (text,) = blocks(page, language, group)
    return text


def commands(page, group):
    """The blocks of the shell in this group as one script."""
    texts = blocks(page, "sh", group)
    assert texts, f"docs/backends/{page} has no commands of the group {group}"
    return "\n".join(texts)
