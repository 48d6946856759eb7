"""The configurations of providers, which the SDK reads and cannot write, since the project's file is where they are."""

import pytest
from firebase_admin import auth, exceptions

from support.names import CLIENT_SECRET


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


def test_a_write_says_which_file_to_edit(sdk):
    named = {"provider_id": "oidc.new", "client_id": "x", "issuer": "https://x.example.com", "display_name": "X", "enabled": True}
    for write in (
        lambda: sdk.create_oidc_provider_config(**named),
        lambda: sdk.update_oidc_provider_config("oidc.first", display_name="X"),
        lambda: sdk.delete_oidc_provider_config("oidc.first"),
    ):
        with pytest.raises(exceptions.FirebaseError) as error:
            write()
        assert "demo.yaml" in str(error.value) or "file" in str(error.value), error.value
