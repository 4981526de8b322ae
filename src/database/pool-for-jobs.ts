import pg from 'pg'

export interface DriverPoolOptions {
  readonly connectionString: string
  readonly maxConnections: number
  readonly applicationName: string
}

/**
 * A pool of the driver itself, for a library that needs one. The caller that opens it closes it and waits for that: the library does not
 * wait for the end of its own pool and listens to no errors by then, so a server that stops meanwhile would end the process.
 */
export function openDriverPool({ connectionString, maxConnections, applicationName }: DriverPoolOptions): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: maxConnections, application_name: applicationName })
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}
