import Accounts
import ArgumentParser
import Crypto
import Logging
import Runtime
import Web

/// `gatehouse sessions`: ends sessions of accounts.
struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "End the sessions of an account.", subcommands: [Revoke.self])

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "End every session of an account, with its refresh tokens and ID tokens.")

        @OptionGroup var common: CommonOptions

        @Argument(help: "The project's id.")
        var project: String

        @Argument(help: "The account's id, the localId of the API.")
        var account: String

        func run() async throws {
            try await Console.withDatabase(common.config) { database, masterKey in
                do {
                    // No password is hashed here, and a pool starts its threads only when it gets one.
                    let passwords = PasswordHashing(
                        pool: HashingPool(threads: 1, queue: 0, metrics: Metrics()), parameters: ScryptParameters())
                    let accounts = Accounts(
                        database: database, clock: .system, publicURL: "", signingKeys: SigningKeys(), passwords: passwords,
                        outbox: Outbox(database: database, masterKey: masterKey, clock: .system),
                        refusals: Refusals(metrics: Metrics(), log: Logger(label: "gatehouse")), signIns: SignInMetrics(Metrics()))
                    try await accounts.revokeSessions(of: account, in: project)
                } catch AccountError.accountNotFound {
                    throw Failed(
                        Configuration.reasonWhyUnknown(project, in: common.config) ?? "project \(project) has no account \(account)")
                }
                print("The sessions of \(account) are ended.")
            }
        }
    }
}
