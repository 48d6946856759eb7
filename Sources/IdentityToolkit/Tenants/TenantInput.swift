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
    private static let ofFiles: Set<UTF8Text> = ["recaptchaConfig", "smsRegionConfig"]
    /// Those that nothing says here.
    private static let missing: Set<UTF8Text> = [
        "monitoring", "inheritance", "hashConfig", "mobileLinksConfig", "autodeleteAnonymousUsers",
    ]

    /// Reads the body of a call, as far as the mask names it.
    ///
    /// - Throws: for a setting that calls do not set, and for a name in `mask` that is not one.
    static func reading(_ body: JSON.Object, _ mask: UpdateMask) throws(Failure) -> TenantInput {
        let sent = body.filter { !$0.value.isNull }.map { camelCase($0.name) }
        for path in mask.isEmpty ? sent : mask.paths {
            let name = path.split { $0 == UInt8(ascii: ".") }.first ?? ""
            if ofFiles.contains(name) {
                throw .operationNotAllowed("\(name) of a tenant is read from \(TenantFile.template), beside the project's folder tenants.")
            }
            if missing.contains(name) { throw .operationNotAllowed("\(name) of a tenant is not supported.") }
        }
        if let unknown = mask.unknown(among: fields) { throw .unknownInMask(unknown, of: "a tenant") }
        return try JSONBody.decode(TenantInput.self, from: mask.limiting(body))
    }

    /// Sets in `record` what `mask` names, and what is absent there to nothing; without a mask, what is present.
    ///
    /// - Parameter current: the tenant's present settings.
    func set(in record: inout TenantRecord, _ mask: UpdateMask, over current: ProjectSettings) throws(Failure) {
        /// Whether a setting is set: the mask names it, or a group around it; or there is no mask, and it is there.
        func sets(_ path: UTF8Text, _ isPresent: Bool) -> Bool { mask.isEmpty ? isPresent : mask.names(path) }
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
        if let given = MFAConfig.clearing(mfaConfig, mask, "mfaConfig") {
            var factors = current.multiFactor
            given.set(in: &factors)
            record.secondFactors = TenantRecord.SecondFactors(factors)
        }
        // The whole of it begins anew; of a part, the rest stays.
        if passwordPolicyConfig != nil || mask.paths.contains(where: { $0.hasPrefix("passwordPolicyConfig") }) {
            let former = mask.names("passwordPolicyConfig") ? PasswordPolicy() : current.passwordPolicy
            record.passwordPolicy = try TenantRecord.Policy((passwordPolicyConfig ?? Policy()).policy(over: former))
        }
    }

    private static let fields: Set<UTF8Text> = [
        "displayName", "allowPasswordSignup", "enableEmailLinkSignin", "enableAnonymousUser", "disableAuth", "testPhoneNumbers",
        "client", "client.permissions", "client.permissions.disabledUserSignup", "client.permissions.disabledUserDeletion",
        "emailPrivacyConfig", "emailPrivacyConfig.enableImprovedEmailPrivacy",
        "mfaConfig", "mfaConfig.state", "mfaConfig.enabledProviders", "mfaConfig.providerConfigs",
        "passwordPolicyConfig", "passwordPolicyConfig.passwordPolicyEnforcementState", "passwordPolicyConfig.forceUpgradeOnSignin",
        "passwordPolicyConfig.passwordPolicyVersions",
    ]

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
