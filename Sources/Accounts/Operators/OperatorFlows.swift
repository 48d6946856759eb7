import Crypto
package import Identity
import JSON
import Runtime
package import Text

/// A sign-in of an operator that has begun, sealed for the browser that began it: no row is needed for it.
///
/// The provider's code works once, and the browser is told to forget the value when it comes back.
package struct OperatorFlows: Sendable {
    package static let lifetime: Duration = .seconds(600)
    private static let context = "operator"

    let keys: SealingKeys
    let clock: Clock

    /// The secrets of the beginning that the end of the sign-in needs.
    package struct Flow: Sendable, Codable, Equatable {
        /// The provider gets it, and sends it back.
        package let state: String
        package let secrets: SignInSecrets
        /// The page of the console at which the operator goes on.
        package let next: String
        private let expires: Int64

        fileprivate init(state: String, secrets: SignInSecrets, next: String, expires: Int64) {
            self.state = state
            self.secrets = secrets
            self.next = next
            self.expires = expires
        }

        fileprivate func isOver(at now: Instant) -> Bool { now.seconds >= expires }
    }

    /// A new flow. Its provider is asked to have the person prove themselves again, whatever session they have there.
    package func begin(next: String) -> Flow {
        let secrets = SignInSecrets.random(customParameters: ["prompt": "login"])
        return Flow(
            state: Random.token(), secrets: secrets, next: next, expires: (clock.now() + Self.lifetime).seconds)
    }

    /// The value of the browser's cookie.
    package func seal(_ flow: Flow) throws(AccountError) -> String {
        do { return Base64URL.encode(keys.seal(try JSON(encoding: flow).bytes(), context: Self.context)) } catch {
            throw .flowRefused
        }
    }

    /// The flow that the browser began and the provider answers to. Throws `flowRefused` for any other state, and when the time is over.
    package func open(_ cookie: UTF8Text, state: UTF8Text) throws(AccountError) -> Flow {
        guard let sealed = Base64URL.decodeStrict(cookie.asString), let plain = try? keys.open(sealed, context: Self.context),
            let flow = try? JSON.parse(plain).decode(Flow.self), !flow.isOver(at: clock.now()),
            constantTimeEqual(Array(flow.state.utf8), Array(state.utf8))
        else { throw .flowRefused }
        return flow
    }
}
