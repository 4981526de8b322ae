import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import type { RecordRoom } from '../../records/record-room.ts'
import { type VisibleTable, visibleTables } from '../../records/rights/visible-tables.ts'
import type { HttpParts } from '../http-parts.ts'
import { callerOf } from '../request/caller.ts'
import { answering } from './answering.ts'

/** What clients ask about the dictionary as a whole. */
export function addTableRoutes(app: FastifyInstance, { observe }: HttpParts, room: RecordRoom): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/rest/v1/table',
    handler: answering(observe, (request) => listTables(room, request)),
  })
  // Deployed clients call them after a change of the dictionary.
  for (const url of ['/v1/cache/reset-cache', '/v1/settings/flush-cache']) {
    app.route({
      method: ['GET', 'HEAD', 'POST'],
      url,
      config: { keyParameter: 'access-token' },
      handler: answering(observe, (request) => rereadDictionary(room, request)),
    })
  }
}

async function listTables(room: RecordRoom, request: FastifyRequest): Promise<Result<unknown, Problem>> {
  const { principal } = callerOf(request)
  const catalog = await room.catalog.upToDate()
  return succeed(
    visibleTables(catalog, room.accessFor(catalog, principal)).map((visible) => describe(visible, principal.language)),
  )
}

function describe({ table, mayCreate, mayWrite, mayDelete }: VisibleTable, language: 'en' | 'ru') {
  return {
    name: table.name,
    title: table.titles[language],
    parent: table.parent,
    may_create: mayCreate,
    may_write: mayWrite,
    may_delete: mayDelete,
  }
}

/** Nothing here stands on a cache that could be old; the dictionary is read again all the same, so that OK means what it says. */
async function rereadDictionary(room: RecordRoom, request: FastifyRequest): Promise<Result<unknown, Problem>> {
  const { principal } = callerOf(request)
  if (!principal.roles.has('admin')) return refuse({ kind: 'role-needed', roles: ['admin'], to: 'reset caches' })
  await room.catalog.refresh()
  return succeed({ result: true, description: REREAD[principal.language] })
}

const REREAD = { en: 'The dictionary was read again.', ru: 'Словарь данных прочитан заново.' }
