"""`gatehouse config schema`: what editors know of the configuration files."""

import functools
import json
import subprocess

import jsonschema
import pytest
import yaml

from support import harness
from support.configuration import page
from support.configuration.page import MICROSOFT, ROWS

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


def test_the_schemas_are_schemas():
    for file in EXAMPLES:
        jsonschema.Draft7Validator.check_schema(schema(file))


@pytest.mark.parametrize("file", EXAMPLES)
def test_a_schema_has_every_key_that_the_page_has_and_no_other(file):
    assert keys(schema(file)).keys() == {row.key for row in ROWS if row.file == file}


@pytest.mark.parametrize("row", [row for row in ROWS if row.literal], ids=str)
def test_a_schema_has_the_default_of_the_page(row):
    default = keys(schema(row.file))[row.key].get("default")
    if row.key == f"{MICROSOFT}.clientAuth":
        assert "Microsoft `post`" in row.default and default == "post"
    elif default is not None:
        is_time = row.value.startswith("time")
        assert (
            page.seconds(default) == page.seconds(row.literal)
            if is_time
            else str(default) == row.literal or default == json.loads(row.literal)
        )


@pytest.mark.parametrize("file", EXAMPLES)
def test_the_annotated_example_follows_its_schema_and_names_it(file):
    text = (harness.ROOT / EXAMPLES[file]).read_text()
    assert text.startswith("# yaml-language-server: $schema=")
    assert faults(file, text) == []


def test_the_examples_of_the_page_follow_the_schemas():
    for server, *projects in page.examples().values():
        for file, text in [("server", server), *(("project", text) for text in projects)]:
            assert faults(file if "publicURL" in text and "masterKey" in text else "project", text) == []


@pytest.mark.parametrize(
    ("file", "line", "path"),
    [
        ("server", "lissten: 127.0.0.1:80", ""),
        ("server", "loops: many", "loops"),
        ("server", "loops: 257", "loops"),
        ("server", "limits: {bodyRead: soon}", "limits.bodyRead"),
        ("server", "logLevel: loud", "logLevel"),
        ("server", "database: postgresql://gatehouse:secret@db/gatehouse", "database"),
        ("server", "mail: {smtp: {prot: 25}}", "mail.smtp"),
        ("project", "signIn: {password: yes please}", "signIn.password"),
        ("project", "apps: [{ios: {bundel: com.example.app}}]", "apps.0.ios"),
        ("project", "providers: {oidc.example: {issuers: https://id.example.com}}", "providers.oidc.example"),
        ("project", "providers: {example.com: {}}", "providers"),
        ("project", "tokens: {algorithm: HS256}", "tokens.algorithm"),
    ],
)
def test_a_schema_finds_a_mistake_where_it_stands(file, line, path):
    required = {"server": "database: {env: A}\nmasterKey: {env: B}\n", "project": ""}[file]
    found = faults(file, (required if "database" not in line else "masterKey: {env: B}\n") + line)
    assert path in found
