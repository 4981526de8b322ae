import { expect, test } from 'vitest'
import { rule, setStage } from './fixture.ts'
import { describeScenarios, errorBody, type Scenario } from './scenarios.ts'

const says = (
  send: string,
  status: number,
  [code, message, rest]: readonly [code: string, message: string, rest?: Readonly<Record<string, unknown>>],
  more: Partial<Scenario> = {},
): Scenario => ({
  name: `${send} ${status}`,
  as: 'moscow',
  send: send.replaceAll(' IS ', '%20IS%20'),
  status,
  response: errorBody(code, message, rest),
  ...more,
})
const list = '/rest/v1/table/task?sysparm_query='
const body = (values: object): Partial<Scenario> => ({ body: values })

describeScenarios(
  'errors of /rest/v1 are Russian for Russian users; code, field and position stay (issue 8, B13)',
  [
    says(`GET ${list}prioriti=1`, 400, [
      'BAD_QUERY',
      'Ошибка в запросе, позиция 0: в таблице task нет столбца prioriti; возможно, имелось в виду: priority.',
      { field: 'prioriti', position: 0 },
    ]),
    says(`GET ${list}state=1^active=maybe`, 400, [
      'BAD_QUERY',
      'Ошибка в запросе, позиция 8: ожидается: true или false; получено: "maybe".',
      { field: 'active', position: 8 },
    ]),
    says(`GET ${list}stateVALCHANGES`, 400, [
      'BAD_QUERY',
      'Ошибка в запросе, позиция 5: оператор VALCHANGES не поддерживается: он сравнивает запись с её состоянием до изменения, а запрос видит только сохранённые записи.',
      { field: 'state', position: 5 },
    ]),
    says('GET /rest/v1/table/task?sysparm_limit=ten', 400, [
      'BAD_PARAMETER',
      'Неверное значение параметра sysparm_limit. Ожидается: целое число от 0 до 1000000000. Получено: ten.',
      { field: 'sysparm_limit' },
    ]),
    ...['/v1', '/rest/v1'].map((root) =>
      says(`DELETE ${root}/auth/keys/none`, 404, ['NOT_FOUND', 'Не найдено (ключ API): none.']),
    ),
    says('GET /rest/v1/table/tasks', 404, ['TABLE_NOT_FOUND', 'Таблицы tasks нет. Возможно, имелось в виду: task.']),
    says('GET /rest/v1/table/task/1999', 404, ['RECORD_NOT_FOUND', 'В таблице task нет доступной вам записи 1999.']),
    says('GET /rest/v1/table/sys_property', 403, [
      'ACCESS_DENIED',
      'Нет доступа: чтение записей таблицы sys_property.',
    ]),
    says(
      'PATCH /rest/v1/table/task/1001',
      422,
      [
        'INVALID_VALUE',
        'Недопустимое значение assigned_user: в таблице user нет такой записи.',
        { field: 'assigned_user' },
      ],
      body({ assigned_user: '299' }),
    ),
    says(
      'PATCH /rest/v1/table/probe/2001',
      422,
      [
        'INVALID_VALUE',
        'Недопустимое значение title: помещается не более 20 символов, получено 30.',
        { field: 'title' },
      ],
      body({ title: 'x'.repeat(30) }),
    ),
    says(
      'PATCH /rest/v1/table/task/1001',
      409,
      [
        'CONFLICT',
        'Запись 1001 изменилась после чтения: If-Match не совпадает. Прочитайте её снова.',
        { reason: 'stale' },
      ],
      { ...body({ subject: 'x' }), headers: { 'if-match': '"x"' } },
    ),
    says(
      'POST /rest/v1/table/task',
      400,
      [
        'BAD_JSON',
        'Неверное тело запроса. Ожидается: один объект JSON с именами и значениями столбцов: одна запись за вызов. Получено: массив из 1.',
      ],
      body([{}]),
    ),
    says(
      'GET /rest/v1/table/task?sysparm_query=prioriti=1',
      400,
      [
        'BAD_QUERY',
        'The query cannot be read at position 0: there is no column prioriti in task; did you mean priority?',
        { field: 'prioriti', position: 0 },
      ],
      { as: 'worker', name: 'somebody else reads English' },
    ),
  ],
  [rule({ operation: 'read', table: 'sys_property', roles: ['admin'] })],
)

test.each([
  [
    'moscow',
    [
      'Недопустимое значение assigned_user: в таблице user нет такой записи.',
      'Недопустимое значение priority: "urgent" — не вариант; варианты: Критический (1)',
    ],
  ],
  [
    'worker',
    ['The value of assigned_user is rejected: there is no such record in user.', 'The value of priority is rejected: '],
  ],
] as const)('errors of rows of an import are in the language of %s (issue 8, B13)', async (as, [first, second]) => {
  const stage = await setStage([])
  try {
    const response = await stage.send(as, 'POST /rest/v1/import/task', {
      body: 'subject,assigned_user,priority\nA,299,\nB,,urgent\n',
      headers: { 'content-type': 'text/csv' },
    })
    expect(response.body).toMatchObject({
      data: {
        inserted: 0,
        errors: [
          { line: 2, code: 'INVALID_VALUE', field: 'assigned_user', message: first },
          { line: 3, code: 'INVALID_VALUE', field: 'priority', message: expect.stringContaining(second) },
        ],
      },
    })
  } finally {
    await stage.close()
  }
})
