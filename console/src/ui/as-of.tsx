import { useEffect, useState } from 'react'
import { useSession } from '../app.tsx'
import { currentLanguage, t } from '../messages/i18n.ts'

const minuteMs = 60_000

/**
 * How old displayed data are that cannot be read again: "as of 14:03, 5 minutes ago".
 *
 * @param readAtMs 0: nothing is displayed
 */
export function AsOf({ readAtMs }: { readonly readAtMs: number }) {
  const { time_zone } = useSession()
  const [nowMs, setNowMs] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), minuteMs / 4)
    return () => clearInterval(timer)
  }, [])
  if (readAtMs === 0) return null
  const minutes = Math.max(0, Math.floor((nowMs - readAtMs) / minuteMs))
  return t('list.asOf', { at: timeText(readAtMs, nowMs, time_zone), ago: agoText(minutes) })
}

/** The time; of another day, with the date. */
function timeText(atMs: number, nowMs: number, timeZone: string): string {
  const format = (options: Intl.DateTimeFormatOptions, ms: number): string =>
    new Intl.DateTimeFormat(currentLanguage(), { ...options, timeZone }).format(ms)
  const day = { day: 'numeric', month: 'short' } as const
  const isToday = format(day, atMs) === format(day, nowMs)
  return format({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...(isToday ? {} : day) }, atMs)
}

function agoText(minutes: number): string {
  const format = new Intl.RelativeTimeFormat(currentLanguage(), { numeric: 'auto' })
  if (minutes < 1) return format.format(0, 'second')
  return minutes < 120
    ? format.format(-minutes, 'minute')
    : minutes < 2_880
      ? format.format(-Math.floor(minutes / 60), 'hour')
      : format.format(-Math.floor(minutes / 1_440), 'day')
}
