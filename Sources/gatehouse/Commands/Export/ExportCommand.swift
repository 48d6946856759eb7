import Accounts
import ArgumentParser
import Migration

/// `gatehouse export`: all accounts of a project in files, to keep them or to leave.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write all accounts of a project to files, for this server or for Firebase.",
        subcommands: [JSON.self, Firebase.self])

    /// Reads all accounts of a project as they are now, in the order of their ids.
    static func read(_ access: UsersCommand.Access, sharesTerminal: Bool, _ body: (ExportedAccount) throws -> Void) async throws -> Int {
        var count = 0
        var progress = Progress("accounts", sharesTerminal: sharesTerminal)
        try await access.accounts.administration.exports.read(by: access.administrator) { accounts in
            for account in accounts { try body(account) }
            count += accounts.count
            progress.add(accounts.count)
        }
        progress.finish()
        return count
    }
}

extension ExportCommand {
    struct JSON: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "json", abstract: "Write the whole record of each account, one JSON object on a line.",
            discussion: "gatehouse import json reads it. The records contain password hashes and secrets: the file is for its owner alone.")

        @OptionGroup var common: CommonOptions

        @Argument(.project) var project: String

        @Argument(help: "The file, which must not be there; standard output without one.", completion: .file())
        var file: String?

        func run() async throws {
            try await UsersCommand.withAccounts(common, of: project, as: "export json") { access in
                guard let file else {
                    _ = try await ExportCommand.read(access, sharesTerminal: true) {
                        Terminal.write(String(decoding: AccountRecord($0).line, as: UTF8.self))
                    }
                    return
                }
                let output = try OutputFile(new: file)
                do {
                    let count = try await ExportCommand.read(access, sharesTerminal: false) { try output.write(AccountRecord($0).line) }
                    try output.close()
                    CommandSupport.remark("\(count) \(count == 1 ? "account" : "accounts") in \(file).")
                } catch {
                    // A part of an export looks like a whole one.
                    output.delete()
                    throw error
                }
            }
        }
    }
}
