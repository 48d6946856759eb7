import COpenSSL
package import Runtime

/// X.509 certificates: self-signed ones, the form in which Firebase's clients expect our public keys, and those of keys that others know
/// by a certificate.
/// <https://www.rfc-editor.org/rfc/rfc5280>
package enum Certificate {
    /// PEM. The serial number is not zero and takes at most 20 bytes with its sign; times are cut to whole seconds.
    /// Signed with SHA-256, or Ed25519's own hash.
    package static func selfSigned(
        key: PrivateKey, commonName: String, notBefore: Instant, notAfter: Instant, serial: [UInt8]
    ) throws(CryptoError) -> String {
        let certificate: OpaquePointer = try check(X509_new(), "X509_new")
        defer { X509_free(certificate) }
        try check(X509_set_version(certificate, 2), "X509_set_version")
        try setSerial(serial, of: certificate)
        _ = try check(ASN1_TIME_set(X509_getm_notBefore(certificate), time_t(notBefore.seconds)), "ASN1_TIME_set")
        _ = try check(ASN1_TIME_set(X509_getm_notAfter(certificate), time_t(notAfter.seconds)), "ASN1_TIME_set")
        // Subject and issuer are the same name.
        let name: OpaquePointer = try check(X509_get_subject_name(certificate), "X509_get_subject_name")
        let text = Array(commonName.utf8)
        try check(
            X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_UTF8, text, Int32(text.count), -1, 0), "X509_NAME_add_entry_by_NID")
        try check(X509_set_issuer_name(certificate, name), "X509_set_issuer_name")
        try add(NID_basic_constraints, "critical,CA:FALSE", to: certificate)
        try add(NID_key_usage, "critical,digitalSignature", to: certificate)
        try key.withHandle { handle throws(CryptoError) in
            try handle.withPointer { key throws(CryptoError) in
                try check(X509_set_pubkey(certificate, key), "X509_set_pubkey")
                let digest = EVP_PKEY_is_a(key, "ED25519") == 1 ? nil : DigestAlgorithm.sha256.raw
                guard X509_sign(certificate, key, digest) > 0 else { throw .failed("X509_sign") }
            }
        }
        return PEM.encode(encodeDER("i2d_X509") { i2d_X509(certificate, $0) }, label: "CERTIFICATE")
    }

    /// The SHA-256 of the first certificate in a PEM text, by which a service finds it (`x5t#S256`); `nil` without a certificate. Throws
    /// when it cannot be read or is of another key.
    /// <https://www.rfc-editor.org/rfc/rfc7515#section-4.1.8>
    package static func thumbprint(pem text: String, of key: PrivateKey) throws(CryptoError) -> [UInt8]? {
        guard let der = PEM.decode(text, label: "CERTIFICATE") else { return nil }
        guard let certificate = parse(der) else {
            ERR_clear_error()
            throw .malformedKey("not an X.509 certificate")
        }
        defer { X509_free(certificate) }
        guard let publicKey = X509_get0_pubkey(certificate), encodeDER("i2d_PUBKEY", { i2d_PUBKEY(publicKey, $0) }) == key.publicKey.der
        else {
            ERR_clear_error()
            throw .malformedKey("a certificate of another key")
        }
        return Digest.sha256(der)
    }

    /// How long the first certificate in a PEM text is still valid by this machine's clock, negative when it is not any more; `nil` without
    /// a certificate that can be read.
    package static func timeLeft(pem text: String) -> Duration? {
        guard let certificate = PEM.decode(text, label: "CERTIFICATE").flatMap(parse) else {
            ERR_clear_error()
            return nil
        }
        defer { X509_free(certificate) }
        var (days, seconds): (Int32, Int32) = (0, 0)
        guard ASN1_TIME_diff(&days, &seconds, nil, X509_get0_notAfter(certificate)) == 1 else {
            ERR_clear_error()
            return nil
        }
        return .seconds(Int64(days) * 86_400 + Int64(seconds))
    }

    private static func parse(_ der: [UInt8]) -> OpaquePointer? {
        der.withUnsafeBufferPointer { der in
            var position = der.baseAddress
            return d2i_X509(nil, &position, der.count)
        }
    }

    private static func setSerial(_ serial: [UInt8], of certificate: OpaquePointer) throws(CryptoError) {
        guard (1...20).contains(serial.count), serial.count < 20 || serial[0] < 0x80, serial.contains(where: { $0 != 0 }) else {
            throw .unsupported("a serial number of zero, or of more than 20 bytes")
        }
        let number: OpaquePointer = try check(BN_bin2bn(serial, Int32(serial.count), nil), "BN_bin2bn")
        defer { BN_free(number) }
        _ = try check(BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)), "BN_to_ASN1_INTEGER")
    }

    private static func add(_ identifier: Int32, _ value: String, to certificate: OpaquePointer) throws(CryptoError) {
        let made: OpaquePointer = try check(X509V3_EXT_conf_nid(nil, nil, identifier, value), "X509V3_EXT_conf_nid")
        defer { X509_EXTENSION_free(made) }
        try check(X509_add_ext(certificate, made, -1), "X509_add_ext")
    }
}
