import Testing

@testable import Crypto

@Suite struct KeyTests {
    @Test(arguments: [
        (KeyAlgorithm.p256, [SignatureScheme.es256], 64), (.ed25519, [.edDSA], 64), (.rsa(), [.rs256, .rs384, .rs512, .ps256], 256),
    ])
    func `signs, verifies, and survives being written and read`(algorithm: KeyAlgorithm, schemes: [SignatureScheme], length: Int) throws {
        let key = try PrivateKey.generate(algorithm)
        let copy = try PrivateKey(der: key.der)
        let public1 = try PublicKey(key.publicKey.components)
        #expect(copy.publicKey.components == key.publicKey.components)
        #expect(copy.der == key.der)
        let message = Array("one message".utf8)
        for scheme in SignatureScheme.allCases {
            guard schemes.contains(scheme) else {
                #expect(throws: CryptoError.self) { try key.sign(message, scheme) }
                #expect(!key.publicKey.verify([UInt8](repeating: 1, count: length), of: message, scheme))
                continue
            }
            for round in 0..<3 {
                let signature = try copy.sign(message, scheme)
                #expect(signature.count == length)
                #expect(public1.verify(signature, of: message, scheme), "\(scheme) round \(round)")
                #expect(!public1.verify(signature, of: Array("another message".utf8), scheme))
                var altered = signature
                altered[length / 2] ^= 1
                #expect(!public1.verify(altered, of: message, scheme))
                for wrong in [[], Array(signature.dropLast()), signature + [0], [0] + signature] {
                    #expect(!public1.verify(wrong, of: message, scheme))
                }
                for other in SignatureScheme.allCases where other != scheme { #expect(!public1.verify(signature, of: message, other)) }
            }
        }
    }

    @Test func `signs and verifies from many threads at once`() async throws {
        let key = try PrivateKey.generate(.p256)
        let verified = try await withThrowingTaskGroup(of: Bool.self) { group in
            for task in 0..<32 {
                group.addTask { @concurrent in
                    let message = Array("message \(task)".utf8)
                    return try key.publicKey.verify(key.sign(message, .es256), of: message, .es256)
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(verified == 32)
    }

    /// RFC 8032 §7.1, tests 1 and 3.
    @Test(arguments: [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            """
            e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b
            """
        ),
        (
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
            """
            6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a
            """
        ),
    ])
    func `signs with Ed25519 as RFC 8032 says`(seed: String, public: String, message: String, signature: String) throws {
        // PKCS #8 of an Ed25519 key is this prefix and the seed (RFC 8410 §7).
        let key = try PrivateKey(der: hex("302e020100300506032b657004220420" + seed))
        #expect(key.publicKey.components == .ed25519(hex(`public`)))
        #expect(try key.sign(hex(message), .edDSA) == hex(signature))
        #expect(try PublicKey(ed25519: hex(`public`)).verify(hex(signature), of: hex(message), .edDSA))
    }

    @Test func `says its size and writes itself as PEM`() throws {
        let key = try PrivateKey.generate(.p256).publicKey
        #expect(key.bits == 256)
        let lines = key.pem.split(separator: "\n")
        #expect(lines.first == "-----BEGIN PUBLIC KEY-----" && lines.last == "-----END PUBLIC KEY-----")
        #expect(lines.allSatisfy { $0.count <= 64 })
        #expect(Base64.decode(lines.dropFirst().dropLast().joined()) == key.der)
    }

    @Test func `a private key is read from PEM, with whatever stands around it`() throws {
        let key = try PrivateKey.generate(.p256)
        for text in [key.pem, "Bag Attributes\n    friendlyName: key\n" + key.pem, key.pem.replacing("\n", with: "\r\n") + "\n\n"] {
            #expect(try PrivateKey(pem: text).der == key.der)
        }
        let lines = key.pem.split(separator: "\n", omittingEmptySubsequences: false)
        let encrypted = key.pem.replacing("PRIVATE KEY", with: "ENCRYPTED PRIVATE KEY")
        for text in [
            "", lines.dropFirst().joined(separator: "\n"), lines.dropLast(2).joined(separator: "\n"), encrypted, key.publicKey.pem,
        ] {
            #expect(throws: CryptoError.malformedKey("not a PKCS #8 private key as PEM")) { try PrivateKey(pem: text) }
        }
        #expect(throws: CryptoError.malformedKey("not a PKCS #8 private key as PEM")) {
            try PrivateKey(pem: key.pem.replacing("M", with: "!"))
        }
    }

    @Test func `SEC-21 a private key prints nothing of itself`() throws {
        let key = try PrivateKey.generate(.ed25519)
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == "<private key>" && String(reflecting: key) == "<private key>")
        #expect(dumped == "- <private key>\n" || dumped.contains("<private key>") && !dumped.contains("handle"))
    }

    @Test func `a certificate is found by its thumbprint, beside its key`() throws {
        let key = try PrivateKey.generate(.p256)
        let certificate = try CertificateTests.certificate(key)
        #expect(try PrivateKey(pem: certificate + key.pem).der == key.der)
        #expect(try Certificate.thumbprint(pem: key.pem, of: key) == nil)
        #expect(try Certificate.thumbprint(pem: key.pem + certificate, of: key)?.count == 32)
        #expect(throws: CryptoError.malformedKey("a certificate of another key")) {
            try Certificate.thumbprint(pem: certificate, of: try PrivateKey.generate(.p256))
        }
        let broken = certificate.split(separator: "\n").enumerated().map { $0 == 1 ? "AAAA" : String($1) }.joined(separator: "\n")
        #expect(throws: CryptoError.malformedKey("not an X.509 certificate")) { try Certificate.thumbprint(pem: broken, of: key) }
    }
}
