import Accounts
import Crypto
import JSON
import Runtime
import TestKit
import Testing
import Text

@testable import Migration

@Suite struct KeycloakTests {
    @Test func `takes over a user with name, times and identities`() throws {
        let user = """
            {"id": "0c9e", "createdTimestamp": 1700000000123, "username": "ada", "enabled": false, "totp": false, "emailVerified": true, \
            "firstName": "Ada", "lastName": "L.", "email": "ada@example.com", "notBefore": 1700000100, "credentials": [], \
            "federatedIdentities": [{"identityProvider": "google", "userId": "108", "userName": "ada@example.com"}, \
            {"identityProvider": "microsoft", "userId": "AAAA-1"}, {"identityProvider": "acme-oidc", "userId": "s"}, \
            {"identityProvider": "github", "userId": 7}]}
            """
        let account = try #require(try read([user]).accounts.first)
        #expect(account.id == "0c9e")
        #expect(account.email == "ada@example.com" && account.emailVerified)
        #expect(account.displayName == "Ada L.")
        #expect(account.disabled)
        #expect(account.createdAt == Instant(milliseconds: 1_700_000_000_123))
        #expect(account.validSince == Instant(seconds: 1_700_000_100))
        #expect(
            account.identities == [
                LinkedIdentity(providerID: "google.com", subject: "108", screenName: "ada@example.com"),
                LinkedIdentity(providerID: "microsoft.com", subject: "aaaa-1"), LinkedIdentity(providerID: "oidc.acme", subject: "s"),
                LinkedIdentity(providerID: "github.com", subject: "7"),
            ])
    }

    /// PBKDF2 of Python 3.11's hashlib, argon2 of PyPI's argon2-cffi 25.1.0, all with the bytes 0 to 15 as the salt.
    @Test(arguments: [
        (#""pbkdf2","hashIterations":20000"#, "47xJdjgD7oCJjaKMWr9/9bjZP44="),
        (#""pbkdf2-sha256","hashIterations":27500,"additionalParameters":{}"#, "ByHME0Bcgq21SQPoMfWNB1SaFhqIjABc2ZC5otQcKxQ="),
        (
            #""pbkdf2-sha256","hashIterations":27500,"additionalParameters":{}"#,
            "ByHME0Bcgq21SQPoMfWNB1SaFhqIjABc2ZC5otQcKxSbbsIHRjpipX/ct3/vbB8EowDJ16g1vttexzDUD5mGmw=="
        ),
        (
            #""pbkdf2-sha512","hashIterations":21000"#,
            "PyBguVC9OHXZUJDPWRVr0/anulXBX11H03dnZd+tJaZvtzH7rWxt+Ph7fLJT4wBoSGltywM+vXyQkMLWSe37rQ=="
        ),
        (Self.argon2, "kr5LV/SdMqKsgEb2JCw2DJDoZraCPCdmEjM0ujKSlgU="),
    ])
    func `takes over each kind of hash`(algorithm: String, digest: String) throws {
        let account = try #require(try read([user(password(algorithm, digest))]).accounts.first)
        #expect(try account.hasPassword("correct horse 1") == true)
        #expect(try account.hasPassword("correct horse 2") == false)
        #expect(account.passwordUpdatedAt == Instant(milliseconds: 1_700_000_000_000))
    }

    private static let argon2 =
        #""argon2","hashIterations":5,"additionalParameters":{"hashLength":["32"],"memory":["7168"],"type":["id"],"version":["1.3"],"#
        + #""parallelism":["1"]}"#

    @Test(arguments: [
        (#""pbkdf2-sha384","hashIterations":1000"#, "not supported"),
        (#""pbkdf2-sha512","hashIterations":9000000"#, "iterations of PBKDF2"),
        (argon2.replacing(#"["id"]"#, with: #"["d"]"#), "type id or i"), (argon2.replacing("1.3", with: "1.0"), "version 1.3"),
        (argon2.replacing(#""memory":["7168"],"#, with: ""), "lacks its memory"), (#""pbkdf2""#, "no hashIterations"),
    ])
    func `refuses a hash that it cannot check, and names the user`(algorithm: String, reason: String) throws {
        let digest = "ByHME0Bcgq21SQPoMfWNB1SaFhqIjABc2ZC5otQcKxQ="
        let fault = try #require(try read([user(password(algorithm, digest))]).faults.first)
        #expect(fault.code == .invalidHash && fault.accountID == "1" && fault.place == 2)
        #expect(fault.message.contains(reason))
        #expect(!fault.message.contains(digest))
    }

    @Test func `hashes a password that an operator has written into the file`() throws {
        let account = try #require(try read([user(#"{"type": "password", "value": "secret 1"}"#)]).accounts.first)
        #expect(account.password == .plain("secret 1"))
    }

    @Test func `takes over no password that its owner must change`() throws {
        let digest = "ByHME0Bcgq21SQPoMfWNB1SaFhqIjABc2ZC5otQcKxQ="
        let text = user(password(#""pbkdf2-sha256","hashIterations":27500"#, digest), #""requiredActions": ["UPDATE_PASSWORD"]"#)
        let read = try read([text])
        #expect(read.accounts.first?.password == nil)
        #expect(read.accounts.first?.passwordUpdatedAt == nil)
        #expect(read.losses.counts == ["password that its owner must change: a link in a mail leads to a new one": 1])
    }

    /// The keys in Base32 are of Python 3.11's base64.b32encode.
    @Test(arguments: [
        (#""period":30,"algorithm":"HmacSHA1""#, "qDMO3dkHSr9kXZzpLc2e", "OFCE2TZTMRVUQU3SHFVVQWT2OBGGGMTF", "SHA1", 30),
        (#""period":60,"algorithm":"HmacSHA256","secretEncoding":"BASE32""#, "GEZDGNBVGY3TQOJQ", "GEZDGNBVGY3TQOJQ", "SHA256", 60),
    ])
    func `keeps the secrets of one-time passwords`(data: String, value: String, key: String, hash: String, period: Int64) throws {
        let account = try #require(try read([user(otp(#""subType":"totp","digits":6,"counter":0,"# + data, value))]).accounts.first)
        #expect(
            try JSON.parse(try #require(account.secondFactors)) == [
                [
                    "mfaEnrollmentId": "o1", "displayName": "Phone app", "enrolledAt": "2023-11-14T22:13:20.000Z",
                    "totpInfo": [
                        "sharedSecretKey": .string(key), "hashingAlgorithm": .string(hash), "verificationCodeLength": 6,
                        "periodSec": .integer(period),
                    ],
                ]
            ])
    }

    @Test func `keeps a second factor that it cannot check, so that no single factor signs in`() throws {
        let read = try read([
            user(otp(#""subType":"hotp","digits":6,"counter":3"#, "abc")), user(#"{"id": "w", "type": "webauthn"}"#),
            user(#"{"type": "recovery-authn-codes"}"#), user(#"{"type": "password-history"}"#),
        ])
        #expect(read.accounts.map { $0.secondFactors != nil } == [true, true, false, false])
        #expect(
            read.losses.counts == [
                "second factor by one-time passwords that are counted, or whose secret cannot be read": 1,
                "second factor of the kind webauthn: it cannot be moved": 1, "recovery codes of the second factor": 1,
            ])
    }

    @Test func `puts attributes, roles and groups where the operator says, and counts the others`() throws {
        let mapping = """
            {"attributes": {"phone": "phoneNumber", "photo": "photoUrl", "nick": "displayName", "team": "claims.team", "tags": "claims.tags"},
             "realmRoles": "claims.roles"}
            """
        let more = """
            "attributes": {"phone": ["+15551234567"], "photo": ["https://example.com/a.png"], "nick": ["A"], "team": ["red"], \
            "tags": ["x", "y"], "locale": ["de"]}, "realmRoles": ["admin"], "groups": ["/staff"]
            """
        let read = try read([user("", more)], attributes: KeycloakAttributes(Array(mapping.utf8), name: "mapping.json"))
        let account = try #require(read.accounts.first)
        #expect(account.phoneNumber == "+15551234567")
        #expect(account.photoURL == "https://example.com/a.png")
        #expect(account.displayName == "A")
        #expect(account.customAttributes == #"{"team":"red","tags":["x","y"],"roles":["admin"]}"#)
        #expect(
            read.losses.counts == [
                "attribute locale of the user; --attributes can keep it": 1, "groups of the user; --attributes can keep them as a claim": 1,
            ])
    }

    @Test(arguments: [
        ("[]", "not a JSON object"), (#"{"attributes": {"a": "uid"}}"#, "a must become"),
        (#"{"attributes": {"a": "claims."}}"#, "a must become"),
        (#"{"groups": "phoneNumber"}"#, "groups can only become a claim"), (#"{"roles": "claims.roles"}"#, "unknown member roles"),
    ])
    func `refuses a mapping of another form`(text: String, reason: String) throws {
        let failure = try #require(throws: SourceFailure.self) { try KeycloakAttributes(Array(text.utf8), name: "mapping.json") }
        #expect(failure.description.contains(reason) && failure.description.contains("mapping.json"))
    }

    @Test func `passes over the accounts of clients, and says what a directory keeps`() throws {
        let read = try read([
            #"{"id": "1", "serviceAccountClientId": "app"}"#, #"{"id": "2", "email": "a@example.com", "federationLink": "ldap"}"#,
            #"{"id": "3"}"#,
        ])
        #expect(read.entries.first == .skipped)
        #expect(
            read.losses.counts == [
                "password of a user of a directory (LDAP, Kerberos), which Keycloak does not have": 1,
                "password: no user of the file has credentials, as in exports of the admin console and API; kc.sh export has them": 2,
                "user name of a user without an address: people sign in with their address here": 1,
            ])
    }

    @Test(arguments: [
        (#"{"email": "a@example.com"}"#, ImportFault.Code.invalidID),
        (#"{"id": "1", "federatedIdentities": [{"userId": "1"}]}"#, .invalidIdentity),
        (#"{"id": "1", "credentials": [{"secretData": "{}"}]}"#, .invalidHash),
        (#"{"id": "1", "credentials": [{"type": "password", "secretData": "{", "credentialData": "{}"}]}"#, .invalidHash),
        (#"{"id": "1", "credentials": [{"type": "password", "secretData": "{}", "credentialData": "{}"}]}"#, .invalidHash),
    ])
    func `refuses a user, and goes on`(text: String, code: ImportFault.Code) throws {
        let read = try read([text, #"{"id": "2"}"#])
        #expect(read.faults.map(\.code) == [code])
        #expect(read.accounts.map(\.id) == ["2"])
    }

    @Test(arguments: [
        ("", [2]), (#", "federatedIdentities": [{"identityProvider": "acme-oidc", "userId": "1"}]"#, [2]), (#", "credentials": []"#, []),
    ])
    func `says that an export of the console has no passwords, where no user has credentials`(more: String, counts: [Int]) throws {
        let users = ["1", "2"].map { #"{"id": "\#($0)", "email": "\#($0)@example.com"\#(more)}"# }
        #expect(try read(users).losses.counts.filter { $0.key.hasPrefix("password: no user") }.map(\.value) == counts)
    }

    @Test func `names an alias of the operator that the realm does not have`() throws {
        #expect(
            try read([user("")]).losses.notes == [
                "identity of acme-oidc, as --provider spells it; the source has no identity of a provider": 0
            ])
    }

    private func password(_ algorithm: String, _ digest: String) -> String {
        JSON.object([
            "type": "password", "createdDate": 1_700_000_000_000,
            "secretData": .string(#"{"value":"\#(digest)","salt":"AAECAwQFBgcICQoLDA0ODw==","additionalParameters":{}}"#),
            "credentialData": .string(#"{"algorithm":\#(algorithm)}"#),
        ]).text()
    }

    private func otp(_ data: String, _ value: String) -> String {
        JSON.object([
            "id": "o1", "type": "otp", "userLabel": "Phone app", "createdDate": 1_700_000_000_000,
            "secretData": .string(#"{"value":"\#(value)"}"#), "credentialData": .string("{\(data)}"),
        ]).text()
    }

    private func user(_ credential: String, _ more: String = #""enabled": true"#) -> String {
        #"{"id": "1", "email": "a@example.com", \#(more), "credentials": [\#(credential)]}"#
    }

    private func read(_ users: [String], attributes: KeycloakAttributes = KeycloakAttributes()) throws -> SourceReading {
        let folder = try TestFolder([
            "realm.json": "{\"realm\": \"acme\", \"users\": [\n\(users.joined(separator: ",\n"))\n], \"groups\": []}"
        ])
        return try SourceReading(
            try KeycloakSource(path: "\(folder.path)/realm.json", names: ["acme-oidc": "oidc.acme"], attributes: attributes))
    }
}
