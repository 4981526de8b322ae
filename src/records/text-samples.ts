import type { Column, Table } from '../catalog/catalog.ts'
import { type SampledText, sampleOf, type TextSample } from '../condition/patterns/coarse-pattern.ts'
import type { Database } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import { sql } from '../kernel/sql.ts'

/** Statistics change slowly, with the table's `ANALYZE`. */
const MAX_AGE_MS = 600_000
/** Lists of an index of a smaller table are short. */
const MIN_ROWS = 100_000
/** PostgreSQL's statistics leave out texts of more than 1,024 bytes: with longer texts on average, they are no sample of the column. */
const MAX_AVERAGE_BYTES = 256
/** At least this share of the rows must be in the sample. */
const MIN_SHARE = 0.9

const NO_SAMPLE = sampleOf([])

interface Read {
  readonly atMs: number
  /** By PostgreSQL's column. */
  readonly samples: Promise<ReadonlyMap<string, TextSample>>
  known: ReadonlyMap<string, TextSample> | null
}

interface ColumnStatistics {
  readonly name: string
  readonly empty: string
  readonly bounds: readonly string[]
  readonly common: readonly string[]
  readonly shares: readonly string[]
}

/**
 * Samples of texts in large tables, from PostgreSQL's statistics. They decide which parts of a pattern are looked up
 * (condition/patterns/coarse-pattern.ts), never what is found. Nobody waits for them: until they are read, all parts are looked up.
 */
export class TextSamples {
  readonly #database: Database
  readonly #clock: Clock
  readonly #minRows: number
  readonly #tables = new Map<string, Read>()

  /** @param minRows of a table that has samples */
  constructor(database: Database, clock: Clock, minRows = MIN_ROWS) {
    this.#database = database
    this.#clock = clock
    this.#minRows = minRows
  }

  /** Empty: the column has none, or they are not read yet. */
  of(table: Table, { storage }: Column): TextSample {
    const read = this.#reading(table)
    return (storage === null ? undefined : read.known?.get(storage)) ?? NO_SAMPLE
  }

  /** Reads the samples of a table, if they are not read yet. */
  async ready(table: Table): Promise<void> {
    await this.#reading(table).samples
  }

  #reading({ storage, columns }: Table): Read {
    const place = JSON.stringify([storage.schema, storage.table])
    const before = this.#tables.get(place)
    const atMs = this.#clock.nowMs()
    if (before !== undefined && atMs - before.atMs < MAX_AGE_MS) return before
    const names = [...columns.values()].flatMap((column) => (column.indexed.parts ? (column.storage ?? []) : []))
    // A failed reading is repeated when it would have been too old.
    const samples = readSamples(this.#database, storage, { names, minRows: this.#minRows }).catch(
      () => before?.known ?? new Map(),
    )
    const read: Read = { atMs, samples, known: before?.known ?? null }
    samples.then((known) => {
      read.known = known
    })
    this.#tables.set(place, read)
    return read
  }
}

async function readSamples(
  database: Database,
  { schema, table }: Table['storage'],
  { names, minRows }: { readonly names: readonly string[]; readonly minRows: number },
): Promise<ReadonlyMap<string, TextSample>> {
  const rows = await database.rows<ColumnStatistics>(sql`
    select s.attname::text as name, s.null_frac::text as empty,
      array(select docket_system.fold(v) from unnest(s.histogram_bounds::text::text[]) as v) as bounds,
      array(select docket_system.fold(v) from unnest(s.most_common_vals::text::text[]) as v) as common,
      coalesce(s.most_common_freqs::text[], '{}') as shares
    from pg_stats s
    where s.schemaname = ${schema} and s.tablename = ${table} and s.attname = any (${names}::text[]) and not s.inherited
      and s.avg_width <= ${MAX_AVERAGE_BYTES}::integer
      and exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = s.schemaname and c.relname = s.tablename and c.reltuples >= ${minRows}::integer)`)
  return new Map(rows.map((row) => [row.name, sampleOf(textsOf(row))]))
}

/** The bounds of the histogram are as far from each other as the same number of rows. */
function textsOf({ empty, bounds, common, shares }: ColumnStatistics): readonly SampledText[] {
  const frequent = common.map((text, at) => ({ text, share: Number(shares[at] ?? 0) }))
  const left = frequent.reduce((rest, { share }) => rest - share, 1 - Number(empty))
  if (bounds.length === 0) return left > 1 - MIN_SHARE ? [] : frequent
  return [...frequent, ...bounds.map((text) => ({ text, share: Math.max(0, left) / bounds.length }))]
}
