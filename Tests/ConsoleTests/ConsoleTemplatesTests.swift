import FoundationEssentials
import Pages
import TestKit
import Testing

@testable import Console

/// The templates and words of the console.
@Suite struct ConsoleTemplatesTests {
    @Test func `every file of the folder is in the binary`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Repository.root + "/Sources/Console/Templates")
        #expect(ConsoleTemplates.files.keys.sorted() == names.sorted())
    }

    @Test func `every template can be read, and every word is there in every language`() {
        #expect(PageSet(ConsoleTemplates.files).mistakes == [])
    }
}
