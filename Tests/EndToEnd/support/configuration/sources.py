"""Reads the configuration's keys from the text of the sources: names that may be keys, and the defaults."""

import functools
import math
import re

from support.harness import ROOT

SOURCES = {str(file.relative_to(ROOT / "Sources")): file.read_text() for file in sorted((ROOT / "Sources").rglob("*.swift"))}
_ALL = "\n".join(SOURCES.values())
# Any call that asks a section for a key.
_READ = (
    r'\b\w+\.(?:string|required|bool|int|duration|choice|values?|strings|texts|sections?|list|\w*[sS]ecrets?|path|url|baseURL)\(\s*"(\w+)"'
)


# The targets that read the configuration; of one, the folder.
_READERS = (
    "Captcha/",
    "Config/",
    "Console/Settings/",
    "Pages/",
    "ProjectSettings/",
    "Projects/",
    "Providers/",
    "Server/",
    "TextMessages/",
    "Webhooks/",
)


def names():
    """Every text and every case of an enumeration that has the form of a key, in the sources of the targets that read the configuration."""
    texts = "\n".join(text for path, text in SOURCES.items() if path.startswith(_READERS))
    cases = re.findall(r"^ *case (`?[a-z]\w*`?(?:, [a-z]\w*)*)$", texts, re.MULTILINE)
    return set(re.findall(r'"([a-z][A-Za-z0-9]*)"', texts)) | {name.strip("`") for line in cases for name in line.split(", ")}


_OPENID_PROVIDER = "ProjectSettings/OpenIDProvider/"


def defaults(key, provider=None, openid=False):
    """The default in the sources of a key that a file does not have, in the form of a file; for a provider's entry, in what reads that.

    `openid`: the key belongs to the project's own OpenID provider, which has some names of keys that others have too."""
    of_projects = [path for path in SOURCES if path.startswith(_OPENID_PROVIDER) == openid and not path.startswith("Providers/")]
    own = _files(provider) if provider else of_projects
    return {value for file, expression, type in _expressions().get(key, ()) if file in own for value in _values(expression, type)}


def _files(provider):
    """The files that read an entry of a provider: those of the provider, and those for all providers."""
    own = [path for path, text in SOURCES.items() if path.startswith("Providers/Catalog/") and f'id: "{provider}"' in text]
    folder = own[0].rpartition("/")[0] if own else "Providers/Protocols/OpenIDConnect"
    own = own if folder == "Providers/Catalog" else [path for path in SOURCES if path.startswith(folder + "/")]
    return [*own, *(path for path in SOURCES if path.startswith("Providers/Settings/"))]


@functools.cache
def _expressions():
    """For each key that is read with a default: the file, the default's expression, and the name of the type that reads it."""
    found = {}
    for file, text in SOURCES.items():
        reads = list(re.finditer(_READ, text))
        for read, following in zip(reads, [*reads[1:], None]):
            rest = text[read.end() : following.start() if following else len(text)]
            expression = re.match(r", default: ([^,)\s(]+(?:\([^)]*\))?)", rest) or re.search(r"\?\? (\w+)$", rest, re.MULTILINE)
            if expression:
                found.setdefault(read[1], []).append((file, expression[1], _enclosing(text[: read.start()])))
    return found


def _enclosing(text):
    """The name of the type that a place in a file belongs to: the last one that begins before it."""
    return re.findall(r"^(?:\w+ )*(?:extension|struct|enum) ([\w.]+)", text, re.MULTILINE)[-1].rpartition(".")[2]


