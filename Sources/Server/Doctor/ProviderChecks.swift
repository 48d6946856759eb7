import Curl
import ProjectSettings
import Projects
import Providers
import Runtime

/// Asks the providers of all projects, and those that tenants have for themselves.
struct ProviderChecks {
    let projects: [Project]
    let client: HTTPClient
    let clock: Clock

    func parts() async -> [Checkup.Part] {
        var parts: [Checkup.Part] = []
        let count = projects.realms.reduce(0) { $0 + $1.ownProviders.count }
        for project in projects.realms {
            for settings in project.ownProviders.sorted(by: { $0.id < $1.id }) {
                let provider = ConfiguredProvider(settings, upstream: client, cache: MetadataCache(), clock: clock)
                let faults = await provider.diagnose(redirectURI: project.handlerURL(of: settings))
                var findings = faults.map { Finding.fault("provider.refused", $0, Remedies.provider($0, entry: settings.id)) }
                // A provider that is alone cannot be mixed up with another.
                if faults.isEmpty, count > 1 {
                    findings = await provider.advise().map { .warning("provider.advice", $0, "change the entry \(settings.id) as it says") }
                }
                parts.append(Checkup.Part("\(project.settings.storageID)  \(settings.id)", findings))
            }
        }
        return parts
    }
}
