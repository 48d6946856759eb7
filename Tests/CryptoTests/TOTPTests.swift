import Crypto
import Runtime
import Testing

@Suite struct TOTPTests {
    private let secret = Array("12345678901234567890".utf8)

    private func totp(_ hash: TOTP.Hash = .sha1, digits: Int = 6) throws -> TOTP {
        let seeds: [TOTP.Hash: Int] = [.sha1: 20, .sha256: 32, .sha512: 64]
        let long = Array(String(repeating: "1234567890", count: 7).utf8)
        return try #require(TOTP(secret: Array(long.prefix(seeds[hash] ?? 20)), hash: hash, digits: digits))
    }

    /// <https://www.rfc-editor.org/rfc/rfc6238#appendix-B>
    @Test(
        arguments: [
            (59, "94287082", "46119246", "90693936"), (1_111_111_109, "07081804", "68084774", "25091201"),
            (1_111_111_111, "14050471", "67062674", "99943326"), (1_234_567_890, "89005924", "91819424", "93441116"),
            (2_000_000_000, "69279037", "90698825", "38618901"), (20_000_000_000, "65353130", "77737706", "47863826"),
        ] as [(Int64, String, String, String)])
    func `gives the codes of RFC 6238`(seconds: Int64, sha1: String, sha256: String, sha512: String) throws {
        for (hash, code) in [(TOTP.Hash.sha1, sha1), (.sha256, sha256), (.sha512, sha512)] {
            let totp = try totp(hash, digits: 8)
            #expect(totp.code(at: totp.step(at: Instant(seconds: seconds))) == code)
        }
        let six = try totp()
        #expect(six.code(at: six.step(at: Instant(seconds: seconds))) == String(sha1.suffix(6)))
    }

    /// <https://www.rfc-editor.org/rfc/rfc4226#appendix-D>
    @Test func `gives the codes of RFC 4226`() throws {
        let codes = ["755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489"]
        let totp = try totp()
        #expect((0..<10).map { totp.code(at: Int64($0)) } == codes)
    }

    @Test func `finds the step of a code within the window alone`() throws {
        let totp = try totp()
        let now = Instant(seconds: 1_000_000_000)
        let present = totp.step(at: now)
        for offset in Int64(-3)...3 {
            let code = totp.code(at: present + offset)
            #expect(totp.step(of: code, at: now, adjacent: 1) == (abs(offset) <= 1 ? present + offset : nil))
            #expect(totp.step(of: code, at: now, adjacent: 0) == (offset == 0 ? present : nil))
        }
    }

    @Test func `takes spaces inside a code, and nothing else besides its digits`() throws {
        let totp = try totp()
        let now = Instant(seconds: 59)
        #expect(totp.step(of: "287 082", at: now, adjacent: 1) == 1)
        for text in ["28708", "2870822", "", "28708a", "+287082", "２８７０８２", "287-082"] {
            #expect(totp.step(of: text, at: now, adjacent: 1) == nil)
        }
    }

    @Test func `refuses parameters that no authenticator app has`() {
        #expect(TOTP(secret: []) == nil)
        #expect(TOTP(secret: secret, digits: 5) == nil && TOTP(secret: secret, digits: 9) == nil)
        #expect(TOTP(secret: secret, period: 0) == nil && TOTP(secret: secret, period: 3601) == nil)
    }
}
