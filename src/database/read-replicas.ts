import { startLoop } from '../kernel/loop.ts'
import { type Database, openDatabase, type PreparedStatement } from './database.ts'
import { databaseFailureOf } from './database-failure.ts'

type Rows = readonly (readonly unknown[])[]

/** Standbys of the database that serve reads. */
export interface ReadReplicas {
  /**
   * Runs a statement on a replica whose state is at least as new as the primary's was at a given time.
   *
   * @param notBeforeMs by `performance.now()`
   * @returns null: no replica is so new, or none can be reached
   */
  run(statement: PreparedStatement, values: readonly unknown[], notBeforeMs: number): Promise<Rows | null>
  close(): Promise<void>
}

export interface ReadReplicasOptions {
  readonly primary: Database
  /** postgres:// URLs, each of a single server: with several servers behind one address, a later statement may see an earlier state. */
  readonly connectionStrings: readonly string[]
  readonly maxConnections: number
  readonly statementTimeoutMs: number
}

/** Interval for reading the log positions of the primary and of each replica; a tenth of the shortest lag that can be configured. */
const lookEveryMs = 50
/** A replica without a response for longer gets no more statements. */
const respondsWithinMs = 1_000
/** Log positions of the primary, for as long as the longest lag that can be configured. */
const samplesKept = 1_200

/** After a failover, a standby that had received more than the new primary is further in the log, and has changes that are lost. */
const newestHistory = '(select h.id::text from docket_system.database_history h order by h.number desc limit 1)'
const PRIMARY_AT = { name: 'docket_flushed', text: `select pg_current_wal_flush_lsn()::text, ${newestHistory}` }
/** Runs before the statement, in an earlier snapshot: the statement does not see an older state. */
const REPLICA_AT = `select case when pg_is_in_recovery() then pg_last_wal_replay_lsn()::text end, ${newestHistory}`

interface LogPosition {
  readonly at: bigint
  /** Id of the history of the database to which the log belongs (docs/decisions/0026). */
  readonly historyId: unknown
}

interface Sample extends LogPosition {
  /** Everything that was committed by then is in the log up to `at`. */
  readonly takenMs: number
}

const nowhere: LogPosition = { at: -1n, historyId: null }

/**
 * An idle primary writes no log, so the log position of a replica alone does not give its age. The primary's log position is recorded with
 * the time of this process; a replica that has reached a position is as new as the primary was then. Clocks of other machines are not used.
 * Log positions are compared within one history of the database only.
 */
export function openReadReplicas(options: ReadReplicasOptions): ReadReplicas {
  const samples: Sample[] = []
  const replicas = options.connectionStrings.map((connectionString) => ({
    database: openDatabase({ ...options, connectionString, isReadOnly: true, patienceMs: respondsWithinMs }),
    position: nowhere,
    lookedMs: Number.NEGATIVE_INFINITY,
  }))
  let turn = 0

  const lookAtPrimary = async (): Promise<void> => {
    const takenMs = performance.now()
    const [row] = await options.primary.run(PRIMARY_AT, [])
    samples.push({ takenMs, ...positionOf(row) })
    if (samples.length > samplesKept) samples.shift()
  }
  const lookAt = async (replica: (typeof replicas)[number]): Promise<void> => {
    const [row] = await replica.database.run({ name: 'docket_replayed', text: REPLICA_AT }, [])
    replica.position = positionOf(row)
    replica.lookedMs = performance.now()
  }
  const loops = [
    startLoop({ turn: lookAtPrimary, everyMs: lookEveryMs, onError: () => undefined }),
    ...replicas.map((replica) =>
      startLoop({
        turn: () => lookAt(replica),
        everyMs: lookEveryMs,
        onError: () => {
          replica.position = nowhere
        },
      }),
    ),
  ]

  return {
    async run(statement, values, notBeforeMs) {
      const needed = samples.find(({ takenMs }) => takenMs >= notBeforeMs)
      if (needed === undefined) return null
      const isNewEnough = ({ at, historyId }: LogPosition): boolean =>
        at >= needed.at && historyId === samples.at(-1)?.historyId
      const nowMs = performance.now()
      const fresh = replicas.filter(
        ({ position, lookedMs }) => isNewEnough(position) && nowMs - lookedMs < respondsWithinMs,
      )
      turn += 1
      const replica = fresh[turn % fresh.length]
      if (replica === undefined) return null
      try {
        const { before, rows } = await replica.database.runBehind(REPLICA_AT, statement, values)
        replica.position = positionOf(before)
        return isNewEnough(replica.position) ? rows : null
      } catch (error) {
        // The primary would run into the same timeout. After any other error the statement runs there.
        if (databaseFailureOf(error)?.code === '57014') throw error
        replica.position = nowhere
        return null
      }
    },
    async close() {
      await Promise.all([...loops.map((loop) => loop.stop()), ...replicas.map(({ database }) => database.close())])
    },
  }
}

const positionOf = ([at, historyId]: readonly unknown[] = []): LogPosition => ({ at: placeInLog(at), historyId })

/** Of `16/B374D848`; -1 if there is none. */
function placeInLog(text: unknown): bigint {
  const [high, low] = String(text).split('/')
  return low === undefined ? -1n : (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}
