import ArgumentParser
import Text

/// The option by which an operator says what the source's names of providers mean.
struct SourceProviderOptions: ParsableArguments {
    @Option(
        name: .customLong("provider"),
        help: ArgumentHelp(
            "The provider here that a name of the source means, such as acme-sso=oidc.acme. Can be given several times.",
            valueName: "name=id"))
    var providers: [String] = []

    func validate() throws {
        for provider in providers where Self.pair(provider) == nil {
            throw ValidationError("--provider needs a name of the source, =, and the id of a provider, such as acme-sso=oidc.acme.")
        }
    }

    var names: [UTF8Text: String] { Dictionary(providers.compactMap(Self.pair), uniquingKeysWith: { $1 }) }

    /// A name may have an equals sign, and an id has none.
    private static func pair(_ text: String) -> (UTF8Text, String)? {
        guard let equals = text.utf8.lastIndex(of: UInt8(ascii: "=")) else { return nil }
        let (name, id) = (text[..<equals], text[text.utf8.index(after: equals)...])
        return name.isEmpty || id.isEmpty ? nil : (UTF8Text(name), String(id))
    }
}
