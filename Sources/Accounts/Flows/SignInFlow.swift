import Crypto
package import Identity
import JSON
import ProjectSettings
import Runtime
package import Text

/// A running sign-in at a provider, from the redirect to the one redemption of its result.
///
/// started → returned (the provider answered; only flows with a cookie) → redeeming → redeemed or failed. Each step is one conditional
/// UPDATE; a caller whose UPDATE finds no row is refused and learns nothing more. Client flows skip `returned`: the client posts the
/// provider's answer itself.
package struct SignInFlow: Sendable {
    package enum Kind: String, Sendable {
        /// Started at `/__/auth/start` by a browser: bound to it by a cookie, its result to the app by PKCE.
        case web
        /// Started by `accounts:createAuthUri`: its result is bound to the client by `sessionId`.
        case client
        /// Started by the JS SDK in a separate window, or in place of the app's page: bound to the browser by a cookie, whose secret is
        /// also the session's. The result is an event for the SDK's iframe.
        case popup, redirect
        /// Started by a native SDK in a browser: bound to that browser by a cookie, and its result to the app by `sessionId`. The result
        /// is a link.
        case ios, android

        /// Whether one browser starts it and must come back with its cookie.
        package var belongsToBrowser: Bool { self != .client }

        /// Whether the SDK's iframe may fetch the result.
        package var isFetched: Bool { self == .popup || self == .redirect }
    }

    package let projectID: String
    package let id: [UInt8]
    package let providerID: String
    package let kind: Kind
    package let redirectURI: String
    /// The address to which the browser goes back (`web`, `popup`, `redirect`), and the app's state for it (`web`).
    package let returnURL: String?
    package let appState: String?
    /// Only in flows that an SDK started.
    package let sdkRequest: SDKRequest?
    package let secrets: SignInSecrets

    /// Time limits, as in docs/wire.md ("Lifetimes"): from start to callback, from callback to redemption.
    package static let timeToReturn: Duration = .seconds(600)
    package static let timeToRedeem: Duration = .seconds(120)
    /// How many redemptions with the right code but the wrong session secret a result survives.
    static let toleratedTries: Int16 = 5
}

/// A new flow with its secrets. Each secret is for exactly one party.
package struct StartedFlow: Sendable {
    package let flow: SignInFlow
    /// The provider gets it, and sends it back.
    package let state: FlowState
    /// The browser gets it as a cookie: the project and a secret. `nil` for flows without a browser.
    package let cookie: String?
}

/// The `state` parameter that providers send back: the project, the flow, and the secret that proves it.
package struct FlowState: Sendable, Equatable {
    package let projectID: String
    package let flowID: [UInt8]
    let secret: [UInt8]

    init(projectID: String, flowID: [UInt8], secret: [UInt8]) {
        self.projectID = projectID
        self.flowID = flowID
        self.secret = secret
    }

    package init?(_ text: UTF8Text) {
        guard let (project, rest) = ProjectSettings.storageIDAndRest(text), let bytes = Base64URL.decodeStrict(rest), bytes.count == 48
        else {
            return nil
        }
        projectID = project
        flowID = Array(bytes[..<16])
        secret = Array(bytes[16...])
    }

    package var text: String { "\(projectID).\(Base64URL.encode(flowID + secret))" }
}

/// The secret in the link that redeems a flow's result. The result can be opened with it alone.
package struct OneTimeCode: Sendable, Equatable {
    let bytes: [UInt8]

    /// A new code.
    package static func random() -> OneTimeCode { OneTimeCode(bytes: Random.bytes(32)) }

    init(bytes: [UInt8]) { self.bytes = bytes }

    package init?(_ text: UTF8Text) {
        guard let bytes = Base64URL.decodeStrict(text.asString) else { return nil }
        self.bytes = bytes
    }

    package var text: String { Base64URL.encode(bytes) }
}

/// A flow's public number, for addresses and cookie names.
package struct FlowID: Sendable, Equatable {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    package init?(_ text: UTF8Text) {
        guard let bytes = Base64URL.decodeStrict(text.asString), bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    package var text: String { Base64URL.encode(bytes) }
}

/// Names an answer that a provider posted, with the secret that opens it. The browser that posted it gets the ticket, and the answer opens
/// only together with the flow's cookie, which the browser has that started the flow. So no one can take over what another person's
/// browser posted: one browser has only the cookie, the other only the ticket.
package struct ResumeTicket: Sendable, Equatable {
    package let projectID: String
    package let flowID: [UInt8]
    let secret: [UInt8]

    init(for state: FlowState) {
        (projectID, flowID, secret) = (state.projectID, state.flowID, Random.bytes(32))
    }

    package init?(_ text: UTF8Text) {
        guard let state = FlowState(text) else { return nil }
        (projectID, flowID, secret) = (state.projectID, state.flowID, state.secret)
    }

    /// The ticket in the form of a `FlowState`.
    package var text: String { FlowState(projectID: projectID, flowID: flowID, secret: secret).text }
}

extension ProjectSettings {
    /// The `storageID` of a realm, and the text behind the dot that follows it.
    static func storageIDAndRest(_ text: UTF8Text) -> (id: String, rest: Substring)? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 2, omittingEmptySubsequences: false).map(Substring.init)
        guard parts.count == 2, realm(of: UTF8Text(parts[0])) != nil else { return nil }
        return (String(parts[0]), parts[1])
    }
}

/// Compares the secret that binds a result to its initiator.
package enum SessionBinding {
    /// The hash to store for a `sessionId` given at the start. A text that already is the hash of a secret (64 lower-case hex digits, as
    /// native SDKs send) is stored as it is; so a hash that was seen in a URL never redeems.
    package static func hash(atStart sessionID: String) -> [UInt8] {
        if isHash(sessionID), let hash = Hex.decode(sessionID) { return hash }
        return Digest.sha256(Array(sessionID.utf8))
    }

    package static func isHash(_ sessionID: String) -> Bool {
        sessionID.utf8.count == 64 && sessionID.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// The hash of a `sessionId` that redeems.
    package static func hash(atRedemption sessionID: String) -> [UInt8] { Digest.sha256(Array(sessionID.utf8)) }
}
