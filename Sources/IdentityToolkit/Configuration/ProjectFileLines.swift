import Identity
import JSON
import ProjectSettings
import Projects
import Providers
import Text

/// The lines of a project's file that say what a refused call would have set, so that the operator can paste them. A value of the call stands
/// there only if it cannot be anything but a plain value; "…" stands for every other one, and secrets are always references.
struct ProjectFileLines {
    private var sections: [(name: String, entries: [String])] = []

    var text: String {
        sections.map { section in
            section.name.isEmpty ? section.entries.joined(separator: "; ") : "\(section.name): {\(section.entries.joined(separator: ", "))}"
        }.joined(separator: "; ")
    }

    /// - Parameter config: the body of a call that changes a project's settings.
    init(ofProject config: JSON) {
        let signIn = config["signIn"]
        add(signIn?["email"]?["enabled"], as: "password", in: "signIn")
        add(signIn?["email"]?["passwordRequired"], as: "emailLink", in: "signIn", isOpposite: true)
        add(signIn?["anonymous"]?["enabled"], as: "anonymous", in: "signIn")
        add(signIn?["allowDuplicateEmails"], as: "oneAccountPerEmail", in: "signIn", isOpposite: true)
        addCommon(config, factors: config["mfa"])
        add(signIn?["phoneNumber"]?["enabled"], as: "enabled", in: "phone")
        addNumbers(signIn?["phoneNumber"]?["testPhoneNumbers"])
        addList(config["authorizedDomains"], as: "authorizedDomains", in: "")
        if let language = config["notification"]?["defaultLocale"] { add("language: \(Self.quoted(language))", in: "branding") }
        if let address = config["notification"]?["sendEmail"]?["callbackUri"] { add("actionURL: \(Self.quoted(address))", in: "mail") }
        for event in HookEvent.allCases {
            guard let trigger = config["blockingFunctions"]?["triggers"]?[UTF8Text(event.rawValue)] else { continue }
            add("\(event.rawValue): {url: \(Self.quoted(trigger["functionUri"] ?? .null))}", in: "hooks")
        }
        if let allowed = config["multiTenant"]?["allowTenants"]?.bool { add("dynamicTenants: \(allowed)", in: "") }
    }

    /// - Parameter config: the body of a call that makes or changes a tenant.
    init(ofTenant config: JSON) {
        if let name = config["displayName"] { add("displayName: \(Self.quoted(name))", in: "") }
        if let disabled = config["disableAuth"]?.bool { add("enabled: \(!disabled)", in: "") }
        add(config["allowPasswordSignup"], as: "password", in: "signIn")
        add(config["enableEmailLinkSignin"], as: "emailLink", in: "signIn")
        add(config["enableAnonymousUser"], as: "anonymous", in: "signIn")
        addCommon(config, factors: config["mfaConfig"])
        addNumbers(config["testPhoneNumbers"])
    }

    /// An entry of `providers:` with what the body of a call says of it, on one line; empty for an id that no provider has.
    static func entry(of id: UTF8Text?, _ body: JSON.Object) -> String {
        guard let id, id.utf8.count <= 128 else { return "" }
        let known = ["issuer", "clientId"].compactMap { key in
            body[UTF8Text(key)].flatMap(plain).map { (key, JSON.string($0)) }
        }
        let entry = Provider.entry(of: id.asString, knowing: Dictionary(known, uniquingKeysWith: { first, _ in first }))
        guard let lines = entry?.split(separator: "\n").map({ $0.drop { $0 == " " } }), let first = lines.first else { return "" }
        var values = lines.dropFirst().map(String.init)
        if body["enabled"]?.bool == false { values.append("enabled: false") }
        return "providers: {\(first) {\(values.joined(separator: ", "))}}"
    }

    private mutating func addCommon(_ config: JSON, factors: JSON?) {
        let permissions = config["client"]?["permissions"]
        add(permissions?["disabledUserSignup"], as: "signUp", in: "signIn", isOpposite: true)
        add(permissions?["disabledUserDeletion"], as: "deletion", in: "signIn", isOpposite: true)
        if let protects = config["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"]?.bool {
            add("emailEnumerationProtection: \(protects)", in: "")
        }
        if let state = factors?["state"]?.string.flatMap(MFAConfig.State.init(exactly:)) {
            let word = [.withoutFactors: "disabled", .withFactors: "enabled"][state, default: "mandatory"]
            add("state: \(word)", in: "mfa")
        }
        if let providers = factors?["enabledProviders"]?.array { add("sms: \(providers.contains("PHONE_SMS"))", in: "mfa") }
        if let apps = factors?["providerConfigs"]?.array {
            add("totp: {enabled: \(apps.contains { $0["state"] != "DISABLED" && $0["totpProviderConfig"] != nil })}", in: "mfa")
        }
        addPolicy(config["passwordPolicyConfig"])
        addList(config["smsRegionConfig"]?["allowlistOnly"]?["allowedRegions"], as: "regions", in: "phone")
        if config["smsRegionConfig"]?["allowByDefault"] != nil { add("regions: [\"*\"]", in: "phone") }
    }

    private mutating func addPolicy(_ policy: JSON?) {
        if let state = policy?["passwordPolicyEnforcementState"]?.string {
            add("enforcement: \(state == "ENFORCE" ? "enforce" : "off")", in: "passwordPolicy")
        }
        add(policy?["forceUpgradeOnSignin"], as: "forceUpgradeOnSignIn", in: "passwordPolicy")
        let options = policy?["passwordPolicyVersions"]?.array?.last?["customStrengthOptions"]
        for (name, key) in [("minPasswordLength", "minLength"), ("maxPasswordLength", "maxLength")] {
            if let length = options?[UTF8Text(name)]?.integer { add("\(key): \(length)", in: "passwordPolicy") }
        }
        for (name, key) in [
            ("Lowercase", "lowercase"), ("Uppercase", "uppercase"), ("Numeric", "numeric"), ("NonAlphanumeric", "nonAlphanumeric"),
        ] {
            add(options?[UTF8Text("contains\(name)Character")], as: key, in: "passwordPolicy")
        }
    }

    private mutating func add(_ flag: JSON?, as key: String, in section: String, isOpposite: Bool = false) {
        if let flag = flag?.bool { add("\(key): \(flag != isOpposite)", in: section) }
    }

    private mutating func addList(_ list: JSON?, as key: String, in section: String) {
        guard let list = list?.array else { return }
        add("\(key): [\(list.prefix(Self.most).map(Self.quoted).joined(separator: ", "))]", in: section)
    }

    private mutating func addNumbers(_ numbers: JSON?) {
        guard let numbers = numbers?.object else { return }
        let pairs = numbers.prefix(Self.most).map { "\(Self.quoted(.string($0.name))): \(Self.quoted($0.value))" }
        add("testNumbers: {\(pairs.joined(separator: ", "))}", in: "phone")
    }

    private mutating func add(_ entry: String, in section: String) {
        if let index = sections.firstIndex(where: { $0.name == section }) {
            sections[index].entries.append(entry)
        } else {
            sections.append((section, [entry]))
        }
    }

    private static let most = 20

    private static func quoted(_ value: JSON) -> String { plain(value).map { "\"\($0)\"" } ?? "…" }

    /// The text if it has nothing but letters, digits and the marks of hosts, addresses, numbers and ids.
    private static func plain(_ value: JSON) -> String? {
        guard let text = value.string, (1...128).contains(text.utf8.count) else { return nil }
        let isPlain = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || "-._~:/@+ ".utf8.contains(byte)
        }
        return isPlain ? text.asString : nil
    }
}
