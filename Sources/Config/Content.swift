import Runtime
import Yams

extension Section {
    /// The bytes of the mapping and of the secrets that it refers to. They are equal for two readings when only comments, layout and the
    /// order of keys have changed. They contain secrets, so they are only for hashing.
    package var content: [UInt8] {
        var bytes: [UInt8] = []
        if let node { Self.write(node, to: &bytes) }
        for secret in source.secrets { Self.write(secret.reveal(), "s", to: &bytes) }
        return bytes
    }

    private static func write(_ node: Node, to bytes: inout [UInt8]) {
        switch node {
        // Quotes make a difference: `"yes"` is a text, `yes` may be a truth value.
        case .scalar(let scalar): write(scalar.string, scalar.style == .plain ? "p" : "q", to: &bytes)
        case .sequence(let sequence):
            write("\(sequence.count)", "l", to: &bytes)
            for item in sequence { write(item, to: &bytes) }
        case .mapping(let mapping):
            write("\(mapping.count)", "m", to: &bytes)
            let members = mapping.map { key, value in
                var member: [UInt8] = []
                write(key, to: &member)
                write(value, to: &member)
                return member
            }
            for member in members.sorted(by: { $0.lexicographicallyPrecedes($1) }) { bytes += member }
        case .alias: bytes.append(UInt8(ascii: "a"))
        }
    }

    /// Writes each text with its length in front, so that two different contents never give the same bytes.
    private static func write(_ text: String, _ kind: String, to bytes: inout [UInt8]) {
        bytes += Array("\(kind)\(text.utf8.count):\(text)".utf8)
    }
}
