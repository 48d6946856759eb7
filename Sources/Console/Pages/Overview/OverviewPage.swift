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

    /// Seconds until the page loads itself again.
    private static let interval = 10

    func callAsFunction(_ visit: ConsoleVisit) async throws -> ConsoleView {
        let projects = visit.context.projects.realms.filter { visit.person.sees($0.settings) }
        let isLive = visit.query["live"] == "on"
        var values: [String: TemplateValue] = [
            "hasProjects": .flag(!projects.isEmpty), "isLive": .flag(isLive), "still": .text(visit.link("/")),
            "live": .text(visit.link("/", ["live": "on"])),
        ]
        var rows: [[String: TemplateValue]] = []
        for project in projects { rows.append(try await row(project, visit)) }
        values["projects"] = .list(rows)
        if visit.person.projects == nil { values.merge(try await server(visit)) { own, _ in own } }
        return ConsoleView("overview", values, refresh: isLive ? Self.interval : nil)
    }

    private func row(_ project: Project, _ visit: ConsoleVisit) async throws -> [String: TemplateValue] {
        let (settings, operators) = (project.settings, visit.accounts.operators)
        let mails = try await operators.mails.depth(in: [settings.storageID])
        let stopped = settings.events.isEmpty ? [] : try await operators.stoppedEndpoints.list(in: settings)
        return [
            "name": .text(settings.addressName), "title": .text(ConsoleVisit.inert(settings.branding.name)),
            "link": .text(visit.link(visit.console.firstPlace.path(of: settings))), "mails": .text("\(mails.count)"),
            "oldest": .text(mails.oldest.map(Timestamp.minute)), "stopped": .text(stopped.sorted().joined(separator: ", ")),
            "isOff": .flag(project.isSwitchedOff),
        ]
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
        return [
            "isServer": true, "version": .text(visit.console.facts.version), "isDevelopment": .flag(visit.console.facts.development),
            "unready": .text(reason), "signing": .list(signing),
        ]
    }
}
