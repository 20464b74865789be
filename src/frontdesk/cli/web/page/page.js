// Tells textual.js where its connection is, and lets it begin when the fonts are there.
"use strict";

const begin = window.onload;
const openWindow = window.open.bind(window);

// A file comes as a download: a window that opens by itself would be blocked.
window.open = (address, ...more) => {
  const url = new URL(address, location.href);
  if (url.origin !== location.origin || !url.pathname.startsWith("/download/")) {
    return openWindow(address, ...more);
  }
  const link = document.createElement("a");
  link.href = url.pathname;
  link.download = "";
  link.click();
  return null;
};

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
