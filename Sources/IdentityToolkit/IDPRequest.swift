import Accounts
import HTTP
import Providers
import Web

/// Which of the ways into `accounts:signInWithIdp` a request takes.
enum IDPRequest {
    /// The page of a plain browser app posts where our handler sent the browser: `flow` and the one-time `code`.
    case returned(flowID: [UInt8], code: String, page: String)
    /// A client posts where the provider sent the browser: `state`, and the provider's answer.
    case answered(FlowState, Form, page: String)
    /// A token that the app got from the provider itself.
    case credential(providerID: String, Credential)
    /// An earlier answer of the provider, kept by the client.
    case pending(token: String)

    /// - Parameters:
    ///   - requestURI: where the provider sent the browser, or any dummy when a credential is posted.
    ///   - postBody: form-encoded; what it names overrides the URL's query, and the URL's fragment overrides both.
    init(requestURI: String?, postBody: String?, pendingToken: String?) throws(Failure) {
        guard let requestURI, !requestURI.isEmpty else { throw .missingRequestURI }
        guard let uri = URI.parse(requestURI) else { throw .invalidRequestURI }
        if let pendingToken, !pendingToken.isEmpty {
            self = .pending(token: pendingToken)
            return
        }
        let form = try Self.merged([uri.query, postBody, uri.fragment])
        if let flow = form["flow"], let code = form["code"] {
            guard let id = FlowID(flow) else { throw Failure(telling: AccountError.flowRefused) }
            self = .returned(flowID: id.bytes, code: code, page: Self.page(of: requestURI))
        } else if let text = form["state"] {
            guard let state = FlowState(text) else { throw Failure(telling: AccountError.flowRefused) }
            self = .answered(state, form, page: String(requestURI.prefix { $0 != "?" && $0 != "#" }))
        } else {
            guard let providerID = form["providerId"]?.lowercased(), !providerID.isEmpty else {
                throw .invalidCredential("no providerId.")
            }
            guard form["id_token"] != nil || form["access_token"] != nil else {
                throw .invalidCredential("no id_token, access_token or code.")
            }
            self = .credential(
                providerID: providerID,
                Credential(idToken: form["id_token"], accessToken: form["access_token"], rawNonce: form["nonce"]))
        }
    }

    /// The parameters of all parts, where a later part overrides an earlier one. No part may give one twice.
    private static func merged(_ parts: [String?]) throws(Failure) -> Form {
        var merged: [(name: String, value: String)] = []
        for part in parts {
            guard let part else { continue }
            let form = try Form.reading(part)
            try form.once(form.fields.map(\.name))
            merged.removeAll { field in form[field.name] != nil }
            merged += form.fields
        }
        return Form(merged)
    }

    /// The address without what our redirect put behind it: as the app registered it, to the letter.
    private static func page(of requestURI: String) -> String {
        let parts = requestURI.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return String(parts[0]) }
        let kept = parts[1].split(separator: "&").filter { field in
            !["flow", "code", "state", "iss"].contains(field.prefix { $0 != "=" })
        }
        return kept.isEmpty ? String(parts[0]) : parts[0] + "?" + kept.joined(separator: "&")
    }
}
