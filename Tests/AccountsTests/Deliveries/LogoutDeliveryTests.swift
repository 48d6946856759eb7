@testable import Accounts
import Crypto
import JSON
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

/// Messages of log-outs, from the rule that ends a session to the row that waits.
@Suite struct LogoutDeliveryTests {
    private typealias Leased = LeasedDelivery<OutgoingLogout>

    /// A project in which the app has an address for log-outs, and the website has none.
    private func clients() async throws -> ClientFixture {
        var clients = try await ClientFixture()
        clients.fixture.project.openIDProvider?.clients[0].backChannelLogoutURI = "https://rp.example.com/logout"
        return clients
    }

    private func grant(
        _ client: OAuthClient? = nil, _ scopes: [String] = ["openid"], to browser: BrowserSession, _ clients: ClientFixture
    ) async throws {
        let request = clients.request(of: client, scopes: scopes)
        let code = try await clients.requests.grant(request, authorization: nil, to: browser, scopes: scopes, in: clients.project)
        _ = try await clients.redeem(code, by: client)
    }

    private func claim(_ clients: ClientFixture, _ limit: Int = 10) async throws -> [Leased] {
        try await clients.fixture.deliveries.claim(OutgoingLogout.self, limit, in: "demo").found
    }

    private func store(_ messages: [OutgoingLogout], _ clients: ClientFixture) async throws {
        let statements = messages.map { clients.fixture.deliveries.insert($0, in: clients.project) }
        _ = try await clients.fixture.database.write(all: statements)
    }

    private let message = OutgoingLogout(clientID: "field-app", issuer: "https://auth.example.com/demo", subject: "ada", sid: "s")

    @Test func `an ended session leaves one message for each relying party with an address, and wakes the worker`() async throws {
        let clients = try await clients()
        let browser = try await clients.signUp()
        try await grant(to: browser, clients)
        try await grant(to: browser, clients)
        try await grant(nil, ["openid", "offline_access"], to: browser, clients)
        try await grant(clients.site, to: browser, clients)
        try await clients.fixture.accounts.openID.browserSessions.end(browser, in: clients.project)
        let expected = OutgoingLogout(
            clientID: "field-app", issuer: "https://auth.example.com/demo", subject: browser.account.id,
            sid: Base64URL.encode(browser.session.id))
        #expect(clients.fixture.deliveries.wakeSignal.takeKeys() == [DeliveryQueue(projectID: "demo", kind: .logout)])
        #expect(try await claim(clients).map(\.payload) == [expected])
        #expect(try await clients.fixture.deliveries.claim(OutgoingMail.self, 10, in: "demo").found.isEmpty)
    }

    @Test func `a session that ends twice at the same time leaves its messages once`() async throws {
        let clients = try await clients()
        let browser = try await clients.signUp()
        // For use without the person: the grant goes on, so both calls find it.
        try await grant(nil, ["openid", "offline_access"], to: browser, clients)
        for _ in 1...2 { try await clients.fixture.accounts.openID.browserSessions.end(browser, in: clients.project) }
        #expect(try await claim(clients).count == 1)
    }

    @Test func `a sign-in of another person in the browser leaves messages, one of the same person none`() async throws {
        let clients = try await clients()
        let pages = clients.fixture.accounts.openID.browserSessions
        let browser = try await clients.signUp()
        // For use without the person: the grant goes on, and its relying party is told.
        try await grant(nil, ["openid", "offline_access"], to: browser, clients)
        let again = try await clients.signIn()
        try await pages.replace(browser, by: again.session, in: clients.project)
        #expect(try await claim(clients).isEmpty)
        try await pages.replace(again, by: try await clients.signUp("grace@example.com").session, in: clients.project)
        #expect(try await claim(clients).map(\.payload.subject) == [browser.account.id])
    }

