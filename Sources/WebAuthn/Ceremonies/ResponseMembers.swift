import Crypto
import JSON
import Text

/// The members of an authenticator's response as JSON, in every dialect of base64: browsers write base64url, Apple's SDK the standard alphabet
/// with padding.
struct ResponseMembers {
    private let json: JSON

    /// The members of `response`, and the id of the credential around them.
    ///
    /// Throws `missingResponse` without an object, and `shape` for one of another form.
    /// - Returns: the id is under `id`, under `rawId`, or the same under both.
    static func read(_ json: JSON?) throws(CeremonyError) -> (id: [UInt8], members: ResponseMembers) {
        guard let json, !json.isNull else { throw .missingResponse }
        guard json.object != nil else { throw .refused(.shape) }
        if let type = json["type"], type.string != "public-key" { throw .refused(.shape) }
        let outer = ResponseMembers(json: json)
        let ids = [try outer.optional("id"), try outer.optional("rawId")].compactMap { $0 }
        guard let id = ids.first, ids.allSatisfy({ $0 == id }) else { throw .refused(.shape) }
        guard let response = json["response"], response.object != nil else { throw .refused(.shape) }
        return (id, ResponseMembers(json: response))
    }

    func bytes(_ name: UTF8Text) throws(CeremonyError) -> [UInt8] {
        guard let bytes = try optional(name) else { throw .refused(.shape) }
        return bytes
    }

    /// `nil` when the member is absent or `null`.
    func optional(_ name: UTF8Text) throws(CeremonyError) -> [UInt8]? {
        guard let member = json[name], !member.isNull else { return nil }
        guard let text = member.string, let bytes = Base64.decode(text.asString) else { throw .refused(.shape) }
        return bytes
    }

    /// The texts of a list; none when it is absent. Elements of another type are left out.
    func texts(_ name: UTF8Text) -> [UTF8Text] { json[name]?.array?.compactMap(\.string) ?? [] }
}
