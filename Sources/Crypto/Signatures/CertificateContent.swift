import COpenSSL

/// The content of an X.509 certificate that others made. It is read, not trusted: no chain and no dates are checked.
/// <https://www.rfc-editor.org/rfc/rfc5280>
package struct CertificateContent: Sendable {
    /// 3 for every one with extensions.
    package let version: Int
    /// The organizational units of the subject, in their order.
    package let subjectUnits: [String]
    /// Whether it may sign other certificates.
    package let isAuthority: Bool
    package let publicKey: PublicKey
    private let extensions: [String: [UInt8]]

    /// Reads a certificate with nothing behind it. Throws for keys that `PublicKey` refuses, and when an extension stands twice.
    package init(der: [UInt8]) throws(CryptoError) {
        let certificate = try Self.parse(der)
        defer { X509_free(certificate) }
        version = X509_get_version(certificate) + 1
        subjectUnits = try Self.units(of: certificate)
        isAuthority = X509_check_ca(certificate) != 0
        extensions = try Self.extensions(of: certificate)
        let handle = try KeyHandle(of: certificate)
        publicKey = try PublicKey(handle.components)
        ERR_clear_error()
    }

    /// The value of the extension with this identifier; `nil` without one.
    package func extensionValue(_ identifier: String) -> [UInt8]? { extensions[identifier] }

    private static func parse(_ der: [UInt8]) throws(CryptoError) -> OpaquePointer {
        let certificate = der.withUnsafeBufferPointer { der -> OpaquePointer? in
            var position = der.baseAddress
            guard let certificate = d2i_X509(nil, &position, der.count) else { return nil }
            if position == der.baseAddress.map({ $0 + der.count }) { return certificate }
            X509_free(certificate)
            return nil
        }
        guard let certificate else {
            ERR_clear_error()
            throw .malformedKey("not an X.509 certificate")
        }
        return certificate
    }

    private static func units(of certificate: OpaquePointer) throws(CryptoError) -> [String] {
        let name: OpaquePointer = try check(X509_get_subject_name(certificate), "X509_get_subject_name")
        var units: [String] = []
        var position: Int32 = -1
        while true {
            position = X509_NAME_get_index_by_NID(name, NID_organizationalUnitName, position)
            guard position >= 0, let text = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, position)) else { return units }
            var bytes: UnsafeMutablePointer<UInt8>?
            let count = ASN1_STRING_to_UTF8(&bytes, text)
            guard count >= 0, let bytes else { throw .failed("ASN1_STRING_to_UTF8") }
            units.append(String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self))
            CRYPTO_free(bytes, #file, #line)
        }
    }

    private static func extensions(of certificate: OpaquePointer) throws(CryptoError) -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        for position in 0..<max(0, X509_get_ext_count(certificate)) {
            let item: OpaquePointer = try check(X509_get_ext(certificate, position), "X509_get_ext")
            let value: UnsafeMutablePointer<ASN1_OCTET_STRING> = try check(X509_EXTENSION_get_data(item), "X509_EXTENSION_get_data")
            var identifier = [CChar](repeating: 0, count: 128)
            let length = OBJ_obj2txt(&identifier, Int32(identifier.count), X509_EXTENSION_get_object(item), 1)
            guard length > 0, length < identifier.count else { throw .malformedKey("an identifier of more than 127 characters") }
            let bytes = Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(value), count: Int(ASN1_STRING_length(value))))
            let name = String(decoding: identifier.prefix(Int(length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
            guard found.updateValue(bytes, forKey: name) == nil else { throw .malformedKey("an extension that stands twice") }
        }
        return found
    }
}
