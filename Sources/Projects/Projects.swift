package import HTTP
package import ProjectSettings
import Synchronization
package import Text

/// All projects at one moment: a value that is never changed, only replaced.
package struct Projects: Sendable {
    package let all: [Project]
    private let byKey: [UTF8Text: Int]
    private let byID: [UTF8Text: Int]
    private let byStorageID: [UTF8Text: Int]
    /// By every name of its directory, in lower case.
    private let byDirectory: [UTF8Text: Int]
    /// The origins of the pages of all browser clients.
    package let browserOrigins: Set<UTF8Text>
    /// The project to which every unknown key leads; only in development mode.
    private let anyKey: String?

    package init(_ all: [Project], anyKey: String? = nil) {
        self.all = all
        self.anyKey = anyKey
        byID = Dictionary(all.enumerated().map { (UTF8Text($1.settings.id), $0) }, uniquingKeysWith: { first, _ in first })
        byStorageID = Dictionary(all.enumerated().map { (UTF8Text($1.settings.storageID), $0) }, uniquingKeysWith: { first, _ in first })
        byDirectory = Dictionary(
            all.enumerated().flatMap { index, project in
                project.settings.directoryNames.map { (UTF8Text($0).asciiLowercased, index) }
            }, uniquingKeysWith: { first, _ in first })
        browserOrigins = Set(all.flatMap { $0.settings.browserOrigins })
        byKey = Dictionary(
            all.enumerated().flatMap { index, project in project.settings.apiKeys.map { (UTF8Text($0), index) } },
            uniquingKeysWith: { first, _ in first })
    }

    fileprivate func project(apiKey: UTF8Text) -> Project? { byKey[apiKey].map { all[$0] } }

    /// The development project.
    package var development: Project? { anyKey.flatMap(project(id:)) }

    package func project(id: String) -> Project? { byID[UTF8Text(id)].map { all[$0] } }

    /// The project of rows, and of what leads back to rows, such as a flow's state.
    package func project(storageID: String) -> Project? { byStorageID[UTF8Text(storageID)].map { all[$0] } }

    /// Whether development mode makes its concessions for the project: the development project, and those made on the fly.
    package func isOfDevelopment(_ project: Project) -> Bool { project.isMadeOnTheFly || project.settings.id == anyKey }

    /// The project that `directory` means in a URL of Azure AD B2C's form: its id, or its directory's id or one of its names. The case of ASCII
    /// letters does not count.
    package func project(directory: UTF8Text) -> Project? { byDirectory[directory.asciiLowercased].map { all[$0] } }

    /// The providers that keep their tokens for back ends, for each project of rows.
    package var tokenKeepers: [String: [String]] {
        Dictionary(all.map { ($0.settings.storageID, $0.tokenKeepers) }, uniquingKeysWith: +)
    }

    /// The same projects, with another state of one of them.
    fileprivate func replacing(_ project: Project) -> Projects {
        Projects(all.map { $0.settings.id == project.settings.id ? project : $0 }, anyKey: anyKey)
    }

    fileprivate func adding(_ project: Project) -> Projects { Projects(all + [project], anyKey: anyKey) }
}

extension ProjectSettings {
    /// The origins of the pages of its OpenID provider's browser clients.
    fileprivate var browserOrigins: [UTF8Text] {
        (openIDProvider?.clients ?? []).filter { $0.kind == .browser }.flatMap(\.redirectURIs).compactMap(URI.parse).map {
            UTF8Text($0.origin)
        }
    }
}

/// The projects as every loop reads them. A reload replaces them all at once.
package final class ProjectDirectory: Sendable {
    private let snapshot: Mutex<Projects>

    package init(_ projects: Projects) { snapshot = Mutex(projects) }

    package var current: Projects { snapshot.withLock { $0 } }

    package func replace(_ projects: Projects) { snapshot.withLock { $0 = projects } }

    /// The project of `apiKey`.
    ///
    /// In development mode, for requests from this machine: `project:<id>` leads to the project of that id, which is made on the fly where
    /// no file has it, and every other key that is not empty to the development project.
    package func project(apiKey: UTF8Text, for request: Request) -> Project? {
        let projects = current
        if let project = projects.project(apiKey: apiKey), !project.isMadeOnTheFly || request.isOfThisMachine { return project }
        guard let development = projects.development, !apiKey.isEmpty, request.isOfThisMachine else { return nil }
        guard apiKey.hasPrefix(Project.keyOnTheFly) else { return development }
        // The page of another site must not be able to fill the list.
        guard request.headers.values("origin").allSatisfy({ ThisMachine.serves(origin: $0, to: request) }),
            !request.headers.values("sec-fetch-site").contains("cross-site") || request.headers["origin"] != nil
        else { return nil }
        return projectOfDevelopment(named: UTF8Text(apiKey.utf8.dropFirst(Project.keyOnTheFly.utf8.count)).asString)
    }

    /// The development project or one made on the fly, by its id. Where no project has the id, this makes one. `nil` for every project
    /// that development mode makes no concessions for, for a text that is not an id, and on a server without a development project.
    package func projectOfDevelopment(named id: String) -> Project? {
        snapshot.withLock { projects in
            guard let development = projects.development else { return nil }
            if let project = projects.project(id: id) { return projects.isOfDevelopment(project) ? project : nil }
            guard ProjectSettings.isFree(id), projects.all.count(where: \.isMadeOnTheFly) < Project.mostOnTheFly else { return nil }
            let made = Project(named: id, like: development)
            projects = projects.adding(made)
            return made
        }
    }

    /// Changes one project's settings for all loops, until its file is read again. `nil` when the project does not exist.
    package func change(_ id: String, _ change: (inout ProjectSettings) -> Void) -> Project? {
        snapshot.withLock { projects in
            guard let project = projects.project(id: id) else { return nil }
            var settings = project.settings
            change(&settings)
            let changed = Project(project, with: settings)
            projects = projects.replacing(changed)
            return changed
        }
    }
}
