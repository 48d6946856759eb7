import ArgumentParser
import Curl
import HTTP
import Runtime
import Server

/// `gatehouse reload`: makes the running server read its project files again, and reports how that went, which a signal cannot.
struct ReloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Make the running server read its project files again, and print the result. Needs operations.listen.")

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let settings = try common.serverSettings()
        guard let address = settings.operations?.dialled else {
            throw Failed("a reload needs operations.listen, which is not configured; without it, send SIGHUP and read the log")
        }
        let client = try CommandSupport.client(
            dialling: CommandSupport.thisMachine(address), on: try Loop(index: 0))
        // A GET would be sent again when a connection breaks; a POST is not.
        var request = OutboundRequest(.post, "http://\(address)\(Reload.path)", body: [])
        request.timeout = .seconds(60)
        let response: OutboundResponse
        do { response = try await client.send(request) } catch { throw Failed("no server answers at \(address): \(error)") }
        let text = String(decoding: response.body, as: UTF8.self)
        guard response.status == 200 else {
            throw Failed(text.isEmpty ? "status \(response.status)" : String(text.last == "\n" ? text.dropLast() : text[...]))
        }
        print(text, terminator: "")
    }
}
