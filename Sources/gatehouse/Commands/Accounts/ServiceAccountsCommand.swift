import Accounts
import ArgumentParser
import Runtime
import Server

/// `gatehouse service-accounts`: makes, lists and revokes the keys that sign custom tokens.
struct ServiceAccountsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service-accounts", abstract: "Make, list or revoke the keys that a project's back ends sign custom tokens with.",
        subcommands: [Create.self, List.self, Revoke.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Print a new key file, and nothing else, on standard output. The private key is kept nowhere else.")

        @OptionGroup var common: CommonOptions

        @Argument(help: "The project's id.")
        var project: String

        @Argument(help: "The account's name: lower-case letters, digits and hyphens. An existing account gets another key.")
        var account = "backend"

        func run() async throws {
            let email = try ServiceAccountsCommand.email(account, in: project)
            let configuration = try common.configuration()
            if let reason = configuration.reasonWhyUnknown(project) { throw Failed(reason) }
            try await ServiceAccountsCommand.withAccounts(common) { accounts in
                do {
                    let file = try await accounts.createKey(for: email, publicURL: configuration.server.publicURL)
                    print(file.text, terminator: "")
                    Console.remark(
                        """
                        Key \(file.keyID) of \(email.text).
                        A person who reads this file can sign in to every account: keep it readable by its back end alone (umask 077 before, or chmod 600).
                        """)
                } catch ServiceAccountError.tooManyKeys {
                    throw Failed("\(email.text) has \(ServiceAccounts.mostKeys) live keys; revoke one first")
                }
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Print every key of a project: account, key id, since when, and until when if it is revoked.")

        @OptionGroup var common: CommonOptions

        @Argument(help: "The project's id.")
        var project: String

        func run() async throws {
            try await ServiceAccountsCommand.withAccounts(common) { accounts in
                let keys = try await accounts.list(project)
                if keys.isEmpty, let reason = common.reasonWhyUnknown(project) { throw Failed(reason) }
                for key in keys {
                    let end = key.revokedAt.map { "revoked \(Timestamp.text($0))" } ?? "live"
                    print("\(key.email)  \(key.keyID)  made \(Timestamp.text(key.createdAt))  \(end)")
                }
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "End one key, or every key of an account. People who are signed in stay signed in.")

        @OptionGroup var common: CommonOptions

        @Argument(help: "The project's id.")
        var project: String

        @Option(help: "The id of one key: private_key_id in its file.")
        var key: String?

        @Option(help: "The name or e-mail of an account, to end all its keys.")
        var account: String?

        func validate() throws {
            guard (key == nil) != (account == nil) else { throw ValidationError("give either --key or --account") }
        }

        func run() async throws {
            let scope: ServiceAccounts.Scope =
                if let key { .key(id: key) } else { .account(try ServiceAccountsCommand.email(account ?? "", in: project)) }
            try await ServiceAccountsCommand.withAccounts(common) { accounts in
                let ended = try await accounts.revoke(scope, in: project)
                guard !ended.isEmpty else { throw Failed("project \(project) has no such live key") }
                for key in ended { print("Key \(key) is revoked.") }
            }
        }
    }

    private static func email(_ name: String, in project: String) throws -> ServiceAccountEmail {
        guard let email = ServiceAccountEmail(name, in: project) else {
            throw ValidationError("\(name) is not a name for a service account of \(project): lower-case letters, digits and hyphens")
        }
        return email
    }

    private static func withAccounts(_ common: CommonOptions, _ body: (ServiceAccounts) async throws -> Void) async throws {
        try await Console.withDatabase(common) { database, _ in
            try await body(ServiceAccounts(database: database, clock: .system))
        }
    }
}
