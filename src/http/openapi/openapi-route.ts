import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { readVersion } from '../../config/version.ts'
import type { RecordRoom } from '../../records/record-room.ts'
import { visibleTables } from '../../records/rights/visible-tables.ts'
import { sendAnswer } from '../answer/send-answer.ts'
import { sendFailure } from '../answer/send-failure.ts'
import type { HttpParts } from '../http-parts.ts'
import { baseUrlOf } from '../request/base-url.ts'
import { attachmentPart } from './attachment-paths.ts'
import { bulkPart } from './bulk-paths.ts'
import { changePart } from './change-paths.ts'
import { anyTablePart, tablesPart } from './record-paths.ts'
import { serverPart } from './server-paths.ts'
import { statsPart } from './stats-paths.ts'
import { type ApiPart, writeOpenApi } from './write-openapi.ts'

/** Documents kept: one of 50 tables has about 500 KB, and most callers of a desk share a handful of role sets. */
const maxDocuments = 16

export interface OpenApiDeps {
  readonly room: RecordRoom
  /** What the declared operations make. */
  readonly declared: readonly ApiPart[]
}

/**
 * `/openapi.json`. Without credentials it tells how the API works; with them it also tells the tables that the caller may
 * read, with their columns and titles in the caller's language.
 */
export function addOpenApiRoute(app: FastifyInstance, parts: HttpParts, { room, declared }: OpenApiDeps): void {
  const documents = new LRUCache<string, string>({ max: maxDocuments })
  const version = readVersion()

  async function documentFor({ caller }: FastifyRequest, baseUrl: string): Promise<string> {
    if (caller === null) return kept(`|${baseUrl}`, () => genericDocument(declared, version, baseUrl))
    const { principal } = caller
    const catalog = await currentCatalog(room)
    const { language, roleKey } = principal
    return kept(`${catalog.epoch}|${language}|${roleKey}|${baseUrl}`, () => {
      const tables = visibleTables(catalog, room.accessFor(catalog, principal))
      return JSON.stringify(
        writeOpenApi({ version, baseUrl }, [
          tablesPart(tables, language),
          statsPart,
          changePart,
          bulkPart,
          attachmentPart,
          ...declared,
          serverPart,
        ]),
      )
    })
  }

  function kept(key: string, write: () => string): string {
    const known = documents.get(key) ?? write()
    documents.set(key, known)
    return known
  }

  app.route({
    method: ['GET', 'HEAD'],
    url: '/openapi.json',
    config: { access: 'optional' },
    handler: (request, reply) => {
      documentFor(request, baseUrlOf(request, parts.settings)).then(
        (body) => sendAnswer(reply, { status: 200, headers: {}, body }),
        (error: unknown) => sendFailure(parts.observe, reply, error),
      )
    },
  })
}

/** The document without tables, as docs/openapi.json has it. */
export function genericDocument(declared: readonly ApiPart[], version: string, baseUrl = ''): string {
  return writeText(
    writeOpenApi({ version, baseUrl }, [
      anyTablePart(),
      statsPart,
      changePart,
      bulkPart,
      attachmentPart,
      ...declared,
      serverPart,
    ]),
  )
}

const writeText = (document: unknown): string => `${JSON.stringify(document, null, 1)}\n`

async function currentCatalog({ catalog }: RecordRoom): ReturnType<RecordRoom['catalog']['current']> {
  const known = await catalog.current()
  return (await catalog.isCurrent(known)) ? known : catalog.refresh()
}
