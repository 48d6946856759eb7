"""What a person does at the provider's pages in a real browser."""


def sign_in(tab, provider, person):
    """Types address and password at the sign-in page."""
    tab.at(provider.origin)
    tab.until(lambda: typed(tab, "input[type=email]", person.email), "field for the address")
    typed(tab, "input[type=password]", person.password)
    tab.click("#go")


def typed(tab, field, text):
    tab.driver.find_element("css selector", field).send_keys(text)
    return True


def refusals(tab):
    """The complaints of the browser about a policy of the page."""
    return [text for text in tab.complaints() if "Content Security Policy" in text or "Refused to" in text]
