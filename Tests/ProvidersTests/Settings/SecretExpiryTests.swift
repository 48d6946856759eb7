import Config
import Crypto
import Runtime
import TestKit
import Testing

@testable import Providers

@Suite struct SecretExpiryTests {
    private let now = Instant(seconds: 1_795_305_600)

    /// The settings after `read`, and the notes that it left.
    private func read(
        _ yaml: String, _ read: (inout ProviderSettings, Section) -> Void
    ) throws -> (settings: ProviderSettings, notes: [String], faults: [String]) {
        let folder = try TestFolder(["p.yaml": "entry:\n  \(yaml)\n"])
        let faults = Faults()
        let section = ConfigFile.read("\(folder.path)/p.yaml", environment: [:], faults: faults).section("entry")
        var settings = ProviderSettings(
            id: "oidc.acme", name: "Acme", clientID: "web", clientSecret: nil, scopes: [], protocol: try FakeIssuer().settings().protocol)
        read(&settings, section)
        return (settings, faults.notes.map(\.message), faults.all.map(\.message))
    }

    @Test(arguments: [
        ("2026-11-22", "has expired"), ("2026-11-23", "expires in 1 day"), ("2026-12-21", "expires in 29 days"),
        ("2020-01-01", "has expired"),
    ])
    func `speaks of a secret that expires within thirty days`(day: String, phrase: String) throws {
        let result = try read("expires: \(day)") { $0.readExpiry($1, now: now) }
        #expect(result.notes.count == 1)
        #expect(result.notes.first?.contains("the secret of oidc.acme \(phrase);") == true)
        #expect(result.faults.isEmpty)
        #expect(result.settings.expires == Instant(utc: day))
    }

    @Test func `says nothing of a secret that has time`() throws {
        let result = try read("expires: 2026-12-22") { $0.readExpiry($1, now: now) }
        #expect(result.notes.isEmpty)
        #expect(result.settings.expires == Instant(utc: "2026-12-22"))
    }

    @Test(arguments: ["soon", "2026-02-30", "01.05.2027"])
    func `takes only a date`(text: String) throws {
        let result = try read("expires: \(text)") { $0.readExpiry($1, now: now) }
        #expect(result.faults == ["expected a date such as 2027-05-01"])
    }

    @Test(arguments: [(29, true), (31, false)])
    func `speaks of a certificate that expires within thirty days, and keeps the earlier day`(days: Int64, isNoted: Bool) throws {
        let present = Clock.system.now()
        let key = try FakeKey.otherRSA("client-key").key
        let certificate = try Certificate.selfSigned(
            key: key, commonName: "client", notBefore: present - .seconds(86_400), notAfter: present + .seconds(days * 86_400 + 3600),
            serial: [1])
        let result = try read("expires: 2126-11-22") { settings, section in
            settings.readExpiry(section, now: present)
            settings.readExpiry(ofCertificate: certificate, section, now: present)
        }
        #expect(result.notes.contains { $0.contains("a certificate that expires in \(days) days") } == isNoted)
        #expect(try #require(result.settings.expires) < present + .seconds((days + 1) * 86_400))
    }
}
