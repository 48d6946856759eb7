import pytest

from support.openid.registrations import BASIC


@pytest.fixture(params=[None, "form_post"], ids=["basic", "form_post"])
def mode(request):
    """The plans Basic OP and Form Post OP have the same modules; the latter asks for each answer by a form."""
    return request.param


@pytest.fixture
def rp(party, mode):
    """The certification client, at the browser in which Ada is signed in."""
    return party(BASIC, mode=mode)


@pytest.fixture
def fresh(newcomer, mode):
    """The certification client, at a browser in which nobody has signed in."""
    return newcomer(BASIC, mode=mode)
