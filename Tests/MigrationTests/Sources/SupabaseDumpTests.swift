import Accounts
import JSON
import Migration
import Runtime
import TestKit
import Testing
import Text

@Suite struct SupabaseDumpTests {
    private static let users = SupabaseTable("auth.users", [["id": "1"], ["id": "2"]]).text
    private static let identities = SupabaseTable(
        "auth.identities",
        [
            [
                "user_id": "1", "provider": "google", "provider_id": "g-1",
                "identity_data": #"{"email": "A@example.com", "email_verified": true}"#,
            ],
            ["user_id": "1", "provider": "email", "provider_id": "1", "identity_data": "{}"],
            ["user_id": "2", "provider": "github", "provider_id": "7", "identity_data": #"{"user_name": "bo", "name": "Bo"}"#],
        ]
    ).text

    @Test(arguments: [identities + users, users + identities])
    func `joins identities with their users in either order`(dump: String) throws {
        #expect(
            try read(dump).accounts.map(\.identities) == [
                [LinkedIdentity(providerID: "google.com", subject: "g-1", email: "A@example.com", emailVerified: true)],
                [LinkedIdentity(providerID: "github.com", subject: "7", displayName: "Bo", screenName: "bo")],
            ])
    }

    @Test(arguments: [
        ("azure", "pairwise", "{}", "microsoft.com", "sub:pairwise"),
        (
            "azure", "pairwise", #"{"custom_claims": {"oid": "AAAAAAAA-0000-4000-8000-000000000001"}}"#, "microsoft.com",
            "aaaaaaaa-0000-4000-8000-000000000001"
        ),
        ("apple", "001.a", "{}", "apple.com", "001.a"), ("facebook", "1", "{}", "facebook.com", "1"),
        ("linkedin_oidc", "l", "{}", "linkedin.com", "l"), ("twitter", "3", "{}", "twitter.com", "3"), ("x", "3", "{}", "twitter.com", "3"),
        ("slack_oidc", "U1", "{}", "oidc.slack", "U1"), ("discord", "9", "{}", "oidc.discord", "9"),
        ("custom:acme", "c", "{}", "oidc.acme", "c"), ("sso:0c9e", "s", "{}", "saml.0c9e", "s"),
    ])
    func `knows Supabase's names of providers`(name: String, subject: String, data: String, id: String, ours: String) throws {
        let row = ["user_id": "1", "provider": name, "provider_id": subject, "identity_data": data]
        let read = try read(SupabaseTable("auth.identities", [row]).text + Self.users, names: ["slack_oidc": "oidc.slack"])
        #expect(read.accounts.first?.identities == [LinkedIdentity(providerID: id, subject: ours)])
    }

