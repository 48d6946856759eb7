import Accounts
import Pages
import ProjectSettings
import Projects
import Web

/// The first page: the projects, and the state of the server.
struct OverviewPage: ConsolePage {
    static let path = "/"
    static let place = ConsolePlace.overview

    func callAsFunction(_ visit: ConsoleVisit) async throws -> ConsoleView {
        let projects = visit.context.projects.realms.filter { visit.person.sees($0.settings) }
        return ConsoleView(
            "overview",
            [
                "hasProjects": .flag(!projects.isEmpty),
                "projects": .list(
                    projects.map { project in
                        let settings = project.settings
                        return [
                            "name": .text(settings.addressName), "title": .text(ConsoleVisit.inert(settings.branding.name)),
                            "link": .text(visit.link(ConsolePlace.users.path(of: settings))),
                        ]
                    }),
            ])
    }
}
