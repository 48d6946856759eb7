import Accounts
import HTTP
import JSON
import ProjectSettings
import Projects
import Text
import Web

/// `POST /v2/projects/{project}/tenants`: makes a tenant, where the project's file has `dynamicTenants: true`.
struct CreateTenant: AdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.post, "/tenants", right: .manageUsers)

    func callAsFunction(_ whole: TenantInput, by administrator: Administrator, _ context: Context) async throws -> TenantResource {
        let project = try context.project
        let members = try JSONBody.members(of: context.request)
        guard let template = project.tenants?.template else { throw Failure.tenantsAreFiles(of: project, members) }
        var record = TenantRecord()
        try TenantInput.reading(members, .none).set(in: &record, .none, over: template.settings)
        let id = TenantInput.newID(named: record.displayName)
        let row = try await context.services.accounts.tenants.insert(id, record.text, by: administrator)
        context.services.tenants.take([row], of: project)
        return TenantResource(try await context.tenant(id: UTF8Text(id)))
    }
}

extension Failure {
    /// - Parameters:
    ///   - project: has tenants of files alone.
    ///   - members: what the call would have set.
    fileprivate static func tenantsAreFiles(of project: Project, _ members: JSON.Object) -> Failure {
        let lines = ProjectFileLines(ofTenant: .object(members)).text
        guard let file = project.fileName else {
            return .operationNotAllowed("A project that was made on the fly has no tenants; use the project that developmentProject names.")
        }
        let folder = file.split(separator: ".").first.map(String.init) ?? "PROJECT"
        return .operationNotAllowed(
            "The tenants of this project are files: write \(folder)/tenants/ID.yaml with displayName and signIn beside \(file), and run gatehouse "
                + "reload; or set dynamicTenants: true in \(file)." + (lines.isEmpty ? "" : " The lines for it: \(lines)"))
    }
}
