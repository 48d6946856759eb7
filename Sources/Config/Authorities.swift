extension Section {
    private static let maxAuthorityBytes = 1 << 20

    /// The path of a PEM file with certificate authorities, relative to the configuration file's folder; `nil` where the file names none.
    package func authorities(_ key: String) -> String? {
        guard let name = string(key) else { return nil }
        let file = source.resolved(name)
        do {
            let text = String(decoding: try FileBytes.read(file, atMost: Self.maxAuthorityBytes), as: UTF8.self)
            if !text.utf8.contains(Array("-----BEGIN CERTIFICATE-----".utf8)) {
                fault(key, "the file \(file) has no certificate; it must hold the authorities' certificates in PEM form")
            }
        } catch {
            fault(key, "the file \(file) \(error.message)")
        }
        return file
    }

    /// The text of another file that `key` names, relative to the configuration file's folder, with its path; `nil` where the key is absent
    /// or the file cannot be read.
    package func text(ofFile key: String) -> (path: String, text: String)? {
        bytes(ofFile: key, atMost: Self.maxAuthorityBytes).map { ($0.path, String(decoding: $0.bytes, as: UTF8.self)) }
    }

    /// The same as bytes.
    ///
    /// - Parameter limit: bytes; a larger file is a fault.
    package func bytes(ofFile key: String, atMost limit: Int) -> (path: String, bytes: [UInt8])? {
        guard let name = string(key) else { return nil }
        let file = source.resolved(name)
        source.note(file)
        do { return (file, try FileBytes.read(file, atMost: limit)) } catch {
            fault(key, "the file \(file) \(error.message)")
            return nil
        }
    }
}
