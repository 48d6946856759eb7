import Accounts
import HTTP
import Pages

/// Lets a person sign in to nothing any more, and ends their sessions.
struct DisableUser: ConsoleAct {
    static let path = "/projects/{project}/users/{user}/disable"
    static let place = ConsolePlace.users
    static let role = Operator.Role.support

    func confirmation(_ visit: ConsoleVisit) async throws -> ConsoleConfirmation { try await visit.asking("disableUser") }

    func perform(_ form: Form, _ visit: ConsoleVisit) async throws -> ConsoleOutcome {
        var change = AdministratorChange()
        change.disabled = true
        return try await visit.changing(change)
    }
}

/// Lets the person of a disabled account sign in again.
struct EnableUser: ConsoleAct {
    static let path = "/projects/{project}/users/{user}/enable"
    static let place = ConsolePlace.users
    static let role = Operator.Role.support

    func confirmation(_ visit: ConsoleVisit) async throws -> ConsoleConfirmation { try await visit.asking("enableUser") }

    func perform(_ form: Form, _ visit: ConsoleVisit) async throws -> ConsoleOutcome {
        var change = AdministratorChange()
        change.disabled = false
        return try await visit.changing(change)
    }
}

extension ConsoleVisit {
    /// Asks whether something is to be done to the account that the path names.
    func asking(_ words: String, about details: [String] = [], fields: [ConsoleField] = []) async throws -> ConsoleConfirmation {
        let account = try await user()
        return ConsoleConfirmation(
            words,
            ["details": .list(([name(of: account), shown(account.id)] + details).filter { !$0.isEmpty }.map { ["detail": .text($0)] })],
            fields: fields, path: try path(to: account), cancel: try userLink(account.id))
    }

    /// Changes the account that the path names, as the Admin API does.
    func changing(_ change: AdministratorChange) async throws -> ConsoleOutcome {
        let id = try userID
        _ = try await accounts.administration.accounts.update(id, change, by: try administrator)
        return .goes(to: try userLink(id), note: "done")
    }
}
