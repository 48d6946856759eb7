import Crypto
import Identity
import JSON
import Postgres
import Text

/// The columns of a flow that every step reads, and the keys that seal the others.
extension SignInFlows {
    static let columns = SQL(
        unsafe: "project_id, flow_id, provider_id, kind, redirect_uri, return_url, app_state, secrets, "
            + "api_key, app_name, auth_type, event_id, return_app, language")

    func flow(_ row: Row) throws(AccountError) -> SignInFlow {
        var row = row.reader()
        return try flow(&row)
    }

    /// Reads `columns`.
    func flow(_ row: inout RowReader) throws(AccountError) -> SignInFlow {
        let (projectID, id, providerID): (String, [UInt8], String) = try reading { (try row.next(), try row.next(), try row.next()) }
        let kind = try reading {
            guard let kind = SignInFlow.Kind(rawValue: try row.next()) else { throw PostgresError.decoding("kind") }
            return kind
        }
        let redirectURI: String = try reading { try row.next() }
        let (returnURL, appState): (String?, String?) = try reading { (try row.next(), try row.next()) }
        let sealed: [UInt8] = try reading { try row.next() }
        let sdkRequest = try reading { try SDKRequest(&row) }
        guard let bytes = try? masterKey.flows.open(sealed, context: Self.context(id)), let secrets = SignInSecrets(bytes: bytes) else {
            throw .sealBroken("sign-in flow")
        }
        return SignInFlow(
            projectID: projectID, id: id, providerID: providerID, kind: kind, redirectURI: redirectURI, returnURL: returnURL,
            appState: appState, sdkRequest: sdkRequest, secrets: secrets)
    }

    static func context(_ flowID: [UInt8]) -> String { "flow " + Hex.encode(flowID) }

    /// Half of the key is ours; the other half is only in the link.
    func answerKey(_ code: OneTimeCode) -> SealingKeys { masterKey.flowKeys(code.bytes, for: "response") }

    func postedKey(_ ticket: ResumeTicket) -> SealingKeys { masterKey.flowKeys(ticket.secret, for: "posted") }

    func eventKey(_ ticket: FlowTicket) -> SealingKeys { masterKey.flowKeys(ticket.secret, for: "event") }

    func seal(_ event: [UInt8], for ticket: FlowTicket) -> [UInt8] { eventKey(ticket).seal(event, context: Self.context(ticket.flowID)) }
}

extension SignInSecrets {
    var bytes: [UInt8] {
        let parameters = JSON.Object(customParameters.map { ($0, .string($1)) })
        var secrets: JSON.Object = [
            "codeVerifier": .string(codeVerifier), "nonce": .string(nonce), "customParameters": .object(parameters),
        ]
        secrets["requestToken"] = requestToken.map { ["token": .string($0.token), "secret": .string($0.secret)] }
        return JSON.object(secrets).bytes()
    }

    init?(bytes: [UInt8]) {
        guard let secrets = try? JSON.parse(bytes).decode(Self.self) else { return nil }
        self = secrets
    }
}
