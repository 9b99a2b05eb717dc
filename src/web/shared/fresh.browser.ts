/**
 * Reloads a page that the browser shows again from its back-forward cache, because the page's session may have ended.
 */

addEventListener('pagehide', ({ persisted }) => {
  document.body.hidden = persisted
})
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})
