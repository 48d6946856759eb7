import ProjectSettings
import Testing

@Suite struct LogoTests {
    @Test(arguments: [
        (Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8), "image/svg+xml"),
        (Array("\n<?xml version=\"1.0\"?>\n<svg/>".utf8), "image/svg+xml"),
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"),
        ([0xFF, 0xD8, 0xFF, 0xE0], "image/jpeg"),
        (Array("RIFF".utf8) + [0x24, 0, 0, 0] + Array("WEBPVP8 ".utf8), "image/webp"),
    ]) func `tells a picture by what it begins with`(bytes: [UInt8], mediaType: String) {
        #expect(Logo(bytes)?.mediaType == mediaType)
    }

    @Test(arguments: ["", "GIF89a", "<html><svg/></html>", "<?xml version=\"1.0\"?><html/>", "\u{89}PNG"])
    func `takes nothing else for a picture`(text: String) { #expect(Logo(Array(text.utf8)) == nil) }
}
