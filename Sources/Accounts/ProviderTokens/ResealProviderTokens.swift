import Postgres

extension Reseal {
    /// Seals a project's tokens of providers again.
    func moveProviderTokens(of project: String, _ outcome: inout Outcome) async throws(AccountError) {
        let store = ProviderTokenStore(storage: storage, masterKey: masterKey, clock: clock)
        var last = (account: "", provider: "")
        while true {
            let rows = try await storage.read(
                """
                SELECT account_id, provider_id, access_token, refresh_token FROM provider_tokens
                WHERE project_id = \(project: project) AND (account_id, provider_id) > (\(last.account), \(last.provider))
                ORDER BY account_id, provider_id LIMIT \(Self.piece)
                """)
            var updates: [SQL] = []
            for row in rows {
                var row = row.reader()
                (last.account, last.provider) = try reading { (try row.next(), try row.next()) }
                let owner = ProviderTokens.Owner(projectID: project, accountID: last.account, providerID: last.provider)
                let sealed = try reading { ProviderTokenSeal.Columns(accessToken: try row.next(), refreshToken: try row.next()) }
                do {
                    guard let anew = try store.seal(owner).resealed(sealed) else { continue }
                    updates.append(
                        """
                        UPDATE provider_tokens SET access_token = \(anew.accessToken), refresh_token = \(anew.refreshToken)
                        WHERE \(owner.isRow) AND access_token = \(sealed.accessToken)
                            AND refresh_token IS NOT DISTINCT FROM \(sealed.refreshToken) RETURNING 1::bigint
                        """)
                } catch { outcome.unreadable += 1 }
            }
            outcome.providerTokens += try await storage.write(all: updates).reduce(0) { $0 + $1.count }
            if rows.count < Self.piece { return }
        }
    }
}
