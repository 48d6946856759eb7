import Accounts
import ArgumentParser
import Identity
import JSON
import Runtime

/// `gatehouse sign-ins`: prints who signed in or was refused.
struct SignInsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-ins", abstract: "Print who signed in or was refused, when, by which way, and why.", subcommands: [List.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Print sign-ins of a project, the oldest of them first.",
            discussion: RecordOptions.times + " A sign-in of the last seconds may be missing.")

        @OptionGroup var common: CommonOptions

        @OptionGroup var options: RecordOptions

        @Argument(.project) var project: String

        @Option(help: "The id or the address of an account: print only its sign-ins.")
        var user: String?

        @Flag(help: "Print only those that were refused.")
        var refused = false

        func run() async throws {
            var filter = SignInLogReader.Filter()
            (filter.onlyRefused, filter.since, filter.until) = (refused, options.since?.instant, options.until?.instant)
            let settings = try common.serverSettings()
            try await CommandSupport.withDatabase(common) { database, _ in
                if let user { filter.accountID = try await Self.id(of: user, in: project, CommandSupport.accounts(settings, database)) }
                let count = try await options.print("sign-ins") { (entry: SignInLogEntry) in
                    options.json ? entry.json : entry.line
                } reading: {
                    try await SignInLogReader(database: database).read(filter, newest: options.most, in: project, $0)
                }
                if count == 0, let reason = common.reasonWhyUnknown(project) { throw Failed(reason) }
                if count == 0 { CommandSupport.remark("No sign-ins.") }
            }
        }

        /// The id of an account that is named by it or by its address. An account that is deleted has sign-ins by its id alone.
        private static func id(of user: String, in project: String, _ accounts: Accounts) async throws -> String {
            guard let email = EmailAddress.canonical(user) else { return user }
            let found = try await CommandSupport.accountID(ofAddress: email, named: user, for: "sign-ins list", in: project, accounts)
            guard let found else {
                throw Failed(
                    CommandSupport.visible(
                        "no account of the project \(project) has the address \(email) now; the sign-ins of one that had it are found by its id"
                    ))
            }
            return found
        }
    }
}

extension SignInLogEntry {
    /// A line at once, and not a row of a table, which would need all of them first.
    fileprivate var line: String {
        let columns = [Timestamp.text(time), accountID ?? "-", provider, outcome, code, network.map { "from \($0)" }]
        return CommandSupport.visible(columns.compactMap(\.self).joined(separator: "  "))
    }

    fileprivate var json: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("time", Timestamp.text(time))
            writer.field("provider", provider)
            writer.field("outcome", outcome)
            writer.field("code", code)
            writer.field("localId", accountID)
            writer.field("network", network)
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
