import Testing

@testable import JSON
import Text

@Suite struct PlainTextTests {
    /// The same, byte by byte.
    private func reference(_ bytes: [UInt8], from start: Int) -> (Int, Bool) {
        let end = bytes[start...].firstIndex { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C } ?? bytes.count
        return (end, bytes[start..<end].allSatisfy { $0 < 0x80 })
    }

    private func scan(_ bytes: [UInt8], from start: Int) -> (Int, Bool) { bytes.withUnsafeBytes { PlainText.scan($0, from: start) } }

    @Test func `stops at every byte that it should, wherever that stands, and at no other`() {
        for byte in UInt8.min ... .max {
            for place in 0..<20 {
                var bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 20)
                bytes[place] = byte
                for start in [0, 1, 7] { #expect(scan(bytes, from: start) == reference(bytes, from: start)) }
            }
        }
    }

    @Test func `finds the first of neighbours, and the letters before it`() {
        let specials: [UInt8] = [0x00, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D, 0x7F, 0x80, 0xA2, 0xDC, 0xFF]
        for first in specials {
            for second in specials {
                for place in 0..<9 {
                    var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 11)
                    bytes[place] = first
                    bytes[place + 1] = second
                    #expect(scan(bytes, from: 0) == reference(bytes, from: 0))
                }
            }
        }
    }

    @Test func `takes nothing of nothing`() {
        #expect(scan([], from: 0) == (0, true))
        #expect(scan([0x61], from: 1) == (1, true))
    }
}
