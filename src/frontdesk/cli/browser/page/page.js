// Tells textual.js where its connection is, and lets it begin when the fonts are there.
"use strict";

const begin = window.onload;

window.onload = async (event) => {
  const terminal = document.querySelector("#terminal");
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  terminal.dataset.sessionWebsocketUrl = `${scheme}//${location.host}/ws`;
  document.querySelector(".closed button").onclick = () => location.reload();
  // A terminal that measures its cells with another font draws gaps between the letters.
  const styles = ["16px", "bold 16px", "italic 16px"];
  await Promise.allSettled(styles.map((style) => document.fonts.load(`${style} "Roboto Mono"`)));
  begin.call(window, event);
  // Keys go to the terminal from the start; it says so over the connection, which has to stand.
  const connected = new MutationObserver(() => {
    if (terminal.classList.contains("-connected")) {
      connected.disconnect();
      terminal.querySelector("textarea").focus();
    }
  });
  connected.observe(terminal, { attributeFilter: ["class"] });
};
