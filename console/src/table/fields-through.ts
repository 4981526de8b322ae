/** What a search for fields needs to know about a column. */
interface AnyColumn {
  readonly name: string
  readonly title: string
  readonly type: string
  readonly target: string | null
  readonly rights: { readonly read: string }
}

interface AnyTable<C> {
  readonly columns: ReadonlyMap<string, C>
  readonly views: ReadonlyMap<string, { readonly sections: readonly { readonly columns: readonly string[] }[] }>
}

/** A field of another table, and the references that lead to it. */
export interface FieldThrough<C> {
  readonly via: readonly C[]
  readonly column: C
}

interface FieldsThrough<C> {
  readonly found: readonly FieldThrough<C>[]
  /** Tables that must be read before all fields can be found. */
  readonly missing: readonly string[]
}

const maxFound = 50
/** Tables that are read for one text. */
const maxMissing = 4

/** Those whose titles begin with the text first. Else columns of the form, then the others, then those of the system. */
function rankIn({ views }: AnyTable<unknown>, text: string): (column: AnyColumn) => number {
  const usual = new Set(views.get('Default view')?.sections.flatMap(({ columns }) => columns) ?? [])
  return ({ name, title }) =>
    (usual.has(name) ? 0 : name.startsWith('sys_') ? 2 : 1) + (title.toLowerCase().startsWith(text) ? 0 : 3)
}

/** Columns of the table by title or name, the best ones first. */
export function fitting<C extends AnyColumn>(info: AnyTable<C>, text: string): readonly C[] {
  const wanted = text.toLowerCase()
  const rank = rankIn(info, wanted)
  return [...info.columns.values()]
    .filter(
      (column) => isReadable(column) && (column.title.toLowerCase().includes(wanted) || column.name.includes(wanted)),
    )
    .sort((one, other) => rank(one) - rank(other) || one.title.localeCompare(other.title))
}

const isReadable = ({ rights }: AnyColumn): boolean => rights.read !== 'never'

/** Titles are of words, names of words with `_` between them. */
const fits = ({ title, name }: AnyColumn, words: readonly string[]): boolean =>
  title.toLowerCase().includes(words.join(' ')) || name.includes(words.join('_'))

/**
 * Fields of other tables whose path the text names: its first words a reference, the next ones a reference or a field of that table, and so
 * on, each by title or name. `caller comp` and `caller.comp` find Caller › Company. The best ones are first: by the last words, as in `fitting`,
 * then those with a shorter path.
 *
 * @param known undefined: the table is not read yet, or the user may not read it
 */
export function fieldsThrough<C extends AnyColumn>(
  info: AnyTable<C>,
  text: string,
  known: (table: string) => AnyTable<C> | undefined,
  maxHops: number,
  isOffered: (field: FieldThrough<C>) => boolean,
): FieldsThrough<C> {
  const found = new Map<string, FieldThrough<C> & { readonly rank: number }>()
  const missing = new Set<string>()
  const follow = (table: AnyTable<C>, words: readonly string[], via: readonly C[]): void => {
    if (via.length >= maxHops) return
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
        const rankOf = rankIn(target, rest.join(' '))
        for (const column of target.columns.values()) {
          if (!isReadable(column) || !fits(column, rest) || !isOffered({ via: path, column })) continue
          const name = [...path, column].map((each) => each.name).join('.')
          // The words may be split in several ways.
          const rank = Math.min(rankOf(column), found.get(name)?.rank ?? Infinity)
          found.set(name, { via: path, column, rank })
        }
        follow(target, rest, path)
      }
    }
  }
  follow(
    info,
    text
      .toLowerCase()
      .split(/[\s.›]+/)
      .filter(Boolean),
    [],
  )
  const best = [...found.values()].sort(
    (one, other) =>
      one.rank - other.rank || one.via.length - other.via.length || one.column.title.localeCompare(other.column.title),
  )
  return { found: best.slice(0, maxFound), missing: [...missing].slice(0, maxMissing) }
}
