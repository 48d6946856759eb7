import Config
import Curl
import HTTP
import Logging
import Runtime

/// A service that takes text messages over HTTP: its request, and what it means by an answer.
protocol Gateway: TextTransport {
    func request(for message: TextMessage, at time: Instant) -> OutboundRequest

    func verdict(on answer: OutboundResponse) -> GatewayVerdict
}

/// The meaning of a gateway's answer.
enum GatewayVerdict: Equatable {
    case taken
    /// The gateway has not taken the message, and may take it later.
    case busy(String)
    case refused(String)
}

extension Gateway {
    /// A request is repeated only where the gateway says that it has not taken the message, or has not got a byte of it: gateways bill each message
    /// that they get.
    package func send(
        _ message: TextMessage, by upstream: any Upstream, at time: Instant, log: Logger
    ) async throws(TextMessageError) {
        var request = request(for: message, at: time)
        request.timeout = .seconds(10)
        request.maxBytes = 64 << 10
        let answer: OutboundResponse
        do { answer = try await upstream.send(request) } catch {
            switch error {
            case .notConnected: throw .temporary("\(Self.name): \(error)")
            default: throw .permanent("\(Self.name): \(error)")
            }
        }
        switch verdict(on: answer) {
        case .taken: return
        case .busy(let reason): throw .temporary("\(Self.name): \(reason)")
        case .refused(let reason): throw .permanent("\(Self.name): \(reason)")
        }
    }
}

extension GatewayVerdict {
    /// The verdict by the status alone.
    ///
    /// - Parameter detail: what the gateway calls its reason: a code of its own, no text, which could have the number in it.
    init(status: Int, detail: String? = nil) {
        let reason = "status \(status)" + (detail.map { ", error \($0)" } ?? "")
        self =
            switch status {
            case 200..<300: .taken
            case 429, 502, 503, 504: .busy(reason)
            default: .refused(reason)
            }
    }
}

extension Section {
    /// An address of a gateway or of the operator.
    func address(_ key: String, development: Bool) -> String? {
        value(key, expected: "an https URL with the name of a host, without user and fragment") {
            guard let uri = URI.parse($0), uri.fragment == nil, uri.isSecure(orLoopbackIf: development) else { return nil }
            return $0
        }
    }

    /// The beginning of a gateway's addresses, without a slash at its end: for its servers in another region, or for a stand-in.
    func endpoint(_ standard: String, development: Bool) -> String {
        let text = address("endpoint", development: development) ?? standard
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// A text of the letters that ids of gateways have.
    func identifier(_ key: String, isRequired: Bool = true) -> String? {
        if isRequired { require(key) }
        return value(key, expected: "1 to 64 letters, digits, hyphens and underscores") { text in
            (1...64).contains(text.utf8.count)
                && text.utf8.allSatisfy { byte in
                    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x2D || byte == 0x5F
                } ? text : nil
        }
    }

    /// The sender that phones show: a number, or a name of at most 11 letters.
    func sender(_ key: String) -> String? {
        value(key, expected: "a number such as +15555550100, or a name of 1 to 11 letters, digits and spaces") { text in
            let isName = (1...11).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            let isNumber =
                text.hasPrefix("+") && (3...16).contains(text.utf8.count) && text.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
            return isName || isNumber ? text : nil
        }
    }
}
