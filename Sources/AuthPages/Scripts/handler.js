/*
 * The script of the sign-in window, before it goes to the provider and after it came back.
 *
 * By now the server has checked everything: the app, the provider's answer, the browser's cookie. This script only has to bring the result
 * to the app: by its hidden frame (iframe.js), by this tab's storage, or by an address.
 *
 * #data holds step (a key of `steps`), storageKey ("<api key>:<app name>"), origin (of the app's page), and, depending on the step: authUri
 * (the provider's address), relay (a secret for the frame, or null; at the end, whether the frame may ask the server), event (the result),
 * flow (the flow that the result belongs to), returnURL (the app's page), link (opens the native app).
 * One of the paragraphs #working, #done and #lost is shown.
 */
(() => {
  "use strict";

  const data = JSON.parse(document.getElementById("data").textContent);
  const answerLimit = 3_000;     // milliseconds
  const closeAfter = 1_000;
  const resultLimit = 120_000;   // as long as the server keeps a result

  function show(id) {
    for (const element of document.querySelectorAll("#working, #done, #lost")) element.hidden = element.id !== id;
  }

  /** Opens an address. Addresses that would run as a script are ignored. */
  function go(address) {
    if (!/^(javascript|data|vbscript|blob):/i.test(new URL(address).protocol)) location.replace(address);
  }

  /** The frames of our own origin in the opener's page that belong to the same app. Frames of other origins throw when read. */
  function frames() {
    const found = [];
    for (let index = 0; index < (window.opener?.frames.length ?? 0); index++) {
      try {
        const frame = window.opener.frames[index];
        const query = new URLSearchParams(frame.location.search);
        const key = query.get("apiKey") + ":" + (query.get("appName") ?? "");
        if (frame.location.origin === location.origin && frame.location.pathname.endsWith("/auth/iframe") && key === data.storageKey) {
          found.push(frame);
        }
      } catch {
        continue;
      }
    }
    return found;
  }

  /** Whether one of the frames accepted the message. The frames compare `origin` with that of their own parent. */
  async function tell(message) {
    const taken = await Promise.all(frames().map(frame => new Promise(resolve => {
      const channel = new MessageChannel();
      channel.port1.onmessage = answer => resolve(answer.data === "taken");
      setTimeout(resolve, answerLimit, false);
      frame.postMessage({ storageKey: data.storageKey, origin: data.origin, ...message }, location.origin, [channel.port2]);
    })));
    return taken.includes(true);
  }

  const steps = {
    /** The window still has its opener, which a provider's page may take away. So the frame learns now how to ask the server. */
    async "popup-start"() {
      if (await tell({ secret: data.relay })) go(data.authUri);
      else show("lost");
    },

    /**
     * The SDK closes the window when it has signed in. If the window closes too early, the SDK gives up, so this step waits a moment. A
     * window that has lost its opener closes at once, since the frame asks the server, if it may. A window that still has its opener, but
     * finds no frame that wants the result, shows the paragraph #lost.
     */
    async "popup-finish"() {
      const taken = await tell({ event: data.event });
      if (!taken && (window.opener || !data.relay)) return show("lost");
      if (taken) setTimeout(() => window.close(), closeAfter);
      else window.close();
      show("done");
    },

    /** Leaves the result in this tab for the frame. Where browsers keep the storage of frames apart, the frame asks the server for it. */
    "redirect-finish"() {
      try {
        const left = { origin: data.origin, flow: data.flow, event: data.event, until: Date.now() + resultLimit };
        sessionStorage.setItem("gatehouse:" + data.storageKey, JSON.stringify(left));
      } finally {
        go(data.returnURL);
      }
    },

    /** Browsers may refuse to open an app without a tap, so the page has a button, too. */
    "native-finish"() {
      go(data.link);
    },
  };

  steps[data.step]();
})();
