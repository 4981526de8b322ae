import { expect, test } from 'vitest'
import { setStage } from '../records/fixture.ts'

test('where it is off, every path is 404 and points to /rest/v1 (issue 10, 6; issue 15)', async () => {
  const stage = await setStage([], { environment: { DOCKET_SERVICENOW: 'off' } })
  try {
    for (const line of [
      'GET /api/now/table/incident?sysparm_limit=1',
      'POST /api/now/table/incident',
      'GET /api/now',
    ]) {
      const response = await stage.send('worker', line, line.startsWith('POST') ? { body: {} } : {})
      expect({ status: response.status, body: response.body }).toEqual({
        status: 404,
        body: {
          error: {
            message: `Nothing is served at ${line.split(/[ ?]/)[1]}`,
            detail:
              'This server does not have the ServiceNow API. The Table API is at /rest/v1/table/{table}, and GET /openapi.json describes it.',
          },
          status: 'failure',
          request_id: 'ID',
        },
      })
    }
  } finally {
    await stage.close()
  }
})
