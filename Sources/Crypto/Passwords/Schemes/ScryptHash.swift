import COpenSSL
import Runtime

/// The cost of one scrypt hash. <https://www.rfc-editor.org/rfc/rfc7914#section-2>
package struct ScryptParameters: Sendable, Equatable {
    /// The cost N as a power of two: one more doubles time and memory.
    package var log2N: Int
    /// r: memory is 128·N·r bytes, 16 MiB by default.
    package var blockSize: Int
    /// p: multiplies the work, in the same memory.
    package var parallelization: Int

    package init(log2N: Int = 14, blockSize: Int = 8, parallelization: Int = 1) {
        self.log2N = log2N
        self.blockSize = blockSize
        self.parallelization = parallelization
    }

    /// The bytes that one hash needs while it is computed.
    package var memory: Int { 128 * blockSize << log2N }

    /// Whether scrypt is defined for these parameters, and one hash stays within 256 MiB and a few seconds.
    package var areAcceptable: Bool {
        guard (1...24).contains(log2N), (1...256).contains(blockSize), (1...256).contains(parallelization), log2N < 16 * blockSize else {
            return false
        }
        return memory <= Self.memoryLimit && (blockSize * parallelization) << log2N <= 1 << 22
    }

    /// Whether a hash is as cheap as those of `gatehouse dev`: about 10 µs, less than a thread takes to begin.
    var areQuick: Bool { (blockSize * parallelization) << log2N <= 16 }

    fileprivate static let memoryLimit = 256 << 20
}

/// A password hashed by scrypt, as `$scrypt$ln=14,r=8,p=1$salt$hash`, the form of passlib and of the PHC string format. It is the scheme of
/// new hashes. <https://www.rfc-editor.org/rfc/rfc7914>
package struct ScryptHash: PasswordScheme {
    package static let identifiers = ["scrypt"]
    private static let saltLength = 16
    private static let digestLength = 32

    package let parameters: ScryptParameters
    package let salt: [UInt8]
    package let digest: [UInt8]

    /// A hash that was made elsewhere, by standard scrypt.
    package init(parameters: ScryptParameters, salt: [UInt8], digest: [UInt8]) throws(PasswordHashFault) {
        guard parameters.areAcceptable else {
            throw .tooCostly("these parameters of scrypt are not defined, or cost more than 256 MiB or a few seconds")
        }
        try PasswordHashFault.check("the length of the salt in bytes", salt.count, in: 8...64)
        try PasswordHashFault.check("the length of the hash in bytes", digest.count, in: 16...64)
        self.init(parameters, salt: salt, digest: digest)
    }

    /// Hashes `password` with a new salt.
    init(password: [UInt8], _ parameters: ScryptParameters) throws(CryptoError) {
        let salt = Random.bytes(Self.saltLength)
        self.init(
            parameters, salt: salt, digest: try Self.derive(password: password, salt: salt, parameters, length: Self.digestLength))
    }

    package init(identifier: String, fields: [Substring]) throws(PasswordHashFault) {
        try PHCFields.count(fields, is: 3)
        let numbers = try PHCFields.values(fields[0], named: "ln", "r", "p")
        try self.init(
            parameters: ScryptParameters(
                log2N: try PHCFields.number(numbers[0]), blockSize: try PHCFields.number(numbers[1]),
                parallelization: try PHCFields.number(numbers[2])),
            salt: try PHCFields.bytes(fields[1]), digest: try PHCFields.bytes(fields[2]))
    }

    private init(_ parameters: ScryptParameters, salt: [UInt8], digest: [UInt8]) {
        (self.parameters, self.salt, self.digest) = (parameters, salt, digest)
    }

    /// A hash that no password matches.
    static func unmatchable(_ parameters: ScryptParameters) -> ScryptHash {
        ScryptHash(parameters, salt: Random.bytes(saltLength), digest: Random.bytes(digestLength))
    }

    package var text: String {
        "$scrypt$ln=\(parameters.log2N),r=\(parameters.blockSize),p=\(parameters.parallelization)"
            + "$\(Base64.encodeUnpadded(salt))$\(Base64.encodeUnpadded(digest))"
    }

    package func matches(_ password: [UInt8], _ keys: ImportedHashKeys) throws(CryptoError) -> Bool {
        constantTimeEqual(digest, try Self.derive(password: password, salt: salt, parameters, length: digest.count))
    }

    package func isCurrent(_ parameters: ScryptParameters) -> Bool {
        self.parameters == parameters && salt.count == Self.saltLength && digest.count == Self.digestLength
    }

    package var isQuick: Bool { parameters.areQuick }

    /// Runs scrypt. Throws when its memory is not available, or for parameters that are not acceptable.
    static func derive(password: [UInt8], salt: [UInt8], _ parameters: ScryptParameters, length: Int) throws(CryptoError) -> [UInt8] {
        guard parameters.areAcceptable else { throw .unsupported("scrypt parameters beyond the limits") }
        var status: Int32 = 0
        let digest = [UInt8](unsafeUninitializedCapacity: length) { out, count in
            password.withUnsafeBytes { password in
                // An empty password still needs an address: with a null address, OpenSSL only checks the parameters.
                let first = password.baseAddress?.assumingMemoryBound(to: CChar.self)
                withUnsafePointer(to: CChar(0)) { nothing in
                    status = EVP_PBE_scrypt(
                        first ?? nothing, password.count, salt, salt.count, 1 << UInt64(parameters.log2N), UInt64(parameters.blockSize),
                        UInt64(parameters.parallelization), UInt64(ScryptParameters.memoryLimit + (1 << 20)), out.baseAddress, length)
                }
            }
            count = status == 1 ? length : 0
        }
        try check(status, "EVP_PBE_scrypt")
        return digest
    }
}
