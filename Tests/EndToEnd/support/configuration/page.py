"""What `docs/configuration.md` and the pages of `docs/providers` say: keys with their values and defaults, and examples."""

import itertools
import re
from dataclasses import dataclass

from support.harness import ROOT

TEXT = (ROOT / "docs/configuration.md").read_text()
# The page of each provider, by the provider's id. `oidc.page` stands for every OpenID Connect issuer. Pages without keys of their own have
# entries of such issuers.
PROVIDERS = {
    "oidc.page" if file.stem == "oidc" else file.stem: file.read_text()
    for file in sorted((ROOT / "docs/providers").glob("*.md"))
    if file.stem != "README" and "\n## Keys\n" in file.read_text()
}
# Their entries in a project's file.
ENTRIES = [f"providers.{provider}" for provider in PROVIDERS]
SCOPES = (
    "perAccount",
    "perAccountAndAddress",
    "perMailbox",
    "perMailboxAndAddress",
    "perAddress",
    "perProject",
    "perNumber",
    "perPrefix",
    "perRegion",
)
GUID = "a1111111-2222-4333-8444-555555555555"
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


@dataclass(frozen=True)
class Row:
    """One key: the file that it stands in, and the cells of its row."""

    file: str  # "server" or "project"
    key: str
    value: str
    default: str
    meaning: str

    def __str__(self):
        return f"{self.file} {self.key}"

    @property
    def section(self):
        return self.key.rpartition(".")[0]

    @property
    def name(self):
        return self.key.rpartition(".")[2]

    @property
    def condition(self):
        """The key of the same section, with its value, that the row needs: ``With `key: value`: …``."""
        return next(iter(re.findall(r"^With `(\w+): (\w+)`", self.meaning)), None)

    @property
    def literal(self):
        """The default as it could stand in the file, or `None` where the page describes it."""
        text = re.match("`([^`<]+)`", self.default)
        return text[1].strip('"') if text and text[1] not in {row.key for row in ROWS} else None


@dataclass(frozen=True)
class Kind:
    """The values that a key may have."""

    wrong: object  # a value of another type
    says: tuple = ()  # what the fault of such a value says
    accepted: tuple = ()
    refused: tuple = ()


# ---------------------------------------------------------------------------------------------------------------------------------
# Keys


def _tables(text):
    """The tables of a text: their cells, row by row."""
    lines = ([cell.strip() for cell in line[1:-1].split("|")] if line.startswith("|") else None for line in text.splitlines())
    return [list(rows) for is_table, rows in itertools.groupby(lines, bool) if is_table]


def _part(heading, level, text=TEXT):
    """The text below a heading, up to the next one of its level."""
    return re.search(rf"^{'#' * level} {re.escape(heading)}\n(.*?)(?=^#{{1,{level}}} |\Z)", text, re.MULTILINE | re.DOTALL)[1]


def _keys(file, text, prefix=""):
    tables = [table for table in _tables(text) if table[0] == ["Key", "Value", "Default", "Meaning"]]
    return [Row(file, prefix + key.strip("`"), *rest) for table in tables for key, *rest in table[2:]]


def _limits(row):
    """The keys that `limits.<action>.<scope>` stands for, one for each entry of the table of actions."""
    heads, _, *actions = next(table for table in _tables(_part("Rate limits", 3)) if len(table[0]) == len(SCOPES) + 1)
    assert tuple(head.strip("`") for head in heads[1:]) == SCOPES
    return [
        Row(row.file, f"limits.{action.strip('`')}.{scope}", row.value, f"`{rate}`", row.meaning)
        for action, *rates in actions
        for scope, rate in zip(SCOPES, rates, strict=True)
        if rate
    ]


def _rows():
    project = _keys("project", _part("A project's file", 2))
    (limits,) = [row for row in project if "<" in row.key]
    return [
        *_keys("server", _part("gatehouse.yaml", 2)),
        *(row for row in project if row is not limits),
        *_limits(limits),
        *(row for provider, text in PROVIDERS.items() for row in _of_provider(provider, text)),
    ]


