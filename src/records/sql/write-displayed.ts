import type { ClassChoices } from '../../catalog/catalog.ts'
import { sql } from '../../kernel/sql.ts'
import type { DisplayedChange, StateChange } from '../plan/planned-change.ts'
import { Param, type ValueSource } from '../plan/value-source.ts'
import { type StoredRow, writeByClass, writeDisplayedValue, writeLookupOr } from './displayed-value.ts'
import type { Expression } from './expression.ts'

const textOf = (value: ValueSource): Expression => sql`${new Param(value, 0)}::text`

/** The state that a write sets. @param before null on a create */
export function writeNewState(change: StateChange, before: StoredRow | null): Expression {
  return change.kind === 'value' ? textOf(change.value) : writeDisplayed(change, before)
}

/**
 * The stored value for a value of another API. Keeps the current one if that API displays it as the same.
 *
 * @param before null on a create
 * @param rejects whether a value that exists only in another class ends the statement; otherwise it stays as it is
 */
export function writeDisplayed(
  change: DisplayedChange,
  before: StoredRow | null,
  { rejects } = { rejects: true },
): Expression {
  const { column } = change
  const stored = writeStored(change, before, rejects)
  if (before === null) return stored
  const displayed = writeDisplayedValue(column, before) ?? before.storage(column.storage ?? '')
  const same = sql`${displayed} is not distinct from ${textOf(change.value)}`
  return sql`case when ${same} ${sameSplit(change, before)} then ${before.storage(column.storage ?? '')} else ${stored} end`
}

/** If a second column decides what is stored, it must be displayed as the same too. */
function sameSplit({ by, value, classes }: DisplayedChange, before: StoredRow): Expression {
  const split = classes.flatMap((each) => each.split?.displayed ?? [])
  if (by === null || split.length === 0) return sql``
  const displayed = writeDisplayedValue(by.column, before) ?? before.storage(by.column.storage ?? '')
  return sql`and (${textOf(value)} not in (${sql.join(split.map((each) => sql.lit(each)))}) or ${displayed} is not distinct from ${textOf(by.value)})`
}

function writeStored(change: DisplayedChange, before: StoredRow | null, rejects: boolean): Expression {
  const value = textOf(change.value)
  if (change.classes.length === 0) return value
  const isCertain = change.classes.length === 1
  const row = before ?? { storage: () => sql`null::bigint` }
  return writeByClass(change, row, (each) => {
    const stored = writeSplit(each, change, writeLookupOr(value, each.stored))
    return isCertain || !rejects ? stored : orReject(change, each, stored)
  })
}

function writeSplit({ split }: ClassChoices, { value, by }: DisplayedChange, fallback: Expression): Expression {
  if (split === null || by === null) return fallback
  const branches = [...split.stored].map(
    ([reason, state]) =>
      sql`when ${textOf(value)} = ${sql.lit(split.displayed)} and ${textOf(by.value)} = ${sql.lit(reason)} then ${sql.lit(state)}`,
  )
  return sql`case ${sql.join(branches, sql` `)} else ${fallback} end`
}

/** Rejects a value that exists only in another class. */
function orReject({ column, value }: DisplayedChange, { stored }: ClassChoices, written: Expression): Expression {
  const rejection = sql`jsonb_build_object('kind', 'other-choice', 'column', ${sql.lit(column.name)}, 'to', ${textOf(value)}, 'choices', ${sql.lit([...stored.keys()].join(', '))}::text)`
  const known = [...stored.keys()].map((each) => sql.lit(each))
  return sql`case when ${textOf(value)} is null or ${textOf(value)} in (${sql.join(known)}) then ${written} else docket_system.reject(${rejection})::text end`
}
