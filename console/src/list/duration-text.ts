/** Units of durations, as forms and lists have them. */
export const UNITS = [
  { ms: 86_400_000, en: 'd', ru: 'д' },
  { ms: 3_600_000, en: 'h', ru: 'ч' },
  { ms: 60_000, en: 'm', ru: 'мин' },
  { ms: 1_000, en: 's', ru: 'с' },
] as const

/**
 * A duration in words, such as `1 h 30 m 5 s`.
 *
 * @param value milliseconds
 * @returns the value itself if it is negative, or not a whole number of seconds
 */
export function durationText(value: string, language: string): string {
  let rest = Number(value)
  if (!/^\d{1,15}$/.test(value) || rest % 1_000 !== 0) return value
  const parts: string[] = []
  for (const unit of UNITS) {
    const count = Math.floor(rest / unit.ms)
    if (count > 0 || (unit.ms === 1_000 && parts.length === 0))
      parts.push(`${count} ${language === 'ru' ? unit.ru : unit.en}`)
    rest %= unit.ms
  }
  return parts.join(' ')
}
