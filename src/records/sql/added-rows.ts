import type { AddedRows, Table } from '../../catalog/catalog.ts'
import { sql } from '../../kernel/sql.ts'
import type { Expression } from './expression.ts'
import { idLiteral } from './id-literal.ts'

/** The rows of a table as another API displays it: some rows more, and some fewer. @param place the table in PostgreSQL */
export function withAddedRows(table: Table, added: AddedRows, place: Expression): Expression {
  switch (added.kind) {
    case 'row-of-each-table':
      return sql`(select s.* from ${place} as s union all select r.* from docket.sys_db_table as t,
        lateral jsonb_populate_record(null::${place}, jsonb_build_object('sys_id', t.sys_id, 'sys_created_at', t.sys_created_at,
          'sys_created_by', t.sys_created_by, 'sys_updated_at', t.sys_updated_at, 'sys_updated_by', t.sys_updated_by,
          'sys_db_table_id', ${idLiteral(table.id)}, 'table_id', t.sys_id, 'title', t.title) || ${sql.lit(JSON.stringify(added.values))}::jsonb) as r)`
    case 'choices': {
      const hidden = added.hidden.map(
        ({ columnId, values }) =>
          sql`(s.column_id = ${idLiteral(columnId)} and s.value in (${sql.join(values.map((value) => sql.lit(value)))}))`,
      )
      return sql`(select s.* from ${place} as s where not (${sql.join(hidden, sql` or `)}) union all
        select r.* from jsonb_array_elements(${sql.lit(JSON.stringify(added.rows))}::jsonb) as v (row) join docket.sys_db_column as c
          on c.sys_id = (v.row ->> 'column_id')::bigint,
        lateral jsonb_populate_record(null::${place}, jsonb_build_object('sys_created_at', c.sys_created_at, 'sys_updated_at', c.sys_updated_at,
          'sys_db_table_id', ${idLiteral(table.id)}) || v.row) as r)`
    }
  }
}
