import Accounts
import ArgumentParser
import Console
import Projects
import Providers
import Server

extension UsersCommand {
    struct Explain: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "explain", abstract: "Say by which ways a person can sign in, and why the others refuse.",
            discussion: """
                The checks of a sign-in are made in their order, without one: nothing is signed in, counted or charged. Whether a password is right, \
                and what is counted against the address of the person's client, only a sign-in tells: the log has it.
                """)

        @OptionGroup var common: CommonOptions

        @Argument(.project) var project: String

        @Argument(.account) var account: String

        func run() async throws {
            let configuration = try common.soundConfiguration()
            try await UsersCommand.withAccounts(common, of: project, as: "users explain", needsFile: true) { access in
                guard let details = try await access.accounts.administration.users.details(of: account, by: access.administrator) else {
                    throw AccountError.accountNotFound
                }
                let entries = configuration.project(project)?.configuredProviders ?? []
                let providers = SignInDiagnosis.Providers(
                    switchedOn: Set(entries.filter(\.enabled).map(\.id)), switchedOff: Set(entries.filter { !$0.enabled }.map(\.id)))
                Terminal.write(SignInDiagnosis(details, providers, in: access.project).lines)
            }
        }
    }
}

extension SignInDiagnosis {
    /// Some lines for each way to sign in.
    var lines: String {
        var lines: [String] = []
        for way in ways {
            lines.append("\(way.name): \(way.obstacle == nil ? "open" : "closed")")
            if let obstacle = way.obstacle { lines.append("    \(obstacle.sentence)") }
            lines += way.conditions.map { "    \($0.sentence)" }
        }
        if ways.isEmpty { lines.append("The account has no way to sign in, and neither has the project.") }
        lines += notes
        return lines.map { CommandSupport.visible($0) + "\n" }.joined()
    }
}
