package import JSON
import Postgres
import Runtime
package import WebAuthn

/// The sign-in of operators by passkeys: the question to the browser, and every check of its answer but the one who is an operator now, which
/// only the configuration says.
extension OperatorPasskeys {
    /// Whether an operator has a passkey for this site.
    package func exist(at site: Site) async throws(AccountError) -> Bool {
        try await !storage.read("SELECT 1 FROM operator_passkeys WHERE rp_id = \(site.rpID) LIMIT 1").isEmpty
    }

    /// The options with which a browser asks for any passkey of the console. Nothing is stored, and none is named.
    ///
    /// - Parameter browser: the secret of the browser's cookie, without which the answer is worthless.
    package func question(to browser: [UInt8], at site: Site) -> RequestOptions {
        RequestOptions(
            rpID: site.rpID,
            challenge: Challenge.make(.signIn, for: context(of: browser, at: site), key: keys.first ?? [], at: clock.now()).bytes)
    }

    /// The passkey that the browser has used, and whose it is.
    ///
    /// Throws `passkeyResponseMissing`, `passkeyChallengeRefused`, `passkeyRefused` and `noSuchPasskey`.
    package func used(
        in response: JSON?, by browser: [UInt8], at site: Site, from client: Session.ClientInfo
    ) async throws(AccountError) -> UsedOperatorPasskey {
        let rules = rules([.signIn], for: context(of: browser, at: site), at: site)
        let claim = try checking { () throws(CeremonyError) in try AuthenticationResponse(response).claim(by: rules) }
        let rows = try await storage.read(
            """
            SELECT \(StoredOperatorPasskey.columns) FROM operator_passkeys
            WHERE credential_id = \(claim.credentialID) AND rp_id = \(site.rpID)
            """)
        guard var row = rows.first?.reader() else { throw .noSuchPasskey }
        let stored = try reading { try StoredOperatorPasskey(&row) }
        let verified = try checking { () throws(CeremonyError) in try claim.verified(by: rules, stored: stored.credential()) }
        guard !verified.suggestsClone else { throw try await suspectCopy(of: stored, from: client) }
        return UsedOperatorPasskey(stored, verified, answering: claim.challenge)
    }

    /// Flags a passkey whose authenticator has counted backwards, and records that, once for each passkey.
    /// - Returns: the refusal to throw.
    private func suspectCopy(
        of stored: StoredOperatorPasskey, from client: Session.ClientInfo
    ) async throws(AccountError) -> AccountError {
        let now = clock.now()
        let act = AuditedAct(by: .operator(stored.operatorName), on: nil, from: client, at: now)
        let facts: SQL = "'passkey', \(Passkey.factorID(of: stored.id)), 'name', flagged.name"
        let values = act.values(.operatorPasskeySuspected, subject: "flagged.subject", facts: facts, in: AuditEvents.server)
        _ = try await storage.write(
            """
            WITH flagged AS (
                UPDATE operator_passkeys SET flagged_at = \(now) WHERE credential_id = \(stored.id) AND flagged_at IS NULL RETURNING subject, name)
            INSERT INTO audit_events \(AuditedAct.columns) SELECT \(values) FROM flagged
            """)
        return .passkeyRefused(.counter)
    }
}
