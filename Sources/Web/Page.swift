import Crypto
package import HTTP

/// Small pages for people. Text only, escaped; no script, no style of other hosts.
package enum Page {
    /// Headers of every page below `/__/auth/`: nothing loads, nothing frames, nothing is kept, nothing leaks by Referer.
    package static let headers: Headers = [
        "content-type": "text/html; charset=utf-8",
        "content-security-policy":
            "default-src 'none'; style-src 'sha256-\(styleHash)'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "cache-control": "no-store", "referrer-policy": "no-referrer", "x-content-type-options": "nosniff", "x-frame-options": "DENY",
    ]

    package static func message(status: Int, title: String, text: String) -> Response {
        let html = """
            <!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">\
            <title>\(escaped(title))</title><style>\(style)</style></head>\
            <body><main><h1>\(escaped(title))</h1><p>\(escaped(text))</p></main></body></html>
            """
        return Response(status: status, headers: headers, body: Array(html.utf8))
    }

    package static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.append(character)
            }
        }
    }

    static let style = """
        body{font:16px/1.5 system-ui,sans-serif;margin:0;min-height:100vh;display:grid;place-items:center;background:#f6f7f9;color:#1d2330}\
        main{max-width:26rem;padding:2rem;background:#fff;border-radius:12px;box-shadow:0 1px 8px #0002}h1{font-size:1.25rem;margin:0 0 .5rem}\
        p{margin:0}@media(prefers-color-scheme:dark){body{background:#12151c;color:#e8eaf0}main{background:#1d222d}}
        """
}

extension Page {
    /// Lets the one inline style through a policy that lets nothing else through.
    static let styleHash = Base64.encode(Digest.sha256(Array(style.utf8)))
}
