@testable import AuthPages
import HTTP
import Testing
import Text
import Web

@Suite struct ProviderOptionsTests {
    @Test func `reads scopes by commas and spaces, and parameters as text`() throws {
        let options = try ProviderOptions(
            Form([("scopes", "a,b c"), ("customParameters", #"{"prompt":"login","max_age":5,"x":true}"#)]))
        #expect(options.scopes == ["a", "b", "c"])
        #expect(options.customParameters == ["prompt": "login", "max_age": "5", "x": "true"])
    }

    @Test func `takes absent and empty for nothing`() throws {
        for form in [Form(), Form([("scopes", ""), ("customParameters", "")])] {
            let options = try ProviderOptions(form)
            #expect(options.scopes == [] && options.customParameters == [:])
        }
    }

    @Test(arguments: ["[]", "x", "{\"a\":null}", "{\"a\":{}}", "{\"a\":[]}"])
    func `refuses parameters that are not texts`(text: String) {
        #expect(throws: Failure.self) { try ProviderOptions(Form([("customParameters", text)])) }
    }
}
