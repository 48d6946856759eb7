import Runtime

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
        switch node.content {
        // Quotes make a difference: `"yes"` is a text, `yes` may be a truth value.
        case .scalar(let scalar): write(scalar.text, scalar.isPlain ? "p" : "q", to: &bytes)
        case .sequence(let items):
            write("\(items.count)", "l", to: &bytes)
            for item in items { write(item, to: &bytes) }
        case .mapping(let members):
            write("\(members.count)", "m", to: &bytes)
            let contents = members.map { member in
                var content: [UInt8] = []
                write(member.key, to: &content)
                write(member.value, to: &content)
                return content
            }
            for content in contents.sorted(by: { $0.lexicographicallyPrecedes($1) }) { bytes += content }
        }
    }

    /// Writes each text with its length in front, so that two different contents never give the same bytes.
    private static func write(_ text: String, _ kind: String, to bytes: inout [UInt8]) {
        bytes += Array("\(kind)\(text.utf8.count):\(text)".utf8)
    }
}
