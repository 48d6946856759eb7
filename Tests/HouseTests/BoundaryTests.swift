import Testing

@Suite struct BoundaryTests {
    @Test(arguments: [
        ("Sources/Web/A.swift", #"let q: SQL = "x""#, false), ("Sources/Web/A.swift", #"let q = "select id from accounts""#, false),
        ("Sources/Web/A.swift", "let q = \"\"\"\n    UPDATE a\n    SET b = 1\n    \"\"\"", false),
        ("Sources/Web/A.swift", #"log("\(f("delete from x"))")"#, false), ("Sources/Web/A.swift", "// select a from b", true),
        ("Sources/Web/A.swift", #"let m = "Choose one from the list""#, true),
        ("Sources/Accounts/A.swift", #"let q: SQL = "select a from b""#, true),
        ("Tests/WebTests/A.swift", #"let q: SQL = "select a from b""#, true),
    ])
    func `catches statements outside Accounts`(path: String, text: String, isAllowed: Bool) {
        #expect(Boundaries.sql(File(path: path, text: text)).isEmpty == isAllowed)
    }

    @Test(arguments: [
        ("Sources/Accounts/SignIn/A.swift", "let q: SQL = \"\"\"\n    INSERT INTO sessions (a)\n    \"\"\"", false),
        ("Sources/Accounts/SignIn/A.swift", #"let q: SQL = "INSERT INTO spent_tokens (a)""#, true),
        ("Sources/Accounts/SignIn/SignInCompletion.swift", #"let q: SQL = "INSERT INTO sessions (a)""#, true),
        ("Sources/Accounts/SignIn/SignInCompletion.swift", "f(\"INSERT INTO sessions (a)\", \"insert into sessions (b)\")", false),
    ])
    func `catches a session that is not made by the one statement at the end of sign-ins`(path: String, text: String, isAllowed: Bool) {
        #expect(Boundaries.sessions(File(path: path, text: text)).isEmpty == isAllowed)
    }

    @Test(arguments: [
        ("Sources/Accounts/SignIn/A.swift", "Authentication(account: a, signInProvider: f(b), time: c,\n    secondFactor: d)", false),
        ("Sources/Accounts/SignIn/A.swift", "Authentication(account: a, signInProvider: b, time: c, continuesSession: true)", false),
        ("Sources/Accounts/SignIn/A.swift", "authentication.secondFactor = d", false),
        ("Sources/Accounts/SignIn/A.swift", "Authentication(account: a, signInProvider: b, time: c)\nSession(secondFactor: d)", true),
        ("Sources/Accounts/Factors/SecondFactorSignIns.swift", "Authentication(account: a, secondFactor: d)", true),
    ])
    func `SEC-31 catches a way to sign in that goes around the second factor`(path: String, text: String, isAllowed: Bool) {
        #expect(Boundaries.secondFactors(File(path: path, text: text)).isEmpty == isAllowed)
    }

    @Test(arguments: [
        ("Sources/Accounts/SignIn/A.swift", "let q: SQL = \"\"\"\n    WITH a AS (INSERT INTO accounts (b)\n    \"\"\"", false),
        ("Sources/Accounts/SignIn/A.swift", #"let q: SQL = "INSERT INTO service_accounts (a)""#, true),
        ("Sources/Accounts/Account/AccountColumns.swift", #"let q: SQL = "INSERT INTO accounts (a)""#, true),
    ])
    func `catches an account that is inserted beside the list of its columns`(path: String, text: String, isAllowed: Bool) {
        #expect(Boundaries.accounts(File(path: path, text: text)).isEmpty == isAllowed)
    }

    @Test(arguments: [
        ("Sources/Accounts/Account/A.swift", #"WHERE a = 1 AND project_id = \(project.id)"#, false),
        ("Sources/Accounts/Account/A.swift", #"WHERE project_id = ANY(\(ids))"#, false),
        ("Sources/Accounts/Account/A.swift", #"WHERE project_id IN (\(one), \(other))"#, false),
        ("Sources/Accounts/Account/A.swift", #"WHERE project_id = \(project: project)"#, true),
        ("Sources/Accounts/Account/A.swift", #"ON b.project_id = \(project: flow.projectID)"#, true),
        ("Tests/AccountsTests/A.swift", #"WHERE project_id = \(project.id)"#, true),
    ])
    func `catches a statement that does not name its project as the one of the statement`(
        path: String, text: String, isAllowed: Bool
    ) {
        #expect(Boundaries.projects(File(path: path, text: "let q: SQL = \"\"\"\n    \(text)\n    \"\"\"")).isEmpty == isAllowed)
    }

    @Test(arguments: [
        ("Sources/AuthPages/A.swift", "func a(_ provider: ConfiguredProvider)", false),
        ("Sources/Web/A.swift", "let a = SignInFlows(b)", false),
        ("Sources/IdentityToolkit/A.swift", "try await PendingTokens(a).redeem(b)", false),
        ("Sources/AuthPages/A.swift", "let a: SignInFlow", true), ("Sources/AuthPages/A.swift", "// SignInFlows", true),
        ("Sources/Brokerage/A.swift", "func a(_ provider: ConfiguredProvider)", true),
        ("Sources/gatehouse/A.swift", "let a = SignInFlows(b)", true),
    ])
    func `catches a feature that verifies what a provider said`(path: String, text: String, isAllowed: Bool) {
        #expect(Boundaries.brokering(File(path: path, text: text)).isEmpty == isAllowed)
    }

    @Test(arguments: [
        ("Sources/IdentityToolkit/A.swift", "try await accounts.limits.charge(.signUp, in: a, from: b)", false),
        ("Sources/Web/A.swift", "let charge = context.services.accounts.limits.charge", false),
        ("Sources/AuthPages/A.swift", "try await broker.charge(.startSignIn, from: a)", true),
        ("Sources/Brokerage/A.swift", "try await accounts.limits.charge(a, in: b, from: c)", true),
        ("Sources/gatehouse/A.swift", "try await accounts.limits.forget(a, on: b, by: c)", true),
    ])
    func `catches a limit that is charged above the rule`(path: String, text: String, isAllowed: Bool) {
        #expect(Boundaries.limits(File(path: path, text: text)).isEmpty == isAllowed)
    }

    @Test(arguments: [
        ("Sources/AuthPages/A.swift", "let a = DevelopmentProviders(believingEveryClaimAt: b, except: [])", false),
        ("Sources/Brokerage/A.swift", "DevelopmentProviders.init(\n    believingEveryClaimAt: b, except: [])", false),
        ("Sources/Web/Callers/DevelopmentCaller.swift", "DevelopmentProviders(believingEveryClaimAt: b, except: [])", true),
        ("Sources/Providers/Development/A.swift", "    package init(believingEveryClaimAt page: String)", true),
        ("Sources/AuthPages/A.swift", "context.developmentProviders(of: project)", true),
    ])
    func `catches a permission to make people up that is not checked`(path: String, text: String, isAllowed: Bool) {
        #expect(Boundaries.development(File(path: path, text: text)).isEmpty == isAllowed)
    }

    @Test(arguments: [
        ("Sources/Web/A.swift", "return Administrator(ofDevelopmentProject: a, from: b)", false),
        ("Sources/IdentityToolkit/A.swift", "Administrator.init(command: a, of: b)", false),
        ("Sources/Accounts/A.swift", "Administrator(serviceAccount: a, rights: [], in: b, from: c)", false),
        ("Sources/Web/Callers/DevelopmentCaller.swift", "Administrator(ofDevelopmentProject: a, from: b)", true),
        ("Sources/Accounts/A.swift", "by administrator: Administrator", true),
    ])
    func `catches an administrator who has proved nothing`(path: String, text: String, isAllowed: Bool) {
        #expect(Boundaries.administrators(File(path: path, text: text)).isEmpty == isAllowed)
    }

    @Test(arguments: [
        ("Sources/Curl/A.swift", "guard listen(fd, 5) == 0", false), ("Sources/Curl/A.swift", "Glibc.bind (fd, a, b)", false),
        ("Sources/Curl/A.swift", "bind(fd, a, b)", false), ("Sources/gatehouse/A.swift", "server.listen(host: a)", true),
        ("Sources/Postgres/A.swift", "func bind(_ value: Int)", true), ("Sources/Postgres/A.swift", "rebind(a); // bind(", true),
        ("Sources/HTTPServer/A.swift", "Glibc.listen(fd, 5)", true),
    ])
    func `catches listening sockets outside HTTPServer`(path: String, text: String, isAllowed: Bool) {
        #expect(Boundaries.sockets(File(path: path, text: text)).isEmpty == isAllowed)
    }

    @Test(arguments: [
        ("Sources/gatehouse/A.swift", "exit(EXIT_FAILURE)", false), ("Sources/Server/A.swift", "Glibc.exit(1)", false),
        ("Sources/gatehouse/A.swift", "_exit(status)", true), ("Sources/gatehouse/A.swift", "ProcessEnd.now(1)", true),
    ])
    func `catches an end of the process that runs exit handlers`(path: String, text: String, isAllowed: Bool) {
        #expect(Boundaries.exits(File(path: path, text: text)).isEmpty == isAllowed)
    }

    @Test(arguments: [
        ("Sources/Config/A.swift", "getenv(name)", false), ("Sources/Web/A.swift", "ProcessInfo.processInfo.environment", false),
        ("Sources/Web/A.swift", "CommandLine.arguments", false), ("Sources/Web/A.swift", "environment[name]", true),
        ("Sources/gatehouse/A.swift", "ProcessInfo.processInfo.environment", true),
    ])
    func `catches readers of the environment outside gatehouse`(path: String, text: String, isAllowed: Bool) {
        #expect(Boundaries.environment(File(path: path, text: text)).isEmpty == isAllowed)
    }

    @Test(arguments: [
        ("Sources/gatehouse/A.swift", "import Config\n", false), ("Sources/Server/A.swift", "import Config\n", true),
        ("Sources/gatehouse/A.swift", "import Server\n", true),
    ])
    func `catches settings that the executable reads`(path: String, text: String, isAllowed: Bool) {
        #expect(Boundaries.settings(File(path: path, text: text)).isEmpty == isAllowed)
    }

    @Test(arguments: [
        ("public struct A {}", false), ("    @inlinable public func a() {}", false), ("open class A {}", false),
        ("public import HTTP", false),
        ("package struct A { let public: Int }", true), ("let fd = open(path, O_RDONLY)", true),
    ])
    func `catches what is public`(text: String, isAllowed: Bool) {
        #expect(Boundaries.access(File(path: "Sources/Web/A.swift", text: text)).isEmpty == isAllowed)
    }

    @Test(arguments: [
        ("Sources/Web/A.swift", #"guard text.utf8.starts(with: "://".utf8) else { return nil }"#, false),
        ("Sources/Web/A.swift", #"let url = query["redirectUrl"] ?? """#, false),
        ("Sources/Web/A.swift", #"let url = query.text("redirectUrl")"#, false),
        ("Sources/Web/A.swift", "let host = URLComponents(string: text)?.host", false),
        ("Sources/Web/A.swift", #"let url = "https://\(host)""#, true),
        ("Sources/Web/A.swift", #"query: ["apiKey", "redirectUrl"]"#, true),
        ("Sources/Web/A.swift", #"if query["redirectUrl"] != nil { return begin(query) }"#, true),
        ("Sources/HTTP/URIParser.swift", #"text.starts(with: "://".utf8)"#, true),
        ("Sources/Web/Callers/ReturnParameters.swift", #"query["redirectUrl"]"#, true),
        ("Tests/WebTests/A.swift", #"query["redirectUrl"]"#, true),
    ])
    func `catches a second reader of URLs`(path: String, text: String, isAllowed: Bool) {
        #expect(Boundaries.urls(File(path: path, text: text)).isEmpty == isAllowed)
    }

    @Test func `few files read URLs`() { #expect(Repository.swift.flatMap(Boundaries.urls) == []) }
    @Test func `only Accounts holds SQL`() { #expect(Repository.swift.flatMap(Boundaries.sql) == []) }
    @Test func `SEC-31 every way to sign in asks for the second factor that is due`() {
        #expect(Repository.swift.flatMap(Boundaries.secondFactors) == [])
    }

    @Test func `one statement at the end of sign-ins makes all sessions`() { #expect(Repository.swift.flatMap(Boundaries.sessions) == []) }
    @Test func `only the list of its columns inserts an account`() { #expect(Repository.swift.flatMap(Boundaries.accounts) == []) }
    @Test func `a statement names one project`() { #expect(Repository.swift.flatMap(Boundaries.projects) == []) }
    @Test func `only Brokerage verifies what providers say`() { #expect(Repository.swift.flatMap(Boundaries.brokering) == []) }
    @Test func `only rules charge limits`() { #expect(Repository.swift.flatMap(Boundaries.limits) == []) }
    @Test func `only a checked request may make people up`() { #expect(Repository.swift.flatMap(Boundaries.development) == []) }
    @Test func `only who has the proof makes an administrator`() { #expect(Repository.swift.flatMap(Boundaries.administrators) == []) }
    @Test func `only HTTPServer opens listening sockets`() { #expect(Repository.swift.flatMap(Boundaries.sockets) == []) }
    @Test func `nothing runs exit handlers`() { #expect(Repository.swift.flatMap(Boundaries.exits) == []) }
    @Test func `only gatehouse reads the environment`() { #expect(Repository.swift.flatMap(Boundaries.environment) == []) }
    @Test func `the executable reads no settings`() { #expect(Repository.swift.flatMap(Boundaries.settings) == []) }
    @Test func `nothing is public`() { #expect(Repository.swift.flatMap(Boundaries.access) == []) }
}
