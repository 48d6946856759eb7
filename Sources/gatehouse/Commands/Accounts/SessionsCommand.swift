import Accounts
import ArgumentParser
import Runtime

/// `gatehouse sessions`: ends sessions of accounts.
struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "End the sessions of an account.", subcommands: [Revoke.self])

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "End every session of an account, with its refresh tokens and ID tokens.")

        @OptionGroup var common: CommonOptions

        @Argument(help: "The project's id.", completion: .projects)
        var project: String

        @Argument(help: "The account's id, the localId of the API.")
        var account: String

        func run() async throws {
            try await Console.withDatabase(common) { database, masterKey in
                do {
                    let sessions = Sessions(database: database, masterKey: masterKey, clock: .system, log: .silent)
                    try await sessions.revokeAll(of: account, in: project, by: .command("sessions revoke"))
                } catch AccountError.accountNotFound {
                    throw Failed(
                        common.reasonWhyUnknown(project) ?? "project \(project) has no account \(account)")
                }
                print("The sessions of \(account) are ended.")
            }
        }
    }
}
