import CCurl
import HTTP
import Runtime
import Text

/// One request that is being sent: what has arrived so far, and why it must stop.
final class HTTPTransfer: Transfer {
    let policy: DialPolicy
    let encrypted: Bool
    let maxBytes: Int
    private let wantsCertificate: Bool
    private(set) var headers = Headers()
    private(set) var body: [UInt8] = []
    /// The reason why it stopped, when we know it better than libcurl's error code does.
    private(set) var stopped: OutboundError?
    /// The last address that was refused, for the log.
    private(set) var refused: Address?
    private var opened = false
    private var headerBytes = 0
    private var headersAreComplete = false
    private var lines: [String] = []

    /// Throws `refusedURL` and `refusedHeader` before anything is sent.
    init(_ request: OutboundRequest, timeout: Duration, settings: TransferSettings) throws(OutboundError) {
        // Read strictly first, because libcurl reads leniently: a missing scheme, backslashes and a user name are refused here.
        guard let target = URI.parse(request.url), target.fragment == nil, target.isSecure || settings.policy.allowsPlainText
        else { throw .refusedURL }
        policy = settings.policy
        encrypted = target.isSecure
        maxBytes = request.maxBytes
        wantsCertificate = request.wantsCertificate
        try super.init(sending: request.body ?? [])
        try addHeaders(request)
        try configure(request, timeout: timeout, settings: settings)
    }

    // MARK: Results

    func response() -> OutboundResponse {
        OutboundResponse(status: status, headers: headers, body: body, certificate: wantsCertificate ? certificate : nil)
    }

    /// The error that `code` means for the caller.
    func error(_ code: CURLcode) -> OutboundError {
        if let stopped { return stopped }
        switch code {
        case CURLE_OPERATION_TIMEDOUT: return .timedOut
        case CURLE_FILESIZE_EXCEEDED: return .tooLarge
        case CURLE_COULDNT_CONNECT where refused != nil && !opened: return .refusedAddress
        case CURLE_URL_MALFORMAT: return .refusedURL
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION:
            return .notConnected(words(for: code))
        default: return .unreachable(words(for: code))
        }
    }

    /// Whether a GET that ended like this may be tried once more: the connection failed, and not the answer.
    func mayRetry(_ code: CURLcode) -> Bool {
        guard stopped == nil, refused == nil else { return false }
        return [
            CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING,
            CURLE_SSL_CONNECT_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM,
        ].contains(code)
    }

    // MARK: What libcurl tells and asks

    /// Opens a socket for an address if the policy allows it (SEC-13). libcurl asks for it before it connects.
    override func open(_ target: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        let address = Address(dialled: target)
        guard let address, policy.permits(address, encrypted: encrypted) else {
            refused = address
            return CURL_SOCKET_BAD
        }
        opened = true
        return super.open(target)
    }

    /// Receives bytes of the body; `false` ends the transfer.
    override func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if body.count + bytes.count > maxBytes {
            stopped = .tooLarge
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }

    /// Receives one line of the response's head; `false` ends the transfer.
    override func receiveHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headerBytes += bytes.count
        if headerBytes > 65_536 || headers.count >= 200 {
            stopped = .tooLarge
            return false
        }
        let line = bytes.prefix { $0 != 0x0D && $0 != 0x0A }
        if line.isEmpty { headersAreComplete = true }
        if line.starts(with: "HTTP/".utf8) {
            // The head of the final answer replaces that of an interim answer.
            headers = Headers()
            headersAreComplete = false
        } else if !headersAreComplete, let colon = line.firstIndex(of: 0x3A) {
            // Trailers come after the empty line and are left out.
            let space: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
            var value = line[(colon + 1)...].drop(while: space)
            while let last = value.last, space(last) { value.removeLast() }
            headers.add(String(decoding: line[..<colon], as: UTF8.self).lowercased(), String(decoding: value, as: UTF8.self))
        }
        return true
    }

    // MARK: Options

    private func addHeaders(_ request: OutboundRequest) throws(OutboundError) {
        // Without `Expect: 100-continue`: it costs a round trip, and the bodies are small.
        try add("expect", nil)
        if request.headers["user-agent"] == nil { try add("user-agent", "gatehouse") }
        for (name, value) in request.headers.fields { try add(name.asString, value.asString) }
        if request.body != nil, request.headers["content-type"] == nil { try add("content-type", nil) }
    }

    /// Adds a field; with `nil`, removes the field that libcurl would add itself.
    private func add(_ name: String, _ value: String?) throws(OutboundError) {
        let valueIsClean = value?.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } ?? true
        let nameIsClean = !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A && $0 != 0x3B }
        guard nameIsClean, valueIsClean else { throw .refusedHeader(name) }
        // libcurl expects an empty value as a semicolon in place of the colon.
        let line = value.map { $0.isEmpty ? "\(name);" : "\(name): \($0)" } ?? "\(name):"
        lines.append(line)
    }

    private func configure(_ request: OutboundRequest, timeout: Duration, settings: TransferSettings) throws(OutboundError) {
        var options = EasyOptions(handle)
        options.set(CURLOPT_URL, request.url)
        options.set(CURLOPT_PROTOCOLS_STR, settings.policy.allowsPlainText ? "https,http" : "https")
        options.set(CURLOPT_FOLLOWLOCATION, 0)
        options.set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        options.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
        options.set(CURLOPT_MAXFILESIZE_LARGE, size: request.maxBytes)
        options.set(CURLOPT_HTTPHEADER, try list(of: lines))
        if request.wantsCertificate { options.set(CURLOPT_CERTINFO, 1) }
        options.set(method: request.method, bodyCount: request.body?.count)
        setCommon(
            &options, timeout: timeout, connectTimeout: request.connectTimeout, authorities: request.authorities ?? settings.authorities)
        guard options.failure == nil else { throw .unreachable("libcurl refuses an option") }
    }
}

/// The settings that all transfers of one client share.
struct TransferSettings: Sendable {
    let policy: DialPolicy
    /// A PEM file of authorities to trust instead of the system's.
    let authorities: String?
}

extension Address {
    /// The address that libcurl is about to call; `nil` unless it is IPv4 or IPv6.
    fileprivate init?(dialled target: UnsafeMutablePointer<curl_sockaddr>) {
        guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
        let count = Int(target.pointee.addrlen)
        let bytes = UnsafeRawBufferPointer(start: UnsafeRawPointer(target) + offset, count: count)
        switch target.pointee.family {
        case AF_INET where count >= 8: self.init(bytes: Array(bytes[4..<8]))
        case AF_INET6 where count >= 24: self.init(bytes: Array(bytes[8..<24]))
        default: return nil
        }
    }
}
