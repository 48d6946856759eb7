import CCurl
import Glibc
import Runtime

/// One transfer under way: the easy handle, its buffer for libcurl's own words, and what libcurl calls back for.
///
/// libcurl calls with a pointer to this object, always on the loop and only while `Transfers` keeps it. What a protocol does
/// with the calls is said by its subclass.
class Transfer {
    let handle: UnsafeMutableRawPointer
    private let reason: UnsafeMutablePointer<CChar>
    /// What is still to be sent.
    private var unsent: ArraySlice<UInt8>
    private var lists: [UnsafeMutablePointer<curl_slist>] = []

    init(sending bytes: [UInt8]) throws(OutboundError) {
        guard let handle = curl_easy_init() else { throw .unreachable("no memory for a transfer") }
        self.handle = handle
        unsent = bytes[...]
        reason = .allocate(capacity: Int(CURL_ERROR_SIZE))
        reason.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(handle)
        for list in lists { curl_slist_free_all(list) }
        reason.deallocate()
    }

    // What libcurl tells and asks.

    /// A new socket for the address that is about to be dialled, or `CURL_SOCKET_BAD` to refuse it.
    func open(_ target: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        socket(target.pointee.family, target.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue), target.pointee.protocol)
    }

    /// Takes bytes of the answer; `false` ends the transfer.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool { true }

    /// Takes one line of what comes before the answer; `false` ends the transfer.
    func receiveHeader(_ bytes: UnsafeRawBufferPointer) -> Bool { true }

    /// Hands out the next bytes to send.
    final func supply(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        let part = unsent.prefix(buffer.count)
        buffer.copyBytes(from: part)
        unsent = unsent.dropFirst(part.count)
        return part.count
    }

    // For subclasses.

    final var hasSentAll: Bool { unsent.isEmpty }

    /// The status that the other side answered with.
    final var status: Int {
        var status = 0
        _ = curl_easy_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
        return status
    }

    /// libcurl's own words for why it stopped; they name hosts, never paths, queries or people.
    final func words(for code: CURLcode) -> String {
        let text = String(cString: reason)
        return text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
    }

    /// A list that lives as long as the transfer, as libcurl wants it.
    final func list(of lines: [String]) throws(OutboundError) -> UnsafeMutableRawPointer? {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = curl_slist_append(list, line) else {
                curl_slist_free_all(list)
                throw .unreachable("no memory for a transfer")
            }
            list = longer
        }
        if let list { lists.append(list) }
        return UnsafeMutableRawPointer(list)
    }

    /// What holds for every transfer of ours, whatever its protocol. `authorities` is a PEM file to trust in place of the system's.
    final func setCommon(_ options: inout EasyOptions, timeout: Duration, connectTimeout: Duration, authorities: String?) {
        options.set(CURLOPT_NOSIGNAL, 1)
        // Without it, giving up on a name look-up waits for the resolver's thread, and the loop with it.
        options.set(CURLOPT_QUICK_EXIT, 1)
        // The environment's proxies would dial for us, past the guard. Either option keeps them out.
        options.set(CURLOPT_PROXY, "")
        options.set(CURLOPT_NOPROXY, "*")
        options.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        options.set(CURLOPT_SSL_VERIFYPEER, 1)
        options.set(CURLOPT_SSL_VERIFYHOST, 2)
        if let authorities {
            options.set(CURLOPT_CAINFO, authorities)
            // Unless it is unset, libcurl trusts the system's folder of authorities as well.
            options.set(CURLOPT_CAPATH, UnsafeMutableRawPointer?.none)
            // Read for each new connection, so that a renewed file counts at once.
            options.set(CURLOPT_CA_CACHE_TIMEOUT, 0)
        }
        options.set(CURLOPT_TIMEOUT_MS, max(1, Int(timeout.microseconds / 1000)))
        options.set(CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(connectTimeout.microseconds / 1000)))
        options.set(CURLOPT_MAXAGE_CONN, 60)
        options.set(CURLOPT_ERRORBUFFER, UnsafeMutableRawPointer(reason))
        options.set(callbacksFor: Unmanaged.passUnretained(self).toOpaque())
    }
}
