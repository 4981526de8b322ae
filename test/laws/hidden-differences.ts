import type { Catalog, Column } from '../../src/catalog/catalog.ts'
import { sql } from '../../src/kernel/sql.ts'
import { numbersFrom, otherCell, type RowSeed, rowAmong } from './arbitrary-records.ts'
import type { NaiveRights } from './naive-rights.ts'
import { ANNA, BORIS, GROUPS, type Lab, type LabRow, type LabRule, USERS } from './record-lab.ts'

/**
 * Makes a second world from a first one. They differ in everything that a reader may not see, and in nothing else: hidden rows are
 * changed, missing or added; hidden columns and cells have other values, and so have journals, histories and files of hidden data, views
 * of other users, and denied tables.
 */
export interface Twins {
  readonly first: World
  readonly second: World
}

export interface World {
  readonly rows: readonly LabRow[]
  readonly beside: readonly LabRow[]
  /** A text that is appended to names of users and groups if these are hidden. */
  readonly people: string
  readonly translations: readonly Translation[]
}

interface Translation {
  readonly row: LabRow
  readonly text: string
}

export interface DifferenceSeed {
  /** The seed of all choices. */
  readonly choices: number
  readonly more: readonly RowSeed[]
  readonly entries: number
}

export interface Checked {
  readonly catalog: Catalog
  readonly rules: readonly LabRule[]
  /** The rights in a world with these rows. */
  rightsIn(rows: readonly LabRow[]): Promise<NaiveRights>
}

export async function makeTwins(rows: readonly LabRow[], seed: DifferenceSeed, checked: Checked): Promise<Twins> {
  const { catalog } = checked
  const rights = await checked.rightsIn(rows)
  const next = numbersFrom(seed.choices)
  const changed = rows.map((row) => differRow(row, rows, { rights, catalog, next }))
  const pointedAt = new Set([...rows, ...changed].flatMap((row) => referencesOf(row, catalog)))
  const kept = changed.filter((row) => {
    const mayGo = !rights.mayRow('read', row) && !pointedAt.has(idOf(row)) && row.class !== 'lab_vault'
    return !mayGo || next() % 3 !== 0
  })
  const more = seed.more.map((row, index) => rowAmong(row, `90000000000000047${index}`, catalog, kept))
  const rightsOfMore = await checked.rightsIn([...kept, ...more])
  const hidden = more.filter((row) => !rightsOfMore.mayRow('read', row))
  const beside = differBeside(seed, kept, { rights, catalog, next, rules: checked.rules })
  const closed = ['user', 'sys_group'].every((table) => !isOpen(table, checked.rules))
  const translated = rows.filter((row) => row.class.startsWith('lab') && 'label' in row.values)
  return {
    first: {
      rows,
      beside: beside.first,
      people: '',
      translations: translated.map((row) => ({ row, text: `ru ${idOf(row)}` })),
    },
    second: {
      rows: [...kept, ...hidden],
      beside: beside.second,
      people: closed ? ' (other)' : '',
      translations: [...translated.filter((row) => kept.some((each) => idOf(each) === idOf(row)))].map((row) => ({
        row,
        text: sees(rights, row, 'label') ? `ru ${idOf(row)}` : 'ru other',
      })),
    },
  }
}

const idOf = (row: LabRow): string => String(row.values['sys_id'])
const isOpen = (table: string, rules: readonly LabRule[]): boolean =>
  rules.some((rule) => rule.operation === 'read' && rule.table === table && (rule.column ?? null) === null)
/** Nobody can read secrets. */
const sees = (rights: NaiveRights, row: LabRow, column: string): boolean =>
  column !== 'pass' && column !== 'sealed' && rights.mayRow('read', row) && rights.mayColumn('read', row, column)

interface Difference {
  readonly rights: NaiveRights
  readonly catalog: Catalog
  readonly next: () => number
}

function columnsOf(row: LabRow, catalog: Catalog): readonly Column[] {
  return [...(catalog.tables.get(row.class)?.columns.values() ?? [])]
}

/** All hidden cells may have other values, except those on which rules depend. */
function differRow(row: LabRow, rows: readonly LabRow[], { rights, catalog, next }: Difference): LabRow {
  const values: Record<string, unknown> = { ...row.values }
  for (const column of columnsOf(row, catalog)) {
    const isFixed = !(column.name in values) || column.name === 'sys_id' || column.name.startsWith('ctl')
    if (isFixed || sees(rights, row, column.name)) continue
    const [differs, number] = [next() % 3 !== 0, next()]
    if (differs) values[column.name] = otherCell(column, number, catalog, rows)
  }
  return { ...row, values }
}

