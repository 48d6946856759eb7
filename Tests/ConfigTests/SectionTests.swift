import Testing

@testable import Config

private enum Style: String, CaseIterable { case firebase, gatehouse }

@Suite struct SectionTests {
    @Test func `reads every kind of value`() {
        let yaml = """
            name: "Acme"
            number: 123
            port: -8
            on: true
            wait: 5m
            style: gatehouse
            hosts: [a, "b", 3]
            single: a
            params: {prompt: login, max_age: 10}
            origin: https://x
            """
        let (_, faults) = reading(yaml) { file in
            #expect(file.required("name") == "Acme")
            #expect(file.string("number") == "123")
            #expect(file.int("port", default: 1, in: -10...10) == -8)
            #expect(file.bool("on", default: false))
            #expect(file.duration("wait", default: .seconds(1), in: .seconds(1) ... .seconds(600)) == .seconds(300))
            #expect(file.choice("style", default: Style.firebase) == .gatehouse)
            #expect(file.strings("hosts") == ["a", "b", "3"])
            #expect(file.strings("single") == ["a"])
            #expect(file.texts("params") == ["prompt": "login", "max_age": "10"])
            #expect(file.value("origin", expected: "an https URL") { $0.hasPrefix("https://") ? $0 : nil } == "https://x")
            file.finish()
        }
        #expect(faults.isEmpty)
    }

    @Test func `a list is empty when it is absent or has no entries, and not when its entries are wrong`() {
        let (_, faults) = reading("none: []\nnothing: ~\nwrong: [{a: b}]\nsingle: a") { file in
            #expect(["none", "nothing", "absent"].allSatisfy(file.isEmpty))
            #expect(!file.isEmpty("wrong") && !file.isEmpty("single"))
        }
        #expect(faults.isEmpty)
    }

    @Test func `gives the default for what is absent, without a fault`() {
        let (_, faults) = reading("other: 1") { file in
            #expect(file.string("a") == nil)
            #expect(file.int("b", default: 7, in: 1...9) == 7)
            #expect(!file.bool("c", default: false))
            #expect(file.duration("d", default: .seconds(9), in: .zero ... .seconds(9)) == .seconds(9))
            #expect(file.choice("e", default: Style.firebase) == .firebase)
            #expect(file.strings("f").isEmpty)
            #expect(file.texts("g").isEmpty)
            #expect(file.section("h").string("i") == nil)
            #expect(file.sections("j").isEmpty)
            #expect(file.secret("k") == nil)
        }
        #expect(faults.isEmpty)
    }

