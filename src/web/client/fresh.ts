/** Reloads a page that the browser shows again from its memory: its session may have ended since. */

addEventListener('pagehide', ({ persisted }) => {
  document.body.hidden = persisted
})
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})
