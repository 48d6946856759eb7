import Crypto
import JSON
import Postgres
import ProjectSettings
package import Runtime

/// The session that a person granted to one relying party: one family of refresh tokens, and the access tokens beside them.
package struct ClientSession: Sendable {
    package let session: Session
    package let grant: ClientGrant
    /// The time when it ends at the latest.
    package let expires: Instant
}

/// The facts of a grant that its tokens repeat for as long as it lasts.
package struct ClientGrant: Codable, Sendable, Equatable {
    package let clientID: String
    package let issuer: String
    /// As it was configured when the person signed in; `nil` in the native shape.
    package let userFlow: String?
    package let claims: RequestedClaims?
    package let wantsClientInfo: Bool
    /// `sid` of the ID tokens, by which a logout tells the relying party which session ends: that of the browser when it was granted.
    package let sid: String
    /// Not part of the stored JSON: a column of its own.
    package internal(set) var scopes: [String] = []

    private enum CodingKeys: String, CodingKey { case clientID, issuer, userFlow, claims, wantsClientInfo, sid }

    init(_ request: AuthorizationRequest, scopes: [String], sessionID: [UInt8]) {
        clientID = request.clientID
        issuer = request.issuer
        userFlow = request.userFlow
        claims = request.claims
        wantsClientInfo = request.wantsClientInfo
        sid = Base64URL.encode(sessionID)
        self.scopes = scopes
    }

    /// Reads `scopes, granted`.
    init(_ row: inout RowReader) throws(AccountError) {
        let (scopes, text): ([String], String) = try reading { (try row.next(), try row.next()) }
        do { self = try JSON.parse(text).decode(Self.self) } catch { throw .database(.decoding("granted")) }
        self.scopes = scopes
    }

    /// The client as it is configured now; `nil` when it or the user flow is not any more.
    func client(in project: ProjectSettings) -> OAuthClient? { project.openIDProvider?.client(id: clientID, userFlow: userFlow) }

    /// The grant as it is stored.
    var json: String { get throws(AccountError) { try stored(self) } }
}
