/// The look of a provider's sign-in button, close to what the provider's rules for its brand ask for.
package struct ButtonStyle: Sendable, Equatable {
    /// `nil`: the button has words alone.
    package var mark: ProviderMark?
    /// `nil`: the colours of the page.
    package var light: Colors?
    /// On a dark page; `nil`: the same as on a light one.
    package var dark: Colors?
    /// Whether the button says "Sign in with …" and not "Continue with …".
    package var saysSignIn = false

    package init(mark: ProviderMark? = nil, light: Colors? = nil, dark: Colors? = nil, saysSignIn: Bool = false) {
        self.mark = mark
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

/// The mark of a provider, drawn by us. Pages write it out as it is, so only literals of these sources become one.
package struct ProviderMark: Sendable, Equatable {
    /// An `svg` element of HTML. Screen readers pass over it: the words of the button name the provider.
    package let svg: String

    /// - Parameter shapes: the content of an element that is 24 units wide and high. `currentColor` is the colour of the button's text.
    init(_ shapes: StaticString) {
        svg = #"<svg class="mark" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">\#(shapes)</svg>"#
    }
}

extension ProviderSettings {
    /// The look of the button that signs in with this provider.
    package var button: ButtonStyle { Provider.named(id)?.button ?? ButtonStyle() }
}
