import CCurl
import Glibc
import Runtime

/// One running transfer: the easy handle, the buffer for libcurl's error text, and the functions that libcurl calls.
///
/// libcurl calls with a pointer to this object, always on the loop and only while `Transfers` keeps it. A subclass decides what its
/// protocol does with the calls.
class Transfer {
    let handle: UnsafeMutableRawPointer
    private let reason: UnsafeMutablePointer<CChar>
    /// The bytes that are still to be sent.
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

    // The functions that libcurl calls.

    /// A new socket for the address that libcurl is about to call, or `CURL_SOCKET_BAD` to refuse it.
    func open(_ target: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        socket(target.pointee.family, target.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue), target.pointee.protocol)
    }

    /// Receives bytes of the answer; `false` ends the transfer.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool { true }

    /// Receives one line of what comes before the answer; `false` ends the transfer.
    func receiveHeader(_ bytes: UnsafeRawBufferPointer) -> Bool { true }

    /// Gives libcurl the next bytes to send.
    final func supply(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        let part = unsent.prefix(buffer.count)
        buffer.copyBytes(from: part)
        unsent = unsent.dropFirst(part.count)
        return part.count
    }

    // For subclasses.

    final var hasSentAll: Bool { unsent.isEmpty }

    /// The status of the other side's answer.
    final var status: Int {
        var status = 0
        _ = curl_easy_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
        return status
    }

    /// The other side's own certificate, in PEM; `nil` unless it was asked for.
    final var certificate: String? {
        var info: UnsafeMutablePointer<curl_certinfo>?
        guard curl_easy_get_certificates(handle, &info) == CURLE_OK, let info, info.pointee.num_of_certs > 0 else { return nil }
        // Its own certificate comes first, as a list of lines `Name:value`.
        var line = info.pointee.certinfo[0]
        while let current = line {
            let text = String(cString: current.pointee.data)
            if text.hasPrefix("Cert:") { return String(text.dropFirst(5)) }
            line = current.pointee.next
        }
        return nil
    }

    /// libcurl's own text on why it stopped. These texts name hosts, never paths, queries or people.
    final func words(for code: CURLcode) -> String {
        let text = String(cString: reason)
        return text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
    }

    /// A list that lives as long as the transfer, as libcurl requires.
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

    /// Sets the options that every transfer needs, whatever its protocol. `authorities` is a PEM file to trust instead of the system's.
    final func setCommon(_ options: inout EasyOptions, timeout: Duration, connectTimeout: Duration, authorities: String?) {
        options.set(CURLOPT_NOSIGNAL, 1)
        // Without this, giving up a name look-up would wait for the resolver's thread, and the loop would wait with it.
        options.set(CURLOPT_QUICK_EXIT, 1)
        // A proxy from the environment would connect for us, without the check of the address. Either option prevents that.
        options.set(CURLOPT_PROXY, "")
        options.set(CURLOPT_NOPROXY, "*")
        options.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        options.set(CURLOPT_SSL_VERIFYPEER, 1)
        options.set(CURLOPT_SSL_VERIFYHOST, 2)
        if let authorities {
            options.set(CURLOPT_CAINFO, authorities)
            // If this is set, libcurl also trusts the system's folder of authorities.
            options.set(CURLOPT_CAPATH, UnsafeMutableRawPointer?.none)
            // The file is read for each new connection, so that a renewed file counts at once.
            options.set(CURLOPT_CA_CACHE_TIMEOUT, 0)
        }
        options.set(CURLOPT_TIMEOUT_MS, max(1, Int(timeout.microseconds / 1000)))
        options.set(CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(connectTimeout.microseconds / 1000)))
        options.set(CURLOPT_MAXAGE_CONN, 60)
        options.set(CURLOPT_ERRORBUFFER, UnsafeMutableRawPointer(reason))
        options.set(callbacksFor: Unmanaged.passUnretained(self).toOpaque())
    }
}
