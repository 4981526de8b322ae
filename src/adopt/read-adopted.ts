import { keyOfColumns, type RecordKey } from '../column-types/record-key.ts'
import type { Session } from '../database/database.ts'
import { sql } from '../kernel/sql.ts'

/** An adopted table in the dictionary. */
export interface AdoptedTable {
  readonly id: string
  readonly name: string
  readonly schema: string
  readonly storage: string
  readonly key: RecordKey
  readonly isKeyGiven: boolean
  readonly isReadOnly: boolean
  readonly columns: readonly AdoptedColumn[]
}

export interface AdoptedColumn {
  readonly id: string
  readonly name: string
  /** null: a journal, which is not in the table. */
  readonly storage: string | null
  readonly type: string
  readonly cast: string | null
  /** Columns of a foreign key of several columns. */
  readonly parts: readonly string[] | null
  /** The unique column that the foreign key refers to, if that is not the key. */
  readonly through: string | null
  /** Name of a table of the dictionary. */
  readonly reference: string | null
  readonly isReadOnly: boolean
  readonly isMandatory: boolean
  readonly isUnique: boolean
  readonly maxLength: number | null
  readonly choices: readonly string[]
}

/** Every adopted table, in any schema: foreign keys connect them. */
export async function readAdopted(session: Session): Promise<readonly AdoptedTable[]> {
  const rows = await session.rows<AdoptedRow>(sql`
    select t.sys_id::text as id, t.name, t.storage_schema as schema, t.storage_table as storage, t.adopted_key as "keyColumns",
      t.adopted_key_types as "keyTypes",
      t.adopted_key_given as "isKeyGiven", t.adopted_read_only as "isReadOnly",
      (select coalesce(json_agg(json_build_object('id', c.sys_id::text, 'name', c.column_name, 'storage', c.storage_column, 'type', y.name,
          'cast', c.storage_cast, 'parts', c.storage_parts, 'through', c.storage_target, 'reference', r.name, 'isReadOnly', c.read_only, 'isMandatory', c.mandatory, 'isUnique', c."unique",
          'maxLength', c.max_length, 'choices', (select coalesce(json_agg(v.value order by v."order", v.value), '[]')
            from docket.sys_choice v where v.column_id = c.sys_id and v.language = 'en')) order by c.sys_id), '[]')
        from docket.sys_db_column c join docket.sys_db_column_type y on y.sys_id = c.column_type_id
        left join docket.sys_db_table r on r.sys_id = c.reference_id where c.table_id = t.sys_id) as columns
    from docket.sys_db_table t where t.adopted_key is not null order by t.name`)
  return rows.map(({ keyColumns, keyTypes, ...table }) => ({
    ...table,
    key: keyOfColumns(keyColumns.map((column, index) => ({ column, type: keyTypes[index] ?? 'bigint' }))),
  }))
}

interface AdoptedRow extends Omit<AdoptedTable, 'key'> {
  readonly keyColumns: readonly string[]
  readonly keyTypes: readonly string[]
}

export async function tableNames(session: Session): Promise<ReadonlySet<string>> {
  const rows = await session.rows<{ name: string }>(sql`select name from docket.sys_db_table`)
  return new Set(rows.map(({ name }) => name))
}
