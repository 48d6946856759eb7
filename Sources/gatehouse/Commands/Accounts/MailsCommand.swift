import Accounts
import ArgumentParser
import Crypto
import Runtime

/// `gatehouse mails`: lists the mails that wait to be sent, or has them tried at once.
struct MailsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mails", abstract: "List the mails that wait to be sent, or have them tried at once.",
        subcommands: [List.self, Retry.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Print the waiting mails, the oldest first, without recipients and links.")

        @OptionGroup var common: CommonOptions

        @Option(help: "How many to print at most.")
        var limit = 1000

        func run() async throws {
            try await MailsCommand.withOutbox(common) { outbox in
                for mail in try await outbox.waiting.list(limit: max(0, limit)) {
                    let kind = mail.kind?.rawValue ?? "unreadable (another master key, or a newer version)"
                    let times =
                        "since \(Timestamp.text(mail.createdAt))  next \(Timestamp.text(mail.dueAt))  until \(Timestamp.text(mail.expiresAt))"
                    print("\(Hex.encode(mail.id))  \(mail.projectID)  \(kind)  attempts \(mail.attempts)  \(times)")
                }
                let (count, _) = try await outbox.waiting.depth()
                print(count == 1 ? "1 mail waits." : "\(count) mails wait.")
            }
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry", abstract: "Make the servers try at once the mails that would wait for longer than a minute.")

        @OptionGroup var common: CommonOptions

        @Option(help: "The id of a project, to try only its mails.")
        var project: String?

        func run() async throws {
            try await MailsCommand.withOutbox(common) { outbox in
                let count = try await outbox.waiting.retryNow(project)
                if count == 0, let project, let reason = common.reasonWhyUnknown(project) { throw Failed(reason) }
                print("\(count == 1 ? "1 mail is" : "\(count) mails are") tried at once; all others within a minute.")
            }
        }
    }

    private static func withOutbox(_ common: CommonOptions, _ body: (Outbox) async throws -> Void) async throws {
        try await Console.withDatabase(common) { database, masterKey in
            try await body(Outbox(database: database, masterKey: masterKey, clock: .system))
        }
    }
}
