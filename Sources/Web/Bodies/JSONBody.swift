package import HTTP
package import JSON
package import Text

/// Reads a request body by the rules of Google's REST mapping of protocol buffers.
package enum JSONBody {
    /// For an import of a thousand accounts.
    private static let administratorLimits = JSON.Limits(bytes: 4 << 20)

    /// Decodes the body into the input of a call.
    package static func decode<Input: Decodable>(_ type: Input.Type, from request: Request) throws(Failure) -> Input {
        try decode(type, from: try object(of: request))
    }

    /// Decodes members that were read already.
    package static func decode<Input: Decodable>(_ type: Input.Type, from object: JSON.Object) throws(Failure) -> Input {
        do { return try JSON.object(object).decode(Input.self, spelling: .wire) } catch { throw .invalidJSON("\(error)") }
    }

    /// The body's members; an empty body is an empty object. `targetProjectId`, which only administrators may send, is refused here, for every
    /// call alike.
    package static func object(of request: Request) throws(Failure) -> JSON.Object {
        let object = try administratorObject(of: request)
        if let target = object["targetProjectId"] ?? object["target_project_id"], target != .null {
            throw .unauthenticatedTarget
        }
        return object
    }

    /// The members of an administrator's body, for a call that looks which there are.
    package static func members(of request: Request) throws(Failure) -> JSON.Object { try administratorObject(of: request) }

    /// The members of an administrator's body, which may name a project.
    static func administratorObject(of request: Request) throws(Failure) -> JSON.Object {
        if request.body.isEmpty { return [:] }
        let body: JSON
        do { body = try JSON.parse(request.body, limits: administratorLimits) } catch { throw .invalidJSON("\(error)") }
        guard case .object(let object) = body else { throw .invalidJSON("Root element must be a message.") }
        return object
    }

    /// The query of an administrator's GET as members, one for each name, so that it is decoded as a body is. A name that comes several
    /// times is a list.
    static func object(ofQuery request: Request) throws(Failure) -> JSON.Object {
        var object: JSON.Object = [:]
        for field in try Form.reading(request.query).fields {
            switch object[field.name] {
            case nil: object[field.name] = .string(field.value)
            case .array(let values): object[field.name] = .array(values + [.string(field.value)])
            case let value?: object[field.name] = .array([value, .string(field.value)])
            }
        }
        return object
    }

    /// The project that the body of an administrator names.
    static func target(of object: JSON.Object) throws(Failure) -> UTF8Text? {
        try text("targetProjectId", or: "target_project_id", in: object).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// One text of a body, for calls that read nothing else. It is found by its name or by the same name in `snake_case`, as in
    /// ``decode(_:from:)``. Nil when it is absent or null.
    package static func text(_ name: UTF8Text, or snake: UTF8Text, in object: JSON.Object) throws(Failure) -> UTF8Text? {
        if object[name] != nil, object[snake] != nil { throw .invalidJSON("\(JSONError.bothSpellings(path: name.asString))") }
        guard let value = object[name] ?? object[snake], !value.isNull else { return nil }
        guard let text = value.string else { throw .invalidJSON("\(JSONError.typeMismatch(path: name.asString, expected: "a string"))") }
        return text
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
