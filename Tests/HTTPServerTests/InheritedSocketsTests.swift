import CSystem
import Glibc
import HTTP
import Runtime
import Testing

@testable import HTTPServer

@Suite(.serialized) struct InheritedSocketsTests {
    @Test(arguments: [
        [:], ["LISTEN_FDS": "1", "LISTEN_FDNAMES": "api"], ["LISTEN_FDS": "1", "LISTEN_FDNAMES": "api", "LISTEN_PID": "8"],
        ["LISTEN_FDS": "0", "LISTEN_PID": "7"], ["LISTEN_PID": "7"],
    ])
    func `there are none where another process is meant`(environment: [String: String]) throws {
        #expect(try InheritedSockets(environment: environment, process: 7).names.isEmpty)
    }

    @Test(
        arguments: [
            (["LISTEN_FDS": "some"], .malformed), (["LISTEN_FDS": "-1"], .malformed), (["LISTEN_FDS": "1"], .unnamed),
            (["LISTEN_FDS": "1", "LISTEN_FDNAMES": "api:operations"], .unnamed),
        ] as [([String: String], InheritedSockets.Problem)])
    func `are refused where their number or their names are unclear`(variables: [String: String], problem: InheritedSockets.Problem) {
        #expect(throws: problem) {
            try InheritedSockets(environment: variables.merging(["LISTEN_PID": "7"]) { $1 }, process: 7)
        }
    }

    @Test func `are refused where they do not listen at a TCP port`() throws {
        let pair = try Descriptors.pair()
        let bound = try Descriptors.bound()
        let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { for descriptor in pair + [bound, file] { close(descriptor) } }
        for descriptor in [pair[0], bound, file] {
            #expect(throws: InheritedSockets.Problem.notListening(name: "api")) { try Self.taken(descriptor) }
        }
        #expect(throws: InheritedSockets.Problem.failed(SystemError("getsockopt", code: EBADF))) { try Self.taken(1 << 20) }
    }

    @Test func `know their address, and are not left to the programs that this process starts`() throws {
        let descriptor = try Descriptors.listening()
        defer { close(descriptor) }
        #expect(fcntl(descriptor, F_SETFD, 0) == 0)
        let socket = try #require(try Self.taken(descriptor)["api"].first)
        #expect(socket.address == .loopback)
        #expect(socket.port == (try SocketAddress.port(of: descriptor)))
        #expect(fcntl(descriptor, F_GETFD) == FD_CLOEXEC)
        #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
    }

    @Test func `serve several loops, and a client that comes between two processes waits for the second`() async throws {
        let descriptor = try Descriptors.listening()
        defer { close(descriptor) }
        let socket = try #require(try Self.taken(descriptor)["api"].first)
        let servers = [try await TestServer(on: socket), try await TestServer(on: socket)]
        for _ in 0..<20 { #expect(try await servers[0].client().get("/now").hasPrefix("HTTP/1.1 200 ")) }
        for server in servers { await server.stop() }
        let early = try servers[0].client()
        try await early.send("GET /now HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let next = try await TestServer(on: socket)
        #expect(try await early.rest().hasPrefix("HTTP/1.1 200 "))
        await next.stop()
    }

    private static func taken(_ descriptor: Int32) throws -> InheritedSockets {
        try InheritedSockets(
            environment: ["LISTEN_PID": "7", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "api"], process: 7, first: descriptor)
    }

    /// Descriptors of several kinds.
    private enum Descriptors {
        static func bound() throws -> Int32 {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            try #require(descriptor >= 0)
            try SocketAddress.bind(descriptor, .loopback, 0)
            return descriptor
        }

        static func listening() throws -> Int32 {
            let descriptor = try bound()
            try #require(listen(descriptor, 64) == 0)
            return descriptor
        }

        static func pair() throws -> [Int32] {
            var pair: [Int32] = [0, 0]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0)
            return pair
        }
    }
}
