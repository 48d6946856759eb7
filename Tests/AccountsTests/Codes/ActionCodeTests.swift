@testable import Accounts
import Crypto
import HTTP
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@Suite struct ActionCodeTests {
    @Test func `a link names mode, code, key, language and where to go on, at the configured address`() async throws {
        let fixture = try await Fixture.forCodes()
        _ = try await fixture.signUp("ada@example.com")
        try await fixture.accounts.codeMails.sendPasswordReset(
            to: "ada@example.com", MailOptions(language: "de", continueURL: "https://app.example.com/a?b=c&d=e"), in: fixture.project,
            from: Fixture.here)
        let mail = try #require(try await fixture.outbox.recent(in: fixture.project).first)
        let link = try #require(URI.parse(mail.link))
        #expect(link.origin == "https://auth.example.com")
        #expect(link.path == "/__/auth/action")
        let query = try #require(Form(link.query ?? ""))
        #expect(query.fields.map(\.name) == ["mode", "oobCode", "apiKey", "lang", "continueUrl"])
        #expect(query["mode"] == "resetPassword")
        #expect(query["apiKey"] == "key")
        #expect(query["lang"] == "de")
        #expect(query["continueUrl"] == "https://app.example.com/a?b=c&d=e")
        #expect(mail.language == "de")
        #expect(Base64URL.decodeStrict((query["oobCode"] ?? "").asString)?.count == 32)
    }

    @Test func `keeps the hash of a code and not the code`() async throws {
        let fixture = try await Fixture.forCodes()
        _ = try await fixture.signUp("ada@example.com")
        let code = try await fixture.resetCode("ada@example.com")
        let stored: [UInt8] = try await fixture.database.query("SELECT code_hash FROM action_codes")[0].value()
        let bytes = try #require(Base64URL.decodeStrict(code))
        #expect(stored == Digest.sha256(bytes))
    }

    @Test func `SEC-17 looking at a code spends nothing, however often`() async throws {
        let fixture = try await Fixture.forCodes()
        _ = try await fixture.signUp("ada@example.com")
        let code = try await fixture.resetCode("ada@example.com")
        for _ in 0..<3 {
            let seen = try await fixture.accounts.codes.inspect(code, in: fixture.project, from: Fixture.here)
            #expect(seen.kind == .resetPassword)
            #expect(seen.email == "ada@example.com")
        }
        _ = try await fixture.accounts.codes.resetPassword(
            code, to: "second password", language: "en", in: fixture.project, from: Fixture.here)
        await expectRefusal("invalidActionCode") { try await fixture.accounts.codes.inspect(code, in: fixture.project, from: Fixture.here) }
    }

    static let lifetimes: [(ActionCode.Kind, Int)] = [
        (.resetPassword, 3600), (.signIn, 21_600), (.verifyEmail, 259_200), (.verifyAndChangeEmail, 259_200), (.recoverEmail, 2_592_000),
    ]

    @Test(arguments: lifetimes)
    func `ends after its kind's time and is told from garbage for a day`(kind: ActionCode.Kind, seconds: Int) async throws {
        let fixture = try await Fixture.forCodes()
        let (account, _, _) = try await fixture.signUp("ada@example.com")
        let (text, hash) = ActionCode.secret()
        let now = fixture.time.clock.now()
        let hasNewEmail = kind == .verifyAndChangeEmail || kind == .recoverEmail
        let code = ActionCode(
            kind: kind, accountID: account.id, email: "ada@example.com", newEmail: hasNewEmail ? "new@example.com" : nil, emailProven: true,
            created: now, expires: now + kind.lifetime)
        _ = try await fixture.database.write(code.insert(hash: hash, for: .account(account), in: fixture.project))
        let cleanup = Cleanup(database: fixture.database, clock: fixture.time.clock, retention: Retention(audit: .seconds(86400)))
        fixture.time.advance(.seconds(seconds - 1))
        #expect(try await fixture.accounts.codes.inspect(text, in: fixture.project, from: Fixture.here) == code)
        fixture.time.advance(.seconds(1))
        try await cleanup.run()
        await expectRefusal("expiredActionCode") { try await fixture.accounts.codes.inspect(text, in: fixture.project, from: Fixture.here) }
        if kind == .resetPassword {
            await expectRefusal("expiredActionCode") {
                try await fixture.accounts.codes.resetPassword(
                    text, to: "second password", language: "en", in: fixture.project, from: Fixture.here)
            }
        } else if kind == .signIn {
            await expectRefusal("expiredActionCode") { try await fixture.enter(text, "ada@example.com") }
        } else {
            await expectRefusal("expiredActionCode") { try await fixture.apply(text) }
        }
        fixture.time.advance(.seconds(86401))
        try await cleanup.run()
        await expectRefusal("invalidActionCode") { try await fixture.accounts.codes.inspect(text, in: fixture.project, from: Fixture.here) }
    }

    @Test(arguments: ["", "x", "AAAA", String(repeating: "A", count: 43), String(repeating: "A", count: 42) + "=", "ä"])
    func `takes nothing else for a code`(text: String) async throws {
        let fixture = try await Fixture.forCodes()
        await expectRefusal("invalidActionCode") { try await fixture.accounts.codes.inspect(text, in: fixture.project, from: Fixture.here) }
    }

    @Test func `a code does what its kind does and nothing else, and only in its project`() async throws {
        let fixture = try await Fixture.forCodes()
        let (_, _, idToken) = try await fixture.signUp("ada@example.com")
        let reset = try await fixture.resetCode("ada@example.com")
        let verify = try await fixture.verifyCode(idToken, "ada@example.com")
        let link = try await fixture.linkCode("ada@example.com")
        await expectRefusal("invalidActionCode") { try await fixture.apply(reset) }
        await expectRefusal("invalidActionCode") { try await fixture.apply(link) }
        await expectRefusal("invalidActionCode") { try await fixture.enter(verify, "ada@example.com") }
        await expectRefusal("invalidActionCode") {
            try await fixture.accounts.codes.resetPassword(
                verify, to: "second password", language: "en", in: fixture.project, from: Fixture.here)
        }
        let other = ProjectSettings(id: "other", number: 2, apiKeys: ["other"], authorizedDomains: [], redirectURLs: [])
        await expectRefusal("invalidActionCode") { try await fixture.accounts.codes.inspect(reset, in: other, from: Fixture.here) }
    }

    @Test func `SEC-05 lets one of fifty uses of a code through`() async throws {
        let fixture = try await Fixture.forCodes()
        _ = try await fixture.signUp("ada@example.com")
        let code = try await fixture.resetCode("ada@example.com")
        let outcomes = await withTaskGroup(of: String.self) { group in
            for number in 0..<50 {
                group.addTask {
                    do {
                        _ = try await fixture.accounts.codes.resetPassword(
                            code, to: "password \(number)", language: "en", in: fixture.project, from: Fixture.here)
                        return "success"
                    } catch {
                        return "\(error)"
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(outcomes == ["success": 1, "invalidActionCode": 49])
    }

    @Test func `SEC-05 fifty uses of one sign-in link give one session, of a new account and of a known one`() async throws {
        let fixture = try await Fixture.forCodes()
        for _ in 0..<2 {
            let code = try await fixture.linkCode("ada@example.com")
            let outcomes = await withTaskGroup(of: String.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        do {
                            _ = try await fixture.enter(code, "ada@example.com")
                            return "success"
                        } catch {
                            return "\(error)"
                        }
                    }
                }
                return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(outcomes == ["success": 1, "invalidActionCode": 49])
        }
        #expect(try await fixture.count("accounts") == 1)
        #expect(try await fixture.count("sessions") == 2)
    }

    @Test func `SEC-15 asking costs the same rows for every address, and mails only those that may be mailed`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, _) = try await fixture.signUp("ada@example.com")
        let idToken = try fixture.idToken(account, session)
        for email in ["ada@example.com", "nobody@example.com"] {
            let before = (try await fixture.count("action_codes"), try await fixture.count("deliveries"))
            try await fixture.accounts.codeMails.sendPasswordReset(to: email, Fixture.english, in: fixture.project, from: Fixture.here)
            #expect(try await fixture.count("action_codes") == before.0 + 1)
            #expect(try await fixture.count("deliveries") == before.1 + 1)
        }
        _ = try await fixture.signUp("bob@example.com")
        for email in ["bob@example.com", "free@example.com"] {
            try await fixture.askChange(idToken, to: email)
        }
        let mails = try await fixture.outbox.recent(in: fixture.project)
        #expect(mails.map(\.to).sorted() == ["ada@example.com", "free@example.com"])
    }

    @Test func `SEC-15 asking locks one account and gives it the code, for every address`() async throws {
        let fixture = try await Fixture.forCodes()
        let (_, _, idToken) = try await fixture.signUp("ada@example.com")
        _ = try await fixture.signUp("bob@example.com")

        /// The number of accounts that `work` locked, for whatever reason, of codes with an account that it left, and of round trips.
        func cost(_ work: () async throws -> Void) async throws -> [Int] {
            let before = try await fixture.database.write("SELECT pg_current_xact_id()::text::bigint")[0].value(as: Int.self)
            let codes = try await fixture.count("action_codes")
            let trips = fixture.database.roundTrips
            try await work()
            let spent = fixture.database.roundTrips - trips
            let locked = try await fixture.database.query("SELECT count(*) FROM accounts WHERE xmax::text::bigint > \(before)")[0]
            let held = try await fixture.database.query("SELECT count(*) FROM action_codes WHERE account_id IS NOT NULL")[0]
            return [try locked.value(), try held.value(as: Int.self) - Int(codes), spent]
        }
        for email in ["ada@example.com", "nobody@example.com", "another@example.com"] {
            let reset = try await cost {
                try await fixture.accounts.codeMails.sendPasswordReset(to: email, Fixture.english, in: fixture.project, from: Fixture.here)
            }
            #expect(reset == [1, 1, 2], "\(email)")
        }
        var moves: [[Int]] = []
        for email in ["free@example.com", "bob@example.com"] {
            moves.append(try await cost { try await fixture.askChange(idToken, to: email) })
        }
        #expect(moves[0] == moves[1] && moves[0][0] == 1 && moves[0][1] == 1)
    }

    @Test func `SEC-15 a decoy's code needs no account to be there`() async throws {
        let fixture = try await Fixture.forCodes()
        try await fixture.accounts.codeMails.sendPasswordReset(
            to: "nobody@example.com", Fixture.english, in: fixture.project, from: Fixture.here)
        #expect(try await fixture.count("action_codes") == 1)
    }

    @Test func `tells of addresses only where they are not protected`() async throws {
        var fixture = try await Fixture.forCodes()
        let (_, _, idToken) = try await fixture.signUp("ada@example.com")
        _ = try await fixture.signUp("bob@example.com")
        fixture.project.emailEnumerationProtection = false
        let open = fixture
        await expectRefusal("noSuchEmail") {
            try await open.accounts.codeMails.sendPasswordReset(
                to: "nobody@example.com", Fixture.english, in: open.project, from: Fixture.here)
        }
        await expectRefusal("emailTaken") {
            try await open.askChange(idToken, to: "bob@example.com")
        }
    }

    @Test func `a name that a stranger may have chosen is not mailed to an address that is not proven`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, outcome) = try await fixture.accounts.signIn.signUps.signUp(
            email: "ada@example.com", password: "first password", displayName: "Visit evil.example", in: fixture.project,
            from: Fixture.here)
        _ = try await fixture.verifyCode(try fixture.idToken(account, try outcome.session), "ada@example.com")
        #expect(try await fixture.outbox.recent(in: fixture.project).allSatisfy { $0.displayName == nil })
        try await fixture.apply(try await fixture.code(.verifyEmail, to: "ada@example.com"))
        _ = try await fixture.resetCode("ada@example.com")
        #expect(try await fixture.outbox.recent(in: fixture.project).contains { $0.displayName == "Visit evil.example" })
    }
}
