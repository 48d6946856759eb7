import Testing

@testable import Crypto

@Suite struct PBKDF2HashTests {
    /// Of RFC 6070 (SHA-1), RFC 7914, section 11 (SHA-256), and of fastpbkdf2's `testdata.py` in PyPI's passlib 1.7.4,
    /// `tests/test_crypto_digest.py` (SHA-256 and SHA-512).
    @Test(arguments: [
        (FastDigest.sha1, "password", "salt", 1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
        (.sha1, "password", "salt", 2, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
        (.sha1, "password", "salt", 4096, "4b007901b765489abead49d926f721d065a429c1"),
        (
            .sha1, "passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", 4096,
            "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"
        ),
        (.sha1, "pass\0word", "sa\0lt", 4096, "56fa6aa75548099dcc37d7f03425e0c3"),
        (
            .sha256, "passwd", "salt", 1,
            "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
                + "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"
        ),
        (
            .sha256, "Password", "NaCl", 80000,
            "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56"
                + "a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d"
        ),
        (.sha256, "password", "", 1024, "ea5808411eb0c7e830deab55096cee582761e22a9bc034e3ece925225b07bf46"),
        (.sha256, "pass\0word", "sa\0lt", 4096, "89b69d0516f829893c696226650a8687"),
        (.sha512, "password", "salt", 1, "867f70cf1ade02cff3752599a3a53dc4af34c7a669815ae5d513554e1c8cf252"),
        (.sha512, "password", "salt", 4096, "d197b1b33db0143e018b12f3d1d1479e6cdebdcc97c5c0f87f6902e072f457b5"),
        (
            .sha512, "passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", 1,
            "6e23f27638084b0f7ea1734e0d9841f55dd29ea60a834466f3396bac801fac1eeb"
                + "63802f03a0b4acd7603e3699c8b74437be83ff01ad7f55dac1ef60f4d56480c35ee68fd52c6936"
        ),
    ])
    func `knows the passwords of the vectors of the RFCs`(
        function: FastDigest, password: String, salt: String, iterations: Int, digest: String
    ) throws {
        let hash = PasswordHash(try PBKDF2Hash(function, iterations: iterations, salt: Array(salt.utf8), digest: hex(digest)))
        #expect(hash.text.hasPrefix("$pbkdf2-\(function.rawValue)$i=\(iterations)$"))
        #expect(PasswordHash(hash.text) == hash)
        #expect(try hash.matches(password))
        #expect(try !hash.matches("passwore"))
    }

    @Test func `derives as many bytes as are stored`() throws {
        let digest = hex("55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc")
        for count in [16, 20, 32] {
            #expect(
                try PBKDF2Hash(.sha256, iterations: 1, salt: Array("salt".utf8), digest: Array(digest.prefix(count)))
                    .matches(Array("passwd".utf8), .none))
        }
    }

    @Test(arguments: [
        (FastDigest.sha1, 20, 6_000_000), (.sha1, 21, 3_000_000), (.sha1, 64, 1_500_000),
        (.sha256, 32, 6_000_000), (.sha256, 64, 3_000_000), (.sha512, 64, 3_000_000),
    ])
    func `SEC-57 refuses more work than a few seconds`(function: FastDigest, length: Int, most: Int) throws {
        func hash(_ iterations: Int) throws(PasswordHashFault) -> PBKDF2Hash {
            try PBKDF2Hash(function, iterations: iterations, salt: [], digest: [UInt8](repeating: 1, count: length))
        }
        _ = try hash(most)
        for iterations in [0, most + 1, Int.max] {
            let fault = PasswordHashFault.outOfRange("the number of iterations of PBKDF2", iterations, 1...most)
            #expect(throws: fault) { try hash(iterations) }
        }
    }

    @Test func `refuses MD5`() {
        #expect(throws: PasswordHashFault.unsupported("PBKDF2 with md5 is not supported")) {
            try PBKDF2Hash(.md5, iterations: 1, salt: [], digest: [UInt8](repeating: 1, count: 16))
        }
    }
}
