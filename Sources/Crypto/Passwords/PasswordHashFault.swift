/// A fault in a hash that should be stored, in words for the operator who imports it. It contains no part of the hash.
package enum PasswordHashFault: Error, Equatable, CustomStringConvertible {
    /// A number of the source, or the length of one of its values, is outside its limits.
    case outOfRange(String, Int, ClosedRange<Int>)
    /// Each parameter is within its limits, and together they cost too much.
    case tooCostly(String)
    case malformed(String)
    case unsupported(String)

    package var description: String {
        switch self {
        case .outOfRange(let name, let value, let allowed): "\(name) is \(value); it must be \(allowed.lowerBound) to \(allowed.upperBound)"
        case .tooCostly(let reason), .malformed(let reason), .unsupported(let reason): reason
        }
    }

    static func check(_ name: String, _ value: Int, in allowed: ClosedRange<Int>) throws(PasswordHashFault) {
        guard allowed.contains(value) else { throw .outOfRange(name, value, allowed) }
    }

    /// Checks the lengths of what another system stored. Longer values would make the stored text too long, and a shorter hash has many
    /// passwords.
    static func check(salt: [UInt8], atLeast least: Int = 0, digest: [UInt8]) throws(PasswordHashFault) {
        try check("the length of the salt in bytes", salt.count, in: least...128)
        try check("the length of the hash in bytes", digest.count, in: 16...128)
    }
}
