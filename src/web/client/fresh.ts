/** A page that the browser kept as it was left, and shows again, is asked for anew: its session may have ended since. */

addEventListener('pagehide', ({ persisted }) => {
  document.body.hidden = persisted
})
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})
