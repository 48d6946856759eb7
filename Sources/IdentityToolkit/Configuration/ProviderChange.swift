import HTTP
import Identity
import Projects
import Text
import Web

/// The values of a call that writes a provider's configuration, checked by the rules of Identity Platform. A secret is taken and not kept.
struct ProviderChange {
    var name: UTF8Text?
    var enabled: Bool?
    var clientID: UTF8Text?
    var clientSecret: UTF8Text?
    var issuer: UTF8Text?
    var responseType: OAuthIDPConfig.ResponseType?

    /// The same without what `mask` does not name; all of it without a mask.
    func limited(to mask: UpdateMask) throws(Failure) -> ProviderChange {
        guard !mask.isEmpty else { return self }
        if let unknown = mask.unknown(among: Self.fields) { throw .unknownInMask(unknown, of: "a provider") }
        let setsType = mask.paths.contains { $0.hasPrefix("responseType") }
        return ProviderChange(
            name: mask.names("displayName") ? name : nil, enabled: mask.names("enabled") ? enabled ?? false : nil,
            clientID: mask.names("clientId") ? clientID ?? "" : nil, clientSecret: clientSecret,
            issuer: mask.names("issuer") ? issuer ?? "" : nil, responseType: setsType ? responseType : nil)
    }

    private static let fields: Set<UTF8Text> = [
        "name", "displayName", "enabled", "clientId", "clientSecret", "issuer", "responseType", "responseType.code", "responseType.idToken",
        "responseType.token",
    ]

    /// A provider of these values. Like Identity Platform, it is switched off unless the call says otherwise.
    func entry(_ id: String) throws(Failure) -> ProviderEntry {
        var entry = ProviderEntry(id: id, name: id, enabled: false, clientID: "")
        guard clientID != nil else { throw .missingOAuthClientID }
        if entry.isOfAnyIssuer, issuer == nil { throw .missingIssuer }
        try set(in: &entry)
        return entry
    }

    func set(in entry: inout ProviderEntry) throws(Failure) {
        if let enabled { entry.enabled = enabled }
        if let clientID {
            guard !clientID.isEmpty else { throw .missingOAuthClientID }
            guard let fit = Self.line(clientID, atMost: 256) else { throw .invalidOAuthClientID }
            entry.clientID = fit
        }
        // Of the catalogue, Gatehouse knows all the rest.
        guard entry.isOfAnyIssuer else { return }
        if let name {
            guard let fit = Self.line(name, atMost: 128) else { throw .invalidNameOfProvider }
            entry.name = fit
        }
        if let issuer {
            guard !issuer.isEmpty else { throw .missingIssuer }
            guard issuer.utf8.count <= 2048, let address = URI.parse(issuer), address.isTrustworthy, address.query == nil,
                address.fragment == nil
            else { throw .invalidConfiguration("issuer must be an https URL without query and fragment.") }
            entry.issuer = issuer.asString
        }
        if let responseType { entry.usesCode = try usesCode(responseType) }
    }

    private func usesCode(_ type: OAuthIDPConfig.ResponseType) throws(Failure) -> Bool {
        let code = type.code ?? false
        guard code != type.idToken ?? !code else {
            throw .invalidConfiguration("responseType must have one of code and idToken.")
        }
        if code, clientSecret?.isEmpty ?? true { throw .missingOAuthClientSecret }
        return code
    }

    /// A text of one line; `nil` for one that is empty, too long, or has control or direction characters.
    private static func line(_ text: UTF8Text, atMost length: Int) -> String? {
        (1...length).contains(text.utf8.count) && ProfileText.isFit(text.asString, most: length) ? text.asString : nil
    }
}

extension Failure {
    fileprivate static let invalidNameOfProvider = Failure.invalidDisplayName.saying(
        "The name of a provider has 1 to 128 bytes without control and direction characters.")
}
