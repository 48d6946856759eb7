import Accounts
import Brokerage
import HTTP
import Identity
import JSON
import Projects
import Providers
import Text
import Web

/// The ways into `accounts:signInWithIdp`, of which a request uses one.
enum SignInWithIDPRequest {
    /// A client posts the address of a result from our handler, with `flow` and the one-time `code`: an SDK got it from the handler, and a
    /// plain browser app is at it.
    case returned(FlowID, code: UTF8Text, page: UTF8Text)
    /// A client posts the address to which the provider sent the browser: `state`, and the provider's answer.
    case answered(ProviderAnswer, page: UTF8Text)
    /// A token that the app got directly from the provider.
    case credential(providerID: UTF8Text, Credential)
    /// An earlier answer of the provider, kept by the client. `providerID`: the provider that the client takes it to be from, if it says so.
    case pending(token: UTF8Text, providerID: UTF8Text?)

    /// - Parameters:
    ///   - requestURI: the address of a result or of a provider's answer, or any placeholder when a credential is posted.
    ///   - postBody: form-encoded; its fields override those of the URL's query, and the URL's fragment overrides both.
    init(requestURI: UTF8Text?, postBody: UTF8Text?, pendingToken: UTF8Text?) throws {
        guard let requestURI, !requestURI.isEmpty else { throw Failure.missingRequestURI }
        guard let uri = URI.ofPage(requestURI) else { throw Failure.invalidRequestURI }
        if let pendingToken, !pendingToken.isEmpty {
            let posted = try postBody.map(Self.posted)
            try posted?.once()
            self = .pending(token: pendingToken, providerID: posted?["providerId"]?.asciiLowercased)
            return
        }
        let query = try uri.query.map { text throws(Failure) in try Form.reading(text) }
        let fragment = try uri.fragment.map { text throws(Failure) in try Form.reading(text) }
        let form = try Self.merged([query, try postBody.map(Self.posted), fragment])
        if let flow = form["flow"], let code = form["code"] {
            guard let id = FlowID(flow) else { throw BrokerageError.unknownFlow }
            self = .returned(id, code: code, page: Self.page(of: requestURI))
        } else if form["state"] != nil {
            let answer = try ProviderAnswer(form)
            _ = try answer.state
            self = .answered(answer, page: UTF8Text(requestURI.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }))
        } else {
            guard let providerID = form["providerId"]?.asciiLowercased, !providerID.isEmpty else {
                throw Failure.invalidCredential("no providerId.")
            }
            // What its apps post has other names, so this comes first.
            guard RefusedProvider.named(providerID) == nil else { throw BrokerageError.notEnabled(providerID) }
            guard form["id_token"] != nil || form["access_token"] != nil else {
                throw Failure.invalidCredential("no id_token, access_token or code.")
            }
            self = .credential(
                providerID: providerID,
                Credential(
                    idToken: form["id_token"], accessToken: form["access_token"], accessTokenSecret: form["oauth_token_secret"],
                    rawNonce: form["nonce"], code: form["code"], user: form["user"]))
        }
    }

    /// The sign-in that the provider proved.
    ///
    /// - Parameter sessionID: the secret of the client that started the flow.
    func proven(sessionID: UTF8Text?, by broker: BrokeredProject, _ context: Context) async throws -> ProvenSignIn {
        switch self {
        case .returned(let flowID, let code, let page):
            let address = UTF8Text(page.utf8.prefix { $0 != UInt8(ascii: "?") })
            return try await broker.redeem(
                code, of: flowID, sessionID: sessionID, page: page,
                isHandler: try context.project.isHandler(address, of: context.services.site))
        case .answered(let answer, let page): return try await broker.redeem(answer, sessionID: sessionID, page: page)
        case .credential(let providerID, let credential): return try await broker.verify(credential, of: providerID)
        case .pending(let token, let providerID):
            let proven = try await broker.redeem(pendingToken: token)
            guard providerID == nil || providerID == UTF8Text(proven.result.identity.providerID) else {
                throw Failure.invalidCredential("the pendingToken is from another provider than providerId.")
            }
            return proven
        }
    }

    /// The parameters of all parts; a later part overrides an earlier one. No part may contain one twice.
    private static func merged(_ parts: [Form?]) throws(Failure) -> Form {
        var merged: [(name: UTF8Text, value: UTF8Text)] = []
        for form in parts.compactMap(\.self) {
            try form.once()
            merged.removeAll { field in form[field.name] != nil }
            merged += form.fields
        }
        return Form(merged)
    }

    /// The fields of a post body. The iOS SDK posts the person's name as JSON that it does not encode, after all other fields: a `&`, `%`
    /// or `+` in it is a part of the name.
    private static func posted(_ body: UTF8Text) throws(Failure) -> Form {
        let parts = body.asString.utf8.split(separator: "&user={".utf8, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return try Form.reading(body) }
        let user: UTF8Text = "{\(UTF8Text(parts[1]))"
        guard (try? JSON.parse(Array(user.utf8))) != nil else { return try Form.reading(body) }
        var form = try Form.reading(UTF8Text(parts[0]))
        form.add("user", user)
        return form
    }

    /// The address without the fields that our redirect added: exactly as the app registered it.
    private static func page(of requestURI: UTF8Text) -> UTF8Text {
        let parts = requestURI.utf8.prefix { $0 != UInt8(ascii: "#") }
            .split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return UTF8Text(parts[0]) }
        let kept = parts[1].split(separator: UInt8(ascii: "&")).filter { field in
            !ours.contains(UTF8Text(field.prefix { $0 != UInt8(ascii: "=") }))
        }
        return kept.isEmpty ? UTF8Text(parts[0]) : "\(UTF8Text(parts[0]))?\(kept.map { String(Substring($0)) }.joined(separator: "&"))"
    }

    private static let ours: Set<UTF8Text> = ["flow", "code", "state", "iss"]
}
