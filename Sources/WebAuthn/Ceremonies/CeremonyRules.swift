import Crypto
package import Runtime
import Text

/// The demands on a ceremony, beyond those that WebAuthn makes on every one.
package struct CeremonyRules: Sendable {
    package let rpID: String
    /// The origins of pages and apps, byte for byte.
    package let origins: Set<String>
    package let requiresUserVerification: Bool
    package let framing: Framing
    package let challenge: ExpectedChallenge

    package init(
        rpID: String, origins: Set<String>, requiresUserVerification: Bool, framing: Framing = .refused, challenge: ExpectedChallenge
    ) {
        self.rpID = rpID
        self.origins = origins
        self.requiresUserVerification = requiresUserVerification
        self.framing = framing
        self.challenge = challenge
    }

    /// Whether the page may be in a frame of another origin's page.
    package enum Framing: Sendable {
        case refused
        /// Only within pages of these origins, where the browser names the page.
        case allowed(within: Set<String>)
    }

    /// The challenge that must come back.
    package enum ExpectedChallenge: Sendable {
        /// One of ours, of one of these kinds.
        case ours(Set<Challenge.Kind>, Challenge.Context, keys: [[UInt8]], now: Instant)
        /// Exactly this one.
        case bytes([UInt8])
    }
}

extension CeremonyRules {
    /// - Returns: `nil` for a challenge that is not one of ours.
    func check(_ client: ClientData, isOf type: String) throws(CeremonyError) -> Challenge? {
        guard client.type == type else { throw .refused(.type) }
        switch challenge {
        case .ours(let kinds, let context, let keys, let now):
            return try Challenge.verified(client.challenge, as: kinds, for: context, keys: keys, at: now)
        case .bytes(let expected):
            guard client.challenge == expected else { throw .challenge }
            return nil
        }
    }

    /// Checks the page or the app that the ceremony was on.
    func checkOrigin(of client: ClientData) throws(CeremonyError) {
        guard origins.contains(where: { client.origin == $0 }) else { throw .refused(.origin) }
        guard client.isCrossOrigin || client.topOrigin != nil else { return }
        guard case .allowed(let tops) = framing, client.isCrossOrigin,
            client.topOrigin.map({ top in tops.contains { top == $0 } }) ?? true
        else { throw .refused(.crossOrigin) }
    }

    /// Checks the authenticator's word on the relying party and on the person.
    /// - Parameter needsPresence: false where a browser makes a passkey by itself.
    func check(_ data: AuthenticatorData, needsPresence: Bool = true) throws(CeremonyError) {
        guard data.rpIDHash == Digest.sha256(Array(rpID.utf8)) else { throw .refused(.relyingParty) }
        guard data.flags.contains(.userPresent) || !needsPresence else { throw .refused(.userPresence) }
        guard data.flags.contains(.userVerified) || !requiresUserVerification else { throw .refused(.userVerification) }
        guard data.flags.contains(.backupEligible) || !data.flags.contains(.backedUp) else { throw .refused(.backup) }
    }
}
