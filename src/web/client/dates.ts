/** Dates and moments in the reader's own way and zone, in the place of UTC. */

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

for (const element of document.querySelectorAll('time')) {
  const { dateTime } = element
  const isDay = dateTime.length === 'YYYY-MM-DD'.length
  element.textContent = (isDay ? day : moment).format(new Date(dateTime))
  if (!isDay) element.title = dateTime
}
