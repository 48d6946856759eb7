import Accounts
import Postgres
import TestKit
import Testing

@Suite struct EmbeddedSchemaTests {
    @Test func `the binary has every migration of the folder, byte by byte`() throws {
        let folder = try Schema(folder: Repository.root + "/Migrations")
        #expect(try Schema.embedded().fingerprint == folder.fingerprint)
    }
}
