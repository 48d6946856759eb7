import Accounts
import HTTP
import ProjectSettings
import Projects
import Text
import Web

/// `GET /v2/passwordPolicy`: the project's rules for passwords, so that an app's form can check a password while the person types.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/TopLevel/getPasswordPolicy>
struct GetPasswordPolicy: Endpoint {
    static let route = Route.client(.get, "/v2/passwordPolicy")

    struct Input: Decodable {}

    struct Output: Codable {
        var customStrengthOptions: Options
        var allowedNonAlphanumericCharacters: [String]
        var enforcementState: String
        var forceUpgradeOnSignin: Bool?
        /// The JS SDK accepts no other version.
        var schemaVersion = 1
    }

    /// Requirements that the project does not have are left out.
    struct Options: Codable {
        var minPasswordLength: Int
        var maxPasswordLength: Int
        var containsLowercaseCharacter: Bool?
        var containsUppercaseCharacter: Bool?
        var containsNumericCharacter: Bool?
        var containsNonAlphanumericCharacter: Bool?
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        try Output(context.project.settings.passwordPolicy)
    }
}

extension GetPasswordPolicy.Output {
    init(_ policy: PasswordPolicy) {
        customStrengthOptions = GetPasswordPolicy.Options(
            minPasswordLength: policy.minLength, maxPasswordLength: policy.maxLength,
            containsLowercaseCharacter: policy.requiresLowercase ? true : nil,
            containsUppercaseCharacter: policy.requiresUppercase ? true : nil,
            containsNumericCharacter: policy.requiresNumeric ? true : nil,
            containsNonAlphanumericCharacter: policy.requiresNonAlphanumeric ? true : nil)
        allowedNonAlphanumericCharacters = PasswordPolicy.nonAlphanumeric.map { String($0) }
        enforcementState = policy.enforcement == .enforce ? "ENFORCE" : "OFF"
        forceUpgradeOnSignin = policy.forceUpgradeOnSignIn ? true : nil
    }
}
