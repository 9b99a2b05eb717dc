/**
 * Shows numbers, dates and moments in the reader's own format and time zone. The page contains them in one format and
 * in UTC.
 */

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })
const moment = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
})

/** The formats made so far, by decimals and sign. Making a format takes a hundred times as long as using it. */
const numbers = new Map<string, Intl.NumberFormat>()

/** @param text a number with the decimals to show, and with a plus sign if that is to be shown */
export function numberText(text: string): string {
  const digits = text.split('.')[1]?.length ?? 0
  const signDisplay = text.startsWith('+') ? 'always' : 'auto'
  const kind = `${digits} ${signDisplay}`
  let format = numbers.get(kind)
  if (format === undefined) {
    format = new Intl.NumberFormat(undefined, {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
      signDisplay,
    })
    numbers.set(kind, format)
  }
  // In many languages, Intl writes a hyphen as the sign.
  return format.format(Number(text)).replace('-', '−')
}

/** @param date YYYY-MM-DD */
const dayText = (date: string): string => day.format(new Date(date))

for (const element of document.querySelectorAll('time')) {
  const { dateTime } = element
  const isDay = dateTime.length === 'YYYY-MM-DD'.length
  // A day of the data, and a time that is meant in UTC, stay the same in every time zone.
  if (isDay) element.textContent = dayText(dateTime)
  else if (element.closest('.utc') !== null) element.title = moment.format(new Date(dateTime))
  else {
    element.textContent = moment.format(new Date(dateTime))
    element.title = dateTime
  }
}
for (const element of document.querySelectorAll('data')) element.textContent = numberText(element.value)
