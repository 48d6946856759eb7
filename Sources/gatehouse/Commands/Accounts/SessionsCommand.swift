import ArgumentParser

/// `gatehouse sessions`: ends sessions of accounts.
struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "End the sessions of accounts.", subcommands: [Revoke.self])

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "End every session of accounts, with their refresh tokens and ID tokens, as users revoke does.")

        @OptionGroup var common: CommonOptions
        @OptionGroup var chosen: ChosenAccounts

        func run() async throws { try await chosen.endSessions(common, as: "sessions revoke") }
    }
}
