import CCurl
package import Runtime

/// The server that takes our mail, and how to log in there.
package struct SMTPServer: Sendable {
    package enum Security: String, Sendable, CaseIterable {
        /// Plain until `STARTTLS`, which the server must offer, and encrypted from then on.
        case starttls
        /// Encrypted from the first byte.
        case tls
        case none
    }

    /// A name or an address, without brackets.
    package var host: String
    package var port: Int
    package var security: Security
    package var user: String?
    package var password: Secret?
    /// A PEM file of authorities to trust instead of the system's.
    package var authorities: String?
    /// The host name that we give in `EHLO`.
    package var localName: String
    /// The limit for everything from the name look-up to the server's last reply.
    package var timeout: Duration

    package init(
        host: String, port: Int, security: Security, user: String? = nil, password: Secret? = nil, authorities: String? = nil,
        localName: String, timeout: Duration = .seconds(30)
    ) {
        self.host = host
        self.port = port
        self.security = security
        self.user = user
        self.password = password
        self.authorities = authorities
        self.localName = localName
        self.timeout = timeout
    }
}

/// One mail as SMTP sees it. Addresses are without brackets and contain no spaces, brackets or control characters; lines end in CR LF.
package struct SMTPDelivery: Sendable {
    package var sender: String
    package var recipient: String
    package var message: [UInt8]

    package init(from sender: String, to recipient: String, message: [UInt8]) {
        self.sender = sender
        self.recipient = recipient
        self.message = message
    }
}

/// The reason why a server did not take a mail. It is for the log: it names hosts and reply codes, but no address and no part of the mail.
package struct SMTPError: Error, Equatable, Sendable {
    package let reason: String
    /// The server refused this mail for good (5xx). After any other error another attempt may succeed, also after a refused log-in, once
    /// its password is corrected.
    package let isPermanent: Bool
}

extension HTTPClient {
    /// Gives one mail to the server, and returns once the server has confirmed that it is now responsible for the mail.
    package func send(_ delivery: SMTPDelivery, by server: SMTPServer) async throws(SMTPError) {
        if let error = await transfers.run(SMTPJob(server: server, delivery: delivery)) { throw error }
    }

    /// Connects and greets the server, with TLS and log-in as configured, and sends nothing. Throws the error that a mail would meet.
    package func greet(_ server: SMTPServer) async throws(SMTPError) {
        if let error = await transfers.run(SMTPJob(server: server, delivery: nil)) { throw error }
    }
}

private struct SMTPJob: TransferJob {
    let server: SMTPServer
    let delivery: SMTPDelivery?

    func begin() throws(OutboundError) -> SMTPTransfer { try SMTPTransfer(delivery, server) }

    func refused(_ error: OutboundError) -> SMTPError? { SMTPError(reason: "\(error)", isPermanent: false) }

    func outcome(of transfer: SMTPTransfer, _ end: TransferEnd) -> SMTPError? {
        switch end {
        case .done(CURLE_OK): nil
        case .done(let code): transfer.error(code)
        case .cancelled: SMTPError(reason: "cancelled", isPermanent: false)
        case .notTaken: SMTPError(reason: "libcurl refuses a transfer", isPermanent: false)
        }
    }
}

/// One SMTP transaction, on a connection that libcurl may have kept from the previous one.
private final class SMTPTransfer: Transfer {
    private let isDelivery: Bool

    init(_ delivery: SMTPDelivery?, _ server: SMTPServer) throws(OutboundError) {
        isDelivery = delivery != nil
        try super.init(sending: delivery?.message ?? [])
        var options = EasyOptions(handle)
        let scheme = server.security == .tls ? "smtps" : "smtp"
        let host = server.host.contains(":") ? "[\(server.host)]" : server.host
        options.set(CURLOPT_URL, "\(scheme)://\(host):\(server.port)/\(server.localName)")
        options.set(CURLOPT_PROTOCOLS_STR, scheme)
        // STARTTLS is required where it is configured: a server that does not offer it, or an attacker in between who removes the offer,
        // gets no mail.
        options.set(CURLOPT_USE_SSL, server.security == .none ? Int(CURLUSESSL_NONE.rawValue) : Int(CURLUSESSL_ALL.rawValue))
        if let user = server.user { options.set(CURLOPT_USERNAME, user) }
        if let password = server.password { options.set(CURLOPT_PASSWORD, password.reveal()) }
        if let delivery {
            options.set(CURLOPT_MAIL_FROM, "<\(delivery.sender)>")
            options.set(CURLOPT_MAIL_RCPT, try list(of: ["<\(delivery.recipient)>"]))
            options.set(CURLOPT_UPLOAD, 1)
            options.set(CURLOPT_INFILESIZE_LARGE, size: delivery.message.count)
        } else {
            options.set(CURLOPT_CUSTOMREQUEST, "NOOP")
        }
        let connectTimeout = min(server.timeout, .seconds(10))
        setCommon(&options, timeout: server.timeout, connectTimeout: connectTimeout, authorities: server.authorities)
        guard options.failure == nil else { throw .unreachable("libcurl refuses an option") }
    }

    func error(_ code: CURLcode) -> SMTPError {
        let status = status
        // Wrong or missing credentials are a problem of the configuration, not of the mail.
        let isAboutUs = code == CURLE_LOGIN_DENIED || [530, 534, 535, 538].contains(status)
        // libcurl reports a refusal of MAIL, RCPT or DATA as a failed sending, and a refusal after the text as a strange reply.
        let isRefusal = code == CURLE_SEND_ERROR || code == CURLE_WEIRD_SERVER_REPLY && hasSentAll && isDelivery
        let words = words(for: code)
        let said = status < 400 || words.contains("\(status)") ? "" : ", the server's reply was \(status)"
        return SMTPError(reason: words + said, isPermanent: (500...599).contains(status) && isRefusal && !isAboutUs)
    }
}
