/// How long records are kept of projects whose file does not say so. `Cleanup` deletes what is older.
package struct Retention: Sendable, Equatable {
    /// Of audit events.
    package var audit: Duration = .seconds(400 * 86400)
    /// Of lines of the log of sign-ins.
    package var signIns: Duration = .seconds(30 * 86400)

    /// Of addresses of clients in sessions and audit events, before they are cut.
    package var addresses: Duration = .seconds(30 * 86400)

    package init() {}

    package init(audit: Duration) { self.audit = audit }
}
