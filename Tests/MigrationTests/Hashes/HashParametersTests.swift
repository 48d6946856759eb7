import Crypto
import JSON
import Migration
import Testing
import Text

struct HashParametersTests {
    private let key = #""signerKey":"jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==""#

    @Test(arguments: [
        FirebaseSample.block, FirebaseSample.block.split(separator: "\n").joined(separator: " "),
        FirebaseSample.block.split(separator: "\n").joined(separator: "\r\n"),
        #"{"hashConfig":{"algorithm":"SCRYPT","KEY,"saltSeparator":"Bw==","rounds":8,"memoryCost":14}}"#,
        #"{"signIn":{"hashConfig":{"algorithm":"SCRYPT","KEY,"saltSeparator":"Bw","rounds":8,"memoryCost":14}}}"#,
        #"{"hashAlgorithm":"SCRYPT","KEY,"saltSeparator":"Bw==","rounds":"8","memoryCost":"14"}"#,
    ])
    func `reads the parameters in each of their forms`(text: String) throws {
        let text = text.replacing("\"KEY", with: key)
        let parameters = try HashParameters(reading: UTF8Text(text))
        let hash = try #require(Base64.decode(FirebaseSample.hash)), salt = try #require(Base64.decode(FirebaseSample.salt))
        let password = try parameters.password(hash: hash, salt: salt)
        let imported = try #require(parameters.key)
        #expect(try password.isOf(FirebaseSample.password, [imported]))
        #expect(try !password.isOf("user2password", [imported]))
        // SHA-256 by Python's hashlib over 01 07 and the key.
        #expect(imported.id == "642e5b016a039985")
    }

