import CCurl
import Runtime

/// Owns a `CURLM *`: the transfers under way and the connections kept for reuse.
final class MultiHandle {
    let raw: UnsafeMutableRawPointer

    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    init() throws(OutboundError) {
        guard Self.isReady, let raw = curl_multi_init() else { throw .unreachable("libcurl does not start") }
        self.raw = raw
    }

    deinit {
        // Closing the kept connections must not call back into a client that is going away.
        _ = curl_multi_set_socket_function(raw, nil)
        _ = curl_multi_set_timer_function(raw, nil)
        _ = curl_multi_cleanup(raw)
    }

    /// Points libcurl's wishes at an `HTTPClient`, which outlives this handle and is called on its loop only.
    func setCallbacks(for client: UnsafeMutableRawPointer) {
        _ = curl_multi_set_pointer(raw, CURLMOPT_SOCKETDATA, client)
        _ = curl_multi_set_socket_function(raw) { _, descriptor, wish, client, _ in
            guard let client else { return -1 }
            Unmanaged<HTTPClient>.fromOpaque(client).takeUnretainedValue().assumeIsolated { $0.watch(descriptor, wish) }
            return 0
        }
        _ = curl_multi_set_pointer(raw, CURLMOPT_TIMERDATA, client)
        _ = curl_multi_set_timer_function(raw) { _, milliseconds, client in
            guard let client else { return -1 }
            Unmanaged<HTTPClient>.fromOpaque(client).takeUnretainedValue().assumeIsolated { $0.arm(milliseconds) }
            return 0
        }
        _ = curl_multi_set_long(raw, CURLMOPT_MAXCONNECTS, 64)
        _ = curl_multi_set_long(raw, CURLMOPT_MAX_TOTAL_CONNECTIONS, 256)
        _ = curl_multi_set_long(raw, CURLMOPT_MAX_HOST_CONNECTIONS, 32)
    }
}

/// Tells the client which of its descriptors became ready.
final class SocketWatch: Watcher {
    private let descriptor: Int32
    private weak var client: HTTPClient?

    init(descriptor: Int32, client: HTTPClient) {
        self.descriptor = descriptor
        self.client = client
    }

    nonisolated func ready(_ interest: Interest) {
        guard let client else { return }
        let descriptor = descriptor
        client.assumeIsolated { $0.ready(descriptor, interest) }
    }
}
