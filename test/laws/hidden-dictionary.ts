import { metaEndpoints } from '../../src/endpoints/meta/meta-endpoints.ts'
import type { EndpointRequest } from '../../src/http/endpoint/endpoint-request.ts'
import type { Principal } from '../../src/identity/principal.ts'
import { sql } from '../../src/kernel/sql.ts'
import { ANNA, BORIS, insertRows, type Lab, type LabRow, type LabRule } from './record-lab.ts'

/**
 * Parts of the dictionary that a reader may not see. They have other content in each of two labs: views of another user, titles and
 * choices of closed columns, a closed table with references to open ones, its related list, and a section with closed columns only.
 */
export interface HiddenParts {
  readonly columnsOfBoris: readonly string[]
  /** In the titles of everything that is closed, and in the name of the closed table. */
  readonly word: string
}

/** Columns that readers may neither read nor write, whatever the other rules say. */
const CLOSED_COLUMNS: Readonly<Record<string, string>> = { hue: 'lab', grade: 'lab_part' }

const CLOSING_RULES: readonly LabRule[] = Object.entries(CLOSED_COLUMNS).flatMap(([column, table]) =>
  (['read', 'write', 'create'] as const).map((operation): LabRule => ({ operation, table, column, roles: ['worker'] })),
)

/** The rules without those that open a closed column, and with those that close it. */
export const withClosedColumns = (rules: readonly LabRule[]): readonly LabRule[] => [
  ...rules.filter(({ column }) => column == null || CLOSED_COLUMNS[column] === undefined),
  ...CLOSING_RULES,
]

export async function defineHiddenParts(lab: Lab, parts: HiddenParts): Promise<void> {
  await makeViews(lab, parts)
  const { database } = lab
  const { word } = parts
  const name = `lab_${word}`
  await database.rows(sql`select docket_system.define_table(${name}, ${word}, ${word})`)
  await database.rows(
    sql`select docket_system.define_column(${name}, 'origin', 'reference', ${word}, ${word}, '{"reference":"lab"}')`,
  )
  await database.rows(sql`insert into docket.sys_ui_related_list (form_id, table_id, column_name, title)
    select 900000000000000701, sys_id, 'origin', ${word} from docket.sys_db_table where name = ${name}`)
  await database.rows(sql`update docket.sys_db_table set title = ${word} where name = 'lab_vault'`)
  await database.rows(sql`update docket.sys_db_column set title = ${word}
    where column_name = any(${Object.keys(CLOSED_COLUMNS)}::text[]) or column_name = 'code' and table_id = (select sys_id from docket.sys_db_table where name = 'lab_vault')`)
  await database.rows(sql`update docket.sys_choice set title = ${word} || value where column_id =
    (select sys_id from docket.sys_db_column where column_name = 'grade' and table_id = (select sys_id from docket.sys_db_table where name = 'lab_part'))`)
}

/** `Shared` is for all, `Mine` is Anna's. Boris has his own view with each title, which must not affect others. */
async function makeViews(lab: Lab, { columnsOfBoris, word }: HiddenParts): Promise<void> {
  const form = lab.catalog.tables.get('lab')?.id
  const views = [
    { id: '900000000000000701', title: 'Shared', user: null, columns: ['title', 'shelf.name', 'amount', 'ctl'] },
    { id: '900000000000000702', title: 'Mine', user: ANNA, columns: ['title', 'peer.title', 'tags', 'no_longer'] },
    { id: '900000000000000703', title: 'Mine', user: BORIS, columns: columnsOfBoris },
    { id: '900000000000000704', title: 'Theirs', user: BORIS, columns: columnsOfBoris },
    { id: '900000000000000705', title: 'Shared', user: BORIS, columns: columnsOfBoris },
  ]
  const rows = views.flatMap(({ id, title, user, columns }): LabRow[] => [
    { class: 'sys_ui_form', values: { sys_id: id, title, table_id: form, user_id: user, active: true } },
    { class: 'sys_ui_form_section', values: { sys_id: `${id}1`.slice(-18), form_id: id, order: 1 } },
    ...columns.map((name, index) => element(`${id}${index}2`, `${id}1`, name, index)),
  ])
  const closed = '9000000000000007013'
  await insertRows(lab, [
    ...rows,
    {
      class: 'sys_ui_form_section',
      values: { sys_id: closed.slice(-18), form_id: '900000000000000701', title: word, order: 2 },
    },
    element(`${closed}4`, closed, 'hue', 0),
  ])
}

const element = (id: string, section: string, name: string, order: number): LabRow => ({
  class: 'sys_ui_form_element',
  values: { sys_id: id.slice(-18), section_id: section.slice(-18), column_name: name, order },
})

/**
 * The description of a table, or the list of all, with the rights of the caller; an error as well. Without the ETag: it comes from the epoch
 * of the dictionary, which changes of hidden parts raise, too.
 */
export async function describeAs(lab: Lab, table: string | null, principal: Principal): Promise<unknown> {
  const [list, one] = metaEndpoints
  const endpoint = table === null ? list : one
  if (endpoint === undefined) throw new Error('meta has two endpoints')
  const request = { principal, path: table === null ? {} : { table } } as EndpointRequest
  const described = await endpoint.run({ records: lab.deps }, { query: new Map(), body: {} }, request)
  return described.ok && 'data' in described.value ? described.value.data : described
}
