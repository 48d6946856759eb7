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

    private func mirrored(_ account: Account, _ hash: String? = nil, own: Bool = true, there: JSON?) throws -> MirroredAccount {
        let hash = try hash.map { try #require(PasswordHash($0)) }
        return MirroredAccount(AccountMirror.Changed(account, hash, hasOwnPassword: own), there: there)
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

    @Test func `a password that was set here takes the whole record along`() throws {
        let (record, hash) = try record(try mirrored(account(), Self.bcrypt, there: ["localId": "ada", "validSince": "1700000000"]))
        #expect(hash == .bcrypt && record["validSince"] == "1700000000")
    }

    @Test func `a password of Google's own stays, whatever else changed`() throws {
        let there: JSON = ["localId": "ada", "displayName": "Former", "photoUrl": "x", "passwordHash": "h"]
        let mirrored = try mirrored(account { $0.disabled = true }, Self.ours, own: false, there: there)
        #expect(
            try bodies(mirrored) == [
                [
                    "localId": "ada", "emailVerified": false, "validSince": "1600000000", "customAttributes": "{}",
                    "email": "ada@example.com", "disableUser": true, "deleteAttribute": ["DISPLAY_NAME", "PHOTO_URL"],
                ]
            ])
        #expect(!mirrored.leavesPassword)
    }

    @Test func `an account whose hashes were never imported keeps its password there`() throws {
        let bodies = try bodies(try mirrored(account(), nil, own: false, there: ["localId": "ada", "passwordHash": "h"]))
        #expect(bodies[0]["deleteProvider"] == nil)
    }

    @Test func `a password that was removed here is removed there`() throws {
        let bodies = try bodies(try mirrored(account(), nil, there: ["localId": "ada", "passwordHash": "h"]))
        #expect(bodies[0]["deleteProvider"] == ["password"])
    }

    @Test func `a second factor that no call gives back is never replaced`() throws {
        for factors in [
            [["mfaEnrollmentId": "t", "totpInfo": [:]]], [["mfaEnrollmentId": "p", "phoneInfo": "+1"], ["mfaEnrollmentId": "t"]],
        ] as [JSON] {
            let mirrored = try mirrored(account(), Self.ours, there: ["localId": "ada", "mfaInfo": factors])
            #expect(try bodies(mirrored).count == 1 && mirrored.leavesPassword)
        }
        let phone: JSON = ["localId": "ada", "mfaInfo": [["mfaEnrollmentId": "p", "phoneInfo": "+1"]]]
        #expect(try record(try mirrored(account(), Self.ours, there: phone)).1 != nil)
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
        let bodies = try bodies(try mirrored(account, nil, there: there))
        #expect(bodies[0]["deleteProvider"] == ["phone", "google.com", "github.com"])
        #expect(
            Array(bodies.dropFirst()) == [
                ["localId": "ada", "linkProviderUserInfo": ["providerId": "google.com", "rawId": "2"]],
                ["localId": "ada", "linkProviderUserInfo": ["providerId": "oidc.acme", "rawId": "3"]],
            ])
    }

    @Test func `an address that was removed here is removed there`() throws {
        let bodies = try bodies(try mirrored(account { $0.email = nil }, nil, there: ["localId": "ada", "email": "ada@example.com"]))
        #expect(bodies[0]["deleteAttribute"] == ["EMAIL"] && bodies[0]["email"] == nil)
    }

    @Test func `a hash that Google cannot check is left out of a new record`() throws {
        let argon2 = "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b2dWRWJTmaaVObG"
        let mirrored = try mirrored(account(), argon2, there: nil)
        let (record, hash) = try record(mirrored)
        #expect(hash == nil && record["passwordHash"] == nil && mirrored.leavesPassword)
    }
}
