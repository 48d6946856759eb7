import Accounts
import ArgumentParser
import Crypto
import JSON
import Runtime

/// `gatehouse mails`: lists the mails that wait to be sent, or has them tried at once.
struct MailsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mails", abstract: "List the mails that wait to be sent, or have them tried at once.",
        subcommands: [List.self, Retry.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Print the waiting mails, the oldest first, without recipients and links.",
            discussion:
                "Of mails that were given up, kind, times and reason are kept for 14 days: --given-up prints these, the newest first.")

        @OptionGroup var common: CommonOptions

        @Option(help: "How many to print at most.")
        var limit = 1000

        @Flag(help: "Print the mails that were given up, and why.")
        var givenUp = false

        @Flag(help: "Print one JSON object for each mail.")
        var json = false

        func validate() throws {
            guard limit >= 0 else { throw ValidationError("--limit must be 0 or more.") }
        }

        func run() async throws {
            try await MailsCommand.withOutbox(common) { outbox, projects in
                if givenUp { return try await printGivenUp(outbox.givenUp, projects) }
                let mails = try await outbox.waiting.list(limit: limit, in: projects)
                if json {
                    Terminal.write(mails.map(\.json).joined())
                } else {
                    var table = Table("MAIL", "PROJECT", "KIND", "ATTEMPTS", "SINCE", "NEXT", "UNTIL")
                    table.print(mails.map(\.row))
                }
                let (count, _) = try await outbox.waiting.depth(in: projects)
                CommandSupport.remark(count == 1 ? "1 mail waits." : "\(count) mails wait.")
            }
        }

        private func printGivenUp(_ rule: GivenUpMails, _ projects: [String]) async throws {
            var found: [(project: String, mail: GivenUpMail)] = []
            var count = 0
            for id in projects {
                count += try await rule.count(in: id)
                found += try await rule.list(newest: limit, in: id).map { (id, $0) }
            }
            found.sort { $0.mail.givenUpAt > $1.mail.givenUpAt }
            if json {
                Terminal.write(found.prefix(limit).map { $0.mail.json(in: $0.project) }.joined())
            } else {
                var table = Table("MAIL", "PROJECT", "KIND", "ATTEMPTS", "SINCE", "GIVEN UP", "REASON")
                table.print(found.prefix(limit).map { $0.mail.row(in: $0.project) })
            }
            CommandSupport.remark(
                count == 1 ? "1 mail was given up in the last 14 days." : "\(count) mails were given up in the last 14 days.")
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry", abstract: "Make the servers try at once the mails that would wait for longer than a minute.")

        @OptionGroup var common: CommonOptions

        @Option(help: "The id of a project, to try only its mails.", completion: .projects)
        var project: String?

        func run() async throws {
            try await MailsCommand.withOutbox(common) { outbox, projects in
                let (hastened, waiting) = try await outbox.waiting.retryNow(in: project.map { [$0] } ?? projects)
                if waiting == 0, let project, let reason = common.reasonWhyUnknown(project) { throw Failed(reason) }
                let others = waiting - hastened
                print(
                    [
                        waiting == 0 ? "No mail waits." : nil,
                        hastened > 0 ? "\(hastened == 1 ? "1 mail is" : "\(hastened) mails are") tried at once." : nil,
                        others > 0 ? "\(others == 1 ? "1 mail is" : "\(others) mails are") tried within a minute anyway." : nil,
                    ].compactMap(\.self).joined(separator: " "))
            }
        }
    }

    /// In place of the kind.
    fileprivate static let unreadable = "unreadable (another master key, or a newer version)"

    private static func withOutbox(_ common: CommonOptions, _ body: (Outbox, [String]) async throws -> Void) async throws {
        try await CommandSupport.withDatabase(common) { database, masterKey in
            let projects = try await KnownProjects(database: database).list()
            try await body(Outbox(Deliveries(database: database, masterKey: masterKey, clock: .system)), projects)
        }
    }
}

extension WaitingMail {
    fileprivate var row: [String] {
        [Hex.encode(id), projectID, kind?.rawValue ?? MailsCommand.unreadable, "\(attempts)"]
            + [createdAt, dueAt, expiresAt].map(Timestamp.minute)
    }

    fileprivate var json: String {
        JSONWriter.line { writer in
            writer.field("mail", Hex.encode(id))
            writer.field("project", projectID)
            writer.field("kind", kind?.rawValue)
            writer.field("attempts", Int64(attempts))
            writer.field("createdAt", Timestamp.text(createdAt))
            writer.field("dueAt", Timestamp.text(dueAt))
            writer.field("expiresAt", Timestamp.text(expiresAt))
        }
    }
}

extension GivenUpMail {
    fileprivate func row(in project: String) -> [String] {
        [Hex.encode(id), project, kind?.rawValue ?? MailsCommand.unreadable, "\(attempts)"]
            + [createdAt, givenUpAt].map(Timestamp.minute) + [reason ?? "-"]
    }

    fileprivate func json(in project: String) -> String {
        JSONWriter.line { writer in
            writer.field("mail", Hex.encode(id))
            writer.field("project", project)
            writer.field("kind", kind?.rawValue)
            writer.field("attempts", Int64(attempts))
            writer.field("createdAt", Timestamp.text(createdAt))
            writer.field("givenUpAt", Timestamp.text(givenUpAt))
            writer.field("reason", reason)
        }
    }
}
