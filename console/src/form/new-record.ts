import { ME } from '../list/filter-terms.ts'
import { readQuery, valueTextOf } from '../list/list-query.ts'
import type { Column, Section, TableInfo } from '../table/table-info.ts'
import { isEditable } from './editable.ts'
import type { Texts } from './merge.ts'

const mayCreate = (column: Column | undefined): column is Column =>
  column !== undefined && isEditable(column) && column.rights.create !== 'never'

/** Default values that the server would use. Computed times are left to the server. */
export const defaultsOf = ({ columns }: TableInfo, userId: string): Texts =>
  Object.fromEntries(
    [...columns.values()].flatMap((column) => {
      const text = column.defaultValue === ME ? userId : column.defaultValue
      const isDisplayed = text !== null && !text.startsWith('javascript:') && !COMPUTED.has(column.type)
      return isDisplayed && mayCreate(column) ? [[column.name, text]] : []
    }),
  )

const COMPUTED: ReadonlySet<string> = new Set(['datetime', 'duration', 'list', 'json', 'wysiwyg'])

/** Users who request help are the callers of their ticket, until they name another user. */
export function ownTicketOf({ columns }: TableInfo, userId: string): Texts {
  const caller = columns.get('caller')
  return mayCreate(caller) && caller.target === 'user' ? { caller: userId } : {}
}

const isNeeded = ({ isRequiredOnCreate, name }: Column): boolean => isRequiredOnCreate || name === 'subject'

/** Columns that a new record needs: the mandatory ones, and the one with the subject. */
export const missingOf = ({ columns }: TableInfo, texts: Texts): readonly string[] =>
  [...columns.values()]
    .filter((column) => isFillable(column) && isNeeded(column))
    .filter(({ name }) => (texts[name] ?? '').trim() === '')
    .map(({ name }) => name)

/** Reads `set=a=1^b=2`. Only columns with a field are used: an address must not fill in what its reader does not see. */
export function presetOf(info: TableInfo, set: string | undefined): Texts {
  const read = readQuery(set ?? '')
  if (!read.ok) return {}
  return Object.fromEntries(
    read.query.terms.flatMap((term) => {
      const column =
        term.kind === 'comparison' && term.operator === '=' ? info.columns.get(term.path.join('.')) : undefined
      return column !== undefined && isFillable(column) ? [[column.name, valueTextOf(term) ?? '']] : []
    }),
  )
}

/** Sections of the view. */
export function sectionsOf(info: TableInfo, viewTitle: string | undefined): readonly Section[] {
  const view = info.views.get(viewTitle ?? 'Default view') ?? info.views.get('Default view')
  const columns = [...info.columns.keys()].filter((name) => !name.startsWith('sys_'))
  return view?.sections ?? [{ title: info.entry.title, columns }]
}

/** Number and first state come from the server, unless it requires them. Journals have no field. */
const isFillable = (column: Column): boolean =>
  mayCreate(column) &&
  column.type !== 'journal_input' &&
  (column.isRequiredOnCreate || (column.name !== 'number' && column.name !== 'state'))

/** The columns that a user can fill in, in the view or not. */
export const fillableOf = ({ columns }: TableInfo): readonly string[] =>
  [...columns.values()].filter(isFillable).map(({ name }) => name)

/** Sections of the view with the columns that can be filled in. What a create needs is in the first one if no section has it. */
export function sectionsOfNew(info: TableInfo, viewTitle: string | undefined): readonly Section[] {
  const fillable = fillableOf(info)
  const sections = sectionsOf(info, viewTitle)
    .map(({ title, columns }) => ({ title, columns: columns.filter((name) => fillable.includes(name)) }))
    .filter(({ columns }) => columns.length > 0)
  const named = new Set(sections.flatMap(({ columns }) => columns))
  const needed = [...info.columns.values()]
    .filter((column) => isFillable(column) && isNeeded(column) && !named.has(column.name))
    .map(({ name }) => name)
  const [first = { title: info.entry.title, columns: [] }, ...others] = sections
  return needed.length === 0 ? sections : [{ title: first.title, columns: [...first.columns, ...needed] }, ...others]
}
