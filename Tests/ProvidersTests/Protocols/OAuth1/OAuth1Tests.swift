import HTTP
import Testing

@testable import Providers

/// Known answers: the figures of RFC 5849, and of Twitter's page on signatures.
@Suite struct OAuth1SignatureTests {
    /// <https://www.rfc-editor.org/rfc/rfc5849#section-3.4.1.1>
    @Test func `the text to sign has method, address and all parameters in order, encoded twice`() throws {
        let signature = OAuth1Signature(
            method: .post, url: try #require(URI.parse("http://EXAMPLE.COM:80/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b")),
            parameters: [
                ("oauth_consumer_key", "9djdj82h48djs9d2"), ("oauth_token", "kkk9d7dh3k39sjv7"), ("oauth_signature_method", "HMAC-SHA1"),
                ("oauth_timestamp", "137131201"), ("oauth_nonce", "7d8f3e4a"), ("c2", ""), ("a3", "2 q"),
            ])
        #expect(
            signature.baseString == "POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D"
                + "%26c%2540%3D%26c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a"
                + "%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7")
    }

    /// <https://www.rfc-editor.org/rfc/rfc5849#section-1.2>
    @Test func `signs the exchange and the call of the example of RFC 5849`() throws {
        let client = [("oauth_consumer_key", "dpf43f3p2l4k3l03"), ("oauth_signature_method", "HMAC-SHA1")]
        let exchange = OAuth1Signature(
            method: .post, url: try #require(URI.parse("https://photos.example.net/token")),
            parameters: client.map { (name: $0.0, value: $0.1) } + [
                ("oauth_token", "hh5s93j4hdidpola"), ("oauth_timestamp", "137131201"), ("oauth_nonce", "walatlh"),
                ("oauth_verifier", "hfdp7dh39dks9884"),
            ])
        #expect(exchange.signed(clientSecret: "kd94hf93k423kf44", tokenSecret: "hdhd0244k9j7ao03") == "gKgrFCywp7rO0OXSjdot/IHF7IU=")
        let call = OAuth1Signature(
            method: .get, url: try #require(URI.parse("http://photos.example.net/photos?file=vacation.jpg&size=original")),
            parameters: client.map { (name: $0.0, value: $0.1) } + [
                ("oauth_token", "nnch734d00sl2jdk"), ("oauth_timestamp", "137131202"), ("oauth_nonce", "chapoH"),
            ])
        #expect(call.signed(clientSecret: "kd94hf93k423kf44", tokenSecret: "pfkkdhi9sl3r4s00") == "MdpQcU8iPSUjWoN/UDMsK2sui9I=")
    }

    /// <https://developer.x.com/en/docs/authentication/oauth-1-0a/creating-a-signature>
    @Test func `signs the example of Twitter`() throws {
        let signature = OAuth1Signature(
            method: .post, url: try #require(URI.parse("https://api.twitter.com/1.1/statuses/update.json?include_entities=true")),
            parameters: [
                ("status", "Hello Ladies + Gentlemen, a signed OAuth request!"), ("oauth_consumer_key", "xvz1evFS4wEEPTGEFPHBog"),
                ("oauth_nonce", "kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg"), ("oauth_signature_method", "HMAC-SHA1"),
                ("oauth_timestamp", "1318622958"), ("oauth_token", "370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb"),
                ("oauth_version", "1.0"),
            ])
        let signed = signature.signed(
            clientSecret: "kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw", tokenSecret: "LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE")
        #expect(signed == "hCtSmYh+iHYCEqBWrE7C7hYmtUk=")
    }
}
