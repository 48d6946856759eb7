"""A network in which two names of Google lead to Gatehouse, set up by the commands of `docs/backends/admin-sdk.md`.

It is a private network namespace with a private `/etc`, so its port 443 and its hosts entries are its own. Debian's nginx runs there as on
the installation page, with the page's second server in front of the same Gatehouse. Gatehouse itself runs outside, as in all tests: what
comes to 127.0.0.1:8080 in the network is passed on to it.
"""

import os
import pathlib
import re
import subprocess
import tempfile

import pytest

from support.admin_sdk.back_end import Process
from support.admin_sdk.pages import commands
from support.browser.front import Front
from support.certificates import Certificate
from support.harness import ROOT, home

PORT = 8080
# The address that the pages give to the machine of Gatehouse.
ADDRESS = "10.0.0.6"
BUNDLE = "/etc/ssl/gatehouse-bundle.pem"
SETTINGS = {"publicURL": "https://auth.example.com", "development": False, "trustedProxies": ["127.0.0.1/32"]}

BOOT = f"""
set -e
ip link set lo up
ip address add {ADDRESS}/32 dev lo
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work"
mount -t overlay overlay -o lowerdir=/etc,upperdir="$1/upper",workdir="$1/work" /etc
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /var/log
mkdir /var/log/nginx
exec "${{@:2}}"
"""
# As a machine is after the installation page, with the certificate of a public authority.
INSTALLED = f"""
printf '127.0.0.1 localhost\\n{ADDRESS} auth.example.com\\n' >/etc/hosts
cp "$FOLDER/server.pem" /etc/ssl/auth.example.com.pem
cp "$FOLDER/server.pem" /etc/ssl/private/auth.example.com.key
cat "$FOLDER/authority.pem" >>/etc/ssl/certs/ca-certificates.crt
rm -f /etc/nginx/sites-enabled/*
# The only user that there is in a user namespace.
sed -i 's/^user .*/user root;/' /etc/nginx/nginx.conf
"""
# Where there is no systemd.
SYSTEMCTL = """
systemctl() {
    [ "$*" = "reload nginx" ]
    if [ -s /run/nginx.pid ]; then nginx -s reload; else nginx; fi
}
"""


def nginx_of_the_installation_page():
    text = (ROOT / "docs/install.md").read_text()
    return re.search(r"^[^\n]*cat >/etc/nginx/sites-available/gatehouse <<'NGINX'\n.*?^NGINX\n^ln -s.*?$", text, re.MULTILINE | re.DOTALL)[
        0
    ]


class SplitHorizon(Process):
    """The network, and the process of a back end in it. `port`: the one of Gatehouse, outside."""

    def __init__(self, port):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="split-horizon-", dir=home))
        root = [] if os.getuid() == 0 else ["--user", "--map-root-user"]
        through = ["unshare", *root, "--net", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child=KILL", "--mount-proc"]
        probe = subprocess.run([*through, "true"], capture_output=True, text=True)
        if probe.returncode != 0:
            # Never skipped: this is the only test of the Admin SDK as it runs in production.
            pytest.fail(f"no private network can be made here, which needs root or user namespaces: {probe.stderr}", pytrace=False)
        (folder / "etc").mkdir()
        Certificate(folder, "Public authority", names=["auth.example.com"])
        environment = {"FOLDER": str(folder), "REQUESTS_CA_BUNDLE": BUNDLE, "NODE_EXTRA_CA_CERTS": BUNDLE, "SSL_CERT_FILE": BUNDLE}
        environment["PATH"] = os.environ["PATH"] + ":/usr/sbin:/sbin"
        super().__init__(environment, [*through, "bash", "-c", BOOT, "boot", folder / "etc"], PORT)
        self.front = Front(port, self.listener)
        try:
            self.run(INSTALLED + nginx_of_the_installation_page() + SYSTEMCTL + commands("admin-sdk.md", "gatehouse"))
            self.run(commands("admin-sdk.md", "back-end"))
        except BaseException:
            self.close()
            raise

    def close(self):
        self.front.close()
        super().close()
