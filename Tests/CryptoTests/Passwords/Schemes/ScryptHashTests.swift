import Testing

@testable import Crypto

/// Known answers of RFC 7914, section 12, those within the memory we allow.
@Suite struct ScryptHashTests {
    private func derive(_ password: String, _ salt: String, _ parameters: ScryptParameters) throws -> [UInt8] {
        try ScryptHash.derive(password: Array(password.utf8), salt: Array(salt.utf8), parameters, length: 64)
    }

    @Test func `derives the first vector of RFC 7914, with neither password nor salt`() throws {
        #expect(
            try derive("", "", ScryptParameters(log2N: 4, blockSize: 1, parallelization: 1))
                == hex(
                    """
                    77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442
                    fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906
                    """))
    }

    @Test func `derives the second vector of RFC 7914, in sixteen lanes`() throws {
        #expect(
            try derive("password", "NaCl", ScryptParameters(log2N: 10, blockSize: 8, parallelization: 16))
                == hex(
                    """
                    fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162
                    2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640
                    """))
    }

    @Test func `derives the third vector of RFC 7914, with our parameters`() throws {
        #expect(
            try derive("pleaseletmein", "SodiumChloride", ScryptParameters())
                == hex(
                    """
                    7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2
                    d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887
                    """))
    }

    @Test func `refuses what would take more memory or time than a sign-in may`() {
        #expect(ScryptParameters().areAcceptable)
        #expect(ScryptParameters(log2N: 18, blockSize: 8).areAcceptable)
        for parameters in [
            ScryptParameters(log2N: 19, blockSize: 8), ScryptParameters(log2N: 63), ScryptParameters(log2N: 0),
            ScryptParameters(blockSize: 0),
            ScryptParameters(log2N: 18, parallelization: 16), ScryptParameters(parallelization: 0),
            ScryptParameters(log2N: 16, blockSize: 1),
        ] {
            #expect(!parameters.areAcceptable)
            #expect(throws: CryptoError.self) { try derive("password", "salt", parameters) }
        }
    }
}
