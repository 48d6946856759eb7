import HTTP

/// Domains below which any person can get a host: registries such as `co.uk`, and hosting services such as `github.io`.
///
/// The whole list (<https://publicsuffix.org>) has about ten thousand entries and changes every week. This is the part that operators are
/// likely to meet. It only serves to warn: browsers have the real list.
package enum PublicSuffix {
    /// The part of a host that browsers treat as one site: the public suffix and the name before it. Addresses and single names are sites
    /// of their own.
    package static func site(of host: String) -> String {
        let labels = host.split(separator: ".")
        guard URI.parse("https://\(host)")?.address == nil, labels.count > 2 else { return host }
        let suffix = (2...3).last { count in
            let end = labels.suffix(count).joined(separator: ".")
            return isKnown(end) || looksLikeOne(end, words: words.union(moreWords))
        }
        return labels.suffix((suffix ?? 1) + 1).joined(separator: ".")
    }

    /// Whether other people can have hosts directly below `host`.
    static func isKnown(_ host: String) -> Bool { registries.contains(host) || services.contains(host) }

    /// Whether `host` looks like a registry: two names, of which the second is a country and the first a word that registries of countries
    /// use.
    static func looksLikeOne(_ host: String, words: Set<String> = words) -> Bool {
        let labels = host.split(separator: ".")
        guard labels.count == 2, labels[1].utf8.count == 2 else { return false }
        return words.contains(String(labels[0]))
    }

    /// Words of registries that people have for domains of their own, too.
    private static let moreWords: Set<String> = ["gen", "go", "info", "sch", "web"]

    static let words: Set<String> = [
        "ac", "co", "com", "edu", "gob", "gouv", "gov", "mil", "ne", "net", "nom", "or", "org",
    ]

    private static let registries: Set<String> = [
        "ac.at", "ac.jp", "ac.nz", "ac.uk", "ac.za", "co.at", "co.id", "co.il", "co.in", "co.jp", "co.ke", "co.kr", "co.nz", "co.th",
        "co.uk", "co.za", "com.ar", "com.au", "com.bd", "com.br", "com.cn", "com.co", "com.cy", "com.ec", "com.eg", "com.es", "com.gr",
        "com.hk", "com.mt", "com.mx", "com.my", "com.ng", "com.pe", "com.ph", "com.pk", "com.pl", "com.pt", "com.ru", "com.sa", "com.sg",
        "com.tr", "com.tw", "com.ua", "com.uy", "com.ve", "com.vn", "edu.au", "go.jp", "gov.au", "gov.uk", "govt.nz", "id.au", "ltd.uk",
        "me.uk", "ne.jp", "net.au", "net.br", "net.cn", "net.in", "net.nz", "net.pl", "net.uk", "nhs.uk", "or.at", "or.jp", "or.kr",
        "org.au", "org.br", "org.cn", "org.es", "org.il", "org.in", "org.nz", "org.pl", "org.tr", "org.tw", "org.uk", "org.za", "plc.uk",
        "sch.uk",
    ]

    private static let services: Set<String> = [
        "appspot.com", "azurestaticapps.net", "azurewebsites.net", "blogspot.com", "cloudfront.net", "cloudfunctions.net",
        "codesandbox.io", "csb.app", "ddns.net", "deno.dev", "duckdns.org", "dyndns.org", "elasticbeanstalk.com", "firebaseapp.com",
        "fly.dev", "github.dev", "github.io", "gitlab.io", "gitpod.io", "glitch.me", "herokuapp.com", "lhr.life", "loca.lt",
        "myshopify.com", "netlify.app", "ngrok-free.app", "ngrok.app", "ngrok.io", "nip.io", "no-ip.org", "now.sh", "onrender.com",
        "pages.dev", "repl.co", "replit.app", "replit.dev", "run.app", "s3.amazonaws.com", "sslip.io", "stackblitz.io", "surge.sh",
        "trycloudflare.com", "up.railway.app", "vercel.app", "web.app", "webflow.io", "wixsite.com", "wordpress.com", "workers.dev",
    ]
}
