import Projects
import Providers
import Text
import Web

/// A provider as the API shows it: one kind by OpenID Connect, one of the catalogue. The client's secret is never shown.
protocol ProviderConfig: Codable, Sendable {
    init(_ provider: ProviderEntry, of project: Project)

    /// Whether the provider is of this kind.
    static func shows(_ provider: ProviderEntry) -> Bool
}

extension ProviderConfig {
    /// The one that the path names.
    static func named(in context: Context) throws -> Self {
        let (project, id) = (try context.project, context.parameters["id"])
        guard let provider = try context.providerEntries.first(where: { shows($0) && id == UTF8Text($0.id) }) else {
            throw Failure.configurationNotFound
        }
        return Self(provider, of: project)
    }

    /// Those of the page that the call asks for, and the token of the page behind them.
    static func page(_ request: PageRequest, in context: Context) throws -> (entries: [Self], next: String?) {
        let project = try context.project
        return try request.page(of: context.providerEntries.filter(shows).map { ($0.id, Self($0, of: project)) })
    }
}

extension Context {
    /// The providers of the file, and those that calls made in development mode.
    fileprivate var providerEntries: [ProviderEntry] {
        get throws {
            let project = try self.project
            return project.configuredProviders.map(ProviderEntry.init) + services.projects.current.entriesOfCalls(in: project)
        }
    }
}
