@testable import Accounts
import Crypto
import JSON
import Runtime
import TestKit
import Text
import WebAuthn

/// Operators with passkeys: their sessions, their authenticators, and the browser at the console's sign-in page.
struct OperatorPasskeyFixture {
    static let ann = OperatorPerson(issuer: "https://id.example.com", subject: "7")
    static let ben = OperatorPerson(issuer: "https://id.example.com", subject: "8")
    static let site = OperatorPasskeys.Site(rpID: SoftAuthenticator.rpID, origin: SoftAuthenticator.origin)
    let fixture: Fixture
    let client = Session.ClientInfo(userAgent: nil, address: "203.0.113.9")
    /// The secret of the browser's cookie.
    let browser = Random.bytes(32)

    init() async throws { fixture = try await Fixture() }

    var operators: OperatorRules { fixture.accounts.operators }

    func session(of person: OperatorPerson = ann) async throws -> OperatorSession {
        try await operators.sessions.begin("ann", person, replacing: [], from: client)
    }

    func act() -> OperatorAct { OperatorAct(by: Operator(name: "ann", role: .viewer), because: nil, from: client) }

    /// An authenticator that has answered the options that an operator's page got.
    func authenticator(in session: OperatorSession) async throws -> SoftAuthenticator {
        let options = try await operators.passkeys.start(in: session, at: Self.site)
        var authenticator = try SoftAuthenticator()
        authenticator.credentialID = Random.bytes(16)
        authenticator.userHandle = options.user.handle
        authenticator.answer(options.challenge, "webauthn.create")
        return authenticator
    }

    func add(_ response: JSON?, in session: OperatorSession) async throws {
        try await operators.passkeys.add(response, named: "Laptop", in: session, at: Self.site, by: act())
    }

    /// Adds a passkey; gives its authenticator.
    ///
    /// - Parameter flags: those of the registration; by default, the passkey may be on several devices.
    func enrolled(_ person: OperatorPerson = ann, flags: UInt8 = 0x5D) async throws -> SoftAuthenticator {
        let session = try await session(of: person)
        var authenticator = try await authenticator(in: session)
        authenticator.flags = flags
        try await add(try authenticator.registration(), in: session)
        return authenticator
    }

    /// Answers the question of the sign-in page; `change` makes the authenticator dishonest.
    func used(
        _ authenticator: SoftAuthenticator, _ change: (inout SoftAuthenticator) -> Void = { _ in }
    ) async throws -> UsedOperatorPasskey {
        var authenticator = authenticator
        authenticator.answer(operators.passkeys.question(to: browser, at: Self.site).challenge, "webauthn.get")
        change(&authenticator)
        return try await finish(try authenticator.assertion())
    }

    func finish(_ response: JSON?) async throws -> UsedOperatorPasskey {
        try await operators.passkeys.used(in: response, by: browser, at: Self.site, from: client)
    }

    func begin(_ used: UsedOperatorPasskey) async throws -> OperatorSession {
        try await operators.sessions.begin("ann", used.person, by: used, replacing: [], from: client)
    }

    @discardableResult
    func signIn(
        _ authenticator: SoftAuthenticator, _ change: (inout SoftAuthenticator) -> Void = { _ in }
    ) async throws -> OperatorSession { try await begin(try await used(authenticator, change)) }

    func isOpen(_ session: OperatorSession) async throws -> Bool {
        try await operators.sessions.find(UTF8Text(session.cookie), from: client) != nil
    }

    /// The record of the server, the newest entry last.
    func recorded() async throws -> [String] {
        try await AuditEvents(database: fixture.database).list(limit: 1000, in: AuditEvents.server).map(\.action)
    }
}
