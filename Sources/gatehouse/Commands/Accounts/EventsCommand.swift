import Accounts
import ArgumentParser
import Crypto
import JSON
import Messaging
import ProjectSettings
import Projects
import Runtime
import Server

/// `gatehouse events`: lists what endpoints were told, has it sent again, and tries an endpoint.
struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "List the events that endpoints were told of, send them again, or try an endpoint.",
        subcommands: [List.self, Replay.self, Test.self])

    /// Which events.
    struct Choice: ParsableArguments {
        @Option(help: "The id of an endpoint, to take only its events.")
        var endpoint: String?

        @Option(help: "Only those that are waiting, delivered or failed.")
        var outcome: String?

        func filter() throws -> RecordedEvents.Filter {
            var filter = RecordedEvents.Filter()
            filter.endpoint = endpoint
            if let outcome {
                guard let known = RecordedEvent.Outcome(rawValue: outcome) else {
                    throw ValidationError("--outcome is waiting, delivered or failed.")
                }
                filter.outcome = known
            }
            return filter
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Print the events that are kept, the newest first, without what they say of people.")

        @OptionGroup var common: CommonOptions

        @Argument(.project) var project: String

        @OptionGroup var choice: Choice

        @Option(help: "How many to print at most.")
        var limit = 100

        @Flag(help: "Print one JSON object for each event.")
        var json = false

        func validate() throws {
            guard limit >= 0 else { throw ValidationError("--limit must be 0 or more.") }
            _ = try choice.filter()
        }

        func run() async throws {
            try await EventsCommand.with(common, project) { deliveries, settings in
                let events = try await RecordedEvents(deliveries).list(try choice.filter(), limit: limit, in: settings)
                if json {
                    Terminal.write(events.map(\.json).joined())
                } else {
                    var table = Table("EVENT", "ENDPOINT", "TYPE", "ACCOUNT", "OUTCOME", "ATTEMPTS", "SINCE", "NEXT")
                    table.print(events.map(\.row))
                }
                let stopped = try await StoppedEndpoints(deliveries).list(in: settings)
                for endpoint in settings.events.map(\.id) where stopped.contains(endpoint) {
                    CommandSupport.remark("\(endpoint) has answered that it is gone, so it is told nothing until `events test` reaches it.")
                }
            }
        }
    }

    struct Replay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "replay", abstract: "Have events sent again, with the ids that they had.")

        @OptionGroup var common: CommonOptions

        @Argument(.project) var project: String

        @Argument(help: "The ids of events, as `events list` prints them.")
        var events: [String] = []

        @OptionGroup var choice: Choice

        func validate() throws {
            _ = try choice.filter()
            guard !events.isEmpty || choice.endpoint != nil || choice.outcome != nil else {
                throw ValidationError("Name events, or --endpoint or --outcome.")
            }
        }

        func run() async throws {
            var filter = try choice.filter()
            if !events.isEmpty {
                filter.ids = try events.map { text in
                    guard let id = Hex.decode(text) else { throw Failed("\(CommandSupport.visible(text)) is not the id of an event") }
                    return id
                }
            }
            let chosen = filter
            try await EventsCommand.with(common, project) { deliveries, settings in
                let count = try await RecordedEvents(deliveries).replay(chosen, in: settings)
                guard count > 0 else { throw Failed("the project keeps none of these events") }
                print(count == 1 ? "1 event is sent again." : "\(count) events are sent again.")
            }
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test", abstract: "Send an endpoint an event that says nothing (endpoint.test), once, from this machine.",
            discussion: "An endpoint that had answered that it is gone is told again when it takes the event.")

        @OptionGroup var common: CommonOptions

        @Argument(.project) var project: String

        @Argument(help: "The id of the endpoint, as the project's file names it.")
        var endpoint: String

        func run() async throws {
            let policy = try common.serverSettings().dialPolicy
            try await EventsCommand.with(common, project) { deliveries, settings in
                guard let target = settings.events.first(where: { $0.id == endpoint }) else {
                    throw Failed("the project's file has no endpoint \(CommandSupport.visible(endpoint))")
                }
                let now = Clock.system.now()
                let body = EventBody(testAt: now, in: settings).bytes
                let id = Hex.encode(Random.bytes(16))
                let client = try CommandSupport.client(dialling: policy, on: try Loop(index: 0))
                do throws(DeliveryFailure) { try await EventDelivery.send(body, id: id, to: target, by: client, at: now) } catch {
                    throw Failed("\(target.id) did not take the event: \(error.reason)")
                }
                let wasStopped = try await StoppedEndpoints(deliveries).remove(target.id, in: settings)
                print("\(target.id) took the event \(id)." + (wasStopped ? " It is told of events again." : ""))
            }
        }
    }

    private static func with(
        _ common: CommonOptions, _ project: String, _ body: (Deliveries, ProjectSettings) async throws -> Void
    ) async throws {
        let configuration = try common.soundConfiguration()
        try await CommandSupport.withDatabase(common) { database, masterKey in
            let settings = try await configuration.realm(project, in: TenantRows(database: database, clock: .system)).settings
            try await body(Deliveries(database: database, masterKey: masterKey, clock: .system), settings)
        }
    }
}

extension RecordedEvent {
    fileprivate var row: [String] {
        [
            Hex.encode(id), event?.endpoint ?? "unreadable (another master key, or a newer version)", event?.type.rawValue ?? "",
            event.map { CommandSupport.visible($0.accountID) } ?? "", outcome.rawValue, "\(attempts)", Timestamp.minute(createdAt),
            dueAt.map(Timestamp.minute) ?? "",
        ]
    }

    fileprivate var json: String {
        JSONWriter.line { writer in
            writer.field("event", Hex.encode(id))
            writer.field("endpoint", event?.endpoint)
            writer.field("type", event?.type.rawValue)
            writer.field("uid", event?.accountID)
            writer.field("outcome", outcome.rawValue)
            writer.field("attempts", Int64(attempts))
            writer.field("createdAt", Timestamp.text(createdAt))
            writer.field("dueAt", dueAt.map(Timestamp.text))
        }
    }
}