    @Test func `keys with nothing behind them are empty lists and mappings, and faults elsewhere`() {
        let (_, faults) = reading("list:\nmap: ~\nsection:\nproviders:\n  a.com:\nname:\non:\n") { file in
            #expect(file.strings("list").isEmpty)
            #expect(file.texts("map").isEmpty)
            file.section("section").finish()
            let providers = file.sections("providers")
            #expect(providers.map(\.name) == ["a.com"])
            providers.first?.section.fault("clientId", "is missing")
            #expect(file.required("name") == "")
            #expect(file.bool("on", default: true))
        }
        #expect(
            faults == [
                "c.yaml:5:9  providers.a.com.clientId: is missing", "c.yaml:6:6  name: expected text that is not empty",
                "c.yaml:7:4  on: expected true or false, without quotes",
            ])
    }

    @Test(arguments: [
        ("k: [a]", "c.yaml:1:4  k: expected text"), ("k: {a: b}", "c.yaml:1:4  k: expected text"),
        ("k: null", "c.yaml:1:4  k: expected text"),
    ])
    func `text must be text`(yaml: String, fault: String) {
        #expect(reading(yaml) { $0.string("k") }.faults == [fault])
    }

    @Test(arguments: ["yes", "on", "\"true\"", "1", "TRUE", "[true]"])
    func `truth values are true and false alone`(text: String) {
        let (value, faults) = reading("k: \(text)") { $0.bool("k", default: false) }
        #expect(!value)
        #expect(faults == ["c.yaml:1:4  k: expected true or false, without quotes"])
    }

    @Test(arguments: ["1.0", "0x1", "1_000", "1:30", "\"5\"", "five", "+5", "0", "11", "99999999999999999999", "{}"])
    func `whole numbers are decimal digits within their range`(text: String) {
        let (value, faults) = reading("k: \(text)") { $0.int("k", default: 3, in: 1...10) }
        #expect(value == 3)
        #expect(faults == ["c.yaml:1:4  k: expected a whole number from 1 to 10, without quotes"])
    }

    @Test(arguments: ["10", "s", "-5s", "+5s", "1.5h", "1h30m", "5M", "2s", "8d", "99999999999999999999d", "[5m]"])
    func `durations have a unit and a range`(text: String) {
        let (_, faults) = reading("k: \(text)") { $0.duration("k", default: .seconds(60), in: .seconds(5) ... .seconds(7 * 86400)) }
        #expect(faults == ["c.yaml:1:4  k: expected a time from 5s to 7d, such as 30s, 5m or 24h"])
        let (_, days) = reading("k: 1y") { $0.duration("k", default: .zero, in: .seconds(86_400) ... .seconds(3650 * 86_400)) }
        #expect(days == ["c.yaml:1:4  k: expected a time from 1d to 3650d, such as 24h or 90d"])
    }

    @Test func `a choice without a default is nothing when it is absent or wrong`() {
        let (styles, faults) = reading("a: gatehouse\nb: google\n") { file in
            ["a", "b", "absent"].map { key -> Style? in file.choice(key) }
        }
        #expect(styles == [.gatehouse, nil, nil])
        #expect(faults == ["c.yaml:2:4  b: expected one of: firebase, gatehouse"])
    }

    @Test func `choices, own forms and lists name what they expect`() {
        let (_, faults) = reading("a: google\nb: ftp\nc: [x, [y], ftp]\nd: ftp\ne: {}\nf: {n: [1]}\n") { file in
            let http = { (text: String) in text.hasPrefix("http") ? text : nil }
            _ = file.choice("a", default: Style.firebase)
            _ = file.value("b", expected: "a URL", http)
            #expect(file.values("c", expected: "a URL") { $0 == "x" ? $0 : nil } == ["x"])
            _ = file.values("d", expected: "a URL", http)
            _ = file.strings("e")
            _ = file.texts("f")
        }
        #expect(
            faults == [
                "c.yaml:1:4  a: expected one of: firebase, gatehouse", "c.yaml:2:4  b: expected a URL", "c.yaml:3:8  c[1]: expected a URL",
                "c.yaml:3:13  c[2]: expected a URL", "c.yaml:4:4  d: expected a URL, or a list of such", "c.yaml:5:4  e: expected a list",
                "c.yaml:6:8  f.n: expected text",
            ])
    }

    @Test func `unknown keys are faults at their place, with the key that was meant`() {
        let yaml = "providers:\n  microsoft.com:\n    clinetSecret: x\n    clientID: y\n    colour: z\n    [a]: b\n"
        let (_, faults) = reading(yaml) { file in
            for (_, provider) in file.sections("providers") {
                _ = provider.secret("clientSecret")
                _ = provider.string("clientId")
                provider.finish()
            }
            file.finish()
        }
        #expect(
            faults == [
                "c.yaml:3:5  providers.microsoft.com.clinetSecret: unknown key; did you mean \"clientSecret\"?",
                "c.yaml:4:5  providers.microsoft.com.clientID: unknown key; did you mean \"clientId\"?",
                "c.yaml:5:5  providers.microsoft.com.colour: unknown key", "c.yaml:6:5  providers.microsoft.com: keys must be texts",
            ])
    }

    @Test func `mappings of mappings keep their order and refuse other values`() {
        let (names, faults) = reading("p:\n  z: {k: 1}\n  a: text\n  m: {k: 2}\nq: [1]\n") { file in
            _ = file.section("q")
            _ = file.sections("q")
            return file.sections("p").map(\.name)
        }
        #expect(names == ["z", "m"])
        #expect(
            faults == ["c.yaml:3:6  p.a: expected a mapping", "c.yaml:5:4  q: expected a mapping", "c.yaml:5:4  q: expected a mapping"])
    }

    @Test func `what is missing is reported where its mapping starts`() {
        let (_, faults) = reading("a: 1\ntokens:\n  x: 1\n") { file in
            _ = file.required("project")
            _ = file.section("tokens").required("issuer")
            _ = file.section("absent").required("key")
        }
        #expect(
            faults == ["c.yaml:1:1  project: is missing", "c.yaml:1:1  absent.key: is missing", "c.yaml:3:3  tokens.issuer: is missing"])
    }

    @Test(
        arguments: [
            ("clinetSecret", "clientSecret"), ("clientsecret", "clientSecret"), ("scope", "scopes"), ("issuers", "issuer"), ("xyz", nil),
            ("isseur", "issuer"),
            ("ide", "id"), ("nane", "name"), (String(repeating: "a", count: 100_000), nil),
        ] as [(String, String?)])
    func `guesses a key within two edits`(word: String, meant: String?) {
        #expect(Spelling.nearest(to: word, in: ["clientSecret", "scopes", "issuer", "id", "name"]) == meant)
    }

    @Test(arguments: [("0s", 0), ("45s", 45), ("2m", 120), ("24h", 86400), ("7d", 604800)] as [(String, Int64)])
    func `durations read and print`(text: String, seconds: Int64) {
        #expect(Duration(text: text) == .seconds(seconds))
        #expect(Duration(text: Duration.seconds(seconds).text) == .seconds(seconds))
    }
}
