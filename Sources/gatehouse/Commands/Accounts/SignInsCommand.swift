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
            discussion: """
                A time is a date (2026-11-22), a date with a time in UTC (2026-11-22T06:45:00Z), or an age (30m, 12h, 7d). Without --since \
                and --limit, the newest 1000 sign-ins are printed. A sign-in of the last seconds may be missing.
                """)

        @OptionGroup var common: CommonOptions

        @Argument(.project) var project: String

        @Option(help: "The id or the address of an account: print only its sign-ins.")
        var user: String?

        @Flag(help: "Print only those that were refused.")
        var refused = false

        @Option(help: "Print the sign-ins from this time on, all of them.", transform: TimeOption.reading)
        var since: TimeOption?

        @Option(help: "Print the sign-ins before this time.", transform: TimeOption.reading)
        var until: TimeOption?

        @Option(help: "How many to print at most, the newest.")
        var limit: Int?

        @Flag(help: "Print one JSON object for each sign-in.")
        var json = false

        func validate() throws {
            guard limit ?? 1 > 0 else { throw ValidationError("--limit must be 1 or more.") }
        }

        func run() async throws {
            var filter = SignInLogReader.Filter()
            (filter.onlyRefused, filter.since, filter.until) = (refused, since?.instant, until?.instant)
            let most = limit ?? (since == nil ? 1000 : nil)
            let settings = try common.serverSettings()
            try await CommandSupport.withDatabase(common) { database, _ in
                if let user { filter.accountID = try await Self.id(of: user, in: project, CommandSupport.accounts(settings, database)) }
                var count = 0
                var progress = Progress("sign-ins", sharesTerminal: true)
                try await SignInLogReader(database: database).read(filter, newest: most, in: project) { entries in
                    Terminal.write(entries.map { (json ? $0.json : $0.line) + "\n" }.joined())
                    count += entries.count
                    progress.add(entries.count)
                }
                progress.finish()
                if count == 0, let reason = common.reasonWhyUnknown(project) { throw Failed(reason) }
                if count == 0 { CommandSupport.remark("No sign-ins.") }
            }
        }

        /// The id of an account that is named by it or by its address. An account that is deleted has sign-ins by its id alone.
        private static func id(of user: String, in project: String, _ accounts: Accounts) async throws -> String {
            guard let email = EmailAddress.canonical(user) else { return user }
            var wanted = AccountLists.Wanted()
            (wanted.ids, wanted.emails) = ([user], [email])
            let administrator = CommandSupport.administrator("sign-ins list", ofProject: project)
            guard let found = try await accounts.administration.lists.find(wanted, by: administrator).first else {
                throw Failed(
                    CommandSupport.visible(
                        "no account of the project \(project) has the address \(email) now; the sign-ins of one that had it are found by its id"
                    ))
            }
            return found.account.id
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
