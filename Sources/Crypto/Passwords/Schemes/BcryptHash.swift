import CCrypt
import Runtime

/// A password hashed by bcrypt, as `$2b$10$salthash`, computed by libcrypt. <https://man7.org/linux/man-pages/man5/crypt.5.html>
///
/// Only the first 72 bytes of a password count. `$2x$`, the mark of hashes that a faulty program made, is not supported.
package struct BcryptHash: PasswordScheme {
    package static let identifiers = ["2a", "2b", "2y"]

    /// Names the variant: one of `identifiers`.
    package let identifier: String
    /// The cost as a power of two.
    package let log2Rounds: Int
    /// 22 characters of salt and 31 of the hash, in bcrypt's own base64.
    private let value: [UInt8]

    private static let digits = Array("./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    private static let saltLength = 22
    private static let valueLength = 53
    private static let longestPassword = 72

    package init(identifier: String, fields: [Substring]) throws(PasswordHashFault) {
        try PHCFields.count(fields, is: 2)
        guard fields[0].utf8.count == 2 else { throw .malformed("the cost of bcrypt must have two digits") }
        log2Rounds = try PHCFields.number(String(fields[0]))
        try PasswordHashFault.check("the cost of bcrypt", log2Rounds, in: 4...14)
        var value = fields[1].utf8.compactMap { Self.digits.firstIndex(of: $0) }
        guard value.count == Self.valueLength, fields[1].utf8.count == Self.valueLength else {
            throw .malformed("a bcrypt hash must have \(Self.valueLength) characters of salt and hash behind its cost")
        }
        // The salt has 128 bits and the hash 184, so the last four and two bits of their digits mean nothing. Some programs set them.
        value[Self.saltLength - 1] &= 0b110000
        value[Self.valueLength - 1] &= 0b111100
        self.value = value.map { Self.digits[$0] }
        self.identifier = identifier
    }

    package var text: String {
        "$\(identifier)$\(log2Rounds < 10 ? "0" : "")\(log2Rounds)$" + String(decoding: value, as: UTF8.self)
    }

    /// Empty: in other systems, the salt is a part of the hash's text.
    package var salt: [UInt8] { [] }
    /// The whole text, as other systems have it.
    package var digest: [UInt8] { Array(text.utf8) }

    package func matches(_ password: [UInt8], _ keys: ImportedHashKeys) throws(CryptoError) -> Bool {
        // libcrypt takes a C string. So that nothing behind a zero byte is ignored, no password with one matches, at the usual cost.
        let isPossible = !password.contains(0)
        let phrase = isPossible ? Array(password.prefix(Self.longestPassword)) : []
        return constantTimeEqual(digest, try Self.crypt(phrase, text)) && isPossible
    }

    /// - Parameter phrase: without a zero byte.
    private static func crypt(_ phrase: [UInt8], _ setting: String) throws(CryptoError) -> [UInt8] {
        let work = UnsafeMutableRawBufferPointer.allocate(byteCount: MemoryLayout<crypt_data>.size, alignment: 16)
        work.initializeMemory(as: UInt8.self, repeating: 0)
        defer { work.deallocate() }
        let phrase = phrase.map(CChar.init(bitPattern:)) + [0]
        guard let output = crypt_rn(phrase, setting, work.baseAddress, Int32(work.count)) else {
            throw .library(call: "crypt_rn", reason: "bcrypt is not available")
        }
        return Array(String(cString: output).utf8)
    }
}
