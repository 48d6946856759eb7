import Identity
import JSON
import Logging
import Text

extension MicrosoftIssuer {
    func identity(_ evidence: Evidence, _ api: ProviderAPI) async throws(ProviderError) -> ProviderIdentity {
        let claims = evidence.claims
        guard let id = claims.text("oid", limit: 255), id.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let tenantID = claims["tid"]?.string?.asString
        else {
            throw .invalidResponse("The ID token does not say who signed in.", detail: "no oid; the scope profile is needed for it")
        }
        let oid = id.asciiLowercased.asString
        let (subject, alias) = Self.subject(oid: oid, tenantID: tenantID)
        let profile = await profile(evidence, oid: oid, subject: subject, api)
        let graph = profile?.json ?? [:]
        var identity = evidence.identity(subject: subject, rawUserInfo: profile?.text ?? claims.text())
        identity.alias = alias
        // Other systems know people by this claim, whose value is another one for each client. Object ids have no colon.
        identity.importedSubject = claims.text("sub", limit: 250).map { "sub:\($0)" }
        identity.tenant = tenantID
        identity.displayName = (graph.text("displayName") ?? claims.text("name"))?.asString
        identity.firstName = (graph.text("givenName") ?? claims.text("given_name"))?.asString
        identity.lastName = (graph.text("surname") ?? claims.text("family_name"))?.asString
        identity.language = graph.text("preferredLanguage", limit: 35)?.asString
        if let email = evidence.address(claims["email"]?.string) {
            identity.email = email.asString
            identity.emailVerified = isProven(email, evidence, tenantID: tenantID)
            identity.emailAuthoritative = identity.emailVerified
        } else if let email = evidence.address(graph["mail"]?.string) {
            // An administrator has typed it, so it is never proof.
            identity.email = email.asString
        }
        return identity
    }

    /// Firebase's id of the person. Private accounts have 16 digits, which tokens pad to the form of a GUID; both forms find the person.
    /// <https://firebase.google.com/docs/auth/web/microsoft-oauth>
    static func subject(oid: String, tenantID: String) -> (subject: String, alias: String?) {
        let padding = "00000000-0000-0000-"
        guard tenantID == MicrosoftTenant.consumerID, oid.hasPrefix(padding) else { return (oid, nil) }
        let groups = oid.dropFirst(padding.count).split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [4, 12],
            groups.joined().utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) })
        else { return (oid, nil) }
        return (groups.joined(), oid)
    }

    /// Whether the address in the token belongs to the person. This protects against the takeover called nOAuth: any administrator of any
    /// tenant can write any address into a `mail` attribute.
    /// <https://learn.microsoft.com/entra/identity-platform/migrate-off-email-claim-authorization>
    private func isProven(_ email: UTF8Text, _ evidence: Evidence, tenantID: String) -> Bool {
        // The owner of the domain has confirmed it: documented as a boolean, but also seen as a number and as text.
        if let owned = evidence.claims.present("xms_edov") { return [true, 1, "1", "true"].contains(owned) }
        let domain = EmailDomain.of(email)
        if tenantID == MicrosoftTenant.consumerID {
            return domain == "outlook.com" || domain == "hotmail.com" || evidence.trustsDomain(of: email)
        }
        // The account of a guest is at home elsewhere, and so is its address.
        guard evidence.claims.present("idp").map({ $0 == evidence.claims["iss"] }) ?? true else { return false }
        // The tenant of the entry: the one that an app asks for says nothing about trust.
        return (tenant.isSpecific || allowedTenants.contains(tenantID)) && evidence.trustsDomain(of: email)
    }

    /// The answer of Graph's `/me`, if it is about the same person; without it, the sign-in continues.
    private func profile(_ evidence: Evidence, oid: String, subject: String, _ api: ProviderAPI) async -> (json: JSON, text: String)? {
        guard fetchesProfile, let accessToken = evidence.accessToken,
            let profile = await api.object("\(graphBase)/v1.0/me", bearer: accessToken)
        else { return nil }
        guard let id = profile.json["id"]?.string?.asciiLowercased, oid.isExactly(id) || subject.isExactly(id) else {
            api.log?.warning(
                "Graph's profile belongs to another person and is not used", metadata: ["provider": .string(evidence.providerID)])
            return nil
        }
        return profile
    }
}
