import HTTP
import JSON
import ProjectSettings
import Text

/// Asks Google for everything of a Firebase project but its accounts.
package struct FirebaseSurveyor: Sendable {
    private static let timeout: Duration = .seconds(20)
    /// Ends the lists of a double or a broken proxy that gives pages for ever.
    private static let mostPages = 1000

    private let calls: GoogleCalls
    private let attempts: GoogleAttempts

    private let realm: FirebaseRealm

    /// - Parameter tenant: the one that is asked about; `nil` for the project itself.
    package init(_ calls: GoogleCalls, _ attempts: GoogleAttempts, tenant: String? = nil) {
        (self.calls, self.attempts) = (calls, attempts)
        realm = FirebaseRealm(projectID: calls.projectID, tenant: tenant)
    }

    /// Throws when Google cannot be asked at all. A call that it refuses is a sentence of the survey.
    package func survey() async throws(GoogleFailure) -> FirebaseSurvey {
        var survey = FirebaseSurvey()
        let config = try await readConfiguration(into: &survey)
        survey.count = try await count(under: realm.accounts, refusals: &survey.refusals)
        try await readProviders(into: &survey)
        if realm.tenant == nil { try await readTenants(config?["signIn"]?["hashConfig"]?["signerKey"]?.string, into: &survey) }
        return survey
    }

    private func ask(_ path: String, _ name: String, _ body: JSON? = nil) async throws(GoogleFailure) -> JSON {
        try await attempts { () async throws(GoogleFailure) in
            try await calls.success(body == nil ? .get : .post, path, name, body, timeout: Self.timeout, longest: 16 << 20).json
        }
    }

    /// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/projects/getConfig>
    private func readConfiguration(into survey: inout FirebaseSurvey) async throws(GoogleFailure) -> JSON? {
        let config: JSON
        let (path, name) = realm.tenant == nil ? ("/config", "project") : ("", "tenant")
        do throws(GoogleFailure) { config = try await ask(realm.configuration + path, "configuration of the \(name)") } catch {
            guard case .forbidden = error else { throw error }
            survey.refusals.append(
                "the \(name)'s configuration (\(error)). So the parameters of the password hashes, the domains and the sign-in methods are not "
                    + "known; --hash-config gives the parameters")
            return nil
        }
        survey.authorizedDomains = (config["authorizedDomains"]?.array ?? []).compactMap { $0.string?.asString }
        survey.methods = realm.tenant == nil ? FirebaseSurvey.Methods(config["signIn"]) : FirebaseSurvey.Methods(ofTenant: config)
        guard let hashConfig = (config["signIn"] ?? config)["hashConfig"]?.object, !(hashConfig["signerKey"]?.string?.isEmpty ?? true)
        else {
            survey.refusals.append(
                "the parameters of the password hashes (permission firebaseauth.configs.getHashConfig). Then the hashes are not told either, "
                    + "and people would have to set new passwords")
            return config
        }
        do throws(HashParametersFault) { survey.hashes = try HashParameters(hashConfig) } catch {
            throw .misconfigured("Google's configuration of the \(name) has hash parameters that this import cannot read: \(error)")
        }
        return config
    }

    /// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/query>
    private func count(under path: String, refusals: inout [String]) async throws(GoogleFailure) -> Int? {
        do throws(GoogleFailure) {
            let count = try await ask(path + "/accounts:query", "count of accounts", ["returnUserInfo": false])["recordsCount"]
            return count?.string.flatMap { Int($0.asString) } ?? count?.integer.map { Int($0) }
        } catch {
            try note("the number of accounts", error, &refusals)
            return nil
        }
    }

    private func readProviders(into survey: inout FirebaseSurvey) async throws(GoogleFailure) {
        for (list, name) in [
            ("defaultSupportedIdpConfigs", "the known providers"), ("oauthIdpConfigs", "the OpenID Connect providers"),
            ("inboundSamlConfigs", "the SAML providers"),
        ] {
            do throws(GoogleFailure) {
                survey.providers += try await all(list).compactMap(FirebaseProvider.init)
            } catch {
                try note(name, error, &survey.refusals)
            }
        }
    }

    /// - Parameter own: the project's own key; `nil` where it is not known.
    private func readTenants(_ own: UTF8Text?, into survey: inout FirebaseSurvey) async throws(GoogleFailure) {
        let tenants: [JSON]
        do throws(GoogleFailure) { tenants = try await all("tenants") } catch {
            return try note("the tenants", error, &survey.refusals)
        }
        for tenant in tenants {
            guard let id = tenant["name"]?.string.flatMap(FirebaseProvider.id(in:)), Self.isTenant(id) else { continue }
            let count = try await count(under: FirebaseRealm(projectID: calls.projectID, tenant: id).accounts, refusals: &survey.refusals)
            var key: UTF8Text?
            // Only the call for one tenant tells its key.
            do throws(GoogleFailure) {
                key = try await ask(FirebaseRealm(projectID: calls.projectID, tenant: id).configuration, "configuration of a tenant")[
                    "hashConfig"]?["signerKey"]?.string
            } catch { try note("the configuration of the tenant \(id)", error, &survey.refusals) }
            survey.tenants.append(FirebaseSurvey.Tenant(id: id, count: count, hasOwnKey: key != nil && own != nil && key != own))
        }
    }

    package static func isTenant(_ id: String) -> Bool {
        id.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
        }
    }

    /// All elements of a list of the realm's.
    private func all(_ list: String) async throws(GoogleFailure) -> [JSON] {
        var (elements, token): ([JSON], UTF8Text?) = ([], nil)
        for _ in 0..<Self.mostPages {
            let query: Form = token.map { ["pageSize": "100", "pageToken": $0] } ?? ["pageSize": "100"]
            let json = try await ask("\(realm.configuration)/\(list)?\(query.encoded())", "list \(list)")
            elements += json[UTF8Text(list)]?.array ?? []
            guard let next = json["nextPageToken"]?.string, !next.isEmpty else { break }
            token = next
        }
        return elements
    }

    /// Throws an outage again; makes a sentence of a refusal.
    private func note(_ thing: String, _ failure: GoogleFailure, _ refusals: inout [String]) throws(GoogleFailure) {
        if case .unavailable = failure { throw failure }
        refusals.append("\(thing) (\(failure))")
    }
}
