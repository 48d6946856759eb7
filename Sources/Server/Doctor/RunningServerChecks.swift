import Curl
import FoundationEssentials
import Glibc
import HTTP
import Text

/// Asks the server that should run on this machine.
struct RunningServerChecks {
    let settings: ServerSettings
    /// The file of the configuration.
    let path: String
    let client: HTTPClient

    func findings() async -> [Finding] {
        let address = (settings.operations ?? settings.listen).dialled
        guard let ready = await answer("http://\(address)/health/ready") else {
            return [.warning("server.absent", "No server answers at \(address)", "start it, unless it runs on another machine")]
        }
        var findings: [Finding] = []
        if ready.status != 200 {
            findings.append(
                .fault(
                    "server.notReady", "The server at \(address) is not ready (status \(ready.status))",
                    "mend what is said of the database above; without that, look for the line \"not ready\" in \(log), which has the reason"
                ))
        }
        guard var lines = await metrics(of: address) else { return findings }
        if lines.contains(Self.refused) {
            // Metrics may be a second old, and a good reload have come since.
            try? await Task.sleep(for: .milliseconds(1100))
            lines = await metrics(of: address) ?? lines
        }
        let wasRefused = lines.contains(Self.refused)
        findings += fileFindings(lines, address, knowsProjects: !wasRefused)
        if let line = lines.first(where: { $0.hasPrefix("gatehouse_build_info{") }), !line.contains("\"\(Version.text)\"") {
            findings.append(
                .warning("server.version", "The server at \(address) runs another version than this binary's \(Version.text)", "restart it")
            )
        }
        if wasRefused {
            findings.append(
                .warning(
                    "server.reload",
                    "The server at \(address) refused its last reload, so it works with a former configuration, at least of some projects",
                    "run gatehouse reload, which says why"))
        }
        return findings
    }

    private static let refused: Substring = "gatehouse_config_last_reload_successful 0"

    private var log: String { settings.logPath ?? "its log (journalctl -u gatehouse)" }

    private func metrics(of address: ListenAddress) async -> [Substring]? {
        guard let metrics = await answer("http://\(address)/metrics"), metrics.status == 200 else { return nil }
        return String(decoding: metrics.body, as: UTF8.self).split(separator: "\n")
    }

    /// Files that were changed since the server read them.
    /// - Parameter knowsProjects: whether the last reload took all files. When it took some, the metric does not tell when it read those.
    private func fileFindings(_ metrics: [Substring], _ address: ListenAddress, knowsProjects: Bool) -> [Finding] {
        let name = "gatehouse_config_last_reload_success_timestamp_seconds "
        guard let line = metrics.first(where: { $0.hasPrefix(name) }), let read = Int(line.dropFirst(name.count)) else { return [] }
        func isNewer(_ file: String) -> Bool {
            var status = stat()
            return stat(file, &status) == 0 && status.st_mtim.tv_sec > read
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: settings.projects)) ?? []
        let projects =
            !knowsProjects
            ? [] : names.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }.sorted().map { "\(settings.projects)/\($0)" }
        func finding(_ files: [String], _ remedy: String) -> Finding? {
            guard !files.isEmpty else { return nil }
            return .warning(
                "server.files", "Changed since the server at \(address) read its files: \(files.joined(separator: ", "))", remedy)
        }
        return [
            finding([path].filter(isNewer), "restart it, where more than a comment was changed"),
            finding(projects.filter(isNewer), "run gatehouse reload"),
        ].compactMap(\.self)
    }

    private func answer(_ url: String) async -> OutboundResponse? {
        var request = OutboundRequest(.get, url)
        request.maxBytes = 16 << 20
        return try? await client.send(request)
    }
}
