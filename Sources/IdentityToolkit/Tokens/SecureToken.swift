import Accounts
import HTTP
import JSON
import Migration
import ProjectSettings
import Projects
import Runtime
import Text
import Web

/// `securetoken /v1/token`: answers a refresh token with a new ID token. Takes a form or JSON, in either spelling. While people of a Firebase
/// project move here, it takes Firebase's refresh tokens, too (`SessionBridge`).
/// <https://cloud.google.com/identity-platform/docs/use-rest-api#section-refresh-token>
struct SecureToken: RawEndpoint {
    static let route = Route(.post, "/v1/token", access: .apiKey, host: .secureToken)
    static let errorFormat = ErrorFormat.googleJSON
    static let content = CallContent(
        body: .formOrJSON(.texts(optional: ["grant_type", "refresh_token", "tenantId"])),
        answers: [
            .texts(["access_token", "expires_in", "token_type", "refresh_token", "id_token", "user_id", "project_id"])
        ])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        let grant = try Grant(request)
        guard let type = grant.type, !type.isEmpty else { throw Failure.missingGrantType }
        guard type == "refresh_token" else { throw Failure.invalidGrantType }
        guard let token = grant.refreshToken, !token.isEmpty else { throw Failure.missingRefreshToken }
        let context = try await context.inRealm(ofRefreshToken: token, named: grant.tenantID)
        let project = try context.project.settings
        let (account, session) = try await context.services.firebaseBridge.sessions.refresh(token, in: project, from: context.clientInfo)
        let tokens = try IssuedTokens(account, session, context)
        var json = JSONWriter(capacity: 512 + 2 * tokens.idToken.utf8.count)
        json.object { json in
            json.field("access_token", tokens.idToken)
            json.field("expires_in", tokens.expiresIn)
            json.field("token_type", "Bearer")
            json.field("refresh_token", tokens.refreshToken)
            json.field("id_token", tokens.idToken)
            json.field("user_id", account.id)
            json.field("project_id", decimal: project.number)
        }
        return Response(json: json.bytes)
    }
}

/// The parameters of the call, from either encoding.
private struct Grant {
    let type: UTF8Text?
    let refreshToken: UTF8Text?
    let tenantID: UTF8Text?

    private struct Body: Decodable {
        var grantType: UTF8Text?
        var refreshToken: UTF8Text?
        var tenantId: UTF8Text?
    }

    init(_ request: Request) throws(Failure) {
        if request.isForm {
            let form = try Form.reading(request.body)
            try form.once(["grant_type", "grantType", "refresh_token", "refreshToken", "tenantId"])
            guard form["grant_type"] == nil || form["grantType"] == nil, form["refresh_token"] == nil || form["refreshToken"] == nil else {
                throw .invalidArgument("A parameter is given in two spellings.")
            }
            type = form["grant_type"] ?? form["grantType"]
            refreshToken = form["refresh_token"] ?? form["refreshToken"]
            tenantID = form["tenantId"]
        } else {
            let body = try JSONBody.decode(Body.self, from: request)
            type = body.grantType
            refreshToken = body.refreshToken
            tenantID = body.tenantId
        }
    }
}

/// The three values that every sign-in answers with.
struct IssuedTokens {
    let idToken: String
    let refreshToken: String
    /// Seconds, as a string.
    let expiresIn: String

    /// The tokens of a call after which no second factor is ever due.
    init(_ account: Account, _ outcome: SignInOutcome, _ context: Context) throws {
        switch outcome {
        case .session(let session): try self.init(account, session, context)
        case .pending: throw Failure.unanswerableSecondFactor
        }
    }

    /// Two ID tokens of different sessions always differ, even within the same second, because each names its session. SDKs that get an ID
    /// token they already have ignore the refresh token beside it.
    init(_ account: Account, _ session: Session, _ context: Context) throws {
        let project = try context.project.settings
        idToken = try context.services.accounts.idTokens.issue(for: account, session, in: project)
        refreshToken = context.services.accounts.sessions.refreshToken(for: session, in: project)
        expiresIn = String(project.tokens.lifetime.wholeSeconds)
    }
}
