import Config
package import Crypto

/// `passwordHashing` of `config/gatehouse.yaml`: the cost of a password hash, and how many may be computed and wait at the same time.
package struct PasswordHashingSettings: Sendable {
    /// The cost of new hashes. Older hashes stay valid, and are replaced when their owner signs in.
    package let scrypt: ScryptParameters
    package let threads: Int
    /// How many hashes may wait for a thread. When more would wait, sign-ins answer 503.
    package let queue: Int

    /// - Parameter development: whether hashes may be cheaper than N = 2^14, as only a developer's machine may have them.
    init(_ section: Section, development: Bool) {
        let cost = section.section("scrypt")
        let standard = ScryptParameters()
        let parameters = ScryptParameters(
            log2N: cost.int("cost", default: standard.log2N, in: (development ? 4 : 14)...20),
            blockSize: cost.int("blockSize", default: standard.blockSize, in: (development ? 1 : 8)...32),
            parallelization: cost.int("parallelization", default: standard.parallelization, in: 1...16))
        if !parameters.areAcceptable {
            cost.fault(
                "cost", "takes \(parameters.memory >> 20) MiB for each hash with this blockSize, or too much time; keep within 256 MiB")
        }
        cost.finish()
        scrypt = parameters.areAcceptable ? parameters : standard
        let threads = section.int("threads", default: 0, in: 0...256)
        self.threads = threads == 0 ? Machine.cores : threads
        queue = section.int("queue", default: 64, in: 0...10_000)
        section.finish()
    }
}
