import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, setStage, type Who } from './fixture.ts'

/** One request and everything that must come of it. */
export interface Scenario {
  /** A sentence about behaviour. */
  readonly name: string
  /** null: without credentials. */
  readonly as: Who | null
  /** `METHOD path`, as it goes onto the wire. */
  readonly send: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly status: number
  /** The whole body. */
  readonly answer?: unknown
  /** The parts of the answer that are asked for, for the few where the whole would hide the point. */
  readonly answerHeaders?: Readonly<Record<string, string | undefined>>
  /** Whether records change; a read and a refusal must not (the default). */
  readonly writes?: boolean
}

/** Scenarios on one stage, in order; one that writes is seen by those after it. */
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
      const answer = await stage.send(scenario.as, scenario.send, {
        ...(scenario.body === undefined ? {} : { body: scenario.body }),
        ...(scenario.headers === undefined ? {} : { headers: scenario.headers }),
      })
      expect({ status: answer.status, body: answer.body }).toEqual({
        status: scenario.status,
        body: scenario.answer ?? '',
      })
      for (const [name, value] of Object.entries(scenario.answerHeaders ?? {})) {
        expect([name, answer.headers[name]]).toEqual([name, value?.replaceAll('BASE', stage.docket.baseUrl)])
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
