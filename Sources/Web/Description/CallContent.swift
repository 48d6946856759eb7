import HTTP
package import JSON

/// The input and the answers of a call, for the description of the API.
///
/// A call with an `Input` and an `Output` gets it from these types. A call that reads its request or writes its answer itself has one beside
/// its route. Errors are not part of it: they follow from the route's `ErrorFormat`.
package struct CallContent: Sendable {
    /// The parameters of the query, as members of an object.
    package var query: JSONShape
    package var body: Body?
    package var answers: [Answer]

    package init(query: JSONShape, body: Body? = nil, answers: [Answer]) {
        self.query = query
        self.body = body
        self.answers = answers
    }

    package init(body: Body, answers: [Answer]) { self.init(query: .object([]), body: body, answers: answers) }

    /// A call that reads a query or a form of texts, any of which may be absent.
    package init(query: [String] = [], form: [String] = [], answers: [Answer]) {
        self.init(
            query: .texts(optional: query), body: form.isEmpty ? nil : .form(.texts(optional: form)), answers: answers)
    }

    /// A document that anyone may read, and that caches may keep.
    package static func publicDocument(_ shape: JSONShape) -> CallContent {
        CallContent(answers: [.json(shape), .empty(304, "The caller has this version.")])
    }

    /// A request's body, in each of the encodings that the call takes.
    package struct Body: Sendable {
        let types: [String]
        let shape: JSONShape

        package static func json(_ shape: JSONShape) -> Body { Body(types: [jsonType], shape: shape) }
        package static func form(_ shape: JSONShape) -> Body { Body(types: [formType], shape: shape) }
        package static func formOrJSON(_ shape: JSONShape) -> Body { Body(types: [formType, jsonType], shape: shape) }

        private static let formType = "application/x-www-form-urlencoded"
    }

    /// One answer that is not an error.
    package struct Answer: Sendable {
        let status: Int
        let meaning: String
        /// The content type; `nil` for an answer without a body.
        let type: String?
        let shape: JSONShape?

        package static func json(_ shape: JSONShape, status: Int = 200, _ meaning: String = "Success.") -> Answer {
            Answer(status: status, meaning: meaning, type: jsonType, shape: shape)
        }

        /// A JSON object of texts.
        package static func texts(_ required: [String], optional: [String] = []) -> Answer { .json(.texts(required, optional: optional)) }

        /// A page for a person.
        package static let page = Answer(status: 200, meaning: "A page for a person.", type: "text/html", shape: nil)

        /// A redirect that the browser follows.
        package static func redirect(_ status: Int) -> Answer {
            Answer(status: status, meaning: "The browser goes on to the address in Location.", type: nil, shape: nil)
        }

        /// A text or bytes of another type.
        package static func content(_ type: String, status: Int = 200, _ meaning: String = "Success.") -> Answer {
            Answer(status: status, meaning: meaning, type: type, shape: nil)
        }

        /// An answer without a body.
        package static func empty(_ status: Int = 200, _ meaning: String = "Success.") -> Answer {
            Answer(status: status, meaning: meaning, type: nil, shape: nil)
        }
    }

    private static let jsonType = "application/json"
}

extension CallContent {
    /// The content of a call that reads `input` and answers `output`. A GET reads its query, every other call the body.
    static func of(
        _ input: any Decodable.Type, _ output: any Decodable.Type, query: JSONShape = .object([]), _ route: Route
    ) throws -> CallContent { try reading(input, query: query, route, answers: [.json(try JSONShape(of: output))]) }

    /// The same for a call that writes its answers itself.
    static func reading(
        _ input: any Decodable.Type, query: JSONShape = .object([]), _ route: Route, answers: [Answer]
    ) throws -> CallContent {
        let own = try JSONShape(of: input)
        // Every call in the name of a project may be one of a tenant (`Context.inRealm`).
        let read = route.access.isOfProject ? own.with(.texts(optional: ["tenantId"])) : own
        if route.method == .get { return CallContent(query: query.with(read), answers: answers) }
        return CallContent(query: query, body: read.members.isEmpty ? nil : .json(read), answers: answers)
    }
}
