@testable import AuthPages
import Testing
import Text
@testable import Web

@Suite struct PageScriptTests {
    @Test func `serves scripts without comments and indentation`() {
        let source = "/*\n * Who\n * what\n */\n(() => {\n  // why\n  /** for */\n  go(\"//x\"); // stays\n\n  /**\n   * a\n   */\n})();\n"
        #expect(
            String(decoding: PageScript.withoutComments(Array(source.utf8)), as: UTF8.self) == "(() => {\ngo(\"//x\"); // stays\n})();\n")
    }

    @Test func `has no text over several lines, which the loss of indentation would change`() {
        for script in PageScript.all {
            for line in String(decoding: script.bytes, as: UTF8.self).split(separator: "\n") {
                #expect(line.count { $0 == "`" }.isMultiple(of: 2), "\(line)")
            }
        }
    }
}
