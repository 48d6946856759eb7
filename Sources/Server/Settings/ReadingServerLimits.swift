import Config
import HTTPServer

extension ServerLimits {
    init(_ section: Section) {
        self.init()
        requestLine = section.int("requestLine", default: requestLine, in: 512...65536)
        headerBlock = section.int("headerBlock", default: headerBlock, in: 1024...262_144)
        headerCount = section.int("headerCount", default: headerCount, in: 8...1000)
        body = section.int("body", default: body, in: 1024...67_108_864)
        unfinished = section.int("unfinished", default: unfinished, in: 1_048_576...17_179_869_184)
        headerRead = section.duration("headerRead", default: headerRead, in: .seconds(1)...(.seconds(120)))
        bodyRead = section.duration("bodyRead", default: bodyRead, in: .seconds(1)...(.seconds(600)))
        idle = section.duration("idle", default: idle, in: .seconds(1)...(.seconds(3600)))
        connections = section.int("connections", default: connections, in: 1...1_000_000)
        connectionsPerAddress = section.int("connectionsPerAddress", default: connectionsPerAddress, in: 1...1_000_000)
        section.finish()
    }
}
