import COpenSSL

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

/// A password hashed by scrypt, as `$scrypt$ln=14,r=8,p=1$salt$hash`, the form of passlib and of the PHC string format.
/// <https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md>
struct ScryptHash: Equatable {
    static let identifier = "scrypt"
    static let saltLength = 16
    static let digestLength = 32

    let parameters: ScryptParameters
    let salt: [UInt8]
    let digest: [UInt8]

    init(parameters: ScryptParameters, salt: [UInt8], digest: [UInt8]) {
        self.parameters = parameters
        self.salt = salt
        self.digest = digest
    }

    /// Hashes `password` with a new salt.
    init(password: String, _ parameters: ScryptParameters) throws(CryptoError) {
        let salt = Random.bytes(Self.saltLength)
        self.init(
            parameters: parameters, salt: salt,
            digest: try Self.derive(password: Array(password.utf8), salt: salt, parameters, length: Self.digestLength))
    }

    /// Reads the fields behind the identifier; nil unless `text` would be written in exactly this way.
    init?(fields: [Substring]) {
        guard fields.count == 3 else { return nil }
        var numbers: [Int] = []
        for (name, field) in zip(["ln=", "r=", "p="], fields[0].split(separator: ",", omittingEmptySubsequences: false)) {
            guard field.hasPrefix(name), let number = Int(field.dropFirst(name.count)) else { return nil }
            numbers.append(number)
        }
        guard numbers.count == 3, let salt = Base64.decode(String(fields[1])), let digest = Base64.decode(String(fields[2])) else {
            return nil
        }
        let parameters = ScryptParameters(log2N: numbers[0], blockSize: numbers[1], parallelization: numbers[2])
        guard parameters.areAcceptable, (8...64).contains(salt.count), (16...64).contains(digest.count) else { return nil }
        self.init(parameters: parameters, salt: salt, digest: digest)
    }

    /// The fields behind the identifier.
    var fields: String {
        "ln=\(parameters.log2N),r=\(parameters.blockSize),p=\(parameters.parallelization)"
            + "$\(Base64.encodeUnpadded(salt))$\(Base64.encodeUnpadded(digest))"
    }

    func matches(_ password: String) throws(CryptoError) -> Bool {
        constantTimeEqual(
            digest, try Self.derive(password: Array(password.utf8), salt: salt, parameters, length: digest.count))
    }

    func isCurrent(_ parameters: ScryptParameters) -> Bool {
        self.parameters == parameters && salt.count == Self.saltLength && digest.count == Self.digestLength
    }

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
