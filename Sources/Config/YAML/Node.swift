/// A value of a YAML file, and where it stands.
struct Node {
    enum Content {
        /// A text exactly as written; its type is never guessed.
        case scalar(Scalar)
        case sequence([Node])
        case mapping([Member])
    }

    struct Scalar {
        let text: String
        /// Without quotes and without a tag, so that it may also be a number or a truth value.
        let isPlain: Bool
        /// With a tag that does not say that it is a text, such as `!env`.
        let isTagged: Bool
    }

    struct Member {
        let key: Node
        let value: Node
    }

    /// A place in a file, counted from 1.
    struct Mark {
        let line: Int
        let column: Int
    }

    let content: Content
    let mark: Mark

    /// The members of a mapping, in their order; `nil` for any other value.
    var members: [Member]? { if case .mapping(let members) = content { members } else { nil } }
}
