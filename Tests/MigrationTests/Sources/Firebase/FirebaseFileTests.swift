import Accounts
import Crypto
import Migration
import Runtime
import Testing

struct FirebaseFileTests {
    private func read(_ text: String, hashes: HashParameters? = nil) throws -> (
        accounts: [SourceAccount], faults: [ImportFault], source: SourceReading
    ) {
        let source = try SourceReading(try FirebaseFile(try TestFile.of(text), hashes: hashes))
        return (source.accounts, source.faults, source)
    }

    /// A row of the CLI: `values` at their columns, and a comma behind the last one.
    private func row(_ width: Int, _ values: [Int: String]) -> String { (0..<width).map { "\(values[$0] ?? "")," }.joined() + "\n" }

    @Test func `reads JSON of each version`() throws {
        let (accounts, faults, source) = try read(
            """
            {"users": [
            {"localId":"a","email":"a@example.com","emailVerified":true,"passwordHash":"\(FirebaseSample.hash)","salt":"\(FirebaseSample.salt)",
             "lastSignedInAt":"1600000000456","createdAt":"1500000000123","providerUserInfo":[]},
            {"localId":"b","providerUserInfo":[{"providerId":"apple.com","rawId":"1"}]},
            {"localId":"c","mfaInfo":[{"mfaEnrollmentId":"m","totpInfo":{}}]},
            {"email":"nobody@example.com"}
            ]}
            """, hashes: try FirebaseSample.parameters())
        #expect(accounts.map(\.id) == ["a", "b", "c"])
        #expect(accounts.map(\.place) == [2, 4, 5])
        #expect(accounts[0].lastLoginAt == Instant(microseconds: 1_600_000_000_456_000))
        #expect(accounts[0].password != nil)
        #expect(accounts[1].identities.map(\.providerID) == ["apple.com"])
        #expect(faults.map(\.place) == [6])
        #expect(source.losses.counts.count == 1)
        #expect(source.hashKeys.map(\.id) == ["642e5b016a039985"])
        #expect(source.remarks.first?.contains("15.24") ?? false)
    }

    @Test(arguments: [28, 52]) func `reads CSV of each version`(width: Int) throws {
        var values = [
            0: "uid", 1: "a@example.com", 2: "true", 3: FirebaseSample.hash, 4: FirebaseSample.salt, 5: #""Ada ""A"", L""#,
            6: "https://example.com/a.png", 7: "1", 8: "g@example.com", 9: "G", 10: "https://g.example/", 11: "2", 15: "3", 19: "4",
            23: "1500000000123", 24: "1600000000456", 25: "+15555550100", 26: "true", 27: #""{""role"":""admin""}""#,
        ]
        if width == 52 { for (column, subject) in [28: "5", 32: "6", 36: "7", 40: "8", 44: "9", 48: "10"] { values[column] = subject } }
        let (accounts, faults, source) = try read(
            row(width, values) + row(width, [0: "other", 2: "false"]), hashes: try FirebaseSample.parameters())
        #expect(faults.isEmpty)
        #expect(source.losses.counts.isEmpty)
        #expect(accounts.map(\.id) == ["uid", "other"])
        let account = accounts[0]
        #expect((account.email, account.emailVerified, account.displayName) == ("a@example.com", true, #"Ada "A", L"#))
        #expect((account.photoURL, account.phoneNumber, account.disabled) == ("https://example.com/a.png", "+15555550100", true))
        #expect(account.customAttributes == #"{"role":"admin"}"#)
        #expect(account.createdAt == Instant(microseconds: 1_500_000_000_123_000))
        #expect(account.lastLoginAt == Instant(microseconds: 1_600_000_000_456_000))
        #expect(account.password != nil)
        let providers = [
            "google.com", "facebook.com", "twitter.com", "github.com", "apple.com", "microsoft.com", "gc.apple.com", "playgames.google.com",
            "linkedin.com", "yahoo.com",
        ]
        #expect(account.identities.map(\.providerID) == Array(providers.prefix(width == 52 ? 10 : 4)))
        #expect(account.identities.map(\.subject) == (1...(width == 52 ? 10 : 4)).map { "\($0)" })
        #expect(
            account.identities[0]
                == LinkedIdentity(
                    providerID: "google.com", subject: "1", email: "g@example.com", displayName: "G", photoURL: "https://g.example/"))
    }

    @Test func `refuses a row whose columns a comma has shifted, and goes on`() throws {
        let shifted = row(52, [0: "b", 6: "https://example.com/?a=1,2", 23: "1500000000123"])
        let (accounts, faults, _) = try read(row(52, [0: "a"]) + shifted + row(52, [0: "c"]))
        #expect(accounts.map(\.id) == ["a", "c"])
        #expect(faults.map(\.place) == [2])
        #expect(faults.map(\.accountID) == ["b"])
        #expect(faults[0].message.contains("53 columns instead of 52"))
        #expect(faults[0].message.contains("export the accounts as JSON"))
    }

    @Test(arguments: [(2, "yes", "emailVerified"), (26, "0", "disabled"), (23, "https://x", "createdAt"), (24, "1.5", "lastSignedInAt")])
    func `refuses a row whose columns have other values`(column: Int, value: String, name: String) throws {
        let (accounts, faults, _) = try read(row(52, [0: "a", column: value]) + row(52, [0: "b"]))
        #expect(accounts.map(\.id) == ["b"])
        #expect(faults.count == 1)
        #expect(faults.first?.message.contains("column \(column) (\(name))") ?? false)
    }

    @Test func `SEC-54 takes no row behind one that a line break has split`() throws {
        let forged = row(52, [0: "forged", 1: "victim@example.com", 2: "true"])
        let split = row(52, [0: "b", 9: "name\n\(forged)rest"])
        let (accounts, faults, _) = try read(row(52, [0: "a"]) + split + row(52, [0: "c"]))
        #expect(accounts.map(\.id) == ["a"])
        #expect(faults.map(\.place) == [2, 3, 4, 5])
        #expect(faults[0].message.contains("a line break in a text may have split it"))
        #expect(faults[3].message.contains("line 2 may have been split"))
    }

    @Test(arguments: [
        ("a,b@example.com,tr", "test ends at line 1 in the middle of a row", true), ("", "test is empty", false),
        ("hello\n", "neither the JSON nor the CSV of firebase auth:export", false),
        ("name;mail\n", "neither the JSON nor the CSV", false),
        (#"{"users":[{"localId":"a"},"#, "test ends at line 1 behind an account", true), (#"{"accounts":[]}"#, "no member users", false),
    ])
    func `says why a file cannot be read`(text: String, reason: String, isCut: Bool) throws {
        let failure = try #require(throws: SourceFailure.self) { try read(text) }
        #expect(failure.description.contains(reason))
        #expect(failure.isCut == isCut)
    }

    @Test func `reads an empty project`() throws {
        #expect(try read(#"{"users": []}"#).accounts.isEmpty)
    }
}
