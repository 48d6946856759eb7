import Config
import Curl
import HTTP
import JSON
import Runtime
import Text

/// reCAPTCHA Enterprise, by a key without a checkbox. The SDKs have a flow of their own for it, in which native apps make the token, too.
///
/// Differs from the others: the answer has a score from 0 (a program) to 1 (a person), and the action that the token was made for.
/// <https://cloud.google.com/recaptcha/docs/reference/rest/v1/projects.assessments/create>
struct RecaptchaEnterprise: Captcha {
    static let name = "recaptchaEnterprise"
    let madeBySDK = true
    private let siteKey: String
    private let apiKey: Secret
    /// The least score that counts, in hundredths.
    private let score: Int
    private let script: String
    /// The address that makes assessments.
    private let url: String

    init?(_ section: Section, development: Bool) {
        let siteKey = section.siteKey()
        section.require("projectId", "the id of the Google Cloud project that has the key")
        let project = section.value("projectId", expected: "the id of a Google Cloud project, such as acme-prod") { text in
            let fits = text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-") }
            return fits && (1...63).contains(text.utf8.count) ? text : nil
        }
        apiKey = section.requiredSecret("apiKey")
        score = section.int("minimumScore", default: 50, in: 0...100)
        let base = section.address("verifyURL", default: "https://recaptchaenterprise.googleapis.com", development: development)
        let script = section.address("scriptURL", default: "https://www.google.com/recaptcha/enterprise.js", development: development)
        section.finish()
        guard let siteKey, let project, let base, let script else { return nil }
        self.siteKey = siteKey
        self.script = script
        url = (base.hasSuffix("/") ? String(base.dropLast()) : base) + "/v1/projects/\(project)/assessments"
    }

    var widget: CaptchaWidget {
        CaptchaWidget(Self.name, siteKey: siteKey, script: script, sources: Recaptcha.sources, bringsStyle: true)
    }

    func request(_ attempt: CaptchaAttempt) -> OutboundRequest? {
        guard (1...16384).contains(attempt.token.utf8.count) else { return nil }
        var event: JSON.Object = [
            "token": .string(attempt.token), "siteKey": .string(siteKey), "expectedAction": .string(attempt.action.rawValue),
            "userIpAddress": .string(attempt.address),
        ]
        event["userAgent"] = attempt.userAgent.map { .string($0) }
        let form: Form = ["key": UTF8Text(apiKey.reveal())]
        return OutboundRequest(
            .post, "\(url)?\(form.encoded())", headers: ["accept": "application/json", "content-type": "application/json"],
            body: JSON.object(["event": .object(event)]).bytes())
    }

    func verdict(_ answer: JSON, on attempt: CaptchaAttempt, at now: Instant) throws(CaptchaFailure) -> CaptchaVerdict {
        guard let token = answer["tokenProperties"], let isValid = token["valid"]?.bool else {
            throw CaptchaFailure("its answer does not say whether the token is good")
        }
        guard isValid else { return .refused(token["invalidReason"]?.string?.asString ?? "invalid") }
        guard token["action"]?.string == UTF8Text(attempt.action.rawValue) else { return .otherAction }
        guard let score = answer["riskAnalysis"]?["score"]?.number else { throw CaptchaFailure("its answer has no score") }
        guard score * 100 >= Double(self.score) else { return .refused("the score is too low") }
        return try .solved(at: Self.place(token))
    }

    /// Tokens of native apps name the app in place of a host.
    private static func place(_ token: JSON) throws(CaptchaFailure) -> CaptchaPlace {
        for name: UTF8Text in ["hostname", "iosBundleId", "androidPackageName"] {
            guard let text = token[name]?.string, !text.isEmpty else { continue }
            return name == "hostname" ? .page(host: text.asciiLowercased) : .app(text)
        }
        throw CaptchaFailure("its answer does not say where the token was made")
    }
}
