import HTTP
import Identity
import JSON
import Logging
import Text

extension AppleIssuer {
    func identity(_ evidence: Evidence, _ api: ProviderAPI) async throws(ProviderError) -> ProviderIdentity {
        let claims = evidence.claims
        guard let subject = claims.text("sub", limit: 255) else {
            throw .invalidResponse("The ID token does not say who signed in.", detail: "no sub")
        }
        if claims.present("transfer_sub") != nil {
            // The person's next subject. It opens no account here: what moves people to another team is the operator's decision.
            api.log?.notice("the app is being transferred to another team", metadata: ["provider": .string(evidence.providerID)])
        }
        let name = AppleName(evidence.answer["user"])
        var profile = claims.object ?? [:]
        if let name { profile["name"] = name.json }
        var identity = evidence.identity(subject: subject.asString, rawUserInfo: JSON.object(profile).text())
        identity.saysNameOnce = true
        identity.displayName = name?.full
        identity.firstName = name?.first?.asString
        identity.lastName = name?.last?.asString
        if let email = evidence.address(claims["email"]?.string), let domain = EmailDomain.of(email) {
            identity.email = email.asString
            identity.emailVerified = claims.isTrue("email_verified")
            identity.emailAuthoritative = identity.emailVerified
            identity.emailIsRelay = domain == "privaterelay.appleid.com" || claims.isTrue("is_private_email")
        }
        return identity
    }
}

/// The person's name. Apple says it beside the first code ever, unsigned and through the browser or the app, so it is only shown. The
/// address in the same JSON is not read: the person could have written it.
/// <https://developer.apple.com/documentation/signinwithapple/incorporating-sign-in-with-apple-into-other-platforms>
struct AppleName {
    let first: UTF8Text?
    let last: UTF8Text?

    /// `nil` without a name, and for what cannot be read: a sign-in does not fail because of a name.
    init?(_ user: UTF8Text?) {
        guard let user, user.utf8.count <= 4096, let name = (try? JSON.parse(Array(user.utf8)))?["name"] else { return nil }
        first = name.text("firstName", limit: 256)
        last = name.text("lastName", limit: 256)
        if first == nil, last == nil { return nil }
    }

    var full: String { [first, last].compactMap { $0?.asString }.joined(separator: " ") }

    /// The name in Apple's own form.
    var json: JSON {
        var parts: JSON.Object = [:]
        parts["firstName"] = first.map { .string($0) }
        parts["lastName"] = last.map { .string($0) }
        return .object(parts)
    }
}
