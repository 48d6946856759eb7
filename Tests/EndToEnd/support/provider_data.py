"""What providers say, by their documents: a file for each in `Tests/Providers`, which the doubles of the Swift tests read, too."""

import json
import pathlib
import re

from werkzeug.wrappers import Response

FOLDER = pathlib.Path(__file__).parents[2] / "Providers"


def filled(template, values):
    """A template with its values: `<name>` by itself takes any value, and within a text the value's text."""
    if isinstance(template, dict):
        return {name: filled(member, values) for name, member in template.items()}
    if isinstance(template, list):
        return [filled(member, values) for member in template]
    if not isinstance(template, str):
        return template
    whole = re.fullmatch(r"<(\w+)>", template)
    return values[whole[1]] if whole else re.sub(r"<(\w+)>", lambda found: str(values[found[1]]), template)


class ProviderData:
    """The answers and errors of one provider, by their names in its file."""

    def __init__(self, name):
        data = json.loads((FOLDER / f"{name}.json").read_text())
        self.answers, self.errors = data["answers"], data["errors"]

    def answer(self, name, /, **values):
        return filled(self.answers[name], values)

    def error(self, name, /, **values):
        error = filled(self.errors[name], values)
        return Response(json.dumps(error["body"]), error["status"], content_type="application/json")
