import Accounts
import HTTP
import ProjectSettings
import Projects
import Runtime
import Text
import Web

/// A call of a relying party at one of its own endpoints: the provider, the form, and the client that proved who it is.
struct ClientCall {
    let address: IssuerAddress
    let client: OAuthClient
    let form: Form
    let context: Context

    var settings: ProjectSettings { address.project.settings }
    var accounts: Accounts { context.services.accounts }

    /// Reads the call, and lets `work` answer it. Errors are described as the shape of the address asks.
    static func answer(
        _ request: Request, _ context: Context, _ work: (ClientCall) async throws -> Response
    ) async throws -> Response {
        let address = try context.issuer(request)
        do {
            let form = try Form.ofRelyingParty(request)
            let credentials = try ClientCredentials(authorization: request.headers.values("authorization"), form: form)
            let client = try await ClientAuthentication(address: address, context: context).client(credentials)
            return try await work(ClientCall(address: address, client: client, form: form, context: context))
        } catch {
            let failure = Failure(describing: error)
            // The log explains the others.
            guard failure.isOfOAuth else { throw error }
            throw failure.described(by: address.userFlow, request.id, at: context.services.clock.now())
        }
    }
}

extension Form {
    /// `nil` also for bytes that are not UTF-8, in place of which a form usually has U+FFFD: a value that comes back must be the value that was
    /// sent.
    init?(strict bytes: [UInt8]) {
        guard let decoded = PercentEncoding.decode(bytes), UTF8Text(validating: decoded) != nil else { return nil }
        self.init(bytes)
    }

    /// The form of a call, with each parameter at most once. <https://www.rfc-editor.org/rfc/rfc6749#section-3.2>
    static func ofRelyingParty(_ request: Request) throws(Failure) -> Form {
        guard request.isForm else { throw .invalidRequest("The body must be a form: application/x-www-form-urlencoded.") }
        guard let form = Form(strict: request.body) else { throw .invalidRequest("The form is malformed, or not UTF-8.") }
        if let name = form.firstRepeated() { throw .invalidRequest("The parameter \(name.prefix(bytes: 64)) is given more than once.") }
        return form
    }
}

extension Response {
    /// The JSON answer to a relying party. <https://www.rfc-editor.org/rfc/rfc6749#section-5.1>
    init(oauth json: [UInt8], status: Int = 200) {
        self.init(
            status: status, headers: ["content-type": "application/json", "cache-control": "no-store", "pragma": "no-cache"], body: json)
    }
}
