@testable import Accounts
import JSON
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text
import Webhooks

/// What an export has of a person, and what an erasure leaves.
@Suite(.takesTurns) struct ErasureTests {
    /// Two people with something in most tables.
    private struct People {
        let fixture: Fixture
        let ada: Account
        let bob: Account

        init() async throws {
            var fixture = try await Fixture.forCodes()
            let secret = try #require(WebhookSecret(Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")))
            fixture.project.events = [
                EventEndpoint(
                    id: "crm", webhook: Webhook(url: "https://crm.example.com", secrets: [secret]), types: [.userDeleted, .userUpdated])
            ]
            self.fixture = fixture
            ada = try await fixture.signUp("ada@example.com").account
            bob = try await fixture.signUp("bob@example.com").account
            for email in ["ada@example.com", "bob@example.com"] {
                _ = try await fixture.resetCode(email)
                _ = try? await fixture.accounts.signIn.passwords.signIn(
                    email: email, password: "wrong", in: fixture.project, from: Fixture.here)
            }
            try await SignInLogWriter(fixture.signIns, database: fixture.database).write()
            // An act of one person's that names the other.
            _ = try await fixture.database.write(
                """
                UPDATE audit_events SET details = jsonb_build_object('account', \(ada.id)::text)
                WHERE project_id = 'demo' AND account_id = \(bob.id)
                """)
            _ = try await fixture.database.write(
                """
                UPDATE audit_events SET details = jsonb_build_object('account', \(bob.id)::text, 'subject', 'ada-at-provider')
                WHERE project_id = 'demo' AND account_id = \(ada.id)
                """)
        }

        var rules: AdministrationRules { fixture.accounts.administration }

        func export(_ account: Account) async throws -> String {
            String(decoding: try await rules.personalExport.json(of: account.id, by: fixture.operator), as: UTF8.self)
        }

        /// Every row of every table as text, without what is sealed.
        func everything() async throws -> String {
            var all = ""
            for table in Table.all where table.isOfProjects {
                let rows = try await fixture.database.query(
                    "SELECT coalesce(string_agg(t::text, ' '), '') FROM \(SQL(unsafe: table.name)) t WHERE project_id = 'demo'")
                all += try rows[0].value(as: String.self)
            }
            return all
        }
    }

