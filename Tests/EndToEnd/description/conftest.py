"""A server in production and one in development mode, for the tests that go through every call."""

import pytest

from support.migration.service_accounts import ServiceAccount
from support.names import METHODS, OTHER, PRODUCTION
from support.servers.site import Site, write_secret

PROVIDER = {
    "clients": [{"id": "app", "kind": "native", "authentication": "none", "redirectURIs": ["com.example.app:/back"]}],
}


@pytest.fixture(scope="module")
def projects(tmp_path_factory):
    """Settings with which every call does something."""
    folder = tmp_path_factory.mktemp("keys")
    keys = {"serviceAccount": "signer", "administrator": "administrator"}
    for name in keys.values():
        write_secret(folder / f"{name}.json", ServiceAccount(name, "acme-prod").file())
    firestore = {"projectId": "acme-prod", **{setting: {"file": str(folder / f"{name}.json")} for setting, name in keys.items()}}
    phone = {"enabled": True, "testNumbers": {"+16505550101": "123456"}}
    mfa = {"state": "enabled", "sms": True}
    return {"signIn": METHODS, "openIDProvider": PROVIDER, "firestore": firestore, "phone": phone, "mfa": mfa}


@pytest.fixture(scope="module")
def production(projects):
    projects = {**projects, "passkeys": {"rpId": "auth.example.com", "origins": ["https://auth.example.com"]}}
    site = Site(
        settings=PRODUCTION,
        project={**projects, "redirectURLs": [], "authorizedDomains": ["auth.example.com", "localhost"]},
        tenants={"tenant": without_firestore(projects)},
        others={"other": {**OTHER, **projects}},
    )
    site.serve()
    yield site
    site.close()


def without_firestore(projects):
    """Settings of a tenant."""
    return {name: value for name, value in projects.items() if name != "firestore"}


@pytest.fixture(scope="module")
def development(projects):
    projects = {**projects, "passkeys": {"rpId": "localhost", "origins": ["http://localhost:3000"]}}
    site = Site(
        settings={"developmentProject": "demo"},
        project=projects,
        tenants={"tenant": without_firestore(projects)},
        others={"other": {**OTHER, **projects}},
    )
    site.serve()
    yield site
    site.close()
