@testable import Accounts
import Crypto
import JSON
import Runtime
import Testing
import Text

@Suite struct SecondFactorsTests {
    private let list = """
        [{"mfaEnrollmentId":"p","displayName":"Mine","phoneInfo":"+15555550100","enrolledAt":"2026-01-02T03:04:05Z"},\
        {"mfaEnrollmentId":"t","totpInfo":{},"enrolledAt":"2026-01-02T03:04:05.123456Z"},{"mfaEnrollmentId":"e","emailInfo":{"emailAddress":"a@b.c"}},\
        {"totpInfo":{}}]
        """

    @Test func `reads a list of Firebase's, and offers what an SDK can show`() {
        let factors = SecondFactors(list)
        #expect(factors.factors.map(\.kind) == [.phone("+15555550100"), .totp, .other, .totp])
        #expect(factors.answerable.map(\.id) == ["p", "t"])
        #expect(factors.factor("p")?.displayName == "Mine" && factors.factor("x") == nil)
        #expect(factors.hasPhone("+15555550100") && !factors.hasPhone("+15555550101") && factors.hasTOTP)
    }

    @Test func `shows times with three digits behind the seconds, as iOS reads them`() {
        #expect(SecondFactors(list).factors.map(\.enrolledAt) == ["2026-01-02T03:04:05.000Z", "2026-01-02T03:04:05.123Z", nil, nil])
        for time in ["yesterday", "2026-01-02T03:04:05+01:00", "2026-01-02 03:04:05Z", "2026-01-02T03:04:05.xZ", ""] {
            #expect(SecondFactors(#"[{"mfaEnrollmentId":"a","totpInfo":{},"enrolledAt":"\#(time)"}]"#).factors[0].enrolledAt == nil)
        }
    }

    @Test func `keeps what it does not know, and an empty list is none`() throws {
        var factors = SecondFactors(list)
        factors.remove("p")
        #expect(try JSON.parse(try #require(factors.text)) == JSON.array(Array(try #require(JSON.parse(list).array).dropFirst())))
        #expect(SecondFactors(nil).text == nil && SecondFactors("[]").text == nil && SecondFactors("not json").isEmpty)
    }

    @Test func `gives an authenticator app's secret back as it was added`() throws {
        let totp = try #require(TOTP(secret: Array(1...20), hash: .sha256, digits: 8, period: 60))
        var factors = SecondFactors(nil)
        factors.add(SecondFactors.Factor(totp, id: "t", name: nil, at: Instant(seconds: 0)))
        #expect(SecondFactors(factors.text).factor("t")?.totp == totp)
        #expect(SecondFactors(FactorSecrets.split(factors.text).shown).factor("t")?.totp == nil)
        #expect(SecondFactors(#"[{"mfaEnrollmentId":"t","totpInfo":{"sharedSecretKey":"1"}}]"#).factor("t")?.totp == nil)
    }

    @Test func `reads recovery codes as people write them`() {
        let code = RecoveryCode.random()
        #expect(code.text.utf8.count == 19 && RecoveryCode(UTF8Text(code.text)) == code)
        #expect(RecoveryCode("0123-4567-89ab-cdef") == RecoveryCode("O I23 4567-89AB CDEF".filter { $0 != " " }.asUTF8))
        for text in ["", "123456", "0123-4567-89AB-CDE", "0123-4567-89AB-CDEFG", "0123-4567-89AB-CDEU", "0123-4567-89AB-CDÉF"] {
            #expect(RecoveryCode(UTF8Text(text)) == nil)
        }
        #expect(Set((0..<100).map { _ in RecoveryCode.random().letters }).count == 100)
    }
}

extension String {
    fileprivate var asUTF8: UTF8Text { UTF8Text(self) }
}
