"""A person who uses relying parties with a browser without scripts, and signs in at the provider's pages."""

from urllib.parse import urlsplit

from support.leaks import note_fields
from support.openid.pages import Browser, Page
from support.openid.person import PAGES, SignIn


class Visitor(Browser):
    """`parties` are the origins of relying parties that exist. The addresses of others, which are the clients' own, are not opened."""

    def __init__(self, provider, *parties, person=None):
        super().__init__(provider.origin)
        self.origins = {provider.origin, *parties}
        self.verify = provider.authority
        self.person = person or provider.person()
        self.passwords_typed = 0
        # What the person does instead of going on, as `SignIn` has it.
        self.decide = None

    def is_ours(self, url):
        parts = urlsplit(url)
        return f"{parts.scheme}://{parts.netloc}" in self.origins

    def visit(self, url):
        """Opens an address and does what the provider's pages ask; gives the last response, which may be a redirect to an app."""
        response = self.follow(self.get(url))
        for _ in range(8):
            page = Page(response)
            if response.is_redirect:
                return response
            if form := posting(page):
                if not self.is_ours(form.action):
                    return response
                response = self.submit(page, form)
            elif any(page.form_with_step(step) for step in PAGES):
                kind, response = SignIn(self, self.person, self.decide).act(page)
                self.passwords_typed += kind == "sign-in"
            else:
                return response
        raise AssertionError(f"forms without end, at last {response.url}: {response.text}")

    def back(self, url):
        """The address of the client to which the provider redirects, in the end, when the person opens `url`."""
        response = self.visit(url)
        assert response.is_redirect, f"{response.status_code} at {response.url}: {response.text}"
        return response.headers["location"]

    def posted_back(self, url):
        """The form that the provider has the browser post to the client, in the end, when the person opens `url`."""
        form = posting(Page(self.visit(url)))
        assert form is not None and form.method == "POST"
        note_fields(form.fields)
        return form


def posting(page):
    """The form that posts the provider's answer to the relying party, which a script sends where there are scripts."""
    return next((form for form in page.forms if "state" in form.fields and {"code", "error"} & set(form.fields)), None)
