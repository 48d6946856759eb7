"""Django OAuth Toolkit, from PyPI, in a site of one file: importing this configures Django for the process.

<https://github.com/django-oauth/django-oauth-toolkit>
"""

import secrets
import tempfile

import django
import requests
from django.conf import settings

from support.accounts import address
from support.forms import fields_of
from support.harness import home
from support.jwts import Key
from support.leaks import note_url
from support.names import CLIENT_SECRET, TIMEOUT
from support.real_issuers.real_issuer import RealIssuer
from support.web_server import WebServer

PASSWORD = "correct horse"
LOGIN_PAGE = '<form method="post">{% csrf_token %}{{ form }}</form>'

settings.configure(
    SECRET_KEY=secrets.token_urlsafe(32),
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    LOGIN_URL="/login",
    LOGGING_CONFIG=None,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": tempfile.mkdtemp(prefix="django-", dir=home) + "/django.db"}},
    # Fast, as Django's documents have it for tests.
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "oauth2_provider"],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "OPTIONS": {
                "context_processors": ["django.template.context_processors.request"],
                "loaders": [
                    ("django.template.loaders.locmem.Loader", {"registration/login.html": LOGIN_PAGE}),
                    "django.template.loaders.app_directories.Loader",
                ],
            },
        }
    ],
    # PKCE with S256 is mandatory, and the metadata promise the name of the issuer in every answer (RFC 9207).
    OAUTH2_PROVIDER={
        "OIDC_ENABLED": True,
        "OIDC_RSA_PRIVATE_KEY": Key("unused").private_pem().decode(),
        "OIDC_TOKEN_ENDPOINT_AUTH_METHODS_SUPPORTED": ["client_secret_basic"],
        "OAUTH2_VALIDATOR_CLASS": f"{__name__}.Claims",
        "SCOPES": {"openid": "sign in", "email": "your address", "profile": "your name"},
        "PKCE_REQUIRED": True,
        "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
        "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    },
)
django.setup()

# What needs a configured Django.
from django.contrib.auth import get_user_model  # noqa: E402
from django.contrib.auth.views import LoginView  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.urls import include, path  # noqa: E402
from oauth2_provider.models import Application  # noqa: E402
from oauth2_provider.oauth2_validators import OAuth2Validator  # noqa: E402

urlpatterns = [path("login", LoginView.as_view()), path("o/", include("oauth2_provider.urls", namespace="oauth2_provider"))]


class Claims(OAuth2Validator):
    """What the tokens say of a person; only the userinfo endpoint knows the photo."""

    def get_additional_claims(self, request):
        return {"name": request.user.first_name, "email": request.user.email, "email_verified": True}

    def get_userinfo_claims(self, request):
        return {**super().get_userinfo_claims(request), "picture": DjangoToolkit.PICTURE}


class DjangoToolkit(RealIssuer):
    """A site that other sites sign in with."""

    PICTURE = "https://example.com/grace.png"

    def __init__(self):
        call_command("migrate", verbosity=0)
        self.application = Application.objects.create(
            name="Gatehouse",
            client_id=self.client_id,
            client_secret=CLIENT_SECRET,
            client_type=Application.CLIENT_CONFIDENTIAL,
            authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
            algorithm=Application.RS256_ALGORITHM,
            redirect_uris=self.PAGE,
        )
        self.web = WebServer(get_wsgi_application())
        self.url = self.web.url + "/o"

    def register(self, redirect_uri):
        self.application.redirect_uris += " " + redirect_uri
        self.application.save()

    def person(self):
        email = address()
        get_user_model().objects.create_user(email, email, PASSWORD, first_name="Grace Hopper")
        return email

    def consented(self, person, url, answer):
        """Signs the person in, and answers the form that asks for their consent, if there is one."""
        browser = requests.Session()
        login = browser.get(url.partition("#")[0], timeout=TIMEOUT)
        fields = {**fields_of(login.text), "username": person, "password": PASSWORD}
        signed_in = browser.post(login.url, fields, allow_redirects=False, timeout=TIMEOUT)
        page = browser.get(self.web.url + signed_in.headers["location"], allow_redirects=False, timeout=TIMEOUT)
        if page.status_code == 200:
            fields = {name: value for name, value in fields_of(page.text).items() if name != "allow"}
            page = browser.post(page.url, {**fields, **answer}, allow_redirects=False, timeout=TIMEOUT)
        assert page.status_code == 302, page.text
        return note_url(page.headers["location"])

    def login(self, person):
        return lambda url: self.consented(person, url, {"allow": "Authorize"})

    def deny(self, url):
        return self.consented(self.person(), url, {})

    def close(self):
        self.web.close()
