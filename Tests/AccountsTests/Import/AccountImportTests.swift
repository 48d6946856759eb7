import Crypto
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing

@testable import Accounts

/// Accounts of other systems in a real database.
@Suite(.takesTurns) struct AccountImportTests {
    private func imported(
        _ id: String, _ fixture: Fixture, password: ImportedPassword? = nil, place: Int = 0, _ change: (inout Account) -> Void = { _ in }
    ) -> ImportedAccount {
        var account = Account(id: id, at: Instant(seconds: 1_600_000_000))
        account.email = "\(id)@example.com"
        account.passwordUpdatedAt = password == nil ? nil : account.createdAt
        change(&account)
        return ImportedAccount(account, password: password, place: place)
    }

    private func store(
        _ batch: [ImportedAccount], _ fixture: Fixture, _ rule: AccountImport.Rule = .merge
    ) async throws -> ImportOutcome {
        try await fixture.accounts.administration.imports.store(batch, rule, by: fixture.operator)
    }

    private func signIn(_ email: String, _ password: String, _ fixture: Fixture) async throws -> SignInOutcome {
        try await fixture.accounts.signIn.passwords.signIn(
            email: email, password: password, in: fixture.project, from: Session.ClientInfo(userAgent: nil, address: "127.0.0.1")
        ).1
    }

    private func hash(_ id: String, _ fixture: Fixture) async throws -> String? {
        try await fixture.database.query("SELECT password_hash FROM accounts WHERE account_id = \(id)").first?.value()
    }

    private func count(_ table: String, _ fixture: Fixture) async throws -> Int {
        try await fixture.database.query("SELECT count(*) FROM \(SQL(unsafe: table))")[0].value()
    }

