import Accounts
import Crypto
package import Curl
import HTTP
import JSON
package import ProjectSettings
package import Runtime
import Text

/// A Firebase project at Google: the calls that this server makes about it, with the credentials of the project's file.
package struct GoogleProject: Sendable {
    package let migration: FirebaseMigration
    let upstream: any Upstream
    let access: GoogleAccess
    let clock: Clock

    package init(_ migration: FirebaseMigration, upstream: any Upstream, access: GoogleAccess, clock: Clock) {
        self.migration = migration
        self.upstream = upstream
        self.access = access
        self.clock = clock
    }

    /// The time for one call, in which a person waits.
    private static let timeout: Duration = .seconds(5)

    /// Google's answer for a person's refresh token.
    struct Refreshed {
        let idToken: String
        let userID: UTF8Text
        let projectNumber: UTF8Text
    }

    /// Redeems a refresh token of Firebase's.
    /// <https://cloud.google.com/identity-platform/docs/use-rest-api#section-refresh-token>
    func refresh(_ token: UTF8Text) async throws(GoogleFailure) -> Refreshed {
        let key: Form = ["key": UTF8Text(migration.apiKey.reveal())]
        var request = OutboundRequest(
            .post, "\(GoogleAddress.secureToken)?\(key.encoded())",
            headers: ["accept": "application/json", "content-type": "application/x-www-form-urlencoded"])
        let form: Form = ["grant_type": "refresh_token", "refresh_token": token]
        request.body = Array(form.encoded().utf8)
        request.timeout = Self.timeout
        let json = try await GoogleAnswer.json(of: request, "refresh of tokens", by: upstream)
        guard let idToken = json["id_token"]?.string, let userID = json["user_id"]?.string, let number = json["project_id"]?.string else {
            throw .unavailable("Google's refresh of tokens answered without id_token, user_id or project_id")
        }
        return Refreshed(idToken: idToken.asString, userID: userID, projectNumber: number)
    }

    /// Google's answer to a right password.
    enum PasswordAnswer: Equatable {
        /// The person's ID token.
        case idToken(String)
        /// A second factor is due.
        case secondFactor(FactorsThere)
    }

    /// A sign-in at Google that waits for a second factor: the ids of those that the person has there, and by what it goes on.
    struct FactorsThere: Equatable {
        let ids: [UTF8Text]
        let credential: String

        /// Whether one of them is a factor of the account here, which tells that it is the same person's.
        func fit(_ account: Account) -> Bool { ids.contains { account.factors.factor($0.asString) != nil } }
    }

    /// Signs a person in by a password.
    /// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/signInWithPassword>
    func signIn(email: String, password: String) async throws(GoogleFailure) -> PasswordAnswer {
        let body: JSON = ["email": .string(email), "password": .string(password), "returnSecureToken": true]
        let json = try await callAsApp("/v1/accounts:signInWithPassword", body, "sign-in by password")
        if let token = json["idToken"]?.string { return .idToken(token.asString) }
        guard let credential = json["mfaPendingCredential"]?.string else {
            throw .unavailable("Google's sign-in by password answered without idToken and mfaPendingCredential")
        }
        let ids = (json["mfaInfo"]?.array ?? []).compactMap { $0["mfaEnrollmentId"]?.string }
        return .secondFactor(FactorsThere(ids: ids, credential: credential.asString))
    }

    /// Ends a sign-in that waits for a second factor, with the code of an authenticator app.
    /// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.mfaSignIn/finalize>
    ///
    /// - Returns: the person's ID token.
    func finish(_ proof: FormerProof) async throws(GoogleFailure) -> String {
        let body: JSON = [
            "mfaPendingCredential": .string(proof.credential), "mfaEnrollmentId": .string(proof.factorID),
            "totpVerificationInfo": ["verificationCode": .string(proof.code)],
        ]
        let json = try await callAsApp("/v2/accounts/mfaSignIn:finalize", body, "second factor")
        guard let token = json["idToken"]?.string else { throw .unavailable("Google's second factor answered without idToken") }
        return token.asString
    }

    /// A call that apps make, with the project's API key.
    private func callAsApp(_ path: String, _ body: JSON, _ name: String) async throws(GoogleFailure) -> JSON {
        let key: Form = ["key": UTF8Text(migration.apiKey.reveal())]
        var request = OutboundRequest(
            .post, "\(GoogleAddress.identityToolkit)\(path)?\(key.encoded())",
            headers: ["accept": "application/json", "content-type": "application/json"], body: body.bytes())
        request.timeout = Self.timeout
        return try await GoogleAnswer.json(of: request, name, by: upstream)
    }

    /// Throws unless Google takes the API key for refreshes: it is shown a token that does not exist.
    package func tryKey() async throws(GoogleFailure) {
        do { _ = try await refresh("gatehouse-check") } catch {
            guard case .refused(code: "INVALID_REFRESH_TOKEN") = error else { throw error }
        }
    }

    /// Throws unless Google takes the API key for sign-ins by password: it is asked about an account that cannot exist.
    package func tryPassword() async throws(GoogleFailure) {
        do { _ = try await signIn(email: "gatehouse-check@gatehouse.invalid", password: Base64URL.encode(Random.bytes(24))) } catch {
            guard case .refused(let code) = error, PasswordBridge.wrong.contains(code) else { throw error }
        }
    }

    /// Throws unless the service account may look up accounts: it asks about one that does not exist.
    package func tryLookup() async throws(GoogleFailure) { _ = try await record(of: "gatehouse-check") }

    /// The names of the claims that administrators have given the person there; empty for none. Throws where Google does not say it.
    func customClaims(of uid: String) async throws(GoogleFailure) -> Set<UTF8Text> {
        guard let record = try await record(of: uid) else { throw .refused(code: "USER_NOT_FOUND") }
        guard let text = record["customAttributes"]?.string else { return [] }
        guard let claims = (try? JSON.parse(text.asString))?.object else {
            throw .unavailable("Google's look-up of accounts answered with custom claims that are not a JSON object")
        }
        return Set(claims.map(\.name))
    }

    /// The person's record; `nil` when there is none.
    func record(of uid: String) async throws(GoogleFailure) -> JSON? { try await records(of: .id(uid)).first }

    /// The records of a person: those with the id, the address, or one of the identities.
    /// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/lookup>
    func records(of person: FormerPerson) async throws(GoogleFailure) -> [JSON] {
        let body: JSON
        switch person {
        case .id(let uid): body = ["localId": [.string(uid)]]
        case .address(let email): body = ["email": [.string(email)]]
        case .identity(let providerID, let subjects, let email):
            var both: JSON.Object = [:]
            if let email { both["email"] = [.string(email)] }
            both["federatedUserId"] = .array(subjects.map { ["providerId": .string(providerID), "rawId": .string($0)] })
            body = .object(both)
        }
        let path = "/v1/projects/\(migration.projectID)/accounts:lookup"
        let answer = try await call(.post, path, body, "look-up of accounts")
        guard let users = answer["users"] else { return [] }
        guard let records = users.array else { throw .unavailable("Google's look-up of accounts answered with users that are not a list") }
        return records
    }

    /// Throws unless the service account may read the project's configuration, which names the project's number: then id and number belong
    /// together, and the operator is at home there.
    /// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/projects/getConfig>
    package func proveOwnership() async throws(GoogleFailure) {
        let config = try await call(.get, "/v2/projects/\(migration.projectID)/config", nil, "configuration of the project")
        guard config["name"]?.string == UTF8Text("projects/\(migration.projectNumber)/config") else {
            throw .misconfigured("Google's configuration of the project \(migration.projectID) names another projectNumber")
        }
    }

    private func call(_ method: HTTP.Method, _ path: String, _ body: JSON?, _ name: String) async throws(GoogleFailure) -> JSON {
        let calls = GoogleCalls(
            projectID: migration.projectID, account: migration.serviceAccount, upstream: upstream, access: access, clock: clock)
        return try await calls.success(method, path, name, body, timeout: Self.timeout).json
    }
}
