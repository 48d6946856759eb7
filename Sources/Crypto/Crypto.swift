/// Keys, digests, random bytes, sealing and certificates, over OpenSSL 3 (libcrypto).
///
/// The only target that sees OpenSSL, and it goes only through EVP: algorithms are fetched once a process, keys are parsed
/// once and shared, and no pointer leaves the file that owns it. It knows nothing of tokens (`JOSE`), nor where keys are kept.
///
/// What takes bytes from outside (a key, a signature, a sealed value) throws or answers false. What can fail only when the
/// machine is broken (no memory, no randomness, a libcrypto without SHA-256) stops the process: to go on would be unsafe.
///
/// - Digests and codes: ``Digest``, ``HKDF``, ``constantTimeEqual(_:_:)``
/// - Randomness: ``Random``
/// - Keys: ``PrivateKey``, ``PublicKey``, ``SignatureScheme``, ``Certificate``
/// - Values at rest: ``SealingKey``
/// - Passwords: ``PasswordHash``, ``PasswordHashing``, ``HashingPool``
/// - Text: ``Base64URL``, ``Base64``
import COpenSSL

/// What a caller may learn of a failure: never key material, never plain text.
package enum CryptoError: Error, Equatable {
    /// The bytes are not the key, or not the encoding, that was asked for.
    case malformedKey(String)
    /// A well-formed key that is too weak to trust, with the reason.
    case weakKey(String)
    /// A kind of key, or a pair of key and scheme, that is not offered.
    case unsupported(String)
    /// Sealed bytes that this key and context do not open: another key, another context, or altered.
    case notOpened
    /// libcrypto refused; the call and its own words.
    case openSSL(call: String, reason: String)
}

/// Turns OpenSSL's 1-or-less convention into a throw, and leaves the thread's error queue empty behind it.
func check(_ result: Int32, _ call: StaticString) throws(CryptoError) {
    guard result == 1 else { throw .failed(call) }
}

/// The same for calls that answer a pointer.
func check<Pointer>(_ pointer: Pointer?, _ call: StaticString) throws(CryptoError) -> Pointer {
    guard let pointer else { throw .failed(call) }
    return pointer
}

/// For calls that fail only on a broken machine.
func must(_ succeeded: Bool, _ call: StaticString) {
    guard succeeded else { fatalError("\(CryptoError.failed(call))") }
}

/// The same for calls that answer a pointer.
func must<Pointer>(_ pointer: Pointer?, _ call: StaticString) -> Pointer {
    guard let pointer else { fatalError("\(CryptoError.failed(call))") }
    return pointer
}

extension CryptoError {
    /// The oldest error of this thread's queue, which is then emptied: a stale entry would be read as a failure by the next
    /// user of the thread (libcurl's and libpq's TLS look there).
    static func failed(_ call: StaticString) -> CryptoError {
        let code = ERR_peek_error()
        ERR_clear_error()
        guard code != 0, let words = ERR_reason_error_string(code) else { return .openSSL(call: "\(call)", reason: "no reason given") }
        return .openSSL(call: "\(call)", reason: String(cString: words))
    }
}
