@testable import Accounts
import Crypto
import JSON
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text
import WebAuthn

/// People with passkeys.
extension Fixture {
    static func forPasskeys() async throws -> Fixture {
        var fixture = try await Fixture.forCodes()
        fixture.project.passkeys = fixture.passkeys
        return fixture
    }

    private var passkeys: ProjectSettings.Passkeys {
        var passkeys = ProjectSettings.Passkeys(rpID: SoftAuthenticator.rpID)
        passkeys.origins = [SoftAuthenticator.origin]
        return passkeys
    }

    var registrations: PasskeyRegistrations { accounts.passkeys.registrations }

    /// The same rules for another project on the same database.
    var other: Fixture {
        var other = self
        other.project.id = "other"
        other.project.storageID = "other"
        return other
    }

    func startEnrolment(_ idToken: String) async throws -> CreationOptions {
        try await registrations.start(idToken, in: project, from: Self.here)
    }

    func finishEnrolment(_ idToken: String, _ response: JSON?, name: String? = nil) async throws -> (account: Account, session: Session) {
        let (account, outcome) = try await registrations.finalize(
            idToken, response, PasskeyRegistrations.Label(name: name, displayName: nil), language: "en", in: project, from: Self.here)
        return (account, try outcome.session)
    }

    /// An authenticator that has answered these options, and can sign in.
    func authenticator(answering options: CreationOptions, id: [UInt8]? = nil) throws -> SoftAuthenticator {
        var authenticator = try SoftAuthenticator()
        authenticator.credentialID = id ?? Random.bytes(16)
        authenticator.userHandle = options.user.handle
        authenticator.answer(options.challenge, "webauthn.create")
        return authenticator
    }

    /// Adds a passkey to the caller's account.
    @discardableResult
    func enrol(_ idToken: String, id: [UInt8]? = nil, name: String? = nil) async throws -> (
        authenticator: SoftAuthenticator, account: Account, session: Session
    ) {
        let authenticator = try authenticator(answering: try await startEnrolment(idToken), id: id)
        let (account, session) = try await finishEnrolment(idToken, try authenticator.registration(), name: name)
        return (authenticator, account, session)
    }

    func startSignIn() async throws -> RequestOptions { try await accounts.signIn.passkeys.start(in: project, from: Self.here) }

    func finishSignIn(_ response: JSON?) async throws -> (account: Account, session: Session) {
        let (account, outcome) = try await accounts.signIn.passkeys.finalize(response, language: "en", in: project, from: Self.here)
        return (account, try outcome.session)
    }

    /// Signs in with the authenticator; `change` makes it dishonest.
    @discardableResult
    func signIn(
        with authenticator: SoftAuthenticator, _ change: (inout SoftAuthenticator) -> Void = { _ in }
    ) async throws -> (account: Account, session: Session) {
        var authenticator = authenticator
        authenticator.answer(try await startSignIn().challenge, "webauthn.get")
        change(&authenticator)
        return try await finishSignIn(try authenticator.assertion())
    }

    func auditActions(of account: Account) async throws -> [String] {
        try await AuditEvents(database: database).list(of: account.id, limit: 1000, in: project.id).map(\.action)
    }
}

extension SoftAuthenticator {
    /// Takes part in the ceremony of this type, for this challenge.
    mutating func answer(_ challenge: [UInt8], _ type: String) {
        clientData = [
            "type": .string(type), "challenge": .string(Base64URL.encode(challenge)), "origin": .string(Self.origin), "crossOrigin": false,
        ]
        flags = type == "webauthn.create" ? flags | 0x40 : flags & ~0x40
    }
}
