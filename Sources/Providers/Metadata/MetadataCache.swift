package import Curl
import HTTP
package import JOSE
package import JSON
package import Runtime
package import Text

/// The discovery documents and key sets of all issuers. They are fetched when they are first needed, and shared by all loops of the
/// process.
///
/// A value is used for about an hour, with a different time for each so that they do not expire together, and for up to a day while its
/// issuer fails. The first caller fetches, on its own loop; callers that come meanwhile wait for that answer.
///
/// Documents that apps name (Microsoft's tenants, by a parameter of the start) are kept apart from those that the configuration names, so
/// that invented names push no real document out. Their cache is smaller, remembers failures for a minute, and has a limited number of
/// fetches.
package final class MetadataCache: Sendable {
    /// Who chose the address of a document.
    enum Origin: Sendable { case configuration, app }

    private let documents: RemoteValues<ProviderMetadata>
    private let keySets: RemoteValues<JWKSet>
    private let documentsOfApps: RemoteValues<ProviderMetadata>
    private let keySetsOfApps: RemoteValues<JWKSet>
    private let otherDocuments: RemoteValues<JSON>

    /// - Parameter earlier: how much earlier than after an hour a value is fetched again.
    package init(earlier: @escaping @Sendable () -> Duration = { .seconds(Int.random(in: 0...360)) }) {
        documents = RemoteValues(earlier: earlier)
        keySets = RemoteValues(earlier: earlier)
        documentsOfApps = RemoteValues(most: Self.mostOfApps, remembersFailures: true, budget: FetchBudget(), earlier: earlier)
        keySetsOfApps = RemoteValues(most: Self.mostOfApps, remembersFailures: true, earlier: earlier)
        otherDocuments = RemoteValues(earlier: earlier)
    }

    /// The number of tenants that apps may name at the same time: more than the customers that one server signs in by name in an hour.
    private static let mostOfApps = 256

    func document(
        _ url: String, namedBy origin: Origin = .configuration, _ upstream: any Upstream, now: Instant
    ) async throws(ProviderError) -> ProviderMetadata {
        let values = origin == .app ? documentsOfApps : documents
        return try await values.value(of: Self.key(url, upstream), now: now) { () async throws(ProviderError) in
            let json = try await Self.fetch(url, "discovery document", upstream)
            do throws(MetadataFault) {
                return try ProviderMetadata(json)
            } catch {
                throw Self.failure("discovery document", url, error.text)
            }
        }
    }

    func keys(
        _ url: String, namedBy origin: Origin = .configuration, _ upstream: any Upstream, now: Instant
    ) async throws(ProviderError) -> JWKSet {
        try await keySets(of: origin).value(of: Self.key(url, upstream), now: now) { () async throws(ProviderError) in
            try await Self.fetchKeys(url, upstream)
        }
    }

    /// The newly fetched keys, since a token names one that is missing; `nil` when they were fetched for that less than a minute ago.
    func newerKeys(
        _ url: String, namedBy origin: Origin = .configuration, _ upstream: any Upstream, now: Instant
    ) async throws(ProviderError) -> JWKSet? {
        try await keySets(of: origin).newer(of: Self.key(url, upstream), now: now) { () async throws(ProviderError) in
            try await Self.fetchKeys(url, upstream)
        }
    }

    /// The key set at an address that the program itself knows. Newly fetched, at most once a minute, where it does not hold the key `kid`.
    package func keys(
        at url: String, holding kid: UTF8Text?, _ upstream: any Upstream, now: Instant
    ) async throws(ProviderError) -> JWKSet {
        let keys = try await keys(url, upstream, now: now)
        guard let kid, !keys.keys.contains(where: { $0.kid == kid }) else { return keys }
        return try await newerKeys(url, upstream, now: now) ?? keys
    }

    /// The JSON object at an address that the program itself knows.
    package func document(at url: String, _ upstream: any Upstream, now: Instant) async throws(ProviderError) -> JSON {
        try await otherDocuments.value(of: Self.key(url, upstream), now: now) { () async throws(ProviderError) in
            try await Self.fetch(url, "document", upstream)
        }
    }

    private func keySets(of origin: Origin) -> RemoteValues<JWKSet> { origin == .app ? keySetsOfApps : keySets }

    /// Two entries may name the same URL and trust different authorities; neither may use the answer that the other got.
    private static func key(_ url: String, _ upstream: any Upstream) -> String {
        upstream.authorities.map { "\(url) \($0)" } ?? url
    }

    private static func fetchKeys(_ url: String, _ upstream: any Upstream) async throws(ProviderError) -> JWKSet {
        let keys = JWKSet(try await fetch(url, "key set", upstream))
        guard !keys.keys.isEmpty else { throw failure("key set", url, "has no key that can be used (\(keys.skipped.count) were skipped)") }
        return keys
    }

    private static func fetch(_ url: String, _ what: String, _ upstream: any Upstream) async throws(ProviderError) -> JSON {
        var request = OutboundRequest(.get, url, headers: ["accept": "application/json"])
        request.timeout = .seconds(5)
        let response: OutboundResponse
        do {
            response = try await upstream.send(request)
        } catch {
            throw .unanswered("The \(what) at \(url)", error)
        }
        guard response.status < 500 else { throw .unavailable(detail: "The \(what) at \(url) answers with status \(response.status).") }
        guard response.status == 200 else { throw failure(what, url, "answers with status \(response.status)") }
        guard let json = try? JSON.parse(response.body), json.object != nil else { throw failure(what, url, "is not a JSON object") }
        return json
    }

    private static func failure(_ what: String, _ url: String, _ reason: String) -> ProviderError {
        .unfit("The \(what) at \(url) \(reason).")
    }
}

extension OutboundError {
    /// Whether the other side did not answer, so that the same request may succeed later.
    var isOutage: Bool {
        switch self {
        case .timedOut, .notConnected, .unreachable, .cancelled: true
        case .refusedAddress, .refusedURL, .refusedHeader, .tooLarge: false
        }
    }
}

/// The reason of a failed request, as a text to stand after the name of the document.
enum OutboundText {
    static func reason(_ error: OutboundError) -> String {
        switch error {
        case .refusedAddress: "is at an address that may not be dialled (outbound.allow in the configuration lists exceptions)"
        case .refusedURL: "has a URL that may not be fetched (plain http goes to addresses of outbound.allow alone)"
        case .refusedHeader(let name): "was asked for with a malformed \(name) field"
        case .timedOut: "did not come in time"
        case .tooLarge: "is too large"
        case .notConnected(let reason), .unreachable(let reason): "cannot be reached: \(UpstreamText.line(reason))\(remedy(reason))"
        case .cancelled: "was asked for by a call that has ended"
        }
    }

    /// The way for an operator to mend one of libcurl's reasons.
    private static func remedy(_ reason: String) -> String {
        let isOfUnknownAuthority = reason.contains("local issuer certificate") || reason.contains("self-signed certificate")
        return isOfUnknownAuthority ? " (if it is your own authority, name its PEM file in authorities)" : ""
    }
}

extension UpstreamText {
    /// libcurl's reason as one line of at most 200 characters.
    static func line(_ text: String) -> String {
        String(decoding: text.utf8.prefix(200).map { (0x20...0x7E).contains($0) ? $0 : 0x3F }, as: UTF8.self)
    }
}
