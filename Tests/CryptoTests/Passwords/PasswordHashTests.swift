import Testing

@testable import Crypto

@Suite struct PasswordHashTests {
    private let cheap = ScryptParameters(log2N: 4, blockSize: 1)

    /// Made by hashlib.scrypt(b"correct horse", salt=bytes(range(16)), n=16, r=1, p=1, dklen=32).
    private let stored = "$scrypt$ln=4,r=1,p=1$AAECAwQFBgcICQoLDA0ODw$GImgYqZBp+6CyTBan5R5E2D0OV9K8vsB41xdKb8+3xQ"

    @Test func `knows the password that a stored hash was made of, and no other`() throws {
        let hash = try #require(PasswordHash(stored))
        #expect(try hash.matches("correct horse"))
        #expect(try !hash.matches("correct hors"))
        #expect(try !hash.matches(""))
    }

    @Test func `reads back what it writes`() throws {
        let hash = try PasswordHash.make(password: "pässword 🔑", cheap)
        #expect(hash.text.hasPrefix("$scrypt$ln=4,r=1,p=1$"))
        #expect(PasswordHash(hash.text) == hash)
        #expect(try hash.matches("pässword 🔑"))
    }

    @Test func `hashes the same password differently each time`() throws {
        #expect(try PasswordHash.make(password: "same", cheap) != PasswordHash.make(password: "same", cheap))
    }

    @Test(arguments: [
        "", "$", "$scrypt$", "password", "$bcrypt$ln=4,r=1,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw",
        "$scrypt$ln=4,r=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw",
        "$scrypt$ln=4,r=1,p=1,q=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw",
        "$scrypt$r=1,ln=4,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw",
        "$scrypt$ln=04,r=1,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw",
        "$scrypt$ln=+4,r=1,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw",
        "$scrypt$ln=4,r=1,p=1$AAECAwQFBgcICQoLDA0ODw==$AAECAwQFBgcICQoLDA0ODw",
        "$scrypt$ln=4,r=1,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw$",
        "$scrypt$ln=4,r=1,p=1$$AAECAwQFBgcICQoLDA0ODw", "$scrypt$ln=4,r=1,p=1$AAECAwQFBgcICQoLDA0ODw$",
        "$scrypt$ln=4,r=1,p=1$AAECAwQFBgcICQoLDA0ODw$AAEC", " $scrypt$ln=4,r=1,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw",
        "$scrypt$ln=4,r=1,p=1$AAECAwQFBgcICQoLDA0OD_$AAECAwQFBgcICQoLDA0ODw",
        "$scrypt$ln=40,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw",
        "$scrypt$ln=14,r=99999999999999999999,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw",
        "$scrypt$ln=4,r=1,p=-1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw",
    ])
    func `reads no text but one it could have written, within its limits`(text: String) {
        #expect(PasswordHash(text) == nil)
    }

    @Test func `says when a hash should be made anew`() throws {
        let hash = try PasswordHash.make(password: "x", cheap)
        #expect(hash.isCurrent(cheap))
        #expect(!hash.isCurrent(ScryptParameters(log2N: 5, blockSize: 1)))
        let short = try #require(PasswordHash("$scrypt$ln=4,r=1,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw"))
        #expect(!short.isCurrent(cheap))
    }

    @Test func `SEC-21 prints nothing of a hash`() throws {
        let hash = try #require(PasswordHash(stored))
        var dumped = ""
        dump(hash, to: &dumped)
        for text in ["\(hash)", String(reflecting: hash), "\([hash])", dumped] { #expect(!text.contains("AAEC")) }
    }
}
