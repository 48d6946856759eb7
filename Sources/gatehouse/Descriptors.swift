import HTTPServer

/// How many file descriptors the process may have, and how many of them are for clients: everything else must be able to open its own, or a
/// crowd of clients would stop health checks, database and providers.
enum Descriptors {
    /// Connections to the operations listener.
    static let forOperations = 64
    /// Log, listeners, libraries, files that are read at a reload.
    private static let forProcess = 64
    /// What a loop has itself, and what it may have open to providers and mail servers.
    private static let forLoop = 40

    /// The limits with no more connections than there are descriptors for.
    ///
    /// - Parameter connections: to the database, of one loop.
    static func fit(_ limits: ServerLimits, into descriptors: Int, loops: Int, connections: Int) -> ServerLimits {
        var limits = limits
        let others = forProcess + forOperations + limits.reserve + loops * (forLoop + connections)
        limits.connections = max(1, min(limits.connections, descriptors - others))
        return limits
    }
}
