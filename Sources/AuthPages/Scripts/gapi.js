/*
 * For the page of an app that does not want to load a script from Google: load this one before the Firebase SDK.
 *
 *   <script src="https://auth.example.com/__/auth/gapi.js"></script>
 *
 * The SDK opens its hidden frame through `gapi.iframes`, and loads https://apis.google.com/js/api.js when the page does not have that. This
 * script has the part of it that the SDK uses: `getContext().open`, and of the frame `register`, `send`, `ping` and `restyle`. A page that
 * already has Google's own script keeps it.
 *
 * The page of a host that is not authorized cannot load the frame. This script then asks the server for the authorized hosts, so that the
 * SDK gets to its own check of them. In emulator mode the SDK does not check, so the script gives the app the same error.
 *
 * It also takes the secret of a redirect to another site out of the address (#broker_rt=…, only where the operator enabled that), before
 * the app's router sees it, and hands it to the frame.
 */
(() => {
  "use strict";

  // Only what the server added is removed. The rest of the fragment belongs to the app, whatever it looks like.
  let returned = "";
  const take = rest => (_, token) => {
    returned = token;
    return rest;
  };
  const hash = location.hash.replace(/&broker_rt=([^&]*)/g, take("")).replace(/^#broker_rt=([^&]*)&?/, take("#"));
  if (hash !== location.hash) {
    const address = new URL(location);
    address.hash = hash === "#" ? "" : hash;
    history.replaceState(history.state, "", address);
  }

  // The origin that the token came from, and the only one that it is sent to.
  const home = document.currentScript?.src && new URL(document.currentScript.src).origin;

  if (window.gapi?.iframes?.Iframe) return;

  const requestLimit = 4_000;   // milliseconds; the SDK waits for five seconds
  const messageLimit = 300;
  const never = new Promise(() => {});
  let opened = 0;

  /**
   * Runs a function of the SDK or of the app and catches its errors, so that they do not appear among the errors of the app's page. (The
   * SDK's function for the answer to `webStorageSupport` throws each time.)
   */
  async function guarded(handler, ...values) {
    try {
      return await handler?.(...values);
    } catch {
      return null;
    }
  }

  /** Whether the server says that pages of this host may not sign in; compared as the SDK does. */
  async function isUnauthorized(frame) {
    const query = new URLSearchParams({ key: frame.searchParams.get("apiKey") });
    try {
      const answer = await fetch(`${frame.origin}/v1/projects?${query}`, { signal: AbortSignal.timeout(requestLimit) });
      const { authorizedDomains } = await answer.json();
      return !authorizedDomains.some(domain => location.hostname === domain || location.hostname.endsWith("." + domain));
    } catch {
      return false;
    }
  }

  /** Opens a frame; messages to it wait until it says that it listens. */
  function open(options, whenOpen) {
    const address = new URL(options.url);
    const { origin } = address;
    const name = `I${opened++}_${Date.now()}`;
    const token = String(crypto.getRandomValues(new Uint32Array(1))[0]);
    const fromFrame = `/${name}::`;
    const toFrame = `:/${name}:`;
    address.searchParams.set("usegapi", "1");
    const fragment = new URLSearchParams({ id: name, _gfid: name, parent: location.origin, pfname: "", rpctoken: token });
    if (origin === home) {
      fragment.set("rt", returned);
      returned = "";
    }
    address.hash = fragment;

    const element = document.createElement("iframe");
    for (const [key, value] of Object.entries(options.attributes ?? {})) {
      if (key === "style") Object.assign(element.style, value);
      else element.setAttribute(key, value);
    }
    element.name = element.id = name;
    element.src = address;
    const loaded = new Promise(resolve => element.addEventListener("load", resolve, { once: true }));

    const handlers = new Map();   // message → functions
    const answers = new Map();    // call → function
    let early = [];               // messages without a listener yet
    let waiting = [];             // messages to the frame; null once it listens
    let lastCall = 0;

    function post(service, callback, args) {
      const text = "!_" + JSON.stringify({ s: service, f: "..", r: "..", t: token, c: callback, a: args, g: false });
      if (waiting) waiting.push(text);
      else element.contentWindow.postMessage(text, origin);
    }

    function listening() {
      const texts = waiting ?? [];
      waiting = null;
      for (const text of texts) element.contentWindow.postMessage(text, origin);
    }

    async function hear(message) {
      const functions = handlers.get(message.s.slice(fromFrame.length));
      if (!functions) {
        early.push(message);
        return;
      }
      const results = await Promise.all(functions.map(handler => guarded(handler, message.a[0], frame)));
      if (message.c != null) post("__cb", null, [message.c, results]);
    }

    window.addEventListener("message", ({ source, origin: sender, data }) => {
      if (source !== element.contentWindow || sender !== origin || typeof data !== "string" || !data.startsWith("!_")) return;
      let message;
      try { message = JSON.parse(data.slice(2)); } catch { return; }
      if (message?.h === name) return listening();
      if (message?.t !== token || typeof message.s !== "string" || !Array.isArray(message.a)) return;
      if (message.s === "__cb") {
        guarded(answers.get(message.a[0]), message.a[1]);
        answers.delete(message.a[0]);
      } else if (message.s === fromFrame + "_g_rpcReady") {
        listening();
      } else if (message.s.startsWith(fromFrame)) {
        hear(message);
      }
    });

    const frame = {
      register(message, handler) {
        handlers.set(message, [...handlers.get(message) ?? [], handler]);
        const again = early;
        early = [];
        again.forEach(hear);
      },
      send(message, value, whenAnswered) {
        return new Promise(resolve => {
          const call = ++lastCall;
          answers.set(call, result => {
            resolve(result);
            whenAnswered?.(result);
          });
          post(toFrame + message, call, [value]);
        });
      },
      ping(whenAnswered, value = null) {
        return Promise.race([frame.send("_g_ping", value, whenAnswered), refused.catch(() => never)]);
      },
      // The SDK waits for this before it starts its own time limit, so a frame that could not be loaded must count as restyled.
      restyle(style, whenAnswered) { return Promise.race([frame.send("_g_restyle", style, whenAnswered), loaded]); },
    };

    // This ends only where the page may not load the frame. Then the SDK believes that the frame has loaded, and goes on to its own check
    // of the host. In emulator mode the SDK has no such check, so opening the frame fails with the error of that check. A frame that says
    // nothing after the load event was refused; a frame that was admitted has sent a message by then, although the message may arrive
    // after the event.
    const refused = loaded.then(() => new Promise(resolve => setTimeout(resolve, messageLimit))).then(async () => {
      if (!waiting || !await isUnauthorized(address)) return never;
      if (!address.pathname.startsWith("/emulator/")) return null;
      const error = new Error("Firebase: The host of this page is not among the project's authorized domains. (auth/unauthorized-domain).");
      throw Object.assign(error, { name: "FirebaseError", code: "auth/unauthorized-domain" });
    });

    options.where.append(element);
    const ready = Promise.resolve(whenOpen?.(frame)).then(result => result ?? frame);
    return Promise.race([ready, refused.then(() => never)]);
  }

  const context = { open };
  window.gapi = Object.assign(window.gapi ?? {}, {
    iframes: {Iframe: class {}, CROSS_ORIGIN_IFRAMES_FILTER: () => true, getContext: () => context },
  });
})();
