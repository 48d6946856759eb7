import Runtime

/// A caller that may administer one project: a service account, the command line, or a program of this machine in development mode.
///
/// Every rule that only administrators may ask for takes one, so that none of them can be reached without it. Three files make the values:
/// `AccessTokens`, `Web/Callers/DevelopmentCaller`, and the command line's `Console` (`BoundaryTests`).
package struct Administrator: Sendable {
    /// The only project whose accounts it may touch.
    package let projectID: String
    package let rights: Set<Right>
    let actor: AuditEvent.Actor
    /// Where the call came from; `nil` for a command.
    let client: Session.ClientInfo?

    /// A right of an administrator. The names stand in the database and in `gatehouse service-accounts create --rights`, so a name is
    /// never changed.
    package enum Right: String, Sendable, CaseIterable {
        /// Sign custom tokens, by which a person signs in to any account. Needs no access token: the signature is the proof.
        case customTokens
        /// Read and list accounts, and read the project's configuration. Password hashes are left out.
        case readUsers
        /// Create, change, disable and delete accounts, set their claims, and end their sessions.
        case manageUsers
        /// Make the links of mails, each of which opens the account that it is for.
        case mintLinks
        /// Trade a person's ID token for a session cookie.
        case sessionCookies
        /// See password hashes where accounts are read. Never given unless named.
        case readPasswordHashes

        /// The rights of a service account that is made without naming any.
        package static let usual = Set(allCases).subtracting([.readPasswordHashes])

        /// The rights that a row of `service_accounts` names. A name that only another version knows is left out.
        static func reading(_ names: [String]) -> Set<Right> { Set(names.compactMap(Right.init)) }
    }

    /// A service account, whose access token and live key `AccessTokens` has verified.
    init(serviceAccount email: String, rights: Set<Right>, in projectID: String, from client: Session.ClientInfo) {
        self.projectID = projectID
        self.rights = rights
        actor = .administrator(email)
        self.client = client
    }

    /// A program of this machine, in development mode, which may do everything in the development project.
    package init(ofDevelopmentProject projectID: String, from client: Session.ClientInfo) {
        self.projectID = projectID
        rights = Set(Right.allCases)
        actor = .administrator("owner")
        self.client = client
    }

    /// The operator, by a command of the command line.
    package init(command name: String, of projectID: String) {
        self.projectID = projectID
        rights = Set(Right.allCases)
        actor = .command(name)
        client = nil
    }

    package func may(_ right: Right) -> Bool { rights.contains(right) }

    /// An act of this administrator on an account, for the audit events.
    func act(on accountID: String?, at time: Instant, code: ActionCode.Kind? = nil) -> AuditedAct {
        AuditedAct(by: actor, on: accountID, from: client, at: time, code: code)
    }
}

extension Set<Administrator.Right> {
    /// In the order in which they are declared.
    package var names: [String] { Administrator.Right.allCases.filter(contains).map(\.rawValue) }
}
