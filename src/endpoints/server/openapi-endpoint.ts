import { z } from 'zod'
import { ANONYMOUS_OR_CALLER } from '../../http/endpoint/access.ts'
import { declare } from '../../http/endpoint/declare.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, succeed } from '../../kernel/result.ts'
import type { RecordDeps } from '../../records/record-deps.ts'
import type { OpenApiDocuments } from './openapi-documents.ts'

export interface OpenApiDeps {
  readonly records: RecordDeps
  /** The documents are described when one is first requested. */
  readonly openApi: () => Promise<OpenApiDocuments>
}

/**
 * Without credentials the document describes the API; with credentials also the tables that the caller may read, with their
 * columns and with titles in the caller's language.
 */
export const openApiEndpoint = declare({
  id: 'openapi',
  path: '/openapi.json',
  methods: ['GET'],
  tag: 'Server',
  summary: 'The OpenAPI document',
  description: 'With credentials it has the tables that the caller may read.',
  access: ANONYMOUS_OR_CALLER,
  input: {
    face: z.enum(['now']).optional().meta({ description: '`now`: the document of the API for clients of ServiceNow.' }),
  },
  otherNames: 'ignored',
  receives: 'nothing',
  output: null,
  errors: [],
  isUndescribed: true,
  isGated: false,
  async handle({ records, openApi }: OpenApiDeps, { face }, { callerOrNobody, baseUrl }) {
    const documents = await openApi()
    if (face !== undefined) {
      const body = documents.ofFace(baseUrl)
      return body === null ? fail(NO_FACE) : succeed({ whole: { status: 200, headers: {}, body } })
    }
    const principal = callerOrNobody?.principal
    const body =
      principal === undefined ? documents.generic(baseUrl) : await documents.ofCaller(records, principal, baseUrl)
    return succeed({ whole: { status: 200, headers: {}, body } })
  },
})

const NO_FACE: Problem = {
  kind: 'bad-parameter',
  parameter: 'face',
  found: 'now',
  expected: 'nothing: this server does not have that API',
}
