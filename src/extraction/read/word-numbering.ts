import { type CountFormat, createListCounter, type ListCounter, type ListLevel } from './list-numbers.ts'
import { isOn, readXmlIfThere } from './office-parts.ts'
import type { Archive } from './open-archive.ts'
import { attributeNamed, localName } from './read-xml.ts'

/** Gives the paragraphs of a Word document their list numbers, in the order of the document. */
export interface WordNumbering {
  /** @param level undefined: the level that is linked to the style of the paragraph */
  next(list: string, level: number | undefined, style: string | undefined): string
}

interface Levels {
  readonly levels: (ListLevel | undefined)[]
  readonly levelOfStyle: Map<string, number>
}

interface List {
  abstract: string
  /** Levels that this list overrides. */
  readonly own: Levels
  readonly starts: Map<number, number>
}

/** The numbering part has two layers: abstract lists, and lists that use one with changes. */
export async function readWordNumbering(archive: Archive, part: string): Promise<WordNumbering> {
  const reader = createNumberingReader()
  await readXmlIfThere(archive, part, reader.handler)
  return createNumbering(reader.abstracts, reader.lists)
}

function createNumbering(abstracts: ReadonlyMap<string, Levels>, lists: ReadonlyMap<string, List>): WordNumbering {
  const counters = new Map<string, ListCounter>()
  const begun = new Set<string>()
  const counterOf = (id: string, list: List): ListCounter => {
    const counter = counters.get(list.abstract) ?? createListCounter()
    counters.set(list.abstract, counter)
    // Lists with the same abstract list continue counting, unless a list has a start number.
    if (!begun.has(id)) for (const [level, at] of list.starts) counter.restart(level, at)
    begun.add(id)
    return counter
  }
  return {
    next(id, stated, style) {
      const list = lists.get(id)
      const abstract = abstracts.get(list?.abstract ?? '')
      if (list === undefined || abstract === undefined) return ''
      const level = stated ?? abstract.levelOfStyle.get(style ?? '') ?? 0
      const levels = abstract.levels.map((shared, index) => list.own.levels[index] ?? shared)
      return counterOf(id, list).next(level, levels)
    },
  }
}

/** A level that is being read. */
interface OpenLevel {
  readonly index: number
  start: number
  format: string
  pattern: string
  isDecimal: boolean
  goesOn: boolean
}

const emptyLevels = (): Levels => ({ levels: [], levelOfStyle: new Map() })
const maxLevels = 9

function createNumberingReader(): {
  readonly abstracts: ReadonlyMap<string, Levels>
  readonly lists: ReadonlyMap<string, List>
  readonly handler: {
    open(name: string, attributes: Readonly<Record<string, string>>): void
    close(name: string): void
  }
} {
  const abstracts = new Map<string, Levels>()
  const lists = new Map<string, List>()
  let list: List | undefined
  let levels = emptyLevels()
  let level: OpenLevel | undefined
  let overridden = 0

  const openLevel = (attributes: Readonly<Record<string, string>>): void => {
    const index = Number(attributeNamed(attributes, 'ilvl'))
    if (index >= 0 && index < maxLevels)
      level = { index, start: 1, format: 'decimal', pattern: '', isDecimal: false, goesOn: false }
  }
  const inLevel = (open: OpenLevel, name: string, attributes: Readonly<Record<string, string>>): void => {
    const value = attributeNamed(attributes, 'val')
    if (name === 'start') open.start = Number(value) || 0
    else if (name === 'numFmt') open.format = value ?? ''
    else if (name === 'lvlText') open.pattern = value ?? ''
    else if (name === 'isLgl') open.isDecimal = isOn(attributes)
    else if (name === 'lvlRestart') open.goesOn = value === '0'
    else if (name === 'pStyle' && value !== undefined) levels.levelOfStyle.set(value, open.index)
  }
  const opens: Readonly<Record<string, (attributes: Readonly<Record<string, string>>) => void>> = {
    abstractNum(attributes) {
      levels = emptyLevels()
      abstracts.set(attributeNamed(attributes, 'abstractNumId') ?? '', levels)
    },
    num(attributes) {
      list = { abstract: '', own: emptyLevels(), starts: new Map() }
      levels = list.own
      lists.set(attributeNamed(attributes, 'numId') ?? '', list)
    },
    abstractNumId(attributes) {
      if (list !== undefined) list.abstract = attributeNamed(attributes, 'val') ?? ''
    },
    lvlOverride(attributes) {
      overridden = Number(attributeNamed(attributes, 'ilvl'))
    },
    startOverride(attributes) {
      if (overridden >= 0 && overridden < maxLevels)
        list?.starts.set(overridden, Number(attributeNamed(attributes, 'val')) || 0)
    },
    lvl: openLevel,
  }
  return {
    abstracts,
    lists,
    handler: {
      open(full, attributes) {
        const name = localName(full)
        const opened = opens[name]
        if (opened !== undefined) opened(attributes)
        else if (level !== undefined) inLevel(level, name, attributes)
      },
      close(full) {
        const name = localName(full)
        if (name === 'num') list = undefined
        if (name !== 'lvl' || level === undefined) return
        levels.levels[level.index] = levelOf(level)
        level = undefined
      },
    },
  }
}

const formats: ReadonlyMap<string, CountFormat> = new Map([
  ['decimalZero', 'decimal-zero'],
  ['upperLetter', 'upper-letter'],
  ['lowerLetter', 'lower-letter'],
  ['upperRoman', 'upper-roman'],
  ['lowerRoman', 'lower-roman'],
])

function levelOf({ start, format, pattern, isDecimal, goesOn }: OpenLevel): ListLevel | undefined {
  const isDisplayed = format !== 'bullet' && format !== 'none' && pattern.includes('%')
  return isDisplayed ? { start, format: formats.get(format) ?? 'decimal', pattern, isDecimal, goesOn } : undefined
}
