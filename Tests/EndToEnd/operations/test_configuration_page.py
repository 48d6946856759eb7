"""`docs/configuration.md` and the pages of the providers say what the binary does: keys, values, defaults, modes and examples."""

import functools
import re
from itertools import zip_longest

from support.configuration import check as binary
from support.configuration import page, sources
from support.configuration.check import MISSING, Question
from support.configuration.elsewhere import ELSEWHERE
from support.configuration.page import ENTRIES, PROVIDERS, ROWS
from support.harness import ROOT
from support.servers.site import write_secret
from support.tables import for_each

HAS_RANGE = [row for row in ROWS if page.kind(row).refused]
HAS_LITERAL = [row for row in ROWS if row.literal]


def shown(value):
    return repr(value) if value is not MISSING else "no value"


def modes(row):
    """Whether the server is in development mode: both, where the values differ."""
    return (False, True) if "; in development " in row.value else (False,)


def values(row):
    """All values that the binary is asked about, in both modes."""
    for development in modes(row):
        kind = page.kind(row, development)
        for value in (kind.wrong, *kind.accepted, *kind.refused):
            yield value, development
    if row.literal:
        yield default(row), False
    yield MISSING, False
    yield "acme", False


def default(row):
    """The default, as it would stand in the file."""
    if row.value == "boolean":
        return row.literal == "true"
    return int(row.literal) if row.literal.isdigit() else row.literal


@functools.cache
def answers():
    """What the binary says of every value that this file asks about."""
    questions = binary.ask([Question(row, value, development) for row in ROWS for value, development in values(row)])
    return {(str(question.row), shown(question.value), question.development): question for question in questions}


def answer(row, value, development=False):
    return answers()[str(row), shown(value), development]


# -- keys

# A name that is not a key of any section: where the binary does not know it, it has read the section to its end.
NOWHERE = "nowhere"


@functools.cache
def known():
    """The keys of each section that the binary knows, of all names in the sources and on the page."""
    candidates = sorted({*sources.names(), *(row.name for row in ROWS), NOWHERE})

    def section(file, path=""):
        """A section with every name that may be a key of it, and with the sections in it."""
        inner = {name: f"{path}.{name}".lstrip(".") for name in candidates}
        return {name: section(file, inner[name]) if (file, inner[name]) in page.SECTIONS else None for name in candidates}

    servers = [section("server"), section("server")]
    servers[0]["mail"]["transport"], servers[1]["mail"]["transport"] = "smtp", "file"
    for server in servers:
        server["console"]["operators"] = [section("server", "console.operators[]")]
    project = section("project")
    ios, android = section("project", "apps[]"), section("project", "apps[]")
    ios["ios"], android["android"] = section("project", "apps[].ios"), section("project", "apps[].android")
    del ios["android"], android["ios"]
    project["apps"] = [ios, android]
    for name in ("clients", "userFlows"):
        project["openIDProvider"][name] = [section("project", f"openIDProvider.{name}[]")]
    project["events"] = [section("project", "events[]")]
    entries = {entry.removeprefix("providers."): section("project", entry) for entry in ENTRIES}
    project["providers"] = {}
    # Keys that are read only beside the value of another one.
    conditions = {(row.section.removeprefix("providers."), *row.condition) for row in ROWS if row.section in ENTRIES and row.condition}
    others = {provider: {**section("project", f"providers.{provider}"), key: value} for provider, key, value in conditions}
    found = {}
    # A file has at most 1 MiB, so each entry has one of its own, and so have the largest sections.
    of_entries = [{provider: entry} for provider, entry in entries.items()] + [others]
    large = ("hooks", "limits", "openIDProvider", "phone")
    of_sections = [{**binary.project(1), name: project[name]} for name in large]
    project.update(dict.fromkeys(large))
    projects = [project, *of_sections, *({**binary.project(1), "providers": providers} for providers in of_entries)]
    for server, of_project in zip_longest(servers, projects, fillvalue=servers[1]):
        faults, _ = binary.check(server, {"project": of_project})
        for file, name, document in (("server", "gatehouse", server), ("project", "project", of_project)):
            unknown = {path for of, path, message in faults if of == name and message.startswith("unknown key")}
            for path, keys in keys_read(document, unknown):
                found.setdefault((file, path), set()).update(keys)
    return found


def keys_read(document, unknown, path=""):
    """Each section that was read, by its name on the page, with the keys that are not unknown."""
    if path + NOWHERE in unknown:
        yield re.sub(r"\[\d\]", "[]", path.rstrip(".")), {name for name in document if path + name not in unknown}
    for name, value in document.items():
        inner = {f"{name}[{index}]": item for index, item in enumerate(value)} if isinstance(value, list) else {name: value}
        for place, item in inner.items():
            if isinstance(item, dict):
                yield from keys_read(item, unknown, f"{path}{place}.")


