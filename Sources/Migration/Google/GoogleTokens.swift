package import Accounts
package import Curl
package import JOSE
package import JSON
package import ProjectSettings
package import Providers
package import Runtime
import Text

/// Verifies Google's ID tokens, by the keys that Google publishes at its fixed address. Each loop has one; the keys are the process's.
package struct GoogleTokens: FormerTokens {
    let upstream: any Upstream
    let cache: MetadataCache
    let clock: Clock

    /// - Parameters:
    ///   - upstream: asks Google.
    ///   - cache: keeps its keys, for all loops.
    package init(upstream: any Upstream, cache: MetadataCache, clock: Clock) {
        self.upstream = upstream
        self.cache = cache
        self.clock = clock
    }

    package func idToken(_ token: UnverifiedJWT, of migration: FirebaseMigration) async throws(AccountError) -> IDToken {
        do { return try await verified(token, of: migration).idToken } catch {
            switch error {
            case .refused: throw .invalidIDToken
            case .unanswered(let reason): throw .formerIssuerUnavailable(reason)
            }
        }
    }

    /// The reason why a token is not believed.
    enum Failure: Error {
        /// `nil` when its signature is wrong, or no key of Google's made it.
        case refused(GoogleIDToken.Fault?)
        /// Google's keys cannot be had. With the reason for the log.
        case unanswered(String)
    }

    /// The claims of a token that Google signed for the Firebase project. A token of another project causes no request.
    func verified(_ token: UnverifiedJWT, of migration: FirebaseMigration) async throws(Failure) -> GoogleIDToken {
        let now = clock.now()
        let claims: GoogleIDToken
        do { claims = try GoogleIDToken(token.claims, of: migration, at: now) } catch { throw .refused(error) }
        guard token.algorithm == .rs256, token.kid != nil else { throw .refused(nil) }
        let keys: JWKSet
        do { keys = try await cache.keys(at: GoogleAddress.idTokenKeys, holding: token.kid, upstream, now: now) } catch {
            throw .unanswered("Google's keys of ID tokens cannot be had: \(error.logDetail)")
        }
        do { _ = try token.verified(with: keys, algorithms: [.rs256]) } catch { throw .refused(nil) }
        return claims
    }

    /// The key set of Google's ID tokens.
    package func keys() async throws(AccountError) -> JWKSet {
        do { return try await cache.keys(at: GoogleAddress.idTokenKeys, holding: nil, upstream, now: clock.now()) } catch {
            throw .formerIssuerUnavailable("Google's keys of ID tokens cannot be had: \(error.logDetail)")
        }
    }

    /// The certificates of the same keys: PEM by key id.
    package func certificates() async throws(AccountError) -> JSON.Object {
        do { return try await cache.document(at: GoogleAddress.idTokenCertificates, upstream, now: clock.now()).object ?? [:] } catch {
            throw .formerIssuerUnavailable("Google's certificates of ID tokens cannot be had: \(error.logDetail)")
        }
    }
}
