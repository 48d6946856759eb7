import Config
import Curl
import JSON
import Runtime
import Text

/// Cloudflare Turnstile.
///
/// Differs from the others: the answer has the action that the widget was drawn for, and when the person solved it.
/// <https://developers.cloudflare.com/turnstile/get-started/server-side-validation/>
struct Turnstile: Captcha {
    static let name = "turnstile"
    private let check: SiteVerify

    /// How old a token may be.
    private static let longestAge: Duration = .seconds(300)

    init?(_ section: Section, development: Bool) {
        guard
            var check = SiteVerify(
                section, verify: "https://challenges.cloudflare.com/turnstile/v0/siteverify",
                script: "https://challenges.cloudflare.com/turnstile/v0/api.js", development: development)
        else { return nil }
        check.longestToken = 2048
        self.check = check
    }

    /// <https://developers.cloudflare.com/turnstile/reference/content-security-policy/>
    var widget: CaptchaWidget {
        CaptchaWidget(
            Self.name, siteKey: check.siteKey, script: check.script, sources: ["https://challenges.cloudflare.com"], bringsStyle: false)
    }

    func request(_ attempt: CaptchaAttempt) -> OutboundRequest? { check.request(attempt) }

    func verdict(_ answer: JSON, on attempt: CaptchaAttempt, at now: Instant) throws(CaptchaFailure) -> CaptchaVerdict {
        let verdict = try check.verdict(answer)
        guard case .solved = verdict else { return verdict }
        guard let text = answer["challenge_ts"]?.string, let time = Instant(internetTime: text) else {
            throw CaptchaFailure("its answer does not say when the token was made")
        }
        guard time + Self.longestAge > now else { return .refused("the token is too old") }
        // Our own script cannot know what the app asks a code for, and always names the first action.
        let actions = [attempt.action.rawValue, CaptchaAction.sendVerificationCode.rawValue]
        guard let action = answer["action"]?.string, actions.contains(where: { action == $0 }) else { return .otherAction }
        return verdict
    }
}

extension Instant {
    /// A time in UTC, with fractions of a second or without: `2026-11-22T06:45:00.123Z`.
    fileprivate init?(internetTime text: UTF8Text) {
        let parts = text.asString.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let whole = String(decoding: parts.first ?? Substring().utf8, as: UTF8.self)
        self.init(utc: parts.count > 1 ? whole + "Z" : whole)
    }
}
