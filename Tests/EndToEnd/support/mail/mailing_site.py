"""A site that mails to a real SMTP server, the mails by address, and their links."""

import re

from support.clients.flows import query_of
from support.harness import wait_until
from support.leaks import note_url
from support.mail.smtp import Post
from support.names import METHODS
from support.servers.site import MAILS, Site

UNLIMITED = {
    "signUp": {"perAddress": "none"},
    "password": {"perAccountAndAddress": "none", "perAccount": "none", "perAddress": "none"},
    "actionCode": {"perAddress": "none"},
    **{action: {second: "none", "perAccount": "none", "perAddress": "none"} for action, second in MAILS.items()},
}
ADA = {"email": "ada@example.com", "password": "correct horse battery"}
APP = "https://app.example.com/finish?cart=7#top"


def project(name, number, **more):
    return {
        "project": name,
        "number": number,
        "apiKeys": [f"{name}-key", "spare-" + name],
        "authorizedDomains": ["app.example.com"],
        "limits": UNLIMITED,
        **more,
    }


class MailingSite(Site):
    """`demo` protects addresses from enumeration, `open-project` does not, `closed-project` has everything switched off."""

    def __init__(self, **options):
        self.post = Post()
        others = {
            "open": project("open-project", 2, signIn=METHODS, emailEnumerationProtection=False),
            "closed": project("closed-project", 3),
            "policy": project(
                "policy-project",
                4,
                signIn=METHODS,
                passwordPolicy={"enforcement": "enforce", "minLength": 10, "numeric": True, "uppercase": True},
            ),
        }
        settings = {"mail": self.post.settings(), **options.pop("settings", {})}
        demo = {"signIn": METHODS, "limits": UNLIMITED, "branding": {"name": "Acme", "accent": "#225588"}, **options.pop("project", {})}
        super().__init__(settings=settings, project=demo, others=others, **options)

    def mails(self, address):
        return [mail for mail in self.post.messages if mail.recipients == [address]]

    def mail(self, address, count=1):
        """The n-th mail to this address, once it has arrived."""
        wait_until(lambda: len(self.mails(address)) >= count, what=f"mail {count} to {address}")
        return self.mails(address)[count - 1]

    def link(self, address, count=1):
        return link_in(self.mail(address, count))

    def code(self, address, count=1):
        return code_in(self.mail(address, count))

    def asked(self, api, kind, person, **more):
        """The link of a mail of this kind, which a person asks for now who has just signed up."""
        body = {"requestType": kind, "continueUrl": APP, **more}
        body |= {"idToken": person["idToken"]} if "VERIFY" in kind else {"email": person["email"]}
        recipient = more.get("newEmail", person["email"])
        count = len(self.mails(recipient)) + 1
        api.succeed("sendOobCode", body)
        return self.link(recipient, count)

    def close(self):
        super().close()
        self.post.close()


def link_in(mail):
    return note_url(re.search(r"https?://\S+", mail.text).group())


def code_in(mail):
    return query_of(link_in(mail))["oobCode"]


def ask_for_reset(site, email=ADA["email"], **headers):
    """Asks for a new password, as an app that sends these headers."""
    body = {"requestType": "PASSWORD_RESET", "email": email}
    return (
        site.servers[-1]
        .api()
        .post("/v1/accounts:sendOobCode", body, headers={name.replace("_", "-"): value for name, value in headers.items()})
    )