    @Test func `everything of an account is stored, and read out as it came`() async throws {
        let fixture = try await Fixture()
        let time = Instant(microseconds: 1_600_000_000_123_456)
        var full = imported("ada", fixture, password: .hash(try await fixture.passwords.hash("secret"))) { account in
            (account.emailVerified, account.emailProven, account.phoneNumber) = (true, true, "+15555550100")
            (account.displayName, account.photoURL, account.profile) = ("Ada", "https://example.com/a.png", #"{"nickname":"A"}"#)
            (account.disabled, account.customAttributes) = (true, #"{ "admin" : true }"#)
            (account.createdAt, account.lastLoginAt, account.lastRefreshAt) = (time, time + .seconds(1), time + .seconds(2))
            (account.initialEmail, account.passwordUpdatedAt) = ("first@example.com", time)
            (account.emailLinkSignIn, account.customAuth, account.secondFactors) = (true, true, "[]")
            account.sessionsEndedAt = time + .seconds(3)
            account.identities = [
                LinkedIdentity(
                    providerID: "google.com", subject: "1", email: "a@gmail.com", emailVerified: true, displayName: "A",
                    photoURL: "https://example.com/g.png", screenName: "ada"),
                LinkedIdentity(providerID: "oidc.other", subject: "2"),
            ]
        }
        var record = IdentityRecord()
        (record.alias, record.tenant, record.linkedAt, record.lastSignInAt) = ("sub:x", "t", time, time + .seconds(9))
        record.isUnproven = true
        full.identityRecords = ["google.com": record]
        let outcome = try await store([full, imported("bob", fixture) { $0.email = nil }], fixture)
        #expect(outcome.created == 2 && outcome.faults.isEmpty)
        #expect(try await fixture.stored("ada") == full.account)

        var exported: [ExportedAccount] = []
        try await fixture.accounts.administration.exports.read(by: fixture.operator) { exported += $0 }
        #expect(exported.map(\.account.id) == ["ada", "bob"])
        #expect(exported[0].account == full.account)
        #expect(.hash(try #require(exported[0].passwordHash)) == full.password)
        #expect(exported[0].identityRecords["google.com"] == record)
        #expect(
            exported[0].identityRecords["oidc.other"]?.linkedAt == time && exported[0].identityRecords["oidc.other"]?.isUnproven == false)
    }

    @Test func `an import again passes over what is unchanged, and merges what changed`() async throws {
        let fixture = try await Fixture()
        _ = try await store([imported("ada", fixture), imported("bob", fixture)], fixture)
        let again = try await store([imported("ada", fixture), imported("bob", fixture) { $0.displayName = "Bob" }], fixture)
        #expect(again.unchanged == 1 && again.updated == 1 && again.created == 0)
        #expect(try await fixture.stored("bob")?.displayName == "Bob")
        _ = try await fixture.database.write("UPDATE accounts SET display_name = 'Ours' WHERE account_id = 'bob'")
        let third = try await store([imported("bob", fixture) { $0.displayName = "Robert" }], fixture)
        #expect(third.kept == [ImportConflict(accountID: "bob", fields: ["profile"])])
        #expect(try await fixture.stored("bob")?.displayName == "Ours")
        #expect(try await count("imported_accounts", fixture) == 2)
    }

    @Test func `accounts of earlier imports are found in the order of ids, with what was changed here since`() async throws {
        let fixture = try await Fixture()
        _ = try await store(["ada", "bob", "cleo", "dan"].map { imported($0, fixture) }, fixture)
        _ = try await fixture.signIn(Fixture.ada("oidc.acme", subject: "s", email: "own@example.com", authoritative: true))
        _ = try await fixture.database.write("UPDATE accounts SET display_name = 'Ours' WHERE account_id = 'bob'")
        _ = try await fixture.database.write("UPDATE accounts SET last_login_at = now() WHERE account_id = 'cleo'")
        let imports = fixture.accounts.administration.imports
        let found = try await imports.earlier(after: nil, by: fixture.operator)
        #expect(found.map(\.id) == ["ada", "bob", "cleo", "dan"] && found.map(\.isUnchangedHere) == [true, false, true, true])
        #expect(try await imports.earlier(after: "bob", by: fixture.operator).map(\.id) == ["cleo", "dan"])
        #expect(try await imports.earlier(after: "dan", by: fixture.operator).isEmpty)
    }

    @Test func `a preview decides the same and writes nothing`() async throws {
        let fixture = try await Fixture()
        let batch = [imported("ada", fixture), imported("eve", fixture, place: 7) { $0.email = "ada@example.com" }]
        let preview = try await fixture.accounts.administration.imports.preview(batch, by: fixture.operator)
        #expect(try await count("accounts", fixture) == 0)
        #expect(try await store(batch, fixture) == preview)
        #expect(preview.created == 1)
        #expect(
            preview.faults == [
                ImportFault(.duplicateEmail, "the account ada has the same address ada@example.com", accountID: "eve", place: 7)
            ])
    }