def has_id_tokens(provider):
    return "no ID tokens" not in PROVIDERS[provider]


def speaks_oauth2(provider):
    """Whether an entry may speak it, perhaps only with another `protocol` than the usual one."""
    return "OAuth 1.0a" not in PROVIDERS[provider] or "protocol: oauth2" in PROVIDERS[provider]


def has_client_secret(provider):
    return "no `clientSecret`" not in PROVIDERS[provider]


def _of_provider(provider, text):
    """The keys of an entry. Where two tables have a key, the provider's own page has its default."""
    parts = [_part("Keys of every provider", 3), _part("Keys", 2, text)]
    if speaks_oauth2(provider):
        parts.insert(1, _part("Keys for OAuth 2.0", 3))
    if has_id_tokens(provider):
        parts.insert(1, _part("Keys for ID tokens", 3))
    rows = {row.key: row for part in parts for row in _keys("project", part, f"providers.{provider}.")}
    if not has_client_secret(provider):
        del rows[f"providers.{provider}.clientSecret"]
    return rows.values()


ROWS = _rows()
BY_KEY = {str(row): row for row in ROWS}
assert len(BY_KEY) == len(ROWS), "the page lists a key twice"


def _sections():
    """The sections of each file with the names of their keys, those of their own sections among them."""
    found = {}
    for row in ROWS:
        found.setdefault((row.file, row.section), set()).add(row.name)
    for file, path in list(found):
        while path and path not in ENTRIES:
            path, _, name = path.rpartition(".")
            found.setdefault((file, path), set()).add(name.removesuffix("[]"))
    return found


SECTIONS = _sections()


def matching(words):
    """The rows whose description has the words."""
    found = [row for row in ROWS if re.search(words, row.meaning)]
    assert found, f"the page has no row with {words!r}"
    return found


# ---------------------------------------------------------------------------------------------------------------------------------
# Values


def seconds(text):
    return int(text[:-1]) * _UNITS[text[-1]]


def _number(row, low, high):
    if low.startswith("`"):
        low = BY_KEY[f"{row.file} {row.section}.{low.strip('`')}"].literal
    low, high = int(low), int(high)
    return Kind(str(low), (f"a whole number from {low} to {high}, without quotes",), (low, high), (low - 1, high + 1))


def _time(row, low, high):
    beyond = (f"{seconds(low) - 1}s", f"{seconds(high) + 1}s")
    return Kind(30, (f"a time from {low} to {high}, such as",), (low, high), beyond)


def _time_or_zero(row, low, high):
    return Kind("never", ("0 (", f"{low} to {high}"), (0, low, high), (f"{seconds(low) - 1}s", f"{int(high[:-1]) + 1}d", "0s1"))


def _rate(row):
    rate = re.search(r"^\| rate \| `60 per 10m`: (\d+) to (\d+), in a time of (\w+) to (\w+) \|$", TEXT, re.MULTILINE)
    least, most, shortest, longest = rate.groups()
    accepted = ("none", f"{least} per {longest}", f"{most} per {shortest}")
    beyond = (f"{int(least) - 1} per 1h", f"{int(most) + 1} per 1h", f"1 per {seconds(shortest) - 1}s", f"1 per {int(longest[:-1]) + 1}d")
    return Kind(60, (f"({least} to {most}, {shortest} to {longest}), or none",), accepted, beyond)


def _choice(row):
    names = re.findall("`([^`]+)`", row.value)
    return Kind("§", ("one of: ", *names), tuple(names), (["§"],))


def _tenant(row):
    names = re.findall("`([^`]+)`", row.value)
    return Kind("not a tenant", (*names, "GUID", "domain"), (*names, GUID, "shop.example.com"), (GUID[:-1],))


def _addresses(row):
    (line,) = re.findall(r"^\| addresses \| (.*) \|$", TEXT, re.MULTILINE)
    return Kind({"a": 1}, ("a list",), (re.findall("`([^`]+)`", line),), (["10.0.0.1/8"], ["host.example.com"], "10.0.0.1/33"))


def _algorithms(row):
    names = re.findall("`([^`]+)`", row.value)
    return Kind(["§"], ("one of ", *names), (names, names[0]), (["none"],))


