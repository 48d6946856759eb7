"""Golden files: the exact JSON of answers, with what differs from run to run named in angle brackets.

`golden/<name>.json` holds status, answer and, in place of each JWT of ours, its header and claims. A value becomes a name only when it has the
form that the name stands for, so a number where a string belongs, or a date in another format, is a difference. `GOLDEN=write` writes the files
anew; look at what changed before you keep them. A new field whose value differs from run to run needs a line in `FORMS` or `NUMBERS`.
"""

import difflib
import json
import os
import re

import jwt

from support.harness import ROOT
from support.jwts import claims

FOLDER = ROOT / "Tests/EndToEnd/golden"

# Field → the form its value must have to be named, and the name.
FORMS = {
    "localId": ("[A-Za-z0-9]{28}", "<localId>"),
    "user_id": ("[A-Za-z0-9]{28}", "<localId>"),
    "uid": ("[A-Za-z0-9]{28}", "<localId>"),
    "sub": ("[A-Za-z0-9]{28}", "<localId>"),
    "refreshToken": ("[A-Za-z0-9_-]{40,}", "<refreshToken>"),
    "refresh_token": ("[A-Za-z0-9_-]{40,}", "<refreshToken>"),
    "pendingToken": ("[A-Za-z0-9_-]{40,}", "<pendingToken>"),
    "sessionId": ("[A-Za-z0-9_-]{20,}", "<sessionId>"),
    "createdAt": (r"\d{13}", "<milliseconds, as text>"),
    "lastLoginAt": (r"\d{13}", "<milliseconds, as text>"),
    "validSince": (r"\d{10}", "<seconds, as text>"),
    "lastRefreshAt": (r"\d{4}-\d\d-\d\dT00:00:00(\.000)?Z", "<day>"),
    "sid": ("[A-Za-z0-9_-]{22}", "<session>"),
    "kid": ("[A-Za-z0-9_-]{16,}", "<kid>"),
    "oobCode": ("[A-Za-z0-9_-]{40,}", "<oobCode>"),
    "oobLink": (r"http://[^?]+\?mode=\w+&oobCode=[A-Za-z0-9_-]{40,}&apiKey=[a-z-]+&lang=en", "<link>"),
    "challenge": ("[A-Za-z0-9]{44}", "<challenge>"),
    "sessionInfo": ("[A-Za-z0-9_-]{43}", "<sessionInfo>"),
    "temporaryProof": ("[A-Za-z0-9_-]{40,}", "<temporaryProof>"),
    "nextPageToken": ("[A-Za-z0-9_-]+", "<nextPageToken>"),
}
NUMBERS = {
    "passwordUpdatedAt": (1_600_000_000_000, 4_000_000_000_000, "<milliseconds>"),
    "iat": (1_600_000_000, 4_000_000_000, "<seconds>"),
    "exp": (1_600_000_000, 4_000_000_000, "<seconds>"),
    "auth_time": (1_600_000_000, 4_000_000_000, "<seconds>"),
}
RENEWAL = "where that is meant, run the test again with GOLDEN=write"
TOKENS = {"idToken", "customToken", "access_token", "id_token", "oauthIdToken"}


def named(value, name="", replace=()):
    """The value with everything volatile named. `replace`: pairs of text and what stands for it anywhere in a string."""
    if isinstance(value, dict):
        return {key: named(item, key, replace) for key, item in value.items()}
    if isinstance(value, list):
        return [named(item, name, replace) for item in value]
    if isinstance(value, str):
        if name in TOKENS:
            return {
                "header": named(jwt.get_unverified_header(value), "", replace),
                "claims": named(claims(value), "", replace),
            }
        if name == "rawUserInfo":
            return {"JSON": named(json.loads(value), "", replace)}
        if name in FORMS and re.fullmatch(FORMS[name][0], value):
            return FORMS[name][1]
        for text, stand_in in replace:
            value = value.replace(text, stand_in)
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool) and name in NUMBERS:
        low, high, stand_in = NUMBERS[name]
        return stand_in if low < value < high else value
    return value


def check(name, response, replace=()):
    """Compares a response with its golden file; gives the answer as it came."""
    answer = response.json()
    text = json.dumps({"status": response.status_code, "answer": named(answer, "", replace)}, indent=2, ensure_ascii=False) + "\n"
    path = FOLDER / f"{name}.json"
    if os.environ.get("GOLDEN") == "write":
        path.write_text(text)
    assert path.exists(), f"there is no golden/{name}.json; {RENEWAL}"
    expected = path.read_text()
    lines = difflib.unified_diff(expected.splitlines(), text.splitlines(), f"golden/{name}.json", "the answer", lineterm="")
    assert text == expected, "\n".join([f"{name} answers differently from golden/{name}.json; {RENEWAL}", *lines])
    return answer
