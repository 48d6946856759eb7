import COpenSSL

/// One named value for OpenSSL 3's parameter lists.
enum Parameter {
    case text(String, String)
    case bytes(String, [UInt8])
    /// A whole number of any size, most significant byte first.
    case number(String, [UInt8])
}

/// Passes `parameters` to `body` in OpenSSL's form; their memory is wiped afterwards.
func withParameters<Result, Failure: Error>(
    _ parameters: [Parameter], _ body: (UnsafeMutablePointer<OSSL_PARAM>) throws(Failure) -> Result
) throws(Failure) -> Result {
    var held = HeldBytes()
    let list = UnsafeMutableBufferPointer<OSSL_PARAM>.allocate(capacity: parameters.count + 1)
    defer { list.deallocate() }
    for (index, parameter) in parameters.enumerated() { list.initializeElement(at: index, to: held.construct(parameter)) }
    list.initializeElement(at: parameters.count, to: OSSL_PARAM_construct_end())
    guard let first = list.baseAddress else { fatalError("a list with an end has a first element") }
    return try body(first)
}

/// The memory behind a parameter list. Names and values must stay in place as long as the list is used.
private struct HeldBytes: ~Copyable {
    private var pieces: [UnsafeMutableRawBufferPointer] = []

    deinit {
        for piece in pieces {
            OPENSSL_cleanse(piece.baseAddress, piece.count)
            piece.deallocate()
        }
    }

    mutating func construct(_ parameter: Parameter) -> OSSL_PARAM {
        switch parameter {
        case .text(let name, let value):
            OSSL_PARAM_construct_utf8_string(hold(text: name), hold(text: value), value.utf8.count)
        case .bytes(let name, let value):
            OSSL_PARAM_construct_octet_string(hold(text: name), hold(value), value.count)
        case .number(let name, let value):
            #if _endian(little)
                OSSL_PARAM_construct_BN(hold(text: name), hold(Array(value.reversed())), value.count)
            #else
                OSSL_PARAM_construct_BN(hold(text: name), hold(value), value.count)
            #endif
        }
    }

    private mutating func hold(text: String) -> UnsafeMutablePointer<CChar> { hold(Array(text.utf8)) }

    /// Copies the bytes and adds a zero, which C strings need and other values ignore.
    private mutating func hold<Pointee>(_ bytes: [UInt8]) -> UnsafeMutablePointer<Pointee> {
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count + 1, alignment: 16)
        piece.copyBytes(from: bytes)
        piece[bytes.count] = 0
        pieces.append(piece)
        guard let first = piece.baseAddress else { fatalError("memory that was allocated has an address") }
        return first.assumingMemoryBound(to: Pointee.self)
    }
}
