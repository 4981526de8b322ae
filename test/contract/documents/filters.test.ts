import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DocumentStage, rejected, setDocumentStage } from './stage.ts'

let stage: DocumentStage
beforeAll(async () => {
  stage = await setDocumentStage()
  const documents = {
    a: {
      status: 'open',
      priority: 1,
      flag: true,
      created: '2024-01-31T10:00:00Z',
      tags: ['net', 'vpn'],
      note: 'Ёлка Printer',
    },
    b: { status: 'Open', level: '1', flag: false, created: '2024-02-01T00:00:00Z', tags: ['mail'], note: 'plotter' },
    c: { status: 'closed', priority: 3, tags: [], note: '' },
    d: { status: 'closed', priority: 10, flag: true, date: '2024-01-31', ratio: 0.5, mixed: [1, 'one', true, null] },
    'e.f': { 'dotted.key': 'x', priority: -2 },
  }
  for (const [doc_id, metadata] of Object.entries(documents))
    await stage.send('writer', 'POST /load_text_to_collection?collection_name=filters', {
      metadata: { doc_id, ...metadata },
      text: `The ibis of ${doc_id}.`,
    })
  await stage.sendFile(
    'writer',
    'collection_name=filters',
    { name: 'Дом ibis.html', bytes: '<p>Дом ибиса, the ibis</p>' },
    { doc_id: 'file' },
  )
})
afterAll(() => stage.close())

async function left(filter: string): Promise<readonly string[] | unknown> {
  const content = await stage.send('reader', 'POST /get_content_by_tag?collection_name=filters', { tag_info: filter })
  const search = await stage.send('reader', 'POST /get_relevant_documents?query=ibis&k=99', {
    collection_names: ['filters'],
    metadata: filter,
  })
  // Both endpoints have the same grammar.
  expect([filter, search.status]).toEqual([filter, content.status])
  if (content.status !== 200) {
    expect(search.body).toEqual(content.body)
    return { status: content.status, body: content.body }
  }
  const idsOf = ({ body }: typeof content) => (body as { data: { doc_id: string }[] }).data.map(({ doc_id }) => doc_id)
  expect([filter, idsOf(search).sort()]).toEqual([filter, idsOf(content).sort()])
  return idsOf(content)
}

