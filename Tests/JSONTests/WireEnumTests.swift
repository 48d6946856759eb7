import JSON
import Testing
import Text

/// Enums by name and number, as Google's servers read them.
@Suite struct WireEnumTests {
    private enum Colour: String, WireEnum {
        static let unspecified = "COLOUR_UNSPECIFIED"
        case red = "RED"
        case green = "GREEN"
    }

    private struct Paint: Decodable {
        var first: Colour?
        var all: [Colour]?
    }

    private struct Strict: Decodable { var colour: Colour }

    @Test(arguments: ["GREEN", 2, "2"] as [JSON]) func `reads names and numbers`(value: JSON) throws {
        #expect(try JSON.object(["first": value]).decode(Paint.self).first == .green)
        #expect(try JSON.object(["all": [value, "RED"]]).decode(Paint.self).all == [.green, .red])
        #expect(try JSON.object(["colour": value]).decode(Strict.self).colour == .green)
    }

    @Test(arguments: ["COLOUR_UNSPECIFIED", 0, "0"] as [JSON]) func `takes the number 0 for absent`(value: JSON) throws {
        #expect(try JSON.object(["first": value]).decode(Paint.self).first == nil)
        #expect(try JSON.object(["all": [value, "RED"]]).decode(Paint.self).all == [.red])
        #expect(throws: JSONError.self) { try JSON.object(["colour": value]).decode(Strict.self) }
    }

    @Test(arguments: ["", "green", "OTHER_UNSPECIFIED", 3, -1, "3", true, 1.5] as [JSON])
    func `refuses everything else`(value: JSON) {
        #expect(throws: JSONError.self) { try JSON.object(["first": value]).decode(Paint.self) }
        #expect(throws: JSONError.self) { try JSON.object(["all": [value]]).decode(Paint.self) }
    }

    @Test func `an absent field and null are none`() throws {
        let paint = try (["first": .null] as JSON).decode(Paint.self)
        #expect(paint.first == nil && paint.all == nil)
    }
}
