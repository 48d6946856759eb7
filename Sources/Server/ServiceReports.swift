import HTTPServer
import Logging
import Projects
import Runtime
import Web

/// Reports to the service manager how this server is doing.
extension Server {
    /// The variables of the environment that the service manager sets for this process alone.
    package static let ownVariables = ServiceManager.variables + InheritedSockets.variables

    /// Tells that the server is ready as soon as `/health/ready` would say so. From then on every loop has to show that it works.
    func reportReadiness() async {
        guard manager.isPresent else { return }
        while !isStopping {
            do {
                try await first.services.readiness()
                break
            } catch {
                tell(.unchanged, status: "not ready: \(LogDetail.of(error))")
                try? await Task.sleep(for: .seconds(1))
            }
        }
        guard !isStopping else { return }
        isReportedReady = true
        tell(.ready, status: serving)
        guard let watchdog = manager.watchdog else { return }
        // Half of the time would do; a sign that is late once is no reason to end the process.
        heartbeat = Heartbeat(of: workers.map(\.loop), every: watchdog / 4) { [manager] in try? manager.tell(.alive) }
        heartbeat?.begin()
    }

    func reportReload() { if isReportedReady, !isStopping { tell(.reloading, status: "reading the project files") } }

    func reportEnd(of reload: ReloadOutcome) {
        guard isReportedReady, !isStopping else { return }
        switch reload {
        case .taken: tell(.ready, status: serving)
        case .takenInPart: tell(.ready, status: "\(serving); the last reload refused some files, see the log")
        case .refused: tell(.ready, status: "\(serving); the last reload was refused, see the log")
        }
    }

    private var serving: String {
        let count = process.projects.current.all.count
        return "serving \(count) project\(count == 1 ? "" : "s") on \(process.settings.listen)"
    }

    func tell(_ state: ServiceManager.State, status: String) {
        do { try manager.tell(state, status: status) } catch {
            log.warning("the service manager cannot be told how the server is doing", metadata: ["error": "\(error)"])
        }
    }
}
