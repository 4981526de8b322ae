import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { declaredNames, replacedIn } from '../tools/terms.ts'

/**
 * Modules in which no name of a function, variable, type, member or file has a replaced word. Every module joins; none leaves.
 */
const CLEAN = [
  'acl',
  'adopt',
  'attachments',
  'backup',
  'bulk',
  'cli',
  'column-types',
  'condition',
  'config',
  'demo',
  'doctor',
  'identity',
  'start',
  'telemetry',
]

/** Names that stay, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'src/cli/documents/load-command.ts refused':
    'The summary of `docket documents load` prints it, and scripts read that.',
  'src/attachments/attachment-deps.ts onTrouble': 'A member of `FileReader` in documents/, which is not clean yet.',
  'src/attachments/open-attachments.ts onTrouble': 'A member of `FileReader` in documents/, which is not clean yet.',
  'src/doctor/checks/search-index.ts onTrouble': 'An option of documents/sync, which is not clean yet.',
}

const found = globSync('src/**/*.ts').flatMap((file) => {
  const names = [...declaredNames(readFileSync(file, 'utf8')), basename(file, '.ts')]
  return names.flatMap((name) => replacedIn(name).map((better) => ({ file, name: `${file} ${name}`, better })))
})
const moduleOf = (file: string): string => file.split('/')[1] ?? ''

test('no name in a clean module has a replaced word (issue 9, step 9)', () => {
  const wrong = found.filter(({ file, name }) => CLEAN.includes(moduleOf(file)) && EXCEPTIONS[name] === undefined)
  expect(wrong.map(({ name, better }) => `${name}: ${better}`)).toEqual([])
})

test('every module that became clean is listed, and every exception is still needed', () => {
  const unclean = new Set(found.filter(({ name }) => EXCEPTIONS[name] === undefined).map(({ file }) => moduleOf(file)))
  const modules = new Set(globSync('src/*/**/*.ts').map(moduleOf))
  expect([...modules].filter((module) => !unclean.has(module)).sort()).toEqual(CLEAN)
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
