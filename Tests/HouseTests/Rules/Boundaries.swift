/// Things that only one target may do.
enum Boundaries {
    /// Only `Accounts` contains SQL. The kit that runs it may name the type, and may send the server statements about its own state.
    static func sql(_ file: File) -> [Violation] {
        guard let target = file.target, file.isSwift, !["Accounts", "Postgres"].contains(target) else { return [] }
        let text = file.swift
        let named = text.lines.enumerated().filter { $0.element.words.contains("SQL") }.map {
            Violation(path: file.path, line: $0.offset + 1, message: "uses SQL; only Accounts does")
        }
        let written = text.strings.filter { isStatement($0.text) }.map {
            Violation(path: file.path, line: $0.line, message: "holds a statement; only Accounts does")
        }
        return named + written
    }

    private static func isStatement(_ text: String) -> Bool {
        let words = text.lowercased().words
        let starts: [(Substring, Substring)] = [
            ("select", "from"), ("insert", "into"), ("update", "set"), ("delete", "from"), ("create", "table"),
        ]
        return starts.contains { first, second in words.first == first && words.dropFirst().contains(second) }
    }

    /// Every sign-in ends in one file, and one statement there makes every session.
    static func sessions(_ file: File) -> [Violation] {
        let home = "Sources/Accounts/SignIn/SignInCompletion.swift"
        let all = insertions(into: "sessions", in: file, "one statement in \(home) does")
        return file.path == home ? Array(all.dropFirst()) : all
    }

    /// Whoever proves a person owes their second factor. These files alone say that none is due, each for its reason.
    private static let passing: [String: String] = [
        "SignIn/SignInCompletion.swift": "asks the rule, and knows remembered devices",
        "SignIn/SignInOutcome.swift": "is the rule",
        "Hooks/SignInHooks.swift": "asks only whether hooks are due",
        "SignIn/BridgedSessions.swift": "Google says that its session passed one",
        "SignIn/EmailLinkSignIns.swift": "a link continues the caller's session",
        "SignIn/FederatedSignIns.swift": "a link continues the caller's session",
        "Phone/PhoneSignIns.swift": "a link continues the caller's session",
        "Account/AccountChanges.swift": "a change continues the caller's session",
        "OpenID/BrowserSessions.swift": "a grant continues the browser's session",
        "Factors/FactorEnrollments.swift": "the caller has proven the factor that is enrolled, or withdraws one",
        "Factors/SecondFactorSignIns.swift": "the person has passed one",
        "Factors/Passkeys/PasskeyRegistrations.swift": "a registration continues the caller's session",
        "Factors/Passkeys/PasskeySignIns.swift": "a passkey with a verified person is two factors",
    ]

    /// No new way to sign in goes around the second factor: it does not say that one was passed, nor that a session goes on (SEC-31).
    static func secondFactors(_ file: File) -> [Violation] {
        let folder = "Sources/Accounts/"
        guard file.path.hasPrefix(folder), file.isSwift, passing[String(file.path.dropFirst(folder.count))] == nil else { return [] }
        let ways = #/continuesSession|isBridged: true|Authentication\((?:[^()]|\([^()]*\))*secondFactor:|authentication\.secondFactor =/#
        return file.text.matches(of: ways).map { match in
            let line = file.text[..<match.range.lowerBound].count { $0 == "\n" } + 1
            return Violation(
                path: file.path, line: line, message: "says that no second factor is due; name the file in the list, with its reason")
        }
    }

    /// The columns of an account are listed in one file, and so is the statement that makes one.
    static func accounts(_ file: File) -> [Violation] {
        let home = "Sources/Accounts/Account/AccountColumns.swift"
        return file.path == home ? [] : insertions(into: "accounts", in: file, "only \(home) does")
    }

    private static func insertions(into table: String, in file: File, _ rule: String) -> [Violation] {
        guard file.target != nil, file.isSwift else { return [] }
        return file.swift.strings.filter { $0.text.lowercased().words.contains(["insert", "into", table[...]]) }.map {
            Violation(path: file.path, line: $0.line, message: "inserts into \(table); \(rule)")
        }
    }

