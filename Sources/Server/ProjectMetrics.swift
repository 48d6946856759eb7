import Accounts
import ProjectSettings
import Projects
import Providers
import Runtime
import Synchronization

/// The metrics that each project has before anything happens in it. Labels come from the project files alone (SEC-20).
final class ProjectMetrics: Sendable {
    private struct Entry: Hashable {
        let project: String
        let provider: String
    }

    private let metrics: Metrics
    private let signIns: SignInMetrics
    private let directory: ProjectDirectory
    private let known = Mutex<Set<Entry>>([])

    init(_ metrics: Metrics, signIns: SignInMetrics, directory: ProjectDirectory) {
        self.metrics = metrics
        self.signIns = signIns
        self.directory = directory
    }

    /// Makes the series of the projects and providers that the files have; after a reload, those that are new.
    func begin() {
        for project in directory.current.all where !project.isMadeOnTheFly {
            signIns.begin(
                project: project.settings.id, providers: project.orderedProviders.map(\.id), methods: Self.methods(of: project))
            for provider in project.configuredProviders {
                let entry = Entry(project: project.settings.id, provider: provider.id)
                if known.withLock({ $0.insert(entry).inserted }) { register(entry) }
            }
        }
    }

    private static func methods(of project: Project) -> [String] {
        let methods = project.settings.signIn
        var names = [SignInProvider.custom]
        if methods.password { names.append(SignInProvider.password) }
        if methods.emailLink { names.append(EmailLinkSignIns.emailLink) }
        if project.settings.passkeys != nil { names.append(SignInProvider.passkey) }
        if project.settings.phone.enabled { names.append(SignInProvider.phone) }
        if methods.anonymous { names.append(SignInProvider.anonymous) }
        return names
    }

    private func register(_ entry: Entry) {
        metrics.gaugeAtTimes(
            "gatehouse_provider_secret_expires_timestamp_seconds", "When the provider begins to refuse the secret or the certificate.",
            ["project": entry.project, "provider": entry.provider]
        ) { [directory] in
            directory.current.project(id: entry.project)?.configuredProviders.first { $0.id == entry.provider }?.expires.map {
                Int($0.seconds)
            }
        }
    }
}
