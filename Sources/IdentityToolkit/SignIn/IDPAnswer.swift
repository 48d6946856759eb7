import Accounts
import HTTP
import Identity
import JSON
import Providers
import Text
import Web

/// What a provider proved, by whichever way the request came in; and the flow that must end with it.
struct IDPAnswer {
    let result: ProviderResult
    let flow: SignInFlow?
    /// When the provider proved it, for an answer that was kept in a pending token.
    let proof: PendingTokens.Proof?

    var providerID: String { result.identity.providerID }

    private init(_ result: ProviderResult, flow: SignInFlow? = nil, proof: PendingTokens.Proof? = nil) {
        self.result = result
        self.flow = flow
        self.proof = proof
    }

    static func obtain(by request: IDPRequest, sessionID: UTF8Text?, _ context: Context) async throws -> IDPAnswer {
        let services = context.services
        let project = try context.project.settings
        switch request {
        case .pending(let token):
            let (bytes, proof) = try await services.pendingTokens.redeem(token.asString, in: project)
            // Another version may have kept it in another form.
            guard let result = try? JSON.parse(bytes).decode(ProviderResult.self) else { throw AccountError.invalidPendingToken }
            // What was good when it was kept may be switched off by now, or mean another issuer's people.
            let provider = try context.provider(UTF8Text(result.identity.providerID))
            guard provider.settings.issuerForStorage.isExactly(result.identity.issuer) else { throw AccountError.invalidPendingToken }
            return IDPAnswer(result, proof: proof)
        case .credential(let providerID, let credential):
            let provider = try context.provider(providerID)
            do {
                return IDPAnswer(try await provider.verify(credential))
            } catch {
                services.signIns.count(provider.settings.id, endedBy: error)
                throw error
            }
        case .returned(let flowID, let code, let page):
            guard let sessionID else { throw AccountError.flowRefused }
            let (flow, response) = try await services.flows.claim(
                flowID: flowID, handle: code.asString, sessionID: sessionID.asString, page: page.asString,
                isHandler: try context.project.isHandler(UTF8Text(page.utf8.prefix { $0 != UInt8(ascii: "?") }), of: services.site),
                in: project)
            return try await exchange(try Form.reading(response), flow, context)
        case .answered(let state, let form, let page):
            guard let sessionID, try await services.flows.waiting(state)?.redirectURI.isExactly(page) == true else {
                throw AccountError.flowRefused
            }
            let flow = try await services.flows.claim(state, sessionID: sessionID.asString, in: project)
            return try await exchange(form, flow, context)
        }
    }

    /// Trades the provider's answer for proof. Whatever goes wrong, the flow is over: a code works once.
    private static func exchange(_ answer: Form, _ flow: SignInFlow, _ context: Context) async throws -> IDPAnswer {
        do {
            let provider = try context.provider(UTF8Text(flow.providerID))
            try await provider.checkCallback(issuer: answer["iss"])
            if let error = answer["error"] { throw ProviderError.callback(error, description: answer["error_description"]) }
            let result = try await provider.redeem(
                callback: answer, redirectURI: flow.redirectURI, codeVerifier: flow.secrets.codeVerifier, nonce: flow.secrets.nonce,
                customParameters: flow.secrets.customParameters)
            return IDPAnswer(result, flow: flow)
        } catch {
            try? await context.services.flows.fail(flow)
            context.services.signIns.count(flow.providerID, endedBy: error)
            throw error
        }
    }

    /// The same answer for later, in the client's hands; no longer good than the one it came from.
    func pendingToken(_ context: Context) throws -> String {
        context.services.pendingTokens.issue(
            try JSON(encoding: result).bytes(), proof: proof, in: try context.project.settings)
    }
}
