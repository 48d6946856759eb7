/// Keys, digests, random bytes, sealing, certificates and password hashes, over OpenSSL 3 (libcrypto).
///
/// This is the only target that uses OpenSSL, and it uses only EVP. libcrypt and libargon2 compute password hashes of other systems.
/// Algorithms are fetched once in a process, keys are parsed once and shared, and no pointer leaves the target. The target knows nothing of
/// tokens (`JOSE`), nor of where keys are kept.
///
/// Functions that take bytes from outside (a key, a signature, a sealed value) throw or return false. Functions that can only fail on a
/// broken machine (no memory, no randomness, a libcrypto without SHA-256) stop the process, since going on would be unsafe.
///
/// - Digests and codes: ``Digest``, ``HKDF``, ``constantTimeEqual(_:_:)``
/// - Randomness: ``Random``
/// - Keys: ``PrivateKey``, ``PublicKey``, ``SignatureScheme``, ``Certificate``
/// - Values at rest: ``SealingKey``
/// - Passwords: ``PasswordHash``, ``PasswordHashing``, ``HashingPool``; of other systems: ``PasswordScheme``, ``ImportedHashKeys``
/// - Text: ``Base64URL``, ``Base64``
import COpenSSL

/// The reason of a failure, without any key material or plain text.
package enum CryptoError: Error, Equatable {
    /// The bytes are not a key of the expected kind or encoding.
    case malformedKey(String)
    /// A well-formed key that is too weak to trust, with the reason.
    case weakKey(String)
    /// A kind of key, or a pair of key and scheme, that is not supported.
    case unsupported(String)
    /// This key and context do not open the sealed bytes: another key, another context, or changed bytes.
    case notOpened
    /// A password hash needs a key of another system that the caller does not have.
    case missingKey(id: String)
    /// A C library reported an error: the call and the library's text.
    case library(call: String, reason: String)
}

/// Throws when an OpenSSL call did not return 1, and empties the thread's error queue.
func check(_ result: Int32, _ call: StaticString) throws(CryptoError) {
    guard result == 1 else { throw .failed(call) }
}

/// The same for calls that return a pointer.
func check<Pointer>(_ pointer: Pointer?, _ call: StaticString) throws(CryptoError) -> Pointer {
    guard let pointer else { throw .failed(call) }
    return pointer
}

/// Stops the process when a call fails that only fails on a broken machine.
func must(_ succeeded: Bool, _ call: StaticString) {
    guard succeeded else { fatalError("\(CryptoError.failed(call))") }
}

/// The same for calls that return a pointer.
func must<Pointer>(_ pointer: Pointer?, _ call: StaticString) -> Pointer {
    guard let pointer else { fatalError("\(CryptoError.failed(call))") }
    return pointer
}

extension CryptoError {
    /// The oldest error of this thread's queue. The queue is then emptied: the next user of the thread (the TLS of libcurl or libpq) would
    /// read an old entry as its own failure.
    static func failed(_ call: StaticString) -> CryptoError {
        let code = ERR_peek_error()
        ERR_clear_error()
        guard code != 0, let words = ERR_reason_error_string(code) else { return .library(call: "\(call)", reason: "no reason given") }
        return .library(call: "\(call)", reason: String(cString: words))
    }
}
