import Config
import TestKit
import Testing

@testable import ProjectSettings

/// `passkeys` of a project's file.
@Suite struct PasskeySettingsTests {
    private func read(
        _ passkeys: String, more: String = "", domains: String = "app.example.com", development: Bool = false,
        publicURL: String = "https://auth.example.com"
    ) throws -> (passkeys: ProjectSettings.Passkeys?, faults: [String], notes: [String]) {
        let text = """
            project: acme
            number: 7
            apiKeys: [key]
            authorizedDomains: [\(domains)]
            passkeys: \(passkeys)
            \(more)
            """
        let folder = try TestFolder(["acme.yaml": text])
        let faults = Faults()
        let section = ConfigFile.read("\(folder.path)/acme.yaml", environment: [:], faults: faults)
        let mail = section.section("mail")
        let settings = ProjectSettings(section, mail: mail, development: development, publicURL: publicURL)
        mail.finish()
        section.finish()
        return (settings.passkeys, faults.all.map(\.description), faults.notes.map(\.description))
    }

    @Test func `derives origins from the domains, the pages and the apps of the site`() throws {
        let (passkeys, faults, notes) = try read(
            #"{rpId: example.com, origins: ["https://app.example.com:8443"]}"#,
            more: """
                redirect: {publicURL: "https://app.example.com"}
                apps:
                  - ios: {bundleId: com.example.app, appId: "1:7:ios:abc", teamId: ABCDE12345}
                  - android: {package: com.example.app, sha1: ["\(String(repeating: "ab", count: 20))"], sha256: ["\(String(repeating: "00", count: 32))"]}
                """, domains: #"app.example.com, other.example, "*.example.com", auth.example.com"#)
        #expect(faults == [] && notes == [])
        #expect(passkeys?.rpID == "example.com")
        #expect(
            passkeys?.origins == [
                "https://app.example.com:8443", "https://app.example.com", "https://auth.example.com", "https://example.com",
                "android:apk-key-hash:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            ])
        #expect(passkeys?.limit == 20 && passkeys?.countAsSecondFactor == true && passkeys?.conditionalRegistration == false)
    }

    @Test func `reads every key`() throws {
        let (passkeys, faults, _) = try read(
            #"{rpId: example.com, relatedOrigins: ["https://example.org"], attestation: none, limit: 3, countAsSecondFactor: false, conditionalRegistration: true}"#
        )
        #expect(faults == [])
        #expect(passkeys?.relatedOrigins == ["https://example.org"] && passkeys?.allOrigins.contains("https://example.org") == true)
        #expect(passkeys?.limit == 3 && passkeys?.countAsSecondFactor == false && passkeys?.conditionalRegistration == true)
    }

    @Test(arguments: [
        "{}", "{rpId: Example.com}", "{rpId: localhost}", "{rpId: com}", #"{rpId: "example.com:443"}"#, "{rpId: 127.0.0.1}",
        #"{rpId: "https://example.com"}"#, "{rpId: example.com/x}", "{rpId: github.io}", "{rpId: bücher.example}", "{rpId: other.example}",
        #"{rpId: example.com, origins: ["https://example.org"]}"#, #"{rpId: example.com, origins: ["http://app.example.com"]}"#,
        #"{rpId: example.com, origins: ["https://app.example.com/"]}"#, #"{rpId: example.com, origins: ["https://APP.example.com"]}"#,
        #"{rpId: example.com, origins: ["https://app.example.com:443"]}"#, #"{rpId: example.com, origins: ["https://badexample.com"]}"#,
        #"{rpId: example.com, relatedOrigins: ["example.org"]}"#, "{rpId: example.com, attestation: direct}",
        "{rpId: example.com, limit: 0}", "{rpId: example.com, limit: 101}", "{rpId: example.com, user: x}",
    ])
    func `SEC-41 refuses a site or an origin that cannot be one`(text: String) throws {
        #expect(try !read(text).faults.isEmpty)
    }

    @Test func `takes localhost in development alone`() throws {
        let (passkeys, faults, _) = try read(
            #"{rpId: localhost, origins: ["http://localhost:3000"]}"#, domains: "localhost", development: true,
            publicURL: "http://localhost:9099")
        #expect(faults == [])
        #expect(passkeys?.origins == ["http://localhost:3000", "https://localhost", "http://localhost:9099"])
    }

    @Test func `notes related origins of more sites than browsers read`() throws {
        let origins = (1...6).map { #""https://site\#($0).example""# }.joined(separator: ", ")
        let (_, faults, notes) = try read("{rpId: example.com, relatedOrigins: [\(origins)]}")
        #expect(faults == [] && notes.count == 1)
    }

    @Test(arguments: ["abcde12345", "ABCDE1234", "ABCDE123456", "ABCDE 1234"])
    func `refuses what is not the id of a team`(text: String) throws {
        let (_, faults, _) = try read(
            "{rpId: example.com}", more: "apps: [{ios: {bundleId: com.example, appId: \"1:7:ios:abc\", teamId: \"\(text)\"}}]")
        #expect(!faults.isEmpty)
    }
}
