import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, setStage, type Who } from './fixture.ts'

/** One request and its complete expected result. */
export interface Scenario {
  /** A sentence about behaviour. */
  readonly name: string
  /** null: without credentials. */
  readonly as: Who | null
  /** `METHOD path`, sent unchanged. */
  readonly send: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly status: number
  /** The whole body. */
  readonly response?: unknown
  /** Headers that are compared; undefined: the header is absent. */
  readonly responseHeaders?: Readonly<Record<string, string | undefined>>
  /** Whether the request changes records. By default it must not, like every read and every rejected request. */
  readonly writes?: boolean
}

/** Runs scenarios on one stage, in order. Later ones see the writes of earlier ones. */
export function describeScenarios(
  title: string,
  scenarios: readonly Scenario[],
  more: Parameters<typeof setStage>[0] = [],
): void {
  describe(title, () => {
    let stage: Stage
    beforeAll(async () => {
      stage = await setStage(more)
    })
    afterAll(() => stage.close())

    test.each(scenarios)('$name', async (scenario) => {
      const before = await stage.fingerprint()
      const response = await stage.send(scenario.as, scenario.send, {
        ...(scenario.body === undefined ? {} : { body: scenario.body }),
        ...(scenario.headers === undefined ? {} : { headers: scenario.headers }),
      })
      expect({ status: response.status, body: response.body }).toEqual({
        status: scenario.status,
        body: scenario.response ?? '',
      })
      for (const [name, value] of Object.entries(scenario.responseHeaders ?? {})) {
        expect([name, response.headers[name]]).toEqual([name, value?.replaceAll('BASE', stage.docket.baseUrl)])
      }
      const changed = (await stage.fingerprint()) !== before
      expect(changed, 'records changed').toBe(scenario.writes ?? false)
    })
  })
}

export const ok = (...data: readonly unknown[]): unknown => ({ status: 'OK', data })

/** The error envelope with one error. */
export const errorBody = (code: string, message: string, rest: Readonly<Record<string, unknown>> = {}): unknown => ({
  status: 'ERROR',
  error_type: 'SERVER',
  message,
  errors: [{ message, code, ...rest }],
  request_id: 'ID',
})
