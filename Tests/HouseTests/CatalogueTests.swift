import Testing

@Suite struct CatalogueTests {
    private func catalog(_ list: String, _ files: (String, String)...) -> [String] {
        let all = [("Catalog.swift", "extension Provider {\n    package static let catalog: [Provider] = [\n\(list)\n    ]\n}")] + files
        return Catalogue.providers(all.map { File(path: "Sources/Providers/Catalog/\($0.0)", text: $0.1) }).map(\.description)
    }

    private func handlers(_ list: String, _ text: String) -> [String] {
        Catalogue.endpoints(
            listedIn: "Sources/AuthPages/AuthPages.swift",
            [
                File(
                    path: "Sources/AuthPages/AuthPages.swift", text: "enum AuthPages {\n    static let handlers: [Handler] = [\(list)]\n}"),
                File(path: "Sources/AuthPages/A.swift", text: text),
            ]
        ).map(\.description)
    }

    @Test func `catches a provider that is not listed, one that is listed without a file, and a file without one`() {
        #expect(catalog(".google", ("Google.swift", "static let google = Provider(\n)")) == [])
        #expect(
            catalog("", ("Google.swift", "static let google = Provider(\n)"))
                == ["Sources/Providers/Catalog/Google.swift google is not in the list of Sources/Providers/Catalog/Catalog.swift"])
        #expect(catalog(".apple") == ["Sources/Providers/Catalog/Catalog.swift lists apple, which no file makes"])
        #expect(
            catalog("", ("Odd.swift", "struct Odd {}")) == [
                "Sources/Providers/Catalog/Odd.swift makes no provider; move it out of the catalogue"
            ])
        #expect(catalog(".big", ("Big/Big.swift", "static let big = Provider(\n)"), ("Big/BigTenant.swift", "struct BigTenant {}")) == [])
        #expect(
            catalog(".b, .a", ("AB.swift", "static let a = Provider(\nstatic let b = Provider(")) == [
                "Sources/Providers/Catalog/Catalog.swift the list is not in order"
            ])
        #expect(
            catalog("", ("Games.swift", "static let games = RefusedProvider(\n)"))
                == ["Sources/Providers/Catalog/Games.swift games is not in the list of Sources/Providers/Catalog/Catalog.swift"])
        #expect(Catalogue.providers([]).map(\.message) == ["is missing"])
    }

    @Test func `catches an endpoint that is not listed, and one that is listed without a type`() {
        #expect(handlers("Start.handler", "struct Start: RawEndpoint {") == [])
        #expect(handlers("Start.handler,", "struct Start {}\nextension Start: Endpoint {}") == [])
        #expect(
            handlers("", "struct Start: Endpoint {") == [
                "Sources/AuthPages/A.swift Start is not in the list of Sources/AuthPages/AuthPages.swift"
            ])
        #expect(handlers("Start.handler", "struct Begin {") == ["Sources/AuthPages/AuthPages.swift lists Start, which no file makes"])
        #expect(Catalogue.endpoints(listedIn: "Sources/AuthPages/AuthPages.swift", []).map(\.message) == ["is missing"])
    }

    @Test func `catches a scheme of password hashes that is not listed, and one that is listed without a type`() {
        func schemes(_ list: String, _ text: String) -> [String] {
            Catalogue.passwordSchemes([
                File(
                    path: "Sources/Crypto/Passwords/PasswordHash.swift",
                    text: "struct PasswordHash {\n    static let schemes: [any PasswordScheme.Type] = [\(list)]\n}"),
                File(path: "Sources/Crypto/Passwords/Schemes/A.swift", text: text),
            ]).map(\.description)
        }
        let list = "Sources/Crypto/Passwords/PasswordHash.swift"
        #expect(schemes("A.self", "struct A: PasswordScheme {") == [])
        #expect(schemes("", "struct A: PasswordScheme {") == ["Sources/Crypto/Passwords/Schemes/A.swift A is not in the list of \(list)"])
        #expect(schemes("A.self", "struct A {") == ["\(list) lists A, which no file makes"])
        #expect(Catalogue.passwordSchemes([]).map(\.message) == ["is missing"])
    }

    @Test func `an endpoint belongs to the innermost list around it`() {
        let files = ["IdentityToolkit/Emulator/Emulator", "IdentityToolkit/IdentityToolkit"].map {
            File(path: "Sources/\($0).swift", text: "static let handlers: [Handler] = []")
        }
        let inner = File(path: "Sources/IdentityToolkit/Emulator/A.swift", text: "struct A: Endpoint {")
        let outer = File(path: "Sources/IdentityToolkit/SignIn/B.swift", text: "struct B: Endpoint {")
        let forgotten = Catalogue.lists.prefix(2).map { Catalogue.endpoints(listedIn: $0, files + [inner, outer]).map(\.path) }
        #expect(forgotten == [[inner.path], [outer.path]])
    }

    @Test(arguments: [
        ("Sources/Web/A.swift", "let isGitHub = true", false), ("Sources/Web/A.swift", "if id == \"github.com\" {", false),
        ("Sources/Migration/A.swift", "if id == \"github.com\" {", false),
        ("Sources/Migration/Sources/A.swift", "[\"github\": \"github.com\"]", true),
        ("Sources/Web/A.swift", "if id == \"google.com\" {", false), ("Sources/Web/A.swift", "case googleJSON", true),
        ("Sources/Web/A.swift", "// as GitHub does", true), ("Sources/Providers/Catalog/GitHub.swift", "let isGitHub = true", true),
        ("Tests/WebTests/A.swift", "let isGitHub = true", true),
    ])
    func `catches code that names a provider outside its file`(path: String, text: String, isAllowed: Bool) {
        let words = Catalogue.words([
            File(path: "Sources/Providers/Catalog/GitHub.swift", text: "id: \"github.com\", x: \"https://a.com\", y: \"gmail.com\""),
            File(path: "Sources/Providers/Catalog/Google.swift", text: "id: \"google.com\""),
        ])
        #expect(words == ["github", "google"])
        #expect(Catalogue.naming(words, in: File(path: path, text: text)).isEmpty == isAllowed)
    }

    @Test func `no shared code names a provider`() {
        let words = Catalogue.words(Repository.files)
        #expect(words.contains("microsoft"))
        #expect(Repository.swift.flatMap { Catalogue.naming(words, in: $0) } == [])
    }

    @Test func `every provider with a file is in the catalogue`() { #expect(Catalogue.providers(Repository.files) == []) }

    @Test func `every scheme of password hashes is in the list`() { #expect(Catalogue.passwordSchemes(Repository.files) == []) }

    @Test(arguments: Catalogue.lists)
    func `every endpoint is in the list of its folder`(list: String) {
        #expect(Catalogue.endpoints(listedIn: list, Repository.files) == [])
    }
}
