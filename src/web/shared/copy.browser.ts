/**
 * Buttons that copy the text of another element. If the browser lets no script copy, the button selects the text
 * instead. The result is shown beside the button, so the button's name does not change.
 */

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
  const id = button.dataset['copy'] ?? ''
  const [source, done] = [document.getElementById(id), document.getElementById(`${id}-copied`)]
  if (source === null || done === null) continue
  button.hidden = false
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(source.textContent)
      done.textContent = 'Copied'
    } catch {
      // The browser forbids copying, or the page is not secure. The person can copy the selected text.
      getSelection()?.selectAllChildren(source)
      done.textContent = 'Selected: copy it now'
    }
  })
}
