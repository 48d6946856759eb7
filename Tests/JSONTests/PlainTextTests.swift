import Testing

@testable import JSON
import Text

@Suite struct PlainTextTests {
    private func scan(_ bytes: [UInt8], from start: Int) -> (Int, Bool) { bytes.withUnsafeBytes { PlainText.scan($0, from: start) } }

    @Test func `stops at quotes, backslashes and control characters, and says whether all before is ASCII`() {
        for byte in UInt8.min ... .max {
            let isSpecial = byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
            let bytes = Array("ab".utf8) + [byte] + Array("c".utf8)
            #expect(scan(bytes, from: 1) == (isSpecial ? 2 : 4, isSpecial || byte < 0x80))
        }
    }

    @Test func `takes nothing of nothing`() {
        #expect(scan([], from: 0) == (0, true))
        #expect(scan([0x61], from: 1) == (1, true))
    }
}
