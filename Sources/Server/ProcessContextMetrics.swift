import Accounts
import JOSE
import Postgres
import Runtime

/// Metrics of the process as a whole: its version, its resources, the age of its keys.
extension ProcessContext {
    func registerMetrics() {
        ProcessMetrics.register(in: metrics)
        metrics.gauge("gatehouse_build_info", "1, with the version as a label.", ["version": Version.text]) { 1 }
        let threads = settings.passwordHashing.threads
        metrics.gauge("gatehouse_hashing_threads", "How many passwords are hashed at a time.") { threads }
        for purpose in SigningKeyPurpose.allCases {
            for algorithm in purpose.algorithms {
                metrics.gauge(
                    "gatehouse_signing_key_age_seconds", "How long the current signing key has been in use.",
                    ["algorithm": algorithm.rawValue, "purpose": purpose.rawValue]
                ) { [signingKeys, clock] in signingKeys.age(for: algorithm, purpose, at: clock.now()) }
            }
        }
    }

    /// Registers how many connections to the database a pool of a loop may open.
    func registerPool(_ pool: DatabaseSettings, ofLoop index: Int) {
        for (kind, most) in [("read", pool.readConnections), ("write", pool.writeConnections)] {
            metrics.gauge(
                "gatehouse_database_connections_max", "Connections to the database that may be open.",
                ["loop": pool.label(onLoop: index), "kind": kind]
            ) { most }
        }
    }
}
