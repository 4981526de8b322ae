import { readVersion } from '../../config/version.ts'
import { type HealthDetails, HealthDetailsEnvelope } from '../../contract/health-details.ts'
import type { Line } from '../../doctor/describe-reports.ts'
import type { DiskSpace } from '../../doctor/disk-space.ts'
import type { Examination } from '../../doctor/examination.ts'
import { callerWith } from '../../http/endpoint/access.ts'
import { declare } from '../../http/endpoint/declare.ts'
import { inRussian, placeInRussian } from '../../http/response/russian-error-details.ts'
import { succeed } from '../../kernel/result.ts'
import { sql } from '../../kernel/sql.ts'
import type { RecordDeps } from '../../records/record-deps.ts'

export interface HealthDetailsDeps {
  readonly records: RecordDeps
  readonly examination: Examination
  /** Of the disk of the data directory; null: the disk does not say. */
  readonly diskSpace: () => Promise<DiskSpace | null>
  readonly fileStore: 'folder' | 'object_store'
  /** When the server started. */
  readonly startedMs: number
  readonly searchProgress: () => { readonly percent: number } | null
}

export const healthDetailsEndpoint = declare({
  id: 'health.details',
  path: '/health/details',
  methods: ['GET'],
  tag: 'Server',
  summary: 'Versions, database, files, disk, search index, and what docket doctor finds',
  description:
    'For the role admin. The checks run at the first request and again at a request ten minutes later or more; a request waits for them for ' +
    'two seconds at most. With several workers, each runs them for itself.',
  access: callerWith(['admin'], 'see the health of the server'),
  input: {},
  receives: 'nothing',
  output: HealthDetailsEnvelope,
  errors: [],
  isGated: true,
  async handle(deps: HealthDetailsDeps, _input, { language }) {
    const [stored, disk, { state, endedMs, lines }] = await Promise.all([
      readStored(deps.records),
      deps.diskSpace(),
      deps.examination.latest(),
    ])
    const progress = deps.searchProgress()
    const details: HealthDetails = {
      version: readVersion(),
      node: process.versions.node,
      started_at: utcText(deps.startedMs),
      database: { version: stored.version, schema: stored.schema, size: Number(stored.size) },
      files: { store: deps.fileStore, attachments: stored.files, size: Number(stored.file_bytes) },
      disk: { free: disk?.free ?? null, total: disk?.total ?? null },
      search_index: { state: progress === null ? 'ready' : 'building', percent: progress?.percent ?? 100 },
      examination: {
        state,
        ended_at: endedMs === null ? null : utcText(endedMs),
        checks: lines.map((line) => (language === 'ru' ? lineInRussian(line) : { ...line })),
      },
    }
    return succeed({ data: details })
  },
})

/** Names, values and commands stay as they are. The command itself prints English. */
function lineInRussian({ fault, message, where, cure, ...line }: Line): HealthDetails['examination']['checks'][number] {
  return {
    ...line,
    fault,
    message: inRussian(message),
    where: where === null || fault === null ? where : placeInRussian(fault, where),
    cure: cure === null ? null : inRussian(cure),
  }
}

interface Stored {
  readonly version: string
  readonly schema: string
  readonly size: string
  readonly files: number
  readonly file_bytes: string
}

async function readStored({ database }: RecordDeps): Promise<Stored> {
  const [stored] = await database.rows(sql<Stored>`
    select current_setting('server_version') as version, coalesce((select max(name) from docket_system.migration), '') as schema,
      pg_database_size(current_database())::text as size, count(*)::integer as files, coalesce(sum(size), 0)::text as file_bytes
    from docket_system.attachment_blob`)
  if (stored === undefined) throw new Error('an aggregate has one row')
  return stored
}

const utcText = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
