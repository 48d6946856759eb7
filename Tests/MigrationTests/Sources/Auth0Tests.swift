import Accounts
import JSON
import Migration
import Runtime
import TestKit
import Testing
import Text

@Suite struct Auth0Tests {
    private static let oid = "5dea9f9c82dd7c0e76e4ec93"
    private static let database = #"{"provider": "auth0", "user_id": "\#(oid)", "connection": "Username-Password-Authentication"}"#

    /// The hash is of PyPI's bcrypt 4.0.1.
    private static let hash = """
        {"_id": {"$oid": "\(oid)"}, "email": "ada@example.com", "email_verified": false, \
        "passwordHash": "$2b$10$abcdefghijklmnopqrstuuFzaLl22Q/4sUS1B6HLw8.TDaHis0CLy", \
        "password_set_date": {"$date": "2019-12-06T18:36:12.412Z"}, "tenant": "acme", "connection": "Username-Password-Authentication"}
        """

    @Test(arguments: [(Auth0Source.UserID.full, "auth0|\(oid)"), (.tail, oid)])
    func `joins a user with the hash and takes the id that back ends have`(userID: Auth0Source.UserID, id: String) throws {
        let user = """
            {"user_id": "auth0|\(Self.oid)", "email": "ada@example.com", "email_verified": true, "name": "Ada", "nickname": "ada", \
            "picture": "https://s.gravatar.com/a.png", "created_at": "2019-12-06T18:36:12.000Z", "last_login": "2024-01-01T00:00:00.000Z", \
            "app_metadata": {"role": "admin"}, "blocked": true, "identities": [\(Self.database)]}
            """
        let read = try read([user], hashes: [Self.hash], userID)
        let account = try #require(read.accounts.first)
        #expect(account.id == id)
        #expect(account.email == "ada@example.com" && account.emailVerified)
        #expect(account.displayName == "Ada")
        #expect(account.photoURL == "https://s.gravatar.com/a.png")
        #expect(account.createdAt == Instant(utc: "2019-12-06T18:36:12Z"))
        #expect(account.lastLoginAt == Instant(utc: "2024-01-01T00:00:00Z"))
        #expect(account.passwordUpdatedAt == Instant(milliseconds: 1_575_657_372_412))
        #expect(account.customAttributes == #"{"role":"admin"}"#)
        #expect(account.disabled)
        #expect(account.identities.isEmpty)
        #expect(try account.hasPassword("correct horse 1") == true)
        #expect(read.losses == SourceLosses())
    }

