import Testing

@testable import Crypto

/// RSA-PSS signatures by another program (OpenSSL's command line), over one message with one key and salts of several lengths.
@Suite struct RSAPSSTests {
    static let message = Array("salt of another length".utf8)
    static let modulus = """
        leNonXRx6At3bjsspjusnyitTKX-qPz4mXU1OvomZDsmAvjRqL_g6X23Pwd_2kjmJuWEejNZFoz1cYasUOWVZtnpwfxTl_25Qs79lWf_991poEyzKL\
        uylW96p4yOFd7hAgDhNoSzFJLAPP7W8gtcw7iXSp46muMcv_4YYWPRW5kysgGnUVGZiSxzd2RsNwJ3e1tDhi3D4ZBxVipV08nF8AAEwoPRKBlCsWHX\
        OFPNqMZxG4NGA3py2kWhRSo0N0_3kwhWcLFMRFzFFQD20sgU8EGGOzZkR3DVc3Y0BzZcjjVKQF_eDsQX6RLwo_NfcXSabGaRoR7WRcxNZgxU5sYkvQ
        """
    static let salt32 = """
        k-pmvZPo5TfIpAwAYMEDBS5uui-PevHZc2ldqNYN9IZFDIrF8mYoZsSQk3TzjZRJd5EwtjhtzuWSq0Hh6wo7ySUMV5wBTR8LorK9TByiZVTMf5l8QW\
        PI9WHObwVhKFQtiw_HcxAf0eyZX3BIaZ31bNKw8NdXNPzwER7rSuoMLqcNSITKrhMUFk4NFXXuF-Cu6xkDT8w7Av-p-ouL-qwVijW8SrkkFHtZ5-nq\
        8jSt53ZDXrSszktw0eIGjvupYzWnPnh4SnIdQB3DPq9175vWLUSDVx5c05IXYFWsqHoF9esLT4vshevV5vlNQqe3kSggRmDcLXK5Xpt_SdtKCeMJHA
        """
    static let otherSalts = [
        """
        Rr-5NLsAKRN7Mt9iR8IlKpV37J4MLmIPMAR5b-o8-sAU4b_sapcRg1vYKc4SWD5Z6uD3POnMPdfBjvD9rZXcIRUUWLUkiH1J7ORA1N4Go2F6zTBxuv\
        KaC_7XnmpVZUmxiSlc65G4l-8GS_F6zvnHySfpyso_pcRvD9uJnYFqH2sl0x2nyjiJbu8C3z77pgdxQ4BS6cLGQW-LRJC6Nhze3yLnpKw5SBa_RQK9\
        UXUMc-gp56syoylWPdwWjI93DrkWw5FHkud4MNvEYB28bN4-ZpZFm5V6vB9H3xTKGhN9hGjXsfKIxKbNz_0S4OrofTaNdi5-3ttjpPWi8qM6-BPmWQ
        """,
        """
        lbMFZl5IBuYepcQ2iEt_xz0BlPu3QMn5DAsP6dDIJ9Srb6e3QN-lLacysqM4kstrt8pwByy6F8sXPD_wfyqa2v4t2MXapFVR7mRywwvtOrbysfAFGj\
        mujpLmmeCnOe47UBaMSNr7x7iclZZNXV30lE2N7JBPprAvRC6TF6FavXXn8czj4EYz7ngjrjvIC_kww27k0fLHME2c6xw0AnkLbEjvbBiXMH2XSy9e\
        XbshzPFn2MXJ80aBdAjiJ69EQBaKpP47vuuDNkmkiv7KRnPN71Oa-9C2oj4GdL1qHKO7uakx3cM96TqV2YdzJvFLpsEJ7C-UhLtY8_SDln54mkwM1A
        """,
        """
        jp4_80E10gkt78tDZ0Gqmk-yXRYiBqhUmvyhifVMbGoWfTMYhPrgf9Gbq1DO0u-069zodZjxFQtS72r_Lne0pKG4KPWaPFeNg0Y9S0eC2BkCqIw5uW\
        78Zku_550ntpM54WY3alz4OddvIeSsoAA7XaWCayiRc4SB3B5DuImwCu2YUWJAx2HOB_VnufcTmT2_OZmCA6OAFFyIbEZxEXC4hi2VLLQnbRPPN-Fz\
        lX_SAeBUpqGqlkMyovOhBcuS5PgOETbQ_aGTL-g-0xyYX5hItp0XC1zQyTAG9zWs77FHy6sIh4XyTQ_-Q9tJIi31RK7VNROl6gOcC8k68Orl7BU4dg
        """,
    ]

    func verify(_ signature: String) throws -> Bool {
        let key = try PublicKey(rsaModulus: #require(Base64URL.decodeStrict(Self.modulus)), exponent: [1, 0, 1])
        return key.verify(try #require(Base64URL.decodeStrict(signature)), of: Self.message, .ps256)
    }

    @Test func `verifies a signature whose salt is as long as its hash`() throws {
        #expect(try verify(Self.salt32))
    }

    @Test(arguments: otherSalts) func `SEC-12 refuses a salt of 0, of 20 and of 222 bytes (RFC 7518 §3.5)`(signature: String) throws {
        #expect(try !verify(signature))
    }
}
