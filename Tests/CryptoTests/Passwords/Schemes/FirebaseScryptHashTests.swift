import Testing

@testable import Crypto

@Suite struct FirebaseScryptHashTests {
    /// The vector that Firebase publishes: <https://github.com/firebase/scrypt#password-hashing>.
    private static let published =
        "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="

    private func published() throws -> PasswordHash {
        PasswordHash(
            try FirebaseScryptHash(
                memoryCost: 14, rounds: 8, key: .sample(), salt: try #require(Base64.decode("42xEC+ixf3L2lw==")),
                digest: try #require(Base64.decode(Self.published))))
    }

    @Test func `knows the password of the vector that Firebase publishes, and no other`() throws {
        let (hash, keys) = (try published(), ImportedHashKeys([try .sample()]))
        #expect(
            hash.text
                == "$firebase-scrypt$ln=14,r=8,key=main$42xEC+ixf3L2lw"
                + "$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ")
        #expect(PasswordHash(hash.text) == hash)
        #expect(try hash.matches("user1password", keys))
        #expect(try !hash.matches("user1Password", keys))
    }

    @Test func `knows no password by another signer key or another salt separator`() throws {
        let (hash, key) = (try published(), try ImportedHashKey.sample())
        let separator = try ImportedHashKey(id: "main", secret: key.secret, saltSeparator: [])
        let signer = try ImportedHashKey(id: "main", secret: key.secret.reversed(), saltSeparator: key.saltSeparator)
        for wrong in [separator, signer] { #expect(try !hash.matches("user1password", ImportedHashKeys([wrong]))) }
    }

    @Test func `takes the key that its hash names, and says when there is none`() throws {
        let hash = try published()
        let other = try ImportedHashKey(id: "other", secret: [1])
        #expect(try hash.matches("user1password", ImportedHashKeys([other, try .sample()])))
        for keys in [.none, ImportedHashKeys([other])] {
            #expect(throws: CryptoError.missingKey(id: "main")) { try hash.matches("user1password", keys) }
        }
    }

    @Test func `says what is wrong with the parameters of an import`() throws {
        let key = try ImportedHashKey.sample()
        let text = try ImportedHashKey(id: "main", secret: Array(Base64.encode(key.secret).utf8))
        func fault(memoryCost: Int = 14, rounds: Int = 8, key: ImportedHashKey, salt: Int = 10, digest: Int = 64) -> PasswordHashFault? {
            let bytes = { [UInt8](repeating: 1, count: $0) }
            return #expect(throws: PasswordHashFault.self) {
                try FirebaseScryptHash(memoryCost: memoryCost, rounds: rounds, key: key, salt: bytes(salt), digest: bytes(digest))
            }
        }
        #expect(fault(memoryCost: 8, rounds: 14, key: key) == .outOfRange("the number of rounds", 14, 1...8))
        #expect(fault(memoryCost: 15, key: key) == .outOfRange("the memory cost", 15, 1...14))
        #expect(fault(key: key, salt: 0) == .outOfRange("the length of the salt in bytes", 0, 1...128))
        let wrong = [fault(key: text), fault(key: key, digest: 32)].map { $0?.description ?? "" }
        #expect(wrong[0].contains("the hash has 64 bytes and the signer key 88"))
        #expect(wrong[1].contains("the hash has 32 bytes and the signer key 64"))
    }
}
