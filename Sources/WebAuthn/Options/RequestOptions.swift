import Crypto
package import JSON
import Text

/// The request to a browser to sign in with a passkey. <https://w3c.github.io/webauthn/#dictdef-publickeycredentialrequestoptionsjson>
package struct RequestOptions: Sendable {
    package var rpID: String
    package var challenge: [UInt8]
    /// The passkeys that may answer. Empty where the person chooses the account: nothing is named then, so there is nothing to find out.
    package var allowed: [CredentialDescriptor]
    package var requiresUserVerification: Bool

    package init(rpID: String, challenge: [UInt8], allowed: [CredentialDescriptor] = [], requiresUserVerification: Bool = true) {
        self.rpID = rpID
        self.challenge = challenge
        self.allowed = allowed
        self.requiresUserVerification = requiresUserVerification
    }

    package var json: JSON {
        var object: JSON.Object = [
            "challenge": .string(Base64URL.encode(challenge)), "rpId": .string(rpID), "timeout": CreationOptions.timeout,
            "userVerification": requiresUserVerification ? "required" : "preferred",
        ]
        if !allowed.isEmpty { object["allowCredentials"] = .array(allowed.map(\.json)) }
        return .object(object)
    }
}
