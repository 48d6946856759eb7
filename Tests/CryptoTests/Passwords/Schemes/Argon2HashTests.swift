import Testing

@testable import Crypto

@Suite struct Argon2HashTests {
    /// Of the reference implementation, `src/test.c` (<https://github.com/P-H-C/phc-winner-argon2>), and of PyPI's passlib 1.7.4,
    /// `tests/test_handlers_argon2.py`.
    @Test(arguments: [
        ("password", "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"),
        ("password", "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc"),
        ("password", "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"),
        ("password", "$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8"),
        ("password", "$argon2id$v=19$m=65536,t=2,p=4$c29tZXNhbHQ$GpZ3sK/oH9p7VIiV56G/64Zo/8GaUw434IimaPqxwCo"),
        ("password", "$argon2i$v=19$m=256,t=1,p=1$c29tZXNhbHQ$AJFIsNZTMKTAewB4+ETN1A"),
        ("password", "$argon2i$v=19$m=380,t=2,p=2$c29tZXNhbHQ$SrssP8n7m/12VWPM8dvNrw"),
        ("password\0", "$argon2i$v=19$m=512,t=2,p=2$c29tZXNhbHQ$Fb5+nPuLzZvtqKRwqUEtUQ"),
    ])
    func `knows the passwords of the reference vectors`(password: String, text: String) throws {
        let hash = try #require(PasswordHash(text))
        #expect(try hash.matches(password))
        #expect(try !hash.matches("Password"))
        #expect(try !hash.matches(password + "\0"))
    }

    @Test func `writes what an import has as the usual text`() throws {
        let hash = PasswordHash(
            try Argon2Hash(
                .argon2id, memory: 256, iterations: 2, parallelism: 1, salt: Array("somesalt".utf8),
                digest: hex("9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe")))
        #expect(hash.text == "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4")
        #expect(try hash.matches("password"))
    }

    @Test(arguments: [
        (7, 1, 1, PasswordHashFault.outOfRange("the memory of argon2 in KiB", 7, 8...262_144)),
        (127, 1, 16, .outOfRange("the memory of argon2 in KiB", 127, 128...262_144)),
        (262_145, 1, 1, .outOfRange("the memory of argon2 in KiB", 262_145, 8...262_144)),
        (Int.max, 1, 1, .outOfRange("the memory of argon2 in KiB", .max, 8...262_144)),
        (64, 21, 1, .outOfRange("the number of iterations of argon2", 21, 1...20)),
        (64, 0, 1, .outOfRange("the number of iterations of argon2", 0, 1...20)),
        (1024, 1, 17, .outOfRange("the parallelism of argon2", 17, 1...16)),
        (1024, 1, 0, .outOfRange("the parallelism of argon2", 0, 1...16)),
    ])
    func `SEC-57 refuses a cost beyond the limits`(memory: Int, iterations: Int, parallelism: Int, fault: PasswordHashFault) {
        let bytes = [UInt8](repeating: 1, count: 16)
        #expect(throws: fault) {
            try Argon2Hash(.argon2id, memory: memory, iterations: iterations, parallelism: parallelism, salt: bytes, digest: bytes)
        }
    }

    @Test func `SEC-57 refuses a cost whose parts are within the limits`() throws {
        let bytes = [UInt8](repeating: 1, count: 16)
        _ = try Argon2Hash(.argon2id, memory: 256 << 10, iterations: 4, parallelism: 16, salt: bytes, digest: bytes)
        #expect(throws: PasswordHashFault.self) {
            try Argon2Hash(.argon2id, memory: 256 << 10, iterations: 5, parallelism: 16, salt: bytes, digest: bytes)
        }
    }
}
