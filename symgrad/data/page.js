"use strict";
const said = document.getElementById("said");
let waiting = 0;
function say(text) {
  said.textContent = text;
  clearTimeout(waiting);
  waiting = setTimeout(() => { said.textContent = ""; }, 1500);
}
function copyByHand(text) { // where a page may not reach the clipboard, a selection still may
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const text = button.dataset.copy;
    try {
      await navigator.clipboard.writeText(text);
      say("Copied");
    } catch {
      say(copyByHand(text) ? "Copied" : "The browser does not allow it");
      button.focus();
    }
  });
}
for (const area of document.querySelectorAll("form textarea")) { // where Enter is a new line
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) area.form.requestSubmit();
  });
}
const picture = document.querySelector(".picture svg");
for (const button of document.querySelectorAll("[data-zoom]")) {
  const by = Number(button.dataset.zoom), box = picture.viewBox.baseVal;
  button.addEventListener("click", () => {
    const wide = by ? picture.getBoundingClientRect().width * by : picture.parentElement.clientWidth - 14;
    picture.setAttribute("width", wide);
    picture.setAttribute("height", wide * box.height / box.width);
  });
}
