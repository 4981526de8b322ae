/**
 * The numbers that a word processor displays before paragraphs without storing them: `4.2`, `(iii)`, `Clause 7`. Word and
 * OpenDocument describe levels in different ways; both use this counter.
 */
export interface ListLevel {
  /** The first number. */
  readonly start: number
  readonly format: CountFormat
  /** The text around the numbers: `%1.%2` is the number of level 1, a dot and the number of level 2. */
  readonly pattern: string
  /** Higher levels are displayed as decimal numbers, whatever their own format is. */
  readonly isDecimal?: boolean
  /** Continues counting when a higher level is counted. */
  readonly goesOn?: boolean
}

export type CountFormat = 'decimal' | 'decimal-zero' | 'upper-letter' | 'lower-letter' | 'upper-roman' | 'lower-roman'

/** The levels of one list, from 0. A missing level has bullets or nothing. */
export type ListLevels = readonly (ListLevel | undefined)[]

export interface ListCounter {
  /** Counts a paragraph of a level and returns its label; empty for a level without numbers. */
  next(level: number, levels: ListLevels): string
  /** The next paragraph of this level has this number. */
  restart(level: number, at: number): void
}

export function createListCounter(): ListCounter {
  const counts: (number | undefined)[] = []
  return {
    next(level, levels) {
      const own = levels[level]
      counts[level] = (counts[level] ?? (own?.start ?? 1) - 1) + 1
      for (let deeper = level + 1; deeper < counts.length; deeper++)
        if (levels[deeper]?.goesOn !== true) counts[deeper] = undefined
      return own === undefined ? '' : labelOf(own, levels, counts)
    },
    restart(level, at) {
      counts[level] = at - 1
    },
  }
}

function labelOf(own: ListLevel, levels: ListLevels, counts: readonly (number | undefined)[]): string {
  return own.pattern.replace(/%(\d)/g, (_, digit: string) => {
    const level = Number(digit) - 1
    const count = counts[level] ?? levels[level]?.start ?? 1
    return formatCount(count, own.isDecimal === true ? 'decimal' : (levels[level]?.format ?? 'decimal'))
  })
}

/** The label and the text of a numbered paragraph. */
export function withLabel(label: string, text: string): string {
  return label === '' || text.trim() === '' ? text : `${label} ${text}`
}

export function formatCount(count: number, format: CountFormat): string {
  if (format === 'decimal-zero') return String(count).padStart(2, '0')
  const isCounted = count >= 1 && count < 4_000
  if (format === 'decimal' || !isCounted) return String(count)
  const capital = format.endsWith('letter') ? letterOf(count) : romanOf(count)
  return format.startsWith('upper') ? capital : capital.toLowerCase()
}

/** A to Z, then AA, BB: the letter is repeated. */
function letterOf(count: number): string {
  return String.fromCharCode(65 + ((count - 1) % 26)).repeat(Math.ceil(count / 26))
}

const romans: readonly (readonly [value: number, digits: string])[] = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
]

function romanOf(count: number): string {
  let left = count
  let digits = ''
  for (const [value, written] of romans) {
    digits += written.repeat(Math.floor(left / value))
    left %= value
  }
  return digits
}
