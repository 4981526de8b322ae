import type pg from 'pg'
import { StartFailure } from '../kernel/start-failure.ts'

/** Major version of PostgreSQL. */
export const oldestMajor = 14

/** @throws StartFailure unless the server is PostgreSQL 14 or newer with a UTF-8 database */
export async function rejectUnfitServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: string; version_number: string; encoding: string }>(
    `select current_setting('server_version') as version, current_setting('server_version_num') as version_number,
            current_setting('server_encoding') as encoding`,
  )
  const { version, version_number, encoding } = rows[0] ?? { version: '?', version_number: '0', encoding: '?' }
  if (Math.floor(Number(version_number) / 10_000) < oldestMajor)
    throw new StartFailure(
      `The server of DOCKET_DATABASE_URL is PostgreSQL ${version}, but Docket needs ${oldestMajor} or newer: name a newer one, or leave the setting out to use the one that comes with Docket.`,
    )
  if (encoding !== 'UTF8')
    throw new StartFailure(
      `The database ${client.database} has the encoding ${encoding}, but Docket needs UTF8: make it with CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8'.`,
    )
}
