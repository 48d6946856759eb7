import HTTP
import Testing

@testable import Pages
import Text

@Suite struct LanguageTests {
    private let spoken = ["de", "en", "pt-BR", "zh-Hant"]

    private func chosen(query: String = "", locale: String? = nil, accept: String? = nil, parameter: String? = nil) -> String {
        var headers = Headers()
        if let locale { headers.add("x-firebase-locale", locale) }
        if let accept { headers.add("accept-language", accept) }
        let request = Request(method: .get, path: "/", query: query, headers: headers)
        return Language.choose(from: spoken, for: request, parameter: parameter, otherwise: "en")
    }

    @Test func `prefers what the call says to what the app says to what the browser says`() {
        #expect(chosen(query: "hl=de", locale: "en", accept: "en") == "de")
        #expect(chosen(query: "lang=de", accept: "en") == "de")
        #expect(chosen(locale: "de", accept: "en") == "de")
        #expect(chosen(accept: "de") == "de")
        #expect(chosen(query: "hl=en", parameter: "de") == "de")
        #expect(chosen() == "en")
    }

    @Test func `goes on to the next wish when one cannot be met`() {
        #expect(chosen(query: "hl=fr", locale: "it", accept: "sv, de;q=0.5") == "de")
        #expect(chosen(query: "hl=<script>", accept: "de") == "de")
    }

    @Test(arguments: [
        ("de-CH-1996", "de"), ("DE", "de"), ("de_AT.UTF-8@euro", "de"), ("pt", "pt-BR"), ("pt-PT", "pt-BR"), ("zh-Hant-TW", "zh-Hant"),
        ("zh-Hant-x-private", "zh-Hant"), ("deu", "en"), ("d", "en"), ("", "en"),
    ])
    func `meets a wish by its longest beginning or a regional form`(_ wish: String, _ met: String) {
        #expect(chosen(locale: wish) == met)
    }

    @Test(arguments: [
        ("en;q=0.5, de;q=0.8", "de"), ("fr, de ; q=0.001", "de"), ("de;q=0, en", "en"), ("de;q=0", "en"), ("*", "en"), ("fr, *, de", "en"),
        ("de;q=1.001, pt", "pt-BR"), ("de;q=x, pt", "pt-BR"), ("de;level=1, pt", "pt-BR"), (",,;, de", "de"), ("de;q=1.000", "de"),
        ("en, de", "en"), ("de, en", "de"),
    ])
    func `weighs what browsers accept`(_ header: String, _ met: String) {
        #expect(chosen(accept: header) == met)
    }

    @Test func `does not read on for ever`() {
        #expect(Language.accepted(UTF8Text(String(repeating: "x,", count: 5000))).count <= 24)
        #expect(chosen(accept: String(repeating: "x", count: 2000) + ", de") == "en")
    }
}
