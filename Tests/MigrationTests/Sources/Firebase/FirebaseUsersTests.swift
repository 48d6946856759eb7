import Accounts
import Crypto
import JSON
import Migration
import Runtime
import Testing
import Text

struct FirebaseUsersTests {
    private func read(
        _ text: String, _ form: FirebaseUsers.Form = .google, hashes: HashParameters? = nil
    ) throws -> (SourceAccount, [String: Int]) {
        var users = FirebaseUsers(form, hashes: hashes)
        let object = try #require(try JSON.parse(text).object)
        return (try users.account(object, place: 3), users.losses.counts.merging(users.losses.notes) { $0 + $1 })
    }

    @Test func `reads everything that the API has`() throws {
        let (account, losses) = try read(
            """
            {"localId":"uid","email":"ada@example.com","emailVerified":true,"initialEmail":"first@example.com","displayName":"Ada",
            "photoUrl":"https://example.com/a.png","phoneNumber":"+15555550100","disabled":true,"customAttributes":"{\\"a\\":1}",
            "createdAt":"1500000000123","lastLoginAt":"1600000000456","lastRefreshAt":"2020-09-13T12:26:41.5Z","validSince":"1500000001",
            "passwordUpdatedAt":1550000000789.0,"emailLinkSignin":true,"customAuth":true,"passwordHash":"\(FirebaseSample.hash)",
            "salt":"\(FirebaseSample.salt)","version":0,"screenName":"x","kind":"k","providerUserInfo":[
            {"providerId":"password","rawId":"ada@example.com"},{"providerId":"phone","rawId":"+15555550100","phoneNumber":"+15555550100"},
            {"providerId":"oidc.acme","rawId":"7","federatedId":"7","email":"a@acme.example","displayName":"A","photoUrl":"https://x.example/",
             "screenName":"ada"}],
            "mfaInfo":[{"mfaEnrollmentId":"m","displayName":"phone","enrolledAt":"2020-09-13T12:26:40Z","phoneInfo":"+*********00",
             "unobfuscatedPhoneInfo":"+15555550100"}]}
            """, hashes: try FirebaseSample.parameters())
        #expect(losses == ["second factor by phone: it is kept, and the account signs in by no single proof": 1])
        var expected = SourceAccount(id: "uid", place: 3)
        (expected.email, expected.emailVerified, expected.initialEmail) = ("ada@example.com", true, "first@example.com")
        (expected.displayName, expected.photoURL) = ("Ada", "https://example.com/a.png")
        (expected.phoneNumber, expected.disabled, expected.customAttributes) = ("+15555550100", true, #"{"a":1}"#)
        expected.createdAt = Instant(microseconds: 1_500_000_000_123_000)
        expected.lastLoginAt = Instant(microseconds: 1_600_000_000_456_000)
        expected.lastRefreshAt = Instant(microseconds: 1_600_000_001_500_000)
        expected.validSince = Instant(seconds: 1_500_000_001)
        expected.passwordUpdatedAt = Instant(microseconds: 1_550_000_000_789_000)
        (expected.emailLinkSignIn, expected.customAuth) = (true, true)
        expected.password = account.password
        expected.identities = [
            LinkedIdentity(
                providerID: "oidc.acme", subject: "7", email: "a@acme.example", displayName: "A", photoURL: "https://x.example/",
                screenName: "ada")
        ]
        expected.secondFactors =
            #"[{"mfaEnrollmentId":"m","displayName":"phone","enrolledAt":"2020-09-13T12:26:40Z","phoneInfo":"+15555550100"}]"#
        #expect(account == expected)
        let key = try #require(try FirebaseSample.parameters().key)
        #expect(try #require(account.password).isOf(FirebaseSample.password, [key]))
    }

    @Test func `takes absent, empty, null and zero for the same`() throws {
        let (account, _) = try read(
            #"{"localId":"uid","email":"","displayName":null,"createdAt":"0","lastLoginAt":0,"providerUserInfo":[],"mfaInfo":[]}"#)
        #expect(account == SourceAccount(id: "uid", place: 3))
    }

    @Test func `reads a call in snake case, with passwords in plain text and enrolled factors`() throws {
        let (account, losses) = try read(
            #"{"local_id":"ignored","localId":"uid","email_verified":true,"photo_url":"u","raw_password":"secret","#
                + #""mfa":{"enrollments":[{"totpInfo":{}}]},"provider_user_info":[{"provider_id":"google.com","raw_id":"1"}]}"#, .call)
        #expect((account.id, account.emailVerified, account.photoURL) == ("uid", true, "u"))
        #expect(account.password == .plain("secret"))
        #expect(account.secondFactors == #"[{"totpInfo":{}}]"#)
        #expect(account.identities.map(\.subject) == ["1"])
        #expect(losses.keys.contains { $0.hasPrefix("second factor by TOTP") })
    }

    @Test func `reads the members of our own record`() throws {
        let hash = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
        let (account, losses) = try read(
            """
            {"localId":"uid","email":"a@example.com","emailVerified":true,"emailProven":false,"profile":"{\\"given_name\\":\\"Ada\\"}",
            "sessionsEndedAt":"1600000000123","anonymous":true,"passwordHash":"\(hash)","providerUserInfo":[{"providerId":"microsoft.com",
            "rawId":"1","emailVerified":true,"alias":"sub:2","tenant":"t","linkedAt":"1500000000123","lastSignInAt":"1500000000124",
            "linkedUnproven":true}]}
            """, .own)
        #expect(losses.isEmpty)
        #expect(account.emailProven == false)
        #expect(account.profile == #"{"given_name":"Ada"}"#)
        #expect(account.sessionsEndedAt == Instant(microseconds: 1_600_000_000_123_000))
        #expect(account.isAnonymous)
        #expect(try #require(account.password).isOf("U*U", []))
        #expect(account.identities.map(\.emailVerified) == [true])
        var record = IdentityRecord()
        (record.alias, record.tenant, record.isUnproven) = ("sub:2", "t", true)
        record.linkedAt = Instant(microseconds: 1_500_000_000_123_000)
        record.lastSignInAt = Instant(microseconds: 1_500_000_000_124_000)
        #expect(account.identityRecords == ["microsoft.com": record])
    }

    @Test func `asks for the key that a stored hash names`() throws {
        let salt = FirebaseSample.salt.filter { $0 != "=" }, hash = FirebaseSample.hash.filter { $0 != "=" }
        let text = #"{"localId":"uid","passwordHash":"$firebase-scrypt$ln=14,r=8,key=642e5b016a039985$\#(salt)$\#(hash)"}"#
        let fault = try #require(throws: ImportFault.self) { try read(text, .own) }
        #expect(fault.message.contains("the key 642e5b016a039985 of another system: add --hash-config"))
        _ = try read(text, .own, hashes: try FirebaseSample.parameters())
    }

    @Test(arguments: [
        ("{}", ImportFault.Code.invalidID, "localId"), (#"{"localId":7}"#, .invalidID, "localId"),
        (#"{"localId":"u","email":7}"#, .malformed, "email must be a text"),
        (#"{"localId":"u","emailVerified":"yes"}"#, .malformed, "emailVerified must be true or false"),
        (#"{"localId":"u","createdAt":"yesterday"}"#, .malformed, "createdAt must be a time in milliseconds"),
        (#"{"localId":"u","createdAt":"99999999999999999999"}"#, .malformed, "createdAt"),
        (#"{"localId":"u","validSince":{}}"#, .malformed, "validSince"),
        (#"{"localId":"u","lastRefreshAt":"x"}"#, .malformed, "lastRefreshAt must be a time such as"),
        (#"{"localId":"u","customAttributes":{"a":1}}"#, .malformed, "customAttributes must be a text"),
        (#"{"localId":"u","providerUserInfo":{}}"#, .malformed, "providerUserInfo must be an array of objects"),
        (#"{"localId":"u","providerUserInfo":[1]}"#, .malformed, "providerUserInfo must be an array of objects"),
        (#"{"localId":"u","providerUserInfo":[{"rawId":"1"}]}"#, .invalidIdentity, "no providerId"),
        (#"{"localId":"u","providerUserInfo":[{"providerId":"google.com"}]}"#, .invalidIdentity, "no rawId"),
        (#"{"localId":"u","mfaInfo":[{"phoneInfo":"+*******00"}]}"#, .invalidSecondFactor, "masked"),
        (#"{"localId":"u","mfaInfo":[{"phoneInfo":"555"}]}"#, .invalidSecondFactor, "E.164"),
        (#"{"localId":"u","mfaInfo":[{"totpInfo":{"sharedSecretKey":"!!"}}]}"#, .invalidSecondFactor, "Base32"),
        (#"{"localId":"u","mfaInfo":[{"totpInfo":{"periodSec":30}}]}"#, .invalidSecondFactor, "Base32"),
        (#"{"localId":"u","mfaInfo":[{"totpInfo":{"sharedSecretKey":"MFRGG","hashingAlgorithm":"MD5"}}]}"#, .invalidSecondFactor, "SHA1"),
        (
            #"{"localId":"u","mfaInfo":[{"totpInfo":{"sharedSecretKey":"MFRGG","verificationCodeLength":99}}]}"#, .invalidSecondFactor,
            "6 to 8"
        ),
        (#"{"localId":"u","passwordHash":"!","salt":"YQ=="}"#, .invalidHash, "not base64"),
        (#"{"localId":"u","passwordHash":"YWJj","salt":"YQ=="}"#, .invalidHash, "add --hash-config"),
    ])
    func `says why an account is refused`(text: String, code: ImportFault.Code, reason: String) throws {
        let fault = try #require(throws: ImportFault.self) { try read(text) }
        #expect((fault.code, fault.place) == (code, 3))
        #expect(fault.message.contains(reason))
        #expect(fault.accountID == (text.contains(#""u""#) ? "u" : nil))
    }

    @Test func `takes the secret of an authenticator app in groups, as apps show it`() throws {
        let account = try read(#"{"localId":"u","mfaInfo":[{"mfaEnrollmentId":"1","totpInfo":{"sharedSecretKey":"kfy7 yvl2"}}]}"#).0
        #expect(account.secondFactors?.contains(#""sharedSecretKey":"KFY7YVL2""#) == true)
    }

    @Test func `refuses too many second factors`() throws {
        let factors = Array(repeating: "{}", count: 21).joined(separator: ",")
        let fault = try #require(throws: ImportFault.self) { try read(#"{"localId":"u","mfaInfo":[\#(factors)]}"#) }
        #expect(fault.code == .invalidSecondFactor)
    }

    @Test func `says that a base64 text of the key was taken for its bytes`() throws {
        let block = FirebaseSample.block.replacing("jxspr8Ki0RYy", with: "anhzcHI4S2kwUll5")
        let hashes = try HashParameters(reading: UTF8Text(block))
        let fault = try #require(throws: ImportFault.self) {
            try read(#"{"localId":"u","passwordHash":"\#(FirebaseSample.hash)","salt":"YQ=="}"#, hashes: hashes)
        }
        #expect(fault.message.contains("the signer key must be the bytes that its base64 text stands for"))
        #expect(!fault.message.contains("lSrf"))
    }

    @Test(arguments: [
        (#"{"localId":"u","passwordHash":"UkVEQUNURUQ=","email":"a@example.com"}"#, "redacted"),
        (#"{"localId":"u","passwordHash":"YWJj","version":3}"#, "Firebase itself imported (version 3)"),
        (#"{"localId":"u","mfaInfo":[{"totpInfo":{}}]}"#, "second factor by TOTP"),
        (#"{"localId":"u","tenantId":"t"}"#, "tenant"), (#"{"localId":"u","passkeyInfo":[{"credentialId":"x"}]}"#, "passkey"),
        (#"{"localId":"u","email":"a@example.com"}"#, "without a password hash and an identity"),
        (#"{"localId":"u","favouriteColour":"red"}"#, "member favouriteColour"),
        (#"{"localId":"u","emailProven":true}"#, "member emailProven"),
    ])
    func `counts what is lost`(text: String, loss: String) throws {
        let (_, losses) = try read(text)
        #expect(losses.contains { $0.key.contains(loss) && $0.value == 1 })
    }

    @Test func `reports unknown members once`() throws {
        var users = FirebaseUsers(.google, hashes: nil)
        for number in 0..<3 { _ = try users.account(["localId": .string("u\(number)"), "x": 1], place: 1) }
        #expect(users.losses.counts == ["member x, which this import does not know": 1])
    }
}
