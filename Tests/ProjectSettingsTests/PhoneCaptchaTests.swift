import Captcha
import Config
import TestKit
import Testing

@testable import ProjectSettings

/// `phone.captcha` of a project's file.
@Suite struct PhoneCaptchaTests {
    private func read(_ text: String) throws -> (captcha: ProjectSettings.PhoneCaptcha, faults: [String]) {
        let folder = try TestFolder(["captcha.yaml": text])
        let faults = Faults()
        let section = ConfigFile.read("\(folder.path)/captcha.yaml", environment: ["SECRET": "s"], faults: faults)
        return (ProjectSettings.PhoneCaptcha(section, development: false), faults.all.map { "\($0.path): \($0.message)" })
    }

    @Test func `asks for no proof where no service is named, and for one where one is`() throws {
        let none = try read("{}")
        #expect(none.faults == [] && none.captcha.service == nil && none.captcha.isRequired && none.captcha.check == nil)
        let one = try read("turnstile: {siteKey: a, secret: {env: SECRET}}")
        #expect(one.faults == [] && one.captcha.check?.widget.kind == "turnstile")
        let optional = try read("required: false\nhcaptcha: {siteKey: a, secret: {env: SECRET}}")
        #expect(optional.faults == [] && optional.captcha.service?.widget.kind == "hcaptcha" && optional.captcha.check == nil)
    }

    @Test func `takes one service, by a name that there is`() throws {
        let entry = "{siteKey: a, secret: {env: SECRET}}"
        #expect(
            try read("turnstile: \(entry)\nrecaptcha: \(entry)").faults == [": names recaptcha and turnstile; a project has one service"])
        #expect(try read("turnstil: \(entry)").faults == ["turnstil: unknown key; did you mean \"turnstile\"?"])
    }
}
