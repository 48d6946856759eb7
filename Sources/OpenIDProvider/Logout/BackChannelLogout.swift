import Accounts
import Curl
import HTTP
import Logging
import ProjectSettings
import Text
import Web

/// Tells relying parties, from server to server, that a person has signed out here.
/// <https://openid.net/specs/openid-connect-backchannel-1_0.html>
///
/// The browser does not wait for them. A message that does not arrive is tried again twice, then logged and counted.
struct BackChannelLogout {
    let context: Context
    let settings: ProjectSettings

    /// Bytes of an answer that are read.
    private static let longestAnswer = 4096

    /// - Parameter ended: all that was granted in the session, several grants of one relying party among them.
    func tell(_ ended: [ClientGrant], of account: Account) {
        var told: Set<Recipient> = []
        for grant in ended {
            guard let uri = settings.openIDProvider?.client(id: UTF8Text(grant.clientID))?.backChannelLogoutURI,
                told.insert(Recipient(clientID: grant.clientID, issuer: grant.issuer, sid: grant.sid)).inserted
            else { continue }
            tell(grant, of: account, at: uri)
        }
    }

    private struct Recipient: Hashable {
        let clientID: String
        let issuer: String
        /// After a second sign-in in the same browser, the relying party knows two sessions.
        let sid: String
    }

    private func tell(_ ended: ClientGrant, of account: Account, at uri: String) {
        var log = context.log
        log[metadataKey: "project"] = "\(settings.id)"
        log[metadataKey: "client"] = "\(ended.clientID)"
        let token: String
        do { token = try context.services.accounts.clientTokens.logoutToken(for: ended, of: account, in: settings) } catch {
            return log.error("no logout token", metadata: ["reason": "\(LogDetail.of(error))"])
        }
        var message = OutboundRequest(
            .post, uri, headers: ["content-type": "application/x-www-form-urlencoded"],
            body: Array(Form([(name: "logout_token", value: token)]).encoded().utf8))
        message.maxBytes = Self.longestAnswer
        // 204 is not in the specification, but many libraries answer it.
        context.services.backChannel.deliver(message, isAccepted: { $0 == 200 || $0 == 204 }) { [log] reason in
            log.warning("logout token not delivered", metadata: ["reason": "\(reason)"])
        }
    }
}