    /// SEC-54: a hostile or stale file takes nothing from an account that is there.
    @Test func `a row never takes the id, the address, the number or an identity of another account`() async throws {
        let fixture = try await Fixture()
        let signedIn = try await fixture.signIn(Fixture.ada("oidc.acme", subject: "s", email: "own@example.com", authoritative: true))
        _ = try await store([imported("ada", fixture) { $0.phoneNumber = "+15555550100" }], fixture)
        let link = LinkedIdentity(providerID: "oidc.acme", subject: "s")
        let outcome = try await store(
            [
                imported(signedIn.account.id, fixture), imported("b", fixture) { $0.email = "own@example.com" },
                imported("c", fixture) { $0.phoneNumber = "+15555550100" }, imported("d", fixture) { $0.identities = [link] },
                imported("good", fixture), imported("good", fixture) { $0.email = nil },
            ], fixture)
        #expect(outcome.created == 1)
        #expect(
            outcome.faults.map(\.code)
                == [.duplicateID, .duplicateEmail, .duplicatePhoneNumber, .duplicateIdentity, .duplicateID])
        #expect(try await count("accounts", fixture) == 3)
        // Firebase's own import replaces an account of the same id, but takes nothing else.
        let replaced = try await store(
            [imported(signedIn.account.id, fixture) { $0.email = "ada@example.com" }, imported("ada", fixture) { $0.displayName = "New" }],
            fixture, .replace)
        #expect(replaced.faults.map(\.code) == [.duplicateEmail] && replaced.updated == 1)
        // The same again takes back what was changed here.
        let again = [imported("ada", fixture) { $0.displayName = "New" }]
        #expect(try await store(again, fixture, .replace).unchanged == 1)
        _ = try await fixture.database.write("UPDATE accounts SET disabled = true WHERE account_id = 'ada'")
        #expect(try await store(again, fixture, .replace).updated == 1)
        #expect(try await fixture.stored("ada")?.disabled == false)
    }

    @Test func `passwords of other systems sign in, and are made anew as ours`() async throws {
        let fixture = try await Fixture()
        let key = try ImportedHashKey(id: "k1", secret: Array("signer".utf8))
        // Python's hmac.new(b"signer", b"saltsecret", "sha256").
        let hmac = try #require(Hex.decode("62e1d5ba6eed52c6fff0580af3cbaf98eab988708ff672f3b0269f8d45b3af1b"))
        let bcrypt = try PasswordHash(reading: "$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW")
        let batch = [
            imported("plain", fixture, password: .plain("secret")),
            imported("bcrypt", fixture, password: .hash(bcrypt)),
            imported(
                "hmac", fixture,
                password: .digest(try SaltedDigest(hmac: .sha256, key: key, order: .saltFirst, salt: Array("salt".utf8)), hmac)),
        ]
        await #expect(throws: AccountError.self) { try await store(batch, fixture) }
        #expect(try await count("accounts", fixture) == 0)
        try await fixture.accounts.administration.imports.hashKeys.store(key, in: fixture.project)
        try await fixture.accounts.administration.imports.hashKeys.store(key, in: fixture.project)
        #expect(try await store(batch, fixture).created == 3)
        #expect(try await hash("hmac", fixture)?.hasPrefix("$wrapped$hmac-sha256$") == true)
        for (id, password) in [("plain", "secret"), ("bcrypt", "U*U"), ("hmac", "secret")] {
            await #expect(throws: AccountError.self) { try await signIn("\(id)@example.com", "wrong", fixture) }
            _ = try await signIn("\(id)@example.com", password, fixture).session
            #expect(try await hash(id, fixture)?.hasPrefix("$scrypt$") == true)
        }
        // SEC-58: the key is in no row as it is.
        let stored: [UInt8] = try await fixture.database.query("SELECT secret FROM hash_keys")[0].value()
        #expect(!String(decoding: stored, as: UTF8.self).contains("signer"))
    }

    @Test func `a hash whose key is gone is told from a wrong password`() async throws {
        let fixture = try await Fixture()
        let key = try ImportedHashKey(id: "k1", secret: [1, 2, 3])
        let inner = try SaltedDigest(hmac: .md5, key: key, order: .saltFirst, salt: [])
        try await fixture.accounts.administration.imports.hashKeys.store(key, in: fixture.project)
        _ = try await store([imported("ada", fixture, password: .digest(inner, [UInt8](repeating: 1, count: 16)))], fixture)
        _ = try await fixture.database.write("DELETE FROM hash_keys")
        await #expect {
            try await signIn("ada@example.com", "x", fixture)
        } throws: { error in
            if case AccountError.hashKeyMissing("k1") = error { true } else { false }
        }
    }

    /// SEC-55: what another system asked for besides the password is not dropped.
    @Test func `an account with second factors signs in by no single one`() async throws {
        let fixture = try await Fixture()
        let link = LinkedIdentity(providerID: "oidc.acme", subject: "ada")
        let ada = imported("ada", fixture, password: .plain("secret")) {
            $0.secondFactors = #"[{"totpInfo":{}}]"#
            $0.identities = [link]
        }
        _ = try await store([ada], fixture)
        let outcome = try await signIn("ada@example.com", "secret", fixture)
        #expect(throws: Unexpected.self) { try outcome.session }
        await #expect(throws: Unexpected.self) { _ = try await fixture.signIn(Fixture.ada()) }
        #expect(try await count("sessions", fixture) == 0)
    }

    /// SEC-58: a copy of the database is not enough to compute a code.
    @Test func `the secret of a second factor is stored sealed, shown to nobody, and exported`() async throws {
        let fixture = try await Fixture()
        let factors = #"[{"mfaEnrollmentId":"m","totpInfo":{"sharedSecretKey":"ABCDEFGH"}},{"phoneInfo":"+15555550100"}]"#
        let ada = imported("ada", fixture) { $0.secondFactors = factors }
        _ = try await store([ada], fixture)
        #expect(try await fixture.stored("ada")?.secondFactors == factors.replacing(#""sharedSecretKey":"ABCDEFGH""#, with: ""))
        let stored: [UInt8] = try await fixture.database.query("SELECT factor_secrets FROM accounts")[0].value()
        #expect(!String(decoding: stored, as: UTF8.self).contains("ABCDEFGH"))
        var exported: [ExportedAccount] = []
        try await fixture.accounts.administration.exports.read(by: fixture.operator) { exported += $0 }
        #expect(exported.map(\.account.secondFactors) == [factors])
        #expect(try await store([ada], fixture).unchanged == 1)
        let changed = imported("ada", fixture) { $0.secondFactors = factors.replacing("ABCDEFGH", with: "IJKLMNOP") }
        let outcome = try await store([changed], fixture)
        #expect(outcome.updated == 1 && outcome.kept.isEmpty)
        exported = []
        try await fixture.accounts.administration.exports.read(by: fixture.operator) { exported += $0 }
        #expect(exported[0].account.secondFactors?.contains("IJKLMNOP") == true)
        var change = AdministratorChange()
        change.secondFactors = []
        _ = try await fixture.accounts.administration.accounts.update("ada", change, by: fixture.operator)
        #expect(try await count("accounts WHERE factor_secrets IS NOT NULL", fixture) == 0)
    }

    @Test func `an account that is disabled or revoked at the source loses its sessions here`() async throws {
        let fixture = try await Fixture()
        _ = try await store(
            [imported("ada", fixture, password: .plain("secret")), imported("bob", fixture, password: .plain("secret"))], fixture)
        for name in ["ada", "bob"] { _ = try await signIn("\(name)@example.com", "secret", fixture) }
        let later = fixture.time.clock.now() + .seconds(60)
        let outcome = try await store(
            [
                imported("ada", fixture, password: .plain("secret")) { $0.disabled = true },
                imported("bob", fixture, password: .plain("secret")) { $0.validSince = Instant(seconds: later.seconds) },
            ], fixture)
        #expect(outcome.updated == 2)
        #expect(try await fixture.database.query("SELECT count(*) FROM sessions WHERE ended_at IS NULL")[0].value(as: Int.self) == 0)
        #expect(try await fixture.database.query("SELECT count(*) FROM deliveries")[0].value(as: Int.self) == 0)
    }

    @Test func `each batch is one row of the record, and the accounts of it none`() async throws {
        let fixture = try await Fixture()
        _ = try await store([imported("ada", fixture), imported("bob", fixture)], fixture)
        let rows = try await fixture.database.query("SELECT action, details::text FROM audit_events")
        var row = try #require(rows.first).reader()
        #expect(rows.count == 1)
        #expect(try row.next(as: String.self) == "accounts.imported")
        #expect(try row.next(as: String.self).contains(#""created": 2"#))
    }
}
