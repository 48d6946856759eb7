/// The relying party's side of WebAuthn: what a browser is asked for, and every check of what comes back.
/// <https://w3c.github.io/webauthn/>
///
/// Everything here is a value or a function of values. The kit stores nothing, reads no clock and knows no accounts: the caller hands in the
/// key of the challenges, the time, and the credential that it has stored.
///
/// - To ask: ``CreationOptions`` and ``RequestOptions``, with a ``Challenge``.
/// - To register a credential: ``RegistrationResponse``, then ``RegistrationResponse/verified(by:)``, which gives a ``NewCredential``.
/// - To sign in: ``AuthenticationResponse``, then ``AuthenticationResponse/claim(by:)``, which names the credential to look up, then
///   ``AssertionClaim/verified(by:stored:)``.
///
/// Signatures are verified by `Crypto`. Attestation is checked for its form and its signature, and decides nothing: no list says which
/// makers of authenticators are trusted. The readers of bytes are strict, and refuse what authenticators have no reason to send
/// (docs/adr/0022).
package enum WebAuthn {
    /// The largest sizes in bytes that are read.
    enum Limits {
        static let clientData = 4 << 10
        static let attestationObject = 32 << 10
        static let authenticatorData = 8 << 10
        static let signature = 1 << 10
        static let userHandle = 64
        static let credentialID = 16...1023
    }
}
