/** Buttons that copy the text of another element. Where a browser lets no script copy, they select it. */

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
  const source = document.getElementById(button.dataset['copy'] ?? '')
  if (source === null) continue
  button.hidden = false
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(source.textContent)
      button.dataset['done'] = 'Copied'
    } catch {
      // Not allowed, or no secure context: the person can copy what is selected.
      getSelection()?.selectAllChildren(source)
      button.dataset['done'] = 'Selected: copy it now'
    }
  })
}
