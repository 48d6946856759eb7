import Crypto
package import JSON
import Text

/// The request to a browser to make a passkey. <https://w3c.github.io/webauthn/#dictdef-publickeycredentialcreationoptionsjson>
package struct CreationOptions: Sendable {
    package var rpID: String
    package var rpName: String
    /// The account as the browser's list shows it.
    package var user: User
    package var challenge: [UInt8]
    /// The account's own passkeys, so that one authenticator makes no second one.
    package var excluded: [CredentialDescriptor]

    package init(rpID: String, rpName: String, user: User, challenge: [UInt8], excluded: [CredentialDescriptor]) {
        self.rpID = rpID
        self.rpName = rpName
        self.user = user
        self.challenge = challenge
        self.excluded = excluded
    }

    /// An account as an authenticator stores it.
    package struct User: Sendable {
        package let handle: [UInt8]
        package let name: String
        package let displayName: String

        package init(handle: [UInt8], name: String, displayName: String) {
            self.handle = handle
            self.name = name
            self.displayName = displayName
        }
    }

    /// How long the browser waits for the person, in milliseconds.
    static let timeout: JSON = 300_000

    package var json: JSON {
        [
            "rp": ["id": .string(rpID), "name": .string(rpName)],
            "user": [
                "id": .string(Base64URL.encode(user.handle)), "name": .string(user.name), "displayName": .string(user.displayName),
            ],
            "challenge": .string(Base64URL.encode(challenge)),
            "pubKeyCredParams": .array(
                CredentialAlgorithm.allCases.map { ["type": "public-key", "alg": .integer($0.rawValue)] }),
            "timeout": Self.timeout,
            "excludeCredentials": .array(excluded.map(\.json)),
            "authenticatorSelection": ["residentKey": "required", "requireResidentKey": true, "userVerification": "required"],
            "attestation": "none",
            "extensions": ["credProps": true],
        ]
    }
}

/// A credential that options name.
package struct CredentialDescriptor: Sendable {
    package let id: [UInt8]
    package let transports: [String]

    package init(id: [UInt8], transports: [String]) {
        self.id = id
        self.transports = transports
    }

    var json: JSON {
        var object: JSON.Object = ["type": "public-key", "id": .string(Base64URL.encode(id))]
        if !transports.isEmpty { object["transports"] = .array(transports.map { .string($0) }) }
        return .object(object)
    }
}
