package import HTTP
package import Logging
package import Runtime
import Text

/// The HTTP/1.1 server of one loop: bytes to `Request`, `Response` to bytes, and the limits of both.
///
/// The path of a request: `Listener` accepts a socket and makes a `Connection`, which reads into the loop's one buffer and gives the bytes to
/// a `RequestParser` (a value without I/O). A whole request goes to the `RequestHandler`; its answer is written to the loop's
/// one output buffer (`ResponseWriter`), sent in one call for all requests of one read, counted (`RequestMetrics`) and logged
/// (`AccessLog`). A connection keeps memory of its own only while something is unfinished: half a request, an answer under way, or
/// bytes that the socket would not take. What a path means is not decided here.
package actor HTTPServer {
    package nonisolated let loop: Loop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let connections: Connections
    private let handler: any RequestHandler
    private var listeners: [Listener] = []

    /// `admission` is shared by the servers of all loops, so that the limits on connections hold for the process.
    package init(
        loop: Loop, limits: ServerLimits = ServerLimits(), trustedProxies: TrustedProxies = TrustedProxies(), handler: any RequestHandler,
        metrics: Metrics,
        log: Logger, accessLog: LogOutput? = nil, admission: Admission = Admission(), clock: Clock = .system
    ) {
        self.init(
            loop: loop, limits: limits, trustedProxies: trustedProxies, handler: handler, metrics: metrics, log: log,
            accessLog: accessLog.map { output in { @Sendable in output.write($0, lines: $1, of: .access) } }, admission: admission,
            clock: clock)
    }

    init(
        loop: Loop, limits: ServerLimits, trustedProxies: TrustedProxies, handler: any RequestHandler, metrics: Metrics, log: Logger,
        accessLog: AccessLog.Write?, admission: Admission, clock: Clock
    ) {
        self.loop = loop
        self.handler = handler
        connections = Connections(
            loop: loop, limits: limits, trustedProxies: trustedProxies, handler: handler, metrics: metrics, log: log, accessLog: accessLog,
            admission: admission, clock: clock)
    }

    /// Accepts connections on `host` (an address or `localhost`) and `port` (0 takes a free one); returns the port. Every loop listens on
    /// the same address and the kernel spreads connections over them.
    @discardableResult
    package func listen(host: String, port: Int) throws(SystemError) -> Int {
        connections.server = self
        let listener = try Listener(host: host, port: port, connections: connections)
        listeners.append(listener)
        return listener.port
    }

    /// Throws when anybody listens there already. Listeners of several processes may share a port; this is for one that must not.
    package static func requireFree(host: String, port: Int) throws(SystemError) { try Listener.requireFree(host: host, port: port) }

    /// Stops accepting, answers what has begun, closes what is idle, and returns when no connection is left, after `grace` at the latest.
    package func stop(grace: Duration) async {
        for listener in listeners { listener.stop() }
        listeners = []
        connections.stop()
        if !connections.isEmpty {
            let timer = loop.schedule(after: grace) { [connections] in connections.closeAll() }
            await withCheckedContinuation { continuation in connections.whenEmpty { continuation.resume() } }
            loop.cancel(timer)
        }
        // Ends the cycle of server and connections that `listen` began.
        connections.server = nil
    }

    /// Has the handler answer in a task of its own, which begins at once and without leaving the loop.
    nonisolated func start(_ request: Request, _ exchange: Exchange, on slot: Int32) {
        assumeIsolated { server in server.run(request, exchange, on: slot) }
    }

    private func run(_ request: Request, _ exchange: Exchange, on slot: Int32) {
        // Without the preference a task would go on after each wait by way of Dispatch's own threads: two thread switches a query.
        Task.immediate(executorPreference: loop) { await self.answer(request, exchange, on: slot) }
    }

    private func answer(_ request: Request, _ exchange: Exchange, on slot: Int32) async {
        let response = await handler.respond(to: request)
        connections.finish(slot, exchange, response)
    }
}
