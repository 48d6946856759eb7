import Accounts
import Crypto
import HTTP
import Text
import Web

/// Ends every session of a person, with its tokens.
struct EndUserSessions: ConsoleAct {
    static let path = "/projects/{project}/users/{user}/sessions/end"
    static let place = ConsolePlace.users
    static let role = Operator.Role.support

    func confirmation(_ visit: ConsoleVisit) async throws -> ConsoleConfirmation { try await visit.asking("endUserSessions") }

    func perform(_ form: Form, _ visit: ConsoleVisit) async throws -> ConsoleOutcome {
        let id = try visit.userID
        try await visit.accounts.administration.accounts.revokeSessions(of: id, by: try visit.administrator)
        return .goes(to: try visit.userLink(id), note: "done")
    }
}

/// Ends one session of a person.
struct EndUserSession: ConsoleAct {
    static let path = "/projects/{project}/users/{user}/sessions/{session}/end"
    static let place = ConsolePlace.users
    static let role = Operator.Role.support

    func confirmation(_ visit: ConsoleVisit) async throws -> ConsoleConfirmation {
        let id = try session(visit)
        let details = try await visit.accounts.administration.users.details(of: try visit.userID, by: try visit.administrator)
        guard let session = details?.sessions.first(where: { $0.id == id }) else { throw Failure.notFound }
        return try await visit.asking("endUserSession", about: [visit.shown(session.userAgent), session.address ?? ""])
    }

    func perform(_ form: Form, _ visit: ConsoleVisit) async throws -> ConsoleOutcome {
        let id = try visit.userID
        try await visit.accounts.administration.userSessions.end(try session(visit), of: id, by: try visit.administrator)
        return .goes(to: try visit.userLink(id), note: "done")
    }

    private func session(_ visit: ConsoleVisit) throws -> [UInt8] {
        guard let id = Hex.decode(visit.parameter("session").asString) else { throw Failure.notFound }
        return id
    }
}
