import ArgumentParser
import Server

/// `gatehouse openapi`: prints the description of every call.
struct OpenAPICommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "openapi", abstract: "Print the OpenAPI description of every call, for tools that make clients and tests from it.")

    /// As every command takes it, though nothing of the file is read here.
    @OptionGroup var common: CommonOptions

    func run() throws { print(try ServedCalls.descriptionText(), terminator: "") }
}