@for_each(page.SECTIONS)
def test_the_page_lists_the_keys_that_the_binary_knows(file, path):
    assert known().get((file, path)) == page.SECTIONS[file, path]


# -- values


@for_each(ROWS)
def test_a_value_of_another_type_is_refused_in_the_words_of_the_page(row):
    for development in modes(row):
        kind = page.kind(row, development)
        refusals = answer(row, kind.wrong, development).refusals
        assert refusals and all(words in refusals[0] for words in kind.says), (kind.says, refusals)
        assert kind.says != page.OF_ANY_FORM or not page.OF_A_FORM.search(refusals[0]), refusals
        choices = re.search(r"one of:? ([\w-]+(?:, [\w-]+)*)(?:, or a list of such)?$", refusals[0])
        assert not choices or set(choices[1].split(", ")) == set(kind.says[1:]), (kind.says, refusals)


@for_each([row for row in ROWS if page.kind(row).accepted])
def test_the_values_of_the_page_are_accepted_up_to_both_limits(row):
    for development in modes(row):
        for value in page.kind(row, development).accepted:
            assert not answer(row, value, development).refusals, value


@for_each(HAS_RANGE)
def test_a_value_one_step_beyond_is_refused(row):
    for development in modes(row):
        for value in page.kind(row, development).refused:
            assert answer(row, value, development).refusals, value


# -- defaults


@for_each(ROWS)
def test_a_key_is_missed_if_the_page_says_that_it_is_required(row):
    is_required = row.default.startswith("required") or row.meaning.startswith("Required")
    missed = [message for message in answer(row, MISSING).answer if re.match("is missing|is empty", message)]
    assert bool(missed) == is_required, missed


def test_what_is_required_suffices():
    faults, told = binary.check(binary.SERVER, {"page": binary.project(1)})
    assert not faults and "The configuration is sound: 1 project." in told


# Names of several keys, of which another one has a default.
SHARED = {row.name for row in HAS_LITERAL}


def is_openid(row):
    return row.key.startswith("openIDProvider.")


@for_each([row for row in ROWS if row.default == "none" and row.name not in SHARED])
def test_a_key_without_a_default_has_none_in_the_sources(row):
    assert sources.defaults(row.name, openid=is_openid(row)) <= {""}


# What the catalogue has for a provider's entry; another test compares it.
CATALOGUED = ("name", "clientAuth", "nonce", "pkce", "ownCallback")


@for_each(HAS_LITERAL)
def test_a_default_of_the_page_is_the_one_of_the_sources_and_can_be_written_out(row):
    assert not answer(row, default(row)).refusals
    if row.key.startswith("limits.") and row.key.count(".") == 2:
        assert sources.limits()[row.key.removeprefix("limits.")] == row.literal
    elif str(row) in ELSEWHERE:
        cell, text = ELSEWHERE[str(row)]
        assert row.default == cell and any(text in " ".join(source.split()) for source in sources.SOURCES.values())
    elif row.section not in ENTRIES or row.name not in CATALOGUED:
        is_time = row.value.startswith("time")
        provider = row.section.removeprefix("providers.") if row.section in ENTRIES else None
        assert sources.defaults(row.name, provider, is_openid(row)) == {f"{page.seconds(row.literal)}s" if is_time else row.literal}


def test_the_page_has_each_limit_that_the_sources_have():
    on_page = {row.key.removeprefix("limits.") for row in ROWS if row.key.startswith("limits.") and row.key.count(".") == 2}
    assert on_page == set(sources.limits())


@for_each(PROVIDERS)
def test_the_page_of_a_provider_has_what_the_catalogue_has(provider):
    rows = {row.name: row for row in ROWS if row.section == f"providers.{provider}"}
    has = sources.catalogue(provider)
    catalogued = [key for key in CATALOGUED if key in rows and str(rows[key]) not in ELSEWHERE]
    assert {key: rows[key].literal for key in catalogued} == {key: has[key] for key in catalogued}
    if page.speaks_oauth2(provider):
        assert re.search("besides `([^`]+)`", rows["scopes"].meaning)[1].split() == has["scopes"]
    else:
        assert not has["scopes"] and not {"clientAuth", "scopes"} & set(rows)


