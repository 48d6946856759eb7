import Accounts
import Testing

/// The account that has everything, from which descriptions of answers are read.
@Suite struct AccountSamplesTests {
    @Test func `no field of it is absent, empty or false`() throws {
        let full = try #require(Account.samples.last)
        let identity = try #require(full.identities.first)
        for value in [Mirror(reflecting: full), Mirror(reflecting: identity)].flatMap(\.children) {
            let name = value.label ?? ""
            let text = "\(value.value)"
            #expect(!["nil", "", "false", "[]"].contains(text), "\(name) has nothing")
        }
    }
}
