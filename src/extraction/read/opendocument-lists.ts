import {
  type CountFormat,
  createListCounter,
  type ListCounter,
  type ListLevel,
  type ListLevels,
} from './list-numbers.ts'
import type { XmlHandler } from './read-xml.ts'

type Attributes = Readonly<Record<string, string>>

/** The styles of lists in `styles.xml` and `content.xml`, by name. */
export interface ListStyles {
  readonly handler: Required<Pick<XmlHandler, 'open'>>
  levelsOf(style: string): ListLevels
  /** The levels of headings outside of lists. */
  readonly outline: ListLevels
}

export function readListStyles(): ListStyles {
  const styles = new Map<string, (ListLevel | undefined)[]>()
  const outline: (ListLevel | undefined)[] = []
  let open: (ListLevel | undefined)[] = []
  return {
    outline,
    levelsOf: (style) => styles.get(style) ?? [],
    handler: {
      open(name, attributes) {
        if (name === 'text:list-style') {
          open = []
          styles.set(attributes['style:name'] ?? '', open)
        } else if (name === 'text:outline-style') open = outline
        else if (name === 'text:list-level-style-number' || name === 'text:outline-level-style') {
          const level = Number(attributes['text:level']) - 1
          if (level >= 0 && level < maxLevels) open[level] = levelOf(level, attributes)
        }
      },
    },
  }
}

const maxLevels = 10
const formats: ReadonlyMap<string, CountFormat> = new Map([
  ['1', 'decimal'],
  ['A', 'upper-letter'],
  ['a', 'lower-letter'],
  ['I', 'upper-roman'],
  ['i', 'lower-roman'],
])

function levelOf(level: number, attributes: Attributes): ListLevel | undefined {
  const format = formats.get(attributes['style:num-format'] ?? '')
  if (format === undefined) return undefined
  const whole = attributes['style:num-list-format'] ?? attributes['loext:num-list-format']
  return {
    start: Number(attributes['text:start-value'] ?? 1) || 0,
    format,
    pattern: whole === undefined ? patternOf(level, attributes) : whole.replace(/%(\d)%/g, '%$1'),
  }
}

function patternOf(level: number, attributes: Attributes): string {
  const displayed = Math.min(level + 1, Math.max(1, Number(attributes['text:display-levels'] ?? 1) || 1))
  const numbers = Array.from({ length: displayed }, (_, index) => `%${level + 2 - displayed + index}`).join('.')
  return `${attributes['style:num-prefix'] ?? ''}${numbers}${attributes['style:num-suffix'] ?? ''}`
}

/** The current position in lists and their items. */
export interface OpenLists {
  openList(attributes: Attributes): void
  closeList(): void
  openItem(attributes: Attributes, isCounted: boolean): void
  closeItem(): void
  isInItem(): boolean
  /** The label of a paragraph that begins here: only the first one of an item has one. */
  label(): string
  /** Like `label`; a heading outside of lists is counted with the other headings. */
  headingLabel(attributes: Attributes): string
}

interface OpenList {
  readonly style: string
  readonly counter: ListCounter
}

export function createOpenLists(styles: ListStyles): OpenLists {
  const open: OpenList[] = []
  const items: { isWaiting: boolean }[] = []
  const byId = new Map<string, ListCounter>()
  const lastOfStyle = new Map<string, ListCounter>()
  const headings = createListCounter()

  const counterOf = (style: string, attributes: Attributes): ListCounter => {
    const continued = byId.get(attributes['text:continue-list'] ?? '')
    const last = attributes['text:continue-numbering'] === 'true' ? lastOfStyle.get(style) : undefined
    return continued ?? last ?? createListCounter()
  }
  const label = (): string => {
    const item = items.at(-1)
    const list = open.at(-1)
    if (item?.isWaiting !== true || list === undefined) return ''
    item.isWaiting = false
    return list.counter.next(open.length - 1, styles.levelsOf(list.style)).trim()
  }
  return {
    openList(attributes) {
      const outer = open.at(-1)
      const style = attributes['text:style-name'] ?? outer?.style ?? ''
      const counter = outer?.counter ?? counterOf(style, attributes)
      byId.set(attributes['xml:id'] ?? '', counter)
      lastOfStyle.set(style, counter)
      open.push({ style, counter })
    },
    closeList: () => void open.pop(),
    openItem(attributes, isCounted) {
      const start = Number(attributes['text:start-value'] ?? Number.NaN)
      if (!Number.isNaN(start)) open.at(-1)?.counter.restart(open.length - 1, start)
      items.push({ isWaiting: isCounted })
    },
    closeItem: () => void items.pop(),
    isInItem: () => items.length > 0,
    label,
    headingLabel(attributes) {
      if (items.length > 0) return label()
      const level = Number(attributes['text:outline-level'] ?? 1) - 1
      const isCounted = level >= 0 && level < maxLevels && attributes['text:is-list-header'] !== 'true'
      return isCounted ? headings.next(level, styles.outline).trim() : ''
    },
  }
}
