import Config
import Curl
import HTTPServer
import Runtime

/// The number of file descriptors that the process may have, and how many of them are for clients. Everything else must be able to open
/// its own; otherwise a crowd of clients would stop health checks, database and providers.
enum Descriptors {
    /// Connections to the operations listener.
    static let forOperations = 64
    /// Connections to the console's listener.
    static let forConsole = 64
    /// The log, listeners, libraries, and files that are read at a reload.
    private static let forProcess = 64
    /// The descriptors of the loop itself, of a probe of the database, and of its connections to providers and mail servers.
    private static let forLoop = 8 + HTTPClient.mostConnections

    /// The limits, with no more connections than descriptors are available. Adds a note to `section` where that is fewer than configured.
    ///
    /// - Parameter databaseConnections: the number for all loops together.
    static func fit(_ limits: ServerLimits, loops: Int, databaseConnections: Int, _ section: Section) -> ServerLimits {
        let files = SystemLimits.mostDescriptors
        let others = forProcess + forOperations + forConsole + loops * forLoop + databaseConnections
        var fitting = limits
        fitting.connections = max(1, min(limits.connections, files - others))
        // Fewer than the default are said only where they are so few that clients would notice soon.
        if fitting.connections < limits.connections, section.has("connections") || fitting.connections < 1000 {
            section.note(
                "connections",
                "\(limits.connections) do not fit: a process started here may open \(files) files at most, which leaves "
                    + "\(fitting.connections) for connections; raise LimitNOFILE, or lower limits.connections")
        }
        return fitting
    }
}
