/**
 * Buttons that copy the text of another element. Where a browser lets no script copy, they select it. The result is shown
 * beside the button, whose name does not change.
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
      // Not allowed, or no secure context: the person can copy what is selected.
      getSelection()?.selectAllChildren(source)
      done.textContent = 'Selected: copy it now'
    }
  })
}
