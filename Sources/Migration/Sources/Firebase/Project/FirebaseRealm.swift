/// A Firebase project, or a tenant of one, whose accounts are read: it says where Google has them.
struct FirebaseRealm: Sendable {
    let projectID: String
    /// `nil` for the project itself.
    let tenant: String?

    /// The path of its accounts.
    var accounts: String { "/v1/\(name)" }
    /// The path of its configuration, and of its providers below that.
    var configuration: String { "/v2/\(name)" }

    private var name: String { "projects/\(projectID)" + (tenant.map { "/tenants/\($0)" } ?? "") }
}
