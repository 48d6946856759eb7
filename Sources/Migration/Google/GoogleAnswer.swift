import Curl
import HTTP
import JSON
import Text

/// Why a call of Google's gave nothing.
package enum GoogleFailure: Error, Equatable, CustomStringConvertible {
    /// Google refuses what was asked, by this code.
    case refused(code: String)
    /// A function of the Firebase project refuses the person. With Google's text about it, for the app.
    case blocked(String)
    /// Google does not answer, or answers that it cannot now. With the reason for the log.
    case unavailable(String)
    /// Google does not take the API key or the service account of the project's file, which only the operator can mend. With the reason for the
    /// log.
    case misconfigured(String)
    /// Google says that these credentials may not do it. With the reason for the log.
    case forbidden(String)

    /// A clause for the operator.
    package var description: String {
        switch self {
        case .refused(let code): "Google refuses it with \(code)"
        case .blocked: "a function of the Firebase project refuses it"
        case .unavailable(let reason), .misconfigured(let reason), .forbidden(let reason): reason
        }
    }
}

/// The answer of one call of Google's.
enum GoogleAnswer {
    /// The JSON of a success.
    ///
    /// - Parameters:
    ///   - call: the name of the call, for the log.
    static func json(of request: OutboundRequest, _ call: String, by upstream: any Upstream) async throws(GoogleFailure) -> JSON {
        try await success(of: request, call, by: upstream).json
    }

    /// The JSON of a success, and the bytes that it was read from.
    static func success(
        of request: OutboundRequest, _ call: String, by upstream: any Upstream
    ) async throws(GoogleFailure) -> (json: JSON, bytes: [UInt8]) {
        let response: OutboundResponse
        do { response = try await upstream.send(request) } catch { throw .unavailable("Google's \(call) gave no answer: \(error)") }
        let json = try? JSON.parse(response.body)
        guard response.status != 200 else {
            guard let json, json.object != nil else { throw .unavailable("Google's \(call) answered something that is not JSON") }
            return (json, response.body)
        }
        throw failure(status: response.status, json, call)
    }

    /// Errors of Google's APIs have a text, `CODE` or `CODE : detail`; those of its OAuth endpoint have a name.
    private static func failure(status: Int, _ json: JSON?, _ call: String) -> GoogleFailure {
        let text = json?["error"]?["message"]?.string ?? json?["error"]?.string
        let code = text.map(Self.code) ?? ""
        let answered = "Google's \(call) answered \(status)\(code.isEmpty ? "" : " \(code)")"
        switch status {
        case 400 where code == blocked: return .blocked(text.map(detail) ?? "")
        case 400 where isBusy(code): return .unavailable(answered)
        case 400 where isCode(code) && code != "PROJECT_NUMBER_MISMATCH": return .refused(code: code)
        case 403: return .forbidden(answered)
        case 408, 429, 500...: return .unavailable(answered)
        default: return .misconfigured(answered)
        }
    }

    /// Refusals that say nothing of what was asked: a later call may have an answer.
    private static func isBusy(_ code: String) -> Bool {
        ["QUOTA_", "RESOURCE_EXHAUSTED", "TOO_MANY_"].contains { code.utf8.starts(with: $0.utf8) }
    }

    /// The code, alone or in front of a colon and a detail; of another text its beginning, without characters that a log should not have.
    private static func code(_ text: UTF8Text) -> String {
        let beginning = text.utf8.prefix(100).map { (0x20...0x7E).contains($0) ? $0 : 0x3F }
        let words = String(decoding: beginning, as: UTF8.self).split(separator: " ")
        if let code = words.first, isCode(String(code)), words.count == 1 || words[1] == ":" { return String(code) }
        return words.joined(separator: " ")
    }

    private static let blocked = "BLOCKING_FUNCTION_ERROR_RESPONSE"
    /// In bytes. Firebase's own functions may say no more either.
    private static let longestDetail = 1000

    /// The text behind the code and its colon, as far as it may reach an app: without control characters, and not too long.
    private static func detail(_ text: UTF8Text) -> String {
        let behind = text.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst()
        let characters = UTF8Text(decoding: behind).trimmed.asString.unicodeScalars.filter { $0.properties.generalCategory.isShown }
        var (shown, length) = (String.UnicodeScalarView(), 0)
        for character in characters {
            length += character.utf8.count
            guard length <= longestDetail else { break }
            shown.append(character)
        }
        return String(shown)
    }

    private static func isCode(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
    }
}

extension Unicode.GeneralCategory {
    /// Whether a character of this kind shows itself, and does nothing to the text around it.
    fileprivate var isShown: Bool {
        switch self {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
