import Accounts
import ArgumentParser
import ProjectSettings
import Projects
import Runtime
import Server
import Text

/// `gatehouse users`: the acts of the Admin API for operators, by the same rules and with the same audit events.
struct UsersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users", abstract: "List, show, make, change and delete accounts.",
        subcommands: [
            List.self, Get.self, Create.self, Update.self, Claims.self, Disable.self, Enable.self, Delete.self, Revoke.self, Link.self,
        ])

    /// The access of a command to the accounts of one project.
    struct Access {
        let accounts: Accounts
        let project: ProjectSettings
        let administrator: Administrator
    }

    /// Runs a command on the accounts of a project, as an administrator whose audit events name the command.
    static func withAccounts(
        _ common: CommonOptions, of id: String, as command: String, _ body: (Access) async throws -> Void
    ) async throws {
        let configuration = try common.configuration()
        guard let project = configuration.projects.first(where: { $0.settings.id == id })?.settings else {
            throw Failed(configuration.reasonWhyUnknown(id) ?? "the configuration does not have a project \(id)")
        }
        try await Console.withDatabase(common) { database, _ in
            let access = Access(
                accounts: Console.accounts(configuration.server, database), project: project,
                administrator: Console.administrator("users \(command)", of: project))
            do { try await body(access) } catch let error as AccountError { throw explained(error, project: id) }
        }
    }

    /// The errors that an operator can do something about, in words; the others as the log tells them.
    private static func explained(_ error: AccountError, project: String) -> any Error {
        switch error {
        case .accountNotFound, .noSuchEmail: Failed("project \(project) has no such account")
        case .emailTaken: Failed("another account has this address")
        case .phoneNumberTaken: Failed("another account has this phone number")
        case .accountIDTaken: Failed("another account has this id")
        case .accountDisabled: Failed("the account is disabled")
        case .addressNeeded: Failed("a password needs an address: add --email")
        case .weakPassword(let reason): Failed("the password is refused: \(reason)")
        case .passwordRequirements(let missing): Failed("the password is refused: \(missing.joined(separator: ", "))")
        case .customToken(.claimsTooLarge): Failed("the claims are longer than 1000 characters")
        case .customToken(.forbiddenClaim(let name)): Failed(Console.visible("the claim \(name) is reserved"))
        case .customToken(.invalidClaims): Failed("the claims are not a JSON object")
        default: error
        }
    }
}

/// The project and the accounts that a command is about.
struct ChosenAccounts: ParsableArguments {
    @Argument(.project) var project: String

    @Argument(help: "Ids of accounts, the localId of the API; - reads them from standard input, one a line.")
    var accounts: [String]

    func validate() throws {
        if accounts.isEmpty { throw ValidationError("Name at least one account.") }
    }

    /// Ends every session of the accounts. It needs no project file, so that a fault in one cannot keep an intruder signed in.
    func endSessions(_ common: CommonOptions, as command: String) async throws {
        let settings = try common.serverSettings()
        try await Console.withDatabase(common) { database, _ in
            let administration = Console.accounts(settings, database).administration
            let administrator = Console.administrator(command, ofProjectNamed: project)
            try await each("signed out", reason: { common.reasonWhyUnknown(project) }) { id in
                try await administration.revokeSessions(of: id, by: administrator)
            }
        }
    }

    /// Does something to each account. An account that is not there does not stop the others; the process ends with 1 then.
    /// - Parameter reason: why the whole project has none, for a command that did not read the project files.
    func each(_ done: String, reason: () -> String? = { nil }, _ body: (String) async throws -> Void) async throws {
        var (count, missing) = (0, 0)
        let ids = accounts == ["-"] ? Input.lines() : accounts
        guard !ids.isEmpty else { throw Failed("standard input has no ids of accounts") }
        var progress = Progress("accounts", of: ids.count, sharesTerminal: ids.count < 100)
        for id in ids {
            do {
                try await body(id)
                count += 1
                if ids.count < 100 { print("\(Console.visible(id)) \(done).") }
            } catch AccountError.accountNotFound {
                missing += 1
                progress.finish()
                Console.remark(reason() ?? Console.visible("project \(project) has no account \(id)"))
            }
            progress.add(1)
        }
        progress.finish()
        if ids.count >= 100 { print("\(count) accounts \(done).") }
        if missing > 0 { throw ExitCode.failure }
    }
}
