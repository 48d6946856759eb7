import HTTP
import JSON
import Text
import Web

/// The scopes and parameters that an app wants to send to the provider, from the start's parameters `scopes` and `customParameters`. The
/// provider's own rules decide which of them are sent.
struct ProviderOptions: Equatable {
    let scopes: [UTF8Text]
    let customParameters: [UTF8Text: UTF8Text]

    /// Scopes are separated by commas or spaces. The parameters are a JSON object; apps may send numbers and truth values, which an
    /// authorization URL contains as text.
    init(_ query: Form) throws(Failure) {
        scopes = (query["scopes"] ?? "").split { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: " ") }
        guard let text = query["customParameters"], !text.isEmpty else {
            customParameters = [:]
            return
        }
        guard case .object(let object)? = try? JSON.parse(Array(text.utf8)) else {
            throw Failure.invalidAddress("The parameter customParameters is not a JSON object.")
        }
        var parameters: [UTF8Text: UTF8Text] = [:]
        for member in object {
            switch member.value {
            case .string(let text): parameters[member.name] = text
            case .integer, .number, .bool: parameters[member.name] = UTF8Text(member.value.text())
            default: throw Failure.invalidAddress("The parameter customParameters contains a value that is not text.")
            }
        }
        customParameters = parameters
    }
}
