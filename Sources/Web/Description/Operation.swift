import Accounts
import HTTP
import JSON
import Text

/// One call as an operation object of OpenAPI. <https://spec.openapis.org/oas/v3.1.1#operation-object>
struct Operation {
    private let handler: Handler
    private let tag: String
    private let words: APIDescription.Words
    private let schemas: Schemas

    init(_ handler: Handler, _ tag: String, _ words: APIDescription.Words) {
        self.handler = handler
        self.tag = tag
        self.words = words
        schemas = Schemas(fields: words.fields)
    }

    private var route: Route { handler.route }

    func json() throws -> JSON {
        let content = try handler.content()
        var operation: JSON.Object = ["operationId": .string(handler.name), "tags": [.string(tag)]]
        operation["summary"] = words.calls[handler.name].map(JSON.string)
        let parameters = schemas.parameters(route.placeholders, in: "path") + schemas.parameters(content.query.members, in: "query")
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        if let body = content.body {
            let schema: JSON = ["schema": .object(schemas.schema(of: body.shape, isInput: true))]
            operation["requestBody"] = ["content": .object(JSON.Object(body.types.map { (UTF8Text($0), schema) }))]
        }
        operation["responses"] = .object(responses(content.answers))
        operation["security"] = .array(security)
        operation["x-gatehouse-access"] = .string(route.access.name)
        let others = route.paths.filter { $0 != route.path }
        if !others.isEmpty { operation["x-gatehouse-paths"] = .array(others.map(JSON.string)) }
        if !route.bearerPaths.isEmpty { operation["x-gatehouse-bearer-paths"] = .array(route.bearerPaths.map(JSON.string)) }
        return .object(operation)
    }

    /// One operation for two calls at one address, of which the configuration decides which one is there. It has the answers of both.
    static func merge(_ first: JSON, _ second: JSON) -> JSON {
        guard var merged = first.object, var responses = first["responses"]?.object else { return second }
        for response in second["responses"]?.object ?? [:] {
            guard var known = responses[response.name]?.object else {
                responses[response.name] = response.value
                continue
            }
            if let content = response.value["content"]?.object {
                known["content"] = .object((known["content"]?.object ?? [:]).merging(content))
            }
            responses[response.name] = .object(known)
        }
        merged["responses"] = .object(responses)
        return .object(merged)
    }

    private func responses(_ answers: [CallContent.Answer]) -> JSON.Object {
        var responses: JSON.Object = [:]
        for answer in answers {
            let status = UTF8Text(String(answer.status))
            var response = responses[status]?.object ?? ["description": .string(answer.meaning)]
            if let type = answer.type {
                var media: JSON.Object = [:]
                if let shape = answer.shape { media["schema"] = .object(schemas.schema(of: shape, isInput: false)) }
                var content = response["content"]?.object ?? [:]
                content[UTF8Text(type)] = .object(media)
                response["content"] = .object(content)
            }
            responses[status] = .object(response)
        }
        responses["4XX"] = responses["4XX"] ?? reference(handler.errorFormat.responseName)
        responses["5XX"] = reference("Outage")
        return responses
    }

    private func reference(_ name: String) -> JSON { ["$ref": .string("#/components/responses/\(name)")] }

    private var security: [JSON] {
        switch route.access {
        case .anyone, .development: [[:]]
        case .relyingParty: [["relyingParty": []], ["accessToken": []], [:]]
        case .apiKey: [["apiKey": []], ["apiKeyHeader": []]]
        case .administrator(let right): [["serviceAccount": [.string(right.rawValue)]]]
        }
    }
}

extension Route {
    /// The braces of the path, as parameters.
    fileprivate var placeholders: [JSONShape.Member] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
            JSONShape.Member(String($0.dropFirst().prefix { $0 != "}" }), .text, isRequired: true)
        }
    }
}

extension Route.Access {
    fileprivate var name: String {
        switch self {
        case .anyone: "anyone"
        case .relyingParty: "relyingParty"
        case .apiKey: "apiKey"
        case .administrator: "administrator"
        case .development: "development"
        }
    }
}

extension ErrorFormat {
    fileprivate var responseName: String {
        switch self {
        case .googleJSON: "Error"
        case .oauthJSON: "OAuthError"
        case .page: "PageError"
        }
    }
}
