import CCurl
import Runtime

/// Owns a `CURLM *`: the running transfers, and the connections that are kept for reuse.
final class MultiHandle {
    let raw: UnsafeMutableRawPointer

    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    init() throws(OutboundError) {
        guard Self.isReady, let raw = curl_multi_init() else { throw .unreachable("libcurl does not start") }
        self.raw = raw
    }

    deinit {
        // When the kept connections are closed, libcurl must not call an actor that is being released.
        _ = curl_multi_set_socket_function(raw, nil)
        _ = curl_multi_set_timer_function(raw, nil)
        _ = curl_multi_cleanup(raw)
    }

    /// Makes libcurl's callbacks call a `Transfers`, which outlives this handle and is called only on its loop.
    func setCallbacks(for transfers: UnsafeMutableRawPointer) {
        _ = curl_multi_set_pointer(raw, CURLMOPT_SOCKETDATA, transfers)
        _ = curl_multi_set_socket_function(raw) { _, descriptor, activity, transfers, _ in
            guard let transfers else { return -1 }
            Unmanaged<Transfers>.fromOpaque(transfers).takeUnretainedValue().assumeIsolated { $0.watch(descriptor, activity) }
            return 0
        }
        _ = curl_multi_set_pointer(raw, CURLMOPT_TIMERDATA, transfers)
        _ = curl_multi_set_timer_function(raw) { _, milliseconds, transfers in
            guard let transfers else { return -1 }
            Unmanaged<Transfers>.fromOpaque(transfers).takeUnretainedValue().assumeIsolated { $0.arm(milliseconds) }
            return 0
        }
        _ = curl_multi_set_long(raw, CURLMOPT_MAXCONNECTS, 64)
        _ = curl_multi_set_long(raw, CURLMOPT_MAX_TOTAL_CONNECTIONS, HTTPClient.mostConnections)
        _ = curl_multi_set_long(raw, CURLMOPT_MAX_HOST_CONNECTIONS, 32)
    }
}

/// Tells `Transfers` which of its descriptors became ready.
final class SocketWatch: Watcher {
    private let descriptor: Int32
    private weak var transfers: Transfers?

    init(descriptor: Int32, transfers: Transfers) {
        self.descriptor = descriptor
        self.transfers = transfers
    }

    nonisolated func ready(_ interest: Interest) {
        guard let transfers else { return }
        let descriptor = descriptor
        transfers.assumeIsolated { $0.ready(descriptor, interest) }
    }
}
