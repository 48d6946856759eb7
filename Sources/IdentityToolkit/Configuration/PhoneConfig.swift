import Captcha
import ProjectSettings

extension ProjectConfig {
    /// Whether SDKs get tokens from reCAPTCHA Enterprise by themselves; see ``RecaptchaConfig``.
    struct Recaptcha: Codable {
        var emailPasswordEnforcementState = "OFF"
        var phoneEnforcementState: String
        var recaptchaKeys: [Key]?

        struct Key: Codable { var key: String, type: String }

        init(_ settings: ProjectSettings) {
            let siteKey = settings.phone.captcha.siteKeyOfSDK
            phoneEnforcementState = siteKey == nil ? "OFF" : "ENFORCE"
            recaptchaKeys = siteKey.map { [Key(key: "projects/\(settings.id)/keys/\($0)", type: "WEB")] }
        }
    }

    /// The regions whose numbers get messages.
    struct SMSRegions: Codable {
        var allowByDefault: AllowByDefault?
        var allowlistOnly: AllowlistOnly?

        struct AllowByDefault: Codable { var disallowedRegions: [String] }
        struct AllowlistOnly: Codable { var allowedRegions: [String] }

        init(_ phone: ProjectSettings.Phone) {
            if phone.sendsEverywhere {
                allowByDefault = AllowByDefault(disallowedRegions: [])
            } else {
                allowlistOnly = AllowlistOnly(allowedRegions: phone.regions.sorted())
            }
        }
    }
}

extension ProjectSettings.Phone {
    /// The test numbers as the API has them: absent where there are none.
    var shownTestNumbers: [String: String]? { testNumbers.isEmpty ? nil : testNumbers }
}

extension ProjectSettings.PhoneCaptcha {
    /// The key with which SDKs get tokens by themselves; `nil` where they do not.
    var siteKeyOfSDK: String? { check.flatMap { $0.madeBySDK ? $0.widget.siteKey : nil } }
}
