// The error monitor of an app's page: it keeps what nobody caught, beyond the page's end. No sign-in may leave anything here.
"use strict";
{
  const keep = (text) => {
    const kept = JSON.parse(sessionStorage.getItem("thrown") ?? "[]");
    sessionStorage.setItem("thrown", JSON.stringify([...kept, String(text)]));
  };
  window.addEventListener("error", (event) => keep(event.message));
  window.addEventListener("unhandledrejection", (event) => keep(event.reason?.message ?? event.reason));
}
