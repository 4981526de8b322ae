/**
 * npm run bench:write-layouts: what a change of a task writes into PostgreSQL's log (WAL), and what lists cost, in the layout of the product and in others
 * (records/layouts/layout.ts). All are copies of one database. Writes are those of Docket, triggers write the tables apart; lists are Docket's statements, read from
 * these tables. docs/decisions/0028 says what it gave.
 *
 *   --tasks 200000  --changes 300  --rounds 15   how much
 */
import { parseArgs } from 'node:util'
import { sql } from '../src/kernel/sql.ts'
import { rounded } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import { LAYOUTS } from './records/layouts/layout.ts'
import { measureReads } from './records/layouts/measure-reads.ts'
import { type MeasuredWrites, measureWrites, WRITE_KINDS } from './records/layouts/measure-writes.ts'
import { makeSide, type Side } from './records/layouts/side.ts'
import { seed } from './records/seed.ts'
import { startPostgres } from './records/servers.ts'

const { values: given } = parseArgs({
  options: {
    tasks: { type: 'string', default: '200000' },
    changes: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '15' },
  },
})
const size = { tasks: Number(given.tasks), users: 1_000, groups: 50 }
const count = Number(given.changes)
/** Statements are prepared and planned by then. */
const warmUp = 20

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const makeDatabase = await startPostgres(started)
const original = await makeDatabase('seeded')
console.log(`Seeding ${given.tasks} tasks into PostgreSQL ${original.version} …`)
const seeded = await seed(original.database, size)
await original.database.rows(sql`create extension if not exists pg_walinspect`)
// Concurrent background work would be counted as well.
await original.database.rows(sql`alter system set autovacuum = off`)
await original.database.rows(sql`select pg_reload_conf()`)
// Indexes of the other layouts are new, too.
await original.database.rows(sql`reindex table docket.task`)

const sides: Side[] = []
for (const layout of LAYOUTS) {
  console.log(`Building: ${layout.title} …`)
  sides.push(await makeSide(await makeDatabase(layout.name, 'seeded'), layout, started))
}
const sizes = await readSizes()
const reads = await measureReads(sides, { seeded, rounds: Number(given.rounds) })
const writes = await writeEach()
writeResults(
  `write-layouts-${given.tasks}`,
  { machine, postgres: original.version, size, count, sizes, reads, writes },
  pageOf(),
)

async function writeEach(): Promise<readonly (readonly MeasuredWrites[])[]> {
  const all: MeasuredWrites[][] = []
  for (const [number, kind] of WRITE_KINDS.entries()) {
    const ofKind: MeasuredWrites[] = []
    const from = number * (warmUp + count)
    for (const side of sides) {
      await measureWrites(side, kind, { seeded, from, count: warmUp })
      ofKind.push(await measureWrites(side, kind, { seeded, from: from + warmUp, count }))
    }
    console.log(kind.name, ofKind.map(({ walBytes, hotPart }) => `${rounded(walBytes)} B, ${hotPart}`).join('; '))
    all.push(ofKind)
  }
  return all
}

/** Tables of tasks with their indexes, in MiB. */
async function readSizes(): Promise<readonly number[]> {
  return Promise.all(
    sides.map(async ({ database }) => {
      const [row] = await database.rows<{ mib: number }>(sql`
        select (sum(pg_total_relation_size(c.oid)) / 1048576)::integer as mib from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind = 'r' and (n.nspname = 'bench' or c.oid = 'docket.task'::regclass)`)
      return row?.mib ?? 0
    }),
  )
}

function pageOf(): readonly string[] {
  const heads = sides.map(({ layout }) => layout.title)
  const figures = (of: (each: MeasuredWrites) => string) => writes.map((each) => [each[0]?.kind ?? '', ...each.map(of)])
  return [
    `${size.tasks} tasks; ${count} writes of each kind, each of another task, by Docket's modules on one connection. WAL without images of whole pages.`,
    '',
    ...table(
      ['bytes of WAL', ...heads],
      figures(({ walBytes }) => String(rounded(walBytes))),
    ),
    '',
    ...table(
      ['HOT updates', ...heads],
      figures(({ hotPart }) => (hotPart === null ? '–' : `${rounded(hotPart * 100)} %`)),
    ),
    '',
    ...table(
      ['CPU of PostgreSQL, µs', ...heads],
      figures(({ cpuUs }) => String(rounded(cpuUs))),
    ),
    '',
    'Words and parts of texts wait in a list of their index. Moving them into it writes, for each of these writes:',
    '',
    ...table(
      ['bytes of WAL, later', ...heads],
      figures(({ movedBytes }) => String(rounded(movedBytes))),
    ),
    '',
    ...writes.flatMap((each) => [...partsOf(each, heads), '']),
    `Lists: the first page of 20 with two display values and the total. CPU of PostgreSQL in ms, median of ${given.rounds} by turns; pages of 8 KB.`,
    '',
    ...table(
      ['list', 'caller', 'total', ...heads],
      reads.map(({ name, caller, total, bySide }) => [
        name,
        caller,
        total,
        ...bySide.map(({ cpuMs, pages }) => `${rounded(cpuMs)}; ${pages}`),
      ]),
    ),
    '',
    ...table(['', ...heads], [['MiB of tasks with all indexes', ...sizes.map(String)]]),
  ]
}

/** What the bytes are, part by part. */
function partsOf(each: readonly MeasuredWrites[], heads: readonly string[]): readonly string[] {
  const names = [...new Set(each.flatMap(({ parts }) => parts.map(({ part }) => part)))].toSorted()
  const cellOf = ({ parts }: MeasuredWrites, name: string): string =>
    String(Math.round(parts.find(({ part }) => part === name)?.bytes ?? 0))
  return table(
    [`${each[0]?.kind}: bytes of WAL`, ...heads],
    names.map((name) => [name, ...each.map((one) => cellOf(one, name))]),
  )
}
