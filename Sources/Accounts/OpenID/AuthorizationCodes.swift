import Crypto
import Postgres
package import ProjectSettings
package import Runtime
package import Text

/// The answer of a request: a code, which the relying party redeems once for tokens.
/// <https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2>, <https://www.rfc-editor.org/rfc/rfc9700#section-2.1>
extension AuthorizationRequests {
    /// How long a code can be redeemed.
    package static let timeToRedeem: Duration = .seconds(60)
    private static let secretCount = 32

    /// Answers a request with a code. One round trip.
    ///
    /// Throws `conflict` when the pending request was answered in the meantime, or the browser's session has ended.
    /// - Parameters:
    ///   - authorization: the request as it was kept; `nil` for one that is answered at once.
    ///   - scopes: those that are granted.
    package func grant(
        _ request: AuthorizationRequest, authorization: PendingAuthorization?, to session: BrowserSession, scopes: [String],
        in project: ProjectSettings
    ) async throws(AccountError) -> String {
        let id = authorization?.id ?? RequestID(bytes: Random.bytes(RequestID.count))
        let secret = Random.bytes(Self.secretCount)
        let now = clock.now()
        let hash = Digest.sha256(secret)
        let answer: SQL =
            if let authorization {
                update(
                    authorization,
                    setting: """
                        status = 'granted', code_hash = \(hash), browser_session_id = \(session.session.id), scopes = \(scopes),
                        cookie_hash = NULL, email = NULL, email_code = NULL, expires_at = \(now + Self.timeToRedeem)
                        """, in: project)
            } else {
                """
                INSERT INTO authorization_requests (project_id, request_id, client_id, status, parameters, code_hash, browser_session_id,
                    scopes, created_at, expires_at)
                VALUES (\(project: project), \(id.bytes), \(request.clientID), 'granted', \(try request.json), \(hash), \(session.session.id),
                    \(scopes), \(now), \(now + Self.timeToRedeem))
                RETURNING request_id
                """
            }
        // The account is locked before the request, as endings do, which void the digits of requests.
        _ = try await storage.write(all: session.hold(in: project) + [.required(answer)], waitingFor: session.account.id)
        return Base64URL.encode(id.bytes + secret)
    }

    /// The proof that a relying party sends together with a code.
    package struct Proof: Sendable {
        let clientID: String
        let redirectURI: UTF8Text?
        let verifier: UTF8Text?
        let userFlow: String?

        /// - Parameters:
        ///   - redirectURI: must be the one of the request; `nil` only where the request had none (RFC 6749 §4.1.3).
        ///   - verifier: of PKCE; must fit the challenge, and must be absent without one (RFC 9700 §4.8.2).
        ///   - userFlow: the user flow by whose address the code is redeemed.
        package init(clientID: String, redirectURI: UTF8Text?, verifier: UTF8Text?, userFlow: String?) {
            self.clientID = clientID
            self.redirectURI = redirectURI
            self.verifier = verifier
            self.userFlow = userFlow
        }

        func fits(_ request: AuthorizationRequest) -> Bool {
            guard clientID == request.clientID, redirectURI.map({ $0 == request.redirectURI }) ?? true else { return false }
            guard let challenge = request.codeChallenge else { return verifier == nil }
            guard let verifier, (43...128).contains(verifier.utf8.count) else { return false }
            return constantTimeEqual(Array(Base64URL.encode(Digest.sha256(Array(verifier.utf8))).utf8), Array(challenge.utf8))
        }
    }

    /// Trades a code for the session of its relying party. Two round trips.
    ///
    /// A code that comes a second time ends the session that it made, since one of its two holders is a thief.
    /// Throws `grantRefused`, and says no more: the code is unknown, used, expired, or the proof does not fit, or the client is not
    /// reached at the request's redirect URI any more; `redirectURIMissing`; `grantOfOtherFlow`.
    package func redeem(
        _ code: UTF8Text, _ proof: Proof, for client: OAuthClient, in project: ProjectSettings, from clientInfo: Session.ClientInfo
    ) async throws(AccountError) -> RedeemedCode {
        // Of two redemptions at the same time, the later one meets a conflict. Its second look finds the code used.
        return try await retryingConflicts { () async throws(AccountError) in
            let found = try await find(code, in: project)
            guard !found.isRedeemed else {
                if proof.clientID == found.request.clientID { try await endReused(found, in: project, from: clientInfo) }
                throw .grantRefused
            }
            guard found.isFresh, found.sessionLives, proof.fits(found.request), !found.account.disabled else { throw .grantRefused }
            guard proof.redirectURI != nil || found.request.omitsRedirectURI == true else { throw .redirectURIMissing }
            guard project.standing(of: found.request) != nil else { throw .grantRefused }
            guard proof.userFlow == found.request.userFlow else { throw .grantOfOtherFlow }
            return try await redeem(found, for: client, in: project, from: clientInfo)
        }
    }

