// swift-tools-version:6.2
import PackageDescription

let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

/// Packed relocations (glibc 2.36 and later) keep 2 MB of tables out of memory; `now` makes the table of imported functions read-only.
let packed = ["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "-z", "-Xlinker", "now"]

func kit(
    _ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil, resources: [Resource]? = nil
) -> Target {
    .target(name: name, dependencies: dependencies, path: path, resources: resources, swiftSettings: house)
}

func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.byName(name: name), "TestKit"] + dependencies, swiftSettings: house)
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let collections = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let package = Package(
    name: "gatehouse",
    products: [.executable(name: "gatehouse", targets: ["gatehouse"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    ],
    targets: [
        // Floor 0: C libraries.
        .systemLibrary(name: "CSystem"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CYAML", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CArgon2", providers: [.apt(["libargon2-dev"])]),
        .systemLibrary(name: "CCrypt", providers: [.apt(["libcrypt-dev"])]),
        .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),

        // Floor 1: text from outside; the loop, time, logging, metrics, secrets.
        kit("Text"),
        kit("Runtime", ["CSystem", logging]),

        // Floor 2: kits. They know nothing of sign-in.
        kit("JSON", ["Text"]),
        kit("Crypto", ["CArgon2", "CCrypt", "COpenSSL", "Runtime"]),
        kit("HTTP", ["Runtime", "Text"]),
        kit("Config", ["CYAML", "Runtime"]),
        kit("JOSE", ["Crypto", "JSON", "Runtime", "Text"]),
        kit("WebAuthn", ["Crypto", "JSON", "Runtime", "Text"]),
        kit("HTTPServer", ["CSystem", "HTTP", "Runtime", "Text", logging]),
        kit("Curl", ["CCurl", "CSystem", "HTTP", "Runtime", "Text", logging]),
        kit("Mail", ["Crypto", "Curl", "Runtime", logging]),
        kit("Captcha", ["Config", "Curl", "HTTP", "JSON", "Runtime", "Text"]),
        kit("Webhooks", ["Config", "Crypto", "Curl", "HTTP", "Runtime"]),
        kit("TextMessages", ["Config", "Crypto", "Curl", "HTTP", "JSON", "Runtime", "Text", "Webhooks", logging]),
        kit("Postgres", ["CPostgres", "CSystem", "Crypto", "Runtime", collections, logging]),

        // Floor 3: what a project is configured to do; rules and upstream services, on the words that both speak.
        kit("Identity", ["Crypto", "Mail", "Text"]),
        kit(
            "ProjectSettings",
            ["Captcha", "Config", "Crypto", "HTTP", "Identity", "JOSE", "JSON", "Mail", "Runtime", "Text", "TextMessages", "Webhooks"]),
        kit(
            "Accounts",
            ["Crypto", "HTTP", "Identity", "JOSE", "JSON", "Postgres", "ProjectSettings", "Runtime", "Text", "WebAuthn", logging],
            // A link to the folder at the top: the binary has the schema inside.
            resources: [.embedInCode("Migrations")]),
        kit("Providers", ["Config", "Crypto", "Curl", "HTTP", "Identity", "JOSE", "JSON", "Runtime", "Text", logging]),

        // Floor 4: what features are built from.
        kit(
            "Pages", ["Accounts", "CQREncode", "Config", "Crypto", "HTTP", "JSON", "ProjectSettings", "Providers", "Runtime", "Text"],
            resources: [.embedInCode("Templates")]),
        kit("Projects", ["Config", "HTTP", "JOSE", "JSON", "Pages", "ProjectSettings", "Providers", "Text"]),
        kit(
            "Brokerage",
            ["Accounts", "Curl", "HTTP", "Identity", "JSON", "ProjectSettings", "Providers", "Runtime", "Text", logging]),
        kit(
            "Hooks", ["Accounts", "Curl", "HTTP", "Identity", "JSON", "ProjectSettings", "Runtime", "Text", "Webhooks", logging]),
        kit(
            "Messaging",
            [
                "Accounts", "Crypto", "Curl", "HTTP", "Identity", "JSON", "Mail", "Pages", "ProjectSettings", "Projects", "Runtime", "Text",
                "TextMessages", "Webhooks", logging,
            ]),
        kit(
            "Migration",
            ["Accounts", "Crypto", "Curl", "HTTP", "Identity", "JOSE", "JSON", "ProjectSettings", "Providers", "Runtime", "Text"]),
        kit(
            "Web",
            [
                "Accounts", "Brokerage", "Captcha", "Crypto", "Curl", "HTTP", "HTTPServer", "JSON", "Migration", "Pages", "Postgres",
                "ProjectSettings", "Projects", "Providers", "Runtime", "Text", "WebAuthn", logging,
            ],
            resources: [.embedInCode("Scripts")]),

        // Floor 5: features. They do not import one another.
        kit(
            "IdentityToolkit",
            [
                "Web", "Accounts", "Brokerage", "Captcha", "Crypto", "HTTP", "Identity", "JOSE", "JSON", "Mail", "Migration", "Pages",
                "ProjectSettings", "Projects", "Providers", "Runtime", "Text", "WebAuthn", logging,
            ]),
        kit(
            "AuthPages",
            [
                "Web", "Accounts", "Brokerage", "Captcha", "Crypto", "HTTP", "Identity", "JSON", "Pages", "ProjectSettings", "Projects",
                "Providers",
                "Text", logging,
            ],
            resources: [.embedInCode("Scripts")]),

        kit(
            "OpenIDProvider",
            [
                "Web", "Accounts", "Brokerage", "Crypto", "HTTP", "Identity", "JOSE", "JSON", "Migration", "Pages", "ProjectSettings",
                "Projects",
                "Providers", "Runtime", "Text", "WebAuthn", logging,
            ],
            resources: [.embedInCode("Scripts")]),

        kit(
            "Console",
            [
                "Web", "Accounts", "Brokerage", "Config", "Crypto", "HTTP", "HTTPServer", "Identity", "JOSE", "JSON", "Messaging", "Pages",
                "ProjectSettings", "Projects", "Providers", "Runtime", "Text", "WebAuthn", "Webhooks", logging,
            ],
            resources: [.embedInCode("Templates")]),

        // Floor 6: the server: settings of the process, its loops, start, reload and stop.
        kit(
            "Server",
            [
                "Accounts", "AuthPages", "Brokerage", "Config", "Console", "Crypto", "Curl", "HTTP", "HTTPServer", "Hooks",
                "IdentityToolkit", "JOSE",
                "JSON", "Mail", "Messaging", "Migration", "OpenIDProvider", "Pages", "Postgres", "ProjectSettings", "Projects", "Providers",
                "Runtime",
                "Text", "Web",
                logging,
            ]),

        // Floor 7: the executable.
        .executableTarget(
            name: "gatehouse",
            dependencies: [
                "Accounts", "Brokerage", "Console", "Crypto", "Curl", "HTTP", "Hooks", "Identity", "JOSE", "JSON", "Migration", "Postgres",
                "ProjectSettings", "Projects", "Providers", "Runtime", "Server", "Text", "Web", argumentParser, logging,
            ],
            swiftSettings: house, linkerSettings: [.unsafeFlags(packed, .when(configuration: .release))]),

        kit(
            "TestKit", ["Crypto", "Curl", "HTTP", "JOSE", "JSON", "Postgres", "Runtime", "Text", "WebAuthn", logging], path: "Tests/TestKit"
        ),
        kit(
            "TestApp",
            [
                "Accounts", "Crypto", "HTTP", "HTTPServer", "JOSE", "JSON", "Postgres", "Projects", "Runtime", "Server", "TestKit", "Text",
                logging,
            ],
            path: "Tests/TestApp"),
        tests("Text"), tests("Runtime", ["Text"]), tests("JSON", ["Text"]), tests("Crypto", ["JSON", "Text"]), tests("HTTP", ["Text"]),
        tests("Config", ["Runtime"]),
        tests("JOSE", ["Crypto", "JSON", "Runtime", "Text"]), tests("WebAuthn", ["Crypto", "JSON", "Runtime", "Text"]),
        tests("HTTPServer", ["HTTP", "Runtime", "Text"]),
        tests("Curl", ["HTTP", "Runtime", "Text"]),
        tests("Mail", ["Curl", "Runtime"]),
        tests("Captcha", ["Config", "Curl", "HTTP", "JSON", "Runtime", "Text"]),
        tests("Webhooks", ["Curl", "HTTP", "Runtime", "Text"]),
        tests("TextMessages", ["Config", "Curl", "HTTP", "JSON", "Runtime", "Text", logging]),
        tests("Postgres", ["Runtime", collections]),
        tests("Identity", ["Text"]),
        tests("ProjectSettings", ["Captcha", "Config", "JOSE", "Mail", "Runtime", "Text"]),
        tests(
            "Accounts",
            [
                "Config", "Crypto", "HTTP", "Identity", "JOSE", "JSON", "Postgres", "ProjectSettings", "Runtime", "Text", "TextMessages",
                "WebAuthn", "Webhooks",
            ]),
        tests("Providers", ["Config", "Crypto", "Curl", "HTTP", "Identity", "JOSE", "JSON", "Runtime", "Text"]),
        tests(
            "Brokerage",
            [
                "Accounts", "Crypto", "Curl", "HTTP", "Identity", "JSON", "Postgres", "ProjectSettings", "Providers", "Runtime", "Text",
                logging,
            ]),
        tests(
            "Hooks", ["Accounts", "Crypto", "Curl", "HTTP", "JOSE", "JSON", "ProjectSettings", "Runtime", "Text", "Webhooks", logging]),
        tests(
            "Messaging",
            [
                "Accounts", "Config", "Crypto", "Curl", "HTTP", "JSON", "Mail", "Postgres", "ProjectSettings", "Projects", "Runtime",
                "Text", "TextMessages", "Webhooks", logging,
            ]),
        tests("Projects", ["Config", "HTTP", "JOSE", "JSON", "Pages", "ProjectSettings", "Providers", "Text"]),
        tests("Migration", ["Accounts", "Crypto", "Curl", "HTTP", "JOSE", "JSON", "ProjectSettings", "Providers", "Runtime", "Text"]),
        tests("Pages", ["Accounts", "Config", "Crypto", "HTTP", "JSON", "ProjectSettings", "Providers", "Runtime", "Text"]),
        tests(
            "Web",
            [
                "Accounts", "Brokerage", "Captcha", "Config", "Curl", "HTTP", "JSON", "Postgres", "ProjectSettings", "Projects",
                "Providers", "Runtime", "Text", logging,
            ]),
        tests(
            "IdentityToolkit",
            [
                "Accounts", "Brokerage", "Crypto", "HTTP", "JOSE", "JSON", "Postgres", "ProjectSettings", "Projects", "Providers",
                "Runtime",
                "TestApp", "Text", "Web", "WebAuthn",
            ]),
        tests(
            "AuthPages", ["Accounts", "HTTP", "JSON", "Postgres", "ProjectSettings", "Projects", "Providers", "Runtime", "Text", "Web"]),
        tests(
            "OpenIDProvider",
            [
                "Accounts", "Crypto", "Curl", "HTTP", "JOSE", "JSON", "Postgres", "ProjectSettings", "Projects", "Runtime", "TestApp",
                "Text", "Web",
            ]),
        tests(
            "Console",
            [
                "Accounts", "Config", "Crypto", "HTTP", "HTTPServer", "JSON", "Migration", "Pages", "Postgres", "ProjectSettings",
                "Projects",
                "Runtime", "TestApp", "Text", "Web", "WebAuthn",
            ]),
        tests(
            "Server",
            [
                "Accounts", "Config", "Crypto", "Curl", "HTTP", "HTTPServer", "Mail", "Messaging", "Postgres", "ProjectSettings",
                "Projects", "Runtime", logging,
            ]),
        .testTarget(
            name: "HouseTests", dependencies: ["AuthPages", "HTTP", "IdentityToolkit", "OpenIDProvider", "Providers", "Web"],
            swiftSettings: house),
    ],
    swiftLanguageModes: [.v6]
)
