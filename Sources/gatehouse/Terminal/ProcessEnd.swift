import Glibc

/// The one way in which a command ends the process.
///
/// It skips the exit handlers of C libraries. OpenSSL's handler frees what the threads of loops may still be using, such as a TLS handshake
/// of libpq that the command does not wait for.
enum ProcessEnd {
    /// Writes what standard output still buffers, and ends the process.
    static func now(_ status: Int32) -> Never {
        fflush(nil)
        _exit(status)
    }
}
