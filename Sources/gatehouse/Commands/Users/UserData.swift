import Accounts
import ArgumentParser
import ProjectSettings
import Runtime
import Server

extension UsersCommand {
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Print everything that is stored of a person, as one JSON object.",
            discussion: """
                The object has the rows of each table about the account, without secrets and without other people. It also works for an \
                account that is deleted, as long as something of it remains.
                """)

        @OptionGroup var common: CommonOptions
        @Argument(.project) var project: String

        @Argument(help: "The id of the account, the localId of the API.")
        var account: String

        func run() async throws {
            try await UsersCommand.withAccounts(common, of: project, as: "users export") { access in
                let json = try await access.accounts.administration.personalExport.json(of: account, by: access.administrator)
                Terminal.write(String(decoding: json, as: UTF8.self) + "\n")
            }
        }
    }

    struct Erase: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "erase", abstract: "Erase a person: the account and all that was stored of it. This cannot be undone.",
            discussion: """
                The record of acts stays, under a name from which the account cannot be found. The file erasures.path of gatehouse.yaml \
                notes the erasure first, so that gatehouse after-restore repeats it on a restored backup.
                """)

        @OptionGroup var common: CommonOptions
        @Argument(.project) var project: String

        @Argument(help: "The id of the account, the localId of the API.")
        var account: String

        @Option(help: "Why, for the record: the number of a request, and not the person's name.")
        var reason: String

        func run() async throws {
            let settings = try common.serverSettings()
            guard let path = settings.erasures else {
                throw Failed(
                    "gatehouse.yaml has no erasures.path: name a file outside the database, so that a restored backup does not bring the person back"
                )
            }
            try await UsersCommand.withAccounts(common, of: project, as: "users erase") { access in
                let erasure = access.accounts.administration.erasure
                let isThere = try await erasure.standing(of: account, by: access.administrator)
                guard let isThere else { throw AccountError.accountNotFound }
                if isThere, access.project.firebaseMigration?.mirror == true {
                    throw Failed(
                        "project \(project) copies changes to Firebase, which an erasure could not tell it any more; delete the account first "
                            + "(gatehouse users delete), and erase it once that is copied")
                }
                let realm = access.project.storageID
                let name = erasure.names.name(of: account, in: realm)
                try ErasureFile(path).append(ErasureFile.Entry(project: realm, account: name, time: Clock.system.now()))
                try await erasure.erase(account, because: reason, by: access.administrator)
                print("\(CommandSupport.visible(account)) erased. Audit events have the person as \(name).")
            }
        }
    }
}
