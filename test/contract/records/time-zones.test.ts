import { rule } from './fixture.ts'
import { describeScenarios, errorBody, ok, type Scenario } from './scenarios.ts'

const writable = [
  rule({ operation: 'write', table: 'user', roles: ['itil'] }),
  rule({ operation: 'create', table: 'user', roles: ['itil'] }),
]
const stated = (found: string) =>
  errorBody(
    'INVALID_VALUE',
    `The value of time_zone is rejected: the name of a time zone is expected, such as Europe/Moscow or UTC; found ${found}.`,
    { field: 'time_zone' },
  )
const set = (name: string, zone: string | null, rest: Partial<Scenario>): Scenario => ({
  name,
  as: 'worker',
  send: 'PATCH /rest/v1/table/user/202?sysparm_fields=time_zone',
  body: { time_zone: zone },
  status: 200,
  response: ok({ time_zone: zone }),
  ...rest,
})
const rejectedZone = (zone: string): Partial<Scenario> => ({ status: 422, response: stated(zone), writes: false })

describeScenarios(
  'the time zone of a user (issue 8, B7)',
  [
    set('a zone of the IANA database is taken', 'Asia/Yekaterinburg', { writes: true }),
    set('a zone that does not exist is rejected', 'Mars/Olympus', rejectedZone('Mars/Olympus')),
    set('an offset is rejected: PostgreSQL reads its sign the other way round', '+03:00', rejectedZone('+03:00')),
    {
      ...set('on a create too', 'Europe/Nowhere', rejectedZone('Europe/Nowhere')),
      send: 'POST /rest/v1/table/user',
      body: { user_name: 'zed', time_zone: 'Europe/Nowhere' },
    },
  ],
  writable,
)
