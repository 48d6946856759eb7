import Accounts
import HTTP
import Pages
import ProjectSettings
import Projects
import Runtime
import Text

/// A list of projects, or of the tenants of one, some at a time: what waits in each, and what is wrong with it.
struct RealmList {
    /// The number of projects on a page. Each asks the database about its mails.
    private static let length = 50

    /// In the order of their names.
    let realms: [Project]
    /// The page that shows the list: the name of the last one on the page before is added as `after`.
    let page: String

    func values(_ visit: ConsoleVisit) async throws -> [String: TemplateValue] {
        let after = visit.query["after"]?.asString ?? ""
        let rest = realms.filter { after.isEmpty || $0.settings.addressName > after }
        let shown = rest.prefix(Self.length)
        var rows: [[String: TemplateValue]] = []
        for realm in shown { rows.append(try await row(realm, visit)) }
        var next = ""
        if rest.count > shown.count, let last = shown.last {
            next = visit.link(page, ["after": UTF8Text(last.settings.addressName)])
        }
        return [
            "hasRealms": .flag(!rows.isEmpty), "realms": .list(rows), "next": .text(next),
            "first": .text(after.isEmpty ? "" : visit.link(page)),
        ]
    }

    private func row(_ realm: Project, _ visit: ConsoleVisit) async throws -> [String: TemplateValue] {
        var values = try await visit.health(of: realm)
        values["name"] = .text(realm.settings.addressName)
        values["title"] = .text(ConsoleVisit.inert(realm.settings.branding.name))
        values["link"] = .text(visit.link(ConsolePlace.overview.path(of: realm.settings)))
        return values
    }
}

extension ConsoleVisit {
    /// The mails that wait in a project, and the endpoints of events that are gone.
    func health(of realm: Project) async throws -> [String: TemplateValue] {
        let settings = realm.settings
        let mails = try await accounts.operators.mails.depth(in: [settings.storageID])
        let stopped = settings.events.isEmpty ? [] : try await accounts.operators.stoppedEndpoints.list(in: settings)
        return [
            "mails": .text("\(mails.count)"), "oldest": .text(mails.oldest.map(Timestamp.minute)),
            "stopped": .text(stopped.sorted().joined(separator: ", ")), "isOff": .flag(realm.isSwitchedOff),
        ]
    }

    /// The values with which a page loads itself again every ten seconds while its operator wants it.
    func reloading(_ page: String) -> (values: [String: TemplateValue], seconds: Int?) {
        let isLive = query.isReload
        return (
            ["isLive": .flag(isLive), "still": .text(link(page)), "live": .text(link(page, ["live": "on"]))], isLive ? 10 : nil
        )
    }
}

extension Form {
    /// Whether the page loads itself again, and no one has asked for it.
    var isReload: Bool { self["live"] == "on" }
}