const all = ['a', 'b', 'c', 'd', 'e.f', 'file']
test.each([
  ['', all],
  // equality, by the type of the stored value
  ['status=open', ['a', 'b']],
  ['status=OPEN', ['a', 'b']],
  // helpers, as in the record query
  ['loaded_at>javascript:gs.beginningOfYesterday()', all],
  ['loaded_at<javascript:gs.daysAgo(1)', []],
  ['created<javascript:gs.yearsAgo(1)', ['a', 'b']],
  ['priority=1', ['a']],
  ['level=1', ['b']],
  ['priority=01', ['a']],
  ['priority=1.0', ['a']],
  ['priority=-2', ['e.f']],
  ['ratio=0.5', ['d']],
  ['ratio=5e-1', ['d']],
  ['flag=true', ['a', 'd']],
  ['flag=TRUE', ['a', 'd']],
  ['flag=1', ['a', 'd']],
  ['flag=false', ['b']],
  ['created=2024-01-31T10:00:00Z', ['a']],
  ['created=2024-01-31T13:00:00+03:00', ['a']],
  ['created=2024-01-31 10:00:00', ['a']],
  ['date=2024-01-31T00:00:00Z', ['d']],
  ['tags=vpn', ['a']],
  ['tags=VPN', ['a']],
  ['mixed=one', ['d']],
  ['mixed=1', ['d']],
  ['absent=1', []],
  ['note=ёлка printer', ['a']],
  // a negation is true exactly if the comparison is false
  ['status!=open', ['c', 'd', 'e.f', 'file']],
  ['tags!=vpn', ['b', 'c', 'd', 'e.f', 'file']],
  ['absent!=1', all],
  // lists
  ['statusINopen,lost', ['a', 'b']],
  ['priorityIN1,3', ['a', 'c']],
  ['statusNOT INopen,closed', ['e.f', 'file']],
  ['tagsINnet,mail', ['a', 'b']],
  // texts
  ['noteLIKEPRINT', ['a']],
  ['noteLIKEлка', ['a']],
  ['noteSTARTSWITHplo', ['b']],
  ['noteENDSWITHter', ['a', 'b']],
  ['noteENDSWITHlotter', ['b']],
  ['noteLIKE%', []],
  ['priorityLIKE1', []],
  // order
  ['priority>1', ['c', 'd']],
  ['priority>=3', ['c', 'd']],
  ['priority<1', ['e.f']],
  ['priority<=1', ['a', 'e.f']],
  ['priorityBETWEEN1@3', ['a', 'c']],
  ['created>2024-01-31', ['a', 'b']],
  ['created<2024-02-01', ['a']],
  ['createdBETWEEN2024-01-01@2024-01-31T23:59:59Z', ['a']],
  ['note>m', ['a', 'b']],
  // presence
  ['noteISEMPTY', ['c', 'd', 'e.f', 'file']],
  ['noteISNOTEMPTY', ['a', 'b']],
  ['tagsISEMPTY', ['c', 'd', 'e.f', 'file']],
  ['absentISEMPTY', all],
  // members
  ['tagsHASvpn', ['a']],
  ['tagsHASnothing', []],
  // together
  ['status=open^flag=true', ['a']],
  ['status=open^ORpriority=3', ['a', 'b', 'c']],
  ['status=closed^priority=3^ORpriority=10', ['c', 'd']],
  ['status=open^NQpriority=10', ['a', 'b', 'd']],
  ['(status=open^ORstatus=closed)^priority>2', ['c', 'd']],
  ['status=closed^(flag=true^ORpriority=3)', ['c', 'd']],
  // keys that every document has
  ['doc_id=e.f', ['e.f']],
  ['doc_idIN a,b', ['b']],
  ['doc_idINa,b', ['a', 'b']],
  ['file_name=дом ibis.html', ['file']],
  ['file_nameISEMPTY', ['a', 'b', 'c', 'd', 'e.f']],
  ['media_type=text/html', ['file']],
  ['language=ru', ['file']],
  ['size>20', ['file']],
  ['loaded_at>2024-01-01', all],
  ['loaded_at<2024-01-01', []],
  ['dotted.key=x', ['e.f']],
  // part of a value: an unmatched closing bracket, and a doubled ^
  ['status=open)', []],
  ['status=open^^priority=1', []],
] as const)('%s', async (filter, expected) => {
  expect(await left(filter)).toEqual(expected)
})

const unreadable = (detail: string, position: number, field?: string) => ({
  status: 400,
  body: rejected('BAD_QUERY', `The query cannot be read at position ${position}: ${detail}.`, {
    ...(field === undefined ? {} : { field }),
    position,
  }),
})
const operators =
  '=, !=, IN, NOT IN, LIKE, NOT LIKE, STARTSWITH, NOTSTARTSWITH, ENDSWITH, <, >, <=, >=, BETWEEN, ISEMPTY, ISNOTEMPTY, HAS, HASNOT'

test.each([
  ['statusSAMEASpriority', unreadable(`SAMEAS cannot be used on metadata. It may be ${operators}`, 0, 'status')],
  ['createdONToday', unreadable(`ON cannot be used on metadata. It may be ${operators}`, 0, 'created')],
  ['status=open^ORDERBYpriority', unreadable('A filter has no order', 12)],
  [
    'created>javascript:gs.getMyGroups()',
    unreadable('javascript:gs.getMyGroups() stands for several values, which have no order', 0, 'created'),
  ],
])('%s is rejected with its place', async (filter, expected) => {
  expect(await left(filter)).toEqual(expected)
})

test.each([
  ['status', 6],
  ['(status=open', 12],
  ['=open', 0],
  ['priorityBETWEEN1', 0],
])('%s cannot be read: 400 with a position', async (filter, position) => {
  const { status, body } = (await left(filter)) as {
    status: number
    body: { errors: [{ code: string; position: number }] }
  }
  expect({ filter, status, code: body.errors[0].code, position: body.errors[0].position }).toEqual({
    filter,
    status: 400,
    code: 'BAD_QUERY',
    position,
  })
})
