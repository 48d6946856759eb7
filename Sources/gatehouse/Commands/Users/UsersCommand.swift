import Accounts
import ArgumentParser
import Identity
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
            List.self, Search.self, Get.self, Explain.self, Create.self, Update.self, Claims.self, Disable.self, Enable.self, Delete.self,
            Revoke.self, Link.self, Hash.self, Export.self, Erase.self,
        ])

    /// The access of a command to the accounts of one project.
    struct Access {
        let accounts: Accounts
        let project: ProjectSettings
        let administrator: Administrator

        /// The name of an address without an account in audit events.
        func hash(of email: String) -> String { accounts.addressHashes.hash(of: email, in: project.storageID) }
    }

    /// Runs a command on the accounts of a project, as an administrator whose audit events name the command.
    ///
    /// - Parameters:
    ///   - command: its words, such as `users get`.
    ///   - needsFile: whether the rules read more of the project than its id. The other commands go on where the project's file has a fault, so
    ///     that none can keep an intruder signed in.
    static func withAccounts(
        _ common: CommonOptions, of id: String, as command: String, needsFile: Bool = false, _ body: (Access) async throws -> Void
    ) async throws {
        let configuration = try common.soundConfiguration()
        let found = configuration.project(id)?.settings
        if needsFile || !configuration.mayBeFaulty(id), let reason = configuration.reasonWhyUnknown(id) { throw Failed(reason) }
        try await CommandSupport.withDatabase(common) { database, _ in
            let accounts = CommandSupport.accounts(configuration.server, database)
            let administrator =
                found == nil
                ? CommandSupport.administrator(command, ofProject: id)
                : CommandSupport.administrator(command, of: try await configuration.realm(id, in: accounts.tenants).settings)
            let access = Access(accounts: accounts, project: administrator.project, administrator: administrator)
            do { try await body(access) } catch let error as AccountError { throw explained(error, project: id) }
        }
    }

    /// The errors that an operator can do something about, in words; the others as the log tells them.
    private static func explained(_ error: AccountError, project: String) -> any Error {
        switch error {
        case .accountNotFound:
            Failed(
                "project \(project) has no such account; gatehouse users get \(project) --email ADDRESS finds the id of one by its address")
        case .noSuchEmail: Failed("project \(project) has no account with this address")
        case .emailTaken: Failed("another account has this address")
        case .phoneNumberTaken: Failed("another account has this phone number")
        case .accountIDTaken: Failed("another account has this id")
        case .accountDisabled: Failed("the account is disabled")
        case .addressNeeded: Failed("a password needs an address: add --email")
        case .weakPassword(let reason): Failed("the password is refused: \(reason)")
        case .passwordRequirements(let missing): Failed("the password is refused: \(missing.joined(separator: ", "))")
        case .customToken(.claimsTooLarge): Failed("the claims are longer than 1000 characters")
        case .customToken(.forbiddenClaim(let name)): Failed(CommandSupport.visible("the claim \(name) is reserved"))
        case .customToken(.invalidClaims): Failed("the claims are not a JSON object")
        default: error
        }
    }
}

/// The project and the accounts that a command is about.
struct ChosenAccounts: ParsableArguments {
    @Argument(.project) var project: String

    @Argument(help: "Ids of accounts, the localId of the API; - reads them from standard input, one a line.")
    var accounts: [String] = []

    @Option(name: .customLong("email"), help: "The address of an account, in place of its id. Can be given several times.")
    var emails: [String] = []

    func validate() throws {
        if accounts.isEmpty, emails.isEmpty { throw ValidationError("Name at least one account, by its id or by --email.") }
    }

    /// Ends every session of the accounts.
    func endSessions(_ common: CommonOptions, as command: String) async throws {
        try await UsersCommand.withAccounts(common, of: project, as: command) { access in
            try await each("signed out", access) { id in
                try await access.accounts.administration.accounts.revokeSessions(of: id, by: access.administrator)
            }
        }
    }

    /// Does something to each account. An account that is not there does not stop the others; the process ends with 1 then.
    func each(_ done: String, _ access: UsersCommand.Access, _ body: (String) async throws -> Void) async throws {
        var (count, missing) = (0, 0)
        let chosen = try await named(access)
        guard !chosen.isEmpty else { throw Failed("standard input has no ids of accounts") }
        var progress = Progress("accounts", of: chosen.count, sharesTerminal: chosen.count < 100)
        for (name, id) in chosen {
            do {
                guard let id else { throw AccountError.accountNotFound }
                try await body(id)
                count += 1
                if chosen.count < 100 { print("\(CommandSupport.visible(name)) \(done).") }
            } catch AccountError.accountNotFound {
                missing += 1
                progress.finish()
                let hint = id != nil && name.contains("@") ? "; an address is given as --email \(name)" : ""
                CommandSupport.remark(
                    CommandSupport.visible("project \(project) has no account \(id == nil ? "with the address " : "")\(name)\(hint)"))
            }
            progress.add(1)
        }
        progress.finish()
        if chosen.count >= 100 { print("\(count) accounts \(done).") }
        if missing > 0 { throw ExitCode.failure }
    }

    /// Each account by the name that the command line has for it, with its id; without one for an address that no account has.
    private func named(_ access: UsersCommand.Access) async throws -> [(name: String, id: String?)] {
        let ids = accounts == ["-"] ? Input.lines() : accounts
        guard !emails.isEmpty else { return ids.map { ($0, $0) } }
        var wanted = AccountLists.Wanted()
        wanted.emails = emails.map { EmailAddress.canonical($0) ?? $0 }
        let found = try await access.accounts.administration.lists.find(wanted, by: access.administrator).map(\.account)
        return ids.map { ($0, $0) }
            + zip(emails, wanted.emails).map { name, email in (name, found.first { $0.email == email }?.id) }
    }
}
