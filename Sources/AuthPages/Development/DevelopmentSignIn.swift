package import Web

/// The page that takes the place of a provider's own, in development mode: no client at the provider is needed.
///
/// `HandlerPage` and `Start` send the browser here as they would send it to a provider. The developer picks a person, and the page's links
/// lead back to `Callback` with a code that says who it is. From there on everything is as with a real provider.
package enum DevelopmentSignIn {
    /// Every page. A server in production does not have them. To add a page, add a file in this folder and a line here.
    package static let handlers: [Handler] = [
        DevelopmentPage.handler
    ]
}