    @Test func `SEC-70 an export has one person, and no secret`() async throws {
        let people = try await People()
        let export = try await people.export(people.ada)
        let json = try JSON.parse(Array(export.utf8))
        guard case .object(let object) = json else { return #expect(Bool(false)) }
        #expect(
            Set(object.map(\.name)).isSuperset(of: ["accounts", "sessions", "action_codes", "audit_events", "sign_in_log", "deliveries"]))
        #expect(export.contains("ada@example.com") && export.contains("wrongPassword"))
        for other in [people.bob.id, "bob@example.com", "$scrypt", "password_hash"] { #expect(!export.contains(other), "\(other)") }
    }

    @Test func `an export of an account that was never here is refused`() async throws {
        let people = try await People()
        await expectRefusal("accountNotFound") {
            try await people.rules.personalExport.json(of: "nobody", by: people.fixture.operator)
        }
    }

    @Test func `SEC-70 an erasure leaves nothing of the person but a name from which the account cannot be found`() async throws {
        let people = try await People()
        let name = people.rules.erasure.names.name(of: people.ada.id, in: "demo")
        #expect(try await people.rules.erasure.standing(of: people.ada.id, by: people.fixture.operator) == true)
        #expect(try await people.rules.erasure.erase(people.ada.id, because: "request 7", by: people.fixture.operator))
        let left = try await people.everything()
        for trace in [people.ada.id, "ada@example.com", "ada-at-provider"] { #expect(!left.contains(trace), "\(trace)") }
        #expect(left.contains(name) && left.contains("request 7") && left.contains(people.bob.id))
        #expect(try await people.rules.erasure.standing(of: people.ada.id, by: people.fixture.operator) == nil)
        await expectRefusal("accountNotFound") { try await people.export(people.ada) }
        // Only the event that the account is deleted is still told.
        let events = try await RecordedEvents(people.fixture.deliveries).list(.init(), limit: 10, in: people.fixture.project)
        #expect(events.compactMap(\.event).filter { $0.accountID == people.ada.id }.map(\.type) == [.userDeleted])
    }

    @Test func `SEC-70 an erasure that was interrupted leaves no mail to the person when it is repeated`() async throws {
        let people = try await People()
        let (database, outbox) = (people.fixture.database, PersonalDeliveries(deliveries: people.fixture.deliveries))
        let person = PersonalDeliveries.Person(accountID: people.ada.id, addresses: ["ada@example.com"])
        #expect(try await !outbox.find(person, in: "demo").isEmpty)
        // The last statements fail, behind the deletion of the account.
        _ = try await database.write("ALTER TABLE erasures ADD CONSTRAINT no_more CHECK (false)")
        await #expect(throws: AccountError.self) {
            try await people.rules.erasure.erase(people.ada.id, because: "request 7", by: people.fixture.operator)
        }
        _ = try await database.write("ALTER TABLE erasures DROP CONSTRAINT no_more")
        #expect(try await people.rules.erasure.erase(people.ada.id, because: "request 7", by: people.fixture.operator))
        #expect(try await outbox.find(person, in: "demo").allSatisfy(\.tellsOfDeletion))
    }

    @Test func `SEC-70 the last of several erasures of an id is remembered`() async throws {
        let people = try await People()
        #expect(try await people.rules.erasure.erase(people.ada.id, because: "request 7", by: people.fixture.operator))
        people.fixture.time.advance(.seconds(60))
        _ = try await people.fixture.accounts.administration.accounts.create(
            people.ada.id, AdministratorChange(), by: people.fixture.operator)
        people.fixture.time.advance(.seconds(60))
        #expect(try await people.rules.erasure.erase(people.ada.id, because: "request 8", by: people.fixture.operator))
        let rows = try await people.fixture.database.query("SELECT erased_at FROM erasures")
        #expect(try rows.map { try $0.value(as: Instant.self) } == [people.fixture.time.clock.now()])
    }

    @Test func `an erasure of an account that was deleted before takes the rest`() async throws {
        let people = try await People()
        try await people.fixture.accounts.deletion.delete(people.ada.id, by: people.fixture.operator)
        #expect(try await people.rules.erasure.standing(of: people.ada.id, by: people.fixture.operator) == false)
        #expect(try await people.rules.erasure.erase(people.ada.id, because: "request 7", by: people.fixture.operator))
        #expect(try await !people.everything().contains(people.ada.id))
    }

    @Test func `SEC-70 a person of the file is found again in a restored database, also by a former master key`() async throws {
        let people = try await People()
        let (database, former) = (people.fixture.database, MasterKey(bytes: Array(101...132)))
        let names = [
            ErasedNames(masterKey: people.fixture.masterKey).name(of: people.ada.id, in: "demo"),
            ErasedNames(masterKey: former).name(of: people.bob.id, in: "demo"),
        ]
        let keys = MasterKey(bytes: Array(1...32), others: [Array(101...132)])
        let found = try await ErasureSearch(database: database, masterKey: keys).find(Set(names), in: "demo")
        #expect(Set(found.map(\.id)) == [people.ada.id, people.bob.id])
        let known = try await ErasureSearch(database: database, masterKey: people.fixture.masterKey).find(Set(names), in: "demo")
        #expect(known.map(\.id) == [people.ada.id])
        #expect(try await ErasureSearch(database: database, masterKey: keys).find(Set(names), in: "other").isEmpty)
    }

    @Test func `an account that was made after the erasure is another one's`() async throws {
        let people = try await People()
        let before = people.fixture.time.clock.now() - .seconds(3600)
        #expect(
            try await !people.rules.erasure.erase(people.ada.id, because: "restored", erasedAt: before, by: people.fixture.operator))
        #expect(try await people.everything().contains(people.ada.id))
    }

    @Test func `after a restore all sessions end, and no code in a mail works but that which takes an account back`() async throws {
        let people = try await People()
        people.fixture.time.advance(.seconds(10))
        let restored = RestoredDatabase(database: people.fixture.database, clock: people.fixture.time.clock)
        #expect(try await restored.endSessions(in: "demo") == 2)
        #expect(try await restored.endSessions(in: "demo") == 0)
        let left = try await people.fixture.database.query(
            """
            SELECT (SELECT count(*) FROM sessions WHERE ended_at IS NULL), (SELECT count(*) FROM action_codes WHERE kind <> 'recoverEmail'),
                (SELECT count(*) FROM accounts WHERE valid_since < \(people.fixture.time.clock.now() - .seconds(5)))
            """)
        var row = left[0].reader()
        #expect([try row.next(), try row.next(), try row.next()] as [Int64] == [0, 0, 0])
    }
}
