import Crypto
package import Runtime
package import Text

/// The proof that a question to a running server comes from its own operator: a MAC with a key of the master key, which the operator's
/// command line has, too. It is good for a minute, and opens nothing but the answer how the request arrived.
package struct OperatorProofs: Sendable {
    /// The header that has the proof. It is called as the address is at which servers answer it.
    package static let header = "x-gatehouse-probe"
    private static let lifetime: Int64 = 60
    private static let version: UInt8 = 1

    private let keys: [[UInt8]]
    private let clock: Clock

    package init(masterKey: MasterKey, clock: Clock) {
        keys = masterKey.operatorProofs
        self.clock = clock
    }

    /// A new proof: a token whose body is the time.
    package func make() -> String { make(with: keys[0]) }

    /// A proof with each former master key, for a server that may not know the first one yet.
    package func makeWithOthers() -> [String] { keys.dropFirst().map(make) }

    private func make(with key: [UInt8]) -> String {
        MACToken.text(version: Self.version, clock.now().seconds.bigEndianBytes, key: key)
    }

    package func isGenuine(_ text: UTF8Text) -> Bool {
        keys.contains { key in
            guard let time = MACToken.body(of: text.asString, version: Self.version, key: key), time.count == 8 else { return false }
            // A former master key can say any time, so the difference must not overflow.
            let (difference, overflow) = clock.now().seconds.subtractingReportingOverflow(Int64(bigEndianBytes: time[...]))
            return !overflow && (-Self.lifetime...Self.lifetime).contains(difference)
        }
    }
}
