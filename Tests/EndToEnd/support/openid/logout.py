"""The person and the relying party at the logout endpoint."""

from support.openid.checks import assert_page
from support.openid.relying_party import delivered


def is_signed_in(rp):
    """Whether the provider gives a code without a page."""
    answer = delivered(rp.open(prompt="none", response_mode=None), rp.client.redirect_uris)
    assert answer, "a page in answer to prompt=none"
    if answer.parameters.get("error") == "login_required":
        return False
    assert "code" in answer.parameters, answer.parameters
    return True


def confirmed(rp, page):
    """The person presses the button of the page that asks; gives what follows."""
    forms = [form for form in page.forms if form.method == "POST"]
    assert len(forms) == 1 and forms[0].buttons, page.response.text
    return rp.browser.submit(page, forms[0], forms[0].buttons[0])


def signed_out_page(response):
    page = assert_page(response, 200)
    assert not page.forms, "there is nothing left to ask"
    return page
