import Glibc

/// Reads standard input for a command.
enum Input {
    /// The lines, without those that are empty.
    static func lines() -> [String] {
        var lines: [String] = []
        while let line = readLine() { if !line.isEmpty { lines.append(line) } }
        return lines
    }

    private static let controlC: UInt8 = 3

    /// One line of the terminal. `readLine` would wait for a line feed, also when Ctrl-C ends the line.
    private static func terminalLine() -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return String(decoding: bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// A password: the first line. On a terminal it is asked for, and not shown. It never stands on the command line, which every user of
    /// the machine can read.
    static func password() throws -> String {
        var former = termios()
        let isTerminal = isatty(STDIN_FILENO) == 1 && tcgetattr(STDIN_FILENO, &former) == 0
        if isTerminal {
            var silent = former
            // Without signals, too: a process that one of them ends would leave the terminal as it is now. Ctrl-C ends the line instead.
            silent.c_lflag &= ~tcflag_t(ECHO | ISIG)
            withUnsafeMutableBytes(of: &silent.c_cc) { $0[Int(VEOL)] = controlC }
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
            CommandSupport.remark("Password:")
        }
        defer { if isTerminal { tcsetattr(STDIN_FILENO, TCSAFLUSH, &former) } }
        guard let line = isTerminal ? terminalLine() : readLine(), !line.isEmpty else { throw Failed("standard input has no password") }
        guard !isTerminal || !line.utf8.contains(controlC) else { throw Failed("interrupted") }
        return line
    }

    /// The answer to a question on the terminal: only `y` and `yes` mean yes. `nil` where standard input is not a terminal.
    static func confirmation(of question: String) -> Bool? {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        CommandSupport.remark("\(question) [y/N]")
        return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
    }
}
