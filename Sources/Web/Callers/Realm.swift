import Accounts
import Crypto
package import HTTP
package import JSON
import ProjectSettings
package import Projects
package import Text

/// The realm that a call is for: the project, or one of its tenants.
///
/// The path, the query, the body and a token of ours may each name a tenant. All that do must agree, before anything is looked up, and the rules
/// behind the call then see the tenant's rows alone (SEC-63).
extension Context {
    /// The same call in the realm that it names. Throws `UNSUPPORTED_TENANT_OPERATION` where the project has no tenants, `TENANT_NOT_FOUND`,
    /// `TENANT_ID_MISMATCH`, and for calls of apps `PROJECT_DISABLED`.
    ///
    /// - Parameter body: its members; those of the query have been read already.
    package func inRealm(of body: JSON.Object = [:]) async throws -> Context {
        let project = try self.project
        guard project.settings.tenant == nil else { return self }
        let named = try tenantsNamed(in: body)
        let tokens = project.tenants == nil ? [] : try Self.tenants(ofTokensIn: body, for: project)
        return try await inRealm(named: named, tokens: tokens)
    }

    /// The same for a custom token, which names its tenant in a claim.
    package func inRealm(ofCustomToken token: UTF8Text) async throws -> Context {
        let project = try self.project
        guard let claims = Self.claims(of: token) else { return self }
        let id = claims["tenant_id"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        if let tenant = project.settings.tenant {
            guard id == UTF8Text(tenant.id) else { throw Failure.tenantIDMismatch }
            return self
        }
        return try await inRealm(named: [id].compactMap(\.self), tokens: [])
    }

    /// The same for a refresh token of ours, which leads to its realm by a number.
    ///
    /// - Parameter named: the tenant that the call names besides.
    package func inRealm(ofRefreshToken token: UTF8Text, named: UTF8Text?) async throws -> Context {
        let context = try await inRealm(of: named.map { ["tenantId": .string($0)] } ?? [:])
        let project = try context.project
        // A project without tenants has one realm, and its rules say what a token of another one is.
        guard project.tenants != nil || project.settings.tenant != nil else { return context }
        guard let number = services.accounts.sessions.realmNumber(of: token.asString), number != project.settings.sessionNumber else {
            return context
        }
        guard project.settings.tenant == nil else { throw Failure.tenantIDMismatch }
        guard let tenant = try await services.tenants.tenant(sessionNumber: number, of: project, by: services.accounts.tenants) else {
            return context
        }
        return try context.with(enabled(tenant))
    }

    /// The realm that the address of a page names: SDKs write the tenant as `tid`, links in mails as `tenantId`.
    package func realm(of project: Project, _ query: Form) async throws -> Project {
        let named = (query.all("tid") + query.all("tenantId")).filter { !$0.isEmpty }
        guard named.isEmpty || project.tenants != nil else { throw Failure.unsupportedTenantOperation("The project has no tenants.") }
        return try await with(project).inRealm(named: named, tokens: []).project
    }

    /// - Parameters:
    ///   - named: the ids of tenants that the call names.
    ///   - tokens: the realms of its tokens; `nil` for the project itself.
    private func inRealm(named: [UTF8Text], tokens: [UTF8Text?]) async throws -> Context {
        let project = try self.project
        guard !named.isEmpty || tokens.contains(where: { $0 != nil }) else { return self }
        guard project.tenants != nil else { throw Failure.unsupportedTenantOperation }
        let all = named.map(Optional.some) + tokens
        guard let id = all.first ?? nil, all.allSatisfy({ $0 == id }) else { throw Failure.tenantIDMismatch }
        guard let tenant = try await services.tenants.tenant(id, of: project, by: services.accounts.tenants) else {
            throw Failure.tenantNotFound
        }
        return try with(enabled(tenant))
    }

    /// Apps cannot call a tenant that is switched off. Administrators can, since they switch it on again.
    private func enabled(_ tenant: Project) throws(Failure) -> Project {
        guard isAdministrators || tenant.settings.tenant?.enabled != false else { throw .projectDisabled }
        return tenant
    }

    /// Those that the path, the query and the body name.
    private func tenantsNamed(in body: JSON.Object) throws(Failure) -> [UTF8Text] {
        let query = try Form.reading(request.query)
        let texts = try [parameters["tenant"], JSONBody.text("tenantId", or: "tenant_id", in: body)].compactMap(\.self)
        return (texts + query.all("tenantId") + query.all("tenant_id")).filter { !$0.isEmpty }
    }

    /// The realms that ID tokens of this project come from, as they say themselves. Whether they say the truth is found out in that realm.
    private static func tenants(ofTokensIn body: JSON.Object, for project: Project) throws(Failure) -> [UTF8Text?] {
        guard let token = try JSONBody.text("idToken", or: "id_token", in: body), let claims = claims(of: token),
            claims["aud"]?.string == UTF8Text(project.settings.id), let firebase = claims["firebase"]
        else { return [] }
        return [firebase["tenant"]?.string]
    }

    private static func claims(of token: UTF8Text) -> JSON? {
        let parts = token.split(maxSplits: 2) { $0 == UInt8(ascii: ".") }
        guard parts.count > 1, let payload = Base64URL.decodeStrict(parts[1].asString) else { return nil }
        return try? JSON.parse(payload)
    }
}
