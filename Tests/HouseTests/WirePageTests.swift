import AuthPages
import HTTP
import IdentityToolkit
import OpenIDProvider
import Testing
import Web

/// `docs/wire.md` has a row for every route of the API and of the pages, and no other.
@Suite struct WirePageTests {
    private static let page = Repository.files.first { $0.path == "docs/wire.md" }

    /// `POST /v1/token` for each row of the tables of calls, addresses and pages. A cell without a method means GET.
    private static func rows(of page: File) -> [String] {
        var isCalls = false
        var rows: [String] = []
        for line in page.lines {
            guard line.hasPrefix("|") else {
                isCalls = false
                continue
            }
            let cell = line.split(separator: "|").first.map { $0.drop { $0 == " " } } ?? ""
            if ["Call ", "Address ", "Page "].contains(cell) { isCalls = true }
            let marked = cell.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
            let parts = marked.flatMap { $0.element.split(separator: " ") }
            guard isCalls, let path = parts.last, path.hasPrefix("/") else { continue }
            let methods = parts.dropLast()
            rows += (methods.isEmpty ? ["GET"] : methods).map { "\($0) \(path)" }
        }
        return rows
    }

    @Test func `reads methods and paths`() {
        let text =
            "| Call | File |\n|---|---|\n| [`POST /a`](x) | `B.swift` |\n| `GET`, `PUT /b` | |\n\n| Kind |\n|---|\n| `GET /c` |\n| Page |\n| `/d` |\n"
        #expect(Self.rows(of: File(path: "x", text: text)) == ["POST /a", "GET /b", "PUT /b", "GET /d"])
    }

    @Test func `the page has every route and no other`() throws {
        let page = try #require(Self.page)
        let handlers =
            IdentityToolkit.handlers + Emulator.handlers + AuthPages.handlers + DevelopmentSignIn.handlers + OpenIDProvider.handlers
        let routes = handlers.map { "\($0.route.method.name) \($0.route.path)" }
        #expect(routes.count > 30)
        #expect(Set(Self.rows(of: page)).symmetricDifference(routes).sorted() == [])
    }
}
