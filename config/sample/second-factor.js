// Codes: a sign-in by phone, the second step of a sign-in, and the enrolment of an authenticator app or a phone, by calls that the Firebase SDKs make, too.
const sent = (number) => `Enter the code that was sent to ${number}. In development mode it stands on the page of codes, /emulator/codes.`;

export class SecondFactor {
  // `call` makes a call; `form` has a text, an input for a code, and a place for a secret.
  constructor(call, form) {
    this.call = call;
    this.form = form;
    this.part = (name) => form.querySelector(`[data-part=${name}]`);
  }

  // Asks for the second factor that a first proof leaves due, until it is right. Gives the tokens.
  async pass({ mfaPendingCredential, mfaInfo }) {
    const factor = mfaInfo.find(({ totpInfo }) => totpInfo) ?? mfaInfo[0];
    const { mfaEnrollmentId, phoneInfo } = factor;
    const started = phoneInfo && await this.call("/v2/accounts/mfaSignIn:start", {
      mfaPendingCredential, mfaEnrollmentId, phoneSignInInfo: {},
    });
    const text = phoneInfo ? sent(phoneInfo) : "Enter the code of your authenticator app, or a recovery code.";
    return this.#repeating(text, (code) => this.call("/v2/accounts/mfaSignIn:finalize", {
      mfaPendingCredential, mfaEnrollmentId,
      ...(started ? { phoneVerificationInfo: { sessionInfo: started.phoneResponseInfo.sessionInfo, code } } : { totpVerificationInfo: { verificationCode: code } }),
    }));
  }

  // Enrols an authenticator app. Gives the tokens of a session that has passed it.
  async enroll(idToken, account) {
    const { totpSessionInfo } = await this.call("/v2/accounts/mfaEnrollment:start", { idToken, totpEnrollmentInfo: {} });
    const { sharedSecretKey, sessionInfo } = totpSessionInfo;
    const label = encodeURIComponent(`Gatehouse sample:${account}`);
    const text = "Give this secret to an authenticator app, and enter the code that it shows.";
    return this.#repeating(text, (verificationCode) => this.call("/v2/accounts/mfaEnrollment:finalize", {
      idToken, displayName: "Authenticator app", totpVerificationInfo: { sessionInfo, verificationCode },
    }), { secret: sharedSecretKey, address: `otpauth://totp/${label}?secret=${sharedSecretKey}&issuer=Gatehouse%20sample` });
  }

  // Signs in with a phone. Gives the tokens.
  async phone(phoneNumber) {
    const { sessionInfo } = await this.call("/v1/accounts:sendVerificationCode", { phoneNumber });
    return this.#repeating(sent(phoneNumber), (code) => this.call("/v1/accounts:signInWithPhoneNumber", { sessionInfo, code }));
  }

  // Enrols a phone as second factor. Gives the tokens of a session that has passed it.
  async enrollPhone(idToken) {
    const phoneNumber = (await this.#ask("Which phone gets the codes? Enter its number, such as +4930123456.")).replace(/[ ()-]/g, "");
    const { phoneSessionInfo } = await this.call("/v2/accounts/mfaEnrollment:start", { idToken, phoneEnrollmentInfo: { phoneNumber } });
    return this.#repeating(sent(phoneNumber), (code) => this.call("/v2/accounts/mfaEnrollment:finalize", {
      idToken, displayName: "Phone", phoneVerificationInfo: { ...phoneSessionInfo, code },
    }));
  }

  async #repeating(text, step, secret) {
    for (let fault = ""; ; fault = "That code was wrong, or was used before. ") {
      const code = await this.#ask(fault + text, secret);
      try { return await step(code); } catch (error) { if (error.message !== "INVALID_CODE") throw error; }
    }
  }

  // Ends the step that waits for a code, if there is one.
  leave() {
    if (!this.form.hidden) this.part("leave").click();
  }

  // Waits for a code. Leaving ends the step.
  #ask(text, secret) {
    const { form, part } = this;
    part("text").textContent = text;
    part("secret").hidden = !secret;
    part("secret").textContent = secret?.secret ?? "";
    part("address").hidden = !secret;
    part("address").href = secret?.address ?? "";
    part("code").value = "";
    form.hidden = false;
    form.querySelectorAll("button").forEach((button) => { button.disabled = false; });
    part("code").focus();
    return new Promise((resolve, reject) => {
      const end = (settle, value) => (event) => { event.preventDefault(); form.hidden = true; settle(value()); };
      form.onsubmit = end(resolve, () => part("code").value);
      part("leave").onclick = end(reject, () => new Error("The second step was left."));
    });
  }
}
