"""`gatehouse config schema`: what editors know of the configuration files."""

import functools
import json
import re
import subprocess

import jsonschema
import yaml

from support import harness
from support.configuration import page
from support.configuration.page import ROWS
from support.tables import for_each

EXAMPLES = {"server": "config/gatehouse.yaml", "project": "config/projects/demo.yaml"}


@functools.cache
def schema(file):
    command = [harness.BINARY, "config", "schema", file]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


class YAML12(yaml.SafeLoader):
    """As editors read: `off` is a text."""


YAML12.yaml_implicit_resolvers = {
    first: [each for each in resolvers if not (each[0].endswith(":bool") and first not in "tTfF")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def faults(file, text):
    """What is wrong with a file, by the schema: the path of each mistake."""
    validator = jsonschema.Draft7Validator(schema(file))
    return [".".join(map(str, error.absolute_path)) for error in validator.iter_errors(yaml.load(text, YAML12))]


def keys(schema, prefix=""):
    """Every key that is not a section, as the page writes it."""
    members = {**schema.get("properties", {}), **{"oidc.page": each for each in schema.get("patternProperties", {}).values()}}
    if "items" in schema and "properties" in schema["items"]:
        return {prefix: schema, **keys(schema["items"], prefix + "[]")}
    if not members or schema.get("maxProperties") == 1:
        return {prefix: schema}
    own = {prefix: schema} if "patternProperties" in schema else {}
    return own | {key: leaf for name, member in members.items() for key, leaf in keys(member, f"{prefix}.{name}".lstrip(".")).items()}


def of_page(found):
    """Without the keys of the console's provider, whose entry is as one of a project."""
    return {key for key in found if not key.startswith("console.provider.")}


def required(schema, prefix=""):
    """Every key that must be there, as the page writes it."""
    members = {**schema.get("properties", {}), **{"oidc.page": each for each in schema.get("patternProperties", {}).values()}}
    own = {f"{prefix}.{name}".lstrip(".") for name in schema.get("required", [])}
    inner = [required(schema["items"], prefix + "[]")] if "items" in schema else []
    return own.union(*inner, *(required(member, f"{prefix}.{name}".lstrip(".")) for name, member in members.items()))


def test_the_schemas_are_schemas():
    for file in EXAMPLES:
        jsonschema.Draft7Validator.check_schema(schema(file))


@for_each(EXAMPLES)
def test_a_schema_has_every_key_that_the_page_has_and_no_other(file):
    assert of_page(keys(schema(file))) == {row.key for row in ROWS if row.file == file}


@for_each(EXAMPLES)
def test_a_schema_requires_what_the_page_requires_without_a_condition(file):
    wanted = {row.key for row in ROWS if row.file == file and row.default == "required"}
    assert wanted and of_page(required(schema(file))) == wanted


# The values whose default a schema names: where a text or a list is read, the sources say elsewhere what counts without it.
NAMES_DEFAULT = re.compile(r"(?:boolean|number|bytes|time)\b.*|`[\w-]+`(?:, `[\w-]+`)*")


@for_each(ROWS)
def test_a_schema_has_the_default_of_the_page(row):
    default = keys(schema(row.file))[row.key].get("default")
    assert (default is not None) == bool(row.literal and NAMES_DEFAULT.fullmatch(row.value.partition(";")[0]))
    if default is not None:
        is_time = row.value.startswith("time")
        assert (
            page.seconds(default) == page.seconds(row.literal)
            if is_time
            else str(default) == row.literal or default == json.loads(row.literal)
        )


@for_each(EXAMPLES)
def test_the_annotated_example_follows_its_schema_and_names_it(file):
    text = (harness.ROOT / EXAMPLES[file]).read_text()
    assert text.startswith("# yaml-language-server: $schema=")
    assert faults(file, text) == []


def test_the_examples_of_the_page_follow_the_schemas():
    for server, *projects in page.examples().values():
        for file, text in [("server", server), *(("project", text) for text in projects)]:
            assert faults(file if "publicURL" in text and "masterKey" in text else "project", text) == []


SMALLEST = {
    "server": ["publicURL: https://auth.example.com", "database: {env: A}", "masterKey: {env: B}"],
    "project": ["project: acme", "number: 1", "apiKeys: [key]", "authorizedDomains: [app.example.com]"],
}


@for_each(EXAMPLES)
def test_a_schema_finds_each_key_that_is_missing(file):
    assert faults(file, "\n".join(SMALLEST[file])) == []
    for line in SMALLEST[file]:
        assert faults(file, "\n".join(each for each in SMALLEST[file] if each != line)) == [""]


@for_each(
    [
        ("server", "lissten: 127.0.0.1:80", ""),
        ("server", "loops: many", "loops"),
        ("server", "loops: 257", "loops"),
        ("server", "limits: {bodyRead: soon}", "limits.bodyRead"),
        ("server", "logLevel: loud", "logLevel"),
        ("server", "database: postgresql://gatehouse:secret@db/gatehouse", "database"),
        ("server", "mail: {from: no-reply@example.com, smtp: {prot: 25}}", "mail.smtp"),
        ("server", "mail: {transport: log}", "mail"),
        ("server", "masterKey:", "masterKey"),
        ("project", "signIn: {password: yes please}", "signIn.password"),
        ("project", "apps: [{ios: {bundleId: com.example.app, bundel: com.example.app}}]", "apps.0.ios"),
        ("project", "apps: [{android: {package: com.example.app}}]", "apps.0.android"),
        ("project", "providers: {oidc.example: {clientId: a, issuer: a, issuers: a}}", "providers.oidc.example"),
        ("project", "providers: {microsoft.com: {tenant: common}}", "providers.microsoft.com"),
        ("project", "number: 0", "number"),
        ("project", "providers: {example.com: {}}", "providers"),
        ("project", "tokens: {algorithm: HS256}", "tokens.algorithm"),
    ],
)
def test_a_schema_finds_a_mistake_where_it_stands(file, line, path):
    others = [each for each in SMALLEST[file] if each.partition(":")[0] != line.partition(":")[0]]
    assert faults(file, "\n".join([*others, line])) == [path]
