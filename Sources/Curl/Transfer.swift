import CCurl
import Glibc
import HTTP
import Runtime

/// One request under way: the easy handle, what came so far, and why it must stop.
///
/// libcurl calls its callbacks with a pointer to this object, always on the loop and only while `HTTPClient` keeps it.
final class Transfer {
    let handle: UnsafeMutableRawPointer
    let policy: DialPolicy
    let encrypted: Bool
    let maxBytes: Int
    private(set) var headers = Headers()
    private(set) var body: [UInt8] = []
    /// What we know better than libcurl's code of the reason it stopped.
    private(set) var stopped: OutboundError?
    /// The last address that was refused, for the log.
    private(set) var refused: Address?
    private var opened = false
    private var unsent: ArraySlice<UInt8>
    private var headerBytes = 0
    private var headersAreComplete = false
    private var list: UnsafeMutablePointer<curl_slist>?
    private let reason: UnsafeMutablePointer<CChar>

    /// Throws `refusedURL` and `refusedHeader` before anything is sent.
    init(_ request: OutboundRequest, timeout: Duration, settings: TransferSettings) throws(OutboundError) {
        // Read strictly before libcurl reads it leniently: a missing scheme, backslashes, a user name are refused here.
        guard let target = URI.parse(request.url), target.fragment == nil, target.isSecure || settings.policy.allowsPlainText
        else { throw .refusedURL }
        guard let handle = curl_easy_init() else { throw .unreachable("no memory for a transfer") }
        self.handle = handle
        policy = settings.policy
        encrypted = target.isSecure
        maxBytes = request.maxBytes
        unsent = (request.body ?? [])[...]
        reason = .allocate(capacity: Int(CURL_ERROR_SIZE))
        reason.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try addHeaders(request)
        try configure(request, timeout: timeout, settings: settings)
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(list)
        reason.deallocate()
    }

    // MARK: Results

    func response() -> OutboundResponse {
        var status = 0
        _ = curl_easy_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
        return OutboundResponse(status: status, headers: headers, body: body)
    }

    /// What `code` means for the caller.
    func error(_ code: CURLcode) -> OutboundError {
        if let stopped { return stopped }
        switch code {
        case CURLE_OPERATION_TIMEDOUT: return .timedOut
        case CURLE_FILESIZE_EXCEEDED: return .tooLarge
        case CURLE_COULDNT_CONNECT where refused != nil && !opened: return .refusedAddress
        case CURLE_URL_MALFORMAT: return .refusedURL
        default:
            let text = String(cString: reason)
            return .unreachable(text.isEmpty ? String(cString: curl_easy_strerror(code)) : text)
        }
    }

    /// Whether a GET that ended so may be tried once more: the connection failed, not the answer.
    func mayRetry(_ code: CURLcode) -> Bool {
        guard stopped == nil, refused == nil else { return false }
        return [
            CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING,
            CURLE_SSL_CONNECT_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM,
        ].contains(code)
    }

    // MARK: What libcurl tells and asks

    /// Opens a socket for the address that is about to be dialled, if the policy lets it: the guard of SEC-13.
    func open(_ target: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        let address = Address(dialled: target)
        guard let address, policy.permits(address, encrypted: encrypted) else {
            refused = address
            return CURL_SOCKET_BAD
        }
        opened = true
        return socket(target.pointee.family, target.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue), target.pointee.protocol)
    }

    /// Takes bytes of the body; `false` ends the transfer.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if body.count + bytes.count > maxBytes {
            stopped = .tooLarge
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }

    /// Takes one line of the response's head; `false` ends the transfer.
    func receiveHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headerBytes += bytes.count
        if headerBytes > 65_536 || headers.fields.count >= 200 {
            stopped = .tooLarge
            return false
        }
        let line = bytes.prefix { $0 != 0x0D && $0 != 0x0A }
        if line.isEmpty { headersAreComplete = true }
        if line.starts(with: "HTTP/".utf8) {
            // The final answer's head replaces that of an interim one.
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

    /// Hands out the next bytes of the request's body.
    func supply(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        let part = unsent.prefix(buffer.count)
        buffer.copyBytes(from: part)
        unsent = unsent.dropFirst(part.count)
        return part.count
    }

    // MARK: Options

    private func addHeaders(_ request: OutboundRequest) throws(OutboundError) {
        // No `Expect: 100-continue`: it costs a round trip, and the bodies are small.
        try add("expect", nil)
        if request.headers["user-agent"] == nil { try add("user-agent", "gatehouse") }
        for (name, value) in request.headers.fields { try add(name, value) }
        if request.body != nil, request.headers["content-type"] == nil { try add("content-type", nil) }
    }

    /// Adds a field, or with `nil` takes out the one that libcurl would add itself.
    private func add(_ name: String, _ value: String?) throws(OutboundError) {
        let valueIsClean = value?.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } ?? true
        let nameIsClean = !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A && $0 != 0x3B }
        guard nameIsClean, valueIsClean else { throw .refusedHeader(name) }
        // libcurl's spelling of an empty value is a semicolon in the colon's place.
        let line = value.map { $0.isEmpty ? "\(name);" : "\(name): \($0)" } ?? "\(name):"
        guard let longer = curl_slist_append(list, line) else { throw .unreachable("no memory for a transfer") }
        list = longer
    }

    private func configure(_ request: OutboundRequest, timeout: Duration, settings: TransferSettings) throws(OutboundError) {
        var options = EasyOptions(handle)
        options.set(CURLOPT_URL, request.url)
        options.set(CURLOPT_PROTOCOLS_STR, settings.policy.allowsPlainText ? "https,http" : "https")
        options.set(CURLOPT_NOSIGNAL, 1)
        // Without it, giving up on a name look-up waits for the resolver's thread, and the loop with it.
        options.set(CURLOPT_QUICK_EXIT, 1)
        options.set(CURLOPT_FOLLOWLOCATION, 0)
        options.set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        // The environment's proxies would dial for us, past the guard. Either option keeps them out.
        options.set(CURLOPT_PROXY, "")
        options.set(CURLOPT_NOPROXY, "*")
        options.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
        options.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        options.set(CURLOPT_SSL_VERIFYPEER, 1)
        options.set(CURLOPT_SSL_VERIFYHOST, 2)
        if let authorities = settings.authorities { options.set(CURLOPT_CAINFO, authorities) }
        options.set(CURLOPT_TIMEOUT_MS, max(1, Int(timeout.microseconds / 1000)))
        options.set(CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(request.connectTimeout.microseconds / 1000)))
        options.set(CURLOPT_MAXAGE_CONN, 60)
        options.set(CURLOPT_MAXFILESIZE_LARGE, size: request.maxBytes)
        options.set(CURLOPT_HTTPHEADER, UnsafeMutableRawPointer(list))
        options.set(CURLOPT_ERRORBUFFER, UnsafeMutableRawPointer(reason))
        options.set(method: request.method, bodyCount: request.body?.count)
        options.set(callbacksFor: Unmanaged.passUnretained(self).toOpaque())
        guard options.failure == nil else { throw .unreachable("libcurl refuses an option") }
    }
}

/// What all transfers of one client share.
struct TransferSettings: Sendable {
    let policy: DialPolicy
    /// A PEM file of authorities to trust in place of the system's.
    let authorities: String?
}

extension Address {
    /// The address in libcurl's note of what it will dial; `nil` for anything but IPv4 and IPv6.
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
