import Testing

@testable import ProjectSettings

struct PublicSuffixTests {
    @Test(arguments: [
        ("app.example.com", "example.com"), ("example.com", "example.com"), ("a.b.example.co.uk", "example.co.uk"),
        ("one.github.io", "one.github.io"), ("a.one.github.io", "one.github.io"), ("a.b.up.railway.app", "b.up.railway.app"),
        ("a.b.co.zz", "b.co.zz"), ("a.b.go.kr", "b.go.kr"), ("a.b.sch.id", "b.sch.id"), ("localhost", "localhost"),
        ("192.0.2.1", "192.0.2.1"), ("[2001:db8::1]", "[2001:db8::1]"),
    ])
    func `names the site of a host`(host: String, site: String) {
        #expect(PublicSuffix.site(of: host) == site)
    }
}
