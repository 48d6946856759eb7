package import HTTP
package import ProjectSettings
import Synchronization
package import Text

/// All projects at one moment: a value that is never changed, only replaced.
package struct Projects: Sendable {
    package let all: [Project]
    private let byKey: [UTF8Text: Int]
    private let byID: [UTF8Text: Int]
    /// The realms by every name of their directories, in lower case.
    private let byDirectory: [UTF8Text: Project]
    /// The origins of the pages of all browser clients.
    package let browserOrigins: Set<UTF8Text>
    /// The project to which every unknown key leads; only in development mode.
    private let anyKey: String?

    package init(_ all: [Project], anyKey: String? = nil) {
        self.all = all
        self.anyKey = anyKey
        byID = Dictionary(all.enumerated().map { (UTF8Text($1.settings.id), $0) }, uniquingKeysWith: { first, _ in first })
        let providers = all.flatMap { [$0] + ($0.tenants?.openIDProviders ?? []) }.filter { !$0.isSwitchedOff }
        byDirectory = Dictionary(
            providers.flatMap { realm in realm.settings.directoryNames.map { (UTF8Text($0).asciiLowercased, realm) } },
            uniquingKeysWith: { first, _ in first })
        browserOrigins = Set(providers.flatMap { $0.settings.browserOrigins })
        byKey = Dictionary(
            all.enumerated().flatMap { index, project in project.settings.apiKeys.map { (UTF8Text($0), index) } },
            uniquingKeysWith: { first, _ in first })
    }

    fileprivate func project(apiKey: UTF8Text) -> Project? { byKey[apiKey].map { all[$0] } }

    /// The development project.
    package var development: Project? { anyKey.flatMap(project(id:)) }

    package func project(id: String) -> Project? { byID[UTF8Text(id)].map { all[$0] } }

    /// The realm of rows, and of what leads back to rows, such as a flow's state: a project, or a tenant of one.
    package func realm(storageID: String) -> Project? {
        guard let realm = ProjectSettings.realm(of: UTF8Text(storageID)), let project = project(id: realm.project) else { return nil }
        return realm.tenant.map { project.tenants?.tenant(UTF8Text($0)) } ?? project
    }

    /// All projects with all their tenants, for work that goes over everything that may have rows.
    package var realms: [Project] { all.realms }

    /// Whether development mode makes its concessions for the project: the development project, and those made on the fly.
    package func isOfDevelopment(_ project: Project) -> Bool { project.isMadeOnTheFly || project.settings.id == anyKey }

    /// The providers that calls of administrators made for a realm in development mode.
    package func entriesOfCalls(in realm: Project) -> [ProviderEntry] {
        project(id: realm.settings.id)?.entriesOfCalls[realm.settings.storageID] ?? []
    }

    /// The realm that an address names: a project by its id, or a tenant as `project~tenant`. A tenant that is switched off has no address.
    package func realm(addressName name: UTF8Text) -> Project? {
        guard let (id, tenant) = name.halves(at: UInt8(ascii: "~")), let project = project(id: id.asString) else { return nil }
        guard let tenant else { return project }
        return project.tenants?.tenant(tenant).flatMap { $0.isSwitchedOff ? nil : $0 }
    }

    /// The realm that `directory` means in a URL of Azure AD B2C's form: its id, or its directory's id or one of its names. The case of ASCII
    /// letters does not count.
    package func realm(directory: UTF8Text) -> Project? { byDirectory[directory.asciiLowercased] }

    /// The providers that keep their tokens for back ends, for each project of rows.
    package var tokenKeepers: [String: [String]] {
        Dictionary(realms.map { ($0.settings.storageID, $0.tokenKeepers) }, uniquingKeysWith: +)
    }

    /// The same projects, with another state of one of them.
    fileprivate func replacing(_ project: Project) -> Projects {
        Projects(all.map { $0.settings.id == project.settings.id ? project : $0 }, anyKey: anyKey)
    }

    fileprivate func adding(_ project: Project) -> Projects { Projects(all + [project], anyKey: anyKey) }
}

extension Sequence<Project> {
    /// These projects, each with its tenants.
    package var realms: [Project] { flatMap { [$0] + ($0.tenants?.all ?? []) } }
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

    /// Changes one project for all loops, until its file is read again. `nil` when the project does not exist.
    private func change(_ id: String, to change: (Project) -> Project) -> Project? {
        snapshot.withLock { projects in
            guard let project = projects.project(id: id) else { return nil }
            let changed = change(project)
            projects = projects.replacing(changed)
            return changed
        }
    }

    /// The same for its settings. What its tenants have of it follows.
    package func change(_ id: String, _ change: (inout ProjectSettings) -> Void) -> Project? {
        self.change(id) { project in
            var settings = project.settings
            change(&settings)
            return Project(project, with: settings, tenants: project.tenants?.following(settings, after: project.settings))
        }
    }

    /// Changes the providers that calls of administrators made for a realm, all at once or not at all.
    package func change<Refusal: Error>(
        entriesOf realm: Project, _ change: (inout [ProviderEntry]) throws(Refusal) -> Void
    ) throws(Refusal) {
        try snapshot.withLock { (projects) throws(Refusal) in
            guard let project = projects.project(id: realm.settings.id) else { return }
            var entries = project.entriesOfCalls
            try change(&entries[realm.settings.storageID, default: []])
            projects = projects.replacing(Project(project, entriesOfCalls: entries))
        }
    }

    /// Puts tenants of a project in the place of their former states, and takes others away.
    package func change(_ id: String, tenants changed: [Project], without gone: Set<String> = []) {
        _ = change(id) { project in project.having((project.tenants ?? Tenants()).replacing(changed, without: gone)) }
    }
}
