import Config
import JOSE
import Mail
import TestKit
import Testing

@testable import ProjectSettings

/// What a project's file says, as `ProjectSettings` has it.
@Suite struct ReadingProjectSettingsTests {
    private static let smallest = """
        project: acme
        number: 7
        apiKeys: [key]
        authorizedDomains: [app.example.com]
        """

    /// - Parameter more: what the file says besides the smallest one.
    private func read(_ more: String = "", development: Bool = false) throws -> (settings: ProjectSettings, faults: [String]) {
        let folder = try TestFolder(["acme.yaml": Self.smallest + "\n" + more])
        let faults = Faults()
        let section = ConfigFile.read("\(folder.path)/acme.yaml", environment: [:], faults: faults)
        let mail = section.section("mail")
        let settings = ProjectSettings(section, mail: mail, development: development, publicURL: "https://auth.example.com")
        mail.finish()
        section.finish()
        return (settings, faults.all.map { String($0.description.dropFirst(folder.path.count + 1)) })
    }

    @Test func `has Firebase's defaults where the file says nothing`() throws {
        let (settings, faults) = try read()
        #expect(faults == [])
        #expect(settings.id == "acme")
        #expect(settings.number == 7)
        #expect(settings.apiKeys == ["key"])
        #expect(settings.authorizedDomains == ["app.example.com"])
        #expect(settings.tokens.issuer == .firebase)
        #expect(settings.tokens.lifetime == .seconds(3600))
        #expect(!settings.signIn.password)
        #expect(settings.signIn.signUp)
        #expect(settings.signIn.oneAccountPerEmail && settings.signIn.linking == .firebase)
        #expect(settings.emailEnumerationProtection)
        #expect(settings.sessions.refresh == .rotating)
        #expect(settings.sessions.idle == nil)
        #expect(settings.branding == Branding(name: "acme"))
        #expect(settings.passwordPolicy == PasswordPolicy())
    }

    @Test func `SEC-22 takes tokens without a signature in development alone`() throws {
        let (settings, faults) = try read("tokens: {algorithm: none}", development: true)
        #expect(faults == [] && settings.tokens.unsigned)
        let (production, refused) = try read("tokens: {algorithm: none}")
        #expect(!production.tokens.unsigned && production.tokens.algorithm == .rs256)
        #expect(refused.count == 1 && refused[0].hasSuffix("tokens.algorithm: expected one of: RS256, ES256"))
    }

    @Test func `reads every subject`() throws {
        let (settings, faults) = try read(
            """
            redirectURLs: ["https://app.example.com/done"]
            apps:
              - ios: {bundleId: com.example.app, appId: "1:7:ios:abc"}
              - android: {package: com.example.app, sha1: ["\(String(repeating: "ab", count: 20))"]}
            redirect: {publicURL: "https://app.example.com", relay: false, returnToken: true, iframeTransport: google}
            tokens: {issuer: gatehouse, lifetime: 10m, algorithm: ES256}
            signIn: {password: true, emailLink: true, anonymous: true, signUp: false, deletion: false, recentLogin: 1m, oneAccountPerEmail: false,
              linking: neverOverwrite}
            emailEnumerationProtection: false
            sessions: {refresh: static, idle: 30d}
            customTokens: {singleUse: true}
            passwordPolicy: {enforcement: enforce, minLength: 8, maxLength: 64, numeric: true}
            limits: {signUp: {perProject: 5 per 1d}}
            branding: {name: Acme, accent: "#FFCC00", language: pt-BR}
            mail: {from: "Acme <hello@example.com>", replyTo: help@example.com, actionURL: "https://app.example.com/action"}
            """)
        #expect(faults == [])
        #expect(settings.redirectURLs == ["https://app.example.com/done"])
        #expect(settings.apps.count == 2)
        #expect(settings.redirect.publicURL == "https://app.example.com")
        #expect(!settings.redirect.relay)
        #expect(settings.redirect.returnToken)
        #expect(settings.redirect.iframeTransport == .google)
        #expect(settings.tokens.issuer == .gatehouse)
        #expect(settings.tokens.lifetime == .seconds(600))
        #expect(settings.tokens.algorithm == .es256)
        #expect(settings.signIn.password && settings.signIn.emailLink && settings.signIn.anonymous)
        #expect(!settings.signIn.signUp && !settings.signIn.deletion && !settings.signIn.oneAccountPerEmail)
        #expect(settings.signIn.recentLogin == .seconds(60) && settings.signIn.linking == .neverOverwrite)
        #expect(!settings.emailEnumerationProtection)
        #expect(settings.sessions.refresh == .static)
        #expect(settings.sessions.idle == .seconds(30 * 86400))
        #expect(settings.customTokens.singleUse)
        #expect(settings.passwordPolicy.enforcement == .enforce)
        #expect(settings.passwordPolicy.minLength == 8)
        #expect(settings.passwordPolicy.requiresNumeric)
        #expect(settings.limits[.signUp, .project] == Rate(5, per: .seconds(86400)))
        #expect(settings.branding == Branding(name: "Acme", accent: "#ffcc00", language: "pt-BR"))
        #expect(settings.mail.from == Mailbox("Acme <hello@example.com>"))
        #expect(settings.mail.actionURL == "https://app.example.com/action")
    }

    @Test(arguments: [
        ("sessions: {idle: 1h}", "sessions.idle: expected 0 (sessions last until they are ended), or 1d to 3650d"),
        ("tokens: {lifetime: 1m}", "tokens.lifetime"), ("tokens: {algorithm: HS256}", "tokens.algorithm"),
        ("branding: {accent: red}", "branding.accent: expected a colour"), ("branding: {language: e}", "branding.language"),
        ("redirectURLs: [\"http://app.example.com/\"]", "redirectURLs"), ("mail: {actionURL: \"https://a.example/?x\"}", "mail.actionURL"),
        ("redirect: {publicURL: \"http://app.example.com\"}", "redirect.publicURL"), ("sesions: {}", "did you mean \"sessions\"?"),
        ("passwordPolicy: {minLength: 3}", "passwordPolicy.minLength"), ("signIn: {pasword: true}", "did you mean \"password\"?"),
        ("apps: [{ios: {bundleId: com.example.app, appId: \"1:7:ios:abc\"}}]", "lacks auth.example.com"),
        ("apps: [{android: {package: com.example.app, sha1: ab}}]", "apps[0].android.sha1: expected the SHA-1 of a signing certificate"),
        ("apps: [{android: {package: com.example.app, sha1: [ab]}}]", "apps[0].android.sha1[0]: expected the SHA-1"),
        ("apps: [{android: {package: com.example.app, sha1: []}}]", "apps[0].android.sha1: has no fingerprint"),
        ("apps: [{android: {package: com.example.app}}]", "apps[0].android.sha1: is missing; the SHA-1"),
        ("redirectURLs: [\"https://*.example.com/done\"]", "redirectURLs"),
    ])
    func `says what is wrong, once`(line: String, message: String) throws {
        let (_, faults) = try read(line)
        #expect(faults.count == 1)
        #expect(faults.first?.contains(message) == true, "\(faults)")
    }

    @Test func `allows plain http of this machine only in development mode`() throws {
        let line = "redirectURLs: [\"http://localhost:5173/done\"]"
        #expect(try read(line, development: true).settings.redirectURLs == ["http://localhost:5173/done"])
        #expect(try read(line).faults.count == 1)
    }
}
