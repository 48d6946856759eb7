import Testing

@Suite struct FloorTests {
    private let manifest = """
        func kit(_ name: String) -> Target { }
        kit("JSON"),
        kit("Crypto", ["COpenSSL", "Runtime", logging]),
        kit(
            "Runtime", [
                "Crypto"
            ]),
        .executableTarget(name: "gatehouse", dependencies: ["AuthPages", argumentParser]),
        kit("AuthPages", ["Web", "IdentityToolkit"]), kit("Attic", []),
        """

    @Test func `reads what targets depend on`() {
        let found = Floors.dependencies(in: manifest)
        #expect(found["JSON"] == [])
        #expect(found["Crypto"] == ["COpenSSL", "Runtime"])
        #expect(found["Runtime"] == ["Crypto"])
        #expect(found["gatehouse"] == ["AuthPages"])
        #expect(found["AuthPages"] == ["Web", "IdentityToolkit"])
    }

    @Test func `catches targets that depend upward or sideways, and those on no floor`() {
        #expect(
            Floors.check(manifest: File(path: "Package.swift", text: manifest)).map(\.description) == [
                "Package.swift Attic stands on no floor; give it one here",
                "Package.swift AuthPages depends on IdentityToolkit, which does not stand below it",
                "Package.swift Runtime depends on Crypto, which does not stand below it",
            ])
    }

    @Test(arguments: [
        ("Sources/JSON/A.swift", "import Runtime\n", true), ("Sources/Runtime/A.swift", "import JSON\n", false),
        ("Sources/AuthPages/A.swift", "package import IdentityToolkit\n", false), ("Sources/AuthPages/A.swift", "import Web\n", true),
        ("Sources/JSON/A.swift", "@preconcurrency internal import struct Web.Route\n", false),
        ("Sources/JSON/A.swift", "// import Web\n", true),
        ("Sources/Crypto/A.swift", "import COpenSSL\n", true), ("Sources/JOSE/A.swift", "import COpenSSL\n", false),
        ("Sources/Web/A.swift", "import CCurl", false), ("Sources/Accounts/A.swift", "import CPostgres", false),
        ("Sources/HTTP/A.swift", "import CSystem", false), ("Sources/Web/A.swift", "import CYAML", false),
        ("Sources/Accounts/A.swift", "import CCrypt", false), ("Sources/Crypto/A.swift", "import CArgon2", true),
        ("Sources/Web/A.swift", "import Foundation", false), ("Sources/Web/A.swift", "import FoundationEssentials", true),
        ("Tests/JSONTests/A.swift", "import Web\n", true),
    ])
    func `catches imports that run upward, sideways or past a gatekeeper`(path: String, text: String, isAllowed: Bool) {
        #expect(Floors.check(imports: File(path: path, text: text)).isEmpty == isAllowed)
    }

    @Test func `imports run only downward`() throws {
        let manifest = try #require(Repository.files.first { $0.path == "Package.swift" })
        #expect(Floors.dependencies(in: manifest.text).count > 12)
        #expect(Floors.check(manifest: manifest) == [])
        #expect(Repository.swift.flatMap(Floors.check(imports:)) == [])
    }

    @Test func `every folder of Sources stands on a floor`() {
        let targets = Set(Repository.files.compactMap(\.target))
        #expect(targets.count > 12)
        #expect(targets.filter { Floors.floor[$0] == nil } == [])
    }
}
