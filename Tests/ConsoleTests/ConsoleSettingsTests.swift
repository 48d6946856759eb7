import Accounts
import Config
import Runtime
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
