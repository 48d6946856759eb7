/*
 * Asks the browser for a passkey, or to make one, at a page of this server, and sends the answer with the page's form.
 *
 * The page has the form "passkey" with a hidden field "credential" and the button "use-passkey", and as its data:
 *   request      options of navigator.credentials.get, or
 *   create       options of navigator.credentials.create
 *   conditional  whether the browser also offers passkeys in the field of the address
 *   unknown, accepted, details  what the browser is told of passkeys by PublicKeyCredential.signal…
 * Without scripts, and in browsers without passkeys, the form stays hidden.
 */
(() => {
  const { request, create, conditional, unknown, accepted, details } = JSON.parse(document.getElementById("data").textContent);
  const Credential = window.PublicKeyCredential;
  const form = document.getElementById("passkey");
  if (!Credential || !navigator.credentials) return;

  // Browsers that do not know the call miss nothing else.
  const tell = (call, what) => { if (what) Credential[call]?.(what).catch(() => {}); };
  tell("signalUnknownCredential", unknown);
  tell("signalAllAcceptedCredentials", accepted);
  tell("signalCurrentUserDetails", details);
  if (!form) return;
  form.hidden = false;

  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
  const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
  const withBytes = (list) => (list ?? []).map((entry) => ({ ...entry, id: bytes(entry.id) }));

  const options = create
    ? Credential.parseCreationOptionsFromJSON?.(create) ?? {
        ...create, challenge: bytes(create.challenge), user: { ...create.user, id: bytes(create.user.id) },
        excludeCredentials: withBytes(create.excludeCredentials),
      }
    : request && (Credential.parseRequestOptionsFromJSON?.(request) ?? {
        ...request, challenge: bytes(request.challenge), allowCredentials: withBytes(request.allowCredentials),
      });
  if (!options) return;

  const answer = (credential) => {
    if (credential.toJSON) return credential.toJSON();
    const response = {};
    for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
      if (credential.response[name]) response[name] = text(credential.response[name]);
    }
    if (credential.response.getTransports) response.transports = credential.response.getTransports();
    return { id: credential.id, rawId: text(credential.rawId), type: credential.type, response };
  };

  const fault = document.getElementById("passkey-fault");
  const send = (credential) => {
    form.elements.credential.value = JSON.stringify(answer(credential));
    form.submit();
  };

  // One question at a time: the one in the field ends before that of the button begins.
  // A person may press the button before the browser has said whether it offers them in the field.
  const waiting = new AbortController();
  const offered = (async () => {
    if (!conditional || !(await Credential.isConditionalMediationAvailable?.()) || waiting.signal.aborted) return;
    try { send(await navigator.credentials.get({ publicKey: options, mediation: "conditional", signal: waiting.signal })); } catch { /* the person took another way */ }
  })();

  document.getElementById("use-passkey").addEventListener("click", async () => {
    fault.hidden = true;
    waiting.abort();
    await offered;
    try {
      send(await (create ? navigator.credentials.create({ publicKey: options }) : navigator.credentials.get({ publicKey: options })));
    } catch {
      fault.hidden = false;
    }
  });
})();
