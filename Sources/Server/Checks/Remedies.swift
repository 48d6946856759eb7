import Postgres

/// The way to mend what libpq, PostgreSQL, libcurl and providers say, by the words that they say it with. Of several that fit, the first counts.
enum Remedies {
    private typealias Known = [(words: [String], remedy: String)]

    /// The remedy for a reason why the database cannot be used.
    static func database(_ reason: String) -> String {
        find(reason, in: ofDatabase) ?? "look at the database, and at database in gatehouse.yaml"
    }

    /// The remedy for what a provider's examination found.
    static func provider(_ finding: String, entry id: String) -> String {
        find(finding, in: ofProvider).map { "\($0) (entry \(id))" } ?? "mend the entry \(id), or what is registered with the provider"
    }

    private static func find(_ text: String, in known: Known) -> String? {
        known.first { $0.words.contains(where: text.contains) }?.remedy
    }

    private static let ofDatabase: Known = [
        (
            ["password authentication failed", "no password supplied"],
            "compare user and password of database (gatehouse.yaml) with the role's; ALTER ROLE … PASSWORD sets another password"
        ),
        (
            ["no encryption"],
            "use TLS (sslmode=verify-full and sslrootcert in database), or permit this role, database and address in pg_hba.conf"
        ),
        (["no pg_hba.conf entry", "pg_hba.conf rejects"], "permit this role, database and address in pg_hba.conf, and reload PostgreSQL"),
        (["root certificate file"], "name the file of the authority of PostgreSQL's certificate with sslrootcert=… in database"),
        (["does not match host name"], "write into database the host name that PostgreSQL's certificate has"),
        (
            ["too many connections", "too many clients", "remaining connection slots"],
            "end other connections, raise the limit that it names, or lower databasePool or loops"
        ),
        (
            ["Connection refused"],
            "start PostgreSQL, let it listen at this address (listen_addresses), or correct host and port in database"
        ),
        (["No such file or directory"], "start PostgreSQL on this machine, or correct the folder of its socket (host) in database"),
        (["cannot resolve", "could not translate host name"], "correct the host in database, or the name's entry in DNS"),
        (
            ["certificate verify failed", "certificate has expired"],
            "renew PostgreSQL's certificate, or name its authority with sslrootcert=… in database"
        ),
        (
            ["does not support SSL"],
            "switch ssl on in postgresql.conf; take sslmode out of database only where PostgreSQL is on this machine"
        ),
        (["timeout expired", "timed out"], "look at the firewall and the route to the database, and at host and port in database"),
        (["is not permitted to log in"], "permit it with ALTER ROLE … LOGIN"),
        (["permission denied"], "give the tables to the role of database, with ALTER TABLE … OWNER TO or REASSIGN OWNED"),
        (["role \""], "make the role with CREATE ROLE … LOGIN, or correct the user in database"),
        (["database \""], "make the database with CREATE DATABASE, or correct its name in database"),
        (["the database system is starting up", "shutting down"], "wait until PostgreSQL has started"),
    ]

    private static let ofProvider: Known = [
        (
            ["does not accept clientId and clientSecret", "does not accept consumerKey and consumerSecret"],
            "make a new secret at the provider, and put it where the entry's secret comes from; compare the client's id, too"
        ),
        (
            ["certificate"],
            "compare this machine's clock; of a provider with an authority of your own, name that in authorities; otherwise the provider must renew it"
        ),
        (["resolve host", "not resolve"], "correct the address in the entry, or the name's entry in DNS"),
        (
            ["cannot be reached", "connect to", "timed out", "Timeout"],
            "look at the address in the entry, the firewall, and outbound.allow for a private address"
        ),
        (["status 404", "status 410"], "correct the address in the entry: nothing is there"),
    ]
}

extension StartFailure {
    /// The reason of libpq or PostgreSQL why the database could not be used; `nil` for other errors.
    static func databaseReason(_ error: any Error) -> String? {
        switch error {
        case MigrationError.database(.unavailable(let reason)): reason
        case PostgresError.unavailable(let reason): reason
        case MigrationError.database(.sql(state: "42501", message: let reason)), PostgresError.sql(state: "42501", message: let reason):
            reason
        default: nil
        }
    }
}
