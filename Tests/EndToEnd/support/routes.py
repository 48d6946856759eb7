"""The calls of the server, read from the sources, so that a new one is tried too."""

import re

from support.harness import ROOT

# The text of each source file of a target that answers requests.
FEATURES = [
    path.read_text()
    for name in ("AuthPages", "Brokerage", "IdentityToolkit", "OpenIDProvider", "Pages", "Projects", "Web")
    for path in sorted((ROOT / "Sources" / name).rglob("*.swift"))
]

ROUTE = re.compile(r"Route(?:\.client)?\(\s*(?:\.(\w+),\s*)?\"(/[^\"]*)\"")


def routes():
    """Method and path of every call."""
    found = set()
    for text in FEATURES:
        for method, path in ROUTE.findall(text):
            found.add(((method or "post").upper(), path.replace("{project}", "demo").replace("{provider}", "oidc.real")))
    return sorted(found)


def account_calls():
    """The paths with `accounts:` that a client may post to."""
    return [path for method, path in routes() if re.match(r"/v\d/accounts:", path)]
