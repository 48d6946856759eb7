"""Asks `gatehouse check` about many values, a few hundred in one process."""

import base64
import copy
import json
import pathlib
import re
import secrets
import subprocess
import tempfile
from dataclasses import dataclass, field

from support.configuration import page
from support.configuration.page import ENTRIES, ROWS, Row
from support.harness import BINARY, home
from support.names import TIMEOUT
from support.servers.site import environment, write_secret

# Only what is required. A mail server and providers are not; they are what questions on their keys stand on.
SERVER = {"publicURL": "https://auth.example.com", "database": {"env": "DATABASE_URL"}, "masterKey": {"file": "master.key"}}
MAIL = {"from": "no-reply@example.com", "smtp": {"host": "smtp.example.com"}}
DEVELOPMENT = {"development": True, "publicURL": "http://localhost:8080"}
PROVIDERS = {
    provider: {
        "clientId": "c",
        **({"clientSecret": {"env": "CLIENT_SECRET"}} if page.has_client_secret(provider) else {}),
        **{
            row.name: "https://id.example.com"
            for row in ROWS
            if row.section == f"providers.{provider}" and (row.value, row.default) == ("URL", "required")
        },
    }
    for provider in page.PROVIDERS
}
APPS = {
    "ios": {"ios": {"bundleId": "com.example.app", "clientId": "7-a1b2.apps.googleusercontent.com"}},
    "android": {"android": {"package": "com.example.app", "sha1": ["da39a3ee5e6b4b0d3255bfef95601890afd80709"]}},
}
OPENID_PROVIDER = {
    "clients": [{"id": "app", "kind": "native", "redirectURIs": ["com.example.app:/callback"]}],
    "userFlows": [{"name": "b2c_1_sign_in", "kind": "signIn"}],
}
EVENTS = [{"id": "crm", "url": "https://crm.example.com", "types": ["user.created"], "secrets": {"env": "WEBHOOK_SECRET"}}]
CONSOLE = {
    "listen": "127.0.0.1:8081",
    "publicURL": "https://console.example.com",
    "provider": {"oidc.staff": {"clientId": "c", "clientSecret": {"env": "CLIENT_SECRET"}, "issuer": "https://staff.example.com"}},
    "operators": [{"subject": "1", "email": "ann@example.com", "name": "Ann", "role": "admin"}],
}
# One of its keys can stand in for another, so each is asked about by itself.
OPERATOR = "console.operators[]."
# Keys that are read only beside the value of another key.
NEEDS = {"mail.smtp": ("mail.transport", "smtp"), "mail.folder": ("mail.transport", "file")}
MISSING = object()


def project(number, **more):
    """A project without faults that has only the required keys."""
    hosts = ["auth.example.com", "localhost"]
    return {"project": f"page-{number}", "number": number, "apiKeys": [f"key-{number}"], "authorizedDomains": hosts, **more}


@dataclass
class Question:
    """A question: what does the binary say about this value of this key? `answer` has its messages."""

    row: Row
    value: object
    development: bool = False
    answer: list = field(default_factory=list)

    @property
    def settings(self):
        """The value together with the keys that it needs."""
        needed = (need for prefix, need in NEEDS.items() if self.row.file == "server" and f"{self.row.key}.".startswith(prefix + "."))
        condition = self.row.condition
        beside = [(f"{self.row.section}.{condition[0]}", condition[1])] if condition else []
        return [*needed, *beside, (self.row.key, self.value)]

    @property
    def refusals(self):
        """The messages that refuse the value itself, and not its combination with other values."""
        return [message for message in self.answer if message.startswith(("expected ", "secrets come by reference only"))]


def put(document, key, value):
    """Sets one key of a document, or takes it away; `apps[].name` is a key of the first app."""
    for entry in ENTRIES:
        if key.startswith(entry + "."):
            document, key = document["providers"][entry.removeprefix("providers.")], key.removeprefix(entry + ".")
    *path, last = key.split(".")
    for name in path:
        document = document[name[:-2]][0] if name.endswith("[]") else document.setdefault(name, {})
    if value is MISSING:
        document.pop(last, None)
    else:
        document[last] = value


