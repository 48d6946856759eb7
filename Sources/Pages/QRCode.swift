import CQREncode

/// A QR code as a drawing for a page, made by libqrencode.
package struct QRCode: Sendable, Equatable {
    /// An `svg` element of HTML, black on white whatever the colours of the page are: cameras need the contrast.
    package let svg: String

    /// The number of light modules around the code that the standard asks for.
    private static let margin = 4

    /// - Parameters:
    ///   - text: is kept as bytes. `nil` for one that is too long for a code.
    ///   - label: read to people who do not see the drawing.
    package init?(_ text: String, label: String) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M) else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        guard let data = code.pointee.data else { return nil }
        var path = ""
        for row in 0..<width {
            for column in 0..<width where data[row * width + column] & 1 == 1 {
                path += "M\(column + Self.margin) \(row + Self.margin)h1v1h-1z"
            }
        }
        let size = width + 2 * Self.margin
        svg =
            ##"<svg class="qr" viewBox="0 0 \##(size) \##(size)" role="img" aria-label="\##(HTML.escaped(label))" shape-rendering="crispEdges">"##
            + ##"<path fill="#fff" d="M0 0h\##(size)v\##(size)H0z"/><path fill="#000" d="\##(path)"/></svg>"##
    }
}
