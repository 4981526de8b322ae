import { callerWith } from '../../http/endpoint/access.ts'
import { declare } from '../../http/endpoint/declare.ts'
import { headerRefs } from '../../http/openapi/write-openapi.ts'
import { succeed } from '../../kernel/result.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import { printMetrics } from '../../telemetry/print-metrics.ts'

export interface MetricsDeps {
  readonly metrics: Metrics
  /** When the server started. */
  readonly startedMs: number
}

/** Counters of this process since it started, in the Prometheus format. With several workers, those of the worker that responds. */
export const metricsEndpoint = declare({
  id: 'metrics',
  path: '/metrics',
  methods: ['GET'],
  tag: 'Server',
  summary: 'Counts and times of requests since the process started',
  description: 'For the roles admin and metrics, in the text format 0.0.4 of Prometheus.',
  access: callerWith(['admin', 'metrics'], 'see how the server does'),
  input: {},
  otherNames: 'ignored',
  receives: 'nothing',
  output: null,
  responses: {
    200: {
      description: 'Done.',
      headers: headerRefs('X-Request-Id'),
      content: { 'text/plain': { schema: { type: 'string' } } },
    },
  },
  errors: [],
  isGated: false,
  async handle({ metrics, startedMs }: MetricsDeps) {
    const { user, system } = process.cpuUsage()
    const body = printMetrics(metrics.read(), {
      startedMs,
      residentBytes: process.memoryUsage.rss(),
      cpuSeconds: (user + system) / 1_000_000,
    })
    const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
    return succeed({ whole: { status: 200, headers, body } })
  },
})
