import Runtime
import Testing

@testable import Crypto

@Suite struct CertificateTests {
    static let name = "securetoken.example.com"

    static func certificate(_ key: PrivateKey, serial: [UInt8] = [0x7F, 2, 3]) throws(CryptoError) -> String {
        try Certificate.selfSigned(
            key: key, commonName: name, notBefore: Instant(seconds: 1_700_000_000), notAfter: Instant(seconds: 1_700_086_400),
            serial: serial)
    }

    /// The elements of a DER sequence, each with its content and as a whole.
    static func elements(_ der: [UInt8]) throws -> [(content: [UInt8], whole: [UInt8])] {
        var elements: [(content: [UInt8], whole: [UInt8])] = []
        var position = 0
        while position < der.count {
            let start = position
            var length = Int(der[position + 1])
            position += 2
            if length > 0x80 {
                let digits = length - 0x80
                length = der[position..<position + digits].reduce(0) { $0 << 8 | Int($1) }
                position += digits
            }
            try #require(position + length <= der.count)
            elements.append((Array(der[position..<position + length]), Array(der[start..<position + length])))
            position += length
        }
        return elements
    }

    @Test(arguments: [(KeyAlgorithm.p256, SignatureScheme.es256), (.rsa(), .rs256), (.ed25519, .edDSA)])
    func `signs its own name and key`(algorithm: KeyAlgorithm, scheme: SignatureScheme) throws {
        let key = try PrivateKey.generate(algorithm)
        let lines = try Self.certificate(key).split(separator: "\n")
        #expect(lines.first == "-----BEGIN CERTIFICATE-----" && lines.last == "-----END CERTIFICATE-----")
        let der = try #require(Base64.decode(lines.dropFirst().dropLast().joined()))
        let parts = try Self.elements(Self.elements(der)[0].content)
        try #require(parts.count == 3)
        let signed = try Self.elements(parts[0].content)
        #expect(signed[0].whole == [0xA0, 3, 2, 1, 2], "version 3")
        #expect(signed[1].whole == [2, 3, 0x7F, 2, 3])
        #expect(signed[3].whole == signed[5].whole, "issuer and subject")
        #expect(String(decoding: signed[5].content, as: UTF8.self).hasSuffix(Self.name))
        let times = try Self.elements(signed[4].content).map { String(decoding: $0.content, as: UTF8.self) }
        #expect(times == ["231114221320Z", "231115221320Z"])
        #expect(signed[6].whole == key.publicKey.der)
        // A bit string begins with the number of bits to ignore.
        var signature = Array(parts[2].content.dropFirst())
        if scheme == .es256 { signature = try #require(ECDSASignature.raw(der: signature)) }
        #expect(key.publicKey.verify(signature, of: parts[0].whole, scheme))
    }

    @Test(arguments: [[], [0], [0, 0], [UInt8](repeating: 0x80, count: 20), [UInt8](repeating: 1, count: 21)] as [[UInt8]])
    func `refuses a serial number that is zero or too long`(serial: [UInt8]) throws {
        let key = try PrivateKey.generate(.p256)
        #expect(throws: CryptoError.self) { try Self.certificate(key, serial: serial) }
    }

    @Test func `writes a serial number with its top bit set as a positive number`() throws {
        let text = try Self.certificate(PrivateKey.generate(.p256), serial: [0xFF, 1])
        let der = try #require(Base64.decode(text.split(separator: "\n").dropFirst().dropLast().joined()))
        let signed = try Self.elements(Self.elements(Self.elements(der)[0].content)[0].content)
        #expect(signed[1].whole == [2, 3, 0, 0xFF, 1])
    }

    @Test func `refuses a name that is too long for X 509`() throws {
        let key = try PrivateKey.generate(.p256)
        #expect(throws: CryptoError.self) {
            try Certificate.selfSigned(
                key: key, commonName: String(repeating: "n", count: 65), notBefore: Instant(seconds: 0), notAfter: Instant(seconds: 1),
                serial: [1])
        }
    }
}
