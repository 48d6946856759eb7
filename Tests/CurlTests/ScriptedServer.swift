import Dispatch
import Glibc
import HTTP
import Logging
import Runtime
import Synchronization
import Testing

@testable import Curl
import Text

/// A server on a loopback port that handles each connection as a test's script says, even if that is not HTTP.
final class ScriptedServer: Sendable {
    let port: Int
    private let listener: Int32
    private let accepted = Notes()

    /// The number of connections that were opened so far.
    var connections: Int { accepted.all.count }

    init(_ script: @escaping @Sendable (Peer) -> Void) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, pointer, &length) == 0
            }
        }
        guard bound else { throw SystemError("bind") }
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        DispatchQueue(label: "scripted").async { [listener, accepted] in
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else {
                    // Here, where it is used, so that no other socket can have its number meanwhile.
                    close(listener)
                    return
                }
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                accepted.add("")
                DispatchQueue(label: "peer").async {
                    let peer = Peer(descriptor: descriptor)
                    script(peer)
                    close(descriptor)
                }
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

    /// The server's side of one connection. Its calls block the server's thread.
    final class Peer {
        private let descriptor: Int32
        private var buffer: [UInt8] = []

        init(descriptor: Int32) { self.descriptor = descriptor }

        func send(_ text: String) {
            var text = text
            text.withUTF8 { bytes in
                var rest = UnsafeRawBufferPointer(bytes)
                while let start = rest.baseAddress, !rest.isEmpty {
                    let count = Glibc.send(descriptor, start, rest.count, Int32(MSG_NOSIGNAL))
                    guard count > 0 else { return }
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                }
            }
        }

        func answer(_ body: String, status: String = "200 OK", headers: String = "") {
            send("HTTP/1.1 \(status)\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }

        /// The next request, head and body; `nil` once the client has closed.
        func request() -> String? {
            while true {
                let text = String(decoding: buffer, as: UTF8.self)
                if let end = text.firstRange(of: "\r\n\r\n") {
                    let head = text[..<end.lowerBound]
                    let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
                    let count = line.flatMap { Int($0.dropFirst(15).filter(\.isNumber)) } ?? 0
                    let whole = text[..<end.upperBound].utf8.count + count
                    if buffer.count >= whole {
                        defer { buffer.removeFirst(whole) }
                        return String(decoding: buffer[..<whole], as: UTF8.self)
                    }
                }
                guard let more = read() else { return nil }
                buffer += more
            }
        }

        /// The next line without its end; `nil` once the client has closed.
        func line() -> String? {
            while true {
                if let end = buffer.firstIndex(of: 0x0A) {
                    defer { buffer.removeFirst(end + 1) }
                    return String(decoding: buffer[..<end].filter { $0 != 0x0D }, as: UTF8.self)
                }
                guard let more = read() else { return nil }
                buffer += more
            }
        }

        /// The next bytes; `nil` at the end.
        func read() -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            return count > 0 ? Array(bytes[..<count]) : nil
        }

        /// Closes with a reset instead of an orderly end.
        func reset() {
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        }
    }
}

/// A list that a script's thread writes and a test reads.
final class Notes: Sendable {
    private let list = Mutex<[String]>([])
    var all: [String] { list.withLock { $0 } }
    func add(_ note: String) { list.withLock { $0.append(note) } }
}

func makeClient(allowing networks: [String] = ["127.0.0.1/32"]) throws -> HTTPClient {
    try HTTPClient(
        loop: Loop(index: 0), policy: .allowing(networks.compactMap { CIDR($0) }), metrics: Metrics(),
        log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
}

/// Expects that `body` finds one connection reused. An attempt that takes longer than an idle connection is kept proves nothing, and is
/// repeated.
func soonEnoughToReuse(_ body: () async throws -> Bool) async throws {
    for _ in 0..<20 {
        let began = ContinuousClock.now
        if try await body() { return }
        try #require(ContinuousClock.now - began > .seconds(50), "a connection was not reused")
    }
    Issue.record("the machine was too slow twenty times")
}

/// The error of a request that must fail.
func failure(of request: OutboundRequest, with client: HTTPClient) async -> OutboundError? {
    do throws(OutboundError) {
        _ = try await client.send(request)
        return nil
    } catch {
        return error
    }
}

/// A request with so much time that a busy machine does not exceed it.
func patient(_ method: Method, _ url: String, headers: Headers = [:], body: [UInt8]? = nil) -> OutboundRequest {
    var request = OutboundRequest(method, url, headers: headers, body: body)
    request.timeout = .seconds(300)
    request.connectTimeout = .seconds(300)
    return request
}
