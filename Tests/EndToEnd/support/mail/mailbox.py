"""Mails that the file transport has written: one .eml file for each mail."""

import email
import email.policy
import re
from urllib.parse import parse_qs, urlsplit

from support.harness import wait_until
from support.leaks import note
from support.names import TIMEOUT


class Mailbox:
    def __init__(self, folder):
        self.folder = folder

    def all(self):
        paths = sorted(self.folder.glob("*.eml"), key=lambda path: path.stat().st_mtime_ns) if self.folder.exists() else []
        return [email.message_from_bytes(path.read_bytes(), policy=email.policy.default) for path in paths]

    def link(self, address, mode, timeout=TIMEOUT):
        """The newest link of this mode in a mail to this address; waits for the mail."""

        def newest():
            for message in reversed(self.all()):
                if address in message["To"]:
                    for url in re.findall(r"https?://\S+", message.get_body(("plain",)).get_content()):
                        if parse_qs(urlsplit(url).query).get("mode") == [mode]:
                            return url

        url = wait_until(newest, timeout, what=f"a mail to {address} with a link to {mode}")
        note(parse_qs(urlsplit(url).query)["oobCode"][0])
        return url

    def code(self, address, mode):
        return parse_qs(urlsplit(self.link(address, mode)).query)["oobCode"][0]
