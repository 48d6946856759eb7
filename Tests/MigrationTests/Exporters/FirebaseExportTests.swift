import Accounts
import Crypto
import JSON
import Migration
import Runtime
import Testing
import Text

@Suite struct FirebaseExportTests {
    private static let salt: [UInt8] = Array(0..<16)
    private static let digest = [UInt8](repeating: 0xFB, count: 32)

    /// The options are those of <https://firebase.google.com/docs/cli/auth#hash_options>.
    @Test(arguments: [
        (
            "$scrypt$ln=14,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/s", "scrypt-n16384-r8-p1-32.json",
            "--hash-algo=STANDARD_SCRYPT --mem-cost=16384 --block-size=8 --parallelization=1 --dk-len=32"
        ),
        (
            "$firebase-scrypt$ln=14,r=8,key=0a1b$AAECAwQFBgcICQoLDA0ODw$+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/s",
            "firebase-scrypt-14-8-0a1b.json",
            #"--hash-algo=SCRYPT --hash-key="$SIGNER_KEY_0a1b" --salt-separator="$SALT_SEPARATOR_0a1b" --rounds=8 --mem-cost=14"#
        ),
        ("$2a$10$abcdefghijklmnopqrstuuFzaLl22Q/4sUS1B6HLw8.TDaHis0CLy", "bcrypt.json", "--hash-algo=BCRYPT"),
        (
            "$pbkdf2-sha1$i=1000$AAECAwQFBgcICQoLDA0ODw$+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/s", "pbkdf2-sha1-1000.json",
            "--hash-algo=PBKDF_SHA1 --rounds=1000"
        ),
        (
            "$pbkdf2-sha256$i=27500$AAECAwQFBgcICQoLDA0ODw$+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/s", "pbkdf2-sha256-27500.json",
            "--hash-algo=PBKDF2_SHA256 --rounds=27500"
        ),
    ])
    func `gives each algorithm with its parameters a file and a line`(text: String, name: String, flags: String) throws {
        var export = FirebaseExport()
        let hash = try #require(PasswordHash(text))
        let (file, record) = export.add(account(), hash)
        #expect(file.name == name)
        #expect(export.script.contains("\nfirebase auth:import \(name) \(flags) --project \"$FIREBASE_PROJECT\"\n"))
        let json = try JSON.parse(record)
        #expect(json["passwordHash"]?.string?.asString == Base64.encode(hash.digest))
        #expect(json["salt"]?.string?.asString == (hash.salt.isEmpty ? nil : Base64.encode(hash.salt)))
        #expect(export.losses == SourceLosses())
    }

    @Test func `writes bcrypt as Firebase takes it, the base64 of its text`() throws {
        var export = FirebaseExport()
        let text = "$2a$10$abcdefghijklmnopqrstuuFzaLl22Q/4sUS1B6HLw8.TDaHis0CLy"
        let json = try JSON.parse(export.add(account(), PasswordHash(text)).record)
        #expect(json["passwordHash"]?.string.flatMap { Base64.decode($0.asString) } == Array(text.utf8))
    }

    @Test(arguments: [
        ("$argon2id$v=19$m=4096,t=3,p=2$AAECAwQFBgcICQoLDA0ODw$aJJgV/AKKE+EZ8pjJnbpA+6dvBQZiVkUFu3/rPMfAMs", "argon2id"),
        ("$pbkdf2-sha512$i=1000$AAECAwQFBgcICQoLDA0ODw$+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/s", "PBKDF2 with SHA-512"),
        (
            "$pbkdf2-sha256$i=120001$AAECAwQFBgcICQoLDA0ODw$+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/s",
            "PBKDF2 with more than 120000 rounds"
        ),
        (
            "$wrapped$sha256$order=salt-password,rounds=1$AAEC$scrypt$ln=4,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$+/v7+/v7+/v7+/v7+/v7+w",
            "a digest that is wrapped in scrypt"
        ),
    ])
    func `writes an account without a hash that Firebase cannot check, and counts it`(text: String, scheme: String) throws {
        var export = FirebaseExport()
        let (file, record) = export.add(account(), PasswordHash(text))
        #expect(file.name == "without-password.json")
        #expect(try JSON.parse(record)["passwordHash"] == nil)
        #expect(export.losses.counts == ["password: Firebase cannot check hashes of \(scheme)": 1])
    }

