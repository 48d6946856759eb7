import Migration
import Testing

struct SourceLossesTests {
    @Test func `adds up what is lost`() {
        var losses = SourceLosses()
        losses.add("a")
        losses.add("b", 2)
        var others = SourceLosses()
        others.add("b", 3)
        others.note("c", 4)
        losses.add(others)
        #expect(losses.counts == ["a": 1, "b": 5])
        #expect(losses.notes == ["c": 4])
    }
}
