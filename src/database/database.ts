import pg from 'pg'
import { parseExactJson } from '../kernel/exact-json.ts'
import { compileSql, type Sql } from '../kernel/sql.ts'
import { ByteClient } from './byte-client.ts'
import { databaseFailureOf } from './database-failure.ts'
import { enterDatabaseHistory, enterHistory } from './enter-history.ts'
import { IdleClients, type PooledClient } from './idle-connections.ts'
import { NamedStatement, type PreparedStatement, type StatementBefore } from './named-statement.ts'
import { isUnnamed, planModeOf } from './plan-modes.ts'
import { applySettings, sessionSettings, settingsStatement } from './session-settings.ts'
import { SharedClients } from './shared-connections.ts'

export type { PreparedStatement } from './named-statement.ts'

type Rows = readonly (readonly unknown[])[]

/** Statements, inside a transaction or outside. */
export interface Session {
  /** Runs a statement once; rows are objects by column name. */
  rows<Row>(query: Sql<Row>): Promise<readonly Row[]>
  /** Runs a named prepared statement; rows are arrays in column order, for frequent requests. */
  run(statement: PreparedStatement, values: readonly unknown[]): Promise<Rows>
}

export interface Database extends Session {
  /** For connections outside the pool that keep their session: jobs, long locks, index builds. Bypasses a pooler. */
  readonly connectionString: string
  /** First runs a select of values without `from`, in the same transaction and round trip; returns its values as texts. */
  runBehind(
    before: string,
    statement: PreparedStatement,
    values: readonly unknown[],
  ): Promise<{ readonly before: readonly unknown[]; readonly rows: Rows }>
  /** Commits when `work` resolves, rolls back when it rejects. Uses one connection. */
  inTransaction<T>(work: (session: Session) => Promise<T>, isolation?: 'read committed' | 'repeatable read'): Promise<T>
  /** Waits for running statements, then closes every connection. */
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** A postgres:// URL; for a Unix socket `postgres://user@/name?host=/directory`. */
  readonly connectionString: string
  readonly maxConnections: number
  /** A statement that runs longer is ended by PostgreSQL (SQLSTATE 57014). */
  readonly statementTimeoutMs: number
  readonly applicationName?: string
  /** For connections outside the pool, if `connectionString` is the address of a pooler. */
  readonly directConnectionString?: string
  /**
   * How long a connection of the pool keeps its session settings. `transaction`: a pooler assigns each transaction to any of its
   * connections, so every statement sends the settings.
   */
  readonly pooling?: 'session' | 'transaction'
  /** false: statements are parsed at each execution. A pooler that assigns connections per transaction may lose their names. */
  readonly keepsStatements?: boolean
  /** PostgreSQL rejects every write. */
  readonly isReadOnly?: true
  /** Another server is the primary now, or an earlier state of the data was restored. Reported if connections keep their session. */
  readonly onNewHistory?: () => void
  /** How long a statement waits for a connection, new or free, before it fails as `busy`; 15 seconds by default. */
  readonly patienceMs?: number
}

// Numbers inside JSON keep their digits (kernel/exact-json.ts).
// int8, numeric, date and timestamp stay PostgreSQL's text: 18 digits do not fit a JavaScript number, and a Date would shift a timestamp
// without time zone into the zone of this process.
const parsers: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.BOOL, (text) => text === 't'],
  [pg.types.builtins.INT2, Number],
  [pg.types.builtins.INT4, Number],
  [pg.types.builtins.JSON, parseExactJson],
  [pg.types.builtins.JSONB, parseExactJson],
  [1009, pg.types.getTypeParser(1009 as never)], // text[]
])
const asText = (text: string): string => text
const textTypes = { getTypeParser: (oid: number) => parsers.get(oid) ?? asText }
const parserFor = (oid: number): ((text: string) => unknown) | null => parsers.get(oid) ?? null

/**
 * Each prepared statement takes 50 to 200 KB of the server's process for the lifetime of the connection, and callers determine how many
 * shapes of queries there are.
 */
const MAX_STATEMENTS = 500

/** Detects a server that drops packets; after this time the caller should rather send the request again. */
const PATIENCE_MS = 15_000

