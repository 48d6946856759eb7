import Accounts
import JSON
import Runtime
import Testing

@testable import Migration

@Suite struct AccountRecordTests {
    @Test func `writes every member of an account, and each identity with what apps do not see`() throws {
        var account = Account(id: "ada", at: Instant(microseconds: 1_700_000_000_123_456))
        account.email = "ada@example.com"
        account.emailVerified = true
        account.phoneNumber = "+15551234567"
        account.displayName = "Ada \"L.\""
        account.photoURL = "https://example.com/a.png"
        account.profile = #"{"zoneinfo":"Europe/Berlin"}"#
        account.disabled = true
        account.customAttributes = #"{"role": "admin"}"#
        account.sessionsEndedAt = Instant(seconds: 1_700_000_005)
        account.lastRefreshAt = Instant(seconds: 1_700_000_001)
        account.initialEmail = "old@example.com"
        account.passwordUpdatedAt = Instant(seconds: 1_700_000_002)
        account.emailLinkSignIn = true
        account.customAuth = true
        account.secondFactors = #"[{"mfaEnrollmentId":"1","totpInfo":{}}]"#
        account.identities = [
            LinkedIdentity(
                providerID: "google.com", subject: "108", email: "ada@example.com", emailVerified: true, displayName: "Ada",
                photoURL: "https://example.com/b.png", screenName: "ada")
        ]
        var record = IdentityRecord()
        (record.alias, record.tenant, record.isUnproven) = ("other", "t", true)
        (record.linkedAt, record.lastSignInAt) = (Instant(seconds: 1_700_000_003), Instant(seconds: 1_700_000_004))
        let line = AccountRecord(account, passwordHash: "$scrypt$x", ["google.com": record]).line
        #expect(
            String(decoding: line, as: UTF8.self) == """
                {"localId":"ada","email":"ada@example.com","emailVerified":true,"emailProven":false,"phoneNumber":"+15551234567",\
                "displayName":"Ada \\"L.\\"","photoUrl":"https://example.com/a.png","profile":"{\\"zoneinfo\\":\\"Europe/Berlin\\"}","disabled":true,\
                "customAttributes":"{\\"role\\": \\"admin\\"}","passwordHash":"$scrypt$x","passwordUpdatedAt":1700000002000,\
                "validSince":"1700000000","sessionsEndedAt":"1700000005000","createdAt":"1700000000123","lastLoginAt":"1700000000123",\
                "lastRefreshAt":"2023-11-14T22:13:21.000Z","initialEmail":"old@example.com","emailLinkSignin":true,"customAuth":true,\
                "providerUserInfo":[{"providerId":"google.com","rawId":"108","email":"ada@example.com","emailVerified":true,\
                "displayName":"Ada","photoUrl":"https://example.com/b.png","screenName":"ada","alias":"other","tenant":"t",\
                "linkedAt":"1700000003000","lastSignInAt":"1700000004000","linkedUnproven":true}],\
                "mfaInfo":[{"mfaEnrollmentId":"1","totpInfo":{}}]}

                """)
    }

    @Test func `leaves out what an account does not have`() {
        let account = Account(id: "anonymous", at: Instant(seconds: 1_700_000_000))
        #expect(
            String(decoding: AccountRecord(account, passwordHash: nil, [:]).line, as: UTF8.self) == """
                {"localId":"anonymous","validSince":"1700000000","createdAt":"1700000000000","lastLoginAt":"1700000000000",\
                "anonymous":true}

                """)
    }
}
