"""The examples of `docs/backends` for JWT libraries, line for line: they accept a token of ours, and refuse what they must."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import jwt
import pytest

from support.accounts import person
from support.admin_sdk.pages import example
from support.admin_sdk.tokens import expired_token, forgeries
from support.clients.api import API
from support.harness import home
from support.names import METHODS, OTHER, PROJECT
from support.servers.site import Site

# What stands around an example: it gets the token as its argument, and prints what the example prints.
PYTHON = "import sys\ntoken = sys.argv[1]\n"
NODE = "const token = process.argv[2];\n"
GO = """package main

import (
	"context"
	"fmt"
	"log"
	"os"

	oidc "github.com/coreos/go-oidc"
)

func verify(ctx context.Context, token string) error {
%s	return nil
}

func main() {
	if err := verify(context.Background(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}
"""


@pytest.fixture(scope="module")
def site():
    firebase = {"signIn": METHODS, "tokens": {"issuer": "firebase"}}
    site = Site(project=firebase, others={"other": {**OTHER, **firebase}})
    site.expired = expired_token(site)
    site.serve()
    yield site
    site.close()


def text_of(language, site):
    return example("verify.md", language, "verify").replace("https://auth.example.com", site.url)


def python(site, folder):
    (folder / "verify.py").write_text(PYTHON + text_of("python", site))
    return [sys.executable, folder / "verify.py"]


def node(site, folder):
    text = text_of("js", site)
    # Node looks for modules beside the file.
    (folder / "node_modules").symlink_to("/usr/share/nodejs")
    imports = "".join(line + "\n" for line in text.splitlines() if line.startswith("import "))
    (folder / "verify.mjs").write_text(imports + NODE + text.removeprefix(imports))
    return ["node", folder / "verify.mjs"]


def go(site, folder):
    (folder / "main.go").write_text(GO % text_of("go", site))
    environment = {**os.environ, "GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOCACHE": f"{folder}/cache", "GOFLAGS": ""}
    built = subprocess.run(["go", "build", "-o", "verify", "."], cwd=folder, env=environment, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return [folder / "verify"]


@pytest.fixture(scope="module", params=[python, node, go], ids=lambda language: language.__name__)
def verify(request, site):
    """Runs one language's example; gives its exit status and what it printed."""
    command = request.param(site, pathlib.Path(tempfile.mkdtemp(prefix="example-", dir=home)))

    def run(token):
        done = subprocess.run([*command, token], capture_output=True, text=True, env={**os.environ, "NO_PROXY": "127.0.0.1"})
        return done.returncode, done.stdout.strip() if done.returncode == 0 else done.stderr

    return run


def test_the_example_accepts_what_gatehouse_issues(verify, site):
    made = API(site.url).succeed("signUp", {"email": f"{person()}@example.com", "password": "correct horse", "returnSecureToken": True})
    assert verify(made["idToken"]) == (0, f"{made['localId']} password")


def test_the_example_refuses_what_it_must(verify, site):
    own = API(site.url).succeed("signUp", {"returnSecureToken": True})["idToken"]
    other = API(site.url, OTHER["apiKeys"][0]).succeed("signUp", {"returnSecureToken": True})["idToken"]
    keys = f"{site.url}/{PROJECT}/oauth2/jwks"
    accepted = [what for what, token in forgeries(own, other, site.expired, jwt.PyJWKClient(keys)) if verify(token)[0] == 0]
    assert not accepted


def test_the_table_of_examples_names_each_of_them():
    page = example.__globals__["FOLDER"].joinpath("verify.md").read_text()
    assert re.findall(r"^\| \[(\w+)\]\(#", page, re.MULTILINE) == re.findall(r"^### (Python|Node|Go|Java|Swift)$", page, re.MULTILINE)
