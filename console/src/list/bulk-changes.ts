import { bodyOf, listValues } from '../form/texts.ts'
import type { TableInfo } from '../table/table-info.ts'

/** Texts of columns as of form/texts.ts. A column that the caller may not read on the record is missing. */
export type BulkValues = Readonly<Record<string, string>>

/** What happens to a column of all selected records. `add` and `remove` have members of a list, which keeps its others. */
export type ColumnChange =
  | { readonly kind: 'set'; readonly text: string }
  | { readonly kind: 'add' | 'remove'; readonly members: readonly string[] }
export type BulkChanges = Readonly<Record<string, ColumnChange>>

export type BulkBody = Readonly<Record<string, unknown>>

/**
 * Body of a PATCH with instructions: the server computes the list while it holds the record, so a member that another user adds at the
 * same time is not lost.
 */
export const bodyOfChanges = (changes: BulkChanges, info: TableInfo): BulkBody =>
  Object.fromEntries(
    Object.entries(changes).map(([name, change]) => [
      name,
      change.kind === 'set' ? bodyOf({ [name]: change.text }, info)[name] : { [change.kind]: change.members },
    ]),
  )

/** Members of the change that a list with this text has not, or has if they are removed. */
function membersToChange(text: string, { kind, members }: Exclude<ColumnChange, { kind: 'set' }>): readonly string[] {
  const stored = listValues(text)
  return members.filter((member) => stored.includes(member) === (kind === 'remove'))
}

/**
 * The changes with the texts that the server has made of them: `90 m` is displayed as `1 h 30 m`. Others may have changed some of the
 * records since, so the text of most counts.
 *
 * @param now texts of records that were changed
 */
export const asWritten = (changes: BulkChanges, now: readonly BulkValues[]): BulkChanges =>
  Object.fromEntries(
    Object.entries(changes).map(([name, change]) => {
      if (change.kind !== 'set') return [name, change]
      const byText = Map.groupBy(
        now.flatMap((texts) => texts[name] ?? []),
        (text) => text,
      )
      const [frequent] = [...byText].sort(([, one], [, other]) => other.length - one.length)
      return [name, frequent === undefined ? change : { kind: 'set', text: frequent[0] }]
    }),
  )

/** Whether the changes alter a record. The server decides about a column that the caller may not read. */
export const wouldChange = (before: BulkValues, changes: BulkChanges): boolean =>
  Object.entries(changes).some(([name, change]) => {
    const text = before[name]
    if (text === undefined) return true
    return change.kind === 'set' ? text !== change.text : membersToChange(text, change).length > 0
  })

/**
 * Body that takes the changes back. Of a list, only the members that the changes have added or removed are touched.
 *
 * @returns null: another user has changed one of these values since
 */
export function bodyOfUndo(
  { before, now }: { readonly before: BulkValues; readonly now: BulkValues },
  changes: BulkChanges,
  info: TableInfo,
): BulkBody | null {
  const body: Record<string, unknown> = {}
  for (const [name, change] of Object.entries(changes)) {
    const [was, is] = [before[name], now[name]]
    if (was === undefined || is === undefined) return null
    if (change.kind === 'set') {
      if (is !== change.text) return null
      Object.assign(body, bodyOf({ [name]: was }, info))
      continue
    }
    const members = membersToChange(was, change)
    if (members.some((member) => listValues(is).includes(member) !== (change.kind === 'add'))) return null
    if (members.length > 0) body[name] = { [change.kind === 'add' ? 'remove' : 'add']: members }
  }
  return body
}
