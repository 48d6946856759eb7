import Testing

@testable import Providers

@Suite struct ProviderMarkTests {
    /// The elements of a drawing, each with the attributes that it may have. None of them runs, loads or names anything.
    private static let allowed: [Substring: Set<Substring>] = [
        "svg": ["class", "viewBox", "width", "height", "aria-hidden"], "g": ["fill", "stroke-width"],
        "path": ["d", "fill", "fill-rule", "stroke", "stroke-width"],
    ]

    /// Whether the text is well-formed XML and a drawing of those elements alone, with nothing between them.
    private func isDrawing(_ svg: String) -> Bool {
        var rest = svg[...]
        var open: [Substring] = []
        while !rest.isEmpty {
            if let end = rest.prefixMatch(of: #/</(\w+)>\s*/#) {
                guard open.popLast() == end.1 else { return false }
                rest = rest[end.range.upperBound...]
            } else if let start = rest.prefixMatch(of: #/<(\w+)((?: [\w-]+="[^"<>&]*")*)(/?)>\s*/#) {
                let attributes = start.2.matches(of: #/ ([\w-]+)=/#).map(\.1)
                guard let known = Self.allowed[start.1], known.isSuperset(of: attributes), Set(attributes).count == attributes.count else {
                    return false
                }
                if start.3.isEmpty { open.append(start.1) }
                rest = rest[start.range.upperBound...]
            } else {
                return false
            }
            // One element holds all others.
            if open.isEmpty { return rest.isEmpty }
        }
        return false
    }

    @Test(arguments: Provider.catalog.map(\.id)) func `every provider of the catalogue has a mark that only draws`(_ id: String) throws {
        let mark = try #require(Provider.named(id)?.button.mark)
        #expect(isDrawing(mark.svg))
        #expect(mark.svg.contains("<path "))
    }

    @Test func `an issuer of OpenID Connect has no mark`() throws {
        #expect(try #require(Provider.named("oidc.acme")).button.mark == nil)
    }

    @Test func `a drawing with a script, an address, a loose end or an element too many is found`() {
        for shapes: StaticString in [
            "<script>1</script>", #"<path d="M0 0" href="x"/>"#, #"<path d="M0 0" onclick="x"/>"#, #"<path d="M0 0">"#, "text",
            "</svg><svg>",
            #"<path d="M0 0" d="M1 1"/>"#, "<g></path>", "&amp;",
        ] { #expect(!isDrawing(ProviderMark(shapes).svg), "\(shapes)") }
    }
}
