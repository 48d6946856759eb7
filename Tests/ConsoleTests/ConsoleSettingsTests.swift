import Accounts
import Config
import Glibc
import Runtime
import TestKit
import Testing

@testable import Console

/// `console` of `gatehouse.yaml`: what it says, and what is wrong with it.
@Suite struct ConsoleSettingsTests {
    private func read(_ yaml: String) -> (ConsoleSettings, faults: [String]) {
        let faults = Faults()
        let file = ConfigFile.read(text: "console:\n" + yaml.split(separator: "\n").map { "  \($0)\n" }.joined(), name: "x", faults: faults)
        let settings = ConsoleSettings(file.section("console"), apiURL: "https://auth.example.com", development: false)
        return (settings, faults.all.map { "\($0.path): \($0.message)" })
    }

    private static let sound =
        "publicURL: https://console.example.com\nprovider: {oidc.staff: {issuer: https://id.example.com, clientId: c, clientAuth: none}}\n"

    @Test func `reads every key`() {
        let (settings, faults) = read(
            Self.sound
                + "operators:\n  - {email: Ann@Example.com, role: support, projects: [shop]}\n  - {name: ben, subject: '7', role: viewer}")
        #expect(faults == [])
        #expect(settings.publicURL == "https://console.example.com" && settings.provider != nil)
        #expect(
            settings.operators.map(\.person.name) == ["ann@example.com", "ben"])
        #expect(settings.operators[0].person.projects == ["shop"] && settings.operators[1].person.projects == nil)
        #expect(settings.operators.map(\.person.role) == [.support, .viewer] && settings.operators[1].subject == "7")
    }

    @Test func `a session is an operator's while it is the person that the entry means`() {
        let operators = "operators:\n  - {name: ann, email: ann@example.com, role: admin}\n  - {name: ben, subject: '7', role: viewer}"
        let settings = read(Self.sound + operators).0
        func session(_ name: String, _ subject: String, _ email: String? = nil) -> OperatorSession {
            OperatorSession(
                secret: [], operatorName: name, person: OperatorPerson(issuer: "https://id.example.com", subject: subject), reason: nil,
                signedInAt: Instant(seconds: 0), email: email)
        }
        #expect(settings.person(of: session("ann", "1", "ann@example.com"))?.name == "ann")
        // The entry of this name has another address now, and the binding was taken away.
        #expect(settings.person(of: session("ann", "1", "former@example.com")) == nil)
        #expect(settings.person(of: session("ann", "1")) == nil)
        #expect(settings.person(of: session("ben", "7"))?.role == .viewer)
        #expect(settings.person(of: session("ben", "8", "ann@example.com")) == nil)
        #expect(settings.person(of: session("gone", "7")) == nil)
    }

    @Test func `SEC-65 the people of another issuer are not operators, by subject or by address`() {
        let operators = "operators:\n  - {name: ann, email: ann@example.com, role: admin}\n  - {name: ben, subject: '7', role: viewer}"
        let before = read(Self.sound + operators).0
        let after = read(Self.sound.replacing("https://id.example.com", with: "https://new.example.com") + operators).0
        let none = read("publicURL: https://console.example.com").0
        for (name, subject, email) in [("ann", "1", "ann@example.com"), ("ben", "7", nil)] as [(String, String, String?)] {
            let person = OperatorPerson(issuer: "https://id.example.com", subject: subject)
            let session = OperatorSession(
                secret: [], operatorName: name, person: person, reason: nil, signedInAt: Instant(seconds: 0), email: email)
            #expect(before.person(of: session)?.name == name && before.person(person, boundTo: email)?.name == name)
            #expect(after.person(of: session) == nil && after.person(person, boundTo: email) == nil)
            #expect(none.person(of: session) == nil && none.person(person, boundTo: email) == nil)
        }
        // A session without the provider has no issuer.
        let breakGlass = OperatorSession(
            secret: [], operatorName: "break-glass", person: nil, reason: "a test", signedInAt: Instant(seconds: 0))
        #expect(after.person(of: breakGlass) == .breakGlass)
    }

    @Test(arguments: ["common", "organizations", "11111111-2222-3333-4444-555555555555"])
    func `an entry of Microsoft has one issuer for the people of all its tenants`(_ tenant: String) throws {
        let folder = try TestFolder(["secret": "s"])
        let (settings, faults) = read(
            "publicURL: https://console.example.com\n"
                + "provider: {microsoft.com: {clientId: c, clientSecret: {file: \(folder.path)/secret}, tenant: \(tenant)}}\n"
                + "operators: [{name: ben, subject: '7', role: viewer}]")
        #expect(faults == [])
        let person = OperatorPerson(issuer: "https://login.microsoftonline.com", subject: "7")
        #expect(settings.person(person, boundTo: nil)?.name == "ben")
    }

    @Test func `notes an operator by address whom the provider can never prove`() throws {
        let folder = try TestFolder(["secret": "s"])
        chmod("\(folder.path)/secret", 0o600)
        func notes(_ provider: String, _ entry: String) -> [String] {
            let faults = Faults()
            let text =
                "console:\n  publicURL: https://console.example.com\n  provider: {\(provider)}\n  operators: [{name: ann, \(entry), role: admin}]\n"
            let section = ConfigFile.read(text: text, name: "x", faults: faults).section("console")
            _ = ConsoleSettings(section, apiURL: "https://auth.example.com", development: false)
            #expect(faults.isEmpty, "\(faults.all)")
            return faults.notes.map(\.message)
        }
        func issuer(_ more: String = "") -> String { "oidc.staff: {issuer: https://id.example.com, clientId: c, clientAuth: none\(more)}" }
        let bare = notes(issuer(), "email: ann@example.com")
        #expect(bare.count == 1 && bare[0].hasPrefix("ann@example.com can never be bound"))
        #expect(notes(issuer(", authoritativeDomains: [other.example]"), "email: ann@example.com") == bare)
        #expect(notes(issuer(", authoritativeDomains: [example.com]"), "email: ann@example.com") == [])
        // The subject says who it is; the address is for mails.
        #expect(notes(issuer(), "email: ann@example.com, subject: '1'") == [])
        #expect(notes("google.com: {clientId: c, clientSecret: {file: \(folder.path)/secret}}", "email: ann@example.com") == [])
    }

    @Test func `notes an operator of a project that is not there`() {
        let faults = Faults()
        let entry = "{name: ann, subject: '1', role: admin, projects: [shop, spoh]}"
        let lines = "console:\n  publicURL: https://console.example.com\n  operators: [\(entry)]\n"
        let section = ConfigFile.read(text: lines, name: "x", faults: faults).section("console")
        let settings = ConsoleSettings(section, apiURL: "https://auth.example.com", development: false)
        settings.noteMissingProjects(among: ["shop", "other"], in: section)
        #expect(faults.notes.map(\.message) == ["ann may see the project spoh, but no project file has this id"])
    }

    /// Lines of the section, and their one fault.
    @Test(arguments: [
        ("publicURL: http://console.example.com", "must be https"),
        ("publicURL: https://console.example.com/path", "expected the URL"),
        ("publicURL: https://auth.example.com", "is that of the API"),
        (sound + "operators: [{email: ann@example.com}]", "viewer, support or admin"),
        (sound + "operators: [{role: admin, name: ann}]", "say who the operator is"),
        (sound + "operators: [{role: admin, subject: '1'}]", "the name that audit events have"),
        (sound + "operators: [{role: admin, name: break-glass, subject: '1'}]", "is the name of sessions without the provider"),
        (sound + "operators: [{role: admin, name: a, subject: '1'}, {role: admin, name: a, subject: '2'}]", "two have the name a"),
        (sound + "operators: [{role: admin, name: a, subject: '1'}, {role: admin, name: b, subject: '1'}]", "two have the subject 1"),
        (
            sound + "operators: [{role: admin, email: a@x.example, subject: '1'}, {role: admin, name: b, email: A@X.example}]",
            "two have the address a@x.example"
        ),
        (sound + "operators: [{role: admin, name: a, subject: '1', projects: []}]", "names no project"),
        (sound + "operators: [{role: owner, name: a, subject: '1'}]", "expected one of: viewer, support, admin"),
        ("publicURL: https://console.example.com\noperators: [{role: admin, name: a, subject: '1'}]", "the entry of the provider"),
        (
            "publicURL: https://console.example.com\n"
                + "provider: {oidc.a: {issuer: https://a.example, clientId: c, clientAuth: none}, oidc.b: {issuer: https://b.example, clientId: c, clientAuth: none}}",
            "operators sign in at one"
        ),
        (
            "publicURL: https://console.example.com\nprovider: {oidc.a: {issuer: https://a.example, clientId: c, clientAuth: none, responseMode: formPost}}",
            "answers by redirect"
        ),
        (sound + "nothing: 1", "unknown key"),
    ])
    func `names what is wrong`(_ yaml: String, _ fault: String) {
        let faults = read(yaml).faults
        #expect(faults.count == 1 && faults[0].contains(fault), "\(faults)")
    }
}
