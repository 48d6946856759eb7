"""The configurations of providers, which the SDK reads. In production it cannot write them, since the project's file is where
they are."""

import pytest
import requests
from firebase_admin import auth, exceptions

from support.names import CLIENT_SECRET, PROJECT, TIMEOUT


def test_one_is_read(sdk):
    config = sdk.get_oidc_provider_config("oidc.first")
    assert (config.provider_id, config.client_id, config.issuer) == ("oidc.first", "first-client", "https://first.example.com")
    assert config.enabled is True and config.client_secret != CLIENT_SECRET


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_all_are_listed_in_pages(sdk, size):
    pages = sdk.config_pages("oidc", size)
    assert [config.provider_id for page in pages for config in page] == ["oidc.first", "oidc.second", "oidc.third"]
    assert all(len(page) <= size for page in pages)


def test_there_are_no_SAML_providers(sdk):
    assert sdk.config_pages("saml") in ([], [[]])
    with pytest.raises(auth.ConfigurationNotFoundError):
        sdk.get_saml_provider_config("saml.none")


def test_an_unknown_one_is_not_found(sdk):
    with pytest.raises(auth.ConfigurationNotFoundError):
        sdk.get_oidc_provider_config("oidc.none")


NEW = {"provider_id": "oidc.new", "client_id": "x", "issuer": "https://x.example.com", "display_name": "X", "enabled": True}


def test_a_write_says_which_file_to_edit(production_stage):
    sdk = production_stage.sdk
    for write in (
        lambda: sdk.create_oidc_provider_config(**NEW),
        lambda: sdk.update_oidc_provider_config("oidc.first", display_name="X"),
        lambda: sdk.delete_oidc_provider_config("oidc.first"),
    ):
        with pytest.raises(exceptions.FirebaseError) as error:
            write()
        assert "demo.yaml" in str(error.value), error.value
    with pytest.raises(exceptions.FirebaseError) as error:
        sdk.create_oidc_provider_config(**NEW, client_secret=CLIENT_SECRET, code_response_type=True)
    lines = 'providers: {oidc.new: {issuer: "https://x.example.com", clientId: "x", clientSecret: {env: OIDC_NEW_SECRET}}}'
    assert lines in str(error.value) and CLIENT_SECRET not in str(error.value)


def test_in_development_a_provider_is_made_changed_and_deleted(development_stage):
    sdk = development_stage.sdk
    made = sdk.create_oidc_provider_config(**NEW)
    assert (made.provider_id, made.client_id, made.issuer, made.display_name, made.enabled) == tuple(NEW.values())
    assert made.id_token_response_type and not made.code_response_type
    assert [config.provider_id for page in sdk.config_pages("oidc", 100) for config in page] == [
        "oidc.first",
        "oidc.new",
        "oidc.second",
        "oidc.third",
    ]
    changed = sdk.update_oidc_provider_config(
        "oidc.new", client_id="y", client_secret=CLIENT_SECRET, code_response_type=True, id_token_response_type=False
    )
    assert changed.client_id == "y" and changed.display_name == "X" and changed.code_response_type
    assert sdk.get_oidc_provider_config("oidc.new").client_id == "y"
    with pytest.raises(exceptions.FirebaseError) as error:
        sdk.create_oidc_provider_config(**NEW)
    assert "CONFIGURATION_EXISTS" in str(error.value)
    sdk.delete_oidc_provider_config("oidc.new")
    with pytest.raises(auth.ConfigurationNotFoundError):
        sdk.get_oidc_provider_config("oidc.new")


def test_in_development_an_entry_of_the_file_stays(development_stage):
    sdk = development_stage.sdk
    for write in (
        lambda: sdk.update_oidc_provider_config("oidc.first", display_name="X"),
        lambda: sdk.delete_oidc_provider_config("oidc.first"),
    ):
        with pytest.raises(exceptions.FirebaseError) as error:
            write()
        assert "demo.yaml" in str(error.value)


def test_in_development_a_provider_of_the_catalogue_is_made_changed_and_deleted(development_stage):
    """No SDK for Python has these calls; console and Terraform make them."""
    configs = f"{development_stage.site.url}/identitytoolkit.googleapis.com/v2/projects/{PROJECT}/defaultSupportedIdpConfigs"
    owner = {"headers": {"Authorization": "Bearer owner"}, "timeout": TIMEOUT}
    made = requests.post(
        configs, params={"idpId": "github.com"}, json={"clientId": "x", "clientSecret": CLIENT_SECRET, "enabled": True}, **owner
    )
    expected = {"name": f"projects/{PROJECT}/defaultSupportedIdpConfigs/github.com", "enabled": True, "clientId": "x"}
    assert made.status_code == 200 and made.json().items() >= expected.items() and CLIENT_SECRET not in made.text, made.text
    one = f"{configs}/github.com"
    changed = requests.patch(one, params={"updateMask": "clientId"}, json={"clientId": "y", "enabled": False}, **owner)
    assert changed.status_code == 200 and changed.json()["clientId"] == "y" and changed.json()["enabled"], changed.text
    assert requests.get(one, **owner).json() == changed.json()
    assert requests.delete(one, **owner).json() == {}
    gone = requests.get(one, **owner)
    assert gone.status_code == 404 and gone.json()["error"]["message"] == "CONFIGURATION_NOT_FOUND"
    assert requests.get(f"{configs}/google.com", **owner).json()["clientId"] == "google-client"


@pytest.mark.parametrize("mode", ["development", "production"])
def test_no_provider_by_SAML_is_made(stages, mode):
    saml = {"idp_entity_id": "x", "sso_url": "https://x.example.com", "x509_certificates": ["x"], "rp_entity_id": "y"}
    with pytest.raises(exceptions.FirebaseError) as error:
        stages(mode).sdk.create_saml_provider_config("saml.new", callback_url="https://y.example.com", **saml)
    assert "SAML" in str(error.value)
