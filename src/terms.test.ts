import { globSync, readFileSync } from 'node:fs'
import { parse } from 'node:path'
import { expect, test } from 'vitest'
import {
  declaredNames,
  declaredSqlNames,
  isReplaced,
  KEPT_WORDS,
  OLD_WORDS,
  replacedIn,
  replacedInProduct,
} from '../tools/terms.ts'

/** Names that stay, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'bench/search/judged-collections.ts JudgedCollection': 'People judge results of test queries.',
  'bench/search/judged-collections.ts judged-collections': 'People judge results of test queries.',
  'bench/search/judged-collections.ts readJudgedCollection': 'People judge results of test queries.',
  'console/src/table/table-info.ts lineage': 'A member of responses.',
  ...Object.fromEntries(
    [
      'refuse refuse',
      'refuse refusal',
      'note_change note_change',
      'note_number note_number',
      'settled_position settled_position',
    ]
      .map((name) => `migrations/functions/docket_system.${name.replace(' ', '.sql ')}`)
      .map((name) => [name, 'An earlier name, which processes of an earlier version call.']),
  ),
  'packages/client/src/document-writer.ts mended': 'A member of responses.',
  'packages/client/src/meta.ts lineage': 'A member of responses.',
  'src/cli/documents/load-command.ts refused':
    'The summary of `docket documents load` prints it, and scripts read that.',
  'src/demo/ticket-life.ts answer': 'People answer questions in tickets.',
  'src/documents/maintenance/index-checks.ts trouble':
    'A member of a report that processes of several versions exchange.',
  'src/documents/evaluate/read-judgements.ts JudgedQuery': 'People judge results of test queries.',
  'src/documents/store/loads.ts asked_at_ms': 'A column of the database.',
  'src/documents/store/loads.ts asked_by': 'A column of the database.',
  'src/records/run/map-database-error.ts least': 'A member of an error that a function of the database raises.',
  'src/search-engine/ranking/token-map.ts slot': 'A slot of a hash table.',
  'src/search-engine/ranking/token-map.ts slotOf': 'A slot of a hash table.',
  'src/search-engine/ranking/token-map.ts slots': 'The slots of a hash table.',
  'test/documents/search-quality.test.ts judged': 'People judge results of test queries.',
  'src/webhooks/resolve-public-address.ts family': 'The family of an address, as Node names it.',
}

const CHECKED = ['src', 'packages/client/src', 'console/src', 'test', 'bench', 'tools'].map(
  (folder) => `${folder}/**/*.{ts,tsx}`,
)

const files = globSync(CHECKED, { exclude: ['**/node_modules/**'] }).sort()

const sqlFiles = globSync('migrations/functions/*.sql').sort()

const found = [
  ...files.flatMap((file) => {
    const { name: ownName, dir, ext } = parse(file)
    const names = [...declaredNames(readFileSync(file, 'utf8'), ext === '.tsx'), ownName, ...dir.split('/')]
    return replacedAmong(names, file)
  }),
  ...sqlFiles.flatMap((file) => replacedAmong([...declaredSqlNames(readFileSync(file, 'utf8'))], file)),
]

function replacedAmong(names: readonly string[], file: string) {
  return names.flatMap((name) => replacedIn(name).map((better) => ({ name: `${file} ${name}`, better })))
}

test('no name has a replaced word (issue 9, step 9)', () => {
  const wrong = found.filter(({ name }) => EXCEPTIONS[name] === undefined)
  expect(wrong.map(({ name, better }) => `${name}: ${better}`)).toEqual([])
})

test('every word of the old vocabulary is replaced, or stays for a reason (issue 9, step 9)', () => {
  expect(OLD_WORDS.filter((word) => isReplaced(word) === (KEPT_WORDS[word] !== undefined))).toEqual([])
  expect(Object.keys(KEPT_WORDS).filter((word) => !OLD_WORDS.includes(word))).toEqual([])
})

test('only tests are called tests: the product compares', () => {
  const product = files.filter((file) => /^(src|packages|console)\//.test(file) && !/\.test\.tsx?$/.test(file))
  expect(product.length).toBeGreaterThan(1_000)
  const wrong = product.flatMap((file) =>
    [...declaredNames(readFileSync(file, 'utf8'), file.endsWith('.tsx'))].filter(
      (name) => replacedInProduct(name).length > 0,
    ),
  )
  expect(wrong).toEqual([])
  expect(replacedInProduct('planTest')).toEqual(['test → comparison, predicate'])
})

test('components of the console are checked, too', () => {
  expect(files.filter((file) => file.endsWith('.tsx')).length).toBeGreaterThan(60)
  const component = 'export const Told = ({ text: shown }: Props) => <p onClick={(asked) => open(asked)}>{shown}</p>'
  expect([...declaredNames(component, true)].sort()).toEqual(['Told', 'asked', 'shown'])
})

test('functions of PostgreSQL are checked, too', () => {
  expect(sqlFiles.length).toBeGreaterThan(80)
  const text = `-- Asked for nothing.
CREATE OR REPLACE FUNCTION docket_system.refuse(told jsonb, OUT most numeric(3, 1), room text DEFAULT 'a'::text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  shown bigint := least(1, 2);
  answer text;
begin
  for judge in select 1 loop
    with recursive family (slot) as (select 1 as walk), house as materialized (select 'trouble') select asked from family as holder;
  end loop;
end $function$;`
  expect([...declaredSqlNames(text)].filter((name) => replacedIn(name).length > 0).toSorted()).toEqual([
    'answer',
    'family',
    'holder',
    'house',
    'judge',
    'most',
    'refuse',
    'room',
    'shown',
    'told',
    'walk',
  ])
})

test('every exception is still needed', () => {
  expect(Object.keys(EXCEPTIONS).filter((name) => !found.some((each) => each.name === name))).toEqual([])
})

test('a replaced word is found in any spelling, and ordinary words are not', () => {
  const source = `
interface RecordRoom { readonly mostRows: number; at(least: number): void }
const askFor = ({ room: deps, other }: RecordRoom) => other('asked', deps.room)
class Said { #told = 1; catchUp() {} }
function refuseAll([shown]: string[], ...slots: string[]) {}
const atLeast = 1`
  const replaced = [...declaredNames(source)].filter((name) => replacedIn(name).length > 0)
  expect(replaced.sort()).toEqual([
    'RecordRoom',
    'Said',
    'askFor',
    'catchUp',
    'least',
    'mostRows',
    'refuseAll',
    'shown',
    'slots',
    'told',
  ])
  expect(replacedIn('on-the-wire')).toEqual(['on the wire → response'])
  expect(replacedIn('almost')).toEqual([])
})
