import Accounts
import Crypto
import JSON
import Runtime
package import Text

/// The users in an export of a realm by `kc.sh export`. <https://www.keycloak.org/server/importExport>
package struct KeycloakSource: AccountSource {
    private var rows: JSONRows
    private var names: ProviderNames
    private let attributes: KeycloakAttributes
    private var found = SourceLosses()
    private var userCount = 0
    private var hasCredentials = false
    private var isAtEnd = false

    /// - Parameters:
    ///   - names: what the operator says about the realm's identity providers: their aliases, and providers of ours.
    ///   - attributes: where the users' attributes go.
    package init(path: String, names: [UTF8Text: String] = [:], attributes: KeycloakAttributes = KeycloakAttributes()) throws(SourceFailure)
    {
        rows = JSONRows(try InputFile(path: path), member: "users")
        self.names = ProviderNames(Self.providers, own: names)
        self.attributes = attributes
    }

    /// The aliases that Keycloak gives its social providers. <https://www.keycloak.org/docs/latest/server_admin/#social-identity-providers>
    private static let providers: [UTF8Text: String] = [
        "apple": "apple.com", "facebook": "facebook.com", "github": "github.com", "google": "google.com",
        "linkedin-openid-connect": "linkedin.com", "microsoft": "microsoft.com", "twitter": "twitter.com",
    ]

    package mutating func next() throws(SourceFailure) -> SourceEntry? {
        switch try rows.next() {
        case .row(let user, let line):
            do throws(ImportFault) { return try entry(user, at: line) } catch { return .fault(error) }
        case .fault(let fault): return .fault(fault)
        case nil:
            isAtEnd = true
            return nil
        }
    }

    package var losses: SourceLosses {
        var losses = found
        guard isAtEnd else { return losses }
        names.noteUnmet(in: &losses)
        if userCount > 0, !hasCredentials {
            let reason = "no user of the file has credentials, as in exports of the admin console and API; kc.sh export has them"
            losses.add("password: \(reason)", userCount)
        }
        return losses
    }

    private mutating func entry(_ user: JSON.Object, at line: Int) throws(ImportFault) -> SourceEntry {
        // The account of a client, which no person has.
        if user.text("serviceAccountClientId") != nil { return .skipped }
        guard let id = user.text("id") else { throw ImportFault(.invalidID, "the user has no id", place: line) }
        userCount += 1
        hasCredentials = hasCredentials || user["credentials"] != nil
        var account = SourceAccount(id: id.asString, place: line)
        account.disabled = user["enabled"]?.bool == false
        account.email = user.text("email")?.asString
        account.emailVerified = user["emailVerified"]?.bool ?? false
        if account.email == nil { found.add("user name of a user without an address: people sign in with their address here") }
        let name = [user.text("firstName"), user.text("lastName")].compactMap { $0?.asString }.joined(separator: " ")
        account.displayName = name.isEmpty ? nil : name
        account.createdAt = user["createdTimestamp"]?.integer.map { Instant(milliseconds: $0) }
        if let start = user["notBefore"]?.integer, start > 0 { account.validSince = Instant(seconds: start) }
        attributes.apply(to: &account, user, &found)
        try readIdentities(user, into: &account)
        try readCredentials(user, into: &account)
        return .account(account)
    }

    private mutating func readIdentities(_ user: JSON.Object, into account: inout SourceAccount) throws(ImportFault) {
        for identity in user["federatedIdentities"]?.array ?? [] {
            guard let identity = identity.object, let alias = identity.text("identityProvider"), let subject = identity.id("userId") else {
                throw fault(.invalidIdentity, "an entry of federatedIdentities has no identityProvider or no userId", account)
            }
            names.meet(alias)
            let provider = names.id(of: alias)
            // Microsoft's object ids have two spellings, and this server knows them in lower case.
            let isMicrosoft = provider == "microsoft.com"
            account.identities.append(
                LinkedIdentity(
                    providerID: provider, subject: (isMicrosoft ? subject.asciiLowercased : subject).asString,
                    screenName: identity.text("userName")?.asString))
        }
    }

    private mutating func readCredentials(_ user: JSON.Object, into account: inout SourceAccount) throws(ImportFault) {
        let mustChange = (user["requiredActions"]?.array ?? []).contains { $0.string == "UPDATE_PASSWORD" }
        var factors = SourceFactors()
        for credential in user["credentials"]?.array ?? [] {
            guard let credential = credential.object.flatMap(KeycloakCredential.init) else {
                throw fault(.invalidHash, "a credential has no type, or secretData or credentialData that are not JSON", account)
            }
            switch credential.type {
            case "password" where mustChange:
                found.add("password that its owner must change: a link in a mail leads to a new one")
            case "password":
                do throws(PasswordHashFault) {
                    account.password = try credential.password()
                    account.passwordUpdatedAt = credential.createdAt
                } catch { throw fault(.invalidHash, "\(error)", account) }
            case "password-history": break
            case "recovery-authn-codes": found.add("recovery codes of the second factor")
            default: if let loss = credential.add(to: &factors) { found.add(loss) }
            }
        }
        account.secondFactors = factors.text
        if account.password == nil, user.text("federationLink") != nil {
            found.add("password of a user of a directory (LDAP, Kerberos), which Keycloak does not have")
        }
    }

    private func fault(_ code: ImportFault.Code, _ message: String, _ account: SourceAccount) -> ImportFault {
        ImportFault(code, message, accountID: account.id, place: account.place)
    }
}
