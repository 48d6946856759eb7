import Config
import Pages
import ProjectSettings
import Projects
import Text
import Web

/// Every setting of `gatehouse.yaml`, as the file has it now. Nothing is changed here: the files are the truth.
struct ConfigurationPage: ConsolePage {
    static let path = "/configuration"
    static let place = ConsolePlace.configuration

    func callAsFunction(_ visit: ConsoleVisit) async throws -> ConsoleView {
        .settings(visit.console.facts.serverSettings(), of: visit.console.facts.serverFile)
    }
}

/// The same for a project's file. A tenant's settings that it does not have itself are its project's.
struct ProjectConfigurationPage: ConsolePage {
    static let path = "/projects/{project}/configuration"
    static let place = ConsolePlace.configuration

    func callAsFunction(_ visit: ConsoleVisit) async throws -> ConsoleView {
        let project = try visit.project
        let owner = project.settings.tenant == nil ? project : visit.context.projects.project(id: project.settings.id) ?? project
        guard let file = owner.fileName else { throw Failure.notFound }
        return .settings(visit.console.facts.projectSettings(file), of: file)
    }
}

extension ConsoleView {
    fileprivate static func settings(_ settings: [EffectiveSetting], of file: String) -> ConsoleView {
        ConsoleView(
            "configuration",
            [
                "file": .text(file), "hasSettings": .flag(!settings.isEmpty),
                "settings": .list(
                    settings.map { setting in
                        var row: [String: TemplateValue] = ["key": .text(setting.path)]
                        row["line"] = .text(setting.line.map { "\(file):\($0)" })
                        switch setting.value {
                        case .text(let text): row["setting"] = .text(ConsoleVisit.inert(text))
                        case .secret(let reference): row["secret"] = .text(ConsoleVisit.inert(reference))
                        case .none: row["isAbsent"] = true
                        }
                        return row
                    }),
            ])
    }
}
