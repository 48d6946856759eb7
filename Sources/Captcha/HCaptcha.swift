import Config
import Curl
import HTTP
import JSON
import Runtime
import Text

/// hCaptcha. <https://docs.hcaptcha.com/#verify-the-user-response-server-side>
struct HCaptcha: Captcha {
    static let name = "hcaptcha"
    private let check: SiteVerify

    init?(_ section: Section, development: Bool) {
        guard
            let check = SiteVerify(
                section, verify: "https://api.hcaptcha.com/siteverify", script: "https://js.hcaptcha.com/1/api.js", development: development
            )
        else { return nil }
        self.check = check
    }

    /// <https://docs.hcaptcha.com/#content-security-policy-settings>
    var widget: CaptchaWidget {
        CaptchaWidget(
            Self.name, siteKey: check.siteKey, script: check.script, sources: ["https://hcaptcha.com", "https://*.hcaptcha.com"],
            bringsStyle: true)
    }

    /// The service refuses a token that was made for another site key than the one in the form.
    func request(_ attempt: CaptchaAttempt) -> OutboundRequest? { check.request(attempt, ["sitekey": UTF8Text(check.siteKey)]) }

    func verdict(_ answer: JSON, on attempt: CaptchaAttempt, at now: Instant) throws(CaptchaFailure) -> CaptchaVerdict {
        try check.verdict(answer)
    }
}
