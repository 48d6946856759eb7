import JSON
import Runtime
import Testing
import Text

@testable import Migration

@Suite struct MappingTests {
    @Test(arguments: [
        ("google", "google.com"), ("mine", "oidc.other"), ("slack_oidc", "oidc.slack-oidc"), ("KeyCloak", "oidc.keycloak"),
    ])
    func `takes the operator's names first, and makes an issuer of a name without a meaning`(name: String, id: String) {
        let names = ProviderNames(["google": "google.com", "mine": "oidc.mine"], own: ["mine": "oidc.other"])
        #expect(names.id(of: .init(name)) == id)
    }

    @Test func `gives the lists of a key in their order, and counts those that nothing asked for`() {
        var index = CompactIndex()
        index.add(["a", nil, "b"], for: "one")
        index.add(["other"], for: "two")
        index.add(["", "c"], for: "one")
        #expect(index.untaken == 3)
        #expect(index.take("one") == [["a", nil, "b"], [nil, "c"]])
        #expect(index.take("none").isEmpty)
        #expect(index.untaken == 1)
    }

    @Test func `writes second factors as Firebase does, with the secret where there is one`() throws {
        var factors = SourceFactors()
        #expect(factors.text == nil)
        factors.addPhone("+15551234567", .init(id: "1", name: "Phone", at: Instant(seconds: 1_700_000_000)))
        factors.addTOTP(Array("12345678901234567890".utf8), hash: "SHA256", digits: 8, period: 60, .init(id: "2"))
        factors.addUnknown(.init(id: "3"))
        #expect(
            try JSON.parse(try #require(factors.text)) == [
                [
                    "mfaEnrollmentId": "1", "displayName": "Phone", "enrolledAt": "2023-11-14T22:13:20.000Z", "phoneInfo": "+15551234567",
                ],
                [
                    "mfaEnrollmentId": "2",
                    "totpInfo": [
                        "sharedSecretKey": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "hashingAlgorithm": "SHA256", "verificationCodeLength": 8,
                        "periodSec": 60,
                    ],
                ],
                ["mfaEnrollmentId": "3", "totpInfo": [:]],
            ])
    }
}
