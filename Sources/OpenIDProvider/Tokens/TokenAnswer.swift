import Accounts
import Crypto
import HTTP
import JSON
import ProjectSettings
import Projects
import Runtime
import Web

/// The tokens that a relying party gets.
/// <https://openid.net/specs/openid-connect-core-1_0.html#TokenResponse>
struct TokenAnswer {
    let subject: ClientTokens.Subject
    /// Those of this answer: all that were granted, or fewer. A scope that was taken from the client since then is left out.
    let granted: [String]
    let nonce: String?
    let isNewUser: Bool

    static let shape = JSONShape.object([
        .init("access_token", .text, isRequired: true), .init("token_type", .text, isRequired: true),
        .init("expires_in", .integer(bits: 64), isRequired: true), .init("refresh_token", .text, isRequired: false),
        .init("id_token", .text, isRequired: false), .init("scope", .text, isRequired: true),
        .init("not_before", .integer(bits: 64), isRequired: false), .init("id_token_expires_in", .integer(bits: 64), isRequired: false),
        .init("refresh_token_expires_in", .integer(bits: 64), isRequired: false), .init("client_info", .text, isRequired: false),
    ])

    /// Times are numbers: AppAuth for iOS ignores texts, and then never refreshes.
    func response(to call: ClientCall) throws -> Response {
        let tokens = call.accounts.openID.tokens
        let (client, project) = (call.client, call.settings)
        let scopes = client.keeping(granted)
        let accessToken = try tokens.accessToken(subject, scopes: scopes, userInfo: call.address.urls.userInfo, in: project)
        let idToken =
            scopes.contains("openid")
            ? try tokens.idToken(subject, scopes: scopes, accessToken: accessToken, nonce: nonce, isNewUser: isNewUser, in: project) : nil
        let refreshToken =
            client.mayRefresh(subject.session.grant.scopes)
            ? call.accounts.openID.sessions.refreshToken(for: subject.session, in: project) : nil
        var json = JSONWriter(capacity: 2048)
        json.object { json in
            json.field("access_token", accessToken)
            json.field("token_type", "Bearer")
            json.field("expires_in", client.accessTokenLifetime.wholeSeconds)
            json.field("refresh_token", refreshToken)
            json.field("id_token", idToken)
            json.field("scope", scopes.joined(separator: " "))
            guard let userFlow = call.address.userFlow else { return }
            json.field("not_before", call.context.services.clock.now().seconds)
            if idToken != nil { json.field("id_token_expires_in", ClientTokens.idTokenLifetime) }
            if refreshToken != nil {
                let left = subject.session.expires.seconds - call.context.services.clock.now().seconds
                json.field("refresh_token_expires_in", min(client.refreshIdle.wholeSeconds, left))
            }
            if subject.session.grant.wantsClientInfo { json.field("client_info", clientInfo(userFlow, project)) }
        }
        return Response(oauth: json.bytes)
    }

    /// Who the account is to Microsoft's libraries, which store tokens under this name. That for Apple's systems refuses an answer without it.
    private func clientInfo(_ userFlow: UserFlow, _ project: ProjectSettings) -> String {
        var json = JSONWriter()
        json.object { json in
            json.field("uid", "\(subject.account.objectID(in: project))-\(userFlow.name)")
            json.field("utid", project.openIDProvider?.directoryID ?? project.addressName)
        }
        return Base64URL.encode(json.bytes)
    }
}
