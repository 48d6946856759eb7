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
