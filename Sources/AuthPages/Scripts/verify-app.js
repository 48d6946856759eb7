/*
 * For the page that a native app opens before a text message: draws the project's captcha by the script captcha.js, and sends the form with the
 * token. Without a captcha service the person presses the button.
 */
(() => {
  "use strict";

  const form = document.getElementById("verify");
  const token = document.getElementById("token");

  const script = document.createElement("script");
  script.src = JSON.parse(document.getElementById("data").textContent).captcha;
  script.onload = () => {
    document.getElementById("working").hidden = true;
    window.grecaptcha.render("captcha", {
      callback(answer) {
        token.value = answer;
        form.submit();
      },
      "error-callback"() {
        document.getElementById("failed").hidden = false;
      },
    });
  };
  script.onerror = () => {
    document.getElementById("working").hidden = true;
    document.getElementById("failed").hidden = false;
  };
  document.head.append(script);
})();
