import Curl
import HTTP
import JSON
import Logging
import Text

/// A provider's own API, called with the person's access token. Callers decide about failures: most calls only add to what the ID token
/// has already proven.
struct ProviderAPI: Sendable {
    let upstream: any Upstream
    let log: Logger?

    /// The answer to a GET with status 200, as a JSON object and as its text; `nil` for any other answer, or none.
    func object(_ url: String, bearer: UTF8Text) async -> (json: JSON, text: String)? {
        var request = OutboundRequest(.get, url, headers: ["accept": "application/json", "authorization": "Bearer \(bearer)"])
        request.maxBytes = 64 << 10
        let reason: String
        do throws(OutboundError) {
            let response = try await upstream.send(request)
            if response.status == 200, let json = try? JSON.parse(response.body), json.object != nil {
                return (json, String(decoding: response.body, as: UTF8.self))
            }
            reason = response.status == 200 ? "is not a JSON object" : "answers with status \(response.status)"
        } catch {
            reason = OutboundText.reason(error)
        }
        log?.notice("a profile is missing", metadata: ["url": .string(url), "reason": .string(reason)])
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
            throw .unavailable(detail: "photo: \(error)")
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
