import pg from 'pg'
import { StartFailure } from '../kernel/start-failure.ts'

/**
 * One connection outside the pool, without its statement timeout: for migrations and for queries about the server.
 *
 * @throws StartFailure with instructions if the server cannot be reached or rejects the connection
 */
export async function connectOnce(connectionString: string, applicationName: string): Promise<pg.Client> {
  const client = makeClient(connectionString, applicationName)
  try {
    await client.connect()
    await client.query(`set timezone to 'UTC'`)
    return client
  } catch (error) {
    await client.end().catch(() => undefined)
    throw new StartFailure(sentenceFor(error, client), { cause: error })
  }
}

function makeClient(connectionString: string, applicationName: string): pg.Client {
  try {
    const client = new pg.Client({
      connectionString,
      application_name: applicationName,
      connectionTimeoutMillis: 30_000,
    })
    client.on('error', () => undefined)
    return client
  } catch (error) {
    throw new StartFailure(
      'DOCKET_DATABASE_URL is not the address of a PostgreSQL server: write it as postgres://user:password@host:5432/database.',
      { exitCode: 2, cause: error },
    )
  }
}

/** By SQLSTATE or system error; the address is reported without its password. */
function sentenceFor(error: unknown, client: pg.Client): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const server = `The PostgreSQL at ${client.host}:${client.port}`
  switch (code) {
    case '28P01':
    case '28000':
      return `${server} does not let the user ${client.user} in (${messageOf(error)}): check user and password in DOCKET_DATABASE_URL.`
    case '3D000':
      return `${server} has no database ${client.database}: create it, or name another in DOCKET_DATABASE_URL.`
    case '53300':
      return `${server} takes no more connections: raise its max_connections, or lower DOCKET_DATABASE_POOL.`
    case '57P03':
      return `${server} is just starting or ending (${messageOf(error)}): try again in a moment.`
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return `${server} shows a certificate that this machine does not trust (${messageOf(error)}): add sslrootcert=/path/of/its/ca.pem to DOCKET_DATABASE_URL.`
    default:
      return `${server} cannot be reached (${messageOf(error)}): check DOCKET_DATABASE_URL, and that the server runs.`
  }
}

/** If every address of a host name refuses the connection, the error is an AggregateError whose own message is empty. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
