"""People and their accounts."""

import secrets

from support.harness import counter


def address():
    """An address that no other test of this process has."""
    return f"person{next(counter)}@example.com"


def person():
    """The name at a provider of a person who has not signed in before."""
    return "p-" + secrets.token_hex(4)


def sign_up(api, email=None, password="correct horse", **more):
    """A new account with a password; gives the answer."""
    return api.succeed("signUp", {"email": email or address(), "password": password, "returnSecureToken": True, **more})


def anonymous(api):
    """Asks for a guest's account; gives the response."""
    return api.call("signUp", {"returnSecureToken": True})


def update(api, token, **fields):
    """Asks for a change of an account; gives the response."""
    return api.call("update", {"idToken": token, "returnSecureToken": True, **fields})
