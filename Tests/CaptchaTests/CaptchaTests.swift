import Config
import Curl
import HTTP
import JSON
import Runtime
import TestKit
import Testing
import Text

@testable import Captcha

/// What is asked of each service, and what its answers come to.
@Suite struct CaptchaTests {
    private static let now = Instant(seconds: 1_795_256_085)  // 2026-11-21T10:14:45Z
    static let names: [String] = Captchas.all.map { $0.name }

    static func service(_ name: String, _ more: String = "") throws -> any Captcha {
        let entry = name == "recaptchaEnterprise" ? "projectId: acme-prod\napiKey: {env: SECRET}" : "secret: {env: SECRET}"
        let read = try read(name, "siteKey: 0x4AAA\n\(entry)\n\(more)")
        #expect(read.faults == [])
        return try #require(read.service)
    }

    /// What reading the settings gave.
    struct Reading {
        let service: (any Captcha)?
        let faults: [String]
    }

    static func read(_ name: String, _ text: String, development: Bool = false) throws -> Reading {
        let kind = try #require(Captchas.all.first { $0.name == name })
        let folder = try TestFolder(["captcha.yaml": text])
        let faults = Faults()
        let section = ConfigFile.read("\(folder.path)/captcha.yaml", environment: ["SECRET": "s3cret&"], faults: faults)
        let service = kind.init(section, development: development)
        return Reading(service: service, faults: faults.all.map { "\($0.path): \($0.message)" })
    }

    private static func attempt(_ token: UTF8Text = "tok+en", _ action: CaptchaAction = .sendVerificationCode) -> CaptchaAttempt {
        CaptchaAttempt(token: token, action: action, address: "192.0.2.7", userAgent: "Browser/1")
    }

    @Test(arguments: [
        ("turnstile", "https://challenges.cloudflare.com/turnstile/v0/siteverify", ""),
        ("hcaptcha", "https://api.hcaptcha.com/siteverify", "&sitekey=0x4AAA"),
        ("recaptcha", "https://www.google.com/recaptcha/api/siteverify", ""),
    ])
    func `asks with secret, token and address in a form`(name: String, url: String, more: String) throws {
        let request = try #require(try Self.service(name).request(Self.attempt()))
        #expect(request.method == .post && request.url == url)
        #expect(request.headers["content-type"] == "application/x-www-form-urlencoded")
        #expect(String(decoding: request.body ?? [], as: UTF8.self) == "secret=s3cret%26&response=tok%2Ben&remoteip=192.0.2.7" + more)
    }

    @Test func `asks reCAPTCHA Enterprise for an assessment of the action`() throws {
        let request = try #require(try Self.service("recaptchaEnterprise").request(Self.attempt("t", .mfaSmsSignIn)))
        #expect(request.url == "https://recaptchaenterprise.googleapis.com/v1/projects/acme-prod/assessments?key=s3cret%26")
        let event: JSON = [
            "token": "t", "siteKey": "0x4AAA", "expectedAction": "mfaSmsSignIn", "userIpAddress": "192.0.2.7", "userAgent": "Browser/1",
        ]
        #expect(try JSON.parse(request.body ?? []) == ["event": event])
    }

    @Test(arguments: CaptchaTests.names)
    func `asks nothing about a token that cannot be one`(name: String) throws {
        let service = try Self.service(name)
        #expect(service.request(Self.attempt("")) == nil)
        #expect(service.request(Self.attempt(UTF8Text(String(repeating: "a", count: 16385)))) == nil)
        let isLong = service.request(Self.attempt(UTF8Text(String(repeating: "a", count: 2049)))) != nil
        #expect(isLong == (name != "turnstile"))
    }

    private static let solved = CaptchaVerdict.solved(at: .page(host: "app.example.com"))
    private static let turnstile: JSON.Object = [
        "success": true, "hostname": "App.Example.com", "challenge_ts": "2026-11-21T10:10:00.123Z", "action": "sendVerificationCode",
    ]

    private static let answers: [(String, JSON.Object, CaptchaAction, CaptchaVerdict)] = [
        ("turnstile", turnstile, .sendVerificationCode, solved),
        // Our own script does not know what the code is for.
        ("turnstile", turnstile, .mfaSmsSignIn, solved),
        ("turnstile", with(turnstile, "action", "mfaSmsSignIn"), .mfaSmsSignIn, solved),
        ("turnstile", with(turnstile, "action", "mfaSmsSignIn"), .sendVerificationCode, .otherAction),
        ("turnstile", with(turnstile, "action", ""), .sendVerificationCode, .otherAction),
        ("turnstile", with(turnstile, "action", nil), .sendVerificationCode, .otherAction),
        ("turnstile", with(turnstile, "challenge_ts", "2026-11-21T10:09:45Z"), .sendVerificationCode, .refused("the token is too old")),
        ("turnstile", with(turnstile, "challenge_ts", "2026-11-21T10:09:46Z"), .sendVerificationCode, solved),
        (
            "turnstile", ["success": false, "error-codes": ["timeout-or-duplicate"]], .sendVerificationCode,
            .refused("timeout-or-duplicate")
        ),
        ("hcaptcha", ["success": true, "hostname": "app.example.com"], .sendVerificationCode, solved),
        ("hcaptcha", ["success": false, "error-codes": ["a", "b"]], .sendVerificationCode, .refused("a, b")),
        ("hcaptcha", ["success": false], .sendVerificationCode, .refused("")),
        ("recaptcha", ["success": true, "hostname": "app.example.com"], .mfaSmsEnrollment, solved),
        (
            "recaptcha", ["success": false, "error-codes": ["invalid-input-response"]], .sendVerificationCode,
            .refused("invalid-input-response")
        ),
    ]

