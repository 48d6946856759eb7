import Testing

@testable import Crypto

@Suite struct BcryptHashTests {
    private func hash(_ text: String) throws -> BcryptHash { try #require(PasswordHash(text)?.scheme as? BcryptHash) }

    /// Of PyPI's passlib 1.7.4, `tests/test_handlers_bcrypt.py`, which has them from John the Ripper, from crypt_blowfish of Openwall
    /// (<https://www.openwall.com/crypt/>) and from py-bcrypt.
    @Test(arguments: [
        ("U*U*U*U*", "$2a$05$c92SVSfjeiCD6F2nAD6y0uBpJDjdRkt0EgeC4/31Rf2LUZbDRDE.O"),
        ("*U*U*U*U", "$2a$05$.WRrXibc1zPgIdRXYfv.4uu6TD1KWf0VnHzq/0imhUhuxSxCyeBs2"),
        ("", "$2a$05$Otz9agnajgrAe0.kFVF9V.tzaStZ2s1s4ZWi/LY4sw2k/MTVFj/IO"),
        ("U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
        ("", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy"),
        (
            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789chars after 72 are ignored",
            "$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui"
        ),
        ("ё", "$2y$05$6bNw2HLQYeqHYyBfLMsv/OUcZd0LKP39b87nBw3.S2tVZSqiQX6eu"),
        (String(repeating: "0123456789", count: 26), "$2a$04$R1lJ2gkNaoPGdafE.H.16.1MKHPvmKwryeulRe225LKProWYwt9Oi"),
        ("", "$2a$06$DCq7YPn5Rq63x1Lad4cll.TV4S6ytwfsfvkgY8jIucDrjc8deX1s."),
    ])
    func `knows the passwords of the vectors of passlib`(password: String, text: String) throws {
        let hash = try #require(PasswordHash(text))
        #expect(try hash.matches(password))
        #expect(try !hash.matches("x" + password))
        #expect(try !hash.matches(String(password.prefix(40)) + "x"))
    }

    /// From the same file: bytes that are not text.
    @Test(arguments: [
        ("a3", "$2a$05$/OK.fbVrR/bpIqNJ5ianF.Sa7shbm4.OzKpvFnX1pQLmQW96oUlCq"),
        ("a3", "$2y$05$/OK.fbVrR/bpIqNJ5ianF.Sa7shbm4.OzKpvFnX1pQLmQW96oUlCq"),
        ("a3", "$2b$05$/OK.fbVrR/bpIqNJ5ianF.Sa7shbm4.OzKpvFnX1pQLmQW96oUlCq"),
        ("ffa3333435", "$2a$05$/OK.fbVrR/bpIqNJ5ianF.nRht2l/HRhr6zmCp9vYUvvsqynflf9e"),
        (String(repeating: "aa", count: 80), "$2a$05$/OK.fbVrR/bpIqNJ5ianF.swQOIzjOiJ9GHEPuhEkvqrUyvWhEMx6"),
    ])
    func `knows passwords whose bytes have the highest bit`(password: String, text: String) throws {
        #expect(try hash(text).matches(hex(password), .none))
    }

    @Test func `compares 72 bytes`() throws {
        let hash = try hash("$2a$05$/OK.fbVrR/bpIqNJ5ianF.swQOIzjOiJ9GHEPuhEkvqrUyvWhEMx6")
        for (count, matches) in [(71, false), (72, true), (73, true), (511, true), (512, true), (12288, true)] {
            #expect(try hash.matches([UInt8](repeating: 0xAA, count: count), .none) == matches)
        }
    }

    @Test func `ignores no part of a password behind a zero byte`() throws {
        let hash = try hash("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW")
        #expect(try hash.matches(Array("U*U".utf8), .none))
        #expect(try !hash.matches(Array("U*U\0".utf8), .none))
        #expect(try !hash.matches(Array("U*U\0x".utf8), .none))
        let empty = try self.hash("$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy")
        #expect(try !empty.matches([0], .none))
    }

    /// The last character of a salt has four bits without a meaning, the last of a hash two.
    @Test func `clears bits without a meaning when it reads the text of another system`() throws {
        let text = "$2a$05$CCCCCCCCCCCCCCCCCCCCC/E5YPO9kmyuRGyh0XouQYb4YMJKvyOeX"
        let hash = try PasswordHash(reading: text)
        #expect(hash.text == "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW")
        #expect(try hash.matches("U*U"))
        #expect(PasswordHash(text) == nil)
    }

    @Test func `is exported as the whole text`() throws {
        let text = "$2b$10$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
        let hash = try hash(text)
        #expect(hash.digest == Array(text.utf8) && hash.salt == [])
        #expect((hash.identifier, hash.log2Rounds) == ("2b", 10))
    }
}
