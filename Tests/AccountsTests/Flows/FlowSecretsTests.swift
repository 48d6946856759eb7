@testable import Accounts
import Crypto
import Testing
import Text

@Suite struct FlowSecretsTests {
    @Test func `takes a 64-digit hash at the start as the hash of the secret to come`() {
        let hash = Hex.encode(Digest.sha256(Array("raw".utf8)))
        #expect(SessionBinding.hash(atStart: hash) == SessionBinding.hash(atRedemption: "raw"))
    }

    @Test func `SEC-05 never redeems with the hash that stood in the address`() {
        let hash = Hex.encode(Digest.sha256(Array("raw".utf8)))
        #expect(SessionBinding.hash(atStart: hash) != SessionBinding.hash(atRedemption: hash))
    }

    @Test(arguments: ["", "short", String(repeating: "A", count: 64), "\u{0}\u{1}\u{FFFD}", String(repeating: "a", count: 63) + "g"])
    func `compares any other session id as it is`(id: String) {
        #expect(SessionBinding.hash(atStart: id) == SessionBinding.hash(atRedemption: id))
    }

    @Test func `reads back a state and refuses a changed one`() {
        let state = FlowState(projectID: "demo", flowID: Array(repeating: 1, count: 16), secret: Array(repeating: 2, count: 32))
        #expect(FlowState(UTF8Text(state.text)) == state)
        for text in ["", "demo", "demo.", ".AAAA", state.text + "A", state.text + "." + state.text, "demo.\u{0}"] {
            #expect(FlowState(UTF8Text(text)) == nil)
        }
    }

    @Test(arguments: ["\u{0}", "de\u{0}mo", "DEMO", "a b c d", "démo", String(repeating: "a", count: 31), "demo-"])
    func `takes no project's name that cannot be one`(project: String) {
        let secret = Base64URL.encode(Array(repeating: 2, count: 48))
        #expect(FlowState("\(project).\(secret)") == nil)
        #expect(FlowTicket("\(project).\(secret)") == nil)
        #expect(ResumeTicket("\(project).\(secret)") == nil)
        #expect(FlowState("demo.\(secret)") != nil)
    }

    @Test func `reads a master key from hex or base64 and nothing else`() {
        let bytes = Array(UInt8(0)..<32)
        #expect(throws: Never.self) { try MasterKey.bytes(of: Hex.encode(bytes) + "\n") }
        #expect(throws: Never.self) { try MasterKey.bytes(of: Hex.encode(bytes).uppercased()) }
        #expect(throws: Never.self) { try MasterKey.bytes(of: Base64.encode(bytes)) }
        for text in ["secret", "", Hex.encode(bytes) + "00"] {
            #expect(throws: MasterKey.TextFault.notAKey) { try MasterKey.bytes(of: text) }
        }
    }

    @Test func `refuses a master key in digits that only look like digits`() {
        let text = Hex.encode(Array(UInt8(0)..<32)).map { digit in
            digit.wholeNumberValue.flatMap { Unicode.Scalar(0xFF10 + $0) }.map(Character.init) ?? digit
        }
        #expect(throws: MasterKey.TextFault.notAKey) { try MasterKey.bytes(of: String(text)) }
    }

    @Test(arguments: [[0], [0x41], [1, 2], Array(1...15)] as [[UInt8]])
    func `refuses a master key that repeats itself`(pattern: [UInt8]) {
        let bytes = (0..<32).map { pattern[$0 % pattern.count] }
        #expect(throws: MasterKey.TextFault.notRandom) { try MasterKey.bytes(of: Hex.encode(bytes)) }
        #expect(throws: MasterKey.TextFault.notRandom) { try MasterKey.bytes(of: Base64.encode(bytes)) }
    }
}
