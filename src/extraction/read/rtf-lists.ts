import { type CountFormat, createListCounter, type ListCounter, type ListLevel } from './list-numbers.ts'

/** The tables of lists of an RTF document, and the numbers of its paragraphs without a group `listtext`. */
export interface RtfLists {
  /** A control word inside `listtable` or `listoverridetable`. */
  control(word: string, value: number | undefined): void
  /** Text inside them. */
  text(text: string): void
  /** Counts a paragraph of a list (`\ls`) and a level (`\ilvl`), and returns its label: empty without a number. */
  next(list: number, level: number): string
}

interface OpenLevel {
  start: number
  format: number
  text: string
  isDecimal: boolean
  goesOn: boolean
}

interface List {
  readonly levels: OpenLevel[]
}

interface Override {
  list: number
  /** Levels that this use of the list overrides. */
  readonly levels: (OpenLevel | undefined)[]
  readonly starts: Map<number, number>
}

const maxLevels = 9

const formats: ReadonlyMap<number, CountFormat> = new Map([
  [0, 'decimal'],
  [1, 'upper-roman'],
  [2, 'lower-roman'],
  [3, 'upper-letter'],
  [4, 'lower-letter'],
  [22, 'decimal-zero'],
])
const bullet = 23
const none = 255

export function createRtfLists(): RtfLists {
  const lists = new Map<number, List>()
  const overrides = new Map<number, Override>()
  const counters = new Map<number, ListCounter>()
  const begun = new Set<number>()
  let list: List | undefined
  let override: Override | undefined
  let overriddenLevel = -1
  let level: OpenLevel | undefined
  let isLevelText = false

  const beginLevel = (): void => {
    level = { start: 1, format: 0, text: '', isDecimal: false, goesOn: false }
    if (override === undefined) list?.levels.push(level)
    else if (overriddenLevel >= 0 && overriddenLevel < maxLevels) override.levels[overriddenLevel] = level
  }
  const startAt = (value: number): void => {
    if (level !== undefined) level.start = value
    else if (overriddenLevel >= 0) override?.starts.set(overriddenLevel, value)
  }
  const words: Readonly<Record<string, (value: number) => void>> = {
    list() {
      list = { levels: [] }
      override = undefined
      level = undefined
    },
    listlevel: beginLevel,
    listid(value) {
      if (override !== undefined) override.list = value
      else if (list !== undefined) lists.set(value, list)
    },
    listoverride() {
      override = { list: 0, levels: [], starts: new Map() }
      overriddenLevel = -1
      level = undefined
    },
    lfolevel() {
      overriddenLevel++
      level = undefined
    },
    ls(value) {
      if (override !== undefined) overrides.set(value, override)
    },
    levelstartat: startAt,
    levelnfc(value) {
      if (level !== undefined) level.format = value
    },
    levelnfcn(value) {
      if (level !== undefined) level.format = value
    },
    levellegal(value) {
      if (level !== undefined) level.isDecimal = value !== 0
    },
    levelnorestart(value) {
      if (level !== undefined) level.goesOn = value !== 0
    },
  }
  const counterOf = (number: number, { list: id, starts }: Override): ListCounter => {
    const counter = counters.get(id) ?? createListCounter()
    counters.set(id, counter)
    // Uses of one list continue counting, unless one has a start number.
    if (!begun.has(number)) for (const [at, start] of starts) counter.restart(at, start)
    begun.add(number)
    return counter
  }
  return {
    control(word, value) {
      if (/^le?vel|^list|^ls$|^lfo/.test(word) && word !== 'leveltemplateid') isLevelText = word === 'leveltext'
      words[word]?.(value ?? 1)
    },
    text(text) {
      if (isLevelText && level !== undefined) level.text += text
    },
    next(number, at) {
      const used = overrides.get(number)
      const levels = lists.get(used?.list ?? 0)?.levels
      if (used === undefined || levels === undefined || at < 0 || at >= maxLevels) return ''
      const here = levels.map((shared, index) => levelOf(used.levels[index] ?? shared))
      return counterOf(number, used).next(at, here)
    },
  }
}

/**
 * The text of a level: its length, then characters; those from 0 to 8 are replaced by the number of that level; a semicolon
 * ends it.
 */
function levelOf({ start, format, text, isDecimal, goesOn }: OpenLevel): ListLevel | undefined {
  const signs = text.slice(1, 1 + text.charCodeAt(0))
  const pattern = signs.replace(/[\0-\x08]/g, (sign) => `%${sign.charCodeAt(0) + 1}`)
  if (format === bullet || format === none || !pattern.includes('%')) return undefined
  return { start, format: formats.get(format) ?? 'decimal', pattern, isDecimal, goesOn }
}
