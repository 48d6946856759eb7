import Config
import Curl
import HTTP
import JSON
import Runtime
import Text

/// The check that several services have in the same form: a form with secret and token, and an answer with `success` and `hostname`.
struct SiteVerify: Sendable {
    let siteKey: String
    let secret: Secret
    /// The address that takes the form.
    let url: String
    /// The address of the widget's script.
    let script: String
    /// The most bytes that a token can have.
    var longestToken = 16384

    /// The codes of faults that are not the token's: of the secret, of the settings at the service, or of the service.
    /// <https://developers.cloudflare.com/turnstile/get-started/server-side-validation/#error-codes>,
    /// <https://docs.hcaptcha.com/#siteverify-error-codes-table>, <https://developers.google.com/recaptcha/docs/verify#error_code_reference>
    private static let faults: Set<UTF8Text> = [
        "missing-input-secret", "invalid-input-secret", "sitekey-secret-mismatch", "not-using-dummy-secret", "bad-request",
        "internal-error",
        "missing-remoteip", "invalid-remoteip",
    ]

    func request(_ attempt: CaptchaAttempt, _ more: Form = [:]) -> OutboundRequest? {
        guard (1...longestToken).contains(attempt.token.utf8.count) else { return nil }
        var form: Form = [
            "secret": UTF8Text(secret.reveal()), "response": attempt.token, "remoteip": UTF8Text(attempt.address),
        ]
        for field in more.fields { form.add(field.name, field.value) }
        return OutboundRequest(
            .post, url, headers: ["accept": "application/json", "content-type": "application/x-www-form-urlencoded"],
            body: Array(form.encoded().utf8))
    }

    /// The host of the page where the token was made, or the refusal.
    func verdict(_ answer: JSON) throws(CaptchaFailure) -> CaptchaVerdict {
        guard let success = answer["success"]?.bool else { throw CaptchaFailure("its answer does not say whether the token is good") }
        let codes = (answer["error-codes"]?.array ?? []).compactMap(\.string)
        guard success else {
            if let fault = codes.first(where: Self.faults.contains) { throw CaptchaFailure("it answered \(fault)") }
            return .refused(codes.map(\.asString).joined(separator: ", "))
        }
        guard let host = answer["hostname"]?.string, !host.isEmpty else { throw CaptchaFailure("its answer names no hostname") }
        return .solved(at: .page(host: host.asciiLowercased))
    }
}

extension SiteVerify {
    /// Reads `siteKey`, `secret`, and the two addresses where they are others than the service's own.
    init?(_ section: Section, verify: String, script: String, development: Bool) {
        let siteKey = section.siteKey()
        let secret = section.requiredSecret("secret")
        let url = section.address("verifyURL", default: verify, development: development)
        let script = section.address("scriptURL", default: script, development: development)
        section.finish()
        guard let siteKey, let url, let script else { return nil }
        self.init(siteKey: siteKey, secret: secret, url: url, script: script)
    }
}

extension Section {
    /// The public key of the widget.
    func siteKey() -> String? {
        require("siteKey", "the public key that the service gave you for your site")
        return value("siteKey", expected: "the site key of the service: letters, digits, hyphens, underscores and dots") { text in
            let fits = text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
                default: false
                }
            }
            return fits && (1...200).contains(text.utf8.count) ? text : nil
        }
    }

    /// An address of the service; `nil` when it is wrong.
    func address(_ key: String, default standard: String, development: Bool) -> String? {
        let read = value(key, expected: "an https URL without query and fragment") { text in
            guard let uri = URI.parse(text), uri.query == nil, uri.fragment == nil, uri.isSecure(orLoopbackIf: development) else {
                return nil as String?
            }
            return uri.description
        }
        return has(key) ? read : standard
    }
}
