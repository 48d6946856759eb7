package import Accounts
package import HTTP
import Providers
package import Text

/// The answer that a provider sent the browser back with: `state`, `code`, `iss`, `error` and its other fields. Read once, here.
///
/// The other fields are kept, since some providers send a part of the identity there and nowhere else.
package struct ProviderAnswer: Sendable {
    package let form: Form
    /// The `state`, when it has the form of one.
    private let namedFlow: FlowState?

    /// Throws `badParameter` for an answer that gives a field twice, since Gatehouse would have to guess which one counts.
    package init(_ form: Form) throws(BrokerageError) {
        self.form = form
        namedFlow = form["state"].flatMap(FlowState.init)
        // Any person can make an answer that names no flow, so none of its fields may be given twice.
        let repeated = isUnnamedRefusal ? form.firstRepeated() : form.firstRepeated(of: Self.decisive)
        guard let repeated else { return }
        // Any other name is a text of the sender's choice, so it is not quoted.
        let name = Self.decisive.contains(repeated) ? "The parameter \(repeated)" : "A parameter"
        throw .badParameter("\(name) is given more than once.")
    }

    private static let decisive: [UTF8Text] = ["state", "code", "iss", "error", "id_token"] + oauth1

    /// One of these is in every answer.
    private static let saying: [UTF8Text] = ["code", "id_token", "oauth_verifier", "denied", "error"]

    /// The fields of OAuth 1.0a: an approved request token with its verifier, or one that the person refused. The standard has no field for
    /// that; `denied` is in use. <https://www.rfc-editor.org/rfc/rfc5849#section-2.2>
    private static let oauth1: [UTF8Text] = ["oauth_token", "oauth_verifier", "denied"]

    /// The one `state`, which names a flow.
    package var state: FlowState {
        get throws(BrokerageError) {
            guard let namedFlow else { throw .unknownFlow }
            return namedFlow
        }
    }

    /// Whether it is an error without `state`, which some providers send, though the standard has them repeat it.
    /// <https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1>
    package var isUnnamedRefusal: Bool { (form["state"] ?? "").isEmpty && !(form["error"] ?? "").isEmpty }

    /// The meaning of the provider's `error` or `denied`; `nil` without one.
    var refusal: BrokerageError? {
        if let error = form["error"] { return BrokerageError(.callback(error, description: form["error_description"])) }
        return form["denied"].map { _ in BrokerageError(.callback("access_denied", description: nil)) }
    }

    /// The meaning of an error without a flow. Its description is ignored, since any person may have written it.
    package var refusalWithoutFlow: BrokerageError { BrokerageError(.callback(form["error"] ?? "", description: nil)) }

    /// Refuses an answer that came by the address of another provider than the flow's, or by the common address when the provider was told
    /// to use its own. It must not use the flow up.
    ///
    /// - Parameter address: the provider in the address that the browser came back to; `nil` for the common address.
    package func checkAddress(_ address: UTF8Text?, of flow: SignInFlow) throws(BrokerageError) {
        let hasOwn = flow.redirectURI.hasSuffix("/handler/" + flow.providerID)
        guard address == UTF8Text(flow.providerID) || address == nil && !hasOwn else {
            throw .at(
                provider: flow.providerID, project: flow.projectID,
                .foreignAnswer("The answer came to the address of another provider.", detail: "flow of \(flow.providerID)"))
        }
    }

    /// Checks that the answer is this provider's and says something. Each answer goes through this once, before it is sealed or redeemed:
    /// what is redeemed later is not checked again.
    ///
    /// An error that names no flow is found by the browser's cookie; its `iss` is compared where it has one, but not required.
    func check(of provider: ConfiguredProvider) async throws(BrokerageError) {
        if !isUnnamedRefusal || form["iss"] != nil {
            do { try await provider.checkIssuer(form["iss"]) } catch {
                if case .invalidResponse(let reason, let detail) = error { throw .foreignAnswer(reason, detail: detail) }
                throw BrokerageError(error)
            }
        }
        guard Self.saying.contains(where: { form[$0] != nil }) else {
            let names = Self.saying.map(\.asString).joined(separator: ", ")
            throw .providerFault("The answer has no code.", detail: "callback without any of \(names)")
        }
    }
}
