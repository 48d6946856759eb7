"""Debian's Apache with mod_auth_openidc: a website whose pages only people who signed in see.

<https://github.com/OpenIDC/mod_auth_openidc>
"""

import os
import pathlib
import shutil
import subprocess
import tempfile
from urllib.parse import quote

import requests

from support.certificates import of_any_name
from support.harness import free_port, wait_until
from support.leaks import note_fields
from support.names import TIMEOUT

MODULES = pathlib.Path("/usr/lib/apache2/modules")
CONFIGURATION = """
ServerRoot {folder}
ServerName 127.0.0.1
PidFile {folder}/pid
DefaultRuntimeDir {folder}
Mutex file:{folder} default
ErrorLog {folder}/log
LogLevel warn auth_openidc:info
{modules}
Listen 127.0.0.1:{port} https
# For the provider, which knows no authority of these tests.
Listen 127.0.0.1:{plain_port} http
DocumentRoot {folder}/pages
SSLSessionCache none

OIDCProviderMetadataURL {issuer}/.well-known/openid-configuration
OIDCClientID {client}
OIDCRedirectURI {origin}/callback
OIDCScope "openid profile email offline_access"
OIDCCryptoPassphrase a-passphrase-of-these-tests
OIDCPKCEMethod S256
OIDCCABundlePath {folder}/authority.pem
OIDCRemoteUserClaim sub
OIDCPassClaimsAs environment
OIDCInfoHook access_token access_token_expires id_token userinfo refresh_token
{more}

<VirtualHost 127.0.0.1:{port}>
    SSLEngine on
    SSLCertificateFile {folder}/server.pem
</VirtualHost>
<Location />
    AuthType openid-connect
    Require valid-user
    # The page prints what the module tells applications of the person.
    Options +Includes
    SetOutputFilter INCLUDES
</Location>
<Location /signed-out.html>
    AuthType None
    Require all granted
</Location>
"""
LOADED = ("mpm_event", "authn_core", "authz_core", "authz_user", "include", "socache_shmcb", "ssl", "auth_openidc")


class Apache:
    """Starts with `start`, once the provider knows its client. `ports` are taken before, since the client's addresses have them."""

    def __init__(self):
        self.port, self.plain_port = free_port(), free_port()
        self.origin = f"https://127.0.0.1:{self.port}"
        self.page = self.origin + "/page.html"
        self.callback = self.origin + "/callback"
        self.signed_out = self.origin + "/signed-out.html"
        self.back_channel = f"http://127.0.0.1:{self.plain_port}/callback?logout=backchannel"
        self.process = None

    def start(self, provider, client, **settings):
        """`settings`: further directives of the module, without their `OIDC`."""
        # Its user must be able to enter it.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-e2e-apache-", dir="/tmp"))
        self.folder.chmod(0o755)
        shutil.copy(of_any_name().authority, self.folder)
        shutil.copy(of_any_name().file, self.folder)
        (self.folder / "pages").mkdir()
        (self.folder / "pages/page.html").write_text("<!--#printenv -->")
        (self.folder / "pages/signed-out.html").write_text("You have left.")
        modules = (f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in LOADED)
        directives = {**({"ClientSecret": client.secret} if client.secret else {}), **settings}
        if client.key:
            (self.folder / "private.pem").write_bytes(client.key.private_pem())
            # Without a public key beside it, this version of the module uses a pointer that is NULL.
            (self.folder / "public.pem").write_bytes(client.key.public_pem())
            keys = {f"{kind}KeyFiles": f"{client.key.kid}#{self.folder}/{kind.lower()}.pem" for kind in ("Private", "Public")}
            # Before the directive by which it says that it signs.
            directives = {**keys, **directives}
        text = CONFIGURATION.format(
            folder=self.folder,
            modules="\n".join(modules),
            port=self.port,
            plain_port=self.plain_port,
            issuer=provider.issuer,
            client=client.id,
            origin=self.origin,
            more="\n".join(f"OIDC{name} {value}" for name, value in directives.items()),
        )
        (self.folder / "apache.conf").write_text(text)
        owner = ()
        if os.getuid() == 0:
            for path in (self.folder, *self.folder.rglob("*")):
                shutil.chown(path, "www-data")
            owner = ("setpriv", "--reuid", "www-data", "--regid", "www-data", "--clear-groups", "--")
        program = shutil.which("apache2", path=os.environ["PATH"] + ":/usr/sbin")
        # One process that stays in the foreground, and ends with the tests in whatever way they end.
        command = [*owner, "setpriv", "--pdeathsig", "KILL", program, "-X", "-f", self.folder / "apache.conf"]
        with open(self.folder / "output", "wb") as output:
            self.process = subprocess.Popen(command, stdout=output, stderr=output, stdin=subprocess.DEVNULL)
        wait_until(self.answers, what=f"the start of Apache, whose log is in {self.folder}")

    def answers(self):
        assert self.process.poll() is None, f"Apache ended: {(self.folder / 'output').read_text()}"
        try:
            return requests.get(f"http://127.0.0.1:{self.plain_port}/signed-out.html", timeout=TIMEOUT).ok
        except requests.ConnectionError:
            return False

    def log(self):
        return (self.folder / "log").read_text(errors="replace")

    def environment(self, visitor):
        """What an application behind the module knows of a person who is signed in."""
        response = visitor.visit(self.page)
        assert response.status_code == 200 and response.url == self.page, f"{response.status_code} {response.url} {response.text}"
        return dict(line.split("=", 1) for line in response.text.splitlines() if "=" in line)

    def told(self, visitor):
        """What the module itself keeps: the claims, and the tokens."""
        response = visitor.get(self.callback, params={"info": "json"})
        assert response.status_code == 200, f"{response.status_code}: {self.log()}"
        note_fields(response.json())
        return response.json()

    def refresh(self, visitor):
        """Has the module refresh; gives the address to which it then sends the browser."""
        asked = {"refresh": self.page, "access_token": self.told(visitor)["access_token"]}
        return visitor.get(self.callback, params=asked).headers["location"]

    @property
    def sign_out(self):
        return f"{self.callback}?logout={quote(self.signed_out, safe='')}"

    def knows(self, visitor):
        """Whether the browser has a session here."""
        return visitor.get(self.page).status_code == 200

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait(TIMEOUT)
            shutil.rmtree(self.folder, ignore_errors=True)
