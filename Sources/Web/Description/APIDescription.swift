import HTTP
package import JSON
import Text

/// Describes calls in OpenAPI 3.1, from the types with which they read and write.
/// <https://spec.openapis.org/oas/v3.1.1>
///
/// A call stands at its own path. Its other addresses are in `x-gatehouse-paths`, and those where a request with a bearer token is an
/// administrator's in `x-gatehouse-bearer-paths`. `x-gatehouse-access` says who may call.
package struct APIDescription {
    /// Calls that belong together: a tag of the description.
    package struct Section: Sendable {
        package let name: String
        package let about: String
        package let handlers: [Handler]

        package init(_ name: String, _ about: String, _ handlers: [Handler]) {
            self.name = name
            self.about = about
            self.handlers = handlers
        }
    }

    /// The texts of the description, which no type contains.
    package struct Words: Sendable {
        /// The purpose of each call, by its operation id.
        package let calls: [String: String]
        /// The meaning of each field, by its name. It is the same in every call.
        package let fields: [String: String]

        package init(calls: [String: String], fields: [String: String]) {
            self.calls = calls
            self.fields = fields
        }
    }

    private let title: String
    private let about: String
    private let words: Words
    private let sections: [Section]

    package init(title: String, about: String, words: Words, sections: [Section]) {
        self.title = title
        self.about = about
        self.words = words
        self.sections = sections
    }

    /// Throws when a type does not accept the values with which its shape is found out.
    package func json() throws -> JSON {
        var paths: JSON.Object = [:]
        for section in sections {
            for handler in section.handlers {
                let path = UTF8Text(handler.route.path)
                let method = UTF8Text(handler.route.method.name).asciiLowercased
                var item = paths[path]?.object ?? [:]
                let operation = try Operation(handler, section.name, words).json()
                item[method] = item[method].map { Operation.merge($0, operation) } ?? operation
                paths[path] = .object(item)
            }
        }
        return [
            "openapi": "3.1.0",
            "info": ["title": .string(title), "description": .string(about), "version": "1"],
            "servers": [["url": "/"]],
            "tags": .array(sections.map { ["name": .string($0.name), "description": .string($0.about)] }),
            "paths": .object(paths),
            "components": ["schemas": Self.errorSchemas, "responses": Self.errorResponses, "securitySchemes": Self.securitySchemes],
        ]
    }

    private static let securitySchemes: JSON = [
        "apiKey": ["type": "apiKey", "in": "query", "name": "key", "description": "An API key of the project."],
        "apiKeyHeader": ["type": "apiKey", "in": "header", "name": "x-goog-api-key", "description": "The same in a header."],
        "serviceAccount": [
            "type": "http", "scheme": "bearer",
            "description":
                "An access token of a service account that has the right that the call names. In development mode, `owner` on the same machine.",
        ],
        "relyingParty": [
            "type": "http", "scheme": "basic",
            "description": "The client's id and secret. Its other ways to prove itself are fields of the form.",
        ],
        "accessToken": ["type": "http", "scheme": "bearer", "description": "An access token that the OpenID provider issued to a client."],
    ]

    private static let errorSchemas: JSON = [
        "Error": [
            "type": "object", "required": ["error"],
            "properties": [
                "error": [
                    "type": "object", "required": ["code", "message", "errors"],
                    "properties": [
                        "code": ["type": "integer", "description": "The HTTP status."],
                        "message": ["type": "string", "description": "A code, or a code and a sentence: `CODE : sentence`."],
                        "status": ["type": "string"], "errors": ["type": "array", "items": ["type": "object"]],
                        "details": ["type": "array", "items": ["type": "object"]],
                    ],
                ]
            ],
        ],
        "OAuthError": [
            "type": "object", "required": ["error"],
            "properties": ["error": ["type": "string"], "error_description": ["type": "string"]],
        ],
    ]

    private static let errorResponses: JSON = [
        "Error": [
            "description": "A refusal. docs/errors.md lists the codes.",
            "content": ["application/json": ["schema": ["$ref": "#/components/schemas/Error"]]],
        ],
        "OAuthError": [
            "description": "A refusal, in the form of RFC 6749 §5.2. What is not about the request, the client or the grant is plain text.",
            "content": ["application/json": ["schema": ["$ref": "#/components/schemas/OAuthError"]], "text/plain": [:]],
        ],
        "PageError": ["description": "A page that explains the refusal.", "content": ["text/html": [:]]],
        "Outage": [
            "description": "A fault of the server, or a database that does not answer. Plain text, so that SDKs keep their user.",
            "content": ["text/plain": [:]],
        ],
    ]
}
