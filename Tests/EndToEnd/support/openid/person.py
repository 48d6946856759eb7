"""The person at the hosted pages."""

# What the button of a page does, and what these tests call the page.
PAGES = {"password": "sign-in", "choose": "account", "allow": "consent", "profile": "profile"}


class SignIn:
    """What the person does on one page: signs in, goes on with the account, consents, fills in the profile."""

    def __init__(self, browser, person, decide=None):
        """`decide`: `cancel` leaves by the first page, `refuse` by the page that asks for consent; `None` goes on."""
        self.browser = browser
        self.person = person
        self.decide = decide

    def act(self, page):
        """Does what the page asks for; gives the kind of the page, and the response that follows."""
        assert page.response.status_code == 200, f"{page.response.status_code} {page.response.text[:3000]}"
        form, button, kind = self.step(page)
        if self.decide == "cancel" or self.decide == "refuse" and kind == "consent":
            form, button = page.form_with_step("cancel")
            return kind, self.browser.submit(page, form, button)
        filled = {}
        if kind == "sign-in":
            filled = {"email": self.person.email, "password": self.person.password}
        elif kind == "profile":
            filled = {name: value or self.person.name for name, value in form.fields.items()}
        return kind, self.browser.submit(page, form, button, **filled)

    def step(self, page):
        for step, kind in PAGES.items():
            found = page.form_with_step(step)
            if found:
                return *found, kind
        raise AssertionError(f"no form that a person understands: {page.response.text[:3000]}")
