import Testing
import Text

@testable import Identity

/// Which numbers may exist. `Tests/EndToEnd/phone/test_numbers.py` compares the rule with another library's.
@Suite struct PhoneNumberTests {
    @Test(arguments: [
        ("+4930123456", "DE"), ("+16505550101", "US"), ("+14165550123", "CA"), ("+12425550123", "BS"), ("+77012345678", "KZ"),
        ("+79123456789", "RU"), ("+358181234567", "AX"), ("+358412345678", "FI"), ("+390669812345", "VA"), ("+390612345678", "IT"),
        ("+447700900123", "GB"), ("+447624123456", "IM"), ("+2250123456789", "CI"), ("+12005550123", "ZZ"),
    ])
    func `knows the region of a number, whether it is in use or not`(text: String, region: String) {
        #expect(PossiblePhoneNumber(UTF8Text(text))?.region == region)
    }

    @Test(arguments: [
        "", "+", "4930123456", "004930123456", "+49 30 123456", "+49-30-123456", "+49(0)30123456", "+49030123456", "+0123456789", "+49301",
        "+493012345678901234", "+\u{FF14}\u{FF19}30123456", "+49\u{661}30123456", "+999123456789", "+80012345678", "+88123456789012",
        "+97912345678", "+1650555010", "+165055501011", "+4930123456\n", " +4930123456", "+4930123456;ext=1", "tel:+4930123456",
        "+49301234\u{200B}56", "+49", "+1", "+390", "+44 ",
    ])
    func `takes no number that cannot exist, and no other spelling of one that can`(text: String) {
        #expect(PossiblePhoneNumber(UTF8Text(text)) == nil)
    }

    @Test func `knows every region that a setting can name`() {
        for region in ["DE", "US", "CA", "GB", "KZ", "VA", "BS"] { #expect(PossiblePhoneNumber.isRegion(region)) }
        for region in ["ZZ", "de", "XX", "", "001", "*", "EU"] { #expect(!PossiblePhoneNumber.isRegion(region)) }
    }

    @Test func `puts numbers of a run together`() {
        #expect(PossiblePhoneNumber("+16505550101")?.run == "+1650555")
        #expect(PossiblePhoneNumber("+16505550199")?.run == "+1650555")
    }
}
