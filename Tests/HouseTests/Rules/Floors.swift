/// The floors of the house: a target may use targets on lower floors, but none on its own floor or above. A floor with two rows has two
/// numbers.
enum Floors {
    static let floor: [String: Int] = [
        "COpenSSL": 0, "CCurl": 0, "CPostgres": 0, "CSystem": 0, "CYAML": 0, "CArgon2": 0, "CCrypt": 0, "CQREncode": 0,
        "Text": 10, "Runtime": 10,
        "JSON": 20, "Crypto": 20, "HTTP": 20, "Config": 20,
        "JOSE": 21, "WebAuthn": 21, "HTTPServer": 21, "Curl": 21, "Postgres": 21, "Mail": 22, "Captcha": 22, "Webhooks": 22,
        "TextMessages": 23,
        "Identity": 30, "ProjectSettings": 31, "Accounts": 32, "Providers": 32,
        "Pages": 40, "Hooks": 40, "Projects": 41, "Messaging": 42, "Brokerage": 42, "Migration": 42, "Web": 43,
        "IdentityToolkit": 50, "AuthPages": 50, "OpenIDProvider": 50, "Console": 50,
        "Server": 60,
        "gatehouse": 70,
    ]

    /// The targets that may import a C module, or a package of another author.
    static let gatekeepers: [String: Set<String>] = [
        "COpenSSL": ["Crypto"], "CCurl": ["Curl"], "CPostgres": ["Postgres"], "CYAML": ["Config"],
        "CArgon2": ["Crypto"], "CCrypt": ["Crypto"], "CQREncode": ["Pages"],
        "CSystem": ["Runtime", "HTTPServer", "Curl", "Postgres"],
        "ArgumentParser": ["gatehouse"], "Foundation": [],
    ]

    /// The dependencies that `Package.swift` declares for each target, by the names in quotes. Products of other packages are not in
    /// quotes there.
    static func dependencies(in manifest: String) -> [String: [String]] {
        var found: [String: [String]] = [:]
        let calls = manifest.split(separator: "\n").filter { !$0.contains("func ") }.joined(separator: "\n")
        for opening in ["kit(", ".executableTarget("] {
            for call in calls.components(after: opening) {
                guard let name = call.quoted.first else { continue }
                let list = call.prefix { $0 != ")" }.drop { $0 != "[" }.prefix { $0 != "]" }
                found[name] = list.quoted
            }
        }
        return found
    }

    static func check(manifest: File) -> [Violation] {
        dependencies(in: manifest.text).sorted { $0.key < $1.key }.flatMap { target, uses in
            guard !["TestKit", "TestApp"].contains(target) else { return [] as [Violation] }
            guard floor[target] != nil else {
                return [Violation(path: manifest.path, message: "\(target) stands on no floor; give it one here")]
            }
            return uses.filter { !isBelow($0, target) }.map {
                Violation(path: manifest.path, message: "\(target) depends on \($0), which does not stand below it")
            }
        }
    }

    static func check(imports file: File) -> [Violation] {
        guard let target = file.target, file.isSwift else { return [] }
        return imports(in: file).flatMap { line, module in
            var violations: [Violation] = []
            if floor[module] != nil, !isBelow(module, target) {
                violations.append(
                    Violation(path: file.path, line: line, message: "\(target) imports \(module), which does not stand below it"))
            }
            if let allowed = gatekeepers[module], !allowed.contains(target) {
                violations.append(Violation(path: file.path, line: line, message: "\(target) may not import \(module)"))
            }
            return violations
        }
    }

    static func imports(in file: File) -> [(line: Int, module: String)] {
        file.swift.lines.enumerated().compactMap { index, line in
            let words = line.split(separator: " ")
            guard let position = words.firstIndex(of: "import"), words[..<position].allSatisfy(isModifier) else { return nil }
            let named = words[(position + 1)...].drop {
                ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"].contains($0)
            }
            return named.first.map { (index + 1, String($0.prefix { $0 != "." && $0 != ";" })) }
        }
    }

    private static func isModifier(_ word: Substring) -> Bool {
        word.hasPrefix("@") || ["public", "package", "internal", "fileprivate", "private"].contains(word)
    }

    private static func isBelow(_ lower: String, _ upper: String) -> Bool {
        guard let lower = floor[lower], let upper = floor[upper] else { return false }
        return lower < upper
    }
}

extension StringProtocol {
    /// The text behind each occurrence of `opening`, up to the end.
    func components(after opening: String) -> [Substring] {
        let text = Substring(self)
        return text.indices.filter { text[$0...].hasPrefix(opening) }.map { text[$0...].dropFirst(opening.count) }
    }

    /// The texts between pairs of quotation marks.
    var quoted: [String] {
        split(separator: "\"", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
}
