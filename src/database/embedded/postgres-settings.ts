export interface PostgresSettings {
  readonly maxConnections: number
  /** Off only for tests: a machine that stops may then lose all data. */
  readonly isDurable: boolean
  /** A network port on 127.0.0.1 if Unix sockets are not supported. */
  readonly loopbackPort?: number
}

/** For a machine with 2 cores and 4 GB that also runs Docket. For larger ones, set DOCKET_DATABASE_URL. */
const tuning = {
  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  work_mem: '8MB',
  maintenance_work_mem: '128MB',
  max_wal_size: '1GB',
  // Solid-state disks: a random page costs hardly more than the next one.
  random_page_cost: '1.1',
  // Requests are short and frequent: no parallel workers, and no JIT compilation for statements with a high estimated cost.
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '1',
  jit: 'off',
  // Background processes that are not needed: no replica connects.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  autovacuum_max_workers: '2',
  // Plans that are made while a table is nearly empty are slow for what is loaded then. Statistics make new ones.
  autovacuum_naptime: '10s',
}

/** The log says when the server started and why it ended; Docket logs errors of statements. */
const logging = {
  log_min_messages: 'log',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] ',
  log_timezone: 'UTC',
}

export function postgresSettings({ maxConnections, isDurable, loopbackPort }: PostgresSettings): readonly string[] {
  const settings = {
    ...tuning,
    ...logging,
    ...(loopbackPort === undefined
      ? // Inside its data directory, whose path may be longer than the 107 bytes that a socket address holds.
        { listen_addresses: '', unix_socket_directories: '.', unix_socket_permissions: '0700' }
      : { listen_addresses: '127.0.0.1', unix_socket_directories: '', port: String(loopbackPort) }),
    max_connections: String(maxConnections),
    fsync: isDurable ? 'on' : 'off',
    synchronous_commit: isDurable ? 'on' : 'off',
    full_page_writes: isDurable ? 'on' : 'off',
    timezone: 'UTC',
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
