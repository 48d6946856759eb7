import Accounts
import Crypto
import Migration
import Runtime
import Testing

struct ImportRulesTests {
    private let now = Instant(seconds: 1_800_000_000)
    private let made = Instant(microseconds: 1_500_000_000_123_456)

    private func source(_ change: (inout SourceAccount) -> Void = { _ in }) -> SourceAccount {
        var source = SourceAccount(id: "uid", place: 7)
        source.email = "Ada@Example.com"
        source.createdAt = made
        change(&source)
        return source
    }

    private func imported(_ source: SourceAccount, _ rules: (inout ImportRules) -> Void = { _ in }) throws -> (
        ImportedAccount, [String: Int]
    ) {
        var (ours, losses) = (ImportRules(now: now), SourceLosses())
        rules(&ours)
        return (try ours.account(source, &losses), losses.counts.merging(losses.notes) { $0 + $1 })
    }

    private func hash() throws -> ImportedPassword {
        .hash(try PasswordHash(reading: "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"))
    }

    @Test func `says what the project cannot ask for`() throws {
        let phone = source {
            $0.email = nil
            $0.phoneNumber = "+15555550100"
            $0.secondFactors = #"[{"mfaEnrollmentId":"1","phoneInfo":"+15555550101"}]"#
        }
        #expect(try imported(phone).1.isEmpty)
        let losses = try imported(phone) { ($0.sendsMessages, $0.allowsPhoneSignIn) = (false, false) }.1
        #expect(losses.count == 2 && losses.keys.contains { $0.hasPrefix("second factor by text message") })
        #expect(losses.keys.contains { $0.hasPrefix("phone number as the only way") })
        #expect(
            try imported(source { $0.phoneNumber = "+15555550100" }) { $0.allowsPhoneSignIn = false }.1.isEmpty, "the address is one, too")
    }

    @Test func `makes an account of everything`() throws {
        let password = try hash()
        let source = source {
            $0.emailVerified = true
            $0.phoneNumber = "+15555550100"
            $0.displayName = "Ada"
            $0.photoURL = "https://example.com/a.png"
            $0.profile = #"{"given_name":"Ada"}"#
            $0.disabled = true
            $0.customAttributes = #"{ "role" : "admin" }"#
            $0.validSince = Instant(microseconds: 1_600_000_000_900_000)
            $0.sessionsEndedAt = Instant(seconds: 1_600_000_001)
            $0.lastLoginAt = Instant(seconds: 1_600_000_002)
            $0.lastRefreshAt = Instant(seconds: 1_600_000_003)
            $0.initialEmail = "First@example.com"
            $0.password = password
            $0.passwordUpdatedAt = Instant(seconds: 1_600_000_004)
            $0.identities = [
                LinkedIdentity(providerID: "google.com", subject: "1", email: "ADA@gmail.com", displayName: "Ada"),
                LinkedIdentity(providerID: "apple.com", subject: "2"),
            ]
            $0.identityRecords["apple.com"] = IdentityRecord()
            $0.secondFactors = #"[{"phoneInfo":"+15555550100"}]"#
        }
        let (imported, losses) = try imported(source)
        var expected = Account(id: "uid", at: made)
        expected.email = "ada@example.com"
        (expected.emailVerified, expected.emailProven) = (true, true)
        expected.phoneNumber = "+15555550100"
        expected.displayName = "Ada"
        expected.photoURL = "https://example.com/a.png"
        expected.profile = #"{"given_name":"Ada"}"#
        expected.disabled = true
        expected.customAttributes = #"{ "role" : "admin" }"#
        expected.validSince = Instant(seconds: 1_600_000_000)
        expected.sessionsEndedAt = Instant(seconds: 1_600_000_001)
        expected.lastLoginAt = Instant(seconds: 1_600_000_002)
        expected.lastRefreshAt = Instant(seconds: 1_600_000_003)
        expected.initialEmail = "first@example.com"
        expected.passwordUpdatedAt = Instant(seconds: 1_600_000_004)
        expected.secondFactors = #"[{"phoneInfo":"+15555550100"}]"#
        expected.identities = [
            LinkedIdentity(providerID: "apple.com", subject: "2"),
            LinkedIdentity(providerID: "google.com", subject: "1", email: "ada@gmail.com", displayName: "Ada"),
        ]
        #expect(imported.account == expected)
        #expect(imported.password == password)
        #expect(imported.place == 7)
        #expect(imported.identityRecords.keys.sorted() == ["apple.com"])
        #expect(losses.isEmpty)
    }

    @Test func `takes the creation for the start of valid tokens and for the time of the password`() throws {
        let password = try hash()
        let (imported, _) = try imported(source { $0.password = password })
        #expect(imported.account.validSince == Instant(seconds: 1_500_000_000))
        #expect(imported.account.passwordUpdatedAt == made)
        #expect(imported.account.lastLoginAt == nil)
    }

    @Test func `never takes the time of the import for the start of valid tokens`() throws {
        let (without, losses) = try imported(source { $0.createdAt = nil })
        #expect(without.account.createdAt == now)
        #expect(without.account.validSince == Instant(seconds: 0))
        #expect(losses.count == 1)
        let (later, _) = try imported(
            source {
                $0.createdAt = nil
                $0.lastLoginAt = Instant(seconds: 1_400_000_000)
            })
        #expect(later.account.createdAt == Instant(seconds: 1_400_000_000))
    }

    @Test(arguments: [
        (ImportRules.Mails.proven, true, Bool?.none, true), (.proven, false, nil, false), (.told, true, nil, false),
        (.proven, true, false, false), (.told, true, true, false),
    ])
    func `SEC-54 takes an address for proven as the operator says`(
        mails: ImportRules.Mails, verified: Bool, said: Bool?, proven: Bool
    ) throws {
        let (imported, _) = try imported(
            source {
                $0.emailVerified = verified
                $0.emailProven = said
            }
        ) { $0.mails = mails }
        #expect(imported.account.emailVerified == verified)
        #expect(imported.account.emailProven == proven)
    }

    @Test func `gives an account without a way to sign in the one that is left`() throws {
        let (byMail, _) = try imported(source())
        #expect(byMail.account.emailLinkSignIn)
        let (byNumber, _) = try imported(
            source {
                $0.email = nil
                $0.phoneNumber = "+15555550100"
            })
        #expect(!byNumber.account.emailLinkSignIn && !byNumber.account.customAuth && !byNumber.account.isAnonymous)
        let (byToken, _) = try imported(source { $0.email = nil })
        #expect(byToken.account.customAuth && !byToken.account.isAnonymous)
        let (anonymous, _) = try imported(
            source {
                $0.email = nil
                $0.isAnonymous = true
            })
        #expect(anonymous.account.isAnonymous)
        let (withAddress, _) = try imported(source { $0.isAnonymous = true })
        #expect(withAddress.account.isAnonymous)
        let (byProvider, _) = try imported(source { $0.identities = [LinkedIdentity(providerID: "google.com", subject: "1")] })
        #expect(!byProvider.account.emailLinkSignIn)
    }

    @Test func `leaves out accounts without a way to sign in where the operator asks for it`() throws {
        let fault = try #require(throws: ImportFault.self) { try imported(source()) { $0.withoutCredential = .skip } }
        #expect(fault.code == .noCredential)
        _ = try imported(source { $0.customAuth = true }) { $0.withoutCredential = .skip }
    }

    @Test(arguments: [
        (\SourceAccount.id, "", ImportFault.Code.invalidID), (\.id, String(repeating: "x", count: 129), .invalidID),
        (\.id, "a\nb", .invalidID), (\.id, "a\u{0}b", .invalidID), (\.id, "a\u{7F}", .invalidID),
    ])
    func `SEC-54 refuses ids`(path: any WritableKeyPath<SourceAccount, String> & Sendable, value: String, code: ImportFault.Code) throws {
        let fault = try #require(throws: ImportFault.self) { try imported(source { $0[keyPath: path] = value }) }
        #expect(fault.code == code)
        #expect((fault.accountID, fault.place) == (value, 7))
    }

    @Test(arguments: [
        (\SourceAccount.email, "not an address", ImportFault.Code.invalidEmail), (\.email, "a@b@c", .invalidEmail),
        (\.phoneNumber, "5555550100", .invalidPhoneNumber), (\.phoneNumber, "+1 555 555 0100", .invalidPhoneNumber),
        (\.displayName, String(repeating: "x", count: 257), .invalidProfile), (\.displayName, "a\u{202E}b", .invalidProfile),
        (\.photoURL, "https://" + String(repeating: "x", count: 2041), .invalidProfile), (\.profile, "[]", .invalidProfile),
        (\.customAttributes, "{", .invalidClaims), (\.customAttributes, "[1]", .invalidClaims), (\.customAttributes, "", .invalidClaims),
        (\.customAttributes, #"{"a":""# + String(repeating: "x", count: 1000) + #""}"#, .invalidClaims),
    ])
    func `refuses values that cannot be stored as they are`(
        path: any WritableKeyPath<SourceAccount, String?> & Sendable, value: String, code: ImportFault.Code
    ) throws {
        let fault = try #require(throws: ImportFault.self) { try imported(source { $0[keyPath: path] = value }) }
        #expect(fault.code == code)
        #expect((fault.accountID, fault.place) == ("uid", 7))
    }

    @Test(arguments: [\SourceAccount.createdAt, \.lastLoginAt, \.validSince, \.lastRefreshAt, \.sessionsEndedAt])
    func `refuses times in another unit`(path: any WritableKeyPath<SourceAccount, Instant?> & Sendable) throws {
        for time in [Instant(seconds: -1), Instant(seconds: 1_500_000_000_000)] {
            let fault = try #require(throws: ImportFault.self) { try imported(source { $0[keyPath: path] = time }) }
            #expect(fault.code == .invalidTime)
        }
    }

    @Test(arguments: [
        [LinkedIdentity(providerID: "google.com", subject: "")], [LinkedIdentity(providerID: "", subject: "1")],
        [LinkedIdentity(providerID: "google.com", subject: String(repeating: "x", count: 256))],
        [LinkedIdentity(providerID: "google.com", subject: "a\u{0}")],
        [LinkedIdentity(providerID: "google.com", subject: "1"), LinkedIdentity(providerID: "google.com", subject: "2")],
    ])
    func `refuses identities`(identities: [LinkedIdentity]) throws {
        let fault = try #require(throws: ImportFault.self) { try imported(source { $0.identities = identities }) }
        #expect(fault.code == .invalidIdentity)
    }

    @Test func `keeps an identity of a provider that is not known`() throws {
        let identity = LinkedIdentity(providerID: "saml.old", subject: String(repeating: "x", count: 255))
        #expect(try imported(source { $0.identities = [identity] }).0.account.identities == [identity])
    }

    @Test func `SEC-54 keeps claims with reserved names and says so`() throws {
        let (imported, losses) = try imported(source { $0.customAttributes = #"{"sub":"x","amr":[],"role":1}"# })
        #expect(imported.account.customAttributes == #"{"sub":"x","amr":[],"role":1}"#)
        #expect(losses.count == 2)
        #expect(try self.imported(source { $0.customAttributes = "{}" }).0.account.customAttributes == nil)
    }

    @Test func `leaves out a photo that a browser might run`() throws {
        let (imported, losses) = try imported(source { $0.photoURL = "javascript:alert(1)" })
        #expect(imported.account.photoURL == nil)
        #expect(losses.count == 1)
    }

    @Test func `leaves out a password without an address`() throws {
        let password = try hash()
        let (imported, losses) = try imported(
            source {
                $0.email = nil
                $0.password = password
            })
        #expect(imported.password == nil)
        #expect(imported.account.passwordUpdatedAt == nil)
        #expect(losses.count == 1)
    }
}
