import Crypto
import JSON
import Postgres
package import ProjectSettings
import Runtime
package import Text

/// The requests of relying parties in the database, until they are answered: those that were pushed (RFC 9126), those whose person is at
/// the pages, and those with a code (`AuthorizationCodes.swift`). Each step is one conditional UPDATE, as with sign-in flows.
package struct AuthorizationRequests: Sendable {
    let storage: Storage
    let clock: Clock
    let completion: SignInCompletion
    let emailCodes: EmailCodes
    let codes: ActionCodes
    let limits: RateLimits

    /// How long a person may take at the pages; how long a pushed request waits for its browser (RFC 9126 §2.2).
    package static let timeToSignIn: Duration = .seconds(1800)
    package static let timeToPresent: Duration = .seconds(60)

    /// Keeps a request while its person is at the pages. One round trip, besides the charge.
    ///
    /// - Returns: the request, and the value of the cookie that binds it to the browser.
    package func store(
        _ request: AuthorizationRequest, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (authorization: PendingAuthorization, cookie: String) {
        try await limits.charge(.startSignIn, in: project, from: client)
        let cookie = Random.token()
        let now = clock.now()
        let authorization = PendingAuthorization(id: RequestID(bytes: Random.bytes(RequestID.count)), request: request, createdAt: now)
        try await insert(
            request, id: authorization.id, status: "waiting", cookieHash: Digest.sha256(Array(cookie.utf8)), until: now + Self.timeToSignIn,
            in: project)
        return (authorization, cookie)
    }

    /// Keeps a request that a relying party sent ahead. One round trip, besides the charge.
    package func push(
        _ request: AuthorizationRequest, of client: OAuthClient, in project: ProjectSettings, from clientInfo: Session.ClientInfo
    ) async throws(AccountError) -> RequestID {
        // A server pushes the requests of all its users from one address, so that a limit would shut them all out.
        if client.isPublic { try await limits.charge(.startSignIn, in: project, from: clientInfo) }
        let id = RequestID(bytes: Random.bytes(RequestID.count))
        try await insert(request, id: id, status: "pushed", cookieHash: nil, until: clock.now() + Self.timeToPresent, in: project)
        return id
    }

    private func insert(
        _ request: AuthorizationRequest, id: RequestID, status: String, cookieHash: [UInt8]?, until expires: Instant,
        in project: ProjectSettings
    ) async throws(AccountError) {
        _ = try await storage.write(
            """
            INSERT INTO authorization_requests (project_id, request_id, client_id, status, parameters, cookie_hash, created_at, expires_at)
            VALUES (\(project: project), \(id.bytes), \(request.clientID), \(status), \(try request.json), \(cookieHash), \(clock.now()), \(expires))
            """)
    }

    /// The pushed request of this client, which is given out once; `nil` for one that is unknown, used, expired, or another client's.
    package func takePushed(
        _ id: RequestID, clientID: String, in project: ProjectSettings
    ) async throws(AccountError) -> AuthorizationRequest? {
        let rows = try await storage.write(
            """
            DELETE FROM authorization_requests
            WHERE project_id = \(project: project) AND request_id = \(id.bytes) AND client_id = \(clientID) AND status = 'pushed'
                AND expires_at > \(clock.now())
            RETURNING parameters
            """)
        guard let row = rows.first else { return nil }
        return try AuthorizationRequest.reading(try reading { try row.value() })
    }

    /// The request that waits for the person at the browser with this cookie; `nil` when none does any more. Changes nothing.
    package func waiting(_ id: RequestID, cookie: UTF8Text, in project: ProjectSettings) async throws(AccountError) -> PendingAuthorization?
    {
        let rows = try await storage.read(
            """
            SELECT parameters, created_at, consented_by, chosen_by, edited_by, email, email_proven FROM authorization_requests
            WHERE project_id = \(project: project) AND request_id = \(id.bytes) AND status = 'waiting' AND expires_at > \(clock.now())
                AND cookie_hash = \(Digest.sha256(Array(cookie.utf8)))
            """)
        guard var row = rows.first?.reader() else { return nil }
        let request = try AuthorizationRequest.reading(try reading { try row.next() })
        return try reading {
            PendingAuthorization(
                id: id, request: request, createdAt: try row.next(), consentedBy: try row.next(), chosenBy: try row.next(),
                editedBy: try row.next(), email: try row.next(), emailProven: try row.next())
        }
    }

    /// Notes that the person of the browser's session agrees to the request's scopes, for this request and for later ones.
    ///
    /// Throws `conflict` when the request was answered in the meantime, or the session has ended.
    package func recordConsent(
        to scopes: [String], of authorization: PendingAuthorization, by session: BrowserSession, in project: ProjectSettings
    ) async throws(AccountError) {
        let account = session.account
        // The account is held first. So an ending of its sessions comes before this consent, which is refused then, or after it, and drops it.
        _ = try await storage.write(
            all: session.hold(in: project) + [
                .required(update(authorization, setting: "consented_by = \(account.id)", in: project)),
                """
                INSERT INTO consents AS c (project_id, account_id, client_id, scopes, given_at)
                VALUES (\(project: project), \(account.id), \(authorization.request.clientID), \(scopes), \(clock.now()))
                ON CONFLICT (project_id, account_id, client_id) DO UPDATE SET given_at = excluded.given_at,
                    scopes = ARRAY(SELECT DISTINCT unnest(c.scopes || excluded.scopes))
                """,
            ], waitingFor: account.id)
    }

    /// Whether the person agreed before to all of these scopes for this client. An ending of the account's sessions drops what was agreed to
    /// before (`Account.deleteCodes`), since it may have been another person's consent.
    package func hasConsent(
        to scopes: [String], of clientID: String, by accountID: String, in project: ProjectSettings
    ) async throws(AccountError) -> Bool {
        try await !storage.read(
            """
            SELECT 1::bigint FROM consents
            WHERE project_id = \(project: project) AND account_id = \(accountID) AND client_id = \(clientID) AND scopes @> \(scopes)
            """
        ).isEmpty
    }

    /// Notes that the person chose to go on with this account: by a button, or by the form with which they signed in.
    package func recordChoice(of authorization: PendingAuthorization, by accountID: String, in project: ProjectSettings)
        async throws(AccountError)
    {
        _ = try await storage.write(.required(update(authorization, setting: "chosen_by = \(accountID)", in: project)))
    }

    /// Notes that the person looked through their profile, which a user flow for that asks for.
    package func recordEdit(of authorization: PendingAuthorization, by accountID: String, in project: ProjectSettings)
        async throws(AccountError)
    {
        _ = try await storage.write(.required(update(authorization, setting: "edited_by = \(accountID)", in: project)))
    }

    /// Forgets a request that was refused. It cannot be answered again.
    package func end(_ authorization: PendingAuthorization, in project: ProjectSettings) async throws(AccountError) {
        _ = try await storage.write(
            """
            DELETE FROM authorization_requests
            WHERE project_id = \(project: project) AND request_id = \(authorization.id.bytes) AND status = 'waiting'
            """)
    }

    func update(_ authorization: PendingAuthorization, setting changes: SQL, in project: ProjectSettings) -> SQL {
        """
        UPDATE authorization_requests SET \(changes)
        WHERE project_id = \(project: project) AND request_id = \(authorization.id.bytes) AND status = 'waiting' AND expires_at > \(clock.now())
        RETURNING request_id
        """
    }
}

extension AuthorizationRequest {
    /// The request as it is stored.
    var json: String { get throws(AccountError) { try stored(self) } }

    static func reading(_ text: String) throws(AccountError) -> AuthorizationRequest {
        do { return try JSON.parse(text).decode(Self.self) } catch { throw .database(.decoding("parameters")) }
    }
}

/// A value as the text of a column with JSON.
func stored(_ value: some Encodable) throws(AccountError) -> String {
    do { return try JSON(encoding: value).text() } catch { throw .database(.decoding("\(type(of: value))")) }
}
