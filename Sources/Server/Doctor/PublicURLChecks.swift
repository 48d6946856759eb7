import Accounts
import Crypto
import Curl
import HTTP
import JSON
import Postgres
import ProjectSettings
import Projects
import Runtime
import Text
import Web

/// Goes the way of a client: asks at `publicURL`, and compares what arrives with what was sent.
struct PublicURLChecks {
    let configuration: Configuration
    /// Calls this installation's own addresses, wherever they are.
    let client: HTTPClient
    let clock: Clock

    /// An address that no client has: one for documentation. <https://www.rfc-editor.org/rfc/rfc5737>
    private static let madeUp = "203.0.113.77"
    private static let soon: Duration = .seconds(14 * 86400)
    private static let tooSoon: Duration = .seconds(3 * 86400)

    private var settings: ServerSettings { configuration.server }

    /// - Parameter database: `nil` where it cannot be read.
    func findings(_ database: Database?) async -> [Finding] {
        let direct: OutboundResponse
        do { direct = try await ask() } catch {
            return [
                .fault(
                    "publicURL.unreachable", "\(settings.publicURL) does not answer: \(error)",
                    "look at its name, the proxy, the certificate and the firewall")
            ]
        }
        var findings = certificateFindings(direct.certificate)
        guard ![502, 503, 504].contains(direct.status) else {
            findings.append(
                .fault(
                    "publicURL.gateway", "\(settings.publicURL) answers \(direct.status), as a proxy does that does not reach the server",
                    "start the server, or mend its address in the proxy's configuration"))
            return findings
        }
        findings += await keyFindings(database)
        guard let seen = arrival(in: direct) else {
            if let ahead = secondsAhead(direct), abs(ahead) > Self.mostDifference {
                findings.append(
                    .fault(
                        "publicURL.clock",
                        "The clock of \(settings.publicURL) is \(abs(ahead)) s \(ahead > 0 ? "ahead of" : "behind") this machine's, so the server "
                            + "does not answer this command", "synchronize both (NTP), and run this again"))
                return findings
            }
            findings.append(
                .fault(
                    "publicURL.elsewhere",
                    "\(settings.publicURL) does not lead to a server with this master key (status \(direct.status))",
                    "let the proxy pass \(Operations.proxyCheckPath) on, and compare masterKey"))
            return findings
        }
        findings += addressFindings(seen)
        if let forged = try? await ask(forging: forgedHeader), let told = arrival(in: forged), isDeceived(seen, told) {
            findings.append(
                .fault(
                    "publicURL.forged", "A client that writes \(header) itself is believed, and can pretend to have any address",
                    "let the outermost proxy write the header anew"))
        }
        return findings
    }

    /// A proof is good for a minute (`OperatorProofs`); with less difference than this, the clock is not the reason.
    private static let mostDifference = 50

    /// How many seconds the clock that wrote the answer's `Date` is ahead of this machine's.
    private func secondsAhead(_ response: OutboundResponse) -> Int? {
        guard let date = response.headers["date"], let time = InternetDate.instant(http: date.asString) else { return nil }
        return Int(time.seconds - clock.now().seconds)
    }

    /// Whether the server took the made-up address for the client's.
    ///
    /// Where this machine's own address is a trusted proxy's, the server rightly looks to the left of it, where the made-up one stands. Then only a
    /// header that arrived as it was sent says that no proxy wrote one. Where the server took another trusted address for the client's, it was
    /// an outer proxy's, which wrote none.
    private func isDeceived(_ direct: Seen, _ forged: Seen) -> Bool {
        guard forged.address == Self.madeUp else { return false }
        guard let address = Address(direct.address), settings.trustedProxies.contains(address) else { return true }
        return !OwnAddresses.contains(address) || forged.header == forgedHeader
    }

    private var forgedHeader: String { settings.trustedProxies.header == .forwarded ? "for=\(Self.madeUp)" : Self.madeUp }

    private var header: String { settings.trustedProxies.header.rawValue }

    /// How a request arrived at the server.
    private struct Seen {
        let address: String
        let connectedFrom: String
        let isSecure: Bool
        /// The header of the proxies, as it arrived.
        let header: String?
    }

    private func ask(forging value: String? = nil) async throws(OutboundError) -> OutboundResponse {
        var request = OutboundRequest(.get, settings.publicURL + Operations.proxyCheckPath)
        request.headers.add(OperatorProofs.header, OperatorProofs(masterKey: settings.masterKey, clock: clock).make())
        if let value { request.headers.add(header, value) }
        request.wantsCertificate = true
        return try await client.send(request)
    }

    private func arrival(in response: OutboundResponse) -> Seen? {
        guard response.status == 200, let json = try? JSON.parse(response.body), let address = json["address"]?.string,
            let connectedFrom = json["connectedFrom"]?.string
        else { return nil }
        return Seen(
            address: address.asString, connectedFrom: connectedFrom.asString, isSecure: json["isSecure"]?.string == "true",
            header: json[settings.trustedProxies.header == .forwarded ? "forwarded" : "xForwardedFor"]?.string?.asString)
    }

    private func addressFindings(_ seen: Seen) -> [Finding] {
        // In development mode, and without TLS, the request came without a proxy.
        guard settings.publicURL.hasPrefix("https:") else { return [] }
        guard let peer = Address(seen.connectedFrom), settings.trustedProxies.contains(peer) else {
            return [
                .fault(
                    "publicURL.proxy", "The proxy at \(seen.connectedFrom) is not trusted, so all people count as one client",
                    "add \(seen.connectedFrom) to trustedProxies")
            ]
        }
        guard !seen.isSecure else { return [] }
        return [
            .fault(
                "publicURL.header", "The proxy at \(seen.connectedFrom) does not say in \(header) that the client used https",
                "let it write the header, and X-Forwarded-Proto where that is x-forwarded-for")
        ]
    }

    private func certificateFindings(_ certificate: String?) -> [Finding] {
        guard let certificate, let left = Certificate.timeLeft(pem: certificate), left < Self.soon else { return [] }
        let text = "The certificate of \(settings.publicURL) expires in \(left.wholeSeconds / 86400) days"
        let remedy = "renew it, and look why that did not happen by itself"
        return [
            left < Self.tooSoon ? .fault("publicURL.certificate", text, remedy) : .warning("publicURL.certificate", text, remedy)
        ]
    }

    /// Whether the key set that clients get at `publicURL` has the keys of this database.
    private func keyFindings(_ database: Database?) async -> [Finding] {
        guard let database, let project = configuration.projects.first?.settings.id,
            let stored = try? await Inspection(database: database, masterKey: settings.masterKey, clock: clock).keys().ids, !stored.isEmpty,
            let response = try? await client.send(OutboundRequest(.get, "\(settings.publicURL)/\(project)/oauth2/jwks"))
        else { return [] }
        // Another answer is another finding's.
        guard let set = try? JSON.parse(response.body), let keys = set["keys"]?.array else { return [] }
        let published = keys.compactMap { $0["kid"]?.string?.asString }
        guard Set(published).isDisjoint(with: stored) else { return [] }
        return [
            .fault(
                "publicURL.keys", "\(settings.publicURL) publishes other keys than those of this database",
                "let it lead to a server of this database")
        ]
    }
}
