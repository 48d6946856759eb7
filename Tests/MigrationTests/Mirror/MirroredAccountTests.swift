import Accounts
import Crypto
import JSON
import Runtime
import Testing
import Text

@testable import Migration

/// The calls that make an account at Google as it is here.
@Suite struct MirroredAccountTests {
    private static let ours = "$scrypt$ln=14,r=8,p=1$c2FsdHNhbHRzYWx0c2FsdA$1L6KnAnvQoG6E2tKn8c+2mS8kGXbTvfgGAVqRj4h7Y8"
    private static let bcrypt = "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"

    private func account(_ change: (inout Account) -> Void = { _ in }) -> Account {
        var account = Account(id: "ada", at: Instant(seconds: 1_500_000_000))
        (account.validSince, account.lastLoginAt, account.email) = (Instant(seconds: 1_600_000_000), nil, "ada@example.com")
        change(&account)
        return account
    }

    private func mirrored(
        _ account: Account, _ hash: String? = nil, _ fields: Set<AuditEvent.Field> = Set(AuditEvent.Field.allCases),
        isImported: Bool = false,
        isRevoked: Bool = false, there: JSON?
    ) throws -> MirroredAccount {
        let hash = try hash.map { try #require(PasswordHash($0)) }
        return MirroredAccount(
            AccountMirror.Changed(account, hash, isImported: isImported, fields: fields, isRevoked: isRevoked), there: there)
    }

    private func bodies(_ mirrored: MirroredAccount) throws -> [JSON] {
        guard case .update(let bodies) = mirrored.step else { throw Unexpected() }
        return bodies
    }

    private func record(_ mirrored: MirroredAccount) throws -> (JSON, FirebaseHash?) {
        guard case .replace(let record, let hash) = mirrored.step else { throw Unexpected() }
        return (record, hash)
    }

    private struct Unexpected: Error {}

    @Test func `an account that Google lacks goes there as a whole`() throws {
        let account = account { account in
            (account.phoneNumber, account.displayName, account.customAttributes) = ("+15555550100", "Ada", #"{"role":"admin"}"#)
            account.lastLoginAt = Instant(seconds: 1_600_000_001)
            account.identities = [LinkedIdentity(providerID: "google.com", subject: "1", email: "a@gmail.com")]
            account.secondFactors = #"[{"mfaEnrollmentId":"p","phoneInfo":"+15555550101"},{"mfaEnrollmentId":"t","totpInfo":{}}]"#
        }
        let mirrored = try mirrored(account, Self.ours, there: nil)
        let (record, hash) = try record(mirrored)
        #expect(!mirrored.leavesPassword && hash == .standardScrypt(log2N: 14, blockSize: 8, parallelization: 1, length: 32))
        #expect(
            record == [
                "localId": "ada", "emailVerified": false, "validSince": "1600000000", "customAttributes": #"{"role":"admin"}"#,
                "email": "ada@example.com", "phoneNumber": "+15555550100", "displayName": "Ada", "disabled": false,
                "passwordHash": .string(Base64URL.encode(try #require(PasswordHash(Self.ours)).digest)), "salt": "c2FsdHNhbHRzYWx0c2FsdA",
                "createdAt": "1500000000000", "lastLoginAt": "1600000001000",
                "providerUserInfo": [["providerId": "google.com", "rawId": "1", "email": "a@gmail.com"]],
                "mfaInfo": [["mfaEnrollmentId": "p", "phoneInfo": "+15555550101"]],
            ])
    }

    @Test func `our hashes have the parameters by which Google checks them`() {
        let hash = FirebaseHash.standardScrypt(log2N: 14, blockSize: 8, parallelization: 1, length: 32)
        #expect(
            hash.uploadParameters.map(JSON.object)
                == ["hashAlgorithm": "STANDARD_SCRYPT", "cpuMemCost": 16384, "blockSize": 8, "parallelization": 1, "dkLen": 32])
        #expect(FirebaseHash.bcrypt.uploadParameters.map(JSON.object) == ["hashAlgorithm": "BCRYPT"])
        #expect(FirebaseHash.pbkdf2SHA256(rounds: 9).uploadParameters.map(JSON.object) == ["hashAlgorithm": "PBKDF2_SHA256", "rounds": 9])
        #expect(FirebaseHash.firebaseScrypt(memoryCost: 14, rounds: 8, keyID: "k").uploadParameters == nil)
    }

    @Test func `an account that came from Google and is not there any more stays gone`() throws {
        #expect(try mirrored(account(), Self.ours, isImported: true, there: nil).step == .leaveGone)
    }

    @Test func `another account with the same id at Google is left alone`() throws {
        for there in [["email": "a@example.com"], ["passwordHash": "h"], ["customAttributes": "{}"], ["phoneNumber": "+1"]] as [JSON.Object]
        {
            var there = there
            #expect(try mirrored(account(), Self.ours, there: .object(there)).step == .leaveOther)
            there["createdAt"] = "1500000000000"
            #expect(try mirrored(account(), Self.ours, there: .object(there)).step != .leaveOther)
        }
        // Made by a custom token, for data.
        #expect(try mirrored(account(), Self.ours, there: ["localId": "ada", "createdAt": "1600000000000"]).step != .leaveOther)
    }

    @Test func `a record that a custom token made becomes a copy that is known afterwards`() throws {
        let there: JSON = ["localId": "ada", "createdAt": "1600000000000"]
        let updated = try bodies(try mirrored(account(), nil, [.email], there: there))
        #expect(updated[0]["createdAt"] == "1500000000000")
        let (replaced, _) = try record(try mirrored(account(), Self.ours, there: there))
        #expect(replaced["createdAt"] == "1500000000000")
        #expect(try mirrored(account(), Self.ours, [.claims], there: replaced).step != .leaveOther)
    }

    @Test func `only a revocation moves the time from which tokens count`() throws {
        let there: JSON = ["localId": "ada", "validSince": "1500000000", "email": "ada@example.com"]
        for (isRevoked, expected) in [(false, nil), (true, "1600000000")] as [(Bool, JSON?)] {
            let bodies = try bodies(try mirrored(account(), nil, [.profile], isImported: true, isRevoked: isRevoked, there: there))
            #expect(bodies[0]["validSince"] == expected)
        }
    }

    @Test func `a password that was set here takes the whole record along, with what only Google has`() throws {
        let there: JSON = [
            "localId": "ada", "validSince": "1700000000", "disabled": true, "customAttributes": #"{"role":"there"}"#,
            "displayName": "There",
            "lastRefreshAt": "2020-01-01T00:00:00Z", "mfaInfo": [["mfaEnrollmentId": "p", "phoneInfo": "+15555550101"]],
            "passwordHash": "theirs", "salt": "theirs", "version": 0,
            "providerUserInfo": [["providerId": "password", "rawId": "ada@example.com"], ["providerId": "google.com", "rawId": "1"]],
        ]
        let (record, hash) = try record(
            try mirrored(account { $0.displayName = "Here" }, Self.bcrypt, [.password], isImported: true, there: there))
        let known = try #require(PasswordHash(Self.bcrypt))
        #expect(hash == .bcrypt)
        #expect(
            record == [
                "localId": "ada", "validSince": "1700000000", "disabled": true, "customAttributes": #"{"role":"there"}"#,
                "displayName": "There", "mfaInfo": [["mfaEnrollmentId": "p", "phoneInfo": "+15555550101"]],
                "passwordHash": .string(Base64URL.encode(known.digest)), "salt": .string(Base64URL.encode(known.salt)),
                "providerUserInfo": [["providerId": "google.com", "rawId": "1"]],
            ])
        let renamed = try self.record(
            try mirrored(
                account { $0.displayName = "Here" }, Self.bcrypt, [.password, .profile, .identities], isImported: true, there: there)
        ).0
        #expect(renamed["displayName"] == "Here" && renamed["providerUserInfo"] == nil && renamed["disabled"] == true)
    }

    @Test func `only what changed here is brought`() throws {
        let there: JSON = [
            "localId": "ada", "displayName": "Former", "photoUrl": "x", "passwordHash": "h", "phoneNumber": "+1",
            "email": "other@example.com",
        ]
        let account = account { $0.disabled = true }
        let rows: [(Set<AuditEvent.Field>, JSON.Object)] = [
            ([], [:]), ([.disabled], ["disableUser": true]), ([.claims], ["customAttributes": "{}"]),
            ([.email], ["email": "ada@example.com", "emailVerified": false]),
            ([.profile], ["deleteAttribute": ["DISPLAY_NAME", "PHOTO_URL"]]), ([.phoneNumber], ["deleteProvider": ["phone"]]),
            ([.identities], [:]),
        ]
        for (fields, expected) in rows {
            var body: JSON.Object = ["localId": "ada"]
            for member in expected { body[member.name] = member.value }
            let mirrored = try mirrored(account, Self.ours, fields, isImported: true, there: there)
            #expect(try bodies(mirrored) == [.object(body)], "\(fields)")
            #expect(!mirrored.leavesPassword)
        }
    }

    @Test func `a password that was removed here is removed there`() throws {
        let bodies = try bodies(
            try mirrored(account(), nil, [.password], isImported: true, there: ["localId": "ada", "passwordHash": "h"]))
        #expect(bodies[0]["deleteProvider"] == ["password"])
    }

    @Test func `a revocation ends what Google gave, and lets in whoever is enabled again`() {
        for (fields, isDisabled) in [([], nil), ([.disabled], false)] as [(Set<AuditEvent.Field>, Bool?)] {
            let changed = AccountMirror.Changed(account(), nil, isImported: false, fields: fields, isRevoked: true)
            var body: JSON.Object = ["localId": "ada", "validSince": "1600000300"]
            body["disableUser"] = isDisabled.map { .bool($0) }
            let until = Instant(seconds: 1_600_000_300)
            #expect(MirroredAccount.revocation(of: changed, until: until, there: ["validSince": "1500000000"]) == .object(body))
        }
    }

    @Test func `a second factor that no call gives back is never replaced`() throws {
        for factors in [
            [["mfaEnrollmentId": "t", "totpInfo": [:]]], [["mfaEnrollmentId": "p", "phoneInfo": "+1"], ["mfaEnrollmentId": "t"]],
        ] as [JSON] {
            let mirrored = try mirrored(account(), Self.ours, isImported: true, there: ["localId": "ada", "mfaInfo": factors])
            #expect(try bodies(mirrored).count == 1 && mirrored.leavesPassword)
        }
        let phone: JSON = ["localId": "ada", "mfaInfo": [["mfaEnrollmentId": "p", "phoneInfo": "+1"]]]
        #expect(try record(try mirrored(account(), Self.ours, isImported: true, there: phone)).1 != nil)
    }

    @Test func `identities are unlinked and linked as they are here`() throws {
        let account = account { account in
            account.identities = [
                LinkedIdentity(providerID: "google.com", subject: "2"), LinkedIdentity(providerID: "oidc.acme", subject: "3"),
                LinkedIdentity(providerID: "apple.com", subject: "4"),
            ]
        }
        let there: JSON = [
            "localId": "ada", "phoneNumber": "+1",
            "providerUserInfo": [
                ["providerId": "google.com", "rawId": "1"], ["providerId": "apple.com", "rawId": "4"],
                ["providerId": "github.com", "rawId": "5"], ["providerId": "password", "rawId": "ada@example.com"],
                ["providerId": "phone", "rawId": "+1"],
            ],
        ]
        let bodies = try bodies(try mirrored(account, nil, isImported: true, there: there))
        #expect(bodies[0]["deleteProvider"] == ["phone", "google.com", "github.com"])
        #expect(
            Array(bodies.dropFirst()) == [
                ["localId": "ada", "linkProviderUserInfo": ["providerId": "google.com", "rawId": "2"]],
                ["localId": "ada", "linkProviderUserInfo": ["providerId": "oidc.acme", "rawId": "3"]],
            ])
    }

    @Test func `an address that was removed here is removed there`() throws {
        let bodies = try bodies(
            try mirrored(account { $0.email = nil }, nil, isImported: true, there: ["localId": "ada", "email": "ada@example.com"]))
        #expect(bodies[0]["deleteAttribute"] == ["EMAIL"] && bodies[0]["email"] == nil)
    }

    @Test func `a hash that Google cannot check is left out of a new record`() throws {
        let argon2 = "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b2dWRWJTmaaVObG"
        let mirrored = try mirrored(account(), argon2, there: nil)
        let (record, hash) = try record(mirrored)
        #expect(hash == nil && record["passwordHash"] == nil && mirrored.leavesPassword)
    }
}
