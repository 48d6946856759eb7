import Accounts
import Crypto
import JSON
import Migration
import Runtime
import TestKit
import Testing
import Text

@Suite struct SupabaseTests {
    private static let now = Instant(seconds: 1_800_000_000)
    private static let ada = "11111111-2222-4333-8444-555555555555"

    @Test func `takes over a user with address, claims, profile and times`() throws {
        let read = try read(
            users: [
                "email": "ada@example.com", "encrypted_password": "$2a$10$abcdefghijklmnopqrstuuFzaLl22Q/4sUS1B6HLw8.TDaHis0CLy",
                "email_confirmed_at": "2023-01-02 03:04:05.678901+00", "last_sign_in_at": "2024-01-01 00:00:00+00",
                "raw_app_meta_data": #"{"provider": "email", "providers": ["email"], "role": "admin"}"#,
                "raw_user_meta_data": #"{"full_name": "Ada L.", "avatar_url": "https://example.com/a.png", "sub": "1"}"#,
                "created_at": "2023-01-02 03:04:05+00", "is_super_admin": nil, "role": "authenticated",
            ])
        let account = try #require(read.accounts.first)
        #expect(account.id == Self.ada)
        #expect(account.email == "ada@example.com")
        #expect(account.emailVerified)
        #expect(account.displayName == "Ada L.")
        #expect(account.photoURL == "https://example.com/a.png")
        #expect(account.customAttributes == #"{"role":"admin"}"#)
        #expect(account.createdAt == Instant(utc: "2023-01-02T03:04:05Z"))
        #expect(account.lastLoginAt == Instant(utc: "2024-01-01T00:00:00Z"))
        #expect(try account.hasPassword("correct horse 1") == true)
        #expect(!account.disabled && !account.isAnonymous)
        #expect(read.losses == SourceLosses())
        #expect(account.place == 2)
    }

    /// bcrypt of PyPI's bcrypt 4.0.1, argon2 of PyPI's argon2-cffi 25.1.0, Firebase's scrypt of Supabase's own tests (`internal/crypto`).
    @Test(arguments: [
        ("$2a$10$abcdefghijklmnopqrstuuFzaLl22Q/4sUS1B6HLw8.TDaHis0CLy", "correct horse 1"),
        ("$argon2id$v=19$m=4096,t=3,p=2$AAECAwQFBgcICQoLDA0ODw$aJJgV/AKKE+EZ8pjJnbpA+6dvBQZiVkUFu3/rPMfAMs", "correct horse 1"),
        (Self.firebase, "mytestpassword"),
    ])
    func `takes over each kind of hash`(hash: String, password: String) throws {
        let folder = try dump(users: [["encrypted_password": hash]])
        var source = try SupabaseSource(path: "\(folder.path)/dump.sql", now: Self.now)
        guard case .account(let account)? = try source.next() else { throw SourceFailure("no account") }
        #expect(try account.hasPassword(password, keys: source.hashKeys) == true)
        #expect(try account.hasPassword("another", keys: source.hashKeys) == false)
    }

    private static let firebase =
        "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=ou9tdYTGyYm8kuR6Dt0Bp0kDuAYoXrK16mbZO4yGwAn3oLspjnN0/c41v8xZnO1n14J3MjKj1b2g6AUCAlFwMw=="
        + "$C0sHCg9ek77hsg==$zKVTMvnWVw5BBOZNUdnsalx4c4c7y/w7IS5p6Ut2+CfEFFlz37J9huyQfov4iizN8dbjvEJlM5tQaJP84+hfTw=="

    @Test func `takes Firebase's signer key out of the rows, once`() throws {
        let folder = try dump(users: [["encrypted_password": Self.firebase], ["id": "2", "encrypted_password": Self.firebase]])
        var source = try SupabaseSource(path: "\(folder.path)/dump.sql", now: Self.now)
        while try source.next() != nil {}
        let key = try #require(source.hashKeys.first)
        #expect(source.hashKeys.count == 1)
        #expect(key.saltSeparator == [7])
        // Python 3.11: sha256(b"\x01\x07" + secret).hexdigest()[:16].
        #expect(key.id == "1e72a0f787b28080")
    }

    @Test(arguments: [
        ("plain", "does not begin"), ("$2a$15$abcdefghijklmnopqrstuuFzaLl22Q/4sUS1B6HLw8.TDaHis0CLy", "cost of bcrypt is 15"),
        ("$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==$C0sHCg9ek77hsg==$zKVT", "lacks its signer key"),
        ("$fbscrypt$v=2,n=14,r=8,p=1,ss=Bw==,sk=AAAA$AAAA$AAAA", "has not version 1"), ("$fbscrypt$v=1", "has not the parameters"),
        ("$argon2d$v=19$m=16,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw", "not supported"),
    ])
    func `refuses a hash that it cannot check, and names the user`(hash: String, reason: String) throws {
        let fault = try #require(try read(users: ["encrypted_password": hash]).faults.first)
        #expect(fault.code == .invalidHash)
        #expect(fault.accountID == Self.ada)
        #expect(fault.message.contains(reason))
        #expect(!fault.message.contains(hash))
    }