def _values(expression, type, above=()):
    """The values that an expression has in production: one, or several when the sources have several properties with that name.

    `above`: the properties whose values are looked for, so that one that is set from another of its name has no value of its own."""
    expression = expression.strip()
    if expression == "!development":
        return {"true"}
    if re.fullmatch(r'"[^"]*"|true|false', expression):
        return {expression.strip('"')}
    if re.fullmatch(r"[\d_]+(?: \* [\d_]+)*", expression):
        return {str(math.prod(int(factor.replace("_", "")) for factor in expression.split(" * ")))}
    if duration := re.fullmatch(r"(?:Duration)?\.seconds\((.+?)\)?", expression):
        return {f"{seconds}s" for seconds in _values(duration[1], type)}
    if constant := re.fullmatch(r"Self\.(\w+)", expression):
        return _values(re.search(rf"static let {constant[1]} = (.+)", _type(type))[1], type)
    if case := re.fullmatch(r"(?:[\w.]*\b[A-Z]\w*)?\.(\w+)", expression):
        return {next(iter(re.findall(rf'^ *case {case[1]} = "([^"]+)"', _ALL, re.MULTILINE)), case[1])}
    # A property of the type that reads it, or else of any type.
    name = expression.rpartition(".")[2]
    if name == "nil" or name in above:
        return set()
    property = rf"(?:\bvar {name}(?:: [\w.?]+)?|\b{name}: [\w.?]+) = ([^\[\n,)][^\n,)]*)"
    found = re.findall(property, _type(type)) or re.findall(property, _ALL)
    return {value for expression in found for value in _values(expression, type, (*above, name))}


@functools.cache
def _type(name):
    """The text of a structure."""
    found = re.search(rf"^( *)(?:\w+ )*struct {name}\b.*?^\1}}", _ALL, re.MULTILINE | re.DOTALL)
    return found[0] if found else ""


# ---------------------------------------------------------------------------------------------------------------------------------
# Other tables


def limits():
    """The table of rate limits: `{"signUp.perAddress": "100 per 1h", …}`."""
    text = SOURCES["ProjectSettings/Limits/LimitedAction.swift"]
    scopes = dict(re.findall(r'case \.(\w+): "(per\w+)"', text))
    times = {name: _time(seconds) for name, seconds in re.findall(r"let (\w+) = Duration\.seconds\((\d+)\)", text)}
    table = {}
    for names, rates in re.findall(r"case ((?:\.\w+(?:, )?)+):(\s*\[.*?\])(?=\s*(?:case|\}))", text, re.DOTALL):
        for scope, count, time in re.findall(r"\(\.(\w+), (?:nil|Rate\(([\d_]+), per: (\w+|\.seconds\(\d+\))\))\)", rates):
            time = times.get(time) or (time and _time(re.search(r"\d+", time)[0]))
            for action in re.findall(r"\w+", names):
                table[f"{action}.{scopes[scope]}"] = f"{count.replace('_', '')} per {time}" if count else "none"
    return table


def _time(seconds):
    size, unit = next((size, unit) for size, unit in ((86400, "d"), (3600, "h"), (60, "m"), (1, "s")) if int(seconds) % size == 0)
    return f"{int(seconds) // size}{unit}"


def providers():
    """The ids of the providers that have a file of their own."""
    made = [text for path, text in SOURCES.items() if path.startswith("Providers/Catalog/") and "= Provider(" in text]
    return {id for text in made for id in re.findall(r'\bid: "([\w.]+)"', text)}


def catalogue(provider):
    """What a provider has for entries that leave it open."""
    standard = SOURCES["Providers/Provider.swift"]
    text = "".join(SOURCES[path] for path in _files(provider) if f'id: "{provider}"' in SOURCES[path])
    scopes = re.search(r"scopes: \[(.*)\]", text) or re.search(r"scopes = \[(.*)\]", standard)
    name = re.search(r'name: "(.*?)"', text)
    fields = {"clientAuth": "clientAuthentication", "nonce": "nonceRule", "pkce": "pkce", "ownCallback": "hasOwnCallback"}
    others = {
        key: (re.search(rf"\b{field}: \.?(\w+)", text) or re.search(rf"var {field} = (?:\w+\.)?(\w+)", standard))[1]
        for key, field in fields.items()
    }
    return {"name": name and name[1], "scopes": re.findall(r'"([\w.:]+)"', scopes[1]), **others}


def metrics():
    """The names of all metrics. Cookies have names of the same form."""
    return set(re.findall(r'(?<!Cookie\()(?<!CookieFamily\()"((?:gatehouse|http|process)_[a-z_]+)"', _ALL))
