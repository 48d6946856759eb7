import Crypto
import JOSE
import JSON
import Postgres
package import ProjectSettings
package import Runtime
package import Text

/// The sessions of relying parties: refreshed, looked up by an access token, and ended.
///
/// The rule of rotation is stricter than that of apps' sessions (`Sessions`): a used token gives the same successor again for the client's
/// grace, as long as the successor was not used. After that it is a copy in the wrong hands, and the session ends (RFC 9700 §4.14.2).
package struct ClientSessions: Sendable {
    let storage: Storage
    let clock: Clock
    let signingKeys: SigningKeys
    private let keys: [RefreshTokenKey]

    init(storage: Storage, masterKey: MasterKey, clock: Clock, signingKeys: SigningKeys) {
        self.storage = storage
        self.clock = clock
        self.signingKeys = signingKeys
        keys = masterKey.clientSessions
    }

    /// Computes the refresh token to hand out for `session`.
    package func refreshToken(for session: ClientSession, in project: ProjectSettings) -> String {
        RefreshToken(realmNumber: project.sessionNumber, sessionID: session.session.id, generation: session.session.generation)
            .text(key: keys[0].bytes)
    }

    /// Trades a refresh token for the session's next one, in one round trip.
    ///
    /// Throws `grantRefused`: the token is unknown, used, expired, or belongs to another client or user flow, or its person may not sign
    /// in any more, or the client may not refresh any more; `grantOfOtherFlow` and `scopeTooWide`, which change nothing.
    /// - Parameter scopes: what the relying party asks for, at most what was granted; `nil` for all of it.
    package func refresh(
        _ token: UTF8Text, scopes: [String]?, for client: OAuthClient, userFlow: String?, in project: ProjectSettings,
        from clientInfo: Session.ClientInfo
    ) async throws(AccountError) -> (Account, ClientSession) {
        // A client that has lost `offline_access` gets no next token. This one must not be used up: when it came again, it would look stolen.
        guard client.mayRefresh(["offline_access"]), let (token, key) = read(token, in: project) else { throw .grantRefused }
        let now = clock.now()
        let wanted: SQL = scopes.map { "scopes @> \($0)" } ?? "true"
        let rows = try await storage.write(
            """
            WITH session AS (
                UPDATE sessions SET refreshed_at = \(now), token_key = \(key.id), generation = greatest(generation, \(token.generation + 1)),
                    rotated_at = CASE WHEN generation <= \(token.generation) THEN \(now) ELSE rotated_at END
                WHERE project_id = \(project: project) AND session_id = \(token.sessionID) AND kind = 'client' AND client_id = \(client.id)
                    AND user_flow IS NOT DISTINCT FROM \(userFlow) AND ended_at IS NULL AND expires_at > \(now)
                    AND refreshed_at > \(now - client.refreshIdle) AND \(wanted)
                    AND (generation <= \(token.generation)
                        OR generation = \(token.generation + 1) AND rotated_at > \(now - client.refreshGrace))
                RETURNING \(Self.columns)
            )
            SELECT session.*, \(Account.columns(in: project)) FROM session
            LEFT JOIN accounts a ON a.project_id = \(project: project) AND a.account_id = session.account_id
            """, sharingCommitAs: token.sessionID)
        guard let found = try session(rows, generation: token.generation + 1, in: project) else {
            try await refuse(token, scopes: scopes, for: client, userFlow: userFlow, in: project, from: clientInfo)
        }
        guard !found.account.disabled else { throw .grantRefused }
        return (found.account, found.session)
    }

    /// The reason why a genuine token did not refresh. A token that was used up is in the wrong hands, and its session ends here.
    private func refuse(
        _ token: RefreshToken, scopes: [String]?, for client: OAuthClient, userFlow: String?, in project: ProjectSettings,
        from clientInfo: Session.ClientInfo
    ) async throws(AccountError) -> Never {
        let now = clock.now()
        let own: SQL = """
            project_id = \(project: project) AND session_id = \(token.sessionID) AND kind = 'client' AND client_id = \(client.id)
                AND ended_at IS NULL AND expires_at > \(now)
            """
        let isUsedUp: SQL = """
            generation > \(token.generation + 1) OR generation > \(token.generation) AND rotated_at <= \(now - client.refreshGrace)
            """
        let results = try await storage.write(all: [
            Self.end(where: "\(own) AND (\(isUsedUp))", because: "refresh token reused", in: project, from: clientInfo, at: now),
            "SELECT user_flow IS NOT DISTINCT FROM \(userFlow), scopes @> \(scopes ?? []) FROM sessions WHERE \(own)",
        ])
        guard var row = results.last?.first?.reader() else { throw .grantRefused }
        let (isOfFlow, isGranted): (Bool, Bool) = try reading { (try row.next(), try row.next()) }
        guard isOfFlow else { throw .grantOfOtherFlow }
        guard isGranted else { throw .scopeTooWide }
        throw .grantRefused
    }

    /// A valid access token of ours, and what it opens.
    package struct IssuedAccessToken: Sendable {
        package let account: Account
        package let session: ClientSession
        package let id: String
        /// The token's scopes that the client's configuration still allows.
        package let scopes: [String]
        /// Those of the token, without the APIs whose scopes the client has lost.
        package let audiences: [String]
        package let issued: Instant
        package let expires: Instant
    }

    /// The access token with this text, in one round trip; `nil` when it is not a valid one of this project: the signature, the time, the
    /// session it came from, or the client or user flow, which may have been removed.
    package func accessToken(_ text: UTF8Text, in project: ProjectSettings) async throws(AccountError) -> IssuedAccessToken? {
        let now = clock.now()
        guard let claims = verified(text), claims.expires > now,
            let found = try await find(claims.sessionID, in: project), found.session.grant.issuer == claims.issuer,
            let client = found.session.grant.client(in: project)
        else { return nil }
        let audiences = client.keeping(audiences: claims.audiences, of: found.session.grant.scopes)
        guard !audiences.isEmpty else { return nil }
        return IssuedAccessToken(
            account: found.account, session: found.session, id: claims.id, scopes: client.keeping(claims.scopes),
            audiences: audiences, issued: claims.issued, expires: claims.expires)
    }

    /// The session of a refresh token that would refresh now, for introspection; `nil` for any other text.
    package func refreshable(
        _ text: UTF8Text, in project: ProjectSettings
    ) async throws(AccountError) -> (account: Account, session: ClientSession)? {
        guard let (token, _) = read(text, in: project), let found = try await find(token.sessionID, in: project),
            found.session.session.generation <= token.generation,
            let client = found.session.grant.client(in: project),
            client.mayRefresh(found.session.grant.scopes), found.refreshed > clock.now() - client.refreshIdle
        else { return nil }
        return (found.account, found.session)
    }

    /// Ends the session that a refresh token or an access token belongs to, with all of its tokens. Does nothing for any other text, and
    /// for a token of another client (RFC 7009 §2.2).
    package func revoke(_ text: UTF8Text, of clientID: String, in project: ProjectSettings) async throws(AccountError) {
        guard let id = read(text, in: project)?.token.sessionID ?? verified(text)?.sessionID else { return }
        let now = clock.now()
        _ = try await storage.write(
            """
            UPDATE sessions SET ended_at = \(now), end_reason = 'revoked by its client'
            WHERE project_id = \(project: project) AND session_id = \(id) AND kind = 'client' AND client_id = \(clientID) AND ended_at IS NULL
            """)
    }

    // MARK: - Reading

    private static let columns: SQL = """
        account_id, sign_in_provider, auth_time, second_factor, second_factor_id, session_id, generation, expires_at, refreshed_at, scopes, granted
        """

    private struct Found {
        let account: Account
        let session: ClientSession
        let refreshed: Instant
    }

    private func find(_ id: [UInt8], in project: ProjectSettings) async throws(AccountError) -> Found? {
        let rows = try await storage.read(
            """
            \(Session.select(
                """
                s.account_id, s.sign_in_provider, s.auth_time, s.second_factor, s.second_factor_id, s.session_id, s.generation, s.expires_at,
                s.refreshed_at, s.scopes, s.granted
                """, id, in: project))
            WHERE s.kind = 'client' AND s.ended_at IS NULL AND s.expires_at > \(clock.now())
            """)
        guard let found = try session(rows, generation: nil, in: project), !found.account.disabled else { return nil }
        return found
    }

    private func session(_ rows: [Row], generation: Int64?, in project: ProjectSettings) throws(AccountError) -> Found? {
        guard var row = rows.first?.reader() else { return nil }
        let (accountID, provider, authTime): (String, String, Instant) = try reading { (try row.next(), try row.next(), try row.next()) }
        let secondFactor = try reading { try SecondFactorProof(&row) }
        let (id, stored): ([UInt8], Int64) = try reading { (try row.next(), try row.next()) }
        let (expires, refreshed): (Instant, Instant) = try reading { (try row.next(), try row.next()) }
        let grant = try ClientGrant(&row)
        guard let account = try reading({ try Account(&row) }) else { throw .grantRefused }
        let session = Session(
            projectID: project.storageID, id: id, accountID: accountID, signInProvider: provider, authTime: authTime, developerClaims: nil,
            secondFactor: secondFactor, generation: generation ?? stored)
        return Found(
            account: account, session: ClientSession(session: session, grant: grant, expires: expires), refreshed: refreshed)
    }

    private func read(_ text: UTF8Text, in project: ProjectSettings) -> (token: RefreshToken, key: RefreshTokenKey)? {
        RefreshToken.read(text.asString, keys: keys).flatMap { $0.token.realmNumber == project.sessionNumber ? $0 : nil }
    }

    private struct Claims {
        let issuer: String
        let id: String
        let sessionID: [UInt8]
        let scopes: [String]
        let audiences: [String]
        let issued: Instant
        let expires: Instant
    }

    private func verified(_ text: UTF8Text) -> Claims? {
        guard
            let jwt = try? UnverifiedJWT.parse(text.asString, as: .accessToken)
                .verified(with: signingKeys.published.keys, algorithms: [.rs256]),
            let issuer = jwt.claims["iss"]?.string, let id = jwt.claims["jti"]?.string,
            let bytes = Base64URL.decodeStrict(id.asString), bytes.count == 2 * Session.idCount,
            let issued = jwt.claims["iat"]?.integer, let expires = jwt.claims["exp"]?.integer,
            let scopes = (jwt.claims["scope"] ?? jwt.claims["scp"])?.string
        else { return nil }
        let audience = jwt.claims["aud"]
        return Claims(
            issuer: issuer.asString, id: id.asString, sessionID: Array(bytes[..<Session.idCount]),
            scopes: scopes.split { $0 == 0x20 }.map(\.asString),
            audiences: (audience?.string.map { name in [name] } ?? audience?.array?.compactMap(\.string) ?? []).map(\.asString),
            issued: Instant(seconds: issued), expires: Instant(seconds: expires))
    }

    /// Ends the session for which `condition` is true, and records that a copy of its secret is in the wrong hands.
    static func end(
        where condition: SQL, because reason: String, in project: ProjectSettings, from client: Session.ClientInfo, at now: Instant
    ) -> SQL {
        let act = AuditedAct(by: .person, on: nil, from: client, at: now)
        return """
            WITH ended AS (
                UPDATE sessions SET ended_at = \(now), end_reason = \(reason) WHERE \(condition) RETURNING account_id
            )
            INSERT INTO audit_events \(AuditedAct.columns)
            SELECT \(act.values(.clientSessionStolen, accountID: "ended.account_id", reason: reason, in: project)) FROM ended
            """
    }

    /// The most open grants of one account at one client. A person has a grant for each device and browser; a program that begins one at each
    /// start has thousands, and an ending of the account's sessions would have to end all of them.
    package static let mostGrants = 100

    /// Ends the oldest grants that the account has at the same client, beyond `mostGrants`; a thousand at the most, so that an account with far
    /// more from a former version does not wait for all of them. Must come after the statement that stores `granted`. Grants that another
    /// statement holds are left to it or to the next one, so that two new grants never wait for each other in a circle.
    static func endSurplus(beside granted: ClientSession, of project: ProjectSettings, at now: Instant) -> SQL {
        """
        UPDATE sessions SET ended_at = \(now), end_reason = 'too many grants'
        WHERE project_id = \(project: project) AND ended_at IS NULL AND session_id IN (
            SELECT session_id FROM sessions
            WHERE project_id = \(project: project) AND account_id = \(granted.session.accountID) AND client_id = \(granted.grant.clientID)
                AND kind = 'client' AND end_reason IS NULL
            ORDER BY created_at DESC, session_id OFFSET \(Int64(mostGrants)) LIMIT 1000 FOR UPDATE SKIP LOCKED)
        """
    }
}
