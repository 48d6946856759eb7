import Config
import JOSE
import JSON
import Text

/// Microsoft's v2 endpoint: one authority, with a separate issuer for each of its tenants.
///
/// Differs from the standard: the metadata for several tenants contains a template of the issuer, which must be completed with the token's
/// `tid`; every key names the tenant whose tokens it may sign; a person is identified by `oid` and not by `sub`; an `access_token` alone
/// proves nothing to a third party.
/// <https://learn.microsoft.com/entra/identity-platform/access-tokens#validate-tokens>
struct MicrosoftIssuer: Issuer {
    var tenant = MicrosoftTenant.common
    /// The tenant that the app asks for, among those of `tenant`. It says where the person signs in, and nothing about whom the operator
    /// trusts: any person can write it into a link.
    private(set) var requested: MicrosoftTenant?
    /// GUIDs in lower case; an empty set means all that `tenant` includes.
    var allowedTenants: Set<String> = []
    var deniedTenants: Set<String> = []
    var authority = Self.publicCloud
    var graphBase = "https://graph.microsoft.com"
    /// Whether to ask Graph for the profile.
    var fetchesProfile = true

    static let publicCloud = "https://login.microsoftonline.com"
    private static let placeholder: StaticString = "{tenantid}"

    var storedIssuer: String { authority }

    var documentURL: String { "\(authority)/\(signInTenant.segment)/v2.0/.well-known/openid-configuration" }

    /// <https://learn.microsoft.com/entra/identity-platform/certificate-credentials>
    var assertions: AssertionRules? { AssertionRules(audience: .tokenEndpoint, algorithms: [.ps256], needsCertificate: true) }

    /// `claims` could ask for a token with fewer or other claims.
    var reservedParameters: Set<UTF8Text> { ["claims"] }

    private var signInTenant: MicrosoftTenant { requested ?? tenant }

    private func issuer(_ tenantID: String) -> String { "\(authority)/\(tenantID)/v2.0" }

    /// Applies the app's parameter `tenant`, which chooses the address and is not sent. It can ask for less than the entry allows, never
    /// for more.
    func narrowed(by parameters: [UTF8Text: UTF8Text]) throws(ProviderError) -> (issuer: any Issuer, rest: [UTF8Text: UTF8Text]) {
        var rest = parameters
        guard let text = rest.removeValue(forKey: "tenant"), !text.isEmpty else { return (self, rest) }
        guard let requested = MicrosoftTenant(text) else { throw .badParameter("The tenant is neither a GUID nor a domain name.") }
        var narrowed = self
        narrowed.requested = requested
        if case .id(let id) = requested, !narrowed.permits(id) { throw .badParameter("This tenant may not sign in here.") }
        guard tenant.covers(requested) else { throw .badParameter("The tenant is not one that the configuration allows.") }
        return (narrowed, rest)
    }

    private func permits(_ tenantID: String) -> Bool {
        tenant.includes(tenantID) && signInTenant.includes(tenantID) && !deniedTenants.contains(tenantID)
            && (allowedTenants.isEmpty || allowedTenants.contains(tenantID))
    }

    func publishes(_ issuer: UTF8Text) -> Bool {
        if issuer == self.issuer("\(Self.placeholder)") {
            switch signInTenant {
            case .common, .organizations, .consumers: return true
            case .id, .domain: return false
            }
        }
        guard let id = tenantID(of: issuer) else { return false }
        switch signInTenant {
        case .common, .organizations: return false
        case .consumers: return id == MicrosoftTenant.consumerID
        case .id(let own): return id == own
        case .domain: return true
        }
    }

    /// The GUID in an issuer of this authority.
    private func tenantID(of issuer: UTF8Text) -> String? {
        let id = UTF8Text(issuer.utf8.dropFirst(authority.utf8.count + 1).prefix(MicrosoftTenant.consumerID.utf8.count))
        return MicrosoftTenant.isID(id) && issuer == self.issuer(id.asString) ? id.asString : nil
    }

    func answers(as issuer: UTF8Text, _ metadata: ProviderMetadata) -> Bool {
        guard let id = tenantID(of: issuer) else { return false }
        return permits(id) && metadata.issuer.replacing(Self.placeholder, with: UTF8Text(id)) == issuer
    }

    func admits(_ claims: JSON) throws(ProviderError) {
        guard claims["ver"]?.string == "2.0" else {
            throw .invalidResponse("Only tokens of Microsoft's v2 endpoint are accepted.", detail: "its ver is not 2.0")
        }
        // An access token for an API that is registered as the same app differs from an ID token by its permissions alone.
        guard claims.present("scp") == nil, claims.present("azpacr") == nil else {
            throw .invalidResponse("The token is not an ID token.", detail: "it has the claims of an access token")
        }
        guard let id = claims["tid"]?.string, MicrosoftTenant.isID(id), issuer(id.asString).isExactly(claims["iss"]?.string) else {
            throw .invalidResponse("The ID token comes from another issuer.", detail: "its iss is not \(authority)/<its tid>/v2.0")
        }
        guard permits(id.asString) else {
            throw .invalidResponse("Accounts of this Microsoft tenant may not sign in here.", detail: "its tid is not one of this entry's")
        }
    }

    func check(_ token: JWT, _ metadata: ProviderMetadata) throws(ProviderError) {
        let (id, name) = (token.claims["tid"]?.string ?? "", token.claims["iss"]?.string ?? "")
        guard metadata.issuer.replacing(Self.placeholder, with: id) == name else {
            throw .invalidResponse("Accounts of this Microsoft tenant may not sign in here.", detail: "tenant \(id)")
        }
        guard let bound = token.key.issuer else { return }
        guard bound.replacing(Self.placeholder, with: id) == name else {
            throw .invalidResponse("The ID token is signed with a key of another tenant.", detail: "key of \(UpstreamText.visible(bound))")
        }
    }

    func photo(accessToken: UTF8Text, _ api: ProviderAPI) async throws(ProviderError) -> Photo? {
        try await api.picture("\(graphBase)/v1.0/me/photo/$value", bearer: accessToken)
    }
}

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
