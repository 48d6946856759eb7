import Config
import Text

extension MicrosoftIssuer {
    init(_ section: Section, allowInsecure: Bool) {
        self.init()
        let tenants = "common, organizations, consumers, a tenant's GUID, or its domain"
        tenant = section.value("tenant", expected: tenants) { MicrosoftTenant(UTF8Text($0)) } ?? tenant
        allowedTenants = Set(section.values("allowedTenants", expected: "a tenant's GUID", Self.tenantID))
        deniedTenants = Set(section.values("deniedTenants", expected: "a tenant's GUID", Self.tenantID))
        if !allowedTenants.isEmpty, !allowedTenants.contains(where: tenant.includes) {
            section.fault("allowedTenants", "has no tenant of those that tenant: \(tenant.segment) lets in, so no person could sign in")
        }
        authority = section.baseURL("authority", default: authority, allowInsecure: allowInsecure)
        graphBase = section.baseURL("graphBase", default: graphBase, allowInsecure: allowInsecure)
        fetchesProfile = section.bool("fetchProfile", default: fetchesProfile)
    }

    private static func tenantID(_ text: String) -> String? {
        let id = text.lowercased()
        return MicrosoftTenant.isID(UTF8Text(id)) ? id : nil
    }
}
