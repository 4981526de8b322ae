import type pg from 'pg'
// @ts-expect-error the driver exports it without types
import untypedUtils from 'pg/lib/utils.js'
import { decodeCharacters, EncodedText } from '../kernel/encoded-text.ts'
import type { Planning } from '../kernel/statement-planning.ts'
import type { ByteConnection, RowValues } from './byte-client.ts'
import { isUnnamed } from './plan-modes.ts'

/** A parameter as it is sent: text, bytes, or null. */
const { prepareValue }: { prepareValue(value: unknown): string | Buffer | null } = untypedUtils

/** State that the driver keeps on a connection, beyond its published types. */
interface Connection extends Pick<ByteConnection, 'sync' | 'parsedStatements' | 'hold' | 'sendHeld'> {
  parse(message: { readonly name: string; readonly text: string }): void
  bind(message: BindMessage): void
  describe(message: { readonly type: 'P'; readonly name: '' }): void
  execute(message: null): void
}

interface BindMessage {
  readonly statement: string
  readonly values: readonly (string | Buffer | null)[]
  /** Whether values of rows are sent in PostgreSQL's binary formats: a text as it is, `bytea` without conversion. */
  readonly binary: boolean
}

/** A statement that the server parses once per connection and then identifies by name. */
export interface PreparedStatement {
  /** Equal names must mean equal texts; at most 63 bytes. */
  readonly name: string
  readonly text: string
  readonly planning?: Planning
  /** It reads few rows by their keys and takes no lock: others may run behind it on the same connection (shared-connections.ts). */
  readonly isQuickRead?: boolean
  /** Index of a text column whose values are not decoded: `EncodedText`. */
  readonly encodedAt?: number
  /** Index of a `bytea` column whose values are bytes (`Buffer`); all other columns have to be texts. */
  readonly bytesAt?: number
  /** Called after each run without an error, with its values as they were sent; must not throw. */
  readonly onRun?: (tookMs: number, rows: Rows, values: readonly unknown[]) => void
}

type Rows = readonly (readonly unknown[])[]

/** A statement without parameters and with one row: its text, or the name under which the connection has parsed it. */
export type StatementBefore = { readonly text: string } | { readonly name: string }

type Parsers = readonly (((text: string) => unknown) | null)[]

/** Parsers of the result columns, as the first execution on the connection described them. */
const parsersKnown = new WeakMap<Connection, Map<string, Parsers>>()

/**
 * One execution of a named prepared statement, rows as arrays. The driver's own query class requests a description of the result each time,
 * and builds a query, a result, type tables and events: 43 µs of this process and 100 of PostgreSQL for a point read, instead of 27 and 90
 * here. It uses the same interface as pg-cursor and pg-query-stream.
 */
export class NamedStatement implements pg.Submittable {
  /** By `name` and `text` the driver records which statements the server has parsed. Empty: PostgreSQL's unnamed statement. */
  readonly name: string
  readonly text: string
  /** Index of the column whose values are `EncodedText`; -1: none. */
  readonly #encodedAt: number
  /** Index of the column whose values are bytes; -1: none. */
  readonly #bytesAt: number
  readonly rows: Promise<Rows>
  /** How the values of its rows are read. */
  readonly rowsAs: RowValues
  /** It is sent while others run on the connection. */
  isBehind = false
  /**
   * Called when the connection has done with it, also after an error. One function for all statements: where each had its own, which
   * referred to it, much of what a request allocates was moved to the old generation (docs/decisions/0052).
   */
  onEnd: ((statement: NamedStatement, error: unknown) => void) | undefined
  readonly #values: readonly (string | Buffer | null)[]
  readonly #parserFor: (typeId: number) => ((text: string) => unknown) | null
  readonly #found: unknown[][] = []
  #parsers: Parsers | undefined
  #connection: Connection | undefined
  readonly #before: StatementBefore | null
  readonly #onRun: PreparedStatement['onRun']
  #begunMs = 0
  /** The row of the preceding statement, as texts. */
  beforeRow: readonly unknown[] = []
  /** The next result is that of the preceding statement. */
  #isBefore: boolean
  #resolve: (rows: Rows) => void = () => undefined
  #reject: (error: unknown) => void = () => undefined