def clash(left, right):
    """Whether two questions cannot be asked in one file, because they set one key differently or one sets a parent of the other."""

    def holds(one, other):
        return other.replace("[]", "").startswith(one.replace("[]", "") + ".")

    return (
        any(
            (one == other and value != wanted) or holds(one, other) or holds(other, one) or OPERATOR in one and OPERATOR in other
            for one, value in left.settings
            for other, wanted in right.settings
        )
        or left.row == right.row
    )


def check(server, projects, folder=None):
    """The faults of one configuration: `(file, key, message)` for each, and the whole output. The files are JSON, which is YAML."""
    folder = folder or pathlib.Path(tempfile.mkdtemp(dir=home))
    (folder / "projects").mkdir(exist_ok=True)
    write_secret(folder / "master.key", base64.b64encode(secrets.token_bytes(32)).decode())
    for name, text in {"gatehouse": server, **{f"projects/{name}": text for name, text in projects.items()}}.items():
        (folder / f"{name}.yaml").write_text(text if isinstance(text, str) else json.dumps(text))
    variables = environment(
        DATABASE_URL="postgresql://gatehouse@db.internal/gatehouse", WEBHOOK_SECRET="whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    )
    command = [BINARY, "check", "--config", folder / "gatehouse.yaml"]
    result = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=TIMEOUT)
    assert result.returncode in (0, 1) and not result.stderr, result.stderr
    line = re.compile(r"^/\S+/([\w-]+)\.yaml(?::\d+:\d+)? +([\w.\[\]§-]+): (.*)$", re.MULTILINE)
    return line.findall(result.stdout) if result.returncode else [], result.stdout


def ask(questions):
    """Answers questions on a server's file in as few files as they fit in, and each question on a project's file in a file of its own."""
    for development in (False, True):
        base = {**SERVER, **(DEVELOPMENT if development else {}), "mail": MAIL, "console": CONSOLE}
        asked = [question for question in questions if question.development == development]
        for together in _fitting(question for question in asked if question.row.file == "server"):
            server = copy.deepcopy(base)
            for key, value in (setting for question in together for setting in question.settings):
                put(server, key, value)
            faults, _ = check(server, {"project": project(1)})
            for question in together:
                question.answer = messages(faults, "gatehouse", question.row.key)
        of_projects = {f"p{index}": question for index, question in enumerate(asked) if question.row.file == "project"}
        if of_projects:
            faults, _ = check(base, {name: _project(name, question) for name, question in of_projects.items()})
            for name, question in of_projects.items():
                question.answer = messages(faults, name, question.row.key)
    return questions


def _fitting(questions):
    """Groups of questions that do not disturb one another."""
    groups = []
    for question in questions:
        group = next((group for group in groups if not any(clash(question, other) for other in group)), None)
        if group is None:
            groups.append(group := [])
        group.append(question)
    return groups


def _project(name, question):
    row = question.row
    document = project(1000 + int(name[1:]))
    if row.key.startswith("providers."):
        document["providers"] = copy.deepcopy(PROVIDERS)
    if row.key.startswith("apps[]."):
        document["apps"] = [copy.deepcopy(APPS["android" if row.section.endswith("android") else "ios"])]
    if row.key.startswith("events[]."):
        document["events"] = copy.deepcopy(EVENTS)
    if row.key.startswith("hooks."):
        name = row.key.split(".")[1]
        document["hooks"] = {name: {"url": "https://hooks.example.com", "secrets": {"env": "WEBHOOK_SECRET"}}}
    if row.key.startswith("openIDProvider."):
        document["openIDProvider"] = copy.deepcopy(OPENID_PROVIDER)
    for key, value in question.settings:
        put(document, key, value)
    return document


def messages(faults, file, key):
    """The messages about a key or about a part of it."""
    key = key.replace("[]", "[0]")
    return [message for name, path, message in faults if name == file and (path == key or path.startswith((key + ".", key + "[")))]
