import type { PreparedStatement, Session } from './database.ts'

/** A prepared select whose rows are read by name. */
export interface SelectStatement<Row> extends PreparedStatement {
  readonly columns: readonly (keyof Row & string)[]
}

export interface SelectText<Row> {
  /** Name of the prepared statement. */
  readonly name: string
  /** `with …` before the select. */
  readonly before?: string
  /** SQL of each member of a row. The select list is generated from it, so a name never gets the value of another. */
  readonly columns: { readonly [Member in keyof Row & string]: string }
  /** The SQL after the select list. */
  readonly from: string
}

export function selectStatement<Row>({ name, before = '', columns, from }: SelectText<Row>): SelectStatement<Row> {
  return {
    name,
    text: `${before} select ${Object.values<string>(columns).join(', ')} ${from}`,
    columns: Object.keys(columns) as (keyof Row & string)[],
  }
}

/** Values have the driver's types: `bigint` is a text, `integer` a number. */
export async function selectRows<Row>(
  session: Pick<Session, 'run'>,
  statement: SelectStatement<Row>,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  const { columns } = statement
  const rows = await session.run(statement, values)
  return rows.map((row) => {
    const named: Record<string, unknown> = {}
    for (let at = 0; at < columns.length; at++) named[columns[at] as string] = row[at]
    return named as Row
  })
}
