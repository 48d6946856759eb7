import Testing
import Text

@Suite struct UTF8TextTests {
    /// Canonically equivalent pairs, which `String` treats as the same text.
    static let equivalent: [(String, String)] = [
        ("\u{E9}", "e\u{301}"), ("\u{212A}", "K"), ("\u{316}\u{301}", "\u{301}\u{316}"), ("\u{AC00}", "\u{1100}\u{1161}"),
        ("\u{2126}", "\u{3A9}"),
    ]

    /// A mebibyte of marks that canonical order would sort. One comparison of it as a `String` takes minutes, so a test that still does
    /// that does not end.
    static let marks = String(repeating: "\u{316}\u{301}", count: 1 << 18)

    @Test(arguments: equivalent)
    func `SEC-49: texts that Unicode calls equivalent are different`(one: String, other: String) {
        #expect(one == other)
        #expect(UTF8Text(one) != UTF8Text(other))
        #expect(UTF8Text(one) != other && one != UTF8Text(other))
        #expect(Set([UTF8Text(one), UTF8Text(other)]).count == 2)
        #expect(!UTF8Text(one).hasPrefix(UTF8Text(other)) && !UTF8Text(one).hasSuffix(UTF8Text(other)))
        #expect(!one.isExactly(other) && one.isExactly(one))
    }

    @Test func `SEC-49: a mebibyte of combining marks is compared, hashed, ordered, searched and cut`() {
        let text = UTF8Text(Self.marks)
        let same = UTF8Text(Self.marks + "a")
        let reversed = UTF8Text(String(repeating: "\u{301}\u{316}", count: 1 << 18))
        #expect(text == UTF8Text(Self.marks) && text != same && text != reversed)
        #expect(Self.marks.isExactly(text))
        #expect(Set([text, same, reversed]).count == 3)
        #expect([text: 1, reversed: 2][reversed] == 2)
        #expect(reversed < text && text < same)
        #expect(same.hasPrefix(text) && !same.hasSuffix(text))
        #expect(!text.contains("\u{316}\u{316}") && text.contains("\u{301}\u{316}"))
        #expect(text.asciiLowercased == text && text.trimmed == text)
        #expect(text.split { $0 == 0x20 } == [text])
        #expect(text.prefix(bytes: 5).utf8.count == 4)
        switch text {
        case "idToken": Issue.record("marks are no name")
        default: break
        }
        #expect(Kind(exactly: text) == nil)
    }

    private enum Kind: String, CaseIterable {
        case reset = "PASSWORD_RESET"
        case kelvin = "K"
    }

    @Test func `a case is found by its bytes alone`() {
        #expect(Kind(exactly: "PASSWORD_RESET") == .reset)
        #expect(Kind(exactly: "password_reset") == nil)
        #expect(Kind(exactly: "K") == .kelvin && Kind(exactly: "\u{212A}") == nil)
    }

    @Test func `literals, interpolations and Strings make the same text`() {
        let name = "a"
        let text: UTF8Text = "\(name)b"
        #expect(text == "ab" && text.asString == "ab" && "\(text)" == "ab")
        #expect("ab" == text && UTF8Text("xabx".dropFirst().dropLast()) == text)
    }

    @Test func `the order is that of the bytes, and a beginning comes first`() {
        let sorted: [UTF8Text] = ["", "A", "Z", "a", "ab", "\u{E9}", "\u{FFFD}", "\u{10000}"]
        #expect(sorted.shuffled().sorted() == sorted)
    }

    @Test func `only ASCII letters get another case`() {
        #expect(UTF8Text("Bearer É\u{212A}").asciiLowercased == UTF8Text("bearer É\u{212A}"))
    }

    @Test(arguments: [("", ""), (" a b\t", "a b"), (" \t ", ""), ("a", "a"), (" é ", "é")])
    func `spaces and tabs at the ends go`(text: String, trimmed: String) { #expect(UTF8Text(text).trimmed == trimmed) }

    @Test(arguments: [
        ("abc", 3, "abc"), ("abc", 2, "ab"), ("aé", 2, "a"), ("a\u{1F600}b", 4, "a"), ("a\u{1F600}b", 5, "a\u{1F600}"), ("é", 0, ""),
    ])
    func `a cut leaves no half character`(text: String, most: Int, beginning: String) {
        #expect(UTF8Text(text).prefix(bytes: most) == beginning)
    }

    @Test func `splits at bytes and leaves out empty parts`() {
        #expect(UTF8Text("a,,b c").split { $0 == UInt8(ascii: ",") || $0 == 0x20 } == ["a", "b", "c"])
        #expect(UTF8Text("a;b;c").split(maxSplits: 1) { $0 == UInt8(ascii: ";") } == ["a", "b;c"])
    }

    @Test func `finds a part and a NUL`() {
        #expect(UTF8Text("W/\"1\", \"2\"").contains("\"2\"") && !UTF8Text("\"2").contains("\"2\"") && UTF8Text("").contains(""))
        #expect(UTF8Text("a{t}b").replacing("{t}", with: "é") == "aéb" && UTF8Text("ab").replacing("{t}", with: "x") == "ab")
        #expect(UTF8Text("a\0b").hasNUL && !UTF8Text("ab").hasNUL)
    }

    @Test func `bytes that are not UTF-8 are refused or replaced`() {
        #expect(UTF8Text(validating: [0x61, 0xFF]) == nil)
        #expect(UTF8Text(decoding: [0x61, 0xFF]) == "a\u{FFFD}")
    }
}
