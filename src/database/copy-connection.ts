import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { compileSql, type Sql } from '../kernel/sql.ts'
import { connectOnce } from './connect-once.ts'
import type { Session } from './database.ts'
import { rejectUnfitServer } from './server-fitness.ts'

/** One connection for whole tables: it also supports COPY, has no time limits, and keeps its transaction until commit or rollback. */
export interface CopyConnection extends Pick<Session, 'rows'> {
  /** Runs statements without values, such as those of a schema. */
  execute(text: string): Promise<void>
  /**
   * Streams the output of `copy … to stdout`, in chunks of any length.
   *
   * @returns the number of rows, as the return value of the generator
   */
  copyOut(copy: Sql<unknown>): AsyncGenerator<Buffer, number>
  /** Feeds a `copy … from stdin`. @returns how many rows were stored */
  copyIn(copy: Sql<unknown>, pieces: AsyncIterable<Buffer>): Promise<number>
}

/** Session settings for a text format that every PostgreSQL can read, whatever the settings of this server are. */
const settings = `
  set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0; set client_encoding = 'UTF8';
  set datestyle = 'ISO, MDY'; set intervalstyle = 'postgres'; set extra_float_digits = 1; set bytea_output = 'hex';
  set search_path = pg_catalog; set row_security = off; set synchronize_seqscans = off`

/** Opens the connection, passes it to `work`, and closes it; an open transaction is rolled back. */
export async function onCopyConnection<T>(
  connectionString: string,
  applicationName: string,
  work: (connection: CopyConnection) => Promise<T>,
): Promise<T> {
  const client = await connectOnce(connectionString, applicationName)
  try {
    await rejectUnfitServer(client)
    await client.query(settings)
    return await work(connectionOn(client))
  } finally {
    await client.end().catch(() => undefined)
  }
}

function connectionOn(client: pg.Client): CopyConnection {
  return {
    async rows<Row>(query: Sql<Row>): Promise<readonly Row[]> {
      const compiled = compileSql(query)
      return (await client.query(compiled.sql, compiled.parameters as unknown[])).rows as Row[]
    },
    async execute(text) {
      await client.query(text)
    },
    async *copyOut(copy) {
      const stream = client.query(copyTo(compileSql(copy).sql))
      for await (const piece of stream) yield piece as Buffer
      // The row count arrives after the rows; the result of another statement proves that it has arrived.
      await client.query('select')
      return stream.rowCount
    },
    async copyIn(copy, pieces) {
      const stream = client.query(copyFrom(compileSql(copy).sql))
      await pipeline(Readable.from(pieces, { objectMode: true }), stream)
      return stream.rowCount
    },
  }
}