def test_a_page_has_the_id_of_a_provider_for_its_name_or_is_in_the_table_of_issuers():
    assert "(providers/README.md)" in page.TEXT
    folder = ROOT / "docs/providers"
    pages = {file.stem for file in folder.glob("*.md")} - {"README"}
    others = set(re.findall(r"\]\(([\w.-]+)\.md\)", (folder / "README.md").read_text()))
    assert pages - others == set(sources.providers()) and others <= pages


def test_the_port_of_the_API_is_8080_unless_the_file_says_otherwise():
    faults, _ = binary.check({**binary.SERVER, "operations": {"listen": "127.0.0.1:8080"}}, {"page": binary.project(1)})
    (message,) = binary.messages(faults, "gatehouse", "operations.listen")
    assert page.BY_KEY["server listen"].literal in message


# -- modes

FOLDERS = {"developmentProject": "page-1", "sample": ".", "migrations": str(ROOT / "Migrations")}


def test_the_page_marks_the_keys_that_are_for_development_only():
    refused = {
        key for (key, _, _), question in answers().items() if any(text.startswith("is only for development") for text in question.answer)
    }
    assert refused == {str(row) for row in page.matching(r"^\*\*Development only\.\*\*")}


@for_each(page.matching(r"^\*\*Development only\.\*\*"))
def test_a_key_for_development_only_is_refused_in_production(row):
    for mode, refused in ((binary.DEVELOPMENT, False), ({}, True)):
        faults, _ = binary.check({**binary.SERVER, **mode, row.key: FOLDERS[row.key]}, {"page": binary.project(1)})
        messages = binary.messages(faults, "gatehouse", row.key)
        assert bool(faults) == bool(messages) == refused, faults
        assert all("is only for development: true" in message for message in messages), messages


@for_each(page.matching(r"Production only$"))
def test_a_key_for_production_only_is_refused_in_development(row):
    for mode, refused in ((binary.DEVELOPMENT, True), ({}, False)):
        faults, _ = binary.check({**binary.SERVER, **mode, row.key: ["127.0.0.1"]}, {"page": binary.project(1)})
        assert [path for _, path, _ in faults] == [row.key] * refused, faults


@for_each(page.matching(r"Production only$"))
def test_a_list_for_production_only_may_be_empty_in_development(row):
    for value in ([], None):
        faults, _ = binary.check({**binary.SERVER, **binary.DEVELOPMENT, row.key: value}, {"page": binary.project(1)})
        assert not faults


def test_all_limits_can_be_switched_off_in_development_alone():
    row = page.BY_KEY["project limits.defaults"]
    assert "`false` is a fault in production" in row.meaning and answer(row, False).answer
    (question,) = binary.ask([Question(row, False, development=True)])
    assert not question.answer


@functools.cache
def plain_text():
    """What the binary says of plain `http` as each URL."""
    urls = [row for row in ROWS if row.value in ("URL", "list of URLs")]
    local = {row: "http://127.0.0.1:3000" + ("/page" if row.name in ("redirectURLs", "actionURL") else "") for row in urls}
    asked = [Question(row, [local[row]] if "list" in row.value else local[row], mode) for row in urls for mode in (False, True)]
    return {(question.row, question.development): question.answer for question in binary.ask(asked)}


@for_each([row for row in ROWS if row.value in ("URL", "list of URLs")])
def test_a_URL_may_be_plain_http_in_development_alone_where_the_page_says_so(row):
    assert plain_text()[row, False]
    assert bool(re.search("[Ii]n development also `http`", row.meaning)) == (not plain_text()[row, True])


# -- what else the page names


@for_each(page.matching("A range wider than an IPv4 /8 or an IPv6 /7 is a fault"))
def test_a_range_of_addresses_that_is_too_wide_is_refused(row):
    wide, narrow = ["10.0.0.0/7", "fc00::/6"], ["10.0.0.0/8", "fc00::/7"]
    asked = binary.ask([Question(row, [value]) for value in (*wide, *narrow)])
    assert [bool(question.answer) for question in asked] == [True, True, False, False], [question.answer for question in asked]


@for_each(PROVIDERS)
def test_the_parameters_of_the_protocol_cannot_be_set(provider):
    (row,) = (row for row in ROWS if row.key == f"providers.{provider}.parameters")
    every = re.search(r"Not those of the protocol itself: (.*)$", row.meaning)[1]
    # What a page says of a parameter that only its provider has; `p` only with a policy.
    own = re.findall(r"`parameters` may (?:then )?not have `(\w+)`", "".join(PROVIDERS.values()))
    here = re.findall(r"`parameters` may not have `(\w+)`", PROVIDERS[provider])
    assert own, "the pages name parameters of Microsoft and of B2C"
    reserved = re.findall(r"\w+", every) + here
    allowed = [name for name in own if name not in here] + ["prompt", "login_hint"]
    asked = binary.ask([Question(row, {name: "x"}) for name in reserved + allowed])
    refused = {name for question in asked if question.answer for name in question.value}
    assert refused == set(reserved)
    source = sources.SOURCES["Providers/Flow/CustomParameters.swift"]
    assert {*re.findall(r'"(\w+)"', re.search(r"reserved: .*?\[(.*?)\]", source, re.DOTALL)[1]), "tenant"} == set(re.findall(r"\w+", every))


