import HTTP
import Testing
import Text

@Suite struct CookieTests {
    @Test func `reads the pairs of a header`() {
        #expect(Cookie.parse("a=1; b=x=y;c=\"q\" ; d=").map { "\($0.name)|\($0.value)" } == ["a|1", "b|x=y", "c|q", "d|"])
    }

    @Test(arguments: ["", "===;;;", "=a", "a", "a b=c", "ä=1"]) func `leaves out parts that are not a pair`(header: String) {
        #expect(Cookie.parse(UTF8Text(header)).isEmpty)
    }

    @Test func `SEC-18 gives no value when two cookies of one name differ`() {
        #expect((["cookie": "s=1; t=2"] as Headers).cookie("s") == "1")
        #expect((["cookie": "s=1; s=1"] as Headers).cookie("s") == "1")
        #expect((["cookie": "s=1; s=2"] as Headers).cookie("s") == nil)
        #expect((["cookie": "s=1", "cookie": "s=2"] as Headers).cookie("s") == nil)
        #expect((["cookie": "a=1", "cookie": "b=2"] as Headers).cookie("b") == "2")
        #expect((["cookie": "S=1"] as Headers).cookie("s") == nil)
    }

    @Test func `SEC-18 writes a cookie that is safe unless told otherwise`() {
        #expect(SetCookie("__Host-flow", "abc").header == "__Host-flow=abc; Path=/; Secure; HttpOnly; SameSite=Lax")
        var cookie = SetCookie("a", "b", maxAge: .seconds(60))
        cookie.sameSite = .none
        cookie.isPartitioned = true
        cookie.isHTTPOnly = false
        cookie.path = "/__/auth"
        #expect(cookie.header == "a=b; Path=/__/auth; Max-Age=60; Secure; SameSite=None; Partitioned")
    }

    @Test func `cannot be made to write a second attribute`() {
        var cookie = SetCookie("a;b", "x; Domain=evil\r\nSet-Cookie: y,ä", maxAge: .zero)
        cookie.path = "/;Domain=evil"
        #expect(
            cookie.header
                == "a%3Bb=x%3B%20Domain=evil%0D%0ASet-Cookie:%20y%2C%C3%A4; Path=/%3BDomain%3Devil; Max-Age=0; Secure; HttpOnly; SameSite=Lax"
        )
    }
}
