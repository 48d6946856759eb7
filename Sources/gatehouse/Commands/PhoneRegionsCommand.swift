import ArgumentParser
import Identity
import Text

/// `gatehouse phone-regions`: the regions that the server sees in phone numbers, for an operator who writes `phone.regions`.
struct PhoneRegionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "phone-regions",
        abstract: "Print the region of each phone number that standard input has in a line of its own.",
        discussion: """
            A region is the one that phone.regions of a project's file names; ZZ is one that no name stands for. A hyphen says that no message is \
            sent to the number anywhere, since it is not in international form or cannot exist.
            """)

    /// As every command takes it, though nothing of the file is read here.
    @OptionGroup var common: CommonOptions

    func run() {
        while let line = readLine() { print(line, PossiblePhoneNumber(UTF8Text(line))?.region ?? "-") }
    }
}
