import Config
import HTTPServer
import Runtime

/// How many file descriptors the process may have, and how many of them are for clients: everything else must be able to open its own, or a
/// crowd of clients would stop health checks, database and providers.
enum Descriptors {
    /// Connections to the operations listener.
    static let forOperations = 64
    /// Log, listeners, libraries, files that are read at a reload.
    private static let forProcess = 64
    /// What a loop has itself, a probe of the database, and what it may have open to providers and mail servers.
    private static let forLoop = 40

    /// The limits with no more connections than there are descriptors for, and a note in `section` where that is fewer than it says.
    ///
    /// - Parameter databaseConnections: of all loops.
    static func fit(_ limits: ServerLimits, loops: Int, databaseConnections: Int, _ section: Section) -> ServerLimits {
        let files = SystemLimits.mostDescriptors
        let others = forProcess + forOperations + limits.reserve + loops * forLoop + databaseConnections
        var fitting = limits
        fitting.connections = max(1, min(limits.connections, files - others))
        if fitting.connections < limits.connections, section.has("connections") {
            section.note(
                "connections",
                "\(limits.connections) do not fit: a process started here may open \(files) files at most, which leaves "
                    + "\(fitting.connections) for connections; raise LimitNOFILE, or lower limits.connections")
        }
        return fitting
    }
}
