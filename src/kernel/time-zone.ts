// PostgreSQL interprets `+03:00` with the opposite sign, and accepts abbreviations that JavaScript does not know: only names that both
// interpret alike are valid.
const zoneName = /^[A-Za-z]+(?:[/_+-][A-Za-z0-9]+)*$/

/** Whether a text names a time zone of the IANA database, such as `Europe/Moscow` or `UTC`. */
export function isTimeZone(text: string): boolean {
  if (!zoneName.test(text)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: text })
    return true
  } catch {
    return false
  }
}
