import Accounts
import HTTP
import JSON
import Providers
import Web

/// What a provider proved, by whichever way the request came in; and the flow that must end with it.
enum IDPAnswer {
    static func obtain(
        by request: IDPRequest, sessionID: String?, _ context: Context
    ) async throws -> (UpstreamResult, SignInFlow?) {
        let services = context.services
        let project = try context.project.settings
        switch request {
        case .pending(let token):
            return (try UpstreamResult(bytes: try await services.pendingTokens.redeem(token, in: project)), nil)
        case .credential(let providerID, let credential):
            do {
                return (try await context.provider(providerID).verify(credential), nil)
            } catch let error as ProviderError {
                services.signIns.count(providerID, .refused)
                throw error
            }
        case .returned(let flowID, let code, let page):
            guard let sessionID else { throw AccountError.flowRefused }
            let (flow, response) = try await services.flows.claim(
                flowID: flowID, handle: code, sessionID: sessionID, page: page, in: project)
            return (try await exchange(try Form.reading(response), flow, context), flow)
        case .answered(let state, let form, let page):
            guard let sessionID, try await services.flows.waiting(state)?.redirectURI == page else { throw AccountError.flowRefused }
            let flow = try await services.flows.claim(state, sessionID: sessionID, in: project)
            return (try await exchange(form, flow, context), flow)
        }
    }

    /// Trades the provider's answer for proof. Whatever goes wrong, the flow is over: a code works once.
    private static func exchange(_ answer: Form, _ flow: SignInFlow, _ context: Context) async throws -> UpstreamResult {
        do {
            let provider = try context.provider(flow.providerID)
            try await provider.checkCallback(issuer: answer["iss"])
            if let error = answer["error"] { throw ProviderError.callback(error, description: answer["error_description"]) }
            return try await provider.redeem(
                callback: answer, redirectURI: flow.redirectURI, codeVerifier: flow.secrets.codeVerifier, nonce: flow.secrets.nonce,
                customParameters: flow.secrets.customParameters)
        } catch {
            try? await context.services.flows.fail(flow)
            context.services.signIns.count(flow.providerID, .refused)
            throw error
        }
    }
}

extension UpstreamIdentity {
    /// As the account rules take it.
    var proven: ProvenIdentity {
        ProvenIdentity(
            providerID: providerID, subject: subject, alias: alias, tenant: tenant, email: email, emailVerified: emailVerified,
            emailAuthoritative: emailAuthoritative, displayName: displayName, photoURL: photoURL, screenName: screenName)
    }
}

extension UpstreamResult {
    /// The same answer for later, in the client's hands.
    func pendingToken(_ context: Context) throws -> String {
        context.services.pendingTokens.issue(try JSON(encoding: self).bytes(), in: try context.project.settings)
    }

    fileprivate init(bytes: [UInt8]) throws {
        self = try JSON.parse(bytes).decode(UpstreamResult.self)
    }
}
