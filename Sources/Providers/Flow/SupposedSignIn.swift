import Curl
import HTTP
package import Identity
package import JSON
package import Runtime
import Synchronization
import Text

/// The identity that a provider's rules make of a file in place of the provider's answers, and what the rules did not use of it.
package struct SupposedSignIn: Sendable {
    package let identity: ProviderIdentity
    /// The paths that the rules asked for and the file does not have, in alphabetical order. They were answered with status 404.
    package let unanswered: [String]
    /// The paths in the file that no rule asked for.
    package let unread: [String]
    /// Whether the claims had to be those of an issuer that the entry admits. Claims without `iss` are taken for such.
    package let isAdmitted: Bool
}

extension ConfiguredProvider {
    /// Makes the identity that the provider's rules would make if the provider said what `file` says: for an operator who asks what a
    /// sign-in would come to. It proves nothing, since the file is not signed, and causes no request.
    ///
    /// - Parameter file: the claims of an ID token, and answers of the provider's API under names that begin with a slash, which are the
    ///   ends of the addresses' paths. A provider without ID tokens has answers alone.
    package static func signIn(
        supposing file: JSON, of settings: ProviderSettings, clock: Clock
    ) async throws(ProviderError) -> SupposedSignIn {
        var (claims, answers) = (JSON.Object(), JSON.Object())
        for member in file.object ?? [:] {
            if member.name.hasPrefix("/") { answers[member.name] = member.value } else { claims[member.name] = member.value }
        }
        let upstream = SupposedAnswers(answers)
        let provider = ConfiguredProvider(settings, upstream: upstream, cache: MetadataCache(), clock: clock)
        var rules = settings.protocol.rules
        if !claims.isEmpty { rules = try issuer(of: .object(claims), settings) }
        let evidence = Evidence(of: settings, claims: .object(claims), accessToken: "supposed", accessTokenSecret: "supposed")
        do throws(ProviderError) {
            let identity = try await rules.identity(evidence, provider.api)
            return SupposedSignIn(
                identity: identity, unanswered: upstream.unanswered, unread: upstream.unread,
                isAdmitted: claims.isEmpty || claims["iss"] != nil)
        } catch {
            guard claims.isEmpty, !upstream.unanswered.isEmpty else { throw error }
            let paths = upstream.unanswered.joined(separator: ", ")
            throw .invalidCredential("The rules of \(settings.id) ask the API for \(paths), which the file does not have.")
        }
    }

    /// The issuer whose ID token has these claims. A token of other issuers or tenants ends here; without `iss`, the question is about a
    /// token that is admitted.
    private static func issuer(of claims: JSON, _ settings: ProviderSettings) throws(ProviderError) -> any Issuer {
        guard let issuer = settings.protocol.postedIssuer(of: claims) else {
            throw .invalidCredential(
                "\(settings.id) has no ID tokens, so the file has answers of its API, each under its path, such as {\"/user\": {…}}.")
        }
        if claims["iss"] != nil { try issuer.admits(claims) }
        return issuer
    }
}

/// Answers for a provider's API from a file.
private final class SupposedAnswers: Upstream {
    private let answers: JSON.Object
    private let missing = Mutex<[String]>([])
    private let read = Mutex<Set<UTF8Text>>([])

    init(_ answers: JSON.Object) { self.answers = answers }

    /// In alphabetical order, since rules may ask for several at once.
    var unanswered: [String] { missing.withLock { $0.sorted() } }

    var unread: [String] {
        let read = read.withLock { $0 }
        return answers.map(\.name).filter { !read.contains($0) }.map(\.asString)
    }

    func send(_ request: OutboundRequest) async throws(OutboundError) -> OutboundResponse {
        let path = UTF8Text(URI.parse(request.url)?.path ?? "")
        // The longest name that fits, so that "/me/photo" is not taken for "/photo".
        let fitting = answers.filter { path.hasSuffix($0.name) }.max { $0.name.utf8.count < $1.name.utf8.count }
        guard let fitting else {
            missing.withLock { $0.append(path.asString) }
            return OutboundResponse(status: 404)
        }
        read.withLock { _ = $0.insert(fitting.name) }
        return OutboundResponse(status: 200, headers: ["content-type": "application/json"], body: fitting.value.bytes())
    }
}