  /**
   * @param parserFor by the OID of a column's type; null: PostgreSQL's text
   * @param before runs first in the same transaction; the values of its row are not converted
   * @throws TypeError if a value cannot be encoded; nothing is sent then
   */
  constructor(
    statement: PreparedStatement,
    values: readonly unknown[],
    parserFor: (typeId: number) => ((text: string) => unknown) | null,
    before: StatementBefore | null = null,
  ) {
    this.#before = before
    this.#onRun = statement.onRun
    this.#isBefore = before !== null
    this.name = isUnnamed(statement.planning) ? '' : statement.name
    this.text = statement.text
    this.#encodedAt = statement.encodedAt ?? -1
    this.#bytesAt = statement.bytesAt ?? -1
    if (this.#bytesAt >= 0) this.rowsAs = 'bytes'
    else this.rowsAs = this.#encodedAt >= 0 ? 'characters' : 'texts'
    this.#values = values.map(prepareValue)
    this.#parserFor = parserFor
    this.rows = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** Sends all messages in one write. @returns an error that the driver passes to `handleError`; null: sent */
  submit(given: pg.Connection): Error | null {
    const connection = given as unknown as Connection
    const { name, text } = this
    // The unnamed statement is parsed and described each time.
    const parsed = name === '' ? undefined : connection.parsedStatements[name]
    if (parsed !== undefined && parsed !== text) return new Error(`two statements have the name ${name}`)
    this.#connection = connection
    this.#parsers = name === '' ? undefined : parsersKnown.get(connection)?.get(name)
    connection.hold()
    this.begin()
    try {
      if (this.#before !== null) runBefore(connection, this.#before)
      if (parsed === undefined) connection.parse({ name, text })
      connection.bind({ statement: name, values: this.#values, binary: this.rowsAs === 'bytes' })
      if (this.#parsers === undefined) connection.describe({ type: 'P', name: '' })
      connection.execute(null)
      connection.sync()
      return null
    } finally {
      connection.sendHeld(this.isBehind)
    }
  }

  handleRowDescription({ fields }: { readonly fields: readonly { readonly dataTypeID: number }[] }): void {
    this.#remember(fields.map(({ dataTypeID }) => this.#parserFor(dataTypeID)))
  }

  handleDataRow({ fields }: { readonly fields: unknown[] }): void {
    if (this.#bytesAt >= 0) decodeAllBut(fields, this.#isBefore ? -1 : this.#bytesAt)
    if (this.#isBefore) {
      this.beforeRow = fields
      return
    }
    const parsers = this.#parsers ?? []
    const isEncoded = this.#encodedAt >= 0
    for (let at = 0; at < fields.length; at += 1) {
      const text = fields[at]
      if (typeof text !== 'string') continue
      if (at === this.#encodedAt) {
        fields[at] = new EncodedText(text)
        continue
      }
      const parse = parsers[at]
      const decoded = isEncoded ? decodeCharacters(text) : text
      fields[at] = parse === null || parse === undefined ? decoded : parse(decoded)
    }
    this.#found.push(fields)
  }

  handleCommandComplete(): void {
    if (this.#isBefore) {
      this.#isBefore = false
      return
    }
    // A statement without a result has no description message.
    if (this.#parsers === undefined) this.#remember([])
  }

  handleError(error: unknown): void {
    // The driver marks the name as parsed when the preceding statement was parsed.
    const isParsedBefore = this.#before !== null && !('name' in this.#before)
    if (isParsedBefore && this.#connection !== undefined) forgetStatement(this.#connection, this.name)
    this.#reject(error)
    this.onEnd?.(this, error)
  }

  handleReadyForQuery(): void {
    this.#onRun?.(performance.now() - this.#begunMs, this.#found, this.#values)
    this.#resolve(this.#found)
    this.onEnd?.(this, null)
  }

  /** Its own time begins: nothing runs before it any more. */
  begin(): void {
    if (this.#onRun !== undefined) this.#begunMs = performance.now()
  }

  /** The first of the two results is the result. */
  settleBy(rows: Promise<Rows>): void {
    rows.then(this.#resolve, this.#reject)
  }

  #remember(parsers: Parsers): void {
    this.#parsers = parsers
    if (this.#connection === undefined || this.name === '') return
    const known = parsersKnown.get(this.#connection) ?? new Map<string, Parsers>()
    parsersKnown.set(this.#connection, known.set(this.name, parsers))
  }
}

function decodeAllBut(fields: unknown[], bytesAt: number): void {
  for (const [at, value] of fields.entries())
    if (at !== bytesAt && Buffer.isBuffer(value)) fields[at] = value.toString()
}

/** All messages before the next `sync` are one transaction. */
function runBefore(connection: Connection, before: StatementBefore): void {
  if (!('name' in before)) connection.parse({ name: '', text: before.text })
  connection.bind({ statement: 'name' in before ? before.name : '', values: [], binary: false })
  connection.execute(null)
}

function forgetStatement({ parsedStatements }: Connection, name: string): void {
  delete (parsedStatements as Record<string, string>)[name]
}
