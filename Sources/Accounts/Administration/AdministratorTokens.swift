import Crypto
import Postgres
package import ProjectSettings
import Runtime
package import Text

/// The access tokens of administrators: each stands for a live key of a service account, for an hour at most.
///
/// A token is not stored. Its MAC is made with a key of the master key, so a copy of the database is not enough to make one. Every use reads
/// the key and the rights of its account, and every write by one demands them again as it commits (`Storage.write(all:by:)`), so that both
/// end at once.
package struct AdministratorTokens: Sendable {
    /// Seconds from issue to expiry.
    package static let lifetime: Int64 = 3600

    let storage: Storage
    let keys: [[UInt8]]
    let clock: Clock
    let limits: RateLimits
    /// The address of the token endpoint.
    let tokenURI: String

    /// Reads the assertion of a service account, before its signature is checked. Throws `assertionRefused` or
    /// `assertionLacksScope` for a request that no signature makes good.
    /// - Parameter scope: the parameter of the request, for an assertion that does not name scopes.
    package func assertion(_ text: UTF8Text, scope: UTF8Text?) throws(AccountError) -> ServiceAccountAssertion {
        try ServiceAccountAssertion.parse(text, scope: scope, tokenURI: tokenURI, at: clock.now())
    }

    /// An access token for the service account that signed the assertion.
    ///
    /// Throws `assertionRefused` unless a live key of the account did, and what `RateLimits.charge` throws.
    package func issue(
        for assertion: ServiceAccountAssertion, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> String {
        let rows = try await limits.charge(
            Attempt(.accessToken, from: client, in: project), then: ServiceAccountKey.select(of: assertion.email, id: assertion.keyID))
        let signer = try assertion.signer(among: try reading { try rows.map(ServiceAccountKey.init) })
        return AdministratorToken(serviceAccount: assertion.email, keyID: signer.id, expires: clock.now().seconds + Self.lifetime).text(
            key: keys[0])
    }

    /// The token with this text, if it is one of ours and has not expired. Whether its key is live shows only in
    /// `administrator(bearing:for:in:from:)`.
    package func token(_ text: UTF8Text) -> AdministratorToken? {
        let now = clock.now().seconds
        for key in keys {
            if let token = AdministratorToken(text, key: key) { return token.expires > now ? token : nil }
        }
        return nil
    }

    /// The service account that bears `token`, in one round trip.
    ///
    /// Throws `accessTokenRefused` for a token whose key was revoked, `otherProjectsAdministrator` when the account is of another project, and
    /// `rightMissing` when it lacks `right`.
    package func administrator(
        bearing token: AdministratorToken, for right: Administrator.Right, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> Administrator {
        let proof = Administrator.Proof(token: token, right: right)
        return Administrator(serviceAccount: proof, rights: try await storage.rights(by: proof, in: project), of: project, from: client)
    }
}

/// The token itself: a version, the expiry, key id and e-mail of a service account, and a MAC over them.
package struct AdministratorToken: Sendable, Equatable {
    /// The account that bears it.
    package let serviceAccount: ServiceAccountEmail
    let keyID: String
    /// In seconds of Unix time.
    let expires: Int64

    /// The beginning by which tools that look for leaked secrets recognise the token.
    private static let prefix: UTF8Text = "gatehouse_"
    private static let version: UInt8 = 1
    private static let keyIDCount = 40

    init(serviceAccount: ServiceAccountEmail, keyID: String, expires: Int64) {
        self.serviceAccount = serviceAccount
        self.keyID = keyID
        self.expires = expires
    }

    /// `nil` for a text that this key did not make.
    init?(_ text: UTF8Text, key: [UInt8]) {
        let keyID = 8..<8 + Self.keyIDCount
        guard text.hasPrefix(Self.prefix),
            let body = MACToken.body(
                of: String(text.utf8.dropFirst(Self.prefix.utf8.count)) ?? "", version: Self.version, key: key),
            body.count > keyID.upperBound,
            let account = ServiceAccountEmail(address: String(decoding: body[keyID.upperBound...], as: UTF8.self))
        else { return nil }
        serviceAccount = account
        expires = Int64(bigEndianBytes: body[..<8])
        self.keyID = String(decoding: body[keyID], as: UTF8.self)
    }

    func text(key: [UInt8]) -> String {
        let body = expires.bigEndianBytes + Array(keyID.utf8) + Array(serviceAccount.text.utf8)
        return Self.prefix.asString + MACToken.text(version: Self.version, body, key: key)
    }
}