    @Test func `writes exactly the members that the Firebase CLI knows`() throws {
        var export = FirebaseExport()
        let (file, record) = export.add(full(), nil)
        #expect(file.name == "without-password.json")
        #expect(
            try JSON.parse(record) == [
                "localId": "ada", "email": "ada@example.com", "emailVerified": true, "displayName": "Ada",
                "photoUrl": "https://example.com/a.png", "createdAt": "1700000000123", "lastSignedInAt": "1700000000123",
                "phoneNumber": "+15551234567", "disabled": true, "customAttributes": #"{"role":"admin"}"#,
                "providerUserInfo": [
                    [
                        "providerId": "google.com", "rawId": "108", "email": "ada@example.com", "displayName": "Ada",
                        "photoUrl": "https://b.example",
                    ]
                ],
            ])
        #expect(export.losses.counts == ["profile of OpenID Connect (address, birthday and the like): Firebase has no field for it": 1])
    }

    @Test(arguments: [
        "apple.com", "facebook.com", "gc.apple.com", "github.com", "google.com", "linkedin.com", "microsoft.com", "playgames.google.com",
        "twitter.com", "yahoo.com",
    ])
    func `leaves accounts of the ten providers to the Firebase CLI`(provider: String) {
        var export = FirebaseExport()
        #expect(export.add(account(LinkedIdentity(providerID: provider, subject: "1")), nil).file.name == "without-password.json")
    }

    @Test func `writes what the Firebase CLI refuses for the Admin SDK, with the options of the hash`() throws {
        var export = FirebaseExport()
        var account = full()
        account.identities.append(LinkedIdentity(providerID: "oidc.acme", subject: "s"))
        account.secondFactors = """
            [{"mfaEnrollmentId":"f","displayName":"Phone","enrolledAt":"2023-11-14T22:13:20.000Z","phoneInfo":"+15551234568"},\
            {"mfaEnrollmentId":"g","totpInfo":{}}]
            """
        let hash = PasswordHash(
            try ScryptHash(parameters: ScryptParameters(log2N: 4, blockSize: 8, parallelization: 1), salt: Self.salt, digest: Self.digest))
        let (file, record) = export.add(account, hash)
        #expect(file.name == "scrypt-n16-r8-p1-32.admin.json")
        let whole = try JSON.parse(file.beginning + String(decoding: record, as: UTF8.self) + FirebaseExport.File.end)
        #expect(
            whole["hash"] == [
                "algorithm": "STANDARD_SCRYPT", "memoryCost": 16, "parallelization": 1, "blockSize": 8, "derivedKeyLength": 32,
            ])
        #expect(
            whole["users"]?[0] == [
                "uid": "ada", "email": "ada@example.com", "emailVerified": true, "passwordHash": .string(Base64.encode(Self.digest)),
                "passwordSalt": "AAECAwQFBgcICQoLDA0ODw==", "displayName": "Ada", "photoURL": "https://example.com/a.png",
                "phoneNumber": "+15551234567", "disabled": true,
                "metadata": ["creationTime": "2023-11-14T22:13:20.123Z", "lastSignInTime": "2023-11-14T22:13:20.123Z"],
                "customClaims": ["role": "admin"],
                "providerData": [
                    [
                        "providerId": "google.com", "uid": "108", "email": "ada@example.com", "displayName": "Ada",
                        "photoURL": "https://b.example",
                    ],
                    ["providerId": "oidc.acme", "uid": "s"],
                ],
                "multiFactor": [
                    "enrolledFactors": [
                        [
                            "factorId": "phone", "uid": "f", "phoneNumber": "+15551234568", "displayName": "Phone",
                            "enrollmentTime": "2023-11-14T22:13:20.000Z",
                        ]
                    ]
                ],
            ])
        #expect(export.losses.counts.keys.contains { $0.hasPrefix("second factor other than a phone") })
        #expect(!export.script.contains("auth:import scrypt"))
        #expect(export.script.contains("scrypt-n16-r8-p1-32.admin.json: the CLI would refuse it"))
    }

    @Test func `tells that passkeys are lost`() throws {
        var (export, ada) = (FirebaseExport(), account())
        ada.passkeys = [AccountPasskey(credentialID: [1], name: "Laptop")]
        _ = export.add(ada, nil)
        #expect(export.losses.counts.keys.contains { $0.hasPrefix("passkeys") })
    }

    @Test func `leaves out an identity of Microsoft that Firebase cannot know`() throws {
        var export = FirebaseExport()
        let record = export.add(account(LinkedIdentity(providerID: "microsoft.com", subject: "sub:x")), nil).record
        #expect(try JSON.parse(record)["providerUserInfo"] == nil)
        #expect(export.losses.counts.values.reduce(0, +) == 1)
    }

    @Test func `SEC-58 has no signer key, and asks for it where the project shows it`() throws {
        var export = FirebaseExport()
        for (id, key) in [("a", "k1"), ("b", "k1"), ("c", "k2")] {
            let hash = "$firebase-scrypt$ln=14,r=8,key=\(key)$AAECAwQFBgcICQoLDA0ODw$+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/s"
            _ = export.add(Account(id: id, at: Instant(seconds: 1)), PasswordHash(hash))
        }
        let script = export.script
        #expect(script.split(separator: "${SIGNER_KEY_k1:?").count == 2)
        #expect(script.contains("${SALT_SEPARATOR_k2:?set it to base64_salt_separator of that project}"))
        #expect(script.split(separator: "Password hash parameters").count == 2, "it is said once")
        #expect(
            export.counts.map { "\($0.key.name) \($0.value)" }.sorted() == [
                "firebase-scrypt-14-8-k1.json 2", "firebase-scrypt-14-8-k2.json 1",
            ])
    }

    private func account(_ identities: LinkedIdentity...) -> Account {
        var account = Account(id: "ada", at: Instant(seconds: 1_700_000_000))
        account.identities = identities
        return account
    }

    private func full() -> Account {
        var account = Account(id: "ada", at: Instant(milliseconds: 1_700_000_000_123))
        account.email = "ada@example.com"
        account.emailVerified = true
        account.displayName = "Ada"
        account.photoURL = "https://example.com/a.png"
        account.phoneNumber = "+15551234567"
        account.disabled = true
        account.customAttributes = #"{"role":"admin"}"#
        account.profile = "{}"
        account.emailLinkSignIn = true
        account.identities = [
            LinkedIdentity(
                providerID: "google.com", subject: "108", email: "ada@example.com", emailVerified: true, displayName: "Ada",
                photoURL: "https://b.example", screenName: "ada")
        ]
        return account
    }
}
