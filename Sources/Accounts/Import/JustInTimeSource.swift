package import Runtime

extension JustInTimeImports {
    /// Where accounts come from just in time.
    package struct Source: Sendable {
        let accounts: any FormerAccounts
        let shared: Shared

        package init(_ accounts: any FormerAccounts, shared: Shared) {
            self.accounts = accounts
            self.shared = shared
        }
    }

    /// The parts that the loops of a process share.
    package struct Shared: Sendable {
        /// The people about whom a request of the process asks now.
        let inFlight = RequestsInFlight<Arrival, AccountError>()
        let metrics: OutcomeCounters<Outcome>

        package init(metrics: Metrics) {
            self.metrics = OutcomeCounters(
                metrics, "gatehouse_migration_imports_total",
                "Questions to Firebase about people without an account here, by project and outcome.")
        }
    }

    /// The result of a question, which is counted.
    enum Outcome: String, Sendable, CaseIterable {
        case imported
        /// Firebase does not have the person.
        case unknown
        /// The account was deleted here, and stays so.
        case deletedHere
        /// A rule of imports refuses the record.
        case refused
        /// The person was asked about too often.
        case limited
        /// Google does not answer now, or does not take this server's credentials.
        case unavailable
    }
}