    @Test func `a relying party hears of each session that it knows, by the name that it has for the account`() async throws {
        let clients = try await clients()
        let account = try await clients.signUp().account
        func grant(_ sid: UInt8, userFlow: String? = nil) -> ClientGrant {
            ClientGrant(clients.request(userFlow: userFlow), scopes: ["openid"], sessionID: [sid])
        }
        let grants = [grant(1), grant(2), grant(2), grant(3, userFlow: "b2c_1_susi")]
        let messages = OutgoingLogout.messages(about: grants, to: account, in: clients.project)
        #expect(messages.map(\.sid) == [[1], [2], [3]].map(Base64URL.encode))
        #expect(messages.map(\.subject) == [account.id, account.id, account.objectID(in: clients.project)])
    }

    @Test func `a session ends together with its messages or not at all`() async throws {
        let clients = try await clients()
        let browser = try await clients.signUp()
        try await grant(to: browser, clients)
        for statement in [
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$",
            "CREATE TRIGGER refuse BEFORE INSERT ON deliveries FOR EACH ROW EXECUTE FUNCTION refuse()",
        ] { _ = try await clients.fixture.database.write(SQL(unsafe: statement)) }
        let pages = clients.fixture.accounts.openID.browserSessions
        await #expect(throws: AccountError.self) { try await pages.end(browser, in: clients.project) }
        let cookie = pages.cookie(for: browser.session, in: clients.project)
        #expect(try await pages.find(UTF8Text(cookie), in: clients.project) != nil)
    }

    @Test func `a message is tried seven times in a quarter of an hour, with growing pauses, and then given up`() async throws {
        let clients = try await clients()
        try await store([message], clients)
        var pauses: [Int64] = []
        while true {
            let due = try #require(try await claim(clients).first)
            let now = clients.fixture.time.clock.now()
            guard case .retry(let next) = try await clients.fixture.deliveries.failed(due, forGood: false) else { break }
            pauses.append((next - now).wholeSeconds)
            clients.fixture.time.advance(next - now - .seconds(1))
            #expect(try await claim(clients).isEmpty)
            clients.fixture.time.advance(.seconds(1))
        }
        #expect(pauses == [2, 15, 60, 180, 300, 300])
        #expect(try await clients.fixture.count("deliveries") == 0)
    }

    @Test func `claims, questions and lists of one kind leave the other alone`() async throws {
        let clients = try await clients()
        let (fixture, now) = (clients.fixture, clients.fixture.time.clock.now())
        let mail = OutgoingMail(.verifyEmail, to: "ada@example.com", language: "en", link: "https://a.example/")
        try await store([message], clients)
        _ = try await fixture.database.write(
            fixture.outbox.enqueue(mail, until: now + .seconds(3600), for: [1], in: clients.project))
        #expect(try await fixture.deliveries.firstDue(of: [.mail], in: "demo") == [.mail: now])
        #expect(try await fixture.deliveries.firstDue(of: DeliveryKind.allCases, in: "demo") == [.mail: now, .logout: now])
        #expect(try await fixture.outbox.waiting.depth(in: ["demo"]).count == 1)
        #expect(try await fixture.outbox.waiting.list(limit: 10, in: ["demo"]).count == 1)
        #expect(try await fixture.outbox.recent(in: clients.project) == [mail])
        let found = try await claim(clients)
        #expect(found.map(\.payload) == [message])
        #expect(try await fixture.outbox.claim(10, in: "demo").mails.map(\.payload) == [mail])
        // The payload of one kind is not taken for that of another.
        fixture.time.advance(Deliveries.lease)
        _ = try await fixture.database.write("UPDATE deliveries SET kind = 'mail' WHERE project_id = 'demo'")
        #expect(try await fixture.outbox.claim(10, in: "demo").unreadable == 1)
    }

