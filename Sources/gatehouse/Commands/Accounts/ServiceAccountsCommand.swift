import Accounts
import ArgumentParser
import JSON
import ProjectSettings
import Projects
import Runtime
import Server
import Text

/// `gatehouse service-accounts`: makes, lists and revokes the keys of back ends, and says what they may do.
struct ServiceAccountsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service-accounts", abstract: "Make, list or revoke the keys of a project's back ends, and say what they may do.",
        subcommands: [Create.self, Import.self, List.self, Revoke.self, SetRights.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Print a new key file, and nothing else, on standard output. The private key is kept nowhere else.")

        @OptionGroup var common: CommonOptions

        @Argument(.project) var project: String

        @Argument(help: "The account's name: lower-case letters, digits and hyphens. An existing account gets another key.")
        var account = "backend"

        @Option(
            help: ArgumentHelp(
                "What the account may do, with commas between: \(ServiceAccountsCommand.names); or none. Without it, an existing account keeps its rights, and a new one gets all but readPasswordHashes."
            ), completion: .list(ServiceAccountsCommand.words), transform: ServiceAccountsCommand.rights)
        var rights: Set<Administrator.Right>?

        func validate() throws { _ = try ServiceAccountsCommand.email(account, in: project) }

        func run() async throws {
            let email = try ServiceAccountsCommand.email(account, in: project)
            let configuration = try common.soundConfiguration()
            if let reason = configuration.reasonWhyUnknown(project) { throw Failed(reason) }
            try await ServiceAccountsCommand.withAccounts(common) { accounts in
                do {
                    let file = try await accounts.createKey(for: email, rights: rights, publicURL: configuration.server.publicURL)
                    print(file.text, terminator: "")
                    CommandSupport.remark(
                        """
                        Key \(file.keyID) of \(email.text).
                        A person who reads this file can do all that the account may: keep it readable by its back end alone (umask 077 before, or chmod 600).
                        """)
                } catch ServiceAccountError.tooManyKeys {
                    throw Failed("\(email.text) has \(ServiceAccounts.mostKeys) live keys; revoke one first")
                }
            }
        }
    }

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract:
                "Take over a key that Google made, so that a back end goes on signing custom tokens with it. Only its public half is kept.")

        @OptionGroup var common: CommonOptions

        @Argument(.project) var project: String

        @Argument(help: "The key file that Google's console gave for the service account.", completion: .file(extensions: ["json"]))
        var file: String

        func run() async throws {
            let configuration = try common.soundConfiguration()
            if let reason = configuration.reasonWhyUnknown(project) { throw Failed(reason) }
            let account = try GoogleServiceAccount(path: file)
            // Otherwise a person could sign in here with the custom token that they get for their data.
            for other in configuration.projects.map(\.settings) where other.firestore?.signer.email.isExactly(account.email) == true {
                throw Failed(
                    "\(account.email) signs for data at Firebase (firestore of \(other.id)); take another service account for the back end")
            }
            try await ServiceAccountsCommand.withAccounts(common) { accounts in
                do { try await accounts.importKey(account, into: project) } catch ServiceAccountError.tooManyKeys {
                    throw Failed("\(account.email) has \(ServiceAccounts.mostKeys) live keys; revoke one first")
                } catch ServiceAccountError.keyExists {
                    throw Failed("project \(project) has the key \(account.keyID) already")
                }
                print("Key \(account.keyID) of \(account.email) signs custom tokens of the project \(project).")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Print every key of a project: key id, account, since when, until when if it is revoked, and the account's rights.")

        @OptionGroup var common: CommonOptions

        @Argument(.project) var project: String

        @Flag(help: "Print one JSON object for each key.")
        var json = false

        func run() async throws {
            try await ServiceAccountsCommand.withAccounts(common) { accounts in
                let keys = try await accounts.list(project)
                if keys.isEmpty, let reason = common.reasonWhyUnknown(project) { throw Failed(reason) }
                if keys.isEmpty { CommandSupport.remark("No keys.") }
                if json { return Terminal.write(keys.map(\.json).joined()) }
                var table = Table("KEY", "ACCOUNT", "MADE", "STATE", "RIGHTS")
                table.print(keys.map(\.row))
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "End one key, or every key of an account. People who are signed in stay signed in.")

        @OptionGroup var common: CommonOptions

        @Argument(.project) var project: String

        @Option(help: "The id of one key: private_key_id in its file.")
        var key: String?

        @Option(help: "The name or e-mail of an account, to end all its keys.")
        var account: String?

        func validate() throws {
            guard (key == nil) != (account == nil) else { throw ValidationError("give either --key or --account") }
            if let account { _ = try ServiceAccountsCommand.email(account, in: project) }
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

    struct SetRights: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set-rights",
            abstract: "Give an account these rights and no others. That counts from its next call on, also for access tokens that it has.")

        @OptionGroup var common: CommonOptions

        @Argument(.project) var project: String

        @Argument(help: "The name or e-mail of the account.")
        var account: String

        @Option(
            help: ArgumentHelp("With commas between: \(ServiceAccountsCommand.names); or none."),
            completion: .list(ServiceAccountsCommand.words), transform: ServiceAccountsCommand.rights)
        var rights: Set<Administrator.Right>

        func validate() throws { _ = try ServiceAccountsCommand.email(account, in: project) }

        func run() async throws {
            let email = try ServiceAccountsCommand.email(account, in: project)
            try await ServiceAccountsCommand.withAccounts(common) { accounts in
                guard try await accounts.setRights(rights, of: email) else {
                    throw Failed("project \(project) has no service account \(email.text)")
                }
                print("\(email.text) has the rights: \(rights.isEmpty ? "none" : rights.names.joined(separator: ", ")).")
            }
        }
    }

    /// All rights, and the word for having none of them.
    fileprivate static let words = Administrator.Right.allCases.map(\.rawValue) + ["none"]
    fileprivate static let names = words.dropLast().joined(separator: ", ")

    private static func rights(_ text: String) throws -> Set<Administrator.Right> {
        guard text != "none" else { return [] }
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
        return Set(
            try names.map { name in
                guard let right = Administrator.Right(rawValue: name) else {
                    throw ValidationError("\(name.isEmpty ? "an empty text" : name) is not a right; there are \(Self.names); or none")
                }
                return right
            })
    }

    private static func email(_ name: String, in project: String) throws -> ServiceAccountEmail {
        if let realm = ProjectSettings.realm(of: UTF8Text(project)), realm.tenant != nil {
            throw ValidationError("Service accounts belong to a whole project, with its tenants: name \(realm.project).")
        }
        guard let email = ServiceAccountEmail(name, in: project) else {
            throw ValidationError("\(name) is not a name for a service account of \(project): lower-case letters, digits and hyphens")
        }
        return email
    }

    private static func withAccounts(_ common: CommonOptions, _ body: (ServiceAccounts) async throws -> Void) async throws {
        try await CommandSupport.withDatabase(common) { database, _ in
            try await body(ServiceAccounts(database: database, clock: .system))
        }
    }
}

extension ServiceAccounts.Entry {
    fileprivate var row: [String] {
        [
            keyID, email, Timestamp.minute(createdAt), revokedAt.map { "revoked \(Timestamp.minute($0))" } ?? "live",
            rights.isEmpty ? "none" : rights.names.joined(separator: ","),
        ]
    }

    fileprivate var json: String {
        JSONWriter.line { writer in
            writer.field("account", email)
            writer.field("key", keyID)
            writer.field("createdAt", Timestamp.text(createdAt))
            writer.field("revokedAt", revokedAt.map(Timestamp.text))
            writer.array("rights") { writer in for name in rights.names { writer.value(name) } }
        }
    }
}
