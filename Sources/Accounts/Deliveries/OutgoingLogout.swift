import Postgres
import ProjectSettings
import Runtime
import Text

/// The message for a relying party that a session at the pages, in which it was granted something, has ended. The token in it is signed anew
/// at each attempt (`ClientTokens.logoutToken`). <https://openid.net/specs/openid-connect-backchannel-1_0.html>
package struct OutgoingLogout: DeliveryPayload, Hashable {
    package static let deliveryKind = DeliveryKind.logout

    package let clientID: String
    package var recipient: [UInt8] { Array(clientID.utf8) }
    package let issuer: String
    /// The account, as the relying party knows it.
    package let subject: String
    /// After a second sign-in in the same browser, the relying party knows two sessions.
    package let sid: String

    package init(clientID: String, issuer: String, subject: String, sid: String) {
        self.clientID = clientID
        self.issuer = issuer
        self.subject = subject
        self.sid = sid
    }

    /// The messages about what was granted in a session: one for each session that a relying party knows, for those that have an address.
    static func messages(about grants: [ClientGrant], to account: Account, in project: ProjectSettings) -> [OutgoingLogout] {
        let told = grants.filter { project.openIDProvider?.client(id: UTF8Text($0.clientID))?.backChannelLogoutURI != nil }
        return Set(
            told.map { grant in
                OutgoingLogout(
                    clientID: grant.clientID, issuer: grant.issuer,
                    subject: grant.userFlow == nil ? account.id : account.objectID(in: project), sid: grant.sid)
            }
        ).sorted { ($0.clientID, $0.issuer, $0.sid) < ($1.clientID, $1.issuer, $1.sid) }
    }
}

/// Descriptions show neither the person nor the session (SEC-21).
extension OutgoingLogout: Concealed {
    package var description: String { "<log-out for \(clientID)>" }
}
