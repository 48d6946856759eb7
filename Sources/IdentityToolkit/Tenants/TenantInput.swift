import Crypto
import Identity
import JSON
import ProjectSettings
import Projects
import Text
import Web

/// The settings of a tenant that a call may set. What is not here, the template file says.
struct TenantInput: Decodable, Sendable {
    var displayName: UTF8Text?
    var allowPasswordSignup: Bool?
    var enableEmailLinkSignin: Bool?
    var enableAnonymousUser: Bool?
    var disableAuth: Bool?
    var mfaConfig: MFAConfig?
    var testPhoneNumbers: [UTF8Text: UTF8Text]?
    var client: Client?
    var emailPrivacyConfig: EmulatorConfig.EmailPrivacy?
    var passwordPolicyConfig: Policy?

    struct Client: Decodable, Sendable { var permissions: Permissions? }
    struct Permissions: Decodable, Sendable { var disabledUserSignup: Bool?, disabledUserDeletion: Bool? }
    struct Policy: Decodable, Sendable {
        var passwordPolicyEnforcementState: Enforcement?
        var forceUpgradeOnSignin: Bool?
        var passwordPolicyVersions: [Version]?
    }
    enum Enforcement: String, WireEnum {
        static let unspecified = "PASSWORD_POLICY_ENFORCEMENT_STATE_UNSPECIFIED"

        case unenforced = "OFF"
        case enforced = "ENFORCE"
    }
    struct Version: Decodable, Sendable { var customStrengthOptions: Options? }
    struct Options: Decodable, Sendable {
        var minPasswordLength: Int?
        var maxPasswordLength: Int?
        var containsLowercaseCharacter: Bool?
        var containsUppercaseCharacter: Bool?
        var containsNumericCharacter: Bool?
        var containsNonAlphanumericCharacter: Bool?
    }

    /// The settings that the API has and that only a file says here.
    private static let ofFiles: Set<UTF8Text> = [
        "recaptchaConfig", "smsRegionConfig", "monitoring", "inheritance", "hashConfig", "mobileLinksConfig", "autodeleteAnonymousUsers",
    ]

    /// Sets in `record` what `mask` names, and what is absent there to nothing; without a mask, what is present.
    ///
    /// - Parameters:
    ///   - members: of the body, whose names the type does not keep.
    ///   - current: the tenant's present settings.
    func set(in record: inout TenantRecord, mask: [UTF8Text], members: JSON.Object, over current: ProjectSettings) throws(Failure) {
        let named = mask.map { $0.split { $0 == UInt8(ascii: ".") }.first ?? "" }
        let sent = members.filter { !$0.value.isNull }.map(\.name)
        if let name = (mask.isEmpty ? sent : named).first(where: Self.ofFiles.contains) {
            throw .operationNotAllowed("\(name) of a tenant is read from \(TenantFile.template), beside the project's folder tenants.")
        }
        if let unknown = zip(mask, named).first(where: { !Self.fields.contains($1) || $0 != $1 && !Self.groups.contains($1) })?.0 {
            throw .invalidArgument("updateMask has \(unknown), which is not a setting of a tenant.")
        }
        /// Whether a setting is set: the mask names it, or a group around it; or there is no mask, and it is there.
        func sets(_ path: UTF8Text, _ isPresent: Bool) -> Bool {
            mask.isEmpty ? isPresent : mask.contains { $0 == path || path.hasPrefix("\($0).") }
        }
        if sets("displayName", displayName != nil) { record.displayName = try displayName.map(Self.name) }
        if sets("allowPasswordSignup", allowPasswordSignup != nil) { record.password = allowPasswordSignup ?? false }
        if sets("enableEmailLinkSignin", enableEmailLinkSignin != nil) { record.emailLink = enableEmailLinkSignin ?? false }
        if sets("enableAnonymousUser", enableAnonymousUser != nil) { record.anonymous = enableAnonymousUser ?? false }
        if sets("disableAuth", disableAuth != nil) { record.enabled = disableAuth != true }
        if sets("testPhoneNumbers", testPhoneNumbers != nil) { record.testNumbers = try Self.numbers(testPhoneNumbers ?? [:]) }
        let permissions = client?.permissions
        if sets("client.permissions.disabledUserSignup", permissions?.disabledUserSignup != nil) {
            record.signUp = permissions?.disabledUserSignup != true
        }
        if sets("client.permissions.disabledUserDeletion", permissions?.disabledUserDeletion != nil) {
            record.deletion = permissions?.disabledUserDeletion != true
        }
        if sets("emailPrivacyConfig.enableImprovedEmailPrivacy", emailPrivacyConfig?.enableImprovedEmailPrivacy != nil) {
            record.emailEnumerationProtection = emailPrivacyConfig?.enableImprovedEmailPrivacy ?? false
        }
        // These two keep what the body does not have, as without a mask, unless the mask names the whole of them.
        func isWhole(_ group: UTF8Text) -> Bool { mask.contains(group) }
        if named.contains("mfaConfig") || mask.isEmpty && mfaConfig != nil {
            var factors = isWhole("mfaConfig") ? ProjectSettings.MultiFactor() : current.multiFactor
            mfaConfig?.set(in: &factors)
            record.secondFactors = TenantRecord.SecondFactors(factors)
        }
        if named.contains("passwordPolicyConfig") || mask.isEmpty && passwordPolicyConfig != nil {
            let former = isWhole("passwordPolicyConfig") ? PasswordPolicy() : current.passwordPolicy
            record.passwordPolicy = try TenantRecord.Policy((passwordPolicyConfig ?? Policy()).policy(over: former))
        }
    }

