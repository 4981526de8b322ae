import { listNames } from '../../http/response/list-names.ts'
import type { WholeResponse } from '../../http/response/send-response.ts'
import { type EncodedText, encodeText } from '../../kernel/encoded-text.ts'
import type { ParsedRequest } from '../../records/parse/parse-record-request.ts'
import type { RecordResult } from '../../records/record-result.ts'
import { pageHeaders } from './page-headers.ts'

/** What a response needs to know about its request. */
export interface RecordResponding extends ParsedRequest {
  /** The parameters of the request, as received. */
  readonly parameters: ReadonlyMap<string, string>
  readonly baseUrl: string
  /** Language of the caller. */
  readonly language: 'en' | 'ru'
}

/** The response of the Table API: the bytes of the records as PostgreSQL wrote them, in their envelope. */
export function recordResponse(result: RecordResult, sent: RecordResponding): WholeResponse {
  const ignored = result.ignoresView ? [...sent.ignoredParameters, 'sysparm_view'] : sent.ignoredParameters
  const headers = headersOf(result, sent)
  if (ignored.length > 0) headers['x-ignored-parameters'] = listNames([...new Set(ignored)])
  const body = dataOf(result, sent.language).within('{"status":"OK","data":', `${besideData(result)}}`)
  return { status: 200, headers, body }
}

function headersOf(result: RecordResult, sent: RecordResponding): Record<string, string> {
  if (result.kind === 'page') return pageHeaders(result, sent)
  const headers: Record<string, string> = {}
  if (result.kind === 'deleted') return headers
  const { table, sysId, version } = result
  if (version !== null) headers['etag'] = `"${version}"`
  if (sent.request.operation === 'create')
    headers['location'] = `${sent.baseUrl}/rest/v1/table/${table}/${encodeURIComponent(sysId)}`
  return headers
}

const besideData = (result: RecordResult): string =>
  result.kind === 'record' && result.rights !== undefined ? `,"rights":${encodeText(result.rights).latin1}` : ''

const DELETED = { en: 'Records successfully deleted.', ru: 'Записи успешно удалены.' } as const

const dataOf = (result: RecordResult, language: 'en' | 'ru'): EncodedText =>
  result.kind === 'deleted'
    ? encodeText(JSON.stringify({ description: DELETED[language], count: result.count }))
    : result.records.encoded
