import Accounts
import HTTP
import Pages
import ProjectSettings
import Projects
import Runtime
import Text
import Web

/// The first page: the state of the server, and the projects that the operator sees.
struct OverviewPage: ConsolePage {
    static let path = "/"
    static let place = ConsolePlace.overview
    /// The number of calls whose times are shown: those that were asked most.
    private static let calls = 10

    func callAsFunction(_ visit: ConsoleVisit) async throws -> ConsoleView {
        let projects = visit.context.projects.all.filter { visit.person.sees($0.settings) }
        let reloading = visit.reloading(Self.path)
        var values = reloading.values
        values.merge(try await RealmList(realms: projects.sorted { $0.settings.id < $1.settings.id }, page: Self.path).values(visit)) { $1 }
        values["showsRealms"] = true
        if visit.person.projects == nil { values.merge(try await server(visit)) { $1 } }
        return ConsoleView("overview", values, refresh: reloading.seconds)
    }

    /// The facts that concern all projects.
    private func server(_ visit: ConsoleVisit) async throws -> [String: TemplateValue] {
        let keys = SigningKeyStore.statuses(of: try await visit.accounts.operators.keys.list(), at: visit.now)
        let signing = keys.compactMap { key, status -> [String: TemplateValue]? in
            guard case .signs(let since, _) = status else { return nil }
            return [
                "purpose": .word(key.purpose.rawValue), "algorithm": .text(key.algorithm),
                "days": .text("\(max(0, (visit.now - since).components.seconds / 86400))"),
            ]
        }
        var reason: String?
        do { try await visit.context.services.readiness() } catch { reason = LogDetail.of(error) }
        let metrics = visit.context.services.metrics
        let refreshes = metrics.counts(of: "http_requests_total", by: "status", where: ["route": "/v1/token"])
        let calls = metrics.times(of: "http_request_seconds", by: "route").prefix(Self.calls)
        return [
            "isServer": true, "version": .text(visit.console.facts.version), "isDevelopment": .flag(visit.console.facts.development),
            "schema": .text(visit.console.facts.schema), "unready": .text(reason), "signing": .list(signing),
            "refreshed": .text("\(refreshes.first { $0.label == "200" }?.count ?? 0)"),
            "started": .text(Timestamp.minute(visit.console.facts.startedAt)),
            "hasCalls": .flag(!calls.isEmpty),
            "calls": .list(
                calls.map { call in
                    [
                        "call": .text(ConsoleVisit.inert(call.label)), "callCount": .text("\(call.count)"),
                        "callMedian": .text(call.within(0.5)), "callMost": .text(call.within(0.99)),
                    ]
                }),
        ]
    }
}

extension MetricTimes {
    /// The time in milliseconds within which this part of the requests was answered.
    fileprivate func within(_ share: Double) -> String {
        guard let seconds = bound(of: share) else { return "> 10000" }
        let milliseconds = seconds * 1000
        return milliseconds == milliseconds.rounded() ? "\(Int(milliseconds))" : "\(milliseconds)"
    }
}
