package import Text

/// A provider that Firebase has and this server does not. Operators and apps that name it learn why.
package struct RefusedProvider: Sendable {
    let id: String
    /// As `Provider.name`.
    let name: String
    /// Stands after the provider's id, in a fault of the configuration and in an error for an app.
    package let reason: String

    package static func named(_ id: UTF8Text) -> RefusedProvider? { refused.first { id == $0.id } }
}
