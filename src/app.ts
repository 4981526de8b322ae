import Fastify from 'fastify'
import { sql } from 'kysely'
import type { Settings } from './config/settings.ts'
import type { Database } from './database/database.ts'
import { closeGently } from './http/close-gently.ts'
import type { Clock } from './kernel/clock.ts'
import type { Metrics } from './telemetry/metrics.ts'
import type { Observe } from './telemetry/observation.ts'

/** What the start hands down; everything else is built here. */
export interface AppParts {
  readonly settings: Settings
  readonly database: Database
  readonly observe: Observe
  readonly metrics: Metrics
  readonly clock: Clock
}

export interface StartedServer {
  /** Where callers on this machine find it, such as http://127.0.0.1:8080. */
  readonly address: string
  /** Takes no new connections and resolves when the running requests and jobs are done. */
  close(): Promise<void>
  /** Cuts what is still running, so that `close` resolves. */
  cut(): void
}

export type StartServer = (parts: AppParts) => Promise<StartedServer>

export const startServer: StartServer = async ({ settings, database }) => {
  const app = Fastify({ bodyLimit: settings.maxBodyBytes, forceCloseConnections: 'idle' })
  const close = closeGently(app)
  app.get('/health', () => ({ status: 'OK' }))
  app.get('/ready', async (_request, reply) => {
    try {
      await database.rows(sql`select 1`)
      return { status: 'OK' }
    } catch {
      return reply.code(503).send({ status: 'ERROR' })
    }
  })
  await app.listen({ host: settings.host, port: settings.port })
  const bound = app.server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : settings.port
  return {
    address: addressFor(settings.host, port),
    close,
    cut: () => app.server.closeAllConnections(),
  }
}

/** A wildcard is no address that a client can name. */
function addressFor(host: string, port: number): string {
  const name = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host)
  return `http://${name}:${port}`
}
