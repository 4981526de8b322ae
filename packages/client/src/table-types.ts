/** Types of one table. The generated module has one for each table (`docket-client types`). */
export interface TableTypes {
  /** The result of a read with stored values. */
  readonly columns: object
  /** Body of a create. */
  readonly create: object
  /** Body of an update: values or instructions. */
  readonly update: object
  /** Names of the tables that columns refer to. */
  readonly references: object
}

/** A record of any shape. */
export type Row = Readonly<Record<string, unknown>>

/** The types of each table by its name: generated, or rows written by hand. */
export type Tables = Readonly<Record<string, object>>
export type AnyTables = Readonly<Record<string, Row>>

/** Stored values (default), display values, or both for each field. */
export type Display = 'value' | 'display' | 'all'
export type Fields = readonly string[] | undefined

/** A sys_id of a record of this table. */
export type SysId<_Table extends string = string> = string

// ── Bodies ──

/** A field as a read with `display: 'all'` returns it. Only `value` counts. */
export interface FieldValue<V> {
  readonly value: V
  readonly display_value?: string | null
  readonly link?: string | null
}

export interface Clear {
  readonly clear: true
}

/** The one record with these values. */
export interface Find {
  readonly find: Row
}

export type Value<V> = V | FieldValue<V>
export type Reference<_Table extends string = string> = Value<string> | Find
export type List<Member = string> = readonly (Member | Find)[] | Value<string>
export type NumberValue = Value<number | string>

/** What an update can do with a column of any type: set a new value, or clear it. */
export type ValueChange<V> = Value<V> | Clear
export type TextChange = ValueChange<string> | { readonly append: string } | { readonly prepend: string }
export type NumberChange = ValueChange<number | string> | { readonly increment: number | string }
export type ReferenceChange<Table extends string = string> = Reference<Table> | Clear
export type ListChange<Member = string> =
  | List<Member>
  | Clear
  | { readonly set: readonly (Member | Find)[] }
  | { readonly add?: readonly (Member | Find)[]; readonly remove?: readonly (Member | Find)[] }
/** A new entry. */
export type JournalEntry = Value<string> | { readonly message: string }

export type CreateOf<R> = R extends TableTypes ? R['create'] : Row
export type UpdateOf<R> = R extends TableTypes ? R['update'] : Row

// ── Field paths ──

export type ColumnsOf<R> = R extends TableTypes ? R['columns'] : R

/** References that a path may pass. */
type MaxHops = 5

/** Name of the table that a column of R refers to. */
type Target<R extends TableTypes, Name> = Name extends keyof R['references'] ? R['references'][Name] : never

/** Whether a path leads to a column. Below a table that T lacks, the path is not checked. */
type IsPath<T, R, P, Hops extends readonly 0[] = []> = R extends TableTypes
  ? P extends keyof R['columns']
    ? true
    : P extends `${infer Head}.${infer Rest}`
      ? Hops['length'] extends MaxHops
        ? false
        : [Target<R, Head>] extends [never]
          ? false
          : Target<R, Head> extends keyof T
            ? IsPath<T, T[Target<R, Head>], Rest, [...Hops, 0]>
            : true
      : false
  : true

/** The value at the end of a path. Below a reference it may be empty. */
type ValueAt<T, R, P, Hops extends readonly 0[] = []> = R extends TableTypes
  ? P extends keyof R['columns']
    ? R['columns'][P]
    : P extends `${infer Head}.${infer Rest}`
      ? Hops['length'] extends MaxHops
        ? never
        : Target<R, Head> extends keyof T
          ? ValueAt<T, T[Target<R, Head>], Rest, [...Hops, 0]> | null
          : unknown
      : never
  : unknown

/** The first segment of a path, for completion; the rest is checked where the path is used. */
export type FieldName<R> = R extends TableTypes
  ? (keyof R['columns'] & string) | `${keyof R['references'] & string}.${string}`
  : string

/** P if it leads to a column, otherwise the names of columns. */
export type CheckedPath<T, R, P> = IsPath<T, R, P> extends true ? P : keyof ColumnsOf<R> & string

export type CheckedFields<T, R, F> = F extends readonly string[]
  ? string extends F[number]
    ? F
    : { readonly [At in keyof F]: CheckedPath<T, R, F[At]> }
  : F

// ── Rows ──

/** A field in a response. Booleans have no separate display value. */
type Displayed<V, D> = D extends 'all'
  ? { readonly value: V; readonly display_value: string | null }
  : D extends 'display'
    ? [NonNullable<V>] extends [boolean]
      ? V
      : string | null
    : V

type Flat<O> = { readonly [K in keyof O]: O[K] }
type WholeRow<C, D> = { readonly [K in keyof C]: Displayed<C[K], D> }
type PathsOf<C, F extends readonly string[]> = Exclude<F[number], keyof C>

/** A record with these fields in this form. Types written by hand (`connect<{task: Task}>`) are returned unchanged. */
export type RowOf<T, R, F extends Fields, D> = R extends TableTypes
  ? F extends readonly string[]
    ? string extends F[number]
      ? Partial<WholeRow<R['columns'], D>> & Row
      : Flat<
          WholeRow<Pick<R['columns'], F[number] & keyof R['columns']>, D> & {
            readonly [P in PathsOf<R['columns'], F>]: Displayed<ValueAt<T, R, P>, D>
          }
        >
    : WholeRow<R['columns'], D>
  : R