/** Ids to which the row refers by foreign keys of the database. */
function referencesOf(row: LabRow, catalog: Catalog): readonly string[] {
  return columnsOf(row, catalog)
    .filter((column) => column.type === 'reference')
    .flatMap((column) => (typeof row.values[column.name] === 'string' ? [String(row.values[column.name])] : []))
}

// ── what belongs to records ──

const JOURNALS = ['note', 'remark', 'part_note']

function differBeside(
  seed: DifferenceSeed,
  kept: readonly LabRow[],
  difference: Difference & { readonly rules: readonly LabRule[] },
): { readonly first: readonly LabRow[]; readonly second: readonly LabRow[] } {
  const { next, catalog } = difference
  const owners = kept.filter((row) => row.class !== 'lab_vault')
  const first: LabRow[] = []
  const second: LabRow[] = []
  for (let index = 0; index < seed.entries && owners.length > 0; index += 1) {
    const owner = owners[next() % owners.length]
    const table = ['sys_journal_entry', 'sys_history', 'sys_attachment'][next() % 3]
    if (owner === undefined || table === undefined) continue
    const names = columnsOf(owner, catalog)
      .map((column) => column.name)
      .filter((name) => table === 'sys_history' || JOURNALS.includes(name))
    const column = names[next() % Math.max(1, names.length)] ?? 'note'
    const entry = (text: string): LabRow =>
      entryOf(table, { id: `90000000000000080${index}`, owner, column, text, catalog })
    first.push(entry('k7q first'))
    const isSeen = isOpen(table, difference.rules) && isReferenced(table, owner, column, difference.rights)
    if (isSeen) second.push(entry('k7q first'))
    else if (next() % 3 !== 0) second.push(entry('second'))
  }
  return { first, second }
}

/** Entries and history belong to a column of the record, files to the record. Shelves have neither journals nor history. */
function isReferenced(table: string, owner: LabRow, column: string, rights: NaiveRights): boolean {
  if (table === 'sys_attachment') return rights.mayRow('read', owner)
  return owner.class !== 'lab_shelf' && sees(rights, owner, column)
}

function entryOf(
  table: string,
  given: {
    readonly id: string
    readonly owner: LabRow
    readonly column: string
    readonly text: string
    readonly catalog: Catalog
  },
): LabRow {
  const { id, owner, column, text, catalog } = given
  const of = { sys_id: id, table_id: catalog.tables.get(owner.class)?.id, record_id: idOf(owner) }
  switch (table) {
    case 'sys_attachment':
      return { class: table, values: { ...of, file_name: `${text}.txt`, size_bytes: text.length } }
    case 'sys_history':
      // Larger sys_ids of history are those of the log itself.
      return {
        class: table,
        values: { ...of, sys_id: id.replace(/^9/, '4'), column_name: column, old_value: text, new_value: `${text}!` },
      }
    default:
      return { class: table, values: { ...of, column_name: column, value: text } }
  }
}

// ── into the database ──

export async function writePeople(lab: Lab, other: string): Promise<void> {
  await lab.database.rows(sql`update docket."user" set display_name = d.name, last_name = ${other}
    from (values (${ANNA}::bigint, 'Анна'), (${BORIS}::bigint, 'Борис 50%'), (${USERS[2]}::bigint, null)) as d (id, name)
    where sys_id = d.id`)
  await lab.database.rows(sql`update docket."user" set display_name = display_name || ${other},
    manager = case when ${other} = '' then ${ANNA}::bigint else ${USERS[2]}::bigint end where sys_id = ${BORIS}::bigint`)
  await lab.database.rows(
    sql`update docket.sys_group set name = split_part(name, ' (', 1) || ${other} where sys_id = any(${GROUPS}::bigint[])`,
  )
}

export async function translate(lab: Lab, translations: readonly Translation[]): Promise<void> {
  const column = lab.catalog.tables.get('lab')?.columns.get('label')?.id ?? '0'
  await lab.database.rows(sql`delete from docket.sys_translated_text where column_id = ${column}::bigint`)
  const given = translations.map(({ row, text }) => ({ id: idOf(row), text }))
  await lab.database.rows(sql`insert into docket.sys_translated_text (column_id, record_id, language, value)
    select ${column}::bigint, g.id::bigint, 'ru', g.text from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as g (id text, text text)`)
}
