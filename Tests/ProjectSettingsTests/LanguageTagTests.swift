import Testing

@testable import ProjectSettings

@Suite struct LanguageTagTests {
    @Test(arguments: [("en", true), ("zh-Hant-TW", true), ("e", false), ("en-", false), ("en_US", false), ("../en", false), ("12", false)])
    func `knows a tag`(_ text: String, _ isTag: Bool) {
        #expect(LanguageTag.isWellFormed(text) == isTag)
    }
}
