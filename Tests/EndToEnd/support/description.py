"""The description of every call, as the binary prints it: what the tests of all calls go through, so that a new one is tried too."""

import functools
import json
import subprocess
from dataclasses import dataclass, field

from support.harness import BINARY

# What stands for the braces of paths.
VALUES = {
    "project": "demo",
    "provider": "oidc.fake",
    "policy": "b2c_1_none",
    "id": "oidc.fake",
    "tenant": "tenant",
    "collection": "oauthIdpConfigs",
    "call": "accounts",
}
METHODS = ("get", "post", "put", "patch", "delete")


@functools.cache
def description():
    return json.loads(subprocess.run([BINARY, "openapi"], check=True, capture_output=True, text=True).stdout)


@dataclass(frozen=True)
class Call:
    """One call at one of its addresses."""

    id: str
    method: str
    # With the braces of the description.
    template: str
    access: str
    right: str | None = None
    tag: str = ""
    # Whether the address belongs to a client call, and to this one only with a bearer token.
    shared: bool = False
    # The names of the body's members, or those of the query of a GET.
    fields: tuple = field(default=(), compare=False)

    @property
    def names_project(self):
        """Whether the path says which project is meant."""
        return "{project}" in self.template

    @property
    def kind(self):
        """The same for all addresses that a caller uses in the same way."""
        return self.id, self.shared, self.names_project

    def path(self, **values):
        values = {**VALUES, **values}
        path = self.template
        for name, value in values.items():
            path = path.replace("{" + name + "}", value)
        assert "{" not in path, f"give a value for the braces of {path}"
        return path

    def __str__(self):
        return f"{self.method} {self.template}" + (" with a bearer token" if self.shared else "")


def operations():
    """Every operation with its method and path."""
    for path, item in description()["paths"].items():
        for method in METHODS:
            if method in item:
                yield method.upper(), path, item[method]


def calls():
    """Every call at each of its addresses."""
    return [call for method, path, operation in operations() for call in _addresses(method, path, operation)]


def each_call(*accesses):
    """Each call that is open to these, at one address of each kind: its other addresses lead to it, as `description/test_callers.py` tests."""
    of_each_kind = {call.kind: call for call in reversed(calls()) if call.access in accesses}
    return sorted(of_each_kind.values(), key=str)


def _addresses(method, path, operation):
    rights = [scheme["serviceAccount"] for scheme in operation["security"] if "serviceAccount" in scheme]
    common = {
        "id": operation["operationId"],
        "method": method,
        "access": operation["x-gatehouse-access"],
        "right": rights[0][0] if rights else None,
        "tag": operation["tags"][0],
        "fields": tuple(_fields(operation)),
    }
    for address in [path, *operation.get("x-gatehouse-paths", [])]:
        yield Call(template=address, **common)
    for address in operation.get("x-gatehouse-bearer-paths", []):
        yield Call(template=address, shared=True, **common)


def _fields(operation):
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "query":
            yield parameter["name"]
    for media in operation.get("requestBody", {}).get("content", {}).values():
        yield from media["schema"].get("properties", {})