    @Test func `names a provider of the operator that the dump spells in another way`() throws {
        let names: [UTF8Text: String] = ["Google": "oidc.a", "github": "oidc.b", "acme": "oidc.c"]
        let custom = ["user_id": "2", "provider": "custom:acme", "provider_id": "8", "identity_data": "{}"]
        let read = try read(Self.identities + SupabaseTable("auth.identities", [custom]).text + Self.users, names: names)
        #expect(
            read.losses.notes == [
                "identity of Google, as --provider spells it; the source has those of acme, custom:acme, github, google": 0
            ])
    }

    @Test func `reads identities of before 2023, whose id is the subject`() throws {
        let table = SupabaseTable("auth.identities", [["user_id": "1", "id": "g-1", "provider": "google", "identity_data": "{}"]])
        #expect(try read(table.text + Self.users).accounts.first?.identities.map(\.subject) == ["g-1"])
    }

    @Test func `keeps verified second factors with their secrets`() throws {
        let table = SupabaseTable(
            "auth.mfa_factors",
            [
                [
                    "id": "f1", "user_id": "1", "friendly_name": "Phone app", "factor_type": "totp", "status": "verified",
                    "created_at": "2023-11-14 22:13:20+00", "secret": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
                ],
                ["id": "f2", "user_id": "1", "factor_type": "totp", "status": "unverified", "secret": "GEZDGNBVGY3TQOJQ"],
                ["id": "f3", "user_id": "1", "factor_type": "phone", "status": "verified", "phone": "15551234567"],
                ["id": "f4", "user_id": "2", "factor_type": "webauthn", "status": "verified"],
                ["id": "f5", "user_id": "2", "factor_type": "totp", "status": "verified", "secret": #"{"alg":"aes-gcm-hkdf"}"#],
            ])
        let read = try read(table.text + Self.users + SupabaseTable.noIdentities)
        #expect(
            try read.accounts.map { try JSON.parse(try #require($0.secondFactors)) } == [
                [
                    [
                        "mfaEnrollmentId": "f1", "displayName": "Phone app", "enrolledAt": "2023-11-14T22:13:20.000Z",
                        "totpInfo": [
                            "sharedSecretKey": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "hashingAlgorithm": "SHA1",
                            "verificationCodeLength": 6, "periodSec": 30,
                        ],
                    ], ["mfaEnrollmentId": "f3", "phoneInfo": "+15551234567"],
                ],
                [["mfaEnrollmentId": "f4", "totpInfo": [:]], ["mfaEnrollmentId": "f5", "totpInfo": [:]]],
            ])
        #expect(
            read.losses.counts == [
                "second factor of the kind webauthn: it cannot be moved": 1,
                "second factor by one-time passwords whose secret Supabase has encrypted with a key of its own": 1,
            ])
    }

    @Test func `refuses a user with an identity that cannot be read, and takes the others`() throws {
        let rows: [[String: String?]] = [
            ["user_id": "1", "provider": "google", "provider_id": "g", "identity_data": "{"],
            ["user_id": "2", "provider": "google", "provider_id": "h", "identity_data": "{}"],
            ["user_id": nil, "provider": "google", "provider_id": "i", "identity_data": "{}"],
        ]
        let read = try read(SupabaseTable("auth.identities", rows).text + Self.users)
        #expect(read.faults.map(\.code) == [.malformed, .invalidIdentity])
        #expect(read.faults.map(\.accountID) == [nil, "1"])
        #expect(read.faults.map(\.place) == [4, 8])
        #expect(read.accounts.map(\.id) == ["2"])
    }

    @Test func `SEC-55 refuses a user with a second factor that cannot be read`() throws {
        let factors = "COPY auth.mfa_factors (id, user_id, factor_type, status, secret) FROM stdin;\nf\t1\ttotp\tverified\tA\\q\n\\.\n"
        let identities = "COPY auth.identities (user_id, provider, provider_id) FROM stdin;\n2\tgoogle\tA\\q\n\\.\n"
        let read = try read(factors + identities + Self.users)
        #expect(read.faults.map(\.code) == [.invalidSecondFactor, .invalidIdentity])
        #expect(read.faults.map(\.accountID) == ["1", "2"])
        #expect(read.accounts.isEmpty)
    }

    @Test func `counts identities of users that the dump does not have`() throws {
        let read = try read(Self.identities + SupabaseTable("auth.users", [["id": "1"]]).text)
        #expect(read.losses.counts == ["identity of a user that the dump does not have": 1])
    }

    @Test func `reads quoted names, other tables and escapes`() throws {
        let dump = """
            --
            -- PostgreSQL database dump
            --
            SET client_encoding = 'UTF8';
            COPY "auth"."audit_log_entries" ("id", "payload") FROM stdin;
            1\t{"a": "COPY auth.users"}
            \\.

            COPY "auth"."users" ("id", "raw_user_meta_data", "email") FROM stdin;
            1\t{"name": "tab\\\\tquote\\\\"\\\\\\\\"}\ta@example.com
            2\t\\N\t\\N
            3\t{"name": "a\\qb"}\t\\N
            \\.
            """
        let read = try read(dump + "\n" + SupabaseTable.noIdentities)
        #expect(read.accounts.map(\.displayName) == ["tab\tquote\"\\", nil])
        #expect(read.accounts.map(\.email) == ["a@example.com", nil])
        #expect(read.faults.map(\.code) == [.malformed])
    }

    @Test(arguments: [
        ("1\t\\N\textra", "the row of auth.users has 3 values, and the table 2 columns"),
        ("1", "the row of auth.users has 1 values, and the table 2 columns"),
    ])
    func `refuses rows with other columns than the table`(row: String, message: String) throws {
        let read = try read("COPY auth.users (id, email) FROM stdin;\n\(row)\n2\t\\N\n\\.\n" + SupabaseTable.noIdentities)
        #expect(read.faults == [ImportFault(.malformed, message, place: 2)])
        #expect(read.accounts.map(\.id) == ["2"])
    }

    @Test(arguments: [
        (String(identities.dropLast(4)), "ends in the middle of auth.identities"),
        (String(users.dropLast(8)), "ends in the middle of auth.users"),
        (users, "has auth.users and not auth.identities, so it is cut, or was made without that table"),
        ("SELECT 1;\n", "has no rows of auth.users"), (identities, "has no rows of auth.users"), ("PGDMP\u{1}", "custom format"),
        ("INSERT INTO auth.users VALUES ('1');\n", "make it without --inserts"),
        (#"INSERT INTO "auth"."identities" ("id") VALUES"# + "\n", "make it without --inserts"),
    ])
    func `says why a file is not such a dump`(dump: String, reason: String) throws {
        let failure = try #require(throws: SourceFailure.self) { try self.read(dump) }
        #expect(failure.description.contains(reason))
        #expect(failure.description.contains("dump.sql"))
    }

    private func read(_ dump: String, names: [UTF8Text: String] = [:]) throws -> SourceReading {
        let folder = try TestFolder(["dump.sql": dump])
        return try SourceReading(try SupabaseSource(path: "\(folder.path)/dump.sql", names: names, now: Instant(seconds: 1_800_000_000)))
    }
}
