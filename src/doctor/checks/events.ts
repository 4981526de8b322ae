import { sql } from '../../kernel/sql.ts'
import { type Check, type DatabaseGround, listNames } from '../check.ts'

/**
 * Readers of the log of changes wait for transactions that took a sequence number and are still open (docs/decisions/0006). Such a
 * transaction holds an advisory lock with this number.
 */
export const checkEvents: Check<DatabaseGround> = {
  name: 'events',
  async run({ database, limits }) {
    const holders = await database.rows(sql<{ process: number; application: string; seconds: number }>`
      select a.pid as process, a.application_name as application,
             max(extract(epoch from clock_timestamp() - a.xact_start))::int as seconds
      from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
        and l.database = (select d.oid from pg_database d where d.datname = current_database())
        and (l.classid::bigint << 32) | l.objid::bigint between 499999999999999999 and 999999999999999999
        and a.xact_start < clock_timestamp() - make_interval(secs => ${limits.openTransactionMs / 1_000})
      group by a.pid, a.application_name order by 3 desc`)
    const [first] = holders
    const summary = 'no transaction holds them back'
    if (first === undefined) return { summary, findings: [] }
    const what = `A transaction that is open for ${first.seconds} s holds back events, webhooks and followed collections`
    const where = listNames(holders.map(({ process, application }) => `PostgreSQL process ${process} (${application})`))
    const cure = `commit it, or end its connection: select pg_terminate_backend(${first.process})`
    return { summary, findings: [{ fault: 'events-held-back', what, where, cure }] }
  },
}
