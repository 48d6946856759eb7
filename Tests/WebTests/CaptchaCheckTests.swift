import Accounts
import Captcha
import Config
import Curl
import HTTP
import JSON
import Logging
import Postgres
import ProjectSettings
import Projects
import Runtime
import TestKit
import Testing
import Text

@testable import Web

/// The proof that an app sends before a text message.
@Suite struct CaptchaCheckTests {
    private static let url = "https://challenges.cloudflare.com/turnstile/v0/siteverify"

    /// A check on a database of its own, a project with Turnstile, and a stand-in for the service.
    private struct Place {
        let upstream = FakeUpstream()
        let time = TestTime()
        let check: CaptchaCheck
        let project: Project
        let site = Site(publicURL: "https://auth.example.com", development: false)

        init(_ more: String = "", id: String = "demo", on database: Database) throws {
            let folder = try TestFolder(["demo.yaml": "{siteKey: a, secret: {env: SECRET}}"])
            let section = ConfigFile.read("\(folder.path)/demo.yaml", environment: ["SECRET": "s"], faults: Faults())
            var settings = ProjectSettings(id: id, number: 7, apiKeys: ["key"], authorizedDomains: ["*.example.org"], redirectURLs: [])
            settings.apps = [.ios(.init(bundleID: "org.example.App", appID: "1:2:ios:3"))]
            settings.redirect.publicURL = "https://login.example.net"
            settings.phone.captcha.service = try #require(Captchas.all.first { $0.name == "turnstile" }).init(section, development: false)
            project = Project(settings: settings, providers: [], publicURL: site.publicURL)
            check = CaptchaCheck(
                CaptchaTokens(database: database, clock: time.clock), upstream: upstream, clock: time.clock, metrics: Metrics())
            answer()
        }

        func answer(host: String = "app.example.org", action: String = "sendVerificationCode") {
            upstream.answer(
                CaptchaCheckTests.url,
                [
                    "success": true, "hostname": .string(host), "action": .string(action),
                    "challenge_ts": .string(Timestamp.text(time.clock.now())),
                ])
        }

        /// The code of the refusal; `nil` where the proof is taken.
        func refusal(_ proof: CaptchaProof, for action: CaptchaAction = .sendVerificationCode, of project: Project? = nil) async -> String?
        {
            do {
                try await check.check(
                    proof, for: action, of: project ?? self.project, at: site, Request(method: .post, path: "/"), log: TestDatabase.silent)
                return nil
            } catch {
                return (error as? Failure)?.code ?? "\(error)"
            }
        }

        func refusal(_ token: UTF8Text, for action: CaptchaAction = .sendVerificationCode) async -> String? {
            await refusal(CaptchaProof(recaptchaToken: token, captchaResponse: "NO_RECAPTCHA"), for: action)
        }
    }

    @Test func `SEC-27 takes a token once in a project, of its own hosts and for its own action alone`() async throws {
        let database = try TestDatabase.open(try await TestDatabase.make())
        let place = try Place(on: database)
        #expect(await place.refusal("first") == nil)
        #expect(await place.refusal("first") == "INVALID_APP_CREDENTIAL")
        #expect(try await Place(id: "other", on: database).refusal("first") == nil)
        for host in ["login.example.net", "auth.example.com"] {
            place.answer(host: host)
            #expect(await place.refusal(UTF8Text(host)) == nil)
        }
        for host in ["example.org", "app.example.org.evil.example", "localhost"] {
            place.answer(host: host)
            #expect(await place.refusal(UTF8Text(host)) == "CAPTCHA_CHECK_FAILED")
        }
        place.answer(action: "login")
        #expect(await place.refusal("login") == "CAPTCHA_CHECK_FAILED")
        // A refused token is not used up.
        place.answer()
        #expect(await place.refusal("login") == nil)
    }

    @Test func `SEC-27 takes one token once when many bring it at the same time`() async throws {
        let database = try TestDatabase.open(try await TestDatabase.make())
        let place = try Place(on: database)
        let taken = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 { group.addTask { await place.refusal("one") == nil } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(taken == 1)
    }

    @Test func `SEC-27 lets nothing through when the service gives no verdict`() async throws {
        let database = try TestDatabase.open(try await TestDatabase.make())
        let place = try Place(on: database)
        place.upstream.fail(Self.url, .timedOut)
        #expect(await place.refusal("t") == "UNAVAILABLE")
        place.upstream.answer(Self.url, text: "no JSON")
        #expect(await place.refusal("t") == "UNAVAILABLE")
        place.upstream.answer(Self.url, ["success": true], status: 500)
        #expect(await place.refusal("t") == "UNAVAILABLE")
        place.upstream.answer(Self.url, ["success": false, "error-codes": ["invalid-input-secret"]])
        #expect(await place.refusal("t") == "UNAVAILABLE")
        place.upstream.answer(Self.url, ["success": false, "error-codes": ["timeout-or-duplicate"]])
        #expect(await place.refusal("t") == "INVALID_APP_CREDENTIAL")
        place.answer()
        #expect(await place.refusal("t") == nil)
    }

    @Test func `prefers the app's own token to the SDK's, and tells a missing proof from one that cannot be checked`() async throws {
        let database = try TestDatabase.open(try await TestDatabase.make())
        let place = try Place(on: database)
        func asked(_ own: UTF8Text?, _ sdk: UTF8Text?) async -> String? {
            #expect(await place.refusal(CaptchaProof(recaptchaToken: own, captchaResponse: sdk)) == nil)
            return place.upstream.requests.last.flatMap { Form($0.body ?? [])?["response"]?.asString }
        }
        #expect(await asked("own", "sdk") == "own")
        #expect(await asked(nil, "sdk") == "sdk")
        #expect(await asked("", "sdk2") == "sdk2")
        let count = place.upstream.requests.count
        #expect(await place.refusal(CaptchaProof(recaptchaToken: nil, captchaResponse: "NO_RECAPTCHA")) == "MISSING_APP_CREDENTIAL")
        #expect(await place.refusal(CaptchaProof(recaptchaToken: "", captchaResponse: nil)) == "MISSING_APP_CREDENTIAL")
        let foreign = CaptchaProof(recaptchaToken: nil, captchaResponse: nil, hasForeignProof: true)
        #expect(await place.refusal(foreign) == "INVALID_APP_CREDENTIAL")
        #expect(place.upstream.requests.count == count)
    }

    @Test func `looks at no token where the project asks for none`() async throws {
        let database = try TestDatabase.open(try await TestDatabase.make())
        let place = try Place(on: database)
        var settings = place.project.settings
        settings.phone.captcha.isRequired = false
        let optional = Project(settings: settings, providers: [], publicURL: place.site.publicURL)
        settings.phone.captcha = .init()
        let without = Project(settings: settings, providers: [], publicURL: place.site.publicURL)
        for project in [optional, without] {
            #expect(await place.refusal(CaptchaProof(recaptchaToken: nil, captchaResponse: nil), of: project) == nil)
        }
        #expect(place.upstream.requests.isEmpty)
    }
}
