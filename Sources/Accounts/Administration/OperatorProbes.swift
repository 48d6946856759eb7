import Crypto
package import Runtime
package import Text

/// The proof that a question to a running server comes from its own operator: a MAC with a key of the master key, which the operator's
/// command line has, too. It is good for a minute, and opens nothing but the answer how the request arrived.
package struct OperatorProbes: Sendable {
    /// The header that has the proof.
    package static let header = "x-gatehouse-probe"
    private static let lifetime: Int64 = 60

    private let keys: [[UInt8]]
    private let clock: Clock

    package init(masterKey: MasterKey, clock: Clock) {
        keys = masterKey.probes
        self.clock = clock
    }

    /// A new proof: the time in seconds, and a MAC over it.
    package func make() -> String { make(with: keys[0]) }

    /// A proof with each former master key, for a server that may not know the first one yet.
    package func makeWithOthers() -> [String] { keys.dropFirst().map(make) }

    private func make(with key: [UInt8]) -> String {
        let time = "\(clock.now().seconds)"
        return "\(time).\(Self.mac(time, key))"
    }

    package func isGenuine(_ text: UTF8Text) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // Ten digits until the year 2286.
        guard parts.count == 2, parts[0].count == 10, let time = Int64(String(decoding: parts[0], as: UTF8.self)),
            abs(clock.now().seconds - time) <= Self.lifetime
        else { return false }
        return keys.contains { constantTimeEqual(Array(Self.mac("\(time)", $0).utf8), Array(parts[1])) }
    }

    private static func mac(_ time: String, _ key: [UInt8]) -> String { Hex.encode(Digest.hmacSHA256(key: key, Array(time.utf8))) }
}
