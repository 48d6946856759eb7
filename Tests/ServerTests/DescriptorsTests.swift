import Config
import Curl
import HTTPServer
import Runtime
import TestKit
import Testing

@testable import Server

@Suite struct DescriptorsTests {
    /// How many connections fit, and what is noted.
    private func fit(
        _ connections: Int, loops: Int = 2, databaseConnections: Int = 5, says: String = "limits: {connections: 1}"
    ) throws -> (connections: Int, notes: [String]) {
        let folder = try TestFolder(["gatehouse.yaml": says])
        let faults = Faults()
        let section = ConfigFile.read(folder.path + "/gatehouse.yaml", environment: [:], faults: faults)
        var limits = ServerLimits()
        limits.connections = connections
        let fitting = Descriptors.fit(limits, loops: loops, databaseConnections: databaseConnections, section.section("limits"))
        #expect(faults.isEmpty)
        return (fitting.connections, faults.notes.map(\.message))
    }

    @Test func `leaves the connections that fit as they are`() throws {
        let (connections, notes) = try fit(1)
        #expect(connections == 1 && notes == [])
    }

    @Test func `keeps descriptors for the database and for each loop, and says so`() throws {
        let (connections, notes) = try fit(.max)
        #expect(connections < SystemLimits.mostDescriptors - Descriptors.forOperations)
        #expect(try fit(.max, databaseConnections: 8).connections == connections - 3)
        #expect(try fit(.max, loops: 3).connections == connections - 8 - HTTPClient.mostConnections)
        #expect(notes.count == 1 && notes.first?.contains("leaves \(connections) for connections; raise LimitNOFILE") == true)
    }

    @Test func `does not speak of a default that nobody wrote, unless few connections are left`() throws {
        let (connections, notes) = try fit(.max, says: "loops: 2")
        #expect(notes.isEmpty == (connections >= 1000))
    }
}
