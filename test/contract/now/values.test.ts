import { describeScenarios, type Scenario } from '../records/scenarios.ts'
import { id, result, servedIds } from './expected.ts'

const stage = [servedIds]

const reference = (sysId: number) => ({
  link: `BASE/api/now/table/sys_user/${id(sysId)}`,
  value: id(sysId),
})

/** Column of the table probe: value, display value of an English reader in UTC, and of a Russian one in Moscow. */
const DISPLAYED: Readonly<Record<string, readonly [value: string, en: string, ru: string]>> = {
  title: ['first', 'first', 'first'],
  c_integer: ['5', '5', '5'],
  c_smallinteger: ['-3', '-3', '-3'],
  c_biginteger: ['9007199254740993', '9,007,199,254,740,993', '9\u00a0007\u00a0199\u00a0254\u00a0740\u00a0993'],
  c_decimal: ['1234.50', '1,234.50', '1\u00a0234,50'],
  c_float: ['0.25', '0.25', '0,25'],
  c_percent: ['45', '45%', '45%'],
  c_boolean: ['true', 'true', 'true'],
  c_text: ['Ёлка и принтер', 'Ёлка и принтер', 'Ёлка и принтер'],
  c_url: ['https://example.com/a', 'https://example.com/a', 'https://example.com/a'],
  c_email: ['a@example.com', 'a@example.com', 'a@example.com'],
  c_color: ['#ff0000', '#ff0000', '#ff0000'],
  c_html: ['<b>x</b>', '<b>x</b>', '<b>x</b>'],
  c_translated: ['Hello', 'Hello', 'Hello'],
  c_wysiwyg: ['<p>Hi</p>', '<p>Hi</p>', '<p>Hi</p>'],
  c_datetime: ['2026-03-01 22:30:00', '2026-03-01 22:30:00', '2026-03-02 01:30:00'],
  c_date: ['2026-02-28', '2026-02-28', '2026-02-28'],
  c_time: ['09:05:00', '09:05:00', '09:05:00'],
  c_duration: ['1970-01-01 01:05:00', '1 Hour 5 Minutes', '1 ч 5 мин'],
  c_days: ['31', 'Monday, Tuesday, Wednesday, Thursday, Friday', 'Понедельник, Вторник, Среда, Четверг, Пятница'],
  c_choice: ['2', 'Two', 'Два'],
  c_list: ['b,a', 'b, a', 'b, a'],
  c_users: [`${id(201)},${id(202)}`, 'Wanda Worker, Rita Reader', 'Wanda Worker, Rita Reader'],
  c_json: ['{"a": [1, null]}', '{"a": [1, null]}', '{"a": [1, null]}'],
  c_journal: ['', '', ''],
  c_password: ['', '********', '********'],
  c_encrypted: ['', '', ''],
}
const columns = Object.entries(DISPLAYED)
const fields = columns.map(([name]) => name).join(',')
const of = (at: 0 | 1 | 2) => Object.fromEntries(columns.map(([name, texts]) => [name, texts[at]]))
const both = (at: 1 | 2) =>
  Object.fromEntries(columns.map(([name, texts]) => [name, { display_value: texts[at], value: texts[0] }]))

const probe = (name: string, query: string, record: unknown, as: Scenario['as'] = 'worker'): Scenario => ({
  name,
  as,
  send: `GET /api/now/table/probe?sysparm_query=title=first&${query}`,
  status: 200,
  response: result(record),
})

const types: readonly Scenario[] = [
  ...['false', 'FALSE', '0', ''].map((flag) =>
    probe(`values: sysparm_display_value=${flag}`, `sysparm_display_value=${flag}&sysparm_fields=${fields}`, of(0)),
  ),
  ...['true', 'TRUE', '1'].map((flag) =>
    probe(`display values: ${flag}`, `sysparm_display_value=${flag}&sysparm_fields=${fields}`, of(1)),
  ),
  probe('display values in Russian and Moscow', `sysparm_display_value=true&sysparm_fields=${fields}`, of(2), 'moscow'),
  probe('both', `sysparm_display_value=all&sysparm_fields=${fields}`, both(1)),
  probe('both in Russian and Moscow', `sysparm_display_value=ALL&sysparm_fields=${fields}`, both(2), 'moscow'),
  ...(['value', 'true', 'all'] as const).map((form): Scenario => {
    const empty = form === 'all' ? { display_value: '', value: '' } : ''
    return {
      name: `what is empty is an empty text: ${form}`,
      as: 'worker',
      send: `GET /api/now/table/probe/${id(2003)}?${form === 'value' ? '' : `sysparm_display_value=${form}&`}sysparm_fields=${fields},c_reference`,
      status: 200,
      response: {
        result: Object.fromEntries([...columns.map(([name]) => name), 'c_reference'].map((name) => [name, empty])),
      },
    }
  }),
]

const name = 'Wanda Worker'
const FLAT = 'sysparm_exclude_reference_link=true'
/** The table of section 5: parameters, and a reference with them. */
const forms: readonly (readonly [query: string, value: unknown, empty: unknown])[] = [
  ['', reference(201), ''],
  [`${FLAT}&`, id(201), ''],
  ['sysparm_display_value=true&', { display_value: name, link: reference(201).link }, ''],
  [`sysparm_display_value=true&${FLAT}&`, name, ''],
  ['sysparm_display_value=all&', { display_value: name, ...reference(201) }, { display_value: '', value: '' }],
  [`sysparm_display_value=all&${FLAT}&`, { display_value: name, value: id(201) }, { display_value: '', value: '' }],
]
const references = forms.flatMap(([query, value, empty]): readonly Scenario[] => [
  {
    name: `a reference, and an empty one: ${query || 'by default'}`,
    as: 'worker',
    send: `GET /api/now/table/probe?${query}sysparm_query=titleISEMPTY^ORtitle=first^ORDERBYDESCtitle&sysparm_fields=c_reference`,
    status: 200,
    response: result({ c_reference: empty }, { c_reference: value }),
  },
  {
    name: `behind a reference: ${query || 'by default'}`,
    as: 'worker',
    send: `GET /api/now/table/task?${query}sysparm_query=numberININC0000001,INC0000003^ORDERBYnumber&sysparm_fields=business_service.owner,assigned_to.manager`,
    status: 200,
    response: result(...[1, 2].map(() => ({ 'business_service.owner': value, 'assigned_to.manager': empty }))),
  },
])

describeScenarios('values and display values of every type (issue 15, section 5)', types, stage)
describeScenarios('forms of references (issue 15, section 5)', references, stage)
