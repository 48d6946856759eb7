"""Texts that a person or a provider may write, and that some reader of them would take for more than text."""

import unicodedata

HOSTILE = [
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "'-alert(1)-'", "javascript:alert(1)", "\u202egnp.exe", "\u2066admin\u2069",
    "a\r\nset-cookie: a=b", 'line one\n{"level":"error"}', "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x9b31m", "=cmd|'/C calc'!A0", "+1+1", "-2+3",
    "@SUM(1)", "\t=1+1", 'a,b;c"d', "{{project}} {{{project}}} {{#words}}", "%LINK% %s %n ${jndi:x}", "\ufffd\ufffd", "a\u2028b\u2029c", "long " * 400,
]  # fmt: skip
DIRECTIONS = {*range(0x202A, 0x202F), *range(0x2066, 0x206A)}


def treacherous(output):
    """The characters of a command's output, or of a log, that would do something to a terminal or end a line."""
    return {
        character
        for character in output
        if character != "\n" and (unicodedata.category(character) in ("Cc", "Zl", "Zp") or ord(character) in DIRECTIONS)
    }
