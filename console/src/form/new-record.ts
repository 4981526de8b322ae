import { ME } from '../list/filter-terms.ts'
import { readQuery, valueTextOf } from '../list/list-query.ts'
import type { Column, TableInfo } from '../table/table-info.ts'
import { isEditable } from './editable.ts'
import type { Texts } from './merge.ts'

const mayCreate = (column: Column | undefined): column is Column =>
  column !== undefined && isEditable(column) && column.rights.create !== 'never'

/** What the server fills in where nothing is given. Moments that it computes are left to it. */
export const defaultsOf = ({ columns }: TableInfo, userId: string): Texts =>
  Object.fromEntries(
    [...columns.values()].flatMap((column) => {
      const text = column.defaultValue === ME ? userId : column.defaultValue
      const isDisplayed = text !== null && !text.startsWith('javascript:') && !COMPUTED.has(column.type)
      return isDisplayed && mayCreate(column) ? [[column.name, text]] : []
    }),
  )

const COMPUTED: ReadonlySet<string> = new Set(['datetime', 'duration', 'list', 'json', 'wysiwyg'])

/** Who asks for help does so for themselves, until they name somebody else. */
export function ownTicketOf({ columns }: TableInfo, userId: string): Texts {
  const caller = columns.get('caller')
  return mayCreate(caller) && caller.target === 'user' ? { caller: userId } : {}
}

/** Columns without which there is no new record: those of the dictionary, and what the record is about. */
export const missingOf = ({ columns }: TableInfo, texts: Texts): readonly string[] =>
  [...columns.values()]
    .filter((column) => mayCreate(column) && (column.isRequiredOnCreate || column.name === 'subject'))
    .filter(({ name }) => (texts[name] ?? '').trim() === '')
    .map(({ name }) => name)

/** `set=a=1^b=2` fills in columns that can be filled in. */
export function presetOf(info: TableInfo, set: string | undefined): Texts {
  const read = readQuery(set ?? '')
  if (!read.ok) return {}
  return Object.fromEntries(
    read.query.terms.flatMap((term) => {
      const column = term.kind === 'test' && term.operator === '=' ? info.columns.get(term.path.join('.')) : undefined
      return column !== undefined && isEditable(column) ? [[column.name, valueTextOf(term) ?? '']] : []
    }),
  )
}
