import type { ColumnTypeName } from '../../column-types/column-types.ts'
import type { Session } from '../../database/database.ts'
import { sql } from '../../kernel/sql.ts'
import type { OnDelete } from '../catalog.ts'
import { IS_RECORD_CLASS, VALUE_TYPE } from '../value-type.ts'

/** A row of sys_db_table in the transaction that changes it. */
export interface TableDefinition {
  readonly kind: 'table'
  readonly id: string
  readonly name: string
  readonly parentId: string | null
  /** null: there is no parent. */
  readonly parentIsExtendable: boolean | null
  readonly isExtendable: boolean
  readonly isSystem: boolean
  readonly storage: StoragePlace
  readonly keyColumn: string
  /** It was in the database before Docket, which does not alter it. */
  readonly isAdopted: boolean
}

/** A row of sys_db_column, with the names that it refers to. */
export interface ColumnDefinition {
  readonly kind: 'column'
  readonly id: string
  readonly tableId: string
  readonly table: string
  readonly name: string
  readonly type: ColumnTypeName
  readonly isRecordClass: boolean
  /** PostgreSQL's type; null: the column is not stored in a column of its own. */
  readonly storageType: string | null
  readonly storageColumn: string | null
  /** The PostgreSQL table with the rows of the column's table. */
  readonly storage: StoragePlace
  readonly reference: ReferenceTarget | null
  readonly active: boolean
  readonly mandatory: boolean
  readonly unique: boolean
  readonly displayByRef: boolean
  readonly onDelete: OnDelete | null
  readonly fullTextSearch: boolean
  readonly maxLength: number | null
  readonly defaultValue: string | null
  readonly isSystem: boolean
  readonly readOnly: boolean
  /** Its table is adopted. */
  readonly isAdopted: boolean
}

export interface StoragePlace {
  readonly schema: string
  readonly table: string
}

export interface ReferenceTarget {
  readonly tableId: string
  readonly table: string
  readonly storage: StoragePlace
  readonly keyColumn: string
  readonly isAdopted: boolean
  /** PostgreSQL's types of the key of an adopted table; null: the table is our own. */
  readonly keyTypes: readonly string[] | null
}

/** A row of sys_db_index. */
export interface IndexDefinition {
  readonly kind: 'index'
  readonly id: string
  readonly tableId: string
  readonly table: string
  readonly columnNames: readonly string[]
  /** Included columns: conditions on them are evaluated without reading the rows. */
  readonly includedColumns: readonly string[]
  readonly purpose: string
  readonly storage: StoragePlace
  readonly storageIndex: string | null
}

export type Definition = TableDefinition | ColumnDefinition | IndexDefinition

/** The current row of a dictionary table; null if there is none. */
export async function readDefinition(session: Session, table: string, id: string | null): Promise<Definition | null> {
  if (id === null || !/^\d{1,18}$/.test(id)) return null
  switch (table) {
    case 'sys_db_table':
      return (await readTable(session, id)) ?? null
    case 'sys_db_column':
      return (await readColumns(session, sql`c.sys_id = ${id}::bigint`))[0] ?? null
    case 'sys_db_index':
      return (await readIndexes(session, sql`i.sys_id = ${id}::bigint`))[0] ?? null
    default:
      return null
  }
}

async function readTable(session: Session, id: string): Promise<TableDefinition | undefined> {
  const [row] = await session.rows<Omit<TableDefinition, 'kind'>>(sql`
    select t.sys_id::text as id, t.name, t.parent_id::text as "parentId", p.is_extendable as "parentIsExtendable",
           t.is_extendable as "isExtendable", t.is_system as "isSystem",
           json_build_object('schema', t.storage_schema, 'table', t.storage_table) as storage, t.key_column as "keyColumn",
           t.adopted_key is not null as "isAdopted"
    from docket.sys_db_table t left join docket.sys_db_table p on p.sys_id = t.parent_id
    where t.sys_id = ${id}::bigint`)
  return row === undefined ? undefined : { kind: 'table', ...row }
}

export function columnsOfTable(session: Session, tableId: string): Promise<readonly ColumnDefinition[]> {
  return readColumns(session, sql`c.table_id = ${tableId}::bigint`)
}

async function readColumns(session: Session, where: ReturnType<typeof sql>): Promise<readonly ColumnDefinition[]> {
  const rows = await session.rows<Omit<ColumnDefinition, 'kind'>>(sql`
    select c.sys_id::text as id, c.table_id::text as "tableId", t.name as table, c.column_name as name, ${VALUE_TYPE} as type, ${IS_RECORD_CLASS} as "isRecordClass",
           y.storage as "storageType", c.storage_column as "storageColumn",
           json_build_object('schema', t.storage_schema, 'table', t.storage_table) as storage,
           case when r.sys_id is not null then json_build_object('tableId', r.sys_id::text, 'table', r.name, 'keyColumn', r.key_column, 'isAdopted', r.adopted_key is not null, 'keyTypes', r.adopted_key_types,
             'storage', json_build_object('schema', r.storage_schema, 'table', r.storage_table)) end as reference,
           c.active, c.mandatory, c."unique", c.display_by_ref as "displayByRef", c.on_delete as "onDelete", c.full_text_search as "fullTextSearch",
           c.max_length as "maxLength", c.default_value as "defaultValue", c.is_system as "isSystem", c.read_only as "readOnly", t.adopted_key is not null as "isAdopted"
    from docket.sys_db_column c
    join docket.sys_db_table t on t.sys_id = c.table_id
    join docket.sys_db_column_type y on y.sys_id = c.column_type_id
    left join docket.sys_db_table r on r.sys_id = c.reference_id
    where ${where} order by c.sys_id`)
  return rows.map((row) => ({ kind: 'column', ...row }))
}

export async function readIndexes(
  session: Session,
  where: ReturnType<typeof sql>,
): Promise<readonly IndexDefinition[]> {
  const rows = await session.rows<Omit<IndexDefinition, 'kind'>>(sql`
    select i.sys_id::text as id, i.table_id::text as "tableId", t.name as table, i.column_names as "columnNames",
           coalesce(i.included_columns, '{}') as "includedColumns", i.purpose,
           json_build_object('schema', t.storage_schema, 'table', t.storage_table) as storage, i.storage_index as "storageIndex"
    from docket.sys_db_index i join docket.sys_db_table t on t.sys_id = i.table_id
    where ${where} order by i.sys_id`)
  return rows.map((row) => ({ kind: 'index', ...row }))
}
