package import ProjectSettings

/// An operator, as `console.operators` of `gatehouse.yaml` names one: who may do what at the console.
package struct Operator: Sendable, Equatable {
    /// The name in audit events.
    package let name: String
    package let role: Role
    /// The ids of the only projects that the operator sees; `nil` for all.
    package let projects: Set<String>?

    package init(name: String, role: Role, projects: Set<String>? = nil) {
        self.name = name
        self.role = role
        self.projects = projects
    }

    /// The operator of a session that `gatehouse console open` began.
    package static let breakGlass = Operator(name: "break-glass", role: .admin)

    /// The operator of the console in development, where none signs in.
    package static let developer = Operator(name: "developer", role: .admin)

    /// Whether the operator may see the project, or the tenant of one.
    package func sees(_ project: ProjectSettings) -> Bool { projects?.contains(project.id) ?? true }

    /// Each role may do all that those before it may.
    package enum Role: String, Sendable, CaseIterable, Comparable {
        /// Sees everything but whole e-mail addresses and phone numbers, and changes nothing.
        case viewer
        /// Helps people: sees addresses, sends mails, ends sessions, disables accounts.
        case support
        /// Does everything that the console can do.
        case admin

        package static func < (left: Role, right: Role) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .viewer: 0
            case .support: 1
            case .admin: 2
            }
        }

        /// The rights of an administrator that the role has. None of them makes tokens or shows hashes.
        package var rights: Set<Administrator.Right> {
            switch self {
            case .viewer: [.readUsers]
            case .support, .admin: [.readUsers, .manageUsers, .mintLinks]
            }
        }
    }
}
