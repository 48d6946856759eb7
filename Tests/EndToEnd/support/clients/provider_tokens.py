"""Tokens of providers that a site keeps, as a back end gets them: `gatehouse provider-tokens get`."""

import json

from support.leaks import note


def get(site, account, provider="oidc.fake", project="demo"):
    """What the command prints, as JSON; where it fails, the reason."""
    result = site.run("provider-tokens", "get", project, account, provider, "--json", prints_secret=True)
    if result.returncode:
        assert result.returncode == 1 and not result.stdout, result
        return result.stderr
    answer = json.loads(result.stdout)
    for name in ("accessToken", "accessTokenSecret"):
        note(answer.get(name))
    return answer


def end_access_tokens(site):
    assert site.rows("UPDATE provider_tokens SET expires_at = now() + interval '1 minute'") > 0, "a minute counts as nothing"


def renewed(site, signed_in):
    """Lets the access token of a sign-in end; whether a back end then gets another one."""
    account, provider = signed_in["localId"], signed_in["providerId"]
    stored = get(site, account, provider)["accessToken"]
    end_access_tokens(site)
    newer = get(site, account, provider)
    assert isinstance(newer, dict), newer
    return stored == signed_in["oauthAccessToken"] != newer["accessToken"]
