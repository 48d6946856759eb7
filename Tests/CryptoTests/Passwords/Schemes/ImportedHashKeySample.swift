import Testing

@testable import Crypto

extension ImportedHashKey {
    /// The signer key and salt separator that Firebase publishes with its vector: <https://github.com/firebase/scrypt#password-hashing>.
    static func sample(id: String = "main") throws -> ImportedHashKey {
        let text = "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="
        return try ImportedHashKey(id: id, secret: try #require(Base64.decode(text)), saltSeparator: [7])
    }
}
