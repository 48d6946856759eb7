"""A passkey that was the first proof at a hosted page is not the second one, too."""

import json
import re
from urllib.parse import urljoin

from support.accounts import address
from support.hosted_pages.second_factor import enrol, prove
from support.hosted_pages.stage import PASSWORD, HostedSite, account
from support.hosted_pages.visitor import Visitor
from support.names import TIMEOUT
from support.passkeys import Authenticator, PasskeyAPI


def test_one_passkey_is_not_two_factors():
    stage = HostedSite(project={"mfa": {"state": "enabled"}})
    stage.serve_with_passkeys(countAsSecondFactor=False)
    try:
        api = stage.servers[0].api()
        email = account(stage, api, address())["email"]
        prove(stage, email)
        token = api.succeed("signInWithPassword", {"email": email, "password": PASSWORD, "returnSecureToken": True})["idToken"]
        key = Authenticator(rp_id="localhost", origin=stage.url)
        PasskeyAPI(api).enrol(token, key)
        enrol(api, email)

        visitor = Visitor(stage)
        first = visitor.open(stage.request(prompt="login").url)

        data = json.loads(re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', first.response.text, re.S).group(1))
        # As the page's script sends it.
        form = {"do": "passkey", "credential": json.dumps(key.get(data["request"]))}
        own = {"origin": "null", "sec-fetch-site": "same-origin"}
        second = visitor.follow(
            visitor.post(urljoin(first.url, first.forms[0]["action"]), data=form, headers=own, allow_redirects=False, timeout=TIMEOUT)
        )
        assert "secondFactor" in second.url and "to-passkey" not in second.links
        # Nor does its page show, or take an answer, for those who type the address.
        third = visitor.open(second.url.replace("secondFactor", "passkey"))
        assert 'id="use-passkey"' not in third.response.text
    finally:
        stage.close()
