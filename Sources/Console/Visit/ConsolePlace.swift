import ProjectSettings

/// A place in the console's navigation: a list of pages that belong together. One about a project stands below `/projects/{project}`.
enum ConsolePlace: String, CaseIterable {
    case overview, providers, keys, serviceAccounts, hooks, mail, limits, configuration
    case users, audit
    /// Those of the operator who asks, whom every operator may look after.
    case passkeys

    /// Those of the whole server, in the order of the navigation.
    static let ofServer: [ConsolePlace] = [.overview, .keys, .configuration]
    /// Those of a project.
    static let ofProject: [ConsolePlace] = [
        .overview, .users, .audit, .limits, .providers, .mail, .hooks, .serviceAccounts, .configuration,
    ]

    /// Whether every operator may go there: also one who sees some projects alone.
    var isForAll: Bool { self == .overview || self == .passkeys }

    /// The path of its first page.
    ///
    /// - Parameter project: the project that it is about; `nil` for the whole server.
    func path(of project: ProjectSettings?) -> String {
        guard let project else { return self == .overview ? "/" : "/\(rawValue)" }
        return "/projects/\(project.addressName)/\(rawValue)"
    }
}