    private func redeem(
        _ found: FoundCode, for client: OAuthClient, in project: ProjectSettings, from clientInfo: Session.ClientInfo
    ) async throws(AccountError) -> RedeemedCode {
        let now = clock.now()
        let browserSession = found.browserSession
        let grant = ClientGrant(found.request, scopes: found.scopes, sessionID: browserSession.session.id)
        let session = Session(
            projectID: project.storageID, id: Random.bytes(Session.idCount), accountID: found.account.id,
            signInProvider: browserSession.session.signInProvider, authTime: browserSession.session.authTime,
            developerClaims: nil, secondFactor: browserSession.session.secondFactor, generation: 0)
        let granted = ClientSession(session: session, grant: grant, expires: now + client.refreshLifetime)
        try await completion.grant(
            granted, in: browserSession,
            with: [found.spend(for: session.id, in: project, at: now)] + browserSession.hold(in: project), of: project, from: clientInfo,
            at: now)
        return RedeemedCode(account: found.account, session: granted, request: found.request, askedAt: found.askedAt)
    }

    /// Ends what the code's first use made, when the same client shows it again.
    func endReused(
        _ found: FoundCode, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) {
        guard let sessionID = found.clientSessionID else { return }
        let own: SQL = "project_id = \(project: project) AND session_id = \(sessionID) AND ended_at IS NULL"
        _ = try await storage.write(
            ClientSessions.end(where: own, because: "code reused", in: project, from: client, at: clock.now()))
    }

    /// A code as it was read, with what its redemption begins from.
    struct FoundCode {
        let id: RequestID
        let request: AuthorizationRequest
        let askedAt: Instant
        let scopes: [String]
        let isRedeemed: Bool
        let isFresh: Bool
        let clientSessionID: [UInt8]?
        let sessionLives: Bool
        let account: Account
        let browserSession: BrowserSession

        /// Uses the code up for a session with this id.
        func spend(for sessionID: [UInt8], in project: ProjectSettings, at now: Instant) -> SQL {
            .required(
                """
                UPDATE authorization_requests SET status = 'redeemed', client_session_id = \(sessionID)
                WHERE project_id = \(project: project) AND request_id = \(id.bytes) AND status = 'granted' AND expires_at > \(now)
                RETURNING request_id
                """)
        }
    }

    /// Throws `grantRefused` for a code that does not exist.
    func find(_ text: UTF8Text, in project: ProjectSettings) async throws(AccountError) -> FoundCode {
        guard let code = Base64URL.decodeStrict(text.asString), code.count == RequestID.count + Self.secretCount else {
            throw .grantRefused
        }
        let id = RequestID(bytes: Array(code[..<RequestID.count]))
        let hash = Digest.sha256(Array(code[RequestID.count...]))
        let now = clock.now()
        let rows = try await storage.read(
            """
            SELECT r.parameters, r.created_at, r.scopes, r.status = 'redeemed', r.expires_at > \(now), r.client_session_id,
                s.ended_at IS NULL AND s.expires_at > \(now) AND s.kind = 'browser',
                s.session_id, s.account_id, s.sign_in_provider, s.auth_time, s.developer_claims, s.second_factor,
                s.second_factor_id,
                \(Account.columns(in: project))
            FROM authorization_requests r
            JOIN sessions s ON s.project_id = \(project: project) AND s.session_id = r.browser_session_id
            JOIN accounts a ON a.project_id = \(project: project) AND a.account_id = s.account_id
            WHERE r.project_id = \(project: project) AND r.request_id = \(id.bytes) AND r.code_hash = \(hash)
            """)
        guard var row = rows.first?.reader() else { throw .grantRefused }
        let request = try AuthorizationRequest.reading(try reading { try row.next() })
        let askedAt: Instant = try reading { try row.next() }
        let scopes: [String] = try reading { try row.next() }
        let (isRedeemed, isFresh): (Bool, Bool) = try reading { (try row.next(), try row.next()) }
        let clientSessionID: [UInt8]? = try reading { try row.next() }
        let lives: Bool = try reading { try row.next() }
        let session = try reading { try BrowserSession.session(&row, in: project) }
        guard let account = try reading({ try Account(&row) }) else { throw .grantRefused }
        return FoundCode(
            id: id, request: request, askedAt: askedAt, scopes: scopes, isRedeemed: isRedeemed, isFresh: isFresh,
            clientSessionID: clientSessionID, sessionLives: lives, account: account,
            browserSession: BrowserSession(session: session, account: account))
    }
}

/// The account and the session that a code was redeemed for.
package struct RedeemedCode: Sendable {
    package let account: Account
    package let session: ClientSession
    package let request: AuthorizationRequest
    /// The time when the request was kept, or granted at once.
    package let askedAt: Instant

    /// Whether the person made the account for this request.
    package var isNewUser: Bool { account.createdAt >= askedAt }
}
