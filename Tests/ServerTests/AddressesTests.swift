import HTTP
import Runtime
import Testing

@testable import Server

/// Addresses in `gatehouse.yaml`: to listen on, of proxies, to call, of the database.
@Suite struct AddressesTests {
    @Test(
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1:8080"), ("localhost:80", "127.0.0.1:80"), ("[::1]:8080", "[::1]:8080"),
            ("[::]:65535", "[::]:65535"),
            ("0.0.0.0:1", "0.0.0.0:1"), ("127.0.0.1", nil), ("127.0.0.1:65536", nil), ("127.0.0.1:", nil), (":8080", nil),
            ("::1:8080", nil),
            ("[127.0.0.1]:8080", nil), ("[::1]", nil), ("LOCALHOST:80", nil), ("auth.example.com:443", nil), ("127.0.0.1:-1", nil),
            ("", nil),
        ] as [(String, String?)])
    func `SEC-22 listens on an address and never on a name that is resolved`(text: String, address: String?) {
        #expect(ListenAddress(text)?.description == address)
    }

    @Test(arguments: [
        ("0.0.0.0:8080", "127.0.0.1:8080"), ("[::]:8080", "[::1]:8080"), ("10.0.0.1:80", "10.0.0.1:80"), ("[::1]:80", "[::1]:80"),
    ])
    func `is called at loopback where it listens on every address`(text: String, dialled: String) throws {
        #expect(try #require(ListenAddress(text)).dialled.description == dialled)
    }

    @Test(arguments: ["0.0.0.0/0", "128.0.0.0/1", "\"::/0\"", "10.0.0.0/7", "\"fc00::/6\""])
    func `SEC-08 takes no range that holds clients for proxies`(
        range: String
    ) throws {
        let (_, faults, notes) = try WrittenConfiguration("trustedProxies: [\(range)]").settings()
        let plain = range.filter { $0 != "\"" }
        #expect(notes == [] && faults.count == 1)
        #expect(faults.first?.contains("trustedProxies: \(plain) holds clients too, who could then name any address") == true, "\(faults)")
    }

    @Test(arguments: ["0.0.0.0/0", "\"::/0\""]) func `lets no configuration have every machine called`(range: String) throws {
        let (_, faults, _) = try WrittenConfiguration("outbound: {allow: [\(range)]}").settings()
        #expect(faults.count == 1 && faults.first?.contains("outbound.allow: ") == true)
        #expect(faults.first?.contains("lets a provider's document have the server call any machine") == true, "\(faults)")
    }

    @Test(arguments: [
        ("169.254.169.254/32", "169.254.169.254"), ("169.254.169.0/24", "169.254.169.254"), ("168.63.129.16/32", "168.63.129.16"),
        ("100.100.100.0/24", "100.100.100.200"), ("\"fd00:ec2::254/128\"", "fd00:ec2::254"),
    ])
    func `notes a range with an address at which clouds give out credentials`(range: String, address: String) throws {
        let (_, faults, notes) = try WrittenConfiguration("outbound: {allow: [\(range)]}").settings()
        #expect(faults == [] && notes.count == 1)
        #expect(notes.first?.contains("holds \(address), where clouds give out a machine's credentials") == true, "\(notes)")
    }

    @Test func `takes narrow ranges without a word`() throws {
        let lines = "trustedProxies: [127.0.0.1/32, 10.0.0.0/8, \"fc00::/7\"]\noutbound: {allow: [10.1.2.0/24, 192.168.0.0/24]}"
        let (_, faults, notes) = try WrittenConfiguration(lines).settings()
        #expect(faults == [] && notes == [])
    }

    @Test(
        arguments: [
            ("postgresql://g:a%2Fb%40c@db.internal:5432/x?sslmode=verify-full", nil),
            ("postgresql://g@a:5432,b:5433/x?target_session_attrs=primary", nil), ("postgresql://g@[::1]:5432/x", nil),
            ("postgresql:///x?host=/run/postgresql&user=a@b", nil), ("host=db user=g password='a/b@c' dbname=x", nil),
            ("postgresql://g@db/x", nil), ("postgresql://g@db:/x", nil), ("postgresql://g:a/b@db/x", "write / as %2F"),
            ("postgresql://g:a@b@db/x", "@ as %40"), ("postgres://g:a/b@db.internal:5432/x?sslmode=verify-full", "write / as %2F"),
            ("postgresql://g@db:port/x", "has a port that is not a number"),
            ("postgresql://g@[::1]:99999/x", "has a port that is not a number"),
            ("postgresql://g@a:5432,b:0/x", "has a port that is not a number"), ("mysql://g@db/x", "is not a connection URL"),
            ("postgresql://g@db/x?colour=red", "is not a connection URL"),
        ] as [(String, String?)])
    func `finds what libpq does not understand, or otherwise than it was meant, in the URL of the database`(url: String, fault: String?)
        throws
    {
        let written = try WrittenConfiguration()
        written.environment["DATABASE"] = url
        let faults = written.settings().faults
        guard let fault else {
            #expect(faults == [])
            return
        }
        #expect(faults.count == 1 && faults.first?.hasPrefix("gatehouse.yaml:2:") == true)
        #expect(faults.first?.contains("  database: ") == true && faults.first?.contains(fault) == true, "\(faults)")
        #expect(faults.first?.contains(url) == false, "the URL may have a password")
    }
}
