import { DateTime } from 'luxon'
import type { Column } from '../../catalog/catalog.ts'
import type { Principal } from '../../identity/principal.ts'

type Reader = Pick<Principal, 'language' | 'timeZone'>

/**
 * What people read for a logged value without choices and references, as the Table API displays it; null: the value itself, or a
 * value of another type, from before the column was converted.
 */
export function displayLoggedValue(value: unknown, column: Pick<Column, 'type'>, reader: Reader): string | null {
  switch (column.type) {
    case 'boolean':
      return typeof value === 'boolean' ? BOOLEANS[reader.language][value ? 'yes' : 'no'] : null
    case 'datetime':
      return typeof value === 'string' ? displayMoment(value, reader) : null
    case 'duration':
      return typeof value === 'string' && /^-?\d{1,19}$/.test(value) ? displayDuration(BigInt(value), reader) : null
    case 'percent_complete':
      return typeof value === 'number' ? `${value}%` : null
    default:
      return null
  }
}

const BOOLEANS = { en: { yes: 'Yes', no: 'No' }, ru: { yes: 'Да', no: 'Нет' } } as const

function displayMoment(text: string, { timeZone }: Reader): string | null {
  const moment = DateTime.fromSQL(text, { zone: 'utc' }).setZone(timeZone)
  const local = moment.isValid ? moment.toFormat('yyyy-MM-dd HH:mm:ss') : text
  return local === text ? null : local
}

const UNITS = { en: [' d', ' h', ' m', ' s'], ru: [' д', ' ч', ' мин', ' с'] } as const

/** As docket_system.show_duration: days, hours and minutes; under a minute, seconds. */
function displayDuration(milliseconds: bigint, { language }: Reader): string {
  const size = milliseconds < 0n ? -milliseconds : milliseconds
  const [day, hour, minute, second] = UNITS[language]
  const parts = [
    [size / 86_400_000n, day],
    [(size % 86_400_000n) / 3_600_000n, hour],
    [(size % 3_600_000n) / 60_000n, minute],
  ] as const
  const shown = parts.flatMap(([count, unit]) => (count === 0n ? [] : [`${count}${unit}`]))
  const sign = milliseconds <= -1_000n ? '-' : ''
  return `${sign}${shown.length > 0 ? shown.join(' ') : `${size / 1_000n}${second}`}`
}
