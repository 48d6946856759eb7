import Accounts
import HTTP
import JSON
import Web

/// The small pages of the handler: what a script must know stands in an island of JSON, what it does in an external script.
///
/// No inline script or style, nothing of another host, no frame around it, nothing kept, nothing leaked by Referer. No
/// Cross-Origin-Opener-Policy: it would cut the popup off from the page that opened it.
struct HandlerPage {
    var title: String
    var body: String
    var data: JSON.Object
    var script = PageFile.handlerScript
    var language = "en"
    /// Who may frame the page; `'none'` for all that a person sees.
    var ancestors = "'none'"
    /// Whose scripts may run besides our own.
    var foreignScripts = ""

    var response: Response {
        let html = """
            <!doctype html><html lang="\(HTML.escaped(language))"><head><meta charset="utf-8">\
            <meta name="viewport" content="width=device-width"><title>\(HTML.escaped(title))</title>\
            <link rel="stylesheet" href="\(PageFile.style.link)"></head><body>\(body)\
            <script type="application/json" id="data">\(Self.island(data))</script>\
            <script src="\(script.link)" defer></script></body></html>
            """
        var headers: Headers = [
            "content-type": "text/html; charset=utf-8",
            "content-security-policy":
                "default-src 'none'; script-src 'self'\(foreignScripts); style-src 'self'; connect-src 'self'; base-uri 'none'; "
                + "form-action 'none'; frame-ancestors \(ancestors)",
            "cache-control": "no-store", "referrer-policy": "no-referrer", "x-content-type-options": "nosniff",
        ]
        if ancestors == "'none'" { headers.add("x-frame-options", "DENY") }
        return Response(headers: headers, body: Array(html.utf8))
    }

    /// JSON that cannot end the element it stands in. Looks at scalars: with an accent behind it a `<` is another character, but not to a browser.
    static func island(_ data: JSON.Object) -> String {
        var text = String.UnicodeScalarView()
        for scalar in JSON.object(data).text().unicodeScalars {
            if scalar == "<" { text.append(contentsOf: "\\u003c".unicodeScalars) } else { text.append(scalar) }
        }
        return String(text)
    }
}

/// A page about the handler is a page of its own: frames, scripts and prefetches are refused where the browser says what it asks for.
enum Destination {
    static func check(_ request: Request, is wanted: String) throws(Failure) {
        guard let destination = request.headers["sec-fetch-dest"], destination != wanted else { return }
        throw Failure("INVALID_ARGUMENT", "This address is not to be opened in this way.")
    }
}
