import Postgres
import ProjectSettings

/// The writes of administrators. A service account may lose its key, or the right, while its call waits for a password hash or for other
/// changes of an account. So the write itself demands both, as its last statement.
extension Storage {
    /// Runs all statements or none, for an administrator who still may when they are committed. In one round trip.
    ///
    /// Throws what `rights` throws for one who may not any more.
    /// - Parameter account: the id of the account whose lock the statements wait for, if it is one.
    func write(
        all statements: [SQL], by administrator: Administrator, waitingFor account: String? = nil
    ) async throws(AccountError) -> [[Row]] {
        try await tellingStanding(of: administrator) { () async throws(AccountError) in
            try await write(all: statements + administrator.standing, waitingFor: account)
        }
    }

    /// The same for steps that depend on one another's answers.
    func transaction<Result>(
        by administrator: Administrator, waitingFor account: String, _ body: (Transaction) async throws -> Result
    ) async throws(AccountError) -> Result {
        try await tellingStanding(of: administrator) { () async throws(AccountError) in
            try await transaction(waitingFor: account) { transaction in
                let result = try await body(transaction)
                _ = try await transaction.query(all: administrator.standing)
                return result
            }
        }
    }

    /// The rights of the service account with this proof, in one round trip.
    ///
    /// Throws `accessTokenRefused` for a token whose key was revoked, `otherProjectsAdministrator` when the account is of another project, and
    /// `rightMissing` when it lacks the right of the call.
    func rights(
        by proof: Administrator.Proof, in project: ProjectSettings
    ) async throws(AccountError) -> Set<Administrator.Right> {
        guard var row = try await read(proof.account).first?.reader() else { throw .accessTokenRefused }
        let (projectID, names): (String, [String]) = try reading { (try row.next(), try row.next()) }
        let rights = Administrator.Right.reading(names)
        guard projectID == project.id else { throw .otherProjectsAdministrator(proof.token.serviceAccount.text) }
        guard rights.contains(proof.right) else { throw .rightMissing(proof.right, of: proof.token.serviceAccount.text) }
        return rights
    }

    /// Says of a write that was undone whether the administrator's standing was the reason.
    private func tellingStanding<Result>(
        of administrator: Administrator, _ write: () async throws(AccountError) -> Result
    ) async throws(AccountError) -> Result {
        do { return try await write() } catch {
            if case .conflict = error, let proof = administrator.proof { _ = try await rights(by: proof, in: administrator.project) }
            throw error
        }
    }
}

extension Administrator {
    /// Undoes the write that it is part of (`AccountError.conflict`) unless the service account's key is live and its account has the right,
    /// and makes a command that takes either away wait for the commit. Must come last, behind everything that waits.
    fileprivate var standing: [SQL] {
        guard let proof else { return [] }
        return [
            ServiceAccounts.keepRights(in: project.id), .required("\(proof.account) AND \(proof.right.rawValue) = ANY(a.rights)"),
        ]
    }
}

extension Administrator.Proof {
    /// Selects the service account's project and rights, where the key is live.
    fileprivate var account: SQL {
        let account = token.serviceAccount
        return """
            SELECT a.project_id, a.rights FROM service_account_keys k
            JOIN service_accounts a ON a.project_id = \(project: account.projectID) AND a.email = k.email
            WHERE k.project_id = \(project: account.projectID) AND k.email = \(account.text) AND k.key_id = \(token.keyID)
                AND k.revoked_at IS NULL
            """
    }
}
