// Tells textual.js where its connection is, and lets it begin when the fonts are there.
"use strict";

const begin = window.onload;

window.onload = async (event) => {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  document.querySelector("#terminal").dataset.sessionWebsocketUrl = `${scheme}//${location.host}/ws`;
  document.querySelector(".closed button").onclick = () => location.reload();
  // A terminal that measures its cells with another font draws gaps between the letters.
  const styles = ["16px", "bold 16px", "italic 16px"];
  await Promise.allSettled(styles.map((style) => document.fonts.load(`${style} "Roboto Mono"`)));
  begin.call(window, event);
  document.querySelector("#terminal textarea").focus();
};
