import Accounts
import Crypto
import HTTP
import Pages
import ProjectSettings
import Projects
import Runtime
import Text
import Web
import Webhooks

/// The hooks of a project, its endpoints of events, and what became of the newest events.
struct HooksPage: ConsolePage {
    static let path = "/projects/{project}/hooks"
    static let place = ConsolePlace.hooks
    private static let most = 50

    func callAsFunction(_ visit: ConsoleVisit) async throws -> ConsoleView {
        let settings = try visit.project.settings
        let stopped = try await visit.accounts.operators.stoppedEndpoints.list(in: settings)
        let events = try await visit.accounts.operators.events.list(.init(), limit: Self.most, in: settings)
        return ConsoleView(
            "hooks",
            [
                "hasHooks": .flag(!settings.hooks.isEmpty), "hasEndpoints": .flag(!settings.events.isEmpty),
                "hasEvents": .flag(!events.isEmpty), "most": .text("\(Self.most)"),
                "hooks": .list(
                    HookEvent.allCases.compactMap { event in
                        settings.hooks[event].map {
                            ["event": .text(event.rawValue), "url": .text($0.webhook.url), "policy": .text($0.onFailure.rawValue)]
                        }
                    }),
                "endpoints": .list(
                    settings.events.map { endpoint in
                        [
                            "endpoint": .text(endpoint.id), "url": .text(endpoint.webhook.url),
                            "isStopped": .flag(stopped.contains(endpoint.id)),
                        ]
                    }),
                "events": .list(try events.map { try Self.row($0, visit) }),
            ])
    }

    private static func row(_ event: RecordedEvent, _ visit: ConsoleVisit) throws -> [String: TemplateValue] {
        [
            "endpoint": .text(event.event?.endpoint), "type": .text(event.event?.type.rawValue),
            "account": .text(event.event.map { visit.shown($0.accountID) }), "outcome": .word(event.outcome.rawValue),
            "attempts": .text("\(event.attempts)"), "since": .text(Timestamp.minute(event.createdAt)),
            "replay": .text(visit.may(ReplayEvent.role) ? try visit.projectLink("/hooks/\(Hex.encode(event.id))/replay") : ""),
        ]
    }
}

/// Has an event sent again, with the id that it had: the rule of `gatehouse events replay`.
struct ReplayEvent: ConsoleAct {
    static let path = "/projects/{project}/hooks/{event}/replay"
    static let place = ConsolePlace.hooks
    static let role = Operator.Role.admin

    func confirmation(_ visit: ConsoleVisit) async throws -> ConsoleConfirmation {
        ConsoleConfirmation(
            "replayEvent", ["event": .text(Hex.encode(try Self.id(visit)))], cancel: try visit.projectLink("/hooks"))
    }

    func perform(_ form: Form, _ visit: ConsoleVisit) async throws -> ConsoleOutcome {
        var filter = RecordedEvents.Filter()
        filter.ids = [try Self.id(visit)]
        let count = try await visit.accounts.operators.events.replay(filter, in: try visit.project.settings, by: visit.act)
        guard count > 0 else { throw ConsoleFault("faultNotKept") }
        return .goes(to: try visit.projectLink("/hooks"), note: "replayed")
    }

    private static func id(_ visit: ConsoleVisit) throws(Failure) -> [UInt8] {
        guard let id = Hex.decode(visit.parameter("event").asString) else { throw .notFound }
        return id
    }
}
