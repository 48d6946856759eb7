import Accounts
import JSON
import ProjectSettings
import Testing

@testable import IdentityToolkit
import Text

@Suite struct PasswordPolicyAnswerTests {
    private let allowed: JSON = [
        "^", "$", "*", ".", "[", "]", "{", "}", "(", ")", "?", "\"", "!", "@", "#", "%", "&", "/", "\\", ",", ">", "<", "'", ":", ";", "|",
        "_", "~",
    ]

    @Test func `answers a project without a policy only with the lengths`() throws {
        #expect(
            try JSON(encoding: GetPasswordPolicy.Output(PasswordPolicy())) == [
                "customStrengthOptions": ["minPasswordLength": 6, "maxPasswordLength": 4096],
                "allowedNonAlphanumericCharacters": allowed, "enforcementState": "OFF", "schemaVersion": 1,
            ])
    }

    @Test func `answers what is asked for as true and leaves out the rest`() throws {
        var policy = PasswordPolicy()
        policy.enforcement = .enforce
        policy.minLength = 8
        policy.maxLength = 30
        policy.requiresUppercase = true
        policy.requiresNonAlphanumeric = true
        policy.forceUpgradeOnSignIn = true
        #expect(
            try JSON(encoding: GetPasswordPolicy.Output(policy)) == [
                "customStrengthOptions": [
                    "minPasswordLength": 8, "maxPasswordLength": 30, "containsUppercaseCharacter": true,
                    "containsNonAlphanumericCharacter": true,
                ],
                "allowedNonAlphanumericCharacters": allowed, "enforcementState": "ENFORCE", "forceUpgradeOnSignin": true,
                "schemaVersion": 1,
            ])
    }
}