    @Test func `finds the hash of a user whose id the app has chosen`() throws {
        let hash = Self.hash.replacing(#""email":"#, with: #""alt_id": "euclid", "email":"#)
        let user = #"{"user_id": "auth0|euclid", "identities": [{"provider": "auth0", "user_id": "euclid"}]}"#
        #expect(try read([user], hashes: [hash]).accounts.first?.hasPassword("correct horse 1") == true)
    }

    @Test func `finds the hash of a user who is linked to another account`() throws {
        let user = #"{"user_id": "google-oauth2|1", "identities": [{"provider": "google-oauth2", "user_id": "1"}, \#(Self.database)]}"#
        let account = try #require(try read([user], hashes: [Self.hash]).accounts.first)
        #expect(try account.hasPassword("correct horse 1") == true)
        #expect(account.identities.map(\.providerID) == ["google.com"])
    }

    @Test(arguments: [
        (#"{"provider": "google-oauth2", "user_id": "108", "connection": "google-oauth2"}"#, "google.com", "108"),
        (#"{"provider": "facebook", "user_id": 42, "connection": "facebook"}"#, "facebook.com", "42"),
        (#"{"provider": "github", "user_id": "7", "connection": "github"}"#, "github.com", "7"),
        (#"{"provider": "twitter", "user_id": "3", "connection": "twitter"}"#, "twitter.com", "3"),
        (#"{"provider": "apple", "user_id": "001.a", "connection": "apple"}"#, "apple.com", "001.a"),
        (#"{"provider": "linkedin", "user_id": "L", "connection": "linkedin"}"#, "linkedin.com", "L"),
        (#"{"provider": "windowslive", "user_id": "3a1b", "connection": "windowslive"}"#, "microsoft.com", "3a1b"),
        (#"{"provider": "yahoo", "user_id": "Y", "connection": "yahoo"}"#, "yahoo.com", "Y"),
        (#"{"provider": "oidc", "user_id": "acme-sso|sub|1", "connection": "acme-sso"}"#, "oidc.acme-sso", "sub|1"),
        (#"{"provider": "waad", "user_id": "o-1", "connection": "Acme AD"}"#, "oidc.acme-ad", "o-1"),
        (#"{"provider": "samlp", "user_id": "partner|s", "connection": "partner"}"#, "saml.partner", "s"),
        (#"{"provider": "oauth2", "user_id": "shop|5", "connection": "shop"}"#, "oidc.own", "5"),
    ])
    func `knows Auth0's names of connections`(identity: String, id: String, subject: String) throws {
        let user = #"{"user_id": "x|1", "identities": [\#(identity)]}"#
        let linked = try read([user], names: ["shop": "oidc.own"]).accounts.first?.identities.first
        #expect(linked?.providerID == id)
        #expect(linked?.subject == subject)
    }

    @Test func `names a connection of the operator that the file spells in another way`() throws {
        let identities = [("samlp", "Acme SSO"), ("oidc", "shop")].map { provider, connection in
            #"{"provider": "\#(provider)", "user_id": "\#(connection)|1", "connection": "\#(connection)"}"#
        }
        let user = #"{"user_id": "x|1", "identities": [\#(identities.joined(separator: ", "))]}"#
        let read = try read([user], names: ["acme-sso": "saml.acme", "samlp": "saml.other", "shop": "oidc.shop"])
        #expect(
            read.losses.notes == [
                "identity of acme-sso, as --provider spells it; the source has those of Acme SSO, oidc, samlp, shop": 0
            ])
    }

    @Test func `takes the profile of a linked identity from its own data, and that of the first from the user`() throws {
        let user = """
            {"user_id": "google-oauth2|1", "email": "a@example.com", "email_verified": true, "name": "A", "identities": [\
            {"provider": "google-oauth2", "user_id": "1"}, \
            {"provider": "github", "user_id": "2", "profileData": {"email": "b@example.com", "name": "B", "nickname": "bee"}}]}
            """
        #expect(
            try read([user]).accounts.first?.identities == [
                LinkedIdentity(providerID: "google.com", subject: "1", email: "a@example.com", emailVerified: true, displayName: "A"),
                LinkedIdentity(providerID: "github.com", subject: "2", email: "b@example.com", displayName: "B", screenName: "bee"),
            ])
    }

    @Test func `knows sign-ins by codes in mails and messages`() throws {
        let users = [
            #"{"user_id": "email|1", "email": "a@example.com", "name": "a@example.com", "identities": [{"provider": "email", "user_id": "1"}]}"#,
            """
            {"user_id": "sms|2", "phone_number": "+15551234567", "phone_verified": true, \
            "identities": [{"provider": "sms", "user_id": "2"}]}
            """,
            #"{"user_id": "sms|3", "phone_number": "+15551234568", "identities": [{"provider": "sms", "user_id": "3"}]}"#,
        ]
        let read = try read(users)
        #expect(read.accounts.map(\.emailLinkSignIn) == [true, false, false])
        #expect(read.accounts.map(\.displayName) == [nil, nil, nil])
        #expect(read.accounts.map(\.phoneNumber) == [nil, "+15551234567", nil])
        #expect(read.losses.counts.keys.contains { $0.hasPrefix("phone number that its owner never confirmed") })
    }

    @Test func `says what is lost`() throws {
        let user = """
            {"user_id": "auth0|\(Self.oid)", "username": "ada", "picture": "a.png", "user_metadata": {"a": 1}, "multifactor": ["guardian"], \
            "identities": [\(Self.database)]}
            """
        let read = try read([user], hashes: [Self.hash.replacing(Self.oid, with: "5dea9f9c82dd7c0e76e4ec94")])
        #expect(
            read.losses.counts == [
                "password: the file of hashes does not have it": 1,
                "password hash of a user that the file of users does not have": 1,
                "second factor: its secret is in no export of Auth0": 1, "user metadata (user_metadata)": 1,
                "user name: people sign in with their address here": 1,
            ])
        #expect(
            try JSON.parse(try #require(read.accounts.first?.secondFactors)) == [
                ["mfaEnrollmentId": "guardian", "displayName": "guardian", "totpInfo": [:]]
            ])
    }

    @Test(arguments: [
        (#"{"email": "a@example.com"}"#, ImportFault.Code.invalidID), (#"{"user_id": "none"}"#, .invalidID),
        (#"{"user_id": "auth0|1"}"#, .invalidIdentity), (#"{"user_id": "auth0|1", "identities": []}"#, .invalidIdentity),
        (#"{"user_id": "auth0|1", "identities": [{"provider": "github"}]}"#, .invalidIdentity),
        (#"{"user_id": "auth0|1", "created_at": "now", "identities": [\#(database)]}"#, .invalidTime), ("[]", .malformed),
    ])
    func `refuses a row, and goes on`(user: String, code: ImportFault.Code) throws {
        let read = try read([user, #"{"user_id": "auth0|2", "identities": [\#(Self.database)]}"#])
        #expect(read.faults.map(\.code) == [code])
        #expect(read.faults.map(\.place) == [1])
        #expect(read.accounts.map(\.id) == ["auth0|2"])
    }

    @Test func `refuses a user whose hash cannot be checked, and names lines of the other file`() throws {
        let user = #"{"user_id": "auth0|\#(Self.oid)", "identities": [\#(Self.database)]}"#
        let read = try read([user], hashes: ["{}", Self.hash.replacing("$10$", with: "$31$"), "nothing"])
        #expect(read.faults.map(\.code) == [.malformed, .malformed, .invalidHash])
        #expect(read.faults.map(\.place) == [1, 3, 1])
        #expect(read.faults[0].message.contains("hashes.json"))
        #expect(read.faults[1].message.contains("hashes.json"))
        #expect(read.faults[2].accountID == "auth0|\(Self.oid)")
    }

    private func read(
        _ users: [String], hashes: [String] = [], _ userID: Auth0Source.UserID = .full, names: [UTF8Text: String] = [:]
    ) throws -> SourceReading {
        let folder = try TestFolder([
            "users.json": users.joined(separator: "\n") + "\n", "hashes.json": hashes.joined(separator: "\n") + "\n",
        ])
        return try SourceReading(
            try Auth0Source(path: "\(folder.path)/users.json", passwords: "\(folder.path)/hashes.json", userID: userID, names: names))
    }
}
