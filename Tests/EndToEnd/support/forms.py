"""The forms of web pages."""

from html.parser import HTMLParser

from support.leaks import note_fields


class _Fields(HTMLParser):
    def __init__(self):
        super().__init__()
        self.fields = {}

    def handle_starttag(self, tag, attributes):
        fields = dict(attributes)
        if tag == "input" and fields.get("name"):
            self.fields[fields["name"]] = fields.get("value") or ""


def fields_of(page):
    """The names and values of the input fields of a page."""
    parser = _Fields()
    parser.feed(page)
    note_fields(parser.fields)
    return parser.fields
