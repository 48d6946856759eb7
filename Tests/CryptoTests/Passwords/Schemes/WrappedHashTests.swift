import Testing

@testable import Crypto

@Suite struct WrappedHashTests {
    private let cheap = ScryptParameters(log2N: 4, blockSize: 1)

    /// Of RFC 1321 (MD5) and FIPS 180-2 (SHA), whose messages are divided here into salt and password; of PyPI's passlib 1.7.4,
    /// `tests/test_handlers_django.py` (salt first) and `tests/test_handlers.py` (LDAP, password first). The last four have three rounds,
    /// and are made by Python's hashlib.
    @Test(arguments: [
        (FastDigest.md5, 0, SaltedDigest.Order.saltFirst, "", "", "d41d8cd98f00b204e9800998ecf8427e"),
        (.md5, 0, .saltFirst, "message ", "digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        (.md5, 1, .passwordFirst, "digest", "message ", "f96b697d7cb7938d525a2f31aaf161d0"),
        (.md5, 1, .saltFirst, "123abcdef", "password", "c8272612932975ee80e8a35995708e80"),
        (.sha1, 1, .passwordFirst, "c", "ab", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (.sha1, 1, .saltFirst, "bcwHF9Hy8lxS", "test", "6b4cfa0651b43161c6f1471ce9523acf1f751ba3"),
        (.sha256, 1, .saltFirst, "", "password", "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8"),
        (.sha256, 1, .saltFirst, "ab", "c", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            .sha512, 1, .passwordFirst, "bc", "a",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
        (.md5, 3, .passwordFirst, "salt", "UnifiedDatabase", "70036836a6a434025128baed4a858e0b"),
        (.sha1, 3, .passwordFirst, "salt", "UnifiedDatabase", "7cdee6d72055e7157c963caf5b57e9880fe8b9cb"),
        (.sha256, 3, .passwordFirst, "salt", "UnifiedDatabase", "72b12c3333f7006a35bccf5eb4c3a6c4098382536e107d54eca7813abbce7b7f"),
        (
            .sha512, 3, .passwordFirst, "salt", "UnifiedDatabase",
            "e67ee5f1237c2c286eeb0a776d4e7dd05966bf3d39eef993e007932507fb1d16689c9955f62999d9ea2c32d443cd3035b455bead68371d895669f30001086c7c"
        ),
    ])
    func `knows the passwords of published digests, stored as bytes or as hexadecimal digits`(
        digest: FastDigest, rounds: Int, order: SaltedDigest.Order, salt: String, password: String, value: String
    ) throws {
        let inner = try SaltedDigest(digest, rounds: rounds, order: order, salt: Array(salt.utf8))
        for stored in [hex(value), Array(value.utf8), Array(value.uppercased().utf8)] {
            let hash = PasswordHash(try WrappedHash(inner, bytes: try inner.bytes(of: stored), cheap))
            #expect(PasswordHash(hash.text) == hash)
            #expect(try hash.matches(password))
            #expect(try !hash.matches(password + "x"))
        }
    }

    /// Of RFC 2202 (MD5, SHA-1) and RFC 4231 (SHA-256, SHA-512), whose message is divided here into salt and password.
    @Test(arguments: [
        (FastDigest.md5, "750c783e6ab0b503eaa86e310a5db738"),
        (.sha1, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
        (.sha256, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        (
            .sha512,
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
        ),
    ])
    func `knows the passwords of published HMACs, in both orders`(digest: FastDigest, value: String) throws {
        let key = try ImportedHashKey(id: "cms", secret: Array("Jefe".utf8))
        for (order, salt, password) in [
            (SaltedDigest.Order.saltFirst, "what do ya want ", "for nothing?"), (.passwordFirst, "for nothing?", "what do ya want "),
        ] {
            let inner = try SaltedDigest(hmac: digest, key: key, order: order, salt: Array(salt.utf8))
            let hash = PasswordHash(try WrappedHash(inner, bytes: try inner.bytes(of: hex(value)), cheap))
            #expect(hash.text.hasPrefix("$wrapped$hmac-\(digest.rawValue)$order=\(order.rawValue),key=cms$"))
            #expect(PasswordHash(hash.text) == hash)
            #expect(try hash.matches(password, ImportedHashKeys([key])))
            #expect(try !hash.matches(salt, ImportedHashKeys([key])))
            #expect(try !hash.matches(password, ImportedHashKeys([try ImportedHashKey(id: "cms", secret: [1])])))
            #expect(throws: CryptoError.missingKey(id: "cms")) { try hash.matches(password) }
        }
    }

    @Test func `stores no part of the digest`() throws {
        let digest = hex("5f4dcc3b5aa765d61d8327deb882cf99")
        let inner = try SaltedDigest(.md5, rounds: 0, order: .saltFirst, salt: [])
        let (first, second) = (
            try WrappedHash(inner, bytes: try inner.bytes(of: digest), cheap),
            try WrappedHash(inner, bytes: try inner.bytes(of: digest), cheap)
        )
        #expect(first.text != second.text)
        #expect(first.text.hasPrefix("$wrapped$md5$order=salt-password,rounds=1$$scrypt$ln=4,r=1,p=1$"))
        #expect(first.digest != digest && first.digest.count == 32 && first.salt.count == 16)
    }

    @Test(arguments: [0, 15, 17, 31, 33, 64]) func `refuses a digest of another length`(count: Int) throws {
        let inner = try SaltedDigest(.md5, rounds: 0, order: .saltFirst, salt: [])
        #expect(
            throws: PasswordHashFault.malformed("the hash has \(count) bytes; md5 has 16, or 32 as hexadecimal digits")
        ) { try WrappedHash(inner, bytes: try inner.bytes(of: [UInt8](repeating: 1, count: count)), cheap) }
    }

    @Test func `refuses a digest of twice the length that is not hexadecimal`() throws {
        let inner = try SaltedDigest(.md5, rounds: 0, order: .saltFirst, salt: [])
        #expect(throws: PasswordHashFault.self) {
            try WrappedHash(inner, bytes: try inner.bytes(of: Array(repeating: UInt8(ascii: "g"), count: 32)), cheap)
        }
    }

    @Test(arguments: [(FastDigest.md5, -1, 0...8192), (.md5, 8193, 0...8192), (.sha1, 0, 1...8192), (.sha512, 8193, 1...8192)])
    func `SEC-57 refuses more rounds than Firebase does`(digest: FastDigest, rounds: Int, allowed: ClosedRange<Int>) {
        #expect(throws: PasswordHashFault.outOfRange("the number of rounds", rounds, allowed)) {
            try SaltedDigest(digest, rounds: rounds, order: .saltFirst, salt: [])
        }
    }

    @Test func `says why it cannot wrap`() throws {
        let inner = try SaltedDigest(.md5, rounds: 0, order: .saltFirst, salt: [])
        let costly = CryptoError.unsupported("scrypt parameters beyond the limits")
        #expect(throws: costly) {
            try WrappedHash(inner, bytes: try inner.bytes(of: [UInt8](repeating: 1, count: 16)), ScryptParameters(log2N: 24))
        }
    }
}
