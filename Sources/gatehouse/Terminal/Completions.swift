import ArgumentParser
import ProjectSettings
import Projects
import Providers
import Server

extension CompletionKind {
    /// The ids of the projects that the configuration has.
    static let projects = configured { $0.projects.map(\.settings.id) }

    /// The ids of the providers that the project files have.
    static let providers = configured { $0.projects.flatMap { $0.orderedProviders.map(\.id) } }

    /// Words of the configuration that the command line names; none where it cannot be read.
    private static func configured(_ words: @escaping @Sendable (SoundConfiguration) -> [String]) -> CompletionKind {
        .custom { line, _, _ in
            let place = line.firstIndex(of: "--config").map { $0 + 1 }
            let named = place.flatMap { line.indices.contains($0) ? line[$0] : nil }
            let path = named ?? CommonOptions.usualConfig
            guard let configuration = try? SoundConfiguration.load(from: path, environment: CommonOptions.environment) else { return [] }
            return Set(words(configuration)).sorted()
        }
    }
}
