import Testing

@testable import Captcha

/// The settings of the services.
@Suite struct CaptchaSettingsTests {
    @Test(arguments: CaptchaTests.names)
    func `knows the script, and what the page must allow for it`(name: String) throws {
        let widget = try CaptchaTests.service(name).widget
        #expect(widget.kind == name && widget.siteKey == "0x4AAA")
        let sources = widget.sources.map { String($0.split(separator: "*").last ?? "") }
        #expect(sources.contains { widget.script.contains($0) })
    }

    @Test func `takes other addresses of a service, and allows their origin`() throws {
        let widget = try CaptchaTests.service("recaptcha", "scriptURL: https://www.recaptcha.net/recaptcha/api.js").widget
        #expect(widget.script == "https://www.recaptcha.net/recaptcha/api.js" && widget.sources.last == "https://www.recaptcha.net")
    }

    @Test(arguments: [
        ("turnstile", "siteKey: a", ["secret: is missing; write {env: NAME} or {file: path}"]),
        ("turnstile", "{siteKey: 'a b', secret: {env: SECRET}}", ["siteKey: expected the site key of the service: letters"]),
        ("hcaptcha", "secret: {env: SECRET}", ["siteKey: is missing"]),
        ("hcaptcha", "{siteKey: a, secret: {env: SECRET}, verifyURL: 'http://localhost/'}", ["verifyURL: expected an https URL"]),
        ("recaptcha", "{siteKey: a, secret: {env: SECRET}, scriptURL: 'https://a.example/?x'}", ["scriptURL: expected an https URL"]),
        ("recaptcha", "{siteKey: a, secret: {env: SECRET}, score: 3}", ["score: unknown key"]),
        ("recaptchaEnterprise", "siteKey: a", ["projectId: is missing", "apiKey: is missing"]),
        (
            "recaptchaEnterprise", "{siteKey: a, projectId: A/b, apiKey: {env: SECRET}, minimumScore: 101}",
            ["projectId: expected the id", "minimumScore: expected a whole number from 0 to 100"]
        ),
    ])
    func `says what is wrong`(name: String, text: String, reasons: [String]) throws {
        let faults = try CaptchaTests.read(name, text).faults
        #expect(faults.count == reasons.count)
        for (fault, reason) in zip(faults, reasons) { #expect(fault.hasPrefix(reason)) }
    }

    @Test func `takes addresses of this machine in development mode alone`() throws {
        let text = "{siteKey: a, secret: {env: SECRET}, verifyURL: 'http://localhost:9/v', scriptURL: 'http://localhost:9/s.js'}"
        let read = try CaptchaTests.read("turnstile", text, development: true)
        #expect(read.faults == [])
        let widget = try #require(read.service).widget
        #expect(widget.script == "http://localhost:9/s.js" && widget.sources.last == "http://localhost:9")
        #expect(try CaptchaTests.read("turnstile", text).faults.count == 2)
    }
}
