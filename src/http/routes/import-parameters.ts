import type { FastifyRequest } from 'fastify'
import type { ImportOptions } from '../../bulk/import-job.ts'
import { type Mapping, readMapping } from '../../bulk/mapping.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'

export type Parameters = ReadonlyMap<string, string>

const OF_EVERY_IMPORT = ['key', 'on_hit', 'dry_run', 'migrate', 'mapping', 'sysparm_input_display_value']
const KNOWN = {
  text: new Set([...OF_EVERY_IMPORT, 'format', 'delimiter', 'raw']),
  json: new Set([...OF_EVERY_IMPORT, 'text']),
} as const

/** A misspelt `dry_run` must not write (docs/spec/records.md, section 3). */
export function checkNames(parameters: Parameters, kind: keyof typeof KNOWN): Result<null, Problem> {
  const known = KNOWN[kind]
  const unknown = [...parameters.keys()].find((name) => !known.has(name))
  if (unknown === undefined) return succeed(null)
  const expected = `a parameter of an import: ${[...known].join(', ')}`
  return refuse({ kind: 'bad-parameter', parameter: unknown, found: parameters.get(unknown) ?? '', expected })
}

export const isDry = (parameters: Parameters): boolean => isFlag(parameters.get('dry_run'))

export function readOptions(parameters: Parameters, isText: boolean): Result<Omit<ImportOptions, 'table'>, Problem> {
  const onHit = parameters.get('on_hit') || 'update'
  if (onHit !== 'update' && onHit !== 'skip')
    return refuse({ kind: 'bad-parameter', parameter: 'on_hit', found: onHit, expected: 'update or skip' })
  const migrating = isFlag(parameters.get('migrate'))
  const inputDisplay = isFlag(parameters.get('sysparm_input_display_value'))
  return succeed({ keys: listOf(parameters.get('key')), onHit, isText, migrating, inputDisplay })
}

/** null: names of columns and values are those of the table. */
export function mappingOf(parameters: Parameters): Result<Mapping | null, Problem> {
  const text = parameters.get('mapping')
  return text === undefined || text === '' ? succeed(null) : readMapping(text, 'mapping')
}

/** What an import takes from the file in the name of others, only an administrator may say. */
export function mayMigrateAs({ roles }: Principal, parameters: Parameters): Result<null, Problem> {
  if (!isFlag(parameters.get('migrate')) || roles.has('admin')) return succeed(null)
  return refuse({ kind: 'role-needed', roles: ['admin'], to: 'import with migrate=1' })
}

export const listOf = (text: string | undefined): readonly string[] =>
  (text ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')

export const isFlag = (text: string | undefined): boolean => text === '1' || text?.toLowerCase() === 'true'

type Format = 'csv' | 'ndjson'

export function formatOf(parameters: Parameters, request: FastifyRequest): Result<Format, Problem> {
  const type = request.headers['content-type'] ?? ''
  const asked = parameters.get('format') || (/csv/i.test(type) ? 'csv' : /ndjson|jsonl/i.test(type) ? 'ndjson' : '')
  if (asked === 'csv' || asked === 'ndjson') return succeed(asked)
  if (asked !== '')
    return refuse({ kind: 'bad-parameter', parameter: 'format', found: asked, expected: 'csv or ndjson' })
  return refuse({
    kind: 'unsupported-media-type',
    found: type || 'no Content-Type',
    expected: 'Content-Type: text/csv or application/x-ndjson, or the parameter format',
  })
}

const delimiters = { ',': ',', ';': ';', tab: '\t', comma: ',', semicolon: ';' } as const

export function delimiterOf(parameters: Parameters): Result<',' | ';' | '\t' | null, Problem> {
  const asked = parameters.get('delimiter') || null
  if (asked === null) return succeed(null)
  if (asked in delimiters) return succeed(delimiters[asked as keyof typeof delimiters])
  return refuse({ kind: 'bad-parameter', parameter: 'delimiter', found: asked, expected: 'comma, semicolon or tab' })
}
