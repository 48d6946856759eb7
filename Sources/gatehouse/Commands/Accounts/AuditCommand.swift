import Accounts
import ArgumentParser
import Identity
import Runtime

/// `gatehouse audit`: prints the record of what was done to accounts.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Print what was done to accounts, by whom, by which rule, and from where.",
        subcommands: [List.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Print audit events of a project, the oldest of them first.",
            discussion: """
                A time is a date (2026-11-22), a date with a time in UTC (2026-11-22T06:45:00Z), or an age (30m, 12h, 7d). Without --since \
                and --limit, the newest 1000 events are printed. Any number of events takes little memory.
                """)

        @OptionGroup var common: CommonOptions

        @Argument(help: "The project's id. Without it, print what was done to keys of all projects.", completion: .projects)
        var project: String?

        @Option(help: "The id or the address of an account: print only the events that are about it.")
        var account: String?

        @Option(help: "The name of an action, such as account.deleted: print only its events.", completion: .list(Self.actions))
        var action: String?

        @Option(
            help:
                "person, administrator, command, hook, operator, or the name of one: print only what they did. Service accounts also by e-mail or id.",
            completion: .list(["person", "administrator", "command", "hook", "operator"]))
        var actor: String?

        @Option(help: "Print the events from this time on, all of them.", transform: TimeOption.reading)
        var since: TimeOption?

        @Option(help: "Print the events before this time.", transform: TimeOption.reading)
        var until: TimeOption?

        @Option(help: "How many to print at most, the newest.")
        var limit: Int?

        @Flag(help: "Print one JSON object for each event, with everything that is stored.")
        var json = false

        private static let actions = AuditEvent.Action.allCases.map(\.rawValue)

        func validate() throws {
            guard limit ?? 1 > 0 else { throw ValidationError("--limit must be 1 or more.") }
            guard project != nil || account == nil else { throw ValidationError("--account needs a project.") }
            guard let action, !Self.actions.contains(action) else { return }
            throw ValidationError("--action is one of \(Self.actions.joined(separator: ", ")).")
        }

        func run() async throws {
            var filter = AuditEvents.Filter()
            (filter.action, filter.actor) = (action, actor)
            (filter.since, filter.until) = (since?.instant, until?.instant)
            let most = limit ?? (since == nil ? 1000 : nil)
            let settings = try common.serverSettings()
            let project = project ?? AuditEvents.server
            try await CommandSupport.withDatabase(common) { database, masterKey in
                var hint = ""
                if let account, let email = EmailAddress.canonical(account) {
                    var wanted = AccountLists.Wanted()
                    (wanted.ids, wanted.emails) = ([account], [email])
                    let accounts = CommandSupport.accounts(settings, database)
                    filter.accountID = try await accounts.administration.lists.find(
                        wanted, by: CommandSupport.administrator("audit list", ofProject: project)
                    )
                    .first?.account.id
                    if filter.accountID == nil {
                        filter.emailHashes = AddressHashes(masterKey: masterKey).all(of: email, in: project)
                        hint = " No account has the address \(email) now; the events of one that had it are found by its id."
                    }
                } else {
                    filter.accountID = account
                }
                var count = 0
                var progress = Progress("events", sharesTerminal: true)
                try await AuditEvents(database: database).read(filter, newest: most, in: project) { events in
                    Terminal.write(events.map { (json ? $0.json : $0.line) + "\n" }.joined())
                    count += events.count
                    progress.add(events.count)
                }
                progress.finish()
                if count == 0, project != AuditEvents.server, let reason = common.reasonWhyUnknown(project) { throw Failed(reason) }
                if count == 0 { CommandSupport.remark("No events.\(hint)") }
            }
        }
    }
}

extension AuditEvent {
    /// The times of all lines have the same width, and the ids of most accounts too, so these are no table, which would need them all first.
    fileprivate var line: String {
        let who = actor.map { "\(actorKind) \($0)" } ?? actorKind
        let columns = [
            Timestamp.text(time), accountID ?? "-", action, providerID ?? "-", rule ?? "-", "by \(who)",
            address.map { "from \($0)" }, details == "{}" ? nil : details,
        ]
        return CommandSupport.visible(columns.compactMap(\.self).joined(separator: "  "))
    }
}
