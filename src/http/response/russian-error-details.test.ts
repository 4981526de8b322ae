import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAst } from 'vitest/node'
import { COLUMN_TYPES } from '../../column-types/column-types.ts'
import { inRussian, placeInRussian } from './russian-error-details.ts'

const source = new URL('../../', import.meta.url).pathname
/** All code that responds to users. */
const folders = [
  'records',
  'column-types',
  'condition',
  'bulk',
  'catalog',
  'attachments',
  'documents',
  'extraction',
  'follow',
  'http/request',
  'http/endpoint',
  'endpoints/records',
  'endpoints/changes',
  'endpoints/bulk',
  'endpoints/attachments',
  'endpoints/access',
  'endpoints/documents',
  'endpoints/meta',
  'endpoints/server',
  'identity',
  'acl',
  'doctor',
]

/** Files whose sentences reach no user as an error, or do so in both languages already. */
const otherFiles =
  /^doctor\/(disk-space|faults)|^endpoints\/(access\/(login|session)-|records\/\w+-schemas|server\/limits-endpoint|documents\/(load-limits|search-warnings))|\.test\.ts$|^records\/(slow\/|changes\/(visible|watch)-changes)|^documents\/(evaluate|store\/s3)|^follow\/(reconcile|select|sync)-/

/** Sentences that are no detail of a problem, each with its reason. */
const noDetails: readonly (readonly [RegExp, string])[] = [
  [/^(NOT (IN|LIKE)|DOES NOT CONTAIN)$/, 'operators, as they are written'],
  [
    /^\(?\s*select |^update docket_system\.|^(array|coalesce)?\(+(select|extract|u|e)\b|^caller\.\w+ is not null|^⟨⟩ select count from texts$|^from (docket_system|log, reached)|^repeatable read$|^timestamp with|^double precision$|^character varying$/,
    'words of PostgreSQL',
  ],
  [/^yyyy-MM-dd HH:mm:ss$/, 'a form of dates'],
  [/^(one year ago|One year ago)$/, 'labels of the query language'],
  [/^taken back$|^is not present$/, 'words for the program itself'],
  [/successfully deleted\.$|^The key was revoked\.$|^The dictionary was read again\.$/, 'success, in both languages'],
  [
    /^to ⟨⟩$|^a quote is opened and not closed, or $|^⟨⟩a row is longer|^a byte of its name that is not$/,
    'beginnings; the whole is translated',
  ],
  [
    /^exact count$|^reset caches$|^all roles$|^no roles$|^oauth client $|^user ⟨⟩$|^of this file$/,
    'of another address, or part of a sentence',
  ],
  [
    /^(cannot be used: ⟨⟩|is not a column of ⟨⟩|has no text \(⟨⟩\)|leads to (records|many)|is of another record)/,
    'ends; the whole is translated',
  ],
  [/^\s*(\n|concat_ws|from docket)/, 'words of PostgreSQL'],
  [
    /^(html head|address article|h1 h2|fonttbl|p para|area base|a b big|script style) |^text\/html, |^(PowerPoint Document|yyyy-mm-dd h:mm)$|Reference ⟨⟩$|^Comment \(/,
    'words of files, and of what is read of them',
  ],
  [
    /^(followed collection|API key|active user)$|^A page sends it when |^Keys of the documents that |^(The OpenAPI document|With credentials it has the tables that the caller may read\.|`now`: the document .*)$|^Name of the collection, |^The metadata object\.$/,
    'a thing by its name; descriptions of the API',
  ],
  [/^the (file store|object store|object) /, 'for the log'],
  [
    /^(data directory|demo users|adopted tables|access rules|files of (documents|records)|file stores|search index)$/,
    'names of checks',
  ],
  [/^docket (doctor|documents (reindex|verify --remove-orphans))$|^docket demo remove$/, 'commands'],
  [
    /^(the (environment|database)|this machine and PostgreSQL|DOCKET_DATABASE_URL, or else .*|PostgreSQL process ⟨⟩ \(⟨⟩\)|⟨⟩ \(job ⟨⟩, .*|filter ⟨⟩ of .*|followed collection ⟨⟩|state model of ⟨⟩|chunks of number ⟨⟩|number ⟨⟩|(⟨⟩\.)?⟨⟩ is (gone|new)|⟨⟩ of ⟨⟩|⟨⟩: read-only or not|the schema ⟨⟩ is gone|⟨⟩ file stores|⟨⟩ \(sys_security_acl ⟨⟩\)|⟨⟩ \(sys_webhook ⟨⟩\)|⟨⟩ and ⟨⟩ more| and ⟨⟩ more)$/,
    'places of findings, which DOCTOR_PLACES has',
  ],
  [/^no such role $/, 'the beginning of a name in the dictionary'],
  [/^the log of changes does not reach|^changes since this id/, 'a reason in a stream of events, for programs'],
]

interface Node {
  readonly type: string
  readonly start: number
  readonly [member: string]: unknown
}

/** The texts of a program, with ⟨⟩ for computed parts; without SQL (tagged templates) and thrown errors. */
function* textsOf(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return
  if (Array.isArray(node)) {
    for (const member of node) yield* textsOf(member)
    return
  }
  const { type, ...members } = node as Node
  if (type === 'ImportDeclaration') return
  if (type === 'NewExpression' && String((members['callee'] as Node)['name']).endsWith('Error')) return
  // A limit of an operation is listed by GET /limits; no error has its name.
  if (type === 'ObjectExpression' && namesOf(members['properties']) === 'name value unit status') return
  if (type === 'TaggedTemplateExpression') {
    yield* textsOf((members['quasi'] as Node)['expressions'])
    return
  }
  // A number with a sentence in the singular and in the plural.
  if (type === 'CallExpression' && (members['callee'] as Node)['name'] === 'countOf') {
    for (const argument of members['arguments'] as readonly Node[]) {
      const counted = textOf(argument)
      if (counted !== null) yield `⟨⟩ ${counted}`
      yield* textsOf(argument['expressions'])
    }
    return
  }
  const text = textOf(node as Node)
  if (text !== null) yield text
  for (const [name, member] of Object.entries(members)) {
    // The parts of a sum are parts of its text.
    if (text === null || type !== 'BinaryExpression' || typeof (member as Node | null)?.type !== 'string')
      yield* textsOf(member)
    else if (name === 'left' || name === 'right') yield* textsOf((member as Node)['expressions'])
  }
}

const namesOf = (properties: unknown): string =>
  (properties as readonly Node[]).map((each) => (each['key'] as { readonly name?: string } | undefined)?.name).join(' ')

function textOf(node: Node): string | null {
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value']
  if (node.type === 'TemplateLiteral')
    return (node['quasis'] as { readonly value: { readonly cooked: string } }[])
      .map(({ value }) => value.cooked)
      .join('⟨⟩')
  if (node.type !== 'BinaryExpression' || node['operator'] !== '+') return null
  const [left, right] = [textOf(node['left'] as Node), textOf(node['right'] as Node)]
  return left === null || right === null ? null : left + right
}

const isSentence = (text: string): boolean => /[a-z]{2,},? [a-z(⟨]/i.test(text) && !/[а-я]/i.test(text)

const details = folders
  .flatMap((folder) =>
    readdirSync(join(source, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((name) => name.endsWith('.ts') && !otherFiles.test(name))
  .flatMap((name) => [...textsOf(parseAst(readFileSync(join(source, name), 'utf8'), { lang: 'ts' }).body)])
  .filter(isSentence)
/** Texts of the OpenAPI document, which declarations hold. */
function* leavesOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) yield* leavesOf(member)
}
/** Titles of column types and notes on them describe the API, as declarations do. */
const descriptions = new Set([
  ...Object.values(COLUMN_TYPES).flatMap(({ title, schema }) => [title, schema.note]),
  ...leavesOf(JSON.parse(readFileSync(join(source, '../docs/openapi.json'), 'utf8'))),
])
const stated = [...new Set(details)].filter(
  (text) => !descriptions.has(text) && !noDetails.some(([pattern]) => pattern.test(text)),
)

/** Two English words in a row that are not translated; names and values of the query language may be in quotes or after @. */
const leftover = /(?<![@"'/(\w.])\b[a-z]{3,} [a-z]{2,}\b/

const commands =
  /timedatectl set-ntp true|docket (adopt|demo remove|documents load|doctor|start|backup|restore)|select [\w.]+\(|run_as|"job failed"/g

test('every detail of both services has Russian words (issue 8, B13)', () => {
  expect(stated.length).toBeGreaterThan(250)
  const missing = stated.filter((text) => {
    const russian = inRussian(text.replaceAll('⟨⟩', '7'))
    return !/[а-яё]/i.test(russian) || leftover.test(russian.replaceAll(commands, ''))
  })
  expect(missing).toEqual([])
})

test('names and values keep their letters, and a detail in a detail is translated', () => {
  expect(inRussian('Expected true or false, found "the end".')).toBe('ожидается: true или false; получено: "the end"')
  expect(inRussian('find: user_name: Expected a whole number, found "x".')).toBe(
    'find: user_name: ожидается: целое число; получено: "x"',
  )
})

test('a detail with its place is translated whole, also if it says which names are near (issue 14)', () => {
  expect(inRussian('there is no column stat in task; did you mean state? (at 0).')).toBe(
    'в таблице task нет столбца stat; возможно, имелось в виду: state (позиция 0)',
  )
  expect(inRussian('JOIN and RLQUERY are for queries, not for stored conditions (at 7)')).toBe(
    'JOIN и RLQUERY допустимы в запросах, но не в хранимых условиях (позиция 7)',
  )
})

test('a detail of any length is translated or left, in time that is linear', () => {
  const long = `Expected ${', found '.repeat(100_000)}.`
  expect(inRussian(long)).toBe(long)
})

test('why a table cannot be adopted any more has Russian words, with the names in them', () => {
  const fault = 'adopted-table-drifted'
  const reasons = [
    'the role of Docket may not read it (grant select)',
    'it is a foreign table',
    'other tables inherit from it, and their rows may have the same keys',
    'it has no primary key',
    'it is a view; name the column that tells its rows apart: --key orders=COLUMN',
    'it has no column code',
    'the name of its key, "a.b", is none that is served',
    'its key code is of type character varying(9), which is not served',
    'its key code is of type ext.mood, which an extension brings and is not served as a key',
    'it has a column sys_id that is not its key',
  ]
  expect(reasons.map((why) => placeInRussian(fault, `orders: ${why}`))).toEqual([
    'orders: роль Docket не может её читать (grant select)',
    'orders: это внешняя таблица',
    'orders: от неё наследуют другие таблицы, и ключи их строк могут совпадать',
    'orders: нет первичного ключа',
    'orders: это представление; назовите столбец, который различает его строки: --key orders=COLUMN',
    'orders: нет столбца code',
    'orders: ключ с именем "a.b" не поддерживается',
    'orders: тип character varying(9) ключа code не поддерживается',
    'orders: тип ext.mood ключа code из расширения, и ключом он не поддерживается',
    'orders: столбец sys_id не является её ключом',
  ])
})
