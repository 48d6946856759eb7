import Glibc

/// A system call that failed, with the call's name and the kernel's reason.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    package let call: String
    package let code: Int32

    /// Reads `errno` when no code is given.
    package init(_ call: String, code: Int32 = errno) {
        self.call = call
        self.code = code
    }

    package var description: String { "\(call): \(String(cString: strerror(code)))" }
}
