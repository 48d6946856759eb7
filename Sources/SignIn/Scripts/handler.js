/*
 * The sign-in window, before it goes to the provider and after it came back.
 *
 * The server has checked everything by now: the app, the provider's answer, the browser's cookie. What is left to a script is to reach the
 * app: by its hidden frame (iframe.js), by this tab's storage, or by an address.
 *
 * In #data: step (a key of `steps`), storageKey ("<api key>:<app name>"), origin (of the app's page), and as the step needs them authUri
 * (the provider's), relay (a secret for the frame, or null; at the end, whether the frame may ask the server), event (the result), flow
 * (whose), returnURL (the app's page), link (opens the native app).
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

  /** No address that this page goes to may run as a script. */
  function go(address) {
    if (!/^(javascript|data|vbscript|blob):/i.test(new URL(address).protocol)) location.replace(address);
  }

  /** The frames of our own origin in the opener's page that stand for the same app. Frames of other origins throw when looked at. */
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

  /** Whether one of the frames took the message. The frames compare `origin` with their own parent. */
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
    /** The window still has its opener, which a provider's page may take away: so the frame learns now where else to ask. */
    async "popup-start"() {
      if (await tell({ secret: data.relay })) go(data.authUri);
      else show("lost");
    },

    /**
     * The SDK closes the window when it has signed in. It gives up when the window closes too early, so wait a moment. A window that has
     * lost its opener closes at once: the frame asks the server, if it may. A window that still has it, and finds nobody, came in vain.
     */
    async "popup-finish"() {
      const taken = await tell({ event: data.event });
      if (!taken && (window.opener || !data.relay)) return show("lost");
      if (taken) setTimeout(() => window.close(), closeAfter);
      else window.close();
      show("done");
    },

    /** The frame will find the result in this tab, or ask the server for it where browsers keep frames' storage apart. */
    "redirect-finish"() {
      try {
        const left = { origin: data.origin, flow: data.flow, event: data.event, until: Date.now() + resultLimit };
        sessionStorage.setItem("gatehouse:" + data.storageKey, JSON.stringify(left));
      } finally {
        go(data.returnURL);
      }
    },

    /** Browsers may refuse to open an app unasked; the page has a button as well. */
    "native-finish"() {
      go(data.link);
    },
  };

  steps[data.step]();
})();
