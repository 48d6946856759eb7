import Crypto
import Curl
import HTTP
import JSON
import Logging
import Runtime
import Text

/// A provider's own API. Callers decide about failures: after an ID token, a call only adds to what is proven; without one, it is the
/// proof.
struct ProviderAPI: Sendable {
    let upstream: any Upstream
    /// This server's client at the provider, for calls that the client makes and not the person.
    var clientID: String
    var clientSecret: Secret?
    /// The ids of this client and of the operator's other apps, whose tokens are accepted like ours.
    let audiences: Set<String>
    let clock: Clock
    let log: Logger?

    struct Answer: Sendable {
        let status: Int
        let json: JSON?
        let text: String
    }

    /// The answer to a request, whatever its status. Throws `unavailable` when the provider does not answer, or says that it cannot
    /// now.
    func answer(to request: OutboundRequest) async throws(ProviderError) -> Answer {
        var request = request
        request.maxBytes = 64 << 10
        // A query may have a token in it.
        let address = request.url.prefix { $0 != "?" }
        let response: OutboundResponse
        do throws(OutboundError) {
            response = try await upstream.send(request)
        } catch {
            if case .refusedHeader = error { throw .invalidCredential("The access token is malformed.") }
            if case .tooLarge = error {
                throw .invalidResponse("The provider's answer is too long.", detail: "\(address) \(OutboundText.reason(error)).")
            }
            throw .unanswered("The address \(address)", error)
        }
        guard response.status < 500, !Self.isLimited(response) else {
            throw .unavailable(detail: "The address \(address) answers with status \(response.status).")
        }
        return Answer(
            status: response.status, json: try? JSON.parse(response.body), text: String(decoding: response.body, as: UTF8.self))
    }

    /// Whether the provider refuses because of a limit on requests: some answer 403 for it, with a field or a text that says so.
    private static func isLimited(_ response: OutboundResponse) -> Bool {
        switch response.status {
        case 429: true
        case 403:
            response.headers["x-ratelimit-remaining"] == "0" || response.headers["retry-after"] != nil
                || UTF8Text(decoding: response.body).asciiLowercased.contains("rate limit")
        default: false
        }
    }

    /// The answer to a GET with the person's access token; without it, when `url` has what the provider asks for.
    func get(_ url: String, bearer: UTF8Text? = nil) async throws(ProviderError) -> Answer {
        var request = OutboundRequest(.get, url, headers: ["accept": "application/json"])
        if let bearer { request.headers["authorization"] = "Bearer \(bearer)" }
        return try await answer(to: request)
    }

    /// The answer to a POST of JSON by our client.
    func post(_ url: String, _ json: JSON) async throws(ProviderError) -> Answer {
        let pair = "\(clientID):\(clientSecret?.reveal() ?? "")"
        let headers: Headers = [
            "accept": "application/json", "content-type": "application/json", "authorization": "Basic \(Base64.encode(Array(pair.utf8)))",
        ]
        return try await answer(to: OutboundRequest(.post, url, headers: headers, body: json.bytes()))
    }

    /// The answer to a GET with status 200, as a JSON object and as its text; `nil` for any other answer, or none.
    func object(_ url: String, bearer: UTF8Text) async -> (json: JSON, text: String)? {
        let reason: String
        do throws(ProviderError) {
            let answer = try await get(url, bearer: bearer)
            if answer.status == 200, let json = answer.json, json.object != nil { return (json, answer.text) }
            reason = answer.status == 200 ? "It is not a JSON object." : "The answer has the status \(answer.status)."
        } catch {
            reason = error.logDetail
        }
        log?.notice("a profile is missing", metadata: ["url": .string(String(url.prefix { $0 != "?" })), "reason": .string(reason)])
        return nil
    }

    /// The picture at `url`; `nil` when there is none. Throws when the token is refused.
    func picture(_ url: String, bearer: UTF8Text) async throws(ProviderError) -> Photo? {
        var request = OutboundRequest(.get, url, headers: ["accept": "image/*", "authorization": "Bearer \(bearer)"])
        request.maxBytes = 4 << 20
        let response: OutboundResponse
        do {
            response = try await upstream.send(request)
        } catch .refusedHeader {
            throw .invalidCredential("The access token is malformed.")
        } catch {
            throw .unanswered("The photo", error)
        }
        switch response.status {
        case 200: break
        case 204, 404: return nil
        case 401, 403: throw .invalidCredential("The provider does not accept the access token for the photo.")
        default: throw .invalidResponse("The provider has no photo to give now.", detail: "photo: status \(response.status)")
        }
        let type =
            response.headers["content-type"]?.split(maxSplits: 1) { $0 == UInt8(ascii: ";") || $0 == 0x20 }.first?.asciiLowercased ?? ""
        let pictures: Set<UTF8Text> = ["image/jpeg", "image/png", "image/gif", "image/webp", "image/bmp"]
        guard pictures.contains(type), !response.body.isEmpty else {
            throw .invalidResponse("The provider's photo is not a picture.", detail: "photo: type \(UpstreamText.visible(type))")
        }
        return Photo(type: type.asString, bytes: response.body)
    }
}

/// A person's photo, as bytes.
package struct Photo: Sendable, Equatable {
    /// `image/jpeg` and similar types; never SVG, which can contain scripts.
    package let type: String
    package let bytes: [UInt8]
}
