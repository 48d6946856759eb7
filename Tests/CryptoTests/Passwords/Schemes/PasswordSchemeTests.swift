import Testing

@testable import Crypto

/// What holds for every scheme of other systems.
@Suite struct PasswordSchemeTests {
    private static let long = String(repeating: "x", count: 100)

    /// Passwords and their stored hashes, made by Python: `hashlib` (scrypt, PBKDF2, SHA-256), `hmac`, PyPI's argon2-cffi 25.1.0, and
    /// `openssl enc -aes-256-ctr`.
    private static let stored = [
        (
            "",
            "$firebase-scrypt$ln=4,r=1,key=main$AAECAwQFBgcICQ"
                + "$Whfq6Dkzbu17ZLWuZ8XFgPsHdvn3d1JDtSfbir6QV2DAB78NCYQfu0JWC9f78n7ViANCsvqGC7LI1S/ymCRCmg"
        ),
        (
            "a\0b",
            "$firebase-scrypt$ln=4,r=1,key=main$AAECAwQFBgcICQ"
                + "$t4mTbYQLNDFZGbwZptqjrUAMa+3034ctChS/FNSatQDb4Z2p80MVi0b7EITLmFViLCZdkRbZdGlZm01UDEGYEQ"
        ),
        (
            long,
            "$firebase-scrypt$ln=4,r=1,key=main$AAECAwQFBgcICQ"
                + "$yQImWS5pLYVxQbuYiETWMV9pyZDSXVhVo1UlHcBSIblph+L7bFVRarUVePURmVKPmFHO0rSd3F4PDUa9/KEMUg"
        ),
        ("", "$argon2id$v=19$m=8,t=1,p=1$AAECAwQFBgcICQoLDA0ODw$NYWCMKFvh/7Sspg4wf4t9g"),
        ("a\0b", "$argon2id$v=19$m=8,t=1,p=1$AAECAwQFBgcICQoLDA0ODw$hcEfXB7A/RkFeu8AnZJeJA"),
        (long, "$argon2id$v=19$m=8,t=1,p=1$AAECAwQFBgcICQoLDA0ODw$sYgRlCDC0LB1kU70Jkym9w"),
        ("pässword 🔑", "$argon2id$v=19$m=8,t=1,p=1$AAECAwQFBgcICQoLDA0ODw$A+jN/S9Kk7BckFXQbFoGsQ"),
        ("", "$pbkdf2-sha1$i=3$AAECAwQFBgcICQoLDA0ODw$v88TW2spg1LGQj7TQDwMSgZDB4g"),
        (
            "a\0b",
            "$pbkdf2-sha256$i=3$AAECAwQFBgcICQoLDA0ODw"
                + "$4cvYun+Nab1PN/PiECAUnftu+zmiDHGo1E82dYpL9cyPXC08n4YUNxs/hxc8RfHAV9lmf+L1DXzup1v9pUtylA"
        ),
        (
            long,
            "$pbkdf2-sha512$i=3$AAECAwQFBgcICQoLDA0ODw"
                + "$29Enj8AOJ467zG6hGJas1qMTHSmsqmnpdkrAp5IetaTxXKPD5dc9C9F10PFgO8DoYFWGnD//BhK8wL2GTiKzMQ"
        ),
        (
            "",
            "$wrapped$sha256$order=salt-password,rounds=3$c2FsdA"
                + "$scrypt$ln=4,r=1,p=1$AAECAwQFBgcICQoLDA0ODw$SRpeTp6lbZQlfCU60jjQiRbLkURGor7K638uYuo3UAo"
        ),
        (
            "a\0b",
            "$wrapped$sha256$order=salt-password,rounds=3$c2FsdA"
                + "$scrypt$ln=4,r=1,p=1$AAECAwQFBgcICQoLDA0ODw$anS/kPjJfycb6Xd5fDRtny2fE2mO+0IQa/B63ey8kNE"
        ),
        (
            long,
            "$wrapped$hmac-sha256$order=password-salt,key=main$c2FsdA"
                + "$scrypt$ln=4,r=1,p=1$AAECAwQFBgcICQoLDA0ODw$x4IzoG5UKC7XwNzVDEK1+z1JB1If2xXrmfO/Z30mYlw"
        ),
        ("U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
    ]

    @Test(arguments: stored) func `knows a password by its stored hash, and no other`(password: String, text: String) throws {
        let (hash, keys) = (try #require(PasswordHash(text)), ImportedHashKeys([try .sample()]))
        #expect(hash.text == text)
        #expect(try hash.matches(password, keys))
        for wrong in [password + "x", "x" + password, "wrong"] { #expect(try !hash.matches(wrong, keys)) }
        #expect(try password.isEmpty || !hash.matches("", keys))
    }

    @Test(arguments: stored) func `is never current, and never checked on a loop`(password: String, text: String) throws {
        let hash = try #require(PasswordHash(text))
        #expect(!hash.isCurrent(ScryptParameters(log2N: 4, blockSize: 1)))
        #expect(!hash.isCurrent(ScryptParameters()))
        #expect(!hash.isQuick)
    }

    @Test(arguments: stored) func `SEC-21 prints nothing of a hash`(password: String, text: String) throws {
        let hash = try #require(PasswordHash(text))
        let secret = String(text.suffix(10))
        for value in [hash, hash.scheme] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for shown in ["\(value)", String(reflecting: value), "\([value])", dumped] { #expect(!shown.contains(secret)) }
        }
    }

    @Test func `SEC-21 prints nothing of a key`() throws {
        let key = try ImportedHashKey(id: "main", secret: Array("jxspr8Ki".utf8), saltSeparator: [107])
        for value in [key, ImportedHashKeys([key])] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for shown in ["\(value)", String(reflecting: value), "\([value])", dumped] { #expect(!shown.contains("10")) }
        }
    }

    private static let (salt, hash) = ("AAECAwQFBgcICQoLDA0ODw", "AAECAwQFBgcICQoLDA0ODw")
    private static let bcrypt = "CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"

    @Test(arguments: [
        "$firebase-scrypt$ln=14,r=8$\(salt)$\(hash)", "$firebase-scrypt$ln=14,r=8,key=$\(salt)$\(hash)",
        "$firebase-scrypt$ln=14,r=8,key=a b$\(salt)$\(hash)", "$firebase-scrypt$ln=14,r=8,key=a,p=1$\(salt)$\(hash)",
        "$firebase-scrypt$ln=14,r=8,key=a/b$\(salt)$\(hash)", "$firebase-scrypt$ln=14,r=8,key=\u{212A}$\(salt)$\(hash)",
        "$firebase-scrypt$ln=15,r=8,key=main$\(salt)$\(hash)", "$firebase-scrypt$ln=8,r=14,key=main$\(salt)$\(hash)",
        "$firebase-scrypt$ln=014,r=8,key=main$\(salt)$\(hash)", "$firebase-scrypt$ln=14,r=8,key=main$$\(hash)",
        "$firebase-scrypt$ln=14,r=8,key=main$\(salt)$AAEC", "$firebase-scrypt$ln=14,r=8,key=main$\(salt)",
        "$firebase-scrypt$r=8,ln=14,key=main$\(salt)$\(hash)", "$firebase-scrypt$ln=14,r=8,key=main$\(salt)$\(hash)$",
        "$2a$5$\(bcrypt)", "$2a$005$\(bcrypt)", "$2a$+5$\(bcrypt)", "$2a$03$\(bcrypt)", "$2a$15$\(bcrypt)", "$2a$31$\(bcrypt)",
        "$2a$99$\(bcrypt)", "$2a$ 5$\(bcrypt)", "$2x$05$\(bcrypt)", "$2$05$\(bcrypt)", "$2a$05$", "$2a$05$\(bcrypt)x",
        "$2a$05$\(bcrypt.dropLast())",
        "$2a$05$\(bcrypt.dropLast())+", "$2a$05$\(bcrypt)$", "$2a$05\(bcrypt)", "2a$05$\(bcrypt)", "$1$salt$hash", "$6$salt$hash",
        "$argon2d$v=19$m=256,t=2,p=1$\(salt)$\(hash)", "$argon2$v=19$m=256,t=2,p=1$\(salt)$\(hash)",
        "$argon2id$m=256,t=2,p=1$\(salt)$\(hash)", "$argon2id$v=16$m=256,t=2,p=1$\(salt)$\(hash)",
        "$argon2id$v=19$m=256,t=2$\(salt)$\(hash)", "$argon2id$v=19$t=2,m=256,p=1$\(salt)$\(hash)",
        "$argon2id$v=19$m=256,t=2,p=1,data=AAEC$\(salt)$\(hash)", "$argon2id$v=19$m=0256,t=2,p=1$\(salt)$\(hash)",
        "$argon2id$v=19$m=7,t=2,p=1$\(salt)$\(hash)", "$argon2id$v=19$m=262145,t=2,p=1$\(salt)$\(hash)",
        "$argon2id$v=19$m=4294967552,t=2,p=1$\(salt)$\(hash)", "$argon2id$v=19$m=-256,t=2,p=1$\(salt)$\(hash)",
        "$argon2id$v=19$m=99999999999999999999,t=2,p=1$\(salt)$\(hash)", "$argon2id$v=19$m=256,t=21,p=1$\(salt)$\(hash)",
        "$argon2id$v=19$m=256,t=2,p=17$\(salt)$\(hash)", "$argon2id$v=19$m=262144,t=5,p=1$\(salt)$\(hash)",
        "$argon2id$v=19$m=256,t=2,p=1$AAEC$\(hash)", "$argon2id$v=19$m=256,t=2,p=1$\(salt)$AAEC",
        "$argon2id$v=19$m=256,t=2,p=1$\(salt)==$\(hash)", "$argon2id$v=19$m=256,t=2,p=1$\(salt)$\(hash)$",
        "$pbkdf2$i=1000$\(salt)$\(hash)", "$pbkdf2-md5$i=1000$\(salt)$\(hash)", "$pbkdf2-sha384$i=1000$\(salt)$\(hash)",
        "$pbkdf2-sha256$1000$\(salt)$\(hash)", "$pbkdf2-sha256$i=0$\(salt)$\(hash)", "$pbkdf2-sha256$i=6000001$\(salt)$\(hash)",
        "$pbkdf2-sha256$i=01$\(salt)$\(hash)", "$pbkdf2-sha256$i=4294967297$\(salt)$\(hash)", "$pbkdf2-sha256$i=1,l=16$\(salt)$\(hash)",
        "$pbkdf2-sha256$i=1$\(salt)$AAEC", "$pbkdf2-sha256$i=1$\(salt)$", "$pbkdf2-sha256$i=1$\(salt)",
        "$wrapped$sha256$order=salt-password,rounds=1$\(salt)",
        "$wrapped$sha256$order=salt-password,rounds=1$\(salt)$scrypt$\(salt)$\(hash)",
        "$wrapped$sha256$order=salt-password,rounds=1$\(salt)$pbkdf2-sha256$ln=4,r=1,p=1$\(salt)$\(hash)",
        "$wrapped$sha256$order=salt-password,rounds=1$\(salt)$wrapped$ln=4,r=1,p=1$\(salt)$\(hash)",
        "$wrapped$sha256$order=salt-password,rounds=8193$\(salt)$scrypt$ln=4,r=1,p=1$\(salt)$\(hash)",
        "$wrapped$sha256$order=salt-password,rounds=0$\(salt)$scrypt$ln=4,r=1,p=1$\(salt)$\(hash)",
        "$wrapped$md5$order=salt-password,rounds=0$\(salt)$scrypt$ln=4,r=1,p=1$\(salt)$\(hash)",
        "$wrapped$sha256$order=both,rounds=1$\(salt)$scrypt$ln=4,r=1,p=1$\(salt)$\(hash)",
        "$wrapped$sha384$order=salt-password,rounds=1$\(salt)$scrypt$ln=4,r=1,p=1$\(salt)$\(hash)",
        "$wrapped$hmac-sha256$order=salt-password,rounds=1$\(salt)$scrypt$ln=4,r=1,p=1$\(salt)$\(hash)",
        "$wrapped$hmac-sha256$order=salt-password,key=$\(salt)$scrypt$ln=4,r=1,p=1$\(salt)$\(hash)",
        "$wrapped$sha256$order=salt-password,key=main$\(salt)$scrypt$ln=4,r=1,p=1$\(salt)$\(hash)",
        "$wrapped$sha256$order=salt-password,rounds=1$\(salt)$scrypt$ln=24,r=8,p=1$\(salt)$\(hash)",
    ])
    func `SEC-57 reads no text but one it could have written, within its limits`(text: String) {
        #expect(PasswordHash(text) == nil)
    }

    @Test(arguments: stored.filter { $0.0.isEmpty || $0.0 == "U*U" }.map(\.1))
    func `SEC-57 reads a stored text with any one change as a hash that it can store, or not at all`(text: String) {
        let bytes = Array(text.utf8)
        for index in bytes.indices {
            for replacement in [[], [bytes[index], bytes[index]]] + "$,=-+09A~".utf8.map({ [$0] }) {
                let changed = String(decoding: bytes[..<index] + replacement + bytes[(index + 1)...], as: UTF8.self)
                guard let hash = try? PasswordHash(reading: changed) else { continue }
                #expect(PasswordHash(hash.text) == hash, "\(changed)")
            }
        }
    }

    @Test func `reads the longest text that it writes`() throws {
        func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 0xFF, count: count) }
        let key = try ImportedHashKey(id: String(repeating: "k", count: 64), secret: bytes(128))
        let cheap = ScryptParameters(log2N: 4, blockSize: 1)
        let inner = try SaltedDigest(hmac: .sha512, key: key, order: .passwordFirst, salt: bytes(128))
        let longest = [
            PasswordHash(try FirebaseScryptHash(memoryCost: 14, rounds: 8, key: key, salt: bytes(128), digest: bytes(128))),
            PasswordHash(
                try Argon2Hash(.argon2id, memory: 256 << 10, iterations: 4, parallelism: 16, salt: bytes(128), digest: bytes(128))),
            PasswordHash(try PBKDF2Hash(.sha512, iterations: 1_500_000, salt: bytes(128), digest: bytes(128))),
            PasswordHash(try WrappedHash(inner, bytes: try inner.bytes(of: bytes(64)), cheap)),
        ]
        for hash in longest { #expect(PasswordHash(hash.text) == hash) }
    }

    @Test func `says why it does not read a text`() {
        func fault(_ text: String) -> String {
            do {
                _ = try PasswordHash(reading: text)
                return "none"
            } catch { return error.description }
        }
        #expect(fault("{SSHA}0c0blFTXXNuAMHECS4uxrj3ZieMoWImr") == "the hash does not begin with the name of a scheme between two $")
        #expect(fault("$6$salt$hash") == "hashes of this scheme are not supported")
        #expect(fault("$2a$17$\(Self.bcrypt)") == "the cost of bcrypt is 17; it must be 4 to 14")
        #expect(fault("$argon2id$v=16$m=8,t=1,p=1$\(Self.salt)$\(Self.hash)") == "argon2 must have version 19, written v=19")
        #expect(fault("$pbkdf2-sha256$i=1$\(Self.salt)$!") == "a field of the hash is not base64")
        for text in [String(repeating: "x", count: 513), "$2a$05$ключ", "$2a$05$a b"] {
            #expect(fault(text) == "the hash is longer than 512 bytes, or has other characters than printable ASCII")
        }
        #expect(
            fault("$argon2id$v=19$m=262144,t=20,p=1$\(Self.salt)$\(Self.hash)")
                == "argon2 with 262144 KiB and 20 iterations takes too long; their product must be at most 1 GiB")
    }

    @Test(arguments: ["", String(repeating: "k", count: 65), "a$b", "a,b", "a=b", "ключ", "a b"])
    func `refuses an id of a key that cannot stand in a stored hash`(id: String) {
        #expect(throws: PasswordHashFault.malformed("the id of a key must be 1 to 64 letters, digits, dots, hyphens and underscores")) {
            try ImportedHashKey(id: id, secret: [1])
        }
    }

    @Test func `refuses a key without bytes, and one that is too long`() {
        for count in [0, 1025] {
            #expect(throws: PasswordHashFault.outOfRange("the length of the key in bytes", count, 1...1024)) {
                try ImportedHashKey(id: "main", secret: [UInt8](repeating: 1, count: count))
            }
        }
        #expect(throws: PasswordHashFault.outOfRange("the length of the salt separator in bytes", 65, 0...64)) {
            try ImportedHashKey(id: "main", secret: [1], saltSeparator: [UInt8](repeating: 1, count: 65))
        }
    }
}