    @Test(arguments: answers)
    func `tells what the answer of a check comes to`(
        name: String, answer: JSON.Object, action: CaptchaAction, verdict: CaptchaVerdict
    ) throws {
        #expect(try Self.service(name).verdict(.object(answer), on: Self.attempt("t", action), at: Self.now) == verdict)
    }

    @Test(
        arguments: [
            ("turnstile", with(turnstile, "hostname", nil)), ("turnstile", with(turnstile, "challenge_ts", nil)),
            ("turnstile", with(turnstile, "challenge_ts", "yesterday")), ("turnstile", with(turnstile, "success", "true")),
            ("turnstile", ["success": false, "error-codes": ["invalid-input-secret"]]),
            ("hcaptcha", ["success": false, "error-codes": ["sitekey-secret-mismatch"]]),
            ("hcaptcha", ["success": true, "hostname": ""]), ("recaptcha", ["success": true]), ("recaptcha", [:]),
            ("recaptchaEnterprise", [:]), ("recaptchaEnterprise", ["tokenProperties": ["valid": "true"]]),
            ("recaptchaEnterprise", ["tokenProperties": ["valid": true, "action": "sendVerificationCode", "hostname": "a.example"]]),
            ("recaptchaEnterprise", ["tokenProperties": ["valid": true, "action": "sendVerificationCode"], "riskAnalysis": ["score": 1]]),
        ] as [(String, JSON.Object)])
    func `has no verdict where the answer says nothing about the token`(name: String, answer: JSON.Object) throws {
        let service = try Self.service(name)
        #expect(throws: CaptchaFailure.self) { try service.verdict(.object(answer), on: Self.attempt(), at: Self.now) }
    }

    private static func with(_ object: JSON.Object, _ name: UTF8Text, _ value: JSON?) -> JSON.Object {
        var object = object
        object[name] = value
        return object
    }

    @Test(
        arguments: [
            (["valid": true, "action": "mfaSmsSignIn", "hostname": "App.example.com"], 0.5, solved),
            (
                ["valid": true, "action": "mfaSmsSignIn", "hostname": "", "iosBundleId": "com.example.app"], 0.9,
                .solved(at: .app("com.example.app"))
            ),
            (["valid": true, "action": "mfaSmsSignIn", "androidPackageName": "com.example.app"], 1, .solved(at: .app("com.example.app"))),
            (["valid": true, "action": "mfaSmsSignIn", "hostname": "a.example"], 0.49, .refused("the score is too low")),
            (["valid": true, "action": "sendVerificationCode", "hostname": "a.example"], 0.9, .otherAction),
            (["valid": false, "invalidReason": "DUPE"], 0.9, .refused("DUPE")),
        ] as [(JSON, Double, CaptchaVerdict)])
    func `takes an assessment of the action with the score that is asked for`(
        properties: JSON, score: Double, verdict: CaptchaVerdict
    ) throws {
        let answer: JSON = ["tokenProperties": properties, "riskAnalysis": ["score": .number(score)]]
        let service = try Self.service("recaptchaEnterprise")
        #expect(try service.verdict(answer, on: Self.attempt("t", .mfaSmsSignIn), at: Self.now) == verdict)
    }

    @Test func `has no verdict from a service that does not answer, or answers something else`() async throws {
        let upstream = FakeUpstream()
        let service = try Self.service("turnstile")
        let url = "https://challenges.cloudflare.com/turnstile/v0/siteverify"
        func failure() async -> String {
            do {
                return "\(try await service.verdict(of: Self.attempt(), by: upstream, at: Self.now))"
            } catch { return error.description }
        }
        upstream.fail(url, .timedOut)
        #expect(await failure() == "it did not answer in time")
        upstream.answer(url, text: "<html>")
        #expect(await failure() == "it answered 200 with something that is not JSON")
        upstream.answer(url, .object(Self.turnstile), status: 500)
        #expect(await failure() == "it answered 500")
        upstream.answer(url, .object(Self.turnstile))
        #expect(try await service.verdict(of: Self.attempt(), by: upstream, at: Self.now) == Self.solved)
        #expect(upstream.requests.count == 4)
    }
}
