/** A preset fills in the date on which a new key expires. A menu closes at Escape, or at a click outside the menu. */

const date = document.querySelector<HTMLInputElement>('#expires')
const presets = [...document.querySelectorAll<HTMLInputElement>('input[name="expires-in"]')]

for (const preset of presets) {
  preset.addEventListener('change', () => {
    if (date !== null) date.value = preset.dataset['date'] ?? ''
  })
}
date?.addEventListener('input', () => {
  for (const preset of presets) preset.checked = preset.dataset['date'] === date.value
})

const openMenu = () => document.querySelector<HTMLDetailsElement>('details.menu[open]')

document.addEventListener('keydown', ({ key }) => {
  const menu = openMenu()
  if (key !== 'Escape' || menu === null) return
  menu.open = false
  menu.querySelector('summary')?.focus()
})
document.addEventListener('click', ({ target }) => {
  const menu = openMenu()
  if (menu !== null && target instanceof Node && !menu.contains(target)) menu.open = false
})
