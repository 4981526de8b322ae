import { z } from 'zod'
import { declare } from '../../http/endpoint/declare.ts'
import { openBody } from '../../http/request/open-body.ts'
import { errorOf } from '../../http/response/error-messages.ts'
import { succeed } from '../../kernel/result.ts'
import { RecordService } from '../../records/record-service.ts'
import { mayMigrate } from '../bulk/bulk-input.ts'
import { serviceCaller } from '../service-caller.ts'
import type { UnloadDeps } from './import-unload.ts'
import { nowErrors } from './now-errors.ts'
import { NOW_ACCESS, versions } from './table-endpoints.ts'
import { resultResponse } from './table-response.ts'

/** Our own operation: ServiceNow imports such files in its user interface. */
export const unloadEndpoint = declare({
  ...versions('/unload'),
  id: 'now-unload',
  methods: ['POST'],
  tag: 'ServiceNow',
  summary: 'Import an exported file',
  description:
    'XML or JSON as an instance exports it. sys_ids, numbers, times and authors are kept. Administrators only.',
  access: { ...NOW_ACCESS, rights: 'now' },
  input: { table: z.string().default('').meta({ description: 'Table of records without `sys_class_name`.' }) },
  receives: 'stream',
  isNegotiated: true,
  output: null,
  errors: [400, 403],
  errorFormat: nowErrors,
  isUndescribed: true,
  isGated: false,
  async handle(deps: UnloadDeps, { table }, request) {
    const allowed = mayMigrate(true, request)
    if (!allowed.ok) return allowed
    const { importUnload } = await import('./import-unload.ts')
    const { readUnload } = await import('./read-unload.ts')
    const { language } = request.principal
    const records = new RecordService(deps.records, serviceCaller(request, request.gate.runPatiently))
    const body = openBody(request.stream)
    try {
      const outcome = await importUnload(readUnload(body.bytes), table, {
        deps,
        importer: { records, reader: request.principal },
      })
      if (!outcome.ok) return outcome
      const { errors, ignoredColumns, unknownAuthors, ...counts } = outcome.value
      const displayed = errors.map(({ problem, ...at }) => ({ ...at, message: errorOf(problem, language).message }))
      const result = { ...counts, errors: displayed, ignored_columns: ignoredColumns, unknown_authors: unknownAuthors }
      return succeed({ whole: resultResponse(result) })
    } finally {
      body.close()
    }
  },
})
