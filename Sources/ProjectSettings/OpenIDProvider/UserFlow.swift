import Config

/// A sign-in page of its own below the OpenID provider, which an app asks for by name: what Azure AD B2C calls a user flow or policy.
package struct UserFlow: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case signUpOrSignIn, signIn, signUp, passwordReset, profileEdit
    }

    /// An attribute that the page asks for at sign-up, or lets the person change.
    package enum Attribute: String, Sendable, CaseIterable {
        case displayName, givenName, surname
    }

    /// A part of the account that the tokens of this flow carry.
    package enum Claim: String, Sendable, CaseIterable {
        /// `name`.
        case displayName
        /// `oid`.
        case objectId
        /// `emails`, `email` and `email_verified`.
        case emails
        /// `idp`.
        case identityProvider
        /// `newUser`.
        case isNewUser
        /// `given_name`.
        case givenName
        /// `family_name`.
        case surname
    }

    /// The form of the issuer in the tokens of this flow.
    package enum IssuerStyle: String, Sendable, CaseIterable {
        /// `https://{host}/{tenant}/{flow}/v2.0`, below which its discovery document is.
        case policy
        /// `https://{host}/tfp/{tenant id}/{flow}/v2.0/`.
        case tfp
        /// `https://{host}/{tenant id}/v2.0/`, which does not name the flow, so strict clients refuse it.
        case `default`
    }

    /// `b2c_1_…`, in lower case.
    package var name: String
    package var kind: Kind
    /// The ways to sign in that the page offers, in its order: `password`, `emailLink` and ids of providers. `nil` means all that the
    /// project has.
    package var providers: [String]?
    package var collect: [Attribute] = []
    package var claims: [Claim] = [.objectId]
    package var issuer = IssuerStyle.policy

    package init(name: String, kind: Kind) {
        self.name = name
        self.kind = kind
    }
}

extension UserFlow {
    /// The most characters of a name, with its beginning.
    private static let longestName = 64
    private static let beginning = "b2c_1_"

    /// Reads one entry of `userFlows:`. Whether the project has the ways to sign in that it names is checked where all of them are known.
    init(_ section: Section) {
        let name = section.value(
            "name",
            expected: "\(Self.beginning) and lower-case letters, digits, _ and -, at most \(Self.longestName) characters in all", Self.name)
        section.require("name", "by which apps ask for the flow, such as b2c_1_sign_in")
        let kind: Kind? = section.choice("kind")
        section.require("kind", "one of: \(Kind.allCases.map(\.rawValue).joined(separator: ", "))")
        self.init(name: name ?? "", kind: kind ?? .signUpOrSignIn)
        let wanted = section.strings("providers")
        if section.has("providers") {
            section.requireEntry("providers", "so no person can sign in; remove the line to offer all that the project has")
            providers = wanted
        }
        collect = section.values("collect", expected: Self.oneOf(Attribute.self)) { Attribute(rawValue: $0) }
        if kind == .profileEdit, section.isEmpty("collect") {
            section.fault("collect", "is empty, so there is nothing that the person could change; name \(Self.oneOf(Attribute.self))")
        }
        let told = section.values("claims", expected: Self.oneOf(Claim.self)) { Claim(rawValue: $0) }
        if section.has("claims") { claims = told }
        issuer = section.choice("issuer", default: issuer)
        if issuer == .default {
            section.note("issuer", "is default, which names no flow, so clients that compare it with the discovery document refuse it")
        }
        section.finish()
    }

    private static func oneOf<Choice: RawRepresentable & CaseIterable>(_: Choice.Type) -> String where Choice.RawValue == String {
        "one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))"
    }

    private static func name(_ text: String) -> String? {
        let isName = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"): true
            default: false
            }
        }
        return isName && text.hasPrefix(beginning) && (beginning.utf8.count + 1...longestName).contains(text.utf8.count) ? text : nil
    }
}
