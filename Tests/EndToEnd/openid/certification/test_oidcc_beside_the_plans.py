"""Modules of the OpenID Foundation's conformance suite that are in no plan for this provider, and still worth a test."""

import jwt
import pytest

from support.openid.checks import assert_page
from support.openid.registrations import BASIC, WITH_QUERY
from support.openid.relying_party import RelyingParty
from support.openid.site import OpenIDSite


def test_oidcc_ensure_redirect_uri_in_authorization_request(rp):
    assert_page(rp.open(redirect_uri=None))


def test_oidcc_redirect_uri_query_OK(party, mode):
    """What the registered address has in its query stays, and the answer is added to it."""
    rp = party(WITH_QUERY, mode=mode)
    answer = rp.check_answer(rp.authorize())
    assert answer.uri == WITH_QUERY.redirect_uri
    if mode is None:
        assert answer.response.headers["location"].startswith(WITH_QUERY.redirect_uri + "&")
    assert rp.claims(rp.tokens(answer)["id_token"], answer.sent["nonce"])


def test_oidcc_redirect_uri_query_added(rp):
    uri = BASIC.redirect_uri + "?foo=bar"
    assert_page(rp.open(redirect_uri=uri), uri=uri)


@pytest.mark.parametrize("query", ["?dummy1=lorem&dummy2=ipsum&foo=bar", "?dummy1=lorem", "?dummy2=ipsum&dummy1=lorem", ""])
def test_oidcc_redirect_uri_query_mismatch(party, mode, query):
    uri = WITH_QUERY.redirect_uri.partition("?")[0] + query
    assert_page(party(WITH_QUERY, mode=mode).open(redirect_uri=uri), uri=uri)


def test_oidcc_server_rotate_keys():
    """The suite has the operator rotate the keys between two looks at them."""
    site = OpenIDSite()
    try:
        site.serve()
        rp = RelyingParty(site.issuer, BASIC)
        before = {key.key_id for key in rp.keys().keys}
        first = rp.sign_in(site.person()).tokens["id_token"]
        new = site.run("keys", "rotate", check=True).stdout.strip().split()[-1]
        site.servers.pop().stop()
        site.serve()
        after = {key.key_id for key in rp.keys().keys}
        assert before < after and new not in before
        assert rp.claims(first, jwt.decode(first, options={"verify_signature": False})["nonce"])
    finally:
        site.close()
