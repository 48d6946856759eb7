import CArgon2
import Runtime

/// A password hashed by argon2id or argon2i, as `$argon2id$v=19$m=65536,t=3,p=4$salt$hash`, computed by libargon2.
/// <https://www.rfc-editor.org/rfc/rfc9106>
///
/// All lanes are computed by the thread of the caller: a check keeps one core busy, like every other. argon2d is not supported, since its
/// time depends on the password, and neither are versions before 19, secrets and associated data.
package struct Argon2Hash: PasswordScheme {
    package enum Variant: String, Sendable {
        case argon2id, argon2i
    }

    package static let identifiers = [Variant.argon2id.rawValue, Variant.argon2i.rawValue]

    package let variant: Variant
    /// In KiB.
    package let memory: Int
    package let iterations: Int
    package let parallelism: Int
    package let salt: [UInt8]
    package let digest: [UInt8]

    /// - Parameter memory: in KiB.
    package init(
        _ variant: Variant, memory: Int, iterations: Int, parallelism: Int, salt: [UInt8], digest: [UInt8]
    ) throws(PasswordHashFault) {
        try PasswordHashFault.check("the parallelism of argon2", parallelism, in: 1...16)
        try PasswordHashFault.check("the number of iterations of argon2", iterations, in: 1...20)
        try PasswordHashFault.check("the memory of argon2 in KiB", memory, in: 8 * parallelism...256 << 10)
        guard memory * iterations <= 1 << 20 else {
            throw .tooCostly("argon2 with \(memory) KiB and \(iterations) iterations takes too long; their product must be at most 1 GiB")
        }
        try PasswordHashFault.check(salt: salt, atLeast: 8, digest: digest)
        (self.variant, self.memory, self.iterations, self.parallelism) = (variant, memory, iterations, parallelism)
        (self.salt, self.digest) = (salt, digest)
    }

    package init(identifier: String, fields: [Substring]) throws(PasswordHashFault) {
        guard let variant = Variant(rawValue: identifier) else { throw .unsupported("hashes of \(identifier) are not supported") }
        try PHCFields.count(fields, is: 4)
        guard fields[0] == "v=19" else { throw .unsupported("argon2 must have version 19, written v=19") }
        let numbers = try PHCFields.values(fields[1], named: "m", "t", "p")
        try self.init(
            variant, memory: try PHCFields.number(numbers[0]), iterations: try PHCFields.number(numbers[1]),
            parallelism: try PHCFields.number(numbers[2]), salt: try PHCFields.bytes(fields[2]), digest: try PHCFields.bytes(fields[3]))
    }

    package var text: String {
        "$\(variant.rawValue)$v=19$m=\(memory),t=\(iterations),p=\(parallelism)"
            + "$\(Base64.encodeUnpadded(salt))$\(Base64.encodeUnpadded(digest))"
    }

    package func matches(_ password: [UInt8], _ keys: ImportedHashKeys) throws(CryptoError) -> Bool {
        constantTimeEqual(digest, try derive(password))
    }

    private func derive(_ password: [UInt8]) throws(CryptoError) -> [UInt8] {
        // libargon2 takes them as mutable, and does not change them.
        var (password, salt) = (password, salt)
        let length = digest.count
        var status: Int32 = 0
        let derived = [UInt8](unsafeUninitializedCapacity: length) { out, count in
            password.withUnsafeMutableBufferPointer { password in
                salt.withUnsafeMutableBufferPointer { salt in
                    var context = argon2_context()
                    (context.out, context.outlen) = (out.baseAddress, UInt32(length))
                    (context.pwd, context.pwdlen) = (password.baseAddress, UInt32(password.count))
                    (context.salt, context.saltlen) = (salt.baseAddress, UInt32(salt.count))
                    (context.m_cost, context.t_cost) = (UInt32(memory), UInt32(iterations))
                    (context.lanes, context.threads) = (UInt32(parallelism), 1)
                    context.version = ARGON2_VERSION_13.rawValue
                    status = argon2_ctx(&context, variant == .argon2id ? Argon2_id : Argon2_i)
                }
            }
            count = status == ARGON2_OK.rawValue ? length : 0
        }
        guard status == ARGON2_OK.rawValue else {
            throw .library(call: "argon2_ctx", reason: String(cString: argon2_error_message(status)))
        }
        return derived
    }
}