    @Test func `a delivered message is forgotten also in development, where nothing lists it`() async throws {
        let clients = try await clients()
        let fixture = clients.fixture
        try await store([message], clients)
        let kept = Deliveries(database: fixture.database, masterKey: fixture.masterKey, clock: fixture.time.clock, keepsDelivered: true)
        try await kept.done(try #require(try await claim(clients).first))
        #expect(try await fixture.count("deliveries") == 0)
    }

    @Test func `a payload that cannot be encoded undoes its transaction`() async throws {
        struct Broken: DeliveryPayload {
            static let deliveryKind = DeliveryKind.logout
            let recipient: [UInt8] = []
            init() {}
            init(from decoder: any Decoder) throws {}
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(0, EncodingError.Context(codingPath: [], debugDescription: "broken"))
            }
        }
        let clients = try await clients()
        await #expect(throws: PostgresError.self) {
            try await clients.fixture.database.write(clients.fixture.deliveries.insert(Broken(), in: clients.project))
        }
        #expect(try await clients.fixture.count("deliveries") == 0)
    }

    @Test func `leaves out the messages of relying parties that are busy`() async throws {
        let clients = try await clients()
        let other = OutgoingLogout(clientID: "other", issuer: message.issuer, subject: "ada", sid: "s")
        try await store([message, other], clients)
        let deliveries = clients.fixture.deliveries
        let found = try await deliveries.claim(OutgoingLogout.self, 10, in: "demo", except: [message.recipient]).found
        #expect(found.map(\.payload) == [other])
        #expect(try await claim(clients).map(\.payload) == [message])
    }

    @Test func `SEC-21 no description of a message shows the person or the session`() {
        let message = OutgoingLogout(clientID: "field-app", issuer: "https://auth.example.com/demo", subject: "ada", sid: "sesame")
        var dumped = ""
        dump(message, to: &dumped)
        for text in ["\(message)", String(reflecting: message), dumped] {
            #expect(text.contains("field-app") && !text.contains("ada") && !text.contains("sesame"))
        }
    }

    @Test func `signs a token of its own for each attempt, good for two minutes from then on`() async throws {
        let clients = try await clients()
        func claims() throws -> JSON {
            let token = try clients.fixture.accounts.openID.tokens.logoutToken(for: message)
            return try JSON.parse(try #require(Base64URL.decodeStrict(String(token.split(separator: ".")[1]))))
        }
        let first = try claims()
        clients.fixture.time.advance(.seconds(600))
        let second = try claims()
        #expect(first["jti"]?.string != second["jti"]?.string)
        for (claims, delay) in [(first, Int64(600)), (second, 0)] {
            let now = clients.fixture.time.clock.now().seconds - delay
            #expect(claims["iat"] == .integer(now) && claims["exp"] == .integer(now + 120))
            #expect(claims["sub"] == "ada" && claims["aud"] == "field-app" && claims["sid"] == "s")
        }
    }

    /// The statements of the version before 0029, which may still run during an upgrade.
    @Test func `a process of the version before goes on with its mails, and sees no messages of log-outs`() async throws {
        let clients = try await clients()
        let (fixture, now) = (clients.fixture, clients.fixture.time.clock.now())
        let mail = OutgoingMail(.verifyEmail, to: "ada@example.com", language: "en", link: "https://a.example/")
        try await store([message], clients)
        let id = Random.bytes(16)
        let payload = fixture.masterKey.deliveries.seal(try #require(mail.padded()), context: Deliveries.context("demo", id))
        _ = try await fixture.database.write(
            """
            INSERT INTO mail_outbox (project_id, mail_id, payload, due_at, created_at, expires_at, attempts, purpose)
            VALUES ('demo', \(id), \(payload), \(now), \(now), \(now + .seconds(3600)), 0, \([1]))
            """)
        let claimed = try await fixture.database.write(
            """
            WITH due AS MATERIALIZED (
                SELECT mail_id FROM mail_outbox WHERE project_id = 'demo' AND due_at <= \(now) AND expires_at > \(now)
                ORDER BY due_at LIMIT 10 FOR UPDATE SKIP LOCKED)
            UPDATE mail_outbox AS mail SET due_at = \(now + Deliveries.lease), attempts = attempts + 1
            FROM due WHERE mail.project_id = 'demo' AND mail.mail_id = due.mail_id
            RETURNING mail.mail_id, mail.payload, mail.attempts, mail.expires_at
            """)
        #expect(try claimed.map { try $0.value(as: [UInt8].self) } == [id])
        fixture.time.advance(Deliveries.lease)
        #expect(try await fixture.outbox.claim(10, in: "demo").mails.map(\.payload) == [mail])
        _ = try await fixture.database.write("DELETE FROM mail_outbox WHERE project_id = 'demo' AND mail_id = \(id)")
        #expect(try await fixture.count("deliveries") == 1)
    }
}
