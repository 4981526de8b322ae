import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../kernel/clock.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import { printMetrics } from '../../telemetry/print-metrics.ts'
import { sendAnswer, sendProblem } from '../answer/send-answer.ts'
import { callerOf } from '../request/caller.ts'

/** May see how the server does: administrators, and a role for the program that collects the figures. */
const watchers = ['admin', 'metrics']

/** `/metrics`: counts of this process since it started, for Prometheus and its kind. With several workers, of the one that answers. */
export function addMetricsRoute(
  app: FastifyInstance,
  { metrics, clock }: { readonly metrics: Metrics; readonly clock: Clock },
): void {
  const startedMs = clock.nowMs()
  app.route({
    method: ['GET', 'HEAD'],
    url: '/metrics',
    handler: (request, reply) => {
      const { principal } = callerOf(request)
      if (!watchers.some((role) => principal.roles.has(role))) {
        sendProblem(reply, { kind: 'role-needed', roles: watchers, to: 'see how the server does' })
        return
      }
      const { user, system } = process.cpuUsage()
      const body = printMetrics(metrics.read(), {
        startedMs,
        residentBytes: process.memoryUsage.rss(),
        cpuSeconds: (user + system) / 1_000_000,
      })
      sendAnswer(reply, { status: 200, headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }, body })
    },
  })
}
