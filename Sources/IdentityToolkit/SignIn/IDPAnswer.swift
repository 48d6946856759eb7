import Accounts
import HTTP
import JSON
import Providers
import Text
import Web

/// What a provider proved, by whichever way the request came in; and the flow that must end with it.
struct IDPAnswer {
    let result: UpstreamResult
    /// The identity space that the result is of.
    let issuer: String
    let flow: SignInFlow?
    /// When the provider proved it, for an answer that was kept in a pending token.
    let proof: PendingTokens.Proof?

    var providerID: String { result.identity.providerID }

    private init(_ result: UpstreamResult, of provider: ConfiguredProvider, flow: SignInFlow? = nil, proof: PendingTokens.Proof? = nil) {
        self.result = result
        issuer = provider.settings.issuerForStorage
        self.flow = flow
        self.proof = proof
    }

    static func obtain(by request: IDPRequest, sessionID: UTF8Text?, _ context: Context) async throws -> IDPAnswer {
        let services = context.services
        let project = try context.project.settings
        switch request {
        case .pending(let token):
            let (bytes, proof) = try await services.pendingTokens.redeem(token.asString, in: project)
            let kept = try JSON.parse(bytes).decode(Kept.self)
            // What was good when it was kept may be switched off by now, or mean another issuer's people.
            let provider = try context.provider(UTF8Text(kept.result.identity.providerID))
            guard provider.settings.issuerForStorage.isExactly(kept.issuer) else { throw AccountError.invalidPendingToken }
            return IDPAnswer(kept.result, of: provider, proof: proof)
        case .credential(let providerID, let credential):
            let provider = try context.provider(providerID)
            do {
                return IDPAnswer(try await provider.verify(credential), of: provider)
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
            return IDPAnswer(result, of: provider, flow: flow)
        } catch {
            try? await context.services.flows.fail(flow)
            context.services.signIns.count(flow.providerID, endedBy: error)
            throw error
        }
    }

    /// As the account rules take it.
    var proven: ProvenIdentity {
        let identity = result.identity
        return ProvenIdentity(
            providerID: identity.providerID, issuer: issuer, subject: identity.subject, alias: identity.alias, tenant: identity.tenant,
            email: identity.email, emailVerified: identity.emailVerified, emailAuthoritative: identity.emailAuthoritative,
            displayName: identity.displayName, photoURL: identity.photoURL, screenName: identity.screenName, provenAt: proof?.provenAt)
    }

    /// The same answer for later, in the client's hands; no longer good than the one it came from.
    func pendingToken(_ context: Context) throws -> String {
        let kept = Kept(issuer: issuer, result: result)
        return context.services.pendingTokens.issue(
            try JSON(encoding: kept).bytes(), proof: proof, in: try context.project.settings)
    }

    private struct Kept: Codable {
        var issuer: String
        var result: UpstreamResult
    }
}
