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

/** Columns that a new record needs: the mandatory ones, and the one with the subject. */
export const missingOf = ({ columns }: TableInfo, texts: Texts): readonly string[] =>
  [...columns.values()]
    .filter((column) => mayCreate(column) && (column.isRequiredOnCreate || column.name === 'subject'))
    .filter(({ name }) => (texts[name] ?? '').trim() === '')
    .map(({ name }) => name)

/** Reads `set=a=1^b=2`. Only columns that users can fill in are used. */
export function presetOf(info: TableInfo, set: string | undefined): Texts {
  const read = readQuery(set ?? '')
  if (!read.ok) return {}
  return Object.fromEntries(
    read.query.terms.flatMap((term) => {
      const column =
        term.kind === 'comparison' && term.operator === '=' ? info.columns.get(term.path.join('.')) : undefined
      return column !== undefined && isEditable(column) ? [[column.name, valueTextOf(term) ?? '']] : []
    }),
  )
}

/** Sections of the view. */
export function sectionsOf(info: TableInfo, viewTitle: string | undefined): readonly Section[] {
  const view = info.views.get(viewTitle ?? 'Default view') ?? info.views.get('Default view')
  const columns = [...info.columns.keys()].filter((name) => !name.startsWith('sys_'))
  return view?.sections ?? [{ title: info.entry.title, columns }]
}

/** Sections of the view with the columns that can be filled in. */
export function sectionsOfNew(info: TableInfo, viewTitle: string | undefined): readonly Section[] {
  const fillable = (name: string): boolean => {
    const column = info.columns.get(name)
    return column !== undefined && isEditable(column) && name !== 'number' && name !== 'state'
  }
  return sectionsOf(info, viewTitle)
    .map(({ title, columns }) => ({ title, columns: columns.filter(fillable) }))
    .filter(({ columns }) => columns.length > 0)
}
