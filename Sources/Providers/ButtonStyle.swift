/// The look of a provider's sign-in button, as the provider's rules for its brand ask for, as far as text and colours go.
package struct ButtonStyle: Sendable, Equatable {
    /// `nil`: the colours of the page.
    package var light: Colors?
    /// On a dark page; `nil`: the same as on a light one.
    package var dark: Colors?
    /// Whether the button says "Sign in with …" and not "Continue with …".
    package var saysSignIn = false

    package init(light: Colors? = nil, dark: Colors? = nil, saysSignIn: Bool = false) {
        self.light = light
        self.dark = dark
        self.saysSignIn = saysSignIn
    }

    /// Colours in the form `#rrggbb`.
    package struct Colors: Sendable, Equatable {
        package let text: String
        package let background: String
        package let border: String

        package init(_ text: String, on background: String, border: String? = nil) {
            self.text = text
            self.background = background
            self.border = border ?? background
        }
    }
}

extension ProviderSettings {
    /// The look of the button that signs in with this provider.
    package var button: ButtonStyle { Provider.named(id)?.button ?? ButtonStyle() }
}
