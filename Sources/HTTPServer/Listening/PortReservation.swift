import CSystem
import Glibc

/// Reserves a port among the `gatehouse dev` of this machine. A server listens only after its database has started, and until then
/// another one would find the port free, and later share it.
package enum PortReservation {
    /// Takes the port until this process ends, however it ends. Returns false when another process has it.
    ///
    /// What is taken is a name in Linux's abstract namespace of sockets (`man 7 unix`), where no file can be left behind.
    package static func take(_ port: Int) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        // Without a descriptor nothing else of the server would work either, and its message says why.
        guard descriptor >= 0 else { return true }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array("\0gatehouse-dev-\(port)".utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        if result != 0 { close(descriptor) }
        return result == 0
    }
}
