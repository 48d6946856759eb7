import Dispatch
import Glibc
import HTTP
import Logging
import Runtime
import Synchronization
import Testing

@testable import HTTPServer
import Text

extension ServerLimits {
    /// Limits for a server whose client may run on a very busy machine.
    static var patient: ServerLimits {
        var limits = ServerLimits()
        (limits.headerRead, limits.bodyRead, limits.idle, limits.write) = (.seconds(600), .seconds(600), .seconds(600), .seconds(600))
        return limits
    }
}

/// A server with its own loop and a free port, for one test.
struct TestServer {
    let server: HTTPServer
    let port: Int
    let metrics = Metrics()
    let gate = Gate()
    private let log = Lines()

    /// - Parameter socket: a socket that is open already, instead of a free port.
    init(
        _ limits: ServerLimits = .patient, trustedProxies: TrustedProxies = TrustedProxies(), on socket: InheritedSocket? = nil
    ) async throws {
        server = HTTPServer(
            loop: try Loop(index: 0), limits: limits, trustedProxies: trustedProxies, handler: TestHandler(gate: gate), metrics: metrics,
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, accessLog: { [log] lines, _ in log.append(lines) },
            admission: Admission(), clock: Clock { Instant(seconds: 784_111_777) })
        guard let socket else {
            port = try await server.listen(host: "127.0.0.1", port: 0)
            return
        }
        try await server.listen(on: [socket])
        port = socket.port
    }

    /// Runs `body` with a server and stops the server in any case.
    static func with(
        _ limits: ServerLimits = .patient, trustedProxies: TrustedProxies = TrustedProxies(),
        _ body: (TestServer) async throws -> Void
    ) async throws {
        let server = try await TestServer(limits, trustedProxies: trustedProxies)
        do {
            try await body(server)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    /// Runs `body` with a short limit, which a fast machine meets, and again with longer limits on a machine that was too slow. `body`
    /// returns whether the answer was the expected one.
    static func withGrowingTime(_ body: (_ limit: Duration) async throws -> Bool) async throws {
        var limit = 50
        while try await !body(.milliseconds(limit)) {
            limit *= 8
            try #require(limit < 60_000, "not even with the longest limit")
        }
    }

    func client() throws -> Client { try Client(port: port) }

    var accessLog: String { log.text }

    func stop() async {
        gate.open()
        await server.stop(grace: .zero)
    }

    private final class Lines: Sendable {
        private let lines = Mutex("")
        var text: String { lines.withLock { $0 } }
        func append(_ bytes: UnsafeRawBufferPointer) { lines.withLock { $0 += String(decoding: bytes, as: UTF8.self) } }
    }
}

struct TestHandler: RequestHandler {
    let gate: Gate

    func answer(_ request: Request) -> Answer {
        if request.path == "/now" { return .ready(Response(body: Array("now".utf8), route: "/now")) }
        return .pending { await respond(to: request) }
    }

    func bodyTooLarge(_ request: Request) -> Response {
        Response(status: 413, body: Array("too large for \(request.path)".utf8))
    }

    private func respond(to request: Request) async -> Response {
        switch request.path {
        case "/wait": await gate.wait()
        case "/turn": await Task.yield()
        case "/peer": return Response(body: Array("\(request.peer) \(request.isSecure)".utf8), route: "/peer")
        case "/big": return Response(body: [UInt8](repeating: 0x62, count: 10_000), route: "/big")
        case "/huge": return Response(body: [UInt8](repeating: 0x62, count: 8_000_000), route: "/huge")
        default: break
        }
        return Response(headers: ["x-path": request.path], body: request.body, route: "/any")
    }
}

/// Blocks handlers until the test lets them continue.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var arrived = 0
        var watching: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func wait() async {
        await withCheckedContinuation { continuation in
            let resumed = state.withLock { state in
                state.arrived += 1
                defer { state.watching = [] }
                if state.isOpen { return state.watching + [continuation] }
                state.waiting.append(continuation)
                return state.watching
            }
            for continuation in resumed { continuation.resume() }
        }
    }

    var wasReached: Bool { state.withLock { $0.arrived > 0 } }

    /// Returns when a handler has reached the gate.
    func arrival() async {
        await withCheckedContinuation { continuation in
            let hasArrived = state.withLock { state in
                if state.arrived == 0 { state.watching.append(continuation) }
                return state.arrived > 0
            }
            if hasArrived { continuation.resume() }
        }
    }

    func open() {
        let resumed = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in resumed { continuation.resume() }
    }
}

/// A blocking socket with a separate thread, since tests share theirs. It gives up after ten minutes, only to end a test that hangs.
final class Client: @unchecked Sendable {
    // @unchecked Sendable because `received` is touched only on `queue`.

