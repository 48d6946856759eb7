import Config
import Identity
package import TextMessages
import Text

extension ProjectSettings {
    /// Sign-in by phone, and whom messages are sent to: `phone` of a project's file. Messages cost money, so nothing is sent by default.
    package struct Phone: Sendable {
        /// Whether people may sign in by phone, and give their accounts a number.
        package var enabled = false
        /// Where numbers may be of, as two letters each; empty by default.
        package var regions: Set<String> = []
        /// Whether numbers of all regions may get messages.
        package var sendsEverywhere = false
        /// `nil` where nothing is sent.
        package var transport: (any TextTransport)?
        /// Numbers to which nothing is sent, each with the code that always opens it: for tests of an app, and for reviewers of app stores. Anyone who
        /// knows a pair signs in as that account.
        package var testNumbers: [String: String] = [:]

        /// Whether nothing is sent to a region for a while after too few codes were entered there; false in development mode, where test suites
        /// ask for codes that they do not need.
        package var pausesRegions = true
        /// The proof that is asked for before a message is sent.
        package var captcha = PhoneCaptcha()

        package init() {}

        static let mostTestNumbers = 10

        /// Whether any number may get messages.
        package var sendsMessages: Bool { transport != nil && (sendsEverywhere || !regions.isEmpty) }

        /// Whether a number of this region may get messages.
        package func sends(to region: String) -> Bool { transport != nil && (sendsEverywhere || regions.contains(region)) }
    }
}

extension ProjectSettings.Phone {
    init(_ section: Section, development: Bool) {
        self.init()
        enabled = section.bool("enabled", default: enabled)
        let expected = "a region such as DE, in capital letters, or \"*\" for all"
        let names = section.values("regions", expected: expected) { $0 == "*" || PossiblePhoneNumber.isRegion($0) ? $0 : nil }
        sendsEverywhere = names.contains("*")
        regions = Set(names.filter { $0 != "*" })
        transport = TextTransports.read(section.section("transport"), development: development)
        if !section.has("transport"), development, enabled { transport = TextTransports.development }
        testNumbers = Self.testNumbers(section)
        pausesRegions = !development
        captcha = ProjectSettings.PhoneCaptcha(section.section("captcha"), development: development)
        if enabled, !section.isEmpty("regions"), transport == nil, !section.has("transport") {
            section.fault("regions", "names regions, but nothing can be sent there; add transport")
        }
        if enabled, !sendsMessages, testNumbers.isEmpty, !section.has("transport"), section.isEmpty("regions") {
            section.note("enabled", "lets no person sign in: no message can be sent; write transport and regions")
        }
        if transport != nil, section.has("transport"), names.isEmpty, section.isEmpty("regions") {
            section.note("transport", "is never used, since regions names none; write regions: [DE], with the regions of your people")
        }
        section.finish()
    }

    private static func testNumbers(_ section: Section) -> [String: String] {
        let pairs = section.texts("testNumbers")
        if pairs.count > mostTestNumbers { section.fault("testNumbers", "has more than \(mostTestNumbers) numbers") }
        for (number, code) in pairs.sorted(by: { $0.key < $1.key }) {
            if PossiblePhoneNumber(UTF8Text(number)) == nil {
                section.fault("testNumbers", "\(number) is not a number such as \"+16505550101\", in quotation marks")
            }
            if code.utf8.count != 6 || !code.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
                section.fault("testNumbers", "the code of \(number) is not six digits, in quotation marks")
            }
        }
        if !pairs.isEmpty {
            section.note(
                "testNumbers", "\(pairs.count) of them: anyone who knows a number and its code signs in as the account of that number")
        }
        return pairs
    }
}
