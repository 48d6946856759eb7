import HTTP
package import Runtime
package import Text

/// A second factor that a person has passed, by Firebase's names.
package struct SecondFactorProof: Sendable, Equatable {
    /// `sign_in_second_factor` of ID tokens: `phone`, `totp`, or of our own `passkey`, `recovery_code` and `email`.
    package let kind: String
    /// `second_factor_identifier` of ID tokens: which one of the account's.
    let id: String?

    package init(kind: String, id: String?) {
        self.kind = kind
        self.id = id
    }

    static let phone = "phone"
    static let totp = "totp"
    static let passkey = "passkey"
    static let recoveryCode = "recovery_code"
    /// Digits that were mailed in the place of a lost factor.
    static let email = "email"
    /// That of a remembered device. Tokens do not show it: no second factor was passed for the session.
    static let rememberedDevice = SecondFactorProof(kind: "remembered_device", id: nil)

    /// As tokens show it; `nil` for a remembered device.
    var shown: SecondFactorProof? { self == Self.rememberedDevice ? nil : self }

    /// `amr` of the ID tokens of relying parties. <https://www.rfc-editor.org/rfc/rfc8176#section-2>
    var methods: [String] {
        switch kind {
        case Self.totp: ["otp", "mfa"]
        case Self.phone: ["sms", "mfa"]
        case Self.passkey: ["pop", "user", "mfa"]
        default: ["mfa"]
        }
    }

    /// Whether the person may change how the account is opened. A code on paper is found more easily than a device.
    var countsForChanges: Bool { shown != nil && kind != Self.recoveryCode }
}

/// One lasting sign-in: the refresh tokens that come from one authentication.
package struct Session: Sendable {
    static let idCount = 16

    package let projectID: String
    /// It also names the session in its ID tokens (`sid`). Knowing it opens nothing, since a refresh token needs a MAC.
    package let id: [UInt8]
    package let accountID: String
    /// `sign_in_provider` of its ID tokens.
    package let signInProvider: String
    /// The time when the person actually authenticated: `auth_time` of every ID token of the session.
    package let authTime: Instant
    /// A JSON object as text: claims that a custom token brought, for every ID token of the session.
    package let developerClaims: String?
    /// The second factor that the person has passed, for every ID token of the session; `nil` for none.
    package let secondFactor: SecondFactorProof?
    /// The number of the refresh token to issue.
    package let generation: Int64

    /// Who holds a session's secret.
    package enum Kind: String, Sendable {
        /// An app, by an SDK.
        case app
        /// The person's browser, at the pages of this server.
        case browser
        /// A relying party (`ClientSession`).
        case client
    }

    /// The client that a request comes from. Its limits count by it, and a session keeps it: for the person's own list of sessions, and for
    /// an operator who looks into an incident.
    package struct ClientInfo: Sendable {
        let userAgent: String?
        let address: String
        /// The part of the address that limits count by, as text.
        let limitKey: String
        /// The kind of the session that its sign-in makes.
        let kind: Kind
        /// The id of its request in the log; `nil` where there is none.
        let requestID: String?
        /// The secrets of devices on which second factors were passed, as far as the client shows them: a browser may have one of each of its people.
        var devices: [DeviceToken] = []
        /// The memory of its request about hooks; `nil` where the project has none.
        let hooks: HookAttempt?

        /// - Parameters:
        ///   - userAgent: kept to its first 256 bytes.
        ///   - limitKey: `nil` for the whole address.
        package init(
            userAgent: UTF8Text?, address: String, limitKey: String? = nil, kind: Kind = .app, requestID: String? = nil,
            hooks: HookAttempt? = nil
        ) {
            self.requestID = requestID
            self.hooks = hooks
            self.userAgent = userAgent?.prefix(bytes: 256).asString
            self.address = address
            self.limitKey = limitKey ?? address
            self.kind = kind
        }

        /// The range of addresses that its address belongs to, for records that outlive its use; `nil` where the address is not one.
        var network: String? { Address(address)?.network }

        /// The same client with the secret of a device: a known one, or one that is to be remembered.
        package func on(_ device: DeviceToken?) -> ClientInfo { on(device.map { [$0] } ?? []) }

        /// The same client with the secrets of known devices.
        package func on(_ devices: [DeviceToken]) -> ClientInfo {
            var client = self
            client.devices = devices
            return client
        }
    }

    init(
        projectID: String, id: [UInt8], accountID: String, signInProvider: String, authTime: Instant, developerClaims: String?,
        secondFactor: SecondFactorProof? = nil, generation: Int64
    ) {
        self.projectID = projectID
        self.id = id
        self.accountID = accountID
        self.signInProvider = signInProvider
        self.authTime = authTime
        self.developerClaims = developerClaims
        self.secondFactor = secondFactor
        self.generation = generation
    }

    /// Whether its ID tokens say that the person passed a second factor.
    package var showsSecondFactor: Bool { secondFactor?.shown != nil }
}