    /// A statement names its project by `\(project:)`: all places are one parameter, and a statement about two projects is not sent.
    static func projects(_ file: File) -> [Violation] {
        guard file.target == "Accounts", file.isSwift else { return [] }
        return file.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().filter {
            $0.element.contains(#/project_id\s*(?:=|<>|IN)\s*(?:ANY)?\s*\(?\s*\\\((?!project: )/#)
        }.map { Violation(path: file.path, line: $0.offset + 1, message: #"names the project of a statement; write \(project: …)"#) }
    }

    /// Each answer of a provider is checked once, in `Brokerage`. What is built on it asks `Brokerage`, and neither the provider nor the
    /// flows, for what they verify.
    static func brokering(_ file: File) -> [Violation] {
        let features: Set<String> = ["Web", "IdentityToolkit", "AuthPages", "OpenIDProvider", "Console"]
        guard let target = file.target, features.contains(target), file.isSwift else { return [] }
        let names: Set<Substring> = ["ConfiguredProvider", "SignInFlows", "PendingTokens"]
        return file.swift.lines.enumerated().compactMap { index, line in
            guard let name = line.words.first(where: names.contains) else { return nil }
            return Violation(path: file.path, line: index + 1, message: "asks \(name) by itself; Brokerage does")
        }
    }

    /// A rule charges the limit of what it does, so that every way to it is limited alike. Features name no limit; those of the steps at a
    /// provider are charged by `BrokeredProject.charge`.
    static func limits(_ file: File) -> [Violation] {
        guard let target = file.target, file.isSwift, !["Accounts", "Brokerage"].contains(target) else { return [] }
        return file.swift.lines.enumerated().filter { $0.element.words.contains(["limits", "charge"]) }.map {
            Violation(path: file.path, line: $0.offset + 1, message: "charges a limit; the rule in Accounts or Brokerage does")
        }
    }

    /// People are made up in development mode alone, on the server's own machine. One file checks that, and makes the value that permits it.
    static func development(_ file: File) -> [Violation] {
        let home = "Sources/Web/Callers/DevelopmentCaller.swift"
        guard file.target != nil, file.isSwift, file.path != home else { return [] }
        return file.swift.lines.enumerated().filter { $0.element.contains("believingEveryClaimAt") && !$0.element.contains("init(") }.map {
            Violation(path: file.path, line: $0.offset + 1, message: "permits that people are made up; only \(home) does")
        }
    }

    /// The rules for administrators ask for an `Administrator`. Four files have the proof of it, and make the value.
    static func administrators(_ file: File) -> [Violation] {
        let homes = [
            "Sources/Accounts/Administration/AdministratorTokens.swift", "Sources/Web/Callers/DevelopmentCaller.swift",
            "Sources/Console/Visit/ConsoleVisit.swift", "Sources/gatehouse/Commands/CommandSupport.swift",
        ]
        guard file.target != nil, file.isSwift, !homes.contains(file.path) else { return [] }
        let labels = ["serviceAccount", "ofDevelopmentProject", "operator", "command"]
        let made = labels.flatMap { ["Administrator(\($0):", "Administrator.init(\($0):"] }
        return file.swift.lines.enumerated().filter { _, line in made.contains { line.contains($0) } }.map {
            Violation(path: file.path, line: $0.offset + 1, message: "makes an Administrator; only \(homes.joined(separator: ", ")) do")
        }
    }

    /// Two files take the text of a URL apart: one as browsers and RFC 3986 read it, one for the exact comparison of redirect URIs. An address
    /// that must be one of the project's `redirectURLs` is read by one file, and the page of an SDK's app by two others.
    static func urls(_ file: File) -> [Violation] {
        guard file.target != nil, file.isSwift else { return [] }
        let parsers = ["Sources/HTTP/URIParser.swift", "Sources/ProjectSettings/OpenIDProvider/RedirectURI.swift"]
        let readers = [
            "Sources/Web/Callers/ReturnParameters.swift", "Sources/AuthPages/Handler/HandlerParameters.swift",
            "Sources/AuthPages/Handler/WayBack.swift",
        ]
        return file.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
            let takesApart = [#""://""#, "URLComponents", "URL(string:"].contains(where: line.contains)
            if takesApart, !parsers.contains(file.path) {
                return Violation(path: file.path, line: index + 1, message: "takes a URL apart; only \(parsers.joined(separator: ", ")) do")
            }
            if line.contains(#/(\[|\.text\(|\.all\()"redirectUrl"(\]|\))(?! != nil)/#), !readers.contains(file.path) {
                return Violation(
                    path: file.path, line: index + 1,
                    message: "reads the address of an app's page; only \(readers.joined(separator: ", ")) do")
            }
            return nil
        }
    }

    /// Only `HTTPServer` opens listening sockets.
    static func sockets(_ file: File) -> [Violation] {
        calls(of: ["listen", "bind"], in: file, except: ["HTTPServer"], "opens a listening socket; only HTTPServer does")
    }

    /// Nothing runs the exit handlers of C libraries, which free what threads may still be using: see `ProcessEnd`.
    static func exits(_ file: File) -> [Violation] {
        calls(of: ["exit"], in: file, except: [], "runs exit handlers; ProcessEnd.now does not")
    }

    /// Only `gatehouse` reads the environment, and passes it on.
    static func environment(_ file: File) -> [Violation] {
        guard let target = file.target, file.isSwift, target != "gatehouse" else { return [] }
        let names: Set<Substring> = ["getenv", "secure_getenv", "environ", "ProcessInfo", "CommandLine"]
        return file.swift.lines.enumerated().filter { !names.isDisjoint(with: $0.element.words) }.map {
            Violation(path: file.path, line: $0.offset + 1, message: "reads the environment; only gatehouse does")
        }
    }

    /// Settings are read beside what they set, never in the executable.
    static func settings(_ file: File) -> [Violation] {
        guard file.target == "gatehouse", file.isSwift else { return [] }
        return Floors.imports(in: file).filter { $0.module == "Config" }.map {
            Violation(path: file.path, line: $0.line, message: "reads settings; Server and ProjectSettings do")
        }
    }

    /// The code is one package, so nothing needs to be public.
    static func access(_ file: File) -> [Violation] {
        guard file.target != nil, file.isSwift else { return [] }
        return file.swift.lines.enumerated().filter {
            $0.element.words.contains { $0 == "public" || $0 == "open" } && isDeclaration($0.element)
        }
        .map { Violation(path: file.path, line: $0.offset + 1, message: "is public; package is enough") }
    }

    private static func isDeclaration(_ line: Substring) -> Bool {
        let words = line.split(separator: " ").drop { $0.hasPrefix("@") }
        return words.first == "public" || words.first == "open"
    }

    /// Calls of a function by its name alone or by its C module. Methods and their declarations are not meant.
    private static func calls(of names: Set<String>, in file: File, except allowed: Set<String>, _ message: String) -> [Violation] {
        guard let target = file.target, file.isSwift, !allowed.contains(target) else { return [] }
        return file.swift.lines.enumerated().filter { _, line in
            names.contains { name in
                line.indices.contains { start in
                    guard line[start...].hasPrefix(name), line[start...].dropFirst(name.count).drop(while: { $0 == " " }).first == "("
                    else { return false }
                    let before = line[..<start]
                    if before.hasSuffix("Glibc.") || before.hasSuffix("CSystem.") { return true }
                    guard let last = before.last else { return true }
                    return !(last.isLetter || last.isNumber || "._`".contains(last)) && !before.hasSuffix("func ")
                }
            }
        }.map { Violation(path: file.path, line: $0.offset + 1, message: message) }
    }
}
