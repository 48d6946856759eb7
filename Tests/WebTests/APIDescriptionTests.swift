import Accounts
import HTTP
import HTTPServer
import JSON
import Testing
import Text

@testable import Web

/// The description of a few calls that stand for all of their kind.
@Suite struct APIDescriptionTests {
    private struct Rename: Endpoint {
        static let route = Route.client(.post, "/v1/things:rename", v3: "renameThing")
        struct Input: Decodable { var name: FieldUpdate<UTF8Text>, count: Int64? }
        struct Output: Codable { var kind = "thing", count: Int64 }
        func callAsFunction(_ input: Input, _ context: Context) async throws -> Output { Output(count: 1) }
    }

    private struct List: AdministratorEndpoint {
        static let route = Route.administrator(.get, "/v1/projects/{project}:things", right: .readUsers, client: Rename.route)
        struct Input: Decodable { var pageToken: UTF8Text }
        struct Output: Codable { var things: [String] }
        func callAsFunction(_ input: Input, by administrator: Administrator, _ context: Context) async throws -> Output {
            Output(things: [])
        }
    }

    private struct Page: RawEndpoint {
        static let route = Route(.get, "/page", access: .anyone)
        static let errorFormat = ErrorFormat.page
        static let content = CallContent(query: ["name"], answers: [.page, .redirect(303)])
        func callAsFunction(_ request: Request, _ context: Context) async throws -> Response { .text("") }
    }

    private struct OtherPage: RawEndpoint {
        static let route = Route(.get, "/page", access: .development)
        static let errorFormat = ErrorFormat.page
        static let content = CallContent(answers: [.content("text/plain"), .empty(204)])
        func callAsFunction(_ request: Request, _ context: Context) async throws -> Response { .text("") }
    }

    private let paths: JSON

    init() throws {
        let words = APIDescription.Words(calls: ["WebTests.Rename": "Renames a thing."], fields: ["name": "A name."])
        let sections = [
            APIDescription.Section("all", "All.", [Rename.handler, List.handler, Page.handler, OtherPage.handler])
        ]
        paths = try #require(try APIDescription(title: "T", about: "A", words: words, sections: sections).json()["paths"])
    }

    private func schema(_ operation: JSON?) -> JSON? { operation?["content"]?["application/json"]?["schema"] }

    @Test func `says what a call reads and answers, by its types`() throws {
        let operation = try #require(paths["/v1/things:rename"]?["post"])
        #expect(operation["operationId"] == "WebTests.Rename")
        #expect(operation["summary"] == "Renames a thing.")
        #expect(
            schema(operation["requestBody"]) == [
                "type": "object",
                "properties": [
                    "name": ["description": "A name.", "type": ["string", "null"]],
                    "count": ["type": ["integer", "string"], "format": "int64"], "tenantId": ["type": "string"],
                ],
            ])
        #expect(
            schema(operation["responses"]?["200"]) == [
                "type": "object", "properties": ["kind": ["type": "string"], "count": ["type": "integer", "format": "int64"]],
                "required": ["kind", "count"],
            ])
        #expect(operation["responses"]?["4XX"]?["$ref"] == "#/components/responses/Error")
    }

    @Test func `says who may call, and at which other addresses`() throws {
        let client = try #require(paths["/v1/things:rename"]?["post"])
        #expect(client["x-gatehouse-access"] == "apiKey")
        #expect(client["x-gatehouse-paths"]?[0] == "/identitytoolkit/v3/relyingparty/renameThing")
        #expect(client["x-gatehouse-paths"]?.array?.count == 3)
        let administrator = try #require(paths["/v1/projects/{project}:things"]?["get"])
        #expect(administrator["security"] == [["serviceAccount": ["readUsers"]]])
        #expect(administrator["x-gatehouse-bearer-paths"]?.array?.count == 4)
    }

    @Test func `reads the parameters of a GET from its input, and those of the path from its braces`() throws {
        let parameters = try #require(paths["/v1/projects/{project}:things"]?["get"]?["parameters"]?.array)
        #expect(parameters.map { $0["name"] } == ["project", "pageToken", "tenantId"])
        #expect(parameters.map { $0["in"] } == ["path", "query", "query"])
        #expect(parameters.map { $0["required"] } == [true, true, nil])
    }

    @Test func `puts the answers of two calls at one address together`() throws {
        let operation = try #require(paths["/page"]?["get"])
        #expect(operation["operationId"] == "WebTests.Page")
        #expect(operation["responses"]?["200"]?["content"]?.object?.map(\.name) == ["text/html", "text/plain"])
        #expect(operation["responses"]?["204"] != nil)
        #expect(operation["responses"]?["303"] != nil)
    }
}