    struct Failure: Error { let call: String }

    private let socket: Int32
    private let queue = DispatchQueue(label: "client")
    private var received: [UInt8] = []

    init(port: Int) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: 600, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        // Small, so that little data fills them.
        var size: Int32 = 16 * 1024
        setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        // `deinit` closes the socket then, too, since every property has its value.
        guard result == 0 else { throw Failure(call: "connect") }
    }

    deinit { close(socket) }

    private func perform<T: Sendable>(_ body: @escaping @Sendable (Client) throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body(self) }) }
        }
    }

    func send(_ text: String) async throws {
        try await perform { client in
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let sent = rest.withUnsafeBytes { Glibc.send(client.socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard sent > 0 else { throw Failure(call: "send") }
                rest = rest.dropFirst(sent)
            }
        }
    }

    /// Sends `text` again and again, until the socket has taken nothing for `patience` milliseconds. Returns how many bytes it took.
    func flood(_ text: String, most: Int, patience: Int) async throws -> Int {
        try await perform { client in
            var limit = timeval(tv_sec: 0, tv_usec: patience * 1000)
            setsockopt(client.socket, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            let bytes = Array(text.utf8)
            var total = 0
            while total < most {
                let sent = bytes[(total % bytes.count)...].withUnsafeBytes {
                    Glibc.send(client.socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if sent <= 0 { break }
                total += sent
            }
            return total
        }
    }

    func finishSending() { shutdown(socket, Int32(SHUT_WR)) }

    /// Ends the connection as a process that is killed does. <https://man7.org/linux/man-pages/man2/connect.2.html>
    func reset() {
        var nowhere = sockaddr()
        nowhere.sa_family = sa_family_t(AF_UNSPEC)
        connect(socket, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// One answer: its head, up to the empty line, and the body of the announced length. `nil` when the connection ends before it.
    func answer(hasBody: Bool = true) async throws -> String? { try await perform { try $0.nextAnswer(hasBody) } }

    /// Sends a GET and returns the answer.
    func get(_ path: String, _ fields: String = "") async throws -> String {
        try await send("GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
        return try #require(try await answer())
    }

    /// Everything until the end; throws when the end does not come.
    func rest() async throws -> String {
        try await perform { client in
            while try client.receive() {}
            defer { client.received = [] }
            return String(decoding: client.received, as: UTF8.self)
        }
    }

    private func nextAnswer(_ hasBody: Bool) throws -> String? {
        while true {
            if let end = received.indices.first(where: { received[$0...].starts(with: "\r\n\r\n".utf8) }) {
                let head = String(decoding: received[..<(end + 4)], as: UTF8.self)
                let length = head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
                let total = end + 4 + (hasBody ? length : 0)
                while received.count < total { guard try receive() else { return nil } }
                defer { received.removeFirst(total) }
                return String(decoding: received[..<total], as: UTF8.self)
            }
            guard try receive() else { return received.isEmpty ? nil : String(decoding: received, as: UTF8.self) }
        }
    }

    /// False at the end.
    private func receive() throws -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = recv(socket, &bytes, bytes.count, 0)
        if count < 0 && errno == ECONNRESET { return false }
        guard count >= 0 else { throw Failure(call: "recv") }
        received += bytes[..<count]
        return count > 0
    }
}
