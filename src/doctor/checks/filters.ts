import type { Catalog } from '../../catalog/catalog.ts'
import type { Database } from '../../database/database.ts'
import { type FollowSettings, problemWithFollow } from '../../follow/follow-definition.ts'
import { sql } from '../../kernel/sql.ts'
import { conditionProblem } from '../../records/dictionary/condition-problem.ts'
import { type Check, type DatabaseGround, listNames } from '../check.ts'
import { detailOf } from './rules.ts'

/** Saved filters, state models and followed collections that name what is not there. */
export const checkFilters: Check<DatabaseGround> = {
  name: 'filters',
  async run({ database, catalog }) {
    const conditions = [...(await readFilters(database)), ...modelsOf(catalog)]
    const followed = await readFollowed(database)
    const broken = [
      ...conditions.map(({ what, table, condition }) => ({
        what,
        problem: conditionProblem(condition, catalog.tables.get(table) ?? null, catalog),
      })),
      ...followed.map((each) => ({
        what: `followed collection ${each.name}`,
        problem: problemWithFollow(each, catalog),
      })),
    ].flatMap(({ what, problem }) => (problem === null ? [] : [{ what, detail: detailOf(problem) }]))
    const summary = `${conditions.length} conditions, ${followed.length} followed collections`
    const [first] = broken
    if (first === undefined) return { summary, findings: [] }
    const what = `A filter names what is not there: ${first.detail}`
    const where = listNames(broken.map((each) => each.what))
    const cure =
      'correct its condition: PATCH the row of sys_filter or sys_state_model, or PUT /collections/{name}/follow'
    return { summary, findings: [{ fault: 'filter-broken', what, where, cure }] }
  },
}

interface Held {
  readonly what: string
  readonly table: string
  readonly condition: string
}

function readFilters(database: Database): Promise<readonly Held[]> {
  return database.rows(sql<Held>`
    select 'filter ' || f.title || ' of ' || t.name as what, t.name as "table", coalesce(f.condition, '') as condition
    from docket.sys_filter f join docket.sys_db_table t on t.sys_id = f.table_id where f.active order by f.sys_id`)
}

function modelsOf({ stateModels }: Catalog): readonly Held[] {
  return [...stateModels.values()]
    .flat()
    .map(({ table, condition }) => ({ what: `state model of ${table}`, table, condition }))
}

function readFollowed(database: Database): Promise<readonly (FollowSettings & { readonly name: string })[]> {
  return database.rows(sql<FollowSettings & { readonly name: string }>`
    select c.name, f.table_name as "table", f.query, f.template, f.metadata_columns as metadata, f.exposed_columns as exposed
    from docket_documents.follow f join docket_documents.collection c on c.id = f.collection_id
    where c.removed_position is null order by c.name`)
}
