import Crypto
import JOSE
import JSON
import Runtime
import Text

/// The client secret: a JWT that the key of the developer team signs, made anew for each request.
/// <https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret>
extension AppleIssuer {
    /// Apple allows half a year; a secret that is used at once needs minutes.
    private static let secretLife = Duration.seconds(300)

    var makesClientSecret: Bool { true }

    /// - Parameter clientID: the `clientId`, or the bundle id of the app that a code was issued to.
    func clientSecret(_: Secret?, of clientID: String, at now: Instant) throws(ProviderError) -> Secret? {
        let claims: JSON = [
            "iss": .string(teamID), "iat": .integer(now.seconds), "exp": .integer((now + Self.secretLife).seconds),
            "aud": .string(Self.publicURL), "sub": .string(clientID),
        ]
        do throws(CryptoError) {
            return try signer.map { signer throws(CryptoError) in Secret(try signer.sign(claims: claims.bytes())) }
        } catch {
            throw .unfit("The privateKey cannot sign the client secret: \(error)")
        }
    }
}
