package import Accounts
package import Curl
import Identity
import JSON
package import ProjectSettings
import Text

/// A sound answer of a hook's page.
package enum HookReply: Sendable, Equatable {
    case answer(HookAnswer)
    case refused(HookRefusal)
}

extension HookReply {
    /// Judges an answer. What is not on the list of members that a hook may set is left out unread (SEC-60), and what would reach a client
    /// is cut and cleaned (SEC-61).
    ///
    /// - Parameter event: the event that the hook was asked about.
    package init(_ response: OutboundResponse, to event: HookEvent) throws(HookFault) {
        let body = try? JSON.parse(response.body)
        switch response.status {
        case 200..<300:
            guard let body, body.object != nil else { throw HookFault("its answer is not a JSON object") }
            guard body["recaptchaActionOverride"] != "BLOCK" else {
                self = .refused(HookRefusal(code: 400, status: "PERMISSION_DENIED", message: Self.blocked))
                return
            }
            self = .answer(try Self.answer(body["userRecord"], to: event))
        case 400..<500:
            guard let error = body?["error"], let status = error["status"]?.string, let message = error["message"]?.string else {
                throw HookFault("status \(response.status) without an error as functions answer it")
            }
            self = .refused(
                HookRefusal(code: response.status, status: Self.name(status.asString), message: Self.message(message.asString)))
        default: throw HookFault("status \(response.status)")
        }
    }

    private static func answer(_ record: JSON?, to event: HookEvent) throws(HookFault) -> HookAnswer {
        var answer = HookAnswer()
        guard event.isOfSignIn, let record, record != .null else { return answer }
        guard record.object != nil else { throw HookFault("userRecord is not an object") }
        guard let mask = record["updateMask"]?.string, !mask.isEmpty else { throw HookFault("userRecord has no updateMask") }
        for part in mask.split(where: { $0 == UInt8(ascii: ",") }) {
            let name = UTF8Text(decoding: part.utf8.filter { $0 != UInt8(ascii: " ") })
            guard let value = record[name] else { continue }
            switch name {
            case "displayName": answer.displayName = try Self.name(in: value)
            // Firebase's SDKs say `photoURL`, its emulator `photoUrl`.
            case "photoURL", "photoUrl": answer.photoURL = try Self.picture(in: value)
            case "disabled": answer.disables = try Self.flag(value, name)
            case "emailVerified": answer.emailVerified = try Self.flag(value, name)
            case "customClaims": answer.customClaims = try Self.claims(value, name).map(FieldUpdate.set) ?? .clear
            case "sessionClaims":
                guard event == .beforeSignIn else { throw HookFault("sessionClaims are for beforeSignIn alone") }
                answer.sessionClaims = try Self.claims(value, name)
            default: break
            }
        }
        try Self.checkTogether(record, answer)
        return answer
    }

    private static func name(in value: JSON) throws(HookFault) -> FieldUpdate<String> {
        if value == .null { return .clear }
        guard let text = value.string?.asString, ProfileText.isFit(text, most: ProfileText.longestName) else {
            throw HookFault("displayName is not a text of at most \(ProfileText.longestName) readable characters")
        }
        return text.isEmpty ? .clear : .set(text)
    }

    private static func picture(in value: JSON) throws(HookFault) -> FieldUpdate<String> {
        if value == .null { return .clear }
        guard let text = value.string?.asString, ProfileText.isFit(text, most: ProfileText.longestURL) else {
            throw HookFault("photoURL is not a text of at most \(ProfileText.longestURL) readable characters")
        }
        guard text.isEmpty || ProfileText.isPicture(text) else { throw HookFault("photoURL is not the address of a picture") }
        return text.isEmpty ? .clear : .set(text)
    }

    private static func flag(_ value: JSON, _ name: UTF8Text) throws(HookFault) -> Bool {
        guard let flag = value.bool else { throw HookFault("\(name) is not true or false") }
        return flag
    }

    /// The text to store; `nil` for none.
    private static func claims(_ value: JSON, _ name: UTF8Text) throws(HookFault) -> String? {
        if value == .null { return nil }
        do { return try CustomClaims.checked(UTF8Text(value.text())) } catch {
            throw HookFault("\(name) is not an object, has a reserved name, or has more than \(CustomClaims.longest) characters")
        }
    }

    /// Claims of both kinds stand in one token.
    private static func checkTogether(_ record: JSON, _ answer: HookAnswer) throws(HookFault) {
        guard case .set = answer.customClaims, answer.sessionClaims != nil, let custom = record["customClaims"]?.object,
            let session = record["sessionClaims"]?.object
        else { return }
        guard JSON.object(custom.merging(session)).text().unicodeScalars.count <= CustomClaims.longest else {
            throw HookFault("customClaims and sessionClaims have more than \(CustomClaims.longest) characters together")
        }
    }

    /// The message of a refusal without one.
    private static let blocked = "This was blocked."

    /// In characters.
    private static let longestMessage = 300

    /// The message as clients get it: SDKs cut an error at the first ` : `.
    private static func message(_ text: String) -> String {
        let words = text.unicodeScalars.split { $0 == "\n" || $0 == "\r" || $0 == "\t" }.map(String.init)
        var text = ProfileText.readable(words.joined(separator: " "))
        if text.allSatisfy({ $0 == " " }) { text = blocked }
        while text.contains(" : ") { text = text.replacing(" : ", with: ": ") }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(longestMessage)))
    }

    private static func name(_ status: String) -> String {
        let isName =
            (1...40).contains(status.utf8.count) && status.utf8.allSatisfy { (0x41...0x5A).contains($0) || $0 == UInt8(ascii: "_") }
        return isName ? status : "UNKNOWN"
    }
}
