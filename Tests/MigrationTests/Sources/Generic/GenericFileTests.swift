import Accounts
import Crypto
import Migration
import Runtime
import Testing

struct GenericFileTests {
    private func read(
        _ text: String, hashes: HashParameters? = nil
    ) throws -> (accounts: [SourceAccount], faults: [ImportFault], source: SourceReading) {
        let source = try SourceReading(try GenericFile(try TestFile.of(text), hashes: hashes))
        return (source.accounts, source.faults, source)
    }

    @Test(arguments: [
        "{\"localId\":\"a\"}\n{\"user_id\":\"b\"}\n", "[{\"localId\":\"a\"},\n{\"user_id\":\"b\"}]",
        "\n {\"localId\":\"a\"}\n{\"user_id\":\"b\"}",
    ])
    func `reads lines and arrays of both shapes`(text: String) throws { #expect(try read(text).accounts.map(\.id) == ["a", "b"]) }

    @Test func `says why a file cannot be read`() throws {
        for (text, reason) in [("", "is empty"), ("a,b", "neither a JSON array nor JSON objects")] {
            #expect(try #require(throws: SourceFailure.self) { try read(text) }.description.contains(reason))
        }
    }

    @Test func `reads a user of a bulk import`() throws {
        let (accounts, _, source) = try read(
            #"{"user_id":"auth0|1","email":"a@example.com","email_verified":true,"given_name":"Ada","family_name":"L","picture":"https://x.example/","#
                + #""blocked":true,"created_at":"2020-09-13T12:26:40.000Z","app_metadata":{"role":"admin"},"user_metadata":{"a":1},"#
                + #""username":"x","mfa_factors":[{"totp":{"secret":"x"}}],"colour":"red","#
                + #""password_hash":"$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"}"#)
        var expected = SourceAccount(id: "auth0|1", place: 1)
        (expected.email, expected.emailVerified, expected.disabled) = ("a@example.com", true, true)
        (expected.displayName, expected.photoURL) = ("Ada L", "https://x.example/")
        expected.createdAt = Instant(seconds: 1_600_000_000)
        expected.customAttributes = #"{"role":"admin"}"#
        expected.password = accounts.first?.password
        #expect(accounts == [expected])
        #expect(try #require(accounts.first?.password).isOf("U*U", []))
        #expect(source.losses.counts.count == 3)
    }

    /// bcrypt of crypt_blowfish by passlib, argon2 of libargon2's test.c, the others by Python's hashlib and hmac.
    @Test(arguments: [
        ("U*U", #""algorithm":"bcrypt","hash":{"value":"$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"}"#),
        (
            "password",
            #""algorithm":"argon2","hash":{"value":"$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"}"#
        ),
        (
            "password",
            #""algorithm":"pbkdf2","hash":{"value":"$pbkdf2-sha256$i=1000,l=32$c2FsdHNhbHRzYWx0$sYIePhT5IXESDKvnouJXtE5pTJ6Znbmef4vViYmc9Uc","encoding":"utf8"}"#
        ),
        (
            "password",
            #""algorithm":"pbkdf2","hash":{"value":"pbkdf2-sha256$i=1000$c2FsdHNhbHRzYWx0$sYIePhT5IXESDKvnouJXtE5pTJ6Znbmef4vViYmc9Uc"}"#
        ),
        (
            "password",
            #""algorithm":"scrypt","hash":{"value":"K5fOwuSST4WGNRuENLnJizfxEJ4LCoX3eOy4OsIfQq8=","encoding":"base64"},"salt":{"value":"saltsaltsalt"},"#
                + #""keylen":32,"cost":16,"blockSize":1,"parallelization":1"#
        ),
        (
            "password",
            #""algorithm":"scrypt","hash":{"value":"$scrypt$ln=4,r=1,p=1$c2FsdHNhbHRzYWx0$K5fOwuSST4WGNRuENLnJizfxEJ4LCoX3eOy4OsIfQq8"}"#
        ),
        (
            "password",
            #""algorithm":"sha256","hash":{"value":"13601bda4ea78e55a07b98866d2be6be0744e3866f13c00c811cab608a28f322","encoding":"hex"},"#
                + #""salt":{"value":"salt","encoding":"utf8","position":"prefix"}"#
        ),
        (
            "password",
            #""algorithm":"md5","hash":{"value":"swXK27O85U86pZxk/sAN6g==","encoding":"base64"},"#
                + #""salt":{"value":"73616c74","encoding":"hex","position":"suffix"},"password":{"encoding":"utf8"}"#
        ),
        ("password", #""algorithm":"sha1","hash":{"value":"5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8","encoding":"hex"}"#),
        (
            "password",
            #""algorithm":"sha512","hash":{"encoding":"base64","value":"#
                + #""sQnzu7wkTrgkQZF+0G1hi5AI3Qmzvv0bXgc5THBqi7mAsdd4Xll27ASbRt9fEyavWi6m0QP9B8lThf+rDKy8hg=="}"#
        ),
        (
            "password",
            #""algorithm":"hmac","hash":{"value":"4d42fb9ffc8d7d0a245429438b4bc73db1007a167026a0a0c6a74fa58e8e86ca","encoding":"hex","#
                + #""digest":"sha256","key":{"value":"a2V5","encoding":"base64"}}"#
        ),
    ])
    func `takes custom password hashes`(password: String, members: String) throws {
        let (accounts, faults, source) = try read(#"{"user_id":"u","custom_password_hash":{\#(members)}}"#)
        #expect(faults.isEmpty)
        let imported = try #require(accounts.first?.password)
        #expect(try imported.isOf(password, source.hashKeys))
        #expect(try !imported.isOf("another", source.hashKeys))
        #expect(source.hashKeys.count == (members.contains("hmac") ? 1 : 0))
    }

    @Test(arguments: [
        (#""hash":{"value":"x"}"#, "algorithm is missing"), (#""algorithm":"md5""#, "hash must be an object"),
        (#""algorithm":"md4","hash":{"value":"x"}"#, "hashes of md4 are not supported"),
        (#""algorithm":"ldap","hash":{"value":"x"}"#, "hashes of ldap are not supported"),
        (#""algorithm":"md5","hash":{"value":"x"}"#, "must be base64, hex or utf8"),
        (#""algorithm":"md5","hash":{"value":"zz","encoding":"hex"}"#, "must be base64, hex or utf8"),
        (#""algorithm":"md5","hash":{"value":"aa","encoding":"hex"},"salt":{"value":"x"}"#, "salt.position must be prefix or suffix"),
        (#""algorithm":"md5","hash":{"value":"aa","encoding":"hex"}"#, "the hash has 1 bytes"),
        (#""algorithm":"md5","hash":{"value":"aa","encoding":"hex"},"password":{"encoding":"utf16le"}"#, "only passwords in utf8"),
        (#""algorithm":"hmac","hash":{"value":"aa","encoding":"hex","digest":"whirlpool"}"#, "only HMACs with"),
        (#""algorithm":"hmac","hash":{"value":"aa","encoding":"hex","digest":"md5"}"#, "key is missing"),
        (#""algorithm":"bcrypt","hash":{"value":"$2b$99$x"}"#, "bcrypt"),
        (#""algorithm":"pbkdf2","hash":{"value":"x"}"#, "the form of PHC"),
        (
            #""algorithm":"pbkdf2","hash":{"value":"$pbkdf2-sha256$i=1000,l=64$c2FsdHNhbHRzYWx0$sYIePhT5IXESDKvnouJXtE5pTJ6Znbmef4vViYmc9Uc"}"#,
            "another length"
        ),
        (#""algorithm":"scrypt","hash":{"value":"aa","encoding":"hex"},"cost":15"#, "cost must be scrypt's N"),
        (#""algorithm":"scrypt","hash":{"value":"aa","encoding":"hex"},"cost":16,"keylen":32"#, "keylen says another length"),
    ])
    func `says why a custom password hash is refused`(members: String, reason: String) throws {
        let (accounts, faults, _) = try read(#"{"user_id":"u","custom_password_hash":{\#(members)}}"#)
        #expect(accounts.isEmpty)
        #expect(faults.first?.code == .invalidHash)
        #expect(faults.first?.message.contains(reason) ?? false)
        #expect(faults.first?.accountID == "u")
    }

    @Test func `refuses a file with too many keys`() throws {
        let lines = (0...100).map { number in
            #"{"user_id":"u\#(number)","custom_password_hash":{"algorithm":"hmac","hash":{"value":"#
                + #""4d42fb9ffc8d7d0a245429438b4bc73d","encoding":"hex","digest":"md5","key":{"value":"k\#(number)"}}}}"#
        }
        let (accounts, faults, _) = try read(lines.joined(separator: "\n"))
        #expect(accounts.count == 100)
        #expect(faults.count == 1)
    }
}
