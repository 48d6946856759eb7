import Accounts
import ArgumentParser
import JSON
import Runtime

/// `gatehouse audit`: prints the record of what was done to accounts.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Print what was done to accounts, by which rule, and from where.", subcommands: [List.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Print the newest audit events of a project, the oldest of them first.")

        @OptionGroup var common: CommonOptions

        @Argument(help: "The project's id.")
        var project: String

        @Option(help: "The id of an account, the localId of the API: print only the events that are about it.")
        var account: String?

        @Option(help: "How many to print at most.")
        var limit = 1000

        @Flag(help: "Print one JSON object for each event, with everything that is stored.")
        var json = false

        func validate() throws {
            guard limit > 0 else { throw ValidationError("--limit must be 1 or more.") }
        }

        func run() async throws {
            try await Console.withDatabase(common) { database, _ in
                let events = try await AuditEvents(database: database).list(of: account, limit: limit, in: project)
                if events.isEmpty, let reason = common.reasonWhyUnknown(project) { throw Failed(reason) }
                if events.isEmpty { Console.remark("No events.") }
                for event in events { print(json ? event.json : event.line) }
            }
        }
    }
}

extension AuditEvent {
    fileprivate var line: String {
        let who = actor.map { "\(actorKind) \($0)" } ?? actorKind
        let columns = [
            Timestamp.text(time), accountID ?? "-", action, providerID ?? "-", rule ?? "-", "by \(who)",
            address.map { "from \($0)" }, details == "{}" ? nil : details,
        ]
        return Console.visible(columns.compactMap(\.self).joined(separator: "  "))
    }

    fileprivate var json: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("time", Timestamp.text(time))
            writer.field("action", action)
            writer.field("actorKind", actorKind)
            writer.field("actor", actor)
            writer.field("localId", accountID)
            writer.field("providerId", providerID)
            writer.field("rule", rule)
            writer.field("address", address)
            writer.field("userAgent", userAgent)
            writer.field("details", verbatim: details.utf8)
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
