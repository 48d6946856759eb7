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
        /// The id of the session that the browser has, which this sign-in ends. The request that ends the flow does not bring the session's cookie
        /// (SameSite=Strict), so the flow keeps the id.
        package fileprivate(set) var formerSession: String?
        private let expires: Int64

        fileprivate init(state: String, secrets: SignInSecrets, next: String, formerSession: String?, expires: Int64) {
            self.state = state
            self.secrets = secrets
            self.next = next
            self.formerSession = formerSession
            self.expires = expires
        }

        fileprivate func isOver(at now: Instant) -> Bool { now.seconds >= expires }

        package func answers(_ state: UTF8Text) -> Bool { constantTimeEqual(Array(self.state.utf8), Array(state.utf8)) }

        /// The flow in a browser that has got another session since the flow began.
        package func replacing(_ session: OperatorSession) -> Flow {
            var flow = self
            flow.formerSession = session.id
            return flow
        }
    }

    /// A new flow.
    ///
    /// - Parameters:
    ///   - cookie: the session's, where the browser has one.
    ///   - parameters: those by which its provider is asked to have the person prove themselves again, whatever session they have there.
    package func begin(next: String, replacing cookie: UTF8Text?, asking parameters: [UTF8Text: UTF8Text]) -> Flow {
        Flow(
            state: Random.token(), secrets: .random(customParameters: parameters), next: next,
            formerSession: cookie.flatMap(OperatorSessions.id(ofCookie:)), expires: (clock.now() + Self.lifetime).seconds)
    }

    /// The value of the browser's cookie.
    package func seal(_ flow: Flow) throws(AccountError) -> String {
        do { return Base64URL.encode(keys.seal(try JSON(encoding: flow).bytes(), context: Self.context)) } catch {
            throw .flowRefused
        }
    }

    /// The flow that the browser began; `nil` for a value that is made up, and when the time is over.
    package func open(_ cookie: UTF8Text) -> Flow? {
        guard let sealed = Base64URL.decodeStrict(cookie.asString), let plain = try? keys.open(sealed, context: Self.context),
            let flow = try? JSON.parse(plain).decode(Flow.self), !flow.isOver(at: clock.now())
        else { return nil }
        return flow
    }
}
