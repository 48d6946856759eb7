import Glibc
import Testing

@testable import Runtime

@Suite struct ServiceManagerTests {
    @Test func `is told nothing where it did not say that it listens`() throws {
        for address in [nil, "", "relative", "vsock:2:9999", "/" + String(repeating: "a", count: 108)] {
            let manager = ServiceManager(environment: address.map { ["NOTIFY_SOCKET": $0] } ?? [:])
            #expect(!manager.isPresent)
            try manager.tell(.ready)
        }
    }

    @Test(arguments: ["@", "/tmp/"])
    func `gets each message as one datagram, at a path or an abstract name`(prefix: String) throws {
        let address = "\(prefix)gatehouse-test-\(getpid())"
        let receiver = try Receiver(address)
        defer { receiver.close() }
        let manager = ServiceManager(environment: ["NOTIFY_SOCKET": address])
        #expect(manager.isPresent)
        try manager.tell(.ready, status: "serving 2 projects")
        try manager.tell(.alive)
        #expect(receiver.next() == "READY=1\nSTATUS=serving 2 projects")
        #expect(receiver.next() == "WATCHDOG=1")
    }

    @Test func `is not waited for when it has gone`() {
        let manager = ServiceManager(environment: ["NOTIFY_SOCKET": "@gatehouse-test-gone-\(getpid())"])
        #expect(throws: SystemError("sendto", code: ECONNREFUSED)) { try manager.tell(.ready) }
    }

    @Test func `reads the time of a reload, and a status of one line`() {
        let time = MonotonicTime.read()
        let microseconds = time.nanoseconds / 1000
        #expect(
            ServiceManager.message(.reloading, "two\nlines\r\n", at: time)
                == "RELOADING=1\nMONOTONIC_USEC=\(microseconds)\nSTATUS=two lines")
        #expect(ServiceManager.message(.stopping, nil, at: time) == "STOPPING=1")
        #expect(ServiceManager.message(.unchanged, "x", at: time) == "STATUS=x")
    }

    @Test(
        arguments: [
            (["WATCHDOG_USEC": "3000000"], Duration.seconds(3)), (["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "7"], .seconds(3)),
            (["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "8"], nil), (["WATCHDOG_USEC": "soon"], nil), (["WATCHDOG_USEC": "0"], nil),
            ([:], nil),
        ] as [([String: String], Duration?)])
    func `has a watchdog only for the process that it means`(environment: [String: String], interval: Duration?) {
        #expect(ServiceManager(environment: environment, process: 7).watchdog == interval)
    }

    /// The service manager's end of the socket.
    private struct Receiver {
        private let descriptor: Int32
        private let path: String?

        init(_ address: String) throws {
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            path = address.hasPrefix("/") ? address : nil
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            let bytes = path == nil ? [0] + Array(address.utf8.dropFirst()) : Array(address.utf8) + [0]
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
            let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
            let result = withUnsafePointer(to: &name) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
            }
            try #require(result == 0)
        }

        func next() -> String {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        }

        func close() {
            Glibc.close(descriptor)
            if let path { unlink(path) }
        }
    }
}
