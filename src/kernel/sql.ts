/**
 * SQL with values, which become parameters. Text reaches a statement only as written in the code: by the tag `sql`, as
 * a quoted name (`sql.id`), as a literal (`sql.lit`), or by `sql.raw`.
 */

/**
 * A part of a statement, or a whole one. A class, so that `instanceof` can tell it from a value of any shape.
 *
 * @typeParam Result what it stands for: the value of an expression, or a row of a statement
 */
export class Sql<Result = unknown> {
  declare readonly resultType?: Result
  readonly texts: readonly string[]
  /** Between the texts: values of parameters, or other parts. */
  readonly values: readonly unknown[]

  constructor(texts: readonly string[], values: readonly unknown[]) {
    this.texts = texts
    this.values = values
  }
}

type Literal = string | number | boolean | null

interface SqlTag {
  <Result = unknown>(texts: TemplateStringsArray, ...values: readonly unknown[]): Sql<Result>
  /** Text as it is: never a text from a request. */
  raw<Result = unknown>(text: string): Sql<Result>
  /** A quoted name, with the names before it: `"schema"."table"`. */
  id(...names: readonly string[]): Sql
  /** A quoted name written with dots. */
  ref(name: string): Sql
  lit<Result = unknown>(value: Literal): Sql<Result>
  /** Values or parts with a separator, which is a comma unless another is given. */
  join(list: readonly unknown[], separator?: Sql): Sql
}

const tag = <Result>(texts: TemplateStringsArray, ...values: readonly unknown[]): Sql<Result> => new Sql(texts, values)

export const sql: SqlTag = Object.assign(tag, {
  raw: <Result>(text: string) => new Sql<Result>([text], []),
  id: (...names: readonly string[]) => new Sql([names.map(quoteName).join('.')], []),
  ref: (name: string) => sql.id(...name.split('.')),
  lit: <Result>(value: Literal) => new Sql<Result>([literalOf(value)], []),
  join: joined,
})

const comma = new Sql([', '], [])

function joined(list: readonly unknown[], separator: Sql = comma): Sql {
  const values = list.flatMap((value, at) => (at === 0 ? [value] : [separator, value]))
  return new Sql(Array<string>(values.length + 1).fill(''), values)
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** PostgreSQL reads a backslash as it is: `standard_conforming_strings` is on. */
function literalOf(value: Literal): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
}

/** The same SQL with other values; a part instead of a value takes its place. */
export function mapValues<Result>(part: Sql<Result>, replace: (value: unknown) => unknown): Sql<Result> {
  const values = part.values.map((value) => (value instanceof Sql ? mapValues(value, replace) : replace(value)))
  return new Sql(part.texts, values)
}

export interface SqlText {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** Converts a statement to PostgreSQL's text with `$n` parameters; the only place where SQL becomes text. */
export function compileSql(statement: Sql): SqlText {
  const parameters: unknown[] = []
  return { sql: textOf(statement, parameters), parameters }
}

function textOf({ texts, values }: Sql, parameters: unknown[]): string {
  let text = texts[0] ?? ''
  for (let at = 0; at < values.length; at++) {
    const value = values[at]
    text += (value instanceof Sql ? textOf(value, parameters) : `$${parameters.push(value)}`) + (texts[at + 1] ?? '')
  }
  return text
}
