import CCurl
import HTTP
import Text

/// Sets options on an easy handle and remembers the first one that libcurl refused.
struct EasyOptions {
    private let handle: UnsafeMutableRawPointer
    private(set) var failure: CURLcode?

    init(_ handle: UnsafeMutableRawPointer) { self.handle = handle }

    mutating func set(_ option: CURLoption, _ value: Int) { check(curl_easy_set_long(handle, option, value)) }
    mutating func set(_ option: CURLoption, _ value: String) { check(curl_easy_set_text(handle, option, value)) }
    mutating func set(_ option: CURLoption, size: Int) { check(curl_easy_set_size(handle, option, curl_off_t(size))) }
    mutating func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) { check(curl_easy_set_pointer(handle, option, value)) }

    mutating func set(method: Method, bodyCount: Int?) {
        switch method {
        case .get where bodyCount == nil: set(CURLOPT_HTTPGET, 1)
        case .head: set(CURLOPT_NOBODY, 1)
        default:
            if let bodyCount {
                set(CURLOPT_POST, 1)
                set(CURLOPT_POSTFIELDSIZE_LARGE, size: bodyCount)
            }
            set(CURLOPT_CUSTOMREQUEST, method.name)
        }
    }

    /// Makes libcurl's callbacks call a `Transfer`.
    mutating func set(callbacksFor transfer: UnsafeMutableRawPointer) {
        set(CURLOPT_OPENSOCKETDATA, transfer)
        check(
            curl_easy_set_open_socket(handle) { transfer, purpose, address in
                guard let transfer, let address, purpose == CURLSOCKTYPE_IPCXN else { return CURL_SOCKET_BAD }
                return Unmanaged<Transfer>.fromOpaque(transfer).takeUnretainedValue().open(address)
            })
        set(CURLOPT_WRITEDATA, transfer)
        check(
            curl_easy_set_sink(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, transfer in
                guard let transfer else { return 0 }
                let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
                // A result other than the number of given bytes ends the transfer. When no bytes were given, only the error number does.
                let taken = Unmanaged<Transfer>.fromOpaque(transfer).takeUnretainedValue().receive(bytes)
                return taken ? bytes.count : Int(CURL_WRITEFUNC_ERROR)
            })
        set(CURLOPT_HEADERDATA, transfer)
        check(
            curl_easy_set_sink(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, transfer in
                guard let transfer else { return 0 }
                let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
                let taken = Unmanaged<Transfer>.fromOpaque(transfer).takeUnretainedValue().receiveHeader(bytes)
                return taken ? bytes.count : Int(CURL_WRITEFUNC_ERROR)
            })
        set(CURLOPT_READDATA, transfer)
        check(
            curl_easy_set_source(handle) { buffer, size, count, transfer in
                guard let transfer else { return Int(CURL_READFUNC_ABORT) }
                let buffer = UnsafeMutableRawBufferPointer(start: buffer, count: size * count)
                return Unmanaged<Transfer>.fromOpaque(transfer).takeUnretainedValue().supply(buffer)
            })
        // When a reused connection breaks, libcurl would send a body again. A code must not be sent twice, so seeking in a body fails.
        check(curl_easy_set_seek(handle) { _, _, _ in CURL_SEEKFUNC_FAIL })
    }

    private mutating func check(_ code: CURLcode) {
        if code != CURLE_OK, failure == nil { failure = code }
    }
}
