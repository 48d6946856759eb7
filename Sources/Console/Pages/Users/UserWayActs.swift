import Accounts
import Crypto
import HTTP
import Text
import Web

/// Takes an identity of a provider away from a person.
struct UnlinkUser: ConsoleAct {
    static let path = "/projects/{project}/users/{user}/unlink/{provider}"
    static let place = ConsolePlace.users
    static let role = Operator.Role.admin
    static let isDangerous = true

    func confirmation(_ visit: ConsoleVisit) async throws -> ConsoleConfirmation {
        try await visit.asking("unlinkUser", about: [ConsoleVisit.inert(try visit.namedPart("provider").asString)])
    }

    func perform(_ form: Form, _ visit: ConsoleVisit) async throws -> ConsoleOutcome {
        let provider = try visit.namedPart("provider")
        guard try await visit.user().has(provider.asString) else { throw Failure.notFound }
        var change = AdministratorChange()
        change.own.unlinked = [provider]
        return try await visit.changing(change)
    }
}

/// Takes a second factor away from a person who has lost it.
struct RemoveUserFactor: ConsoleAct {
    static let path = "/projects/{project}/users/{user}/factors/{factor}/remove"
    static let place = ConsolePlace.users
    static let role = Operator.Role.admin
    static let isDangerous = true

    func confirmation(_ visit: ConsoleVisit) async throws -> ConsoleConfirmation {
        guard let factor = try await visit.user().factors.factor(try visit.namedPart("factor").asString) else { throw Failure.notFound }
        return try await visit.asking("removeUserFactor", about: [ConsoleVisit.inert(factor.maskedSummary)])
    }

    func perform(_ form: Form, _ visit: ConsoleVisit) async throws -> ConsoleOutcome {
        let id = try visit.namedPart("factor")
        let factors = try await visit.user().factors
        guard factors.factor(id.asString) != nil else { throw Failure.notFound }
        var change = AdministratorChange()
        change.secondFactors = factors.factors.filter { !$0.id.isExactly(id) }.map {
            StatedFactor(id: $0.id, phoneNumber: nil, displayName: nil, enrolledAt: nil)
        }
        return try await visit.changing(change)
    }
}

/// Takes a passkey away from a person. The path has a digest of its id, which may be longer than a path.
struct RemoveUserPasskey: ConsoleAct {
    static let path = "/projects/{project}/users/{user}/passkeys/{passkey}/remove"
    static let place = ConsolePlace.users
    static let role = Operator.Role.admin
    static let isDangerous = true

    func confirmation(_ visit: ConsoleVisit) async throws -> ConsoleConfirmation {
        let passkey = try await passkey(visit)
        return try await visit.asking("removeUserPasskey", about: [visit.shown(passkey.displayName ?? passkey.name)])
    }

    func perform(_ form: Form, _ visit: ConsoleVisit) async throws -> ConsoleOutcome {
        var change = AdministratorChange()
        change.own.removedPasskeys = [try await passkey(visit).credentialID]
        return try await visit.changing(change)
    }

    private func passkey(_ visit: ConsoleVisit) async throws -> AccountPasskey {
        let digest = Base64URL.decodeStrict(visit.parameter("passkey").asString)
        guard let passkey = try await visit.user().passkeys.first(where: { Digest.sha256($0.credentialID) == digest }) else {
            throw Failure.notFound
        }
        return passkey
    }
}

extension ConsoleVisit {
    /// A part of the path that is a name in base64url.
    func namedPart(_ name: UTF8Text) throws(Failure) -> UTF8Text {
        guard let bytes = Base64URL.decodeStrict(parameter(name).asString), let text = UTF8Text(validating: bytes) else { throw .notFound }
        return text
    }
}
