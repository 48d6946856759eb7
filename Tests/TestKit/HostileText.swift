package import Text

/// Texts that a person or a provider may write, and that some reader of them would take for more than text (SEC-67).
package enum HostileText {
    package static let all: [UTF8Text] = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'-alert(1)-'", "</style></title></script>", "<!-- -->",
        "javascript:alert(1)", "\u{202E}gnp.exe", "\u{2066}admin\u{2069}", "a\u{0}b", "a\r\nset-cookie: a=b",
        "line one\nlevel=error forged",
        "\u{1B}[31mred\u{1B}[0m", "\u{1B}]0;title\u{7}", "\u{9B}31m", "=cmd|'/C calc'!A0", "+1+1", "-2+3", "@SUM(1)", "\t=1+1", "a,b;c\"d",
        "{{project}} {{{project}}} {{#words}}", "%LINK% %s %n ${jndi:x}", "\u{FFFD}\u{FFFD}", "\u{FEFF}bom", "a\u{2028}b\u{2029}c",
        UTF8Text(String(repeating: "long ", count: 400)),
    ]

    /// Whether a line for people has nothing in it that a terminal, a log or a page would take for more than text.
    package static func isInert(_ line: String) -> Bool {
        line.utf8.count <= 1000 && !line.contains("<") && !line.contains("alert")
            && line.unicodeScalars.allSatisfy { scalar in
                ![.control, .format, .lineSeparator, .paragraphSeparator, .surrogate].contains(scalar.properties.generalCategory)
            }
    }
}
