import { mapValues, type Sql, sql } from '../../kernel/sql.ts'
import type { RecordPlan } from '../plan/record-plan.ts'
import { Param, type ValueSource } from '../plan/value-source.ts'
import { intoStorage, placeOf, returnedOf } from './adopted-storage.ts'
import { EPOCH } from './change-statements.ts'
import { logCreate } from './log-change.ts'
import { startCreate } from './start-create.ts'
import { type CreatePlan, userId } from './statement-parts.ts'
import { storageName } from './storage-name.ts'
import { writeNewValue } from './write-assignments.ts'

/** A parameter with one value for each row, as an array of texts. */
export class OfEachRow {
  readonly source: ValueSource
  constructor(source: ValueSource) {
    this.source = source
  }
}

/**
 * The statement that creates many records of one shape. Row n of `g` contains the n-th member of each array parameter. Rows whose
 * checks fail are left out. If a check on the written rows fails, the statement ends with an error for all of them.
 *
 * Result: epochs, the numbers of the rows that were left out (from 1, as a JSON array), whether the written ones are allowed.
 *
 * @returns null: the records must be created one by one
 */
export function writeCreates(plan: RecordPlan, form: CreatePlan): Sql<unknown> | null {
  const isPlain = plan.table.adopted === null && !plan.table.queuedCreate && form.journals.length === 0
  const sources = sourcesOfRows(form)
  if (!isPlain || sources === null || sources.length === 0) return null
  const { aliases, checks, made, guard } = startCreate(plan, form)
  const columns = form.assignments.map(({ column }) => sql.id(storageName(column.storage)))
  const values = form.assignments.map((assignment) =>
    intoStorage(assignment.column, writeNewValue(assignment, aliases, sql.ref('g.n'))),
  )
  const arrays = sources.map((source) => sql`${new OfEachRow(source)}::text[]`)
  const names = sources.map((_source, index) => sql.id(nameOf(index)))
  return sql`with ${EPOCH},
    checked as materialized (select g.*, ${ofRow(checks, sources)} as passed
      from unnest(${sql.join(arrays)}) with ordinality as g (${sql.join(names)}, n)),
    made as (insert into ${placeOf(plan.table)} as n (${sql.join(columns)})
      select ${ofRow(sql.join(values), sources)} from e, checked as g where e.current and true = all(g.passed) order by g.n
      returning ${returnedOf(plan.table, 'n')})
    ${logCreate(plan, form, userId)}
    select e.catalog::text, e.identity::text,
      (select json_agg(g.n)::text from checked as g where not coalesce(true = all(g.passed), false)),
      (select bool_and(${guard}) from made ${made.joins()})
    from e`
}

const nameOf = (index: number): string => `p${index}`

/** The sources of the values that differ between rows; null: the plan has a change or check that this statement does not support. */
function sourcesOfRows(form: CreatePlan): readonly ValueSource[] | null {
  const sources = new Set<ValueSource>()
  for (const { change } of form.assignments) {
    const given = change.kind === 'state-stamp' ? change.state : change
    if (given.kind === 'value') sources.add(given.value)
    else if (given.kind === 'displayed')
      for (const value of [given.value, given.by?.value ?? given.value]) sources.add(value)
    else if (change.kind !== 'number') return null
  }
  for (const check of form.checks) {
    if (check.kind === 'record-exists') sources.add(check.ids)
    else if (check.kind === 'document-exists') sources.add(check.id)
    else return null
  }
  return [...sources]
}

/** Replaces the parameters of the body by columns of `g`. Parameters of the caller and the time stay. */
function ofRow<T>(part: Sql<T>, sources: readonly ValueSource[]): Sql<T> {
  return mapValues(part, (value) => {
    const index = value instanceof Param ? sources.indexOf(value.source) : -1
    return index < 0 ? value : sql.ref(`g.${nameOf(index)}`)
  })
}
