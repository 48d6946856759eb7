import Curl
import HTTP
import Text

/// Asks the server that should run on this machine.
struct RunningServerChecks {
    let settings: ServerSettings
    let client: HTTPClient

    func findings() async -> [Finding] {
        let address = (settings.operations ?? settings.listen).dialled
        guard let ready = await answer("http://\(address)/health/ready") else {
            return [.warning("server.absent", "No server answers at \(address)", "start it, unless it runs on another machine")]
        }
        var findings: [Finding] = []
        if ready.status != 200 {
            findings.append(
                .fault("server.notReady", "The server at \(address) is not ready (status \(ready.status))", "its log says why: not ready"))
        }
        guard let metrics = await answer("http://\(address)/metrics"), metrics.status == 200 else { return findings }
        let lines = String(decoding: metrics.body, as: UTF8.self).split(separator: "\n")
        if let line = lines.first(where: { $0.hasPrefix("gatehouse_build_info{") }), !line.contains("\"\(Version.text)\"") {
            findings.append(
                .warning("server.version", "The server at \(address) runs another version than this binary's \(Version.text)", "restart it")
            )
        }
        if lines.contains("gatehouse_config_last_reload_successful 0") {
            findings.append(
                .warning(
                    "server.reload", "The server at \(address) refused its last reload, so it works with a former configuration",
                    "run gatehouse reload, which says why"))
        }
        return findings
    }

    private func answer(_ url: String) async -> OutboundResponse? {
        var request = OutboundRequest(.get, url)
        request.maxBytes = 16 << 20
        return try? await client.send(request)
    }
}