export function openDatabase(options: DatabaseOptions): Database {
  const settings = sessionSettings(options)
  let history: string | null = null
  const recordHistory = (entered: string | null): void => {
    if (history !== null && entered !== null && entered !== history) options.onNewHistory?.()
    history = entered ?? history
  }
  const settingsPerTransaction =
    options.pooling === 'transaction' ? `${settingsStatement(settings, 'transaction')}, ${enterHistory}` : null
  const pool = new pg.Pool({
    connectionString: options.connectionString,
    max: options.maxConnections,
    connectionTimeoutMillis: options.patienceMs ?? PATIENCE_MS,
    application_name: options.applicationName ?? 'docket',
    async onConnect(client) {
      if (settingsPerTransaction !== null) return
      await applySettings(client, settings)
      if (!options.isReadOnly) recordHistory(await enterDatabaseHistory(client))
    },
    types: textTypes as never,
    Client: ByteClient,
  })
  // A server that closes an idle connection causes no request error; the pool opens another one when needed.
  pool.on('error', () => undefined)
  const clients = new IdleClients(pool)

  const rowsOn =
    (client: Pick<pg.PoolClient, 'query'>): Session['rows'] =>
    async <Row>(query: Sql<Row>): Promise<readonly Row[]> => {
      const compiled = compileSql(query)
      const result = await client.query(compiled.sql, compiled.parameters as unknown[])
      return result.rows as Row[]
    }
  const rowsOnPool: Session['rows'] = async (query) => {
    const client = await clients.take()
    let isBroken = false
    try {
      return await rowsOn(client)(query)
    } catch (error) {
      isBroken = databaseFailureOf(error) === null
      throw error
    } finally {
      clients.giveBack(client, isBroken)
    }
  }
  const asSent = (statement: PreparedStatement): PreparedStatement =>
    options.keepsStatements === false && !isUnnamed(statement.planning)
      ? { ...statement, planning: 'unnamed' }
      : statement
  const runOn = (client: PooledClient, statement: PreparedStatement, values: readonly unknown[]) => {
    const running = new NamedStatement(asSent(statement), values, parserFor)
    client.send(running)
    return running.rows
  }
  const sessionOn = (client: PooledClient): Session => ({
    rows: rowsOn(client),
    run: (statement, values) => runOn(client, statement, values),
  })

  /** A connection with more statements than this is closed and replaced. */
  const isFull = ({ statements }: ByteClient, { name, planning }: PreparedStatement): boolean => {
    if (!isUnnamed(planning)) statements.add(name)
    return statements.size > MAX_STATEMENTS
  }

  /** SQL that runs before a statement, in the same transaction and without an extra round trip. */
  const beforeOn = (
    client: ByteClient,
    statement: PreparedStatement,
  ): StatementBefore | null | Promise<StatementBefore> => {
    if (settingsPerTransaction !== null) return withMode(settingsPerTransaction, statement)
    const mode = planModeOf(statement.planning)
    if (mode === null || client.modes.has(mode.name)) return mode
    if (options.keepsStatements === false) return { text: mode.text }
    // Parsed once per connection.
    const parsing = new NamedStatement(mode, [], parserFor)
    client.send(parsing)
    return parsing.rows.then(() => {
      client.modes.add(mode.name)
      return mode
    })
  }

  const withMode = (select: string, statement: PreparedStatement): StatementBefore => {
    const mode = planModeOf(statement.planning)
    return { text: mode === null ? select : `${select}, ${mode.call}` }
  }

  interface OnPool<T> {
    /** The beginning of a select that runs first; null: only what the statement needs itself. */
    readonly behind: string | null
    readonly resultOf: (rows: Rows, before: readonly unknown[]) => T
  }

  // Nothing is waited for that is there already: each turn of the event loop counts on this path.
  const runOnPool = async <T>(
    statement: PreparedStatement,
    values: readonly unknown[],
    { behind, resultOf }: OnPool<T>,
  ): Promise<T> => {
    const taken = clients.take()
    const client = taken instanceof Promise ? await taken : taken
    let isBroken = true
    try {
      const sent = asSent(statement)
      const wanted = behind === null ? beforeOn(client, sent) : withMode(behind, sent)
      const before = wanted instanceof Promise ? await wanted : wanted
      const running = new NamedStatement(sent, values, parserFor, before)
      client.send(running)
      const rows = await running.rows
      isBroken = isFull(client, sent)
      return resultOf(rows, running.beforeRow)
    } catch (error) {
      isBroken = databaseFailureOf(error) === null
      // The stack of the call is more useful than the stack where the result is read.
      if (error instanceof Error) Error.captureStackTrace(error)
      throw error
    } finally {
      clients.giveBack(client, isBroken)
    }
  }
  const onlyRows: OnPool<Rows> = { behind: null, resultOf: (rows) => rows }
  const runAlone: Session['run'] = (statement, values) => runOnPool(statement, values, onlyRows)

  const shared = new SharedClients(clients, ({ statements }, name) => statements.add(name).size > MAX_STATEMENTS)
  const mayShare = settingsPerTransaction === null && options.keepsStatements !== false
  const runShared: Session['run'] = async (statement, values) => {
    try {
      return await shared.run(new NamedStatement(statement, values, parserFor), () => runAlone(statement, values))
    } catch (error) {
      if (error instanceof Error) Error.captureStackTrace(error)
      throw error
    }
  }

  const database: Database = {
    connectionString: options.directConnectionString ?? options.connectionString,
    rows: settingsPerTransaction === null ? rowsOnPool : (query) => database.inTransaction(({ rows }) => rows(query)),
    run: (statement, values) => (mayShare && statement.isQuickRead === true ? runShared : runAlone)(statement, values),
    runBehind: (behind, statement, values) =>
      runOnPool(statement, values, { behind, resultOf: (rows, before) => ({ before, rows }) }),
    async inTransaction(work, isolation = 'read committed') {
      const client = await clients.take()
      let isBroken = false
      try {
        await client.query(
          settingsPerTransaction === null
            ? `begin isolation level ${isolation}`
            : `begin isolation level ${isolation}; ${settingsPerTransaction}`,
        )
        const value = await work(sessionOn(client))
        await client.query('commit')
        return value
      } catch (error) {
        await client.query('rollback').catch(() => {
          isBroken = true
        })
        throw error
      } finally {
        clients.giveBack(client, isBroken)
      }
    },
    close: () => clients.close(),
  }
  return database
}
