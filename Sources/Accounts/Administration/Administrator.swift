package import ProjectSettings
import Runtime

/// A caller that may administer one project: a service account, an operator at the console, the command line, or a program of this
/// machine in development mode.
///
/// Every rule that only administrators may ask for takes one and no project beside it, so that none of them can be reached without it, or for
/// another project. Four files make the values: `AdministratorTokens`, `Web/Callers/DevelopmentCaller`, the console's `ConsoleVisit`, and the
/// command line's `CommandSupport` (`BoundaryTests`).
package struct Administrator: Sendable {
    /// The only project whose accounts it may touch.
    package let project: ProjectSettings
    package let rights: Set<Right>
    /// The proof of a service account, which can end before its call does; `nil` for any other administrator.
    let proof: Proof?
    let actor: AuditEvent.Actor
    /// Where the call came from; `nil` for a command.
    let client: Session.ClientInfo?
    /// The reason that an operator gave at the console.
    let reason: String?

    /// A service account's access token, and the right that the call needs.
    struct Proof: Sendable {
        let token: AdministratorToken
        let right: Right
    }

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

    /// A service account, whose access token, live key and right `AdministratorTokens` has verified.
    init(serviceAccount proof: Proof, rights: Set<Right>, of project: ProjectSettings, from client: Session.ClientInfo) {
        self.project = project
        self.rights = rights
        self.proof = proof
        actor = .administrator(proof.token.serviceAccount.text)
        self.client = client
        reason = nil
    }

    /// A program of this machine, in development mode, which may do everything in the development project.
    package init(ofDevelopmentProject project: ProjectSettings, from client: Session.ClientInfo) {
        self.project = project
        rights = Set(Right.allCases)
        proof = nil
        actor = .administrator("owner")
        self.client = client
        reason = nil
    }

    /// The operator, by a command of the command line.
    package init(command name: String, of project: ProjectSettings) {
        self.project = project
        rights = Set(Right.allCases)
        proof = nil
        actor = .command(name)
        client = nil
        reason = nil
    }

    /// An operator at the console, who may do there what their role may.
    ///
    /// - Parameter reason: why, in the operator's words.
    package init(operator person: Operator, because reason: String?, of project: ProjectSettings, from client: Session.ClientInfo) {
        self.project = project
        rights = person.role.rights
        proof = nil
        actor = .operator(person.name)
        self.client = client
        self.reason = reason
    }

    package func may(_ right: Right) -> Bool { rights.contains(right) }

    /// An act of this administrator on an account, for the audit events.
    /// - Parameter emailHash: of the address that it is about, where that has no account.
    func act(on accountID: String?, emailHash: String? = nil, at time: Instant, code: ActionCode.Kind? = nil) -> AuditedAct {
        AuditedAct(by: actor, on: accountID, emailHash: emailHash, from: client, at: time, code: code, operatorReason: reason)
    }
}

extension Set<Administrator.Right> {
    /// In the order in which they are declared.
    package var names: [String] { Administrator.Right.allCases.filter(contains).map(\.rawValue) }
}