    @Test func `counts hashes that Supabase has encrypted as lost`() throws {
        let read = try read(users: ["encrypted_password": #"{"key_id":"a","alg":"aes-gcm-hkdf","data":"AA==","nonce":"AA=="}"#])
        #expect(read.accounts.first?.password == nil)
        #expect(read.losses.counts.keys.contains { $0.hasPrefix("password whose hash Supabase has encrypted") })
    }

    @Test(arguments: [
        (["phone": "15551234567", "phone_confirmed_at": "2023-01-01 00:00:00+00"], "+15551234567"),
        (["phone": "+15551234567", "phone_confirmed_at": "2023-01-01 00:00:00+00"], "+15551234567"),
        (["phone": "15551234567", "phone_confirmed_at": nil], nil), (["phone": "", "phone_confirmed_at": nil], nil),
        (["phone": nil], nil),
    ])
    func `takes over phone numbers that their owners have confirmed`(row: [String: String?], number: String?) throws {
        #expect(try read(users: row).accounts.first?.phoneNumber == number)
    }

    @Test(arguments: [
        ("2030-01-01 00:00:00+00", true), ("infinity", true), ("2020-01-01 00:00:00+00", false), (nil, false),
    ])
    func `disables users who are banned now`(end: String?, isDisabled: Bool) throws {
        #expect(try read(users: ["banned_until": end]).accounts.first?.disabled == isDisabled)
    }

    @Test func `passes over deleted users, keeps the word of anonymous ones, and gives users of single sign-on no address`() throws {
        let read = try read(
            users: ["deleted_at": "2023-01-01 00:00:00+00"], ["id": "2", "is_anonymous": "t"],
            ["id": "3", "email": "a@example.com", "is_sso_user": "t"])
        #expect(read.entries.first == .skipped)
        #expect(read.accounts.map(\.isAnonymous) == [true, false])
        #expect(read.accounts.last?.email == nil)
        #expect(read.losses.counts.keys.contains { $0.hasPrefix("address of a user of single sign-on") })
    }

    @Test(arguments: [
        (["created_at": "yesterday"], ImportFault.Code.invalidTime), (["banned_until": "1"], .invalidTime),
        (["raw_app_meta_data": "[1]"], .malformed), (["raw_user_meta_data": "{"], .malformed), (["id": nil], .invalidID),
    ])
    func `refuses values of another form`(row: [String: String?], code: ImportFault.Code) throws {
        #expect(try read(users: row).faults.map(\.code) == [code])
    }

    @Test func `counts what a person has in the user metadata besides name and picture`() throws {
        let read = try read(users: ["raw_user_meta_data": #"{"name": "A", "picture": "a.png", "age": 3}"#])
        #expect(read.accounts.first?.displayName == "A")
        #expect(read.accounts.first?.photoURL == "a.png")
        #expect(
            read.losses.counts == [
                "user metadata besides name and picture (raw_user_meta_data)": 1
            ])
    }

    private func read(users: [String: String?]...) throws -> SourceReading {
        let folder = try dump(users: users)
        return try SourceReading(try SupabaseSource(path: "\(folder.path)/dump.sql", now: Self.now))
    }

    private func dump(users: [[String: String?]]) throws -> TestFolder {
        let rows = users.map { ["id": Self.ada, "instance_id": "00000000-0000-0000-0000-000000000000"].merging($0) { $1 } }
        return try TestFolder(["dump.sql": SupabaseTable("auth.users", rows).text + SupabaseTable.noIdentities])
    }
}

/// A table in a dump.
struct SupabaseTable {
    /// The table of identities of users who have none.
    static let noIdentities = "COPY auth.identities (user_id, provider) FROM stdin;\n\\.\n\n"

    let text: String

    init(_ name: String, _ rows: [[String: String?]]) {
        let columns = Set(rows.flatMap(\.keys)).sorted()
        let lines = rows.map { row in
            columns.map { (row[$0] ?? nil).map { $0.replacing("\\", with: "\\\\").replacing("\t", with: "\\t") } ?? "\\N" }.joined(
                separator: "\t")
        }
        text = (["COPY \(name) (\(columns.joined(separator: ", "))) FROM stdin;"] + lines + ["\\.", "", ""]).joined(separator: "\n")
    }
}
