import HTTP

@testable import HTTPServer
import Text

/// The results of a parser: each request on one line (`POST /a?b [x: y] body`), then `refused 400`, `more` or nothing.
struct ParserDialogue {
    private(set) var said: [String] = []
    private(set) var messages: [RequestParser.Message] = []
    private(set) var isContinueExpected = false
    private var parser: RequestParser
    private var carry: [UInt8] = []

    init(_ limits: ServerLimits = ServerLimits()) { parser = RequestParser(RequestParser.Limits(limits)) }

    /// Feeds `text` in pieces of `size` bytes; a scalar below U+0100 stands for one byte.
    static func feed(_ text: String, by size: Int = .max, _ limits: ServerLimits = ServerLimits()) -> ParserDialogue {
        var dialogue = ParserDialogue(limits)
        let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        var offset = 0
        while offset < bytes.count {
            let end = size < bytes.count - offset ? offset + size : bytes.count
            dialogue.feed(bytes[offset..<end])
            offset = end
        }
        return dialogue
    }

    mutating func feed(_ bytes: some Sequence<UInt8>) {
        carry += bytes
        let input = carry
        var offset = 0
        input.withUnsafeBytes { input in
            while true {
                switch parser.parse(input, from: &offset) {
                case .more:
                    isContinueExpected = parser.isContinueExpected
                    return
                case .request:
                    let message = parser.take()
                    messages.append(message)
                    said.append(Self.text(message))
                case .refused(let refusal):
                    if said.last?.hasPrefix("refused") != true { said.append("refused \(refusal.status)") }
                    return
                }
            }
        }
        carry = Array(input[offset...])
    }

    var isUnfinished: Bool { !parser.isFresh || !carry.isEmpty }

    private static func text(_ message: RequestParser.Message) -> String {
        let request = message.request
        let fields = request.headers.fields.filter { $0.name != "host" }.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
        var text = "\(request.method) \(request.path)"
        if !request.query.isEmpty { text += "?\(request.query)" }
        if !fields.isEmpty { text += " [\(fields)]" }
        if !request.body.isEmpty { text += " \(String(decoding: request.body, as: UTF8.self))" }
        return text + (message.keepsAlive ? "" : " close")
    }
}
