/// A project's logo, which each page has inside: so a page still loads nothing from elsewhere.
package struct Logo: Sendable, Equatable {
    /// Every page carries it, so it must be small.
    static let maxBytes = 32 * 1024

    /// `image/svg+xml`, and the like.
    package let mediaType: String
    package let bytes: [UInt8]

    /// The picture of a file, by what the file begins with; `nil` for any other content.
    ///
    /// Browsers run no script of a picture in `img`, and load nothing that an SVG names.
    package init?(_ bytes: [UInt8]) {
        guard let mediaType = Self.mediaType(of: bytes) else { return nil }
        self.mediaType = mediaType
        self.bytes = bytes
    }

    private static func mediaType(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) { return "image/webp" }
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let start = text.utf8.drop { [0x09, 0x0A, 0x0D, 0x20].contains($0) }
        let isXML = start.starts(with: "<svg".utf8) || start.starts(with: "<?xml".utf8) && text.contains("<svg")
        return isXML ? "image/svg+xml" : nil
    }
}
