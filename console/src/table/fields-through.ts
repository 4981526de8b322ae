import type { Column, TableInfo } from './table-info.ts'

/** A field of another table, and the references that lead to it. */
export interface FieldThrough {
  readonly via: readonly Column[]
  readonly column: Column
}

interface FieldsThrough {
  readonly found: readonly FieldThrough[]
  /** Tables that must be read before all fields can be found. */
  readonly missing: readonly string[]
}

const maxFound = 50
/** Tables that are read for one text. */
const maxMissing = 4

const isReadable = ({ rights }: Column): boolean => rights.read !== 'never'

/** Titles are of words, names of words with `_` between them. */
const fits = ({ title, name }: Column, words: readonly string[]): boolean =>
  title.toLowerCase().includes(words.join(' ')) || name.includes(words.join('_'))

/**
 * Fields of other tables whose path the text names: its first words a reference, the next ones a reference or a field of that table, and so
 * on, each by title or name. `caller comp` and `caller.comp` find Caller › Company.
 *
 * @param known undefined: the table is not read yet, or the user may not read it
 */
export function fieldsThrough(
  info: TableInfo,
  text: string,
  known: (table: string) => TableInfo | undefined,
  maxHops: number,
): FieldsThrough {
  const found = new Map<string, FieldThrough>()
  const missing = new Set<string>()
  const walk = (table: TableInfo, words: readonly string[], via: readonly Column[]): void => {
    const references = [...table.columns.values()].filter(
      (each) => each.type === 'reference' && each.target !== null && isReadable(each),
    )
    for (let count = 1; count < words.length; count += 1) {
      const rest = words.slice(count)
      for (const reference of references.filter((each) => fits(each, words.slice(0, count)))) {
        const target = known(reference.target ?? '')
        if (target === undefined) {
          missing.add(reference.target ?? '')
          continue
        }
        const path = [...via, reference]
        for (const column of target.columns.values())
          if (isReadable(column) && fits(column, rest))
            found.set([...path, column].map(({ name }) => name).join('.'), { via: path, column })
        if (path.length < maxHops) walk(target, rest, path)
      }
    }
  }
  walk(
    info,
    text
      .toLowerCase()
      .split(/[\s.›]+/)
      .filter(Boolean),
    [],
  )
  return { found: [...found.values()].slice(0, maxFound), missing: [...missing].slice(0, maxMissing) }
}
