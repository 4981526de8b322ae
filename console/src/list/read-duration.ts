import { UNITS } from './duration-text.ts'

const COUNTS =
  /^(?:(\d+)\s*(?:d|days?|д))?\s*(?:(\d+)\s*(?:h|hours?|ч))?\s*(?:(\d+)\s*(?:m|min|minutes?|мин))?\s*(?:(\d+)\s*(?:s|seconds?|с))?$/i

/** Milliseconds of a duration such as `1 h 30 m`, with English or Russian units; null: it is none. */
export function readDuration(text: string): string | null {
  const [, ...counts] = (text.trim() !== '' && COUNTS.exec(text.trim())) || []
  if (counts.every((count) => count === undefined)) return null
  const size = UNITS.reduce((sum, { ms }, at) => sum + ms * Number(counts[at] ?? 0), 0)
  return Number.isSafeInteger(size) ? String(size) : null
}
