import Config
import Curl
import JSON
import Runtime
import Text

/// reCAPTCHA v2, by a key of Google's for a checkbox or an invisible widget. <https://developers.google.com/recaptcha/docs/verify>
struct Recaptcha: Captcha {
    static let name = "recaptcha"
    private let check: SiteVerify

    /// The sources that pages with a widget of Google's must allow. <https://developers.google.com/recaptcha/docs/faq>
    static let sources = [
        "https://www.google.com/recaptcha/", "https://www.gstatic.com/recaptcha/", "https://recaptcha.google.com/recaptcha/",
    ]

    init?(_ section: Section, development: Bool) {
        guard
            let check = SiteVerify(
                section, verify: "https://www.google.com/recaptcha/api/siteverify", script: "https://www.google.com/recaptcha/api.js",
                development: development)
        else { return nil }
        self.check = check
    }

    var widget: CaptchaWidget {
        CaptchaWidget(Self.name, siteKey: check.siteKey, script: check.script, sources: Self.sources, bringsStyle: true)
    }

    func request(_ attempt: CaptchaAttempt) -> OutboundRequest? { check.request(attempt) }

    func verdict(_ answer: JSON, on attempt: CaptchaAttempt, at now: Instant) throws(CaptchaFailure) -> CaptchaVerdict {
        try check.verdict(answer)
    }
}
