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
            discussion: RecordOptions.times)

        @OptionGroup var common: CommonOptions

        @OptionGroup var options: RecordOptions

        @Argument(
            help: "The project's id. Without it, print what concerns no single project: keys, operators, restores.", completion: .projects)
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

        private static let actions = AuditEvent.Action.allCases.map(\.rawValue)

        func validate() throws {
            guard project != nil || account == nil else { throw ValidationError("--account needs a project.") }
            guard let action, !Self.actions.contains(action) else { return }
            throw ValidationError("--action is one of \(Self.actions.joined(separator: ", ")).")
        }

        func run() async throws {
            var filter = AuditEvents.Filter()
            (filter.action, filter.actor) = (action, actor)
            (filter.since, filter.until) = (options.since?.instant, options.until?.instant)
            let settings = try common.serverSettings()
            let project = project ?? AuditEvents.server
            try await CommandSupport.withDatabase(common) { database, masterKey in
                var hint = ""
                if let account, let email = EmailAddress.canonical(account) {
                    filter.accountID = try await CommandSupport.accountID(
                        ofAddress: email, named: account, for: "audit list", in: project, CommandSupport.accounts(settings, database))
                    if filter.accountID == nil {
                        filter.emailHashes = AddressHashes(masterKey: masterKey).all(of: email, in: project)
                        hint = " No account has the address \(email) now; the events of one that had it are found by its id."
                    }
                } else {
                    filter.accountID = account
                }
                let count = try await options.print("events") { (event: AuditEvent) in
                    options.json ? event.json : event.line
                } reading: {
                    try await AuditEvents(database: database).read(filter, newest: options.most, in: project, $0)
                }
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
