package import HTTP
package import Logging
package import Runtime
import Text

/// The HTTP/1.1 server of one loop: it turns bytes into a `Request` and a `Response` into bytes, and applies the limits on both.
///
/// A request takes this path. `Listener` accepts a socket and makes a `HTTPConnection`, which reads into the loop's one buffer and gives the
/// bytes to a `RequestParser` (a value without I/O). A complete request goes to the `RequestHandler`. Its answer is written to the loop's
/// one output buffer (`ResponseWriter`), sent in one call for all requests of one read, counted (`RequestMetrics`) and logged
/// (`AccessLog`). A connection has memory of its own only while something is unfinished: half a request, an answer that is being made, or
/// bytes that the socket does not take. The meaning of a path is not decided here.
package actor HTTPServer {
    package nonisolated let loop: Loop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let connections: Connections
    private var listeners: [Listener] = []

    /// - Parameter admission: shared by the servers of all loops, so that the limits on connections hold for the whole process.
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
        connections = Connections(
            loop: loop, limits: limits, trustedProxies: trustedProxies, handler: handler, metrics: metrics, log: log, accessLog: accessLog,
            admission: admission, clock: clock)
    }

    /// Accepts connections on `host` (an address or `localhost`) and `port` (0 for any free one), and returns the port. Every loop listens
    /// on the same address, and the kernel distributes the connections.
    @discardableResult
    package func listen(host: String, port: Int) throws(SystemError) -> Int {
        connections.server = self
        let listener = try Listener(host: host, port: port, connections: connections)
        listeners.append(listener)
        return listener.port
    }

    /// Accepts connections from sockets that the service manager opened. The servers of all loops accept from the same ones.
    package func listen(on sockets: [InheritedSocket]) throws(SystemError) {
        connections.server = self
        for socket in sockets { listeners.append(try Listener(socket, connections: connections)) }
    }

    /// Throws when another process already listens there. Several processes may share a port; this is for a listener that must not be
    /// shared.
    package static func requireFree(host: String, port: Int) throws(SystemError) { try Listener.requireFree(host: host, port: port) }

    /// Stops accepting, finishes the requests that have begun, and closes idle connections. Returns when no connection is left, or after
    /// `grace`.
    ///
    /// - Parameter idle: how long an idle connection stays open. A proxy that sends its next request meanwhile reads in the answer that it
    ///   must open another connection. If the connection were closed at once, the proxy's request could meet the end of it, and a proxy
    ///   does not send a POST twice.
    package func stop(grace: Duration, closingIdleAfter idle: Duration = .zero) async {
        for listener in listeners { listener.stop() }
        listeners = []
        connections.stop()
        if idle == .zero { connections.closeIdle() }
        if !connections.isEmpty {
            let timers = [
                loop.schedule(after: idle) { [connections] in connections.closeIdle() },
                loop.schedule(after: grace) { [connections] in connections.closeAll() },
            ]
            await withCheckedContinuation { continuation in connections.whenEmpty { continuation.resume() } }
            for timer in timers { loop.cancel(timer) }
        }
        // Ends the reference cycle of server and connections that `listen` began.
        connections.server = nil
    }

    /// Lets `work` make an answer in a separate task, which begins at once and stays on the loop.
    ///
    /// - Parameter body: the size of the request's body. It stays in memory until the answer, also when the client is gone before.
    nonisolated func start(_ work: @escaping @Sendable () async -> Response, _ exchange: Exchange, body: Int, on slot: Int32) {
        assumeIsolated { server in server.run(work, exchange, body, on: slot) }
    }

    private func run(_ work: @escaping @Sendable () async -> Response, _ exchange: Exchange, _ body: Int, on slot: Int32) {
        connections.hold(body)
        // Without the preference, a task would continue on Dispatch's own threads after each wait, which costs two thread switches for
        // each query.
        Task.immediate(executorPreference: loop) {
            let response = await work()
            self.connections.hold(-body)
            self.connections.finish(slot, exchange, response)
        }
    }
}
