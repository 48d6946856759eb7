import Accounts
import HTTP
import Pages
import Postgres
import ProjectSettings
import Projects
import Runtime
import Text
import Web

/// A project at a glance: the sign-ins of the last day, why some were refused, what waits, and its tenants.
struct ProjectOverviewPage: ConsolePage {
    static let path = "/projects/{project}/overview"
    static let place = ConsolePlace.overview

    func callAsFunction(_ visit: ConsoleVisit) async throws -> ConsoleView {
        let project = try visit.project
        let page = Self.place.path(of: project.settings)
        let reloading = visit.reloading(page)
        var values = reloading.values
        values.merge(try await visit.health(of: project)) { $1 }
        values.merge(try await signIns(in: project, visit)) { $1 }
        let tenants = project.tenants?.all ?? []
        values.merge(try await RealmList(realms: tenants, page: page).values(visit)) { $1 }
        values["isProject"] = true
        values["showsRealms"] = .flag(!tenants.isEmpty)
        values["realmCount"] = .text("\(tenants.count)")
        if let migration = project.settings.openMigration(at: visit.now) {
            values["movesUntil"] = .text(Timestamp.minute(migration.until))
            let moves = Moves(visit.context.services.metrics, in: project.settings)
            values["hasMoves"] = .flag(!moves.rows.isEmpty)
            values["moves"] = .list(moves.rows)
            values["started"] = .text(Timestamp.minute(visit.console.facts.startedAt))
        }
        return ConsoleView("overview", values, words: "projectOverview", refresh: reloading.seconds)
    }

    private func signIns(in project: Project, _ visit: ConsoleVisit) async throws -> [String: TemplateValue] {
        let day: SignInDay
        do { day = try await SignInDay.read(visit.accounts.operators.signInLog, in: project.settings, until: visit.now) } catch {
            guard case .database(.timedOut) = error else { throw error }
            return ["tookTooLong": true]
        }
        return [
            "rate": .text(day.ratePerMinute),
            "plots": .list([
                SignInPlot(name: "succeeded", counts: day.succeeded, day: day).values,
                SignInPlot(name: "refused", counts: day.refused, day: day).values,
            ]),
            "hasProviders": .flag(!day.providers.isEmpty),
            "providers": .list(
                day.providers.map { provider in
                    [
                        "provider": visit.way(provider.id), "succeeded": .text("\(provider.succeeded)"),
                        "created": .text("\(provider.created)"), "refusals": .text("\(provider.refused)"),
                    ]
                }),
            "hasReasons": .flag(!day.reasons.isEmpty),
            "reasons": .list(
                day.reasons.map { reason in
                    [
                        "refusal": reason.code.map(RefusalWords.word) ?? .word("reasonUnknown"),
                        "refusalCode": .text(reason.code.map(ConsoleVisit.inert)), "refusalCount": .text("\(reason.count)"),
                    ]
                }),
        ]
    }
}
