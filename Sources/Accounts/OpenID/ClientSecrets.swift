import Crypto
package import ProjectSettings
import Runtime
package import Text

/// The secrets by which relying parties prove themselves.
package struct ClientSecrets: Sendable {
    let limits: RateLimits

    /// Whether the secret is one of the client's. One round trip.
    ///
    /// Wrong secrets are counted. Throws `tooManyAttempts` to an address that has shown too many, whether or not this one is right.
    package func isRight(
        _ secret: UTF8Text, of client: OAuthClient, in project: ProjectSettings, from clientInfo: Session.ClientInfo
    ) async throws(AccountError) -> Bool {
        let isRight = client.has(secret: secret)
        try await limits.charge(Attempt(.clientSecret, from: clientInfo, accountID: client.id, in: project), unlessRight: isRight)
        return isRight
    }
}

extension OAuthClient {
    /// Whether the secret is one of the client's, in the same time whichever it is.
    func has(secret: UTF8Text) -> Bool {
        let digest = Digest.sha256(Array(secret.utf8))
        var isFound = false
        for own in secrets where constantTimeEqual(digest, Digest.sha256(Array(own.reveal().utf8))) { isFound = true }
        return isFound
    }
}