    /// The settings that consist of others.
    private static let groups: Set<UTF8Text> = ["client", "emailPrivacyConfig", "mfaConfig", "passwordPolicyConfig", "testPhoneNumbers"]
    private static let fields = groups.union([
        "displayName", "allowPasswordSignup", "enableEmailLinkSignin", "enableAnonymousUser", "disableAuth",
    ])

    private static let longestName = 128

    private static func name(_ text: UTF8Text) throws(Failure) -> String {
        guard !text.isEmpty, text.utf8.count <= longestName, ProfileText.isFit(text.asString, most: longestName) else {
            throw .invalidDisplayName
        }
        return text.asString
    }

    private static let mostNumbers = 10

    private static func numbers(_ pairs: [UTF8Text: UTF8Text]) throws(Failure) -> [String: String] {
        let areFit = pairs.allSatisfy { number, code in
            PossiblePhoneNumber(number) != nil && code.utf8.count == 6 && code.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard areFit, pairs.count <= mostNumbers else { throw .invalidTestingPhoneNumber }
        return Dictionary(pairs.map { ($0.asString, $1.asString) }, uniquingKeysWith: { first, _ in first })
    }

    /// An id for a new tenant: its name as far as an id may have it, and five random characters.
    static func newID(named name: String?) -> String {
        let letters = (name ?? "").lowercased().utf8.map { byte -> UInt8 in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) ? byte : UInt8(ascii: "-")
        }
        let stem = String(decoding: letters.drop { !(0x61...0x7A).contains($0) }.prefix(40), as: UTF8.self)
        let random = Random.bytes(5).map { String(Array("abcdefghijklmnopqrstuvwxyz234567")[Int($0 % 32)]) }.joined()
        return "\(stem.isEmpty ? "tenant" : stem)-\(random)"
    }
}

extension TenantInput.Policy {
    fileprivate func policy(over former: PasswordPolicy) throws(Failure) -> PasswordPolicy {
        var policy = former
        if let state = passwordPolicyEnforcementState { policy.enforcement = state == .enforced ? .enforce : .off }
        policy.forceUpgradeOnSignIn = forceUpgradeOnSignin ?? policy.forceUpgradeOnSignIn
        if let options = passwordPolicyVersions?.last?.customStrengthOptions {
            policy.minLength = options.minPasswordLength ?? policy.minLength
            policy.maxLength = options.maxPasswordLength ?? policy.maxLength
            policy.requiresLowercase = options.containsLowercaseCharacter ?? policy.requiresLowercase
            policy.requiresUppercase = options.containsUppercaseCharacter ?? policy.requiresUppercase
            policy.requiresNumeric = options.containsNumericCharacter ?? policy.requiresNumeric
            policy.requiresNonAlphanumeric = options.containsNonAlphanumericCharacter ?? policy.requiresNonAlphanumeric
        }
        guard (PasswordPolicy.shortest...30).contains(policy.minLength),
            policy.minLength <= policy.maxLength, policy.maxLength <= PasswordPolicy.longest
        else {
            throw .invalidArgument("minPasswordLength must be 6 to 30, and maxPasswordLength no less than it and at most 4096.")
        }
        return policy
    }
}
