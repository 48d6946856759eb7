import Accounts
import ArgumentParser
import Identity
import ProjectSettings

extension UsersCommand {
    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "disable", abstract: "Let no one sign in to accounts, and end their sessions.")

        @OptionGroup var common: CommonOptions
        @OptionGroup var chosen: ChosenAccounts

        func run() async throws { try await UsersCommand.set(disabled: true, chosen, common, as: "disable") }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "enable", abstract: "Let people sign in to disabled accounts again.")

        @OptionGroup var common: CommonOptions
        @OptionGroup var chosen: ChosenAccounts

        func run() async throws { try await UsersCommand.set(disabled: false, chosen, common, as: "enable") }
    }

    private static func set(disabled: Bool, _ chosen: ChosenAccounts, _ common: CommonOptions, as command: String) async throws {
        var change = AdministratorChange()
        change.disabled = disabled
        try await withAccounts(common, of: chosen.project, as: "users \(command)") { access in
            try await chosen.each(disabled ? "disabled" : "enabled", access) { id in
                _ = try await access.accounts.administration.accounts.update(id, change, by: access.administrator)
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Delete accounts with all that belongs to them. This cannot be undone.")

        @OptionGroup var common: CommonOptions
        @OptionGroup var chosen: ChosenAccounts

        func run() async throws {
            try await UsersCommand.withAccounts(common, of: chosen.project, as: "users delete") { access in
                try await chosen.each("deleted", access) { id in
                    try await access.accounts.deletion.delete(id, by: access.administrator)
                }
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "End every session of accounts, with their refresh tokens and ID tokens.")

        @OptionGroup var common: CommonOptions
        @OptionGroup var chosen: ChosenAccounts

        func run() async throws {
            try await chosen.endSessions(common, as: "users revoke")
        }
    }

    struct Link: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "link",
            abstract: "Print a link as mails have them, which a person opens to prove an address or to set a password.",
            discussion: "A person who has the link has the account: hand it to its owner alone.")

        enum Kind: String, ExpressibleByArgument, CaseIterable {
            case resetPassword, verifyEmail, signIn
        }

        @OptionGroup var common: CommonOptions

        @Argument(.project) var project: String

        @Argument(help: "resetPassword, verifyEmail or signIn.")
        var kind: Kind

        @Argument(help: "The account's address.")
        var email: String

        @Option(help: "The language of the page behind the link, such as de.")
        var language = "en"

        func run() async throws {
            let address = try CommandSupport.canonical(email)
            try await UsersCommand.withAccounts(common, of: project, as: "users link", needsFile: true) { access in
                try check(access.project)
                let made = try await access.accounts.codeMails.makeLink(
                    kind.mail, for: address, MailOptions(language: language, continueURL: nil), by: access.administrator)
                print(made.link)
            }
        }

        /// Throws `Failed` where the page behind the link would refuse it.
        private func check(_ project: ProjectSettings) throws {
            switch kind {
            case .resetPassword where !project.signIn.password: throw Failed("project \(project.id) has no passwords (signIn.password)")
            case .signIn where !project.signIn.emailLink: throw Failed("project \(project.id) has no sign-in by mail (signIn.emailLink)")
            default: break
            }
        }
    }
}

extension UsersCommand.Link.Kind {
    fileprivate var mail: OutgoingMail.Kind {
        switch self {
        case .resetPassword: .resetPassword
        case .verifyEmail: .verifyEmail
        case .signIn: .signIn
        }
    }
}