def _says(*words, wrong=None, **more):
    return lambda row: Kind(["§"] if wrong is None else wrong, words, **more)


# What the fault of a text says depends on the text; it is not a form that has a name of its own on the page.
OF_ANY_FORM = ("expected ",)
OF_A_FORM = re.compile("true or false|whole number|a time from|one of:|a list|a mapping|a rate|an address|(?:the|https) URL|by reference")
# Each form that the cell "Value" has on the page. A form that is not here is a fault of the page, or is to be added.
_FORMS = {
    r"(?:number|bytes), (\d+|`\w+`)–(\d+)": _number,
    r"number, from (\d+)": lambda row, low: _number(row, low, str(2**63 - 1)),
    r"time, (\w+)–(\w+)": _time,
    r"`0`, or time, (\w+)–(\w+)": _time_or_zero,
    r"`off`, or time, (\w+)–(\w+)": lambda row, low, high: Kind(
        "never", ("off", f"{low} to {high}"), ("off", low, high), (f"{seconds(low) - 1}s", f"{int(high[:-1]) + 1}d")
    ),
    r"rate, or `none`": _rate,
    r"boolean": _says("true or false, without quotes", wrong="true", accepted=(True, False), refused=("false", 1)),
    r"`[\w-]+`(?:, `[\w-]+`)*": _choice,
    r"(?:`\w+`, )+a GUID, a domain": _tenant,
    r"list of `\w+`(?:, `\w+`)+": _algorithms,
    r"addresses": _addresses,
    r"text, 1–60 characters": _says("1 to 60 characters", accepted=("x", "x" * 60), refused=("", "x" * 61)),
    r"text": _says(*OF_ANY_FORM),
    r"path": _says("expected text"),
    r"URL": _says("URL", refused=("auth.example.com", "ftp://auth.example.com")),
    r"secret": _says("secrets come by reference only", refused=("a secret", [{"env": "CLIENT_SECRET"}])),
    r"secret, or list of secrets": _says("secrets come by reference only", accepted=({"file": "master.key"}, [{"file": "master.key"}])),
    r"GUID": _says("a GUID", accepted=(GUID, GUID.upper()), refused=(GUID[:-1], GUID + "0")),
    r"list of (?:texts|hosts|URLs|URIs|GUIDs|mail domains)": _says("a list", wrong={"a": 1}, refused=([["x"]],)),
    r"list of mappings": _says("a list of mappings", wrong={"a": 1}, refused=(["x"],)),
    r"mapping(?: of texts)?": _says("a mapping"),
    r"address and port": _says("an IP address (or localhost) and a port", accepted=("127.0.0.1:9", "[::1]:9"), refused=("8080", "::1:80")),
    r"name or address": _says("the name or address of a mail server", accepted=("mail.example.com", "192.0.2.1")),
    r"`Name <address>`": _says("an address such as", accepted=("Name <name@example.com>",), refused=("Name",)),
    r'`"#rrggbb"`': _says("a colour such as", accepted=("#012def",), refused=("#fff",)),
    r"date": _says("a date such as 2027-05-01", accepted=("2099-05-01",), refused=("2099-13-01", "1.5.2099")),
    r"language tag": _says("a language's tag", accepted=("de",), refused=("de_DE",)),
}


def kind(row, development=False):
    """What the cell "Value" says of a key, in production or in development mode."""
    value, _, elsewhere = row.value.partition("; in development ")
    if development and elsewhere:
        value = value.partition(", ")[0] + ", " + elsewhere
    for form, make in _FORMS.items():
        found = re.fullmatch(form, value)
        if found:
            return make(row, *found.groups())
    raise AssertionError(f"{row}: the page has a value that the test does not know: {value}")


# ---------------------------------------------------------------------------------------------------------------------------------
# Examples


def examples():
    """Each example by its heading: the files in the order of the page."""
    parts = re.split(r"^### (.*)\n", _part("Examples", 2), flags=re.MULTILINE)[1:]
    return {heading: re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL) for heading, text in zip(parts[::2], parts[1::2])}