@for_each(PROVIDERS)
def test_parameters_and_scopes_have_the_limits_of_the_page(provider):
    parameters = page.BY_KEY[f"project providers.{provider}.parameters"]
    most, longest = map(int, re.search(r"(\d+) at most, of (\d+) bytes each", parameters.meaning).groups())
    pairs = [
        (parameters, lambda count: {f"p{index}": "x" for index in range(count)}, most),
        (parameters, lambda count: {"p": "x" * count}, longest),
    ]
    if page.speaks_oauth2(provider):
        scopes = page.BY_KEY[f"project providers.{provider}.scopes"]
        words = int(re.search(r"(\d+) at most, all together", scopes.meaning)[1]) - len(sources.catalogue(provider)["scopes"])
        pairs.append((scopes, lambda count: [f"s{index}" for index in range(count)], words))
    asked = binary.ask([Question(row, make(count)) for row, make, limit in pairs for count in (limit, limit + 1)])
    assert [bool(question.answer) for question in asked] == [False, True] * len(pairs)


@for_each([(18, 8, 2), (18, 8, 3), (17, 16, 2), (17, 16, 3), (19, 8, 1), (18, 9, 1)])
def test_a_password_hash_is_bounded_in_memory_and_time(cost, block, parallel):
    bounds = re.search(r"A hash takes 128·N·r bytes .* (\d+) MiB at most\. N·r·p may be (\d+) at most\.", page.TEXT)
    mebibytes, steps = map(int, bounds.groups())
    fits = 128 * 2**cost * block <= mebibytes << 20 and 2**cost * block * parallel <= steps
    scrypt = {"cost": cost, "blockSize": block, "parallelization": parallel}
    faults, _ = binary.check({**binary.SERVER, "passwordHashing": {"scrypt": scrypt}}, {"page": binary.project(1)})
    assert [path for _, path, _ in faults] == ["passwordHashing.scrypt.cost"] * (not fits)


def test_a_file_may_have_1_MiB():
    assert "The files are YAML, in UTF-8, of 1 MiB at most." in page.TEXT
    text = "project: acme\nnumber: 1\napiKeys: [k]\nauthorizedDomains: [app.example.com]\n#"
    for size, sound in ((1 << 20, True), ((1 << 20) + 1, False)):
        _, told = binary.check(binary.SERVER, {"page": text.ljust(size, "x")})
        assert ("The configuration is sound" in told) == sound and sound != ("is larger than" in told), told


# -- examples


def check_example(folder, server, *projects):
    (folder / "projects").mkdir()
    for name in set(re.findall(r"\{file: (?:\.\./)?([\w.-]+)\}", server + "".join(projects))) - {"database.url", "master.key"}:
        write_secret(folder / name, "a secret as good as 128 random bits")
    write_secret(folder / "database.url", "postgresql://gatehouse@db.internal/gatehouse")
    faults, told = binary.check(server, {f"project-{index}": text for index, text in enumerate(projects)}, folder)
    assert not faults and f"The configuration is sound: {len(projects)} project" in told and "is ignored" not in told, told


def test_the_examples_of_the_page_are_sound(tmp_path):
    (server, acme), (shop,), (behind_a_proxy,), (b2c,), (openid,) = page.examples().values()
    examples = [(server, acme), (server, acme, shop), (behind_a_proxy, acme), (server, b2c), (server, shop, b2c), (server, acme, openid)]
    limits = re.search(r"^```yaml\n(limits:\n.*?)^```$", page.TEXT, re.MULTILINE | re.DOTALL)[1]
    for index, files in enumerate([*examples, (server, acme + limits)]):
        (tmp_path / str(index)).mkdir()
        check_example(tmp_path / str(index), *files)


# -- metrics


def test_the_page_on_monitoring_names_the_metrics_of_the_sources():
    text = (ROOT / "docs/operations/monitoring.md").read_text()
    assert set(re.findall(r"\b((?:gatehouse|http|process)_[a-z_]+)\b", text)) == sources.metrics()
