import Config

extension ProjectSettings {
    /// Phone numbers and text messages: `phone` of a project's file.
    package struct Phone: Sendable {
        package var captcha = PhoneCaptcha()

        package init() {}
    }
}

extension ProjectSettings.Phone {
    init(_ section: Section, development: Bool) {
        self.init()
        captcha = ProjectSettings.PhoneCaptcha(section.section("captcha"), development: development)
        section.finish()
    }
}