    /// Digests by Python's hashlib and hmac.
    @Test(arguments: [
        (#""hashAlgorithm":"MD5","rounds":1,"passwordHashOrder":"PASSWORD_AND_SALT""#, "swXK27O85U86pZxk/sAN6g==", "c2FsdA=="),
        (#""hashAlgorithm":"MD5","rounds":0,"passwordHashOrder":"PASSWORD_AND_SALT""#, "swXK27O85U86pZxk_sAN6g", "c2FsdA"),
        (#""hashAlgorithm":"MD5","rounds":2,"passwordHashOrder":"PASSWORD_AND_SALT""#, "W22tIpeCxlR9GyDVZo64NA==", "c2FsdA=="),
        (#""hashAlgorithm":"SHA1","rounds":1"#, "W6ph5Mm5Pz8GgiULbPgzG37mj9g=", ""),
        (
            #""hashAlgorithm":"SHA256","rounds":1,"passwordHashOrder":"SALT_AND_PASSWORD""#, "E2Ab2k6njlWge5iGbSvmvgdE44ZvE8AMgRyrYIoo8yI=",
            "c2FsdA=="
        ),
        (
            #""hashAlgorithm":"SHA256","rounds":1,"passwordHashOrder":"SALT_AND_PASSWORD""#,
            "MTM2MDFiZGE0ZWE3OGU1NWEwN2I5ODg2NmQyYmU2YmUwNzQ0ZTM4NjZmMTNjMDBjODExY2FiNjA4YTI4ZjMyMg==", "c2FsdA=="
        ),
        (
            #""hashAlgorithm":"SHA512","rounds":1"#,
            "sQnzu7wkTrgkQZF+0G1hi5AI3Qmzvv0bXgc5THBqi7mAsdd4Xll27ASbRt9fEyavWi6m0QP9B8lThf+rDKy8hg==", ""
        ),
        (
            #""hashAlgorithm":"HMAC_SHA512","signerKey":"a2V5","passwordHashOrder":"PASSWORD_AND_SALT""#,
            "KiueiwKmF8Xa9syJxce34lmItOWwdrBmOqMLMm8py6z8MtHfXopAv36jepbWcaU+1p9s/t6Y14P3/78avQWuRw==", "c2FsdA=="
        ),
        (#""hashAlgorithm":"PBKDF_SHA1","rounds":100"#, "hZXXrqDnyVKjWvmoOMxrOTRJMHz8x700Dn4y7pARVlA=", "c2FsdA=="),
        (#""hashAlgorithm":"PBKDF2_SHA256","rounds":1000"#, "sYIePhT5IXESDKvnouJXtE5pTJ6Znbmef4vViYmc9Uc=", "c2FsdHNhbHRzYWx0"),
        (
            #""hashAlgorithm":"STANDARD_SCRYPT","cpuMemCost":16,"blockSize":1,"parallelization":1,"dkLen":32"#,
            "K5fOwuSST4WGNRuENLnJizfxEJ4LCoX3eOy4OsIfQq8=", "c2FsdHNhbHRzYWx0"
        ),
        // libargon2's test.c.
        (
            #""hashAlgorithm":"ARGON2","argon2Parameters":{"hashType":"ARGON2_ID","memoryCostKib":256,"iterations":2,"parallelism":1,"#
                + #""hashLengthBytes":32,"version":"VERSION_13"}"#,
            "nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4=", "c29tZXNhbHQ="
        ),
    ])
    func `makes the password of each algorithm`(members: String, hash: String, salt: String) throws {
        let parameters = try HashParameters(reading: UTF8Text("{\(members)}"))
        let password = try parameters.password(hash: try #require(Base64.decode(hash)), salt: try #require(Base64.decode(salt)))
        let keys = [parameters.key].compactMap(\.self)
        #expect(try password.isOf("password", keys))
        #expect(try !password.isOf("Password", keys))
    }

    @Test func `takes a bcrypt hash as the text that base64 stands for`() throws {
        let parameters = try HashParameters(reading: #"{"hashAlgorithm":"BCRYPT"}"#)
        // crypt_blowfish's test, by passlib.
        let password = try parameters.password(hash: Array("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW".utf8), salt: [])
        #expect(try password.isOf("U*U", []))
        #expect(throws: PasswordHashFault.self) {
            try parameters.password(
                hash: Array("$scrypt$ln=4,r=1,p=1$c2FsdHNhbHQ$K5fOwuSST4WGNRuENLnJizfxEJ4LCoX3eOy4OsIfQq8".utf8), salt: [])
        }
    }

    @Test(arguments: [
        ("", "hashAlgorithm: it is missing"), ("{}", "hashAlgorithm: it is missing"), ("hello world", "neither JSON nor a block"),
        (#"{"hashAlgorithm":"SCRYPT","saltSeparator":"Bw==","rounds":8,"memoryCost":14}"#, "signerKey: it is missing"),
        (
            #"{"hashAlgorithm":"SCRYPT","signerKey":"not base64!","saltSeparator":"Bw==","rounds":8,"memoryCost":14}"#,
            "signerKey: it is not base64"
        ),
        (#"{"hashAlgorithm":"SCRYPT","signerKey":"a2V5","rounds":8,"memoryCost":14}"#, "saltSeparator: it is missing"),
        (#"{"hashAlgorithm":"SCRYPT","signerKey":"a2V5","saltSeparator":"Bw==","memoryCost":14}"#, "rounds: it is missing"),
        (#"{"hashAlgorithm":"SCRYPT","signerKey":"a2V5","saltSeparator":"Bw==","rounds":8}"#, "memoryCost: it is missing"),
        (
            #"{"hashAlgorithm":"SCRYPT","signerKey":"a2V5","saltSeparator":"Bw==","rounds":14,"memoryCost":8}"#,
            "rounds: it is 14, and must be 1 to 8; are rounds and mem_cost swapped?"
        ),
        (#"{"hashAlgorithm":"ROT13"}"#, "hashAlgorithm: ROT13 is not an algorithm"),
        (#"{"hashAlgorithm":7}"#, "hashAlgorithm: it must be a text"), (#"{"hashAlgorithm":"MD5"}"#, "rounds: it is missing"),
        (#"{"hashAlgorithm":"MD5","rounds":8193}"#, "rounds: it is 8193"), (#"{"hashAlgorithm":"SHA1","rounds":0}"#, "rounds: it is 0"),
        (#"{"hashAlgorithm":"SHA1","rounds":1,"passwordHashOrder":"X"}"#, "passwordHashOrder: it must be SALT_AND_PASSWORD or"),
        (#"{"hashAlgorithm":"HMAC_SHA1"}"#, "signerKey: it is missing"),
        (#"{"hashAlgorithm":"PBKDF2_SHA256","rounds":120001}"#, "rounds: it is 120001"),
        (
            #"{"hashAlgorithm":"STANDARD_SCRYPT","cpuMemCost":14,"blockSize":8,"parallelization":1}"#,
            "cpuMemCost: it is 14, and must be scrypt's N"
        ),
        (#"{"hashAlgorithm":"STANDARD_SCRYPT","cpuMemCost":16777216,"blockSize":8,"parallelization":1}"#, "more than 256 MiB"),
        (#"{"hashAlgorithm":"ARGON2"}"#, "argon2Parameters: they are missing"),
        (#"{"hashAlgorithm":"ARGON2","argon2Parameters":{"hashType":"ARGON2_D"}}"#, "ARGON2_D is not supported"),
        (#"{"hashAlgorithm":"ARGON2","argon2Parameters":{"hashType":"ARGON2_ID","version":"VERSION_10"}}"#, "it must be VERSION_13"),
        (
            #"{"hashAlgorithm":"ARGON2","argon2Parameters":{"hashType":"ARGON2_ID","associatedData":"YQ=="}}"#,
            "associatedData: it is not supported"
        ),
        (
            #"{"hashAlgorithm":"ARGON2","argon2Parameters":{"hashType":"ARGON2_ID","memoryCostKib":99999,"iterations":2,"parallelism":1}}"#,
            "memoryCostKib: it is 99999"
        ),
    ])
    func `says which parameter is wrong`(text: String, reason: String) throws {
        let fault = try #require(throws: HashParametersFault.self) { try HashParameters(reading: UTF8Text(text)) }
        #expect(fault.description.contains(reason))
    }

    @Test func `takes the defaults of a call that has only the key`() throws {
        let parameters = try HashParameters(["hashAlgorithm": "SCRYPT", "signerKey": "a2V5"])
        #expect(parameters?.key?.saltSeparator == [])
        #expect(try HashParameters(["users": []]) == nil)
    }

    @Test func `asks for the order of salt and password where it matters`() throws {
        let parameters = try HashParameters(reading: #"{"hashAlgorithm":"SHA1","rounds":1}"#)
        let fault = try #require(throws: PasswordHashFault.self) {
            try parameters.password(hash: [UInt8](repeating: 1, count: 20), salt: [1])
        }
        #expect(fault.description.contains("passwordHashOrder"))
    }

    @Test func `SEC-58 shows no key`() throws {
        #expect("\(try FirebaseSample.parameters())" == "<hash parameters>")
        let text = #"{"hashAlgorithm":"SCRYPT","signerKey":"secret key","saltSeparator":"Bw==","rounds":8,"memoryCost":14}"#
        let fault = try #require(throws: HashParametersFault.self) { try HashParameters(reading: UTF8Text(text)) }
        #expect(!fault.description.contains("secret"))
    }
}
