package import HTTP
package import JSON
package import Text

/// Reads a request body by the rules of Google's REST mapping of protocol buffers.
package enum JSONBody {
    /// Decodes the body into the input of a call.
    package static func decode<Input: Decodable>(_ type: Input.Type, from request: Request) throws(Failure) -> Input {
        let object = try object(of: request)
        do { return try JSON.object(object).decode(Input.self, spelling: .wire) } catch { throw .invalidJSON("\(error)") }
    }

    /// The body's members; an empty body is an empty object. Fields that only an administrator may set are refused here, for every call
    /// alike.
    package static func object(of request: Request) throws(Failure) -> JSON.Object {
        if request.body.isEmpty { return [:] }
        let body: JSON
        do { body = try JSON.parse(request.body) } catch { throw .invalidJSON("\(error)") }
        guard case .object(let object) = body else { throw .invalidJSON("Root element must be a message.") }
        if let target = object["targetProjectId"] ?? object["target_project_id"], target != .null {
            throw .unauthenticatedTarget
        }
        if let tenant = object["tenantId"] { try refuseTenant(tenant) }
        if let tenant = object["tenant_id"] { try refuseTenant(tenant) }
        return object
    }

    /// One text of a body, for calls that read nothing else. It is found by its name or by the same name in `snake_case`, as in
    /// ``decode(_:from:)``. Nil when it is absent or null.
    package static func text(_ name: UTF8Text, or snake: UTF8Text, in object: JSON.Object) throws(Failure) -> UTF8Text? {
        if object[name] != nil, object[snake] != nil { throw .invalidJSON("\(JSONError.bothSpellings(path: name.asString))") }
        guard let value = object[name] ?? object[snake], !value.isNull else { return nil }
        guard let text = value.string else { throw .invalidJSON("\(JSONError.typeMismatch(path: name.asString, expected: "a string"))") }
        return text
    }

    private static func refuseTenant(_ tenant: JSON) throws(Failure) {
        guard !tenant.isNull else { return }
        guard let name = tenant.string else { throw .invalidJSON("tenantId: expected a string.") }
        if !name.isEmpty { throw .unsupportedTenantOperation }
    }
}

extension Response {
    /// A JSON answer that no cache keeps.
    package init(json: [UInt8], status: Int = 200) {
        self.init(status: status, headers: jsonHeaders, body: json)
    }
}

/// Made once, since nearly every answer has these headers.
private let jsonHeaders: Headers = ["content-type": "application/json; charset=utf-8", "cache-control": "no-store"]
