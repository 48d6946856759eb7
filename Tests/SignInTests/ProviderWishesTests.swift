import HTTP
import Testing
import Text
import Web
@testable import SignIn

@Suite struct ProviderWishesTests {
    @Test func `reads scopes by commas and spaces, and parameters as text`() throws {
        let wishes = try ProviderWishes(
            Form([("scopes", "a,b c"), ("customParameters", #"{"prompt":"login","max_age":5,"x":true}"#)]))
        #expect(wishes.scopes == ["a", "b", "c"])
        #expect(wishes.customParameters == ["prompt": "login", "max_age": "5", "x": "true"])
    }

    @Test func `takes absent and empty for nothing`() throws {
        for form in [Form(), Form([("scopes", ""), ("customParameters", "")])] {
            let wishes = try ProviderWishes(form)
            #expect(wishes.scopes == [] && wishes.customParameters == [:])
        }
    }

    @Test(arguments: ["[]", "x", "{\"a\":null}", "{\"a\":{}}", "{\"a\":[]}"])
    func `refuses parameters that are not texts`(text: String) {
        #expect(throws: Failure.self) { try ProviderWishes(Form([("customParameters", text)])) }
    }
}
