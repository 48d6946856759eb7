import Runtime
import Testing

@testable import Accounts

@Suite struct UserSearchTests {
    private static let cases: [(typed: String, sources: [SearchSource])] = [
        ("", [.everyone]),
        ("  \t ", [.everyone]),
        ("ada", [.id("ada"), .emailStart("ada"), .nameStart("ada")]),
        ("Ada*", [.id("Ada*"), .emailStart("ada"), .nameStart("Ada")]),
        ("Ada Love", [.id("Ada Love"), .nameStart("Ada Love")]),
        ("Zoë", [.id("Zoë"), .nameStart("Zoë")]),
        (
            "Ada@Example.com",
            [.id("Ada@Example.com"), .emailStart("ada@example.com"), .providerEmail("ada@example.com"), .nameStart("Ada@Example.com")]
        ),
        ("ada@", [.id("ada@"), .emailStart("ada@"), .nameStart("ada@")]),
        (" @Example.com", [.domain("example.com")]),
        ("+1 (202) 555-0101", [.id("+1 (202) 555-0101"), .phone("+12025550101")]),
        ("+nothing", [.id("+nothing"), .emailStart("+nothing"), .nameStart("+nothing")]),
        (
            "google.com:1234",
            [
                .id("google.com:1234"), .identity(providerID: "google.com", subject: "1234"), .emailStart("google.com:1234"),
                .nameStart("google.com:1234"),
            ]
        ),
        (
            "oidc.acme a b",
            [.id("oidc.acme a b"), .identity(providerID: "oidc.acme", subject: "a b"), .nameStart("oidc.acme a b")]
        ),
        ("*100%_ok*", [.substring("100%_ok")]),
    ]

    @Test(arguments: cases.indices) func `reads a text as everything that it can be`(index: Int) throws {
        let (typed, sources) = Self.cases[index]
        #expect(try UserSearch(typed).sources == sources)
    }

    @Test func `refuses what nothing that is stored can be`() {
        #expect(throws: UserSearch.Fault.tooShort) { try UserSearch("*ab*") }
        #expect(throws: UserSearch.Fault.tooLong) { try UserSearch(String(repeating: "a", count: 321)) }
        for text in ["a\u{0}b", "a\u{202E}b", "a\nb"] {
            #expect(throws: UserSearch.Fault.unreadable) { try UserSearch(text) }
        }
        #expect(throws: Never.self) { try UserSearch(String(repeating: "ä", count: 320)) }
    }

    @Test func `a filter alone chooses the list that has its accounts together`() throws {
        var filter = SearchFilter()
        filter.providerID = "google.com"
        #expect(try UserSearch("", filter).sources == [.provider("google.com")])
        filter.providerID = "phone"
        #expect(try UserSearch("", filter).sources == [.phoneNumbers])
        filter.providerID = "password"
        #expect(try UserSearch("", filter).sources == [.everyone])
        filter.disabled = true
        filter.providerID = "google.com"
        #expect(try UserSearch("", filter).sources == [.disabled])
    }
}
