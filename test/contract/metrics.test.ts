import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Stage, setStage } from './records/fixture.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage()
})
afterAll(() => stage.close())

/** Values by name with labels. */
function readSamples(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const found = /^([a-z_]+(?:\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})?) (\d[\d.e+-]*)$/.exec(line)
      if (found === null) throw new Error(`not a sample: ${line}`)
      return [found[1] ?? '', Number(found[2])]
    }),
  )
}

test('an administrator is told the counts, and no address of a caller stands in them', async () => {
  await stage.send('worker', 'GET /rest/v1/table/task?sysparm_query=subjectLIKEsecret')
  await stage.send('worker', 'GET /rest/v1/table/nowhere')
  const of = (status: number): string => `{method="GET",route="/rest/v1/table/:table",status="${status}"`
  const counted = async (): Promise<ReadonlyMap<string, number>> =>
    readSamples((await stage.send('admin', 'GET /metrics')).text)
  // A request is counted after its last byte is sent, so the caller may have the response before.
  await expect.poll(async () => (await counted()).get(`docket_request_duration_seconds_count${of(200)}}`)).toBe(1)
  await expect.poll(async () => (await counted()).get(`docket_request_duration_seconds_count${of(404)}}`)).toBe(1)
  const response = await stage.send('admin', 'GET /metrics')
  expect(response.status).toBe(200)
  expect(response.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  const samples = readSamples(response.text)
  expect(samples.get(`docket_request_duration_seconds_bucket${of(200)},le="+Inf"}`)).toBe(1)
  expect(samples.get('docket_observations_total{kind="request-finished"}')).toBeGreaterThanOrEqual(2)
  expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(1_000_000)
  expect(response.text).not.toMatch(/secret|nowhere/)
})

test('others are rejected', async () => {
  expect([
    (await stage.send('worker', 'GET /metrics')).status,
    (await stage.send(null, 'GET /metrics')).status,
  ]).toEqual([403, 401])
})
