"""A person at the hosted page of a project that is an OpenID provider."""

from selenium.webdriver.common.by import By


class HostedPage:
    """The page that a tab shows, or is about to show.

    `tab` is a `Tab`. A browser that has a session at the page is asked first whether its person signs in."""

    def __init__(self, tab, project="people"):
        self.tab = tab
        self.path = f"/{project}/sign-in"

    def sign_in(self, person):
        """Signs in with an address and a password, or goes on as this person."""
        self.tab.at(self.path)
        if self._finds("other"):
            if person.email in self.tab.driver.find_element(By.ID, "go").text:
                self.tab.click("#go")
                return
            self.tab.click("#other")
        self.tab.until(lambda: self._type("email", person.email) and self._type("password", person.password), "form to sign in")
        self.tab.click("#go")

    def _finds(self, name):
        return bool(self.tab.driver.find_elements(By.ID, name))

    def _type(self, name, text):
        field = self.tab.driver.find_element(By.ID, name)
        field.clear()
        field.send_keys(text)
        return field.get_attribute("value") == text
