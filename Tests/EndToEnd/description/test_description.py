"""The description that `gatehouse openapi` prints is complete, and true of what the server answers."""

import json
import re

import pytest

from support import golden
from support.clients.emulator import ask
from support.description import calls, description, operations
from support.harness import ROOT
from support.servers.site import a_site

ROWS = re.compile(r"^\| (?:\[)?((?:`[A-Z]+`, )*)`(?:([A-Z]+) )?(/[^`]*)`", re.MULTILINE)


def test_every_call_has_a_summary_and_every_field_a_description():
    for method, path, operation in operations():
        assert operation.get("summary"), f"{method} {path}: say what it is for in Sources/Server/Description/CallWords.swift"
        for name, schema in fields(operation):
            assert schema.get("description"), f"{name} of {method} {path}: say what it is in Sources/Server/Description"


def fields(node):
    """Every parameter and every member of an object, with its schema."""
    if isinstance(node, list):
        for inner in node:
            yield from fields(inner)
    elif isinstance(node, dict):
        if node.get("in") in ("path", "query"):
            yield node["name"], node
        if node.get("type") == "object":
            yield from node.get("properties", {}).items()
        for inner in node.values():
            yield from fields(inner)


def test_no_description_is_of_a_field_or_a_call_that_is_not_there():
    files = [ROOT / f"Sources/Server/Description/{name}Words.swift" for name in ("Field", "OAuth", "Setting")]
    described = [name for file in files for name in re.findall(r'^        "(\w+)":', file.read_text(), re.MULTILINE)]
    assert len(described) == len(set(described))
    assert set(described) == {name for _, _, operation in operations() for name, _ in fields(operation)}
    words = (ROOT / "Sources/Server/Description/CallWords.swift").read_text()
    described = set(re.findall(r'^        "([\w.-]+)":', words, re.MULTILINE))
    assert described == {operation["operationId"] for _, _, operation in operations()}


def test_each_operation_has_an_id_of_its_own():
    ids = [operation["operationId"] for _, _, operation in operations()]
    assert len(ids) == len(set(ids))
    assert len(ids) > 60


def test_every_row_of_the_page_about_the_protocol_is_described():
    addresses = {call.template for call in calls()}
    rows = {path for _, _, path in ROWS.findall((ROOT / "docs/wire.md").read_text())}
    assert len(rows) > 40
    # The first table shows forms of addresses, and one row has a name in pointed brackets.
    assert {path for path in rows if "…" not in path and "<" not in path} <= addresses


def test_the_server_answers_it_in_development_mode_alone():
    with a_site(settings={"developmentProject": "demo"}) as site:
        site.serve()
        answer = ask(site, "GET", "/emulator/openapi.json")
        assert answer.json() == description()
        assert ask(site, "GET", "/emulator/openapi.json", x_forwarded_for="192.0.2.1").status_code == 403


@pytest.mark.parametrize("section", ["schemas", "responses", "securitySchemes"])
def test_what_the_description_refers_to_is_there(section):
    text = json.dumps(description())
    named = set(re.findall(rf"#/components/{section}/(\w+)", text))
    if section == "securitySchemes":
        named = {name for _, _, operation in operations() for scheme in operation["security"] for name in scheme}
    assert named == set(description()["components"][section])


# The calls of the golden files whose path does not end with their name.
NAMED = {
    "discovery": "/{project}/.well-known/openid-configuration",
    "passkeyEnrollmentFinalize": "/v2/accounts/passkeyEnrollment:finalize",
    "passkeyEnrollmentStart": "/v2/accounts/passkeyEnrollment:start",
    "passkeySignInFinalize": "/v2/accounts/passkeySignIn:finalize",
    "passkeySignInStart": "/v2/accounts/passkeySignIn:start",
    "passwordPolicy": "/v2/passwordPolicy",
    "projects": "/v1/projects",
    "recaptchaConfig": "/v2/recaptchaConfig",
    "recaptchaParams": "/v1/recaptchaParams",
    "revokeToken": "/v2/accounts:revokeToken",
    "token": "/v1/token",
}
GOLDEN = [file for file in sorted(golden.FOLDER.glob("*.json")) if json.loads(file.read_text())["status"] == 200]


@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: file.stem)
def test_the_description_has_every_member_of_the_exact_answers(file):
    name, *more = file.stem.split(".")
    path = NAMED.get(name, f"/v1/accounts:{name}")
    if name == "administrator":
        path = "/v1/projects/{project}/accounts" + (f":{more[0]}" if more[0] != "accounts" else "")
    responses = next(iter(description()["paths"][path].values()))["responses"]
    compare(json.loads(file.read_text())["answer"], responses["200"]["content"]["application/json"]["schema"], name)


def compare(value, schema, place):
    """Fails for a member that the schema does not have, and for a required one that is missing. Tokens are shown as what they contain."""
    if isinstance(value, list):
        for item in value:
            compare(item, schema["items"], place)
    elif isinstance(value, dict) and "properties" in schema:
        assert value.keys() <= schema["properties"].keys(), place
        assert set(schema.get("required", ())) <= value.keys(), place
        for name, inner in value.items():
            compare(inner, schema["properties"][name], f"{place}.{name}")


def test_there_are_exact_answers():
    assert len(GOLDEN) > 30
