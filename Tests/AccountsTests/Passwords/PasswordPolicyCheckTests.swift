import ProjectSettings
import Testing

@testable import Accounts
import Text

@Suite struct PasswordPolicyCheckTests {
    private func strict() -> PasswordPolicy {
        var policy = PasswordPolicy()
        policy.enforcement = .enforce
        policy.minLength = 8
        policy.maxLength = 50
        policy.requiresLowercase = true
        policy.requiresUppercase = true
        policy.requiresNumeric = true
        policy.requiresNonAlphanumeric = true
        return policy
    }

    /// The faults of a password; nil when it is good enough.
    private func said(_ policy: PasswordPolicy, _ password: String) -> [String]? {
        do {
            try policy.check(password)
            return nil
        } catch AccountError.weakPassword(let text) {
            return ["weak: " + text]
        } catch AccountError.passwordRequirements(let missing) {
            return missing
        } catch {
            return ["\(error)"]
        }
    }

    @Test func `asks every project for six characters and at most 4096, in the words of the API`() {
        let policy = PasswordPolicy()
        #expect(said(policy, "") == ["weak: Password should be at least 6 characters"])
        #expect(said(policy, "12345") == ["weak: Password should be at least 6 characters"])
        #expect(said(policy, "123456") == nil)
        #expect(said(policy, String(repeating: "x", count: 4096)) == nil)
        #expect(said(policy, String(repeating: "x", count: 4097)) == ["Password may contain at most 4096 characters"])
    }

    @Test func `names every requirement that a password lacks, in the order of the API`() {
        let policy = strict()
        #expect(
            said(policy, "") == [
                "Password must contain at least 8 characters", "Password must contain a lower case character",
                "Password must contain an upper case character", "Password must contain a numeric character",
                "Password must contain a non-alphanumeric character",
            ])
        #expect(said(policy, "abcDEF12") == ["Password must contain a non-alphanumeric character"])
        #expect(said(policy, "abcDEF1!" + String(repeating: "x", count: 43)) == ["Password may contain at most 50 characters"])
        #expect(said(policy, "abcDEF1!") == nil)
    }

    @Test func `counts as the JS SDK does: UTF-16 units, ASCII classes, and Firebase's list of other characters`() {
        var policy = strict()
        // Each 🔑 counts as two units, so the first password has eight.
        #expect(said(policy, "aB1!🔑🔑") == nil)
        #expect(said(policy, "aB1!🔑") == ["Password must contain at least 8 characters"])
        #expect(
            said(policy, "äÖ١2345a-") == [
                "Password must contain an upper case character", "Password must contain a non-alphanumeric character",
            ])
        policy = PasswordPolicy()
        policy.enforcement = .enforce
        policy.requiresNonAlphanumeric = true
        for character in PasswordPolicy.nonAlphanumeric { #expect(said(policy, "abcdef\(character)") == nil) }
        for character in "-+=` §🔑" { #expect(said(policy, "abcdef\(character)") != nil) }
    }

    @Test func `lets no policy go below six or beyond 4096`() {
        var policy = PasswordPolicy()
        policy.enforcement = .enforce
        policy.minLength = 1
        policy.maxLength = 1_000_000
        #expect(said(policy, "12345") == ["Password must contain at least 6 characters"])
        #expect(said(policy, String(repeating: "x", count: 4097)) == ["Password may contain at most 4096 characters"])
    }

    @Test func `asks for the policy's rest only where it is enforced`() {
        var policy = strict()
        policy.enforcement = .off
        #expect(said(policy, "abcdef") == nil)
    }

    @Test func `holds a sign-in back only where upgrades are forced`() throws {
        var policy = strict()
        try policy.checkAtSignIn("old")
        policy.forceUpgradeOnSignIn = true
        #expect(throws: AccountError.self) { try policy.checkAtSignIn("old") }
        try policy.checkAtSignIn("abcDEF1!")
        policy.enforcement = .off
        try policy.checkAtSignIn("old")
    }
}
