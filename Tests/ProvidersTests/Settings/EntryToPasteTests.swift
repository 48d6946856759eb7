import Config
import Crypto
import JSON
import TestKit
import Testing

@testable import Providers

struct EntryToPasteTests {
    private static let known: [String: JSON] = [
        "issuer": "https://login.acme.example", "clientId": "client: 7", "teamId": "A1B2C3D4E5", "keyId": "K1K2K3K4K5",
        "bundleIds": ["com.example.app"],
    ]

    @Test(arguments: Provider.catalog.map(\.id) + ["oidc.acme-2"])
    func `an entry to paste is one that the reader of project files takes`(id: String) throws {
        let entry = try #require(Provider.entry(of: id, knowing: Self.known))
        let variables = entry.split(separator: "{env: ").dropFirst().compactMap { $0.split(separator: "}").first.map(String.init) }
        let key = try FakeKey.ec().key.pem
        let folder = try TestFolder(["acme.yaml": "providers:\n\(entry)\n"])
        let faults = Faults()
        let environment = Dictionary(uniqueKeysWithValues: variables.map { ($0, key) })
        let file = ConfigFile.read("\(folder.path)/acme.yaml", environment: environment, faults: faults)
        let section = try #require(file.sections("providers").first)
        let settings = ProviderSettings(id: section.name, section: section.section, allowInsecure: false)
        file.finish()
        #expect(faults.all.map(\.description) == [] && faults.notes.isEmpty)
        #expect(settings?.id == id && settings?.clientID == "client: 7" && variables.count == 1)
    }

    @Test(arguments: [
        ("github.com", [:], ["clientId: …", "clientSecret: {env: GITHUB_COM_SECRET}"]),
        ("oidc.acme", [:], ["issuer: https://…", "clientId: …", "clientSecret: {env: OIDC_ACME_SECRET}"]),
        (
            "oidc.acme", known,
            [
                #"issuer: "https://login.acme.example""#, #"clientId: "client: 7""#, "clientSecret: {env: OIDC_ACME_SECRET}",
            ]
        ),
        ("apple.com", [:], ["clientId: …", "teamId: …", "keyId: …", "privateKey: {env: APPLE_COM_PRIVATE_KEY}"]),
        (
            "apple.com", known,
            [
                #"clientId: "client: 7""#, #"bundleIds: ["com.example.app"]"#, #"teamId: "A1B2C3D4E5""#, #"keyId: "K1K2K3K4K5""#,
                "privateKey: {env: APPLE_COM_PRIVATE_KEY}",
            ]
        ),
    ])
    func `has what is known, and something to fill in for the rest`(id: String, values: [String: JSON], lines: [String]) {
        #expect(Provider.entry(of: id, knowing: values) == (["  \(id):"] + lines.map { "    \($0)" }).joined(separator: "\n"))
    }

    @Test(arguments: ["gc.apple.com", "saml.corp", "oidc.", "oidc.a: {}", "oidc.a\n  b", "unknown.com"])
    func `there is none for a provider that this server does not have`(id: String) {
        #expect(Provider.entry(of: id, knowing: [:]) == nil)
    }
}
