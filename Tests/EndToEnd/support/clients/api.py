"""The JSON calls, as a client with an API key makes them."""

import contextlib
from urllib.parse import urlencode

import requests

from support.leaks import note_fields
from support.names import API_KEY, TIMEOUT

BAD_CREDENTIAL = "INVALID_CREDENTIAL_OR_PROVIDER_ID"


class API:
    """The JSON calls, as a client with an API key makes them."""

    def __init__(self, url, key=API_KEY):
        self.url = url
        self.key = key

    def post(self, path, body=None, *, key=..., session=requests, **options):
        key = self.key if key is ... else key
        params = {"key": key} if key is not None else {}
        if isinstance(body, dict):
            note_fields(body)
            options["json"] = body
        elif body is not None:
            options["data"] = body
        response = session.post(self.url + path, params=params, timeout=TIMEOUT, **options)
        with contextlib.suppress(ValueError):
            answer = response.json()
            if isinstance(answer, dict):
                note_fields(answer)
        return response

    def call(self, method, body):
        return self.post(f"/v1/accounts:{method}", body)

    def succeed(self, method, body):
        response = self.call(method, body)
        assert response.status_code == 200, response.text
        assert response.headers["content-type"].startswith("application/json")
        return response.json()

    def refresh(self, token, **options):
        return self.post("/v1/token", {"grantType": "refresh_token", "refreshToken": token}, **options)

    def lookup(self, id_token):
        users = self.succeed("lookup", {"idToken": id_token})["users"]
        assert len(users) == 1
        return users[0]


def assert_error(response, code, status=400):
    """Asserts Google's error envelope with this code; returns the whole message."""
    assert response.status_code == status, f"{response.status_code} {response.text}"
    assert response.headers["content-type"].startswith("application/json"), response.headers
    error = response.json()["error"]
    assert set(response.json()) == {"error"}
    assert error["code"] == status
    message = error["message"]
    assert message == code or message.startswith(code + " : ") or code.endswith("*") and message.startswith(code[:-1]), message
    assert error["errors"], "errors must not be empty"
    for item in error["errors"]:
        assert all(isinstance(value, str) for value in item.values()), "iOS casts every item to strings"
        assert item["message"] == message
        assert {"domain", "reason"} <= set(item)
    return message


def posted(api, body, **more):
    return api.call("signInWithIdp", {"requestUri": "http://localhost", "postBody": urlencode(body), "returnSecureToken": True, **more})
