import Curl
import HTTP
import JSON
import ProjectSettings
import Projects

/// Asks the hosts of RP IDs for the files by which they say which apps and sites may use their passkeys.
struct PasskeyChecks {
    let projects: [Project]
    let client: HTTPClient

    /// One part for each site that needs a file.
    func parts() async -> [Checkup.Part] {
        let sites = Dictionary(grouping: projects.map(\.settings).filter { $0.passkeys != nil }) { $0.passkeys?.rpID ?? "" }
        var parts: [Checkup.Part] = []
        for (site, projects) in sites.sorted(by: { $0.key < $1.key }) {
            let files = PasskeyFile.allCases.filter { $0.content(for: projects) != nil }
            guard !files.isEmpty else { continue }
            var findings: [Finding] = []
            for file in files { findings += await self.findings(file, at: site, for: projects) }
            parts.append(Checkup.Part("\(site)  passkeys", findings))
        }
        return parts
    }

    private func findings(_ file: PasskeyFile, at site: String, for projects: [ProjectSettings]) async -> [Finding] {
        let url = "https://\(site)\(file.path)"
        let remedy = "serve there what gatehouse passkeys files \(projects.first?.id ?? "") prints"
        let answer: OutboundResponse
        do { answer = try await client.send(OutboundRequest(.get, url)) } catch {
            return [.warning("passkeys.file", "\(url) does not answer: \(error)", remedy)]
        }
        guard answer.status == 200, let served = try? JSON.parse(answer.body) else {
            return [.warning("passkeys.file", "\(url) is not a JSON file (status \(answer.status))", remedy)]
        }
        guard !file.isCovered(by: served, for: projects) else { return [] }
        return [.warning("passkeys.file", "\(url) lacks a part of what the configuration says", remedy)]
    }
}
