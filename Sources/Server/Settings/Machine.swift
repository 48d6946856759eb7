import Glibc

/// The computer that the server runs on.
enum Machine {
    /// Cores that are switched on, at least 1.
    static var cores: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}
