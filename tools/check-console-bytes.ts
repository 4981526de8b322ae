/**
 * Checks the budgets of the console in bytes (docs/console.md), compressed by gzip as they are sent: what the first list, the sign-in page and each part
 * that is loaded on demand need. Builds the console first if its sources have changed.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { distFolder } from '../src/config/console-build.ts'

execFileSync(process.execPath, [fileURLToPath(new URL('build-console.ts', import.meta.url))], { stdio: 'inherit' })
const folder = join(distFolder, 'assets')
const names = readdirSync(folder)
const page = readFileSync(join(distFolder, 'index.html'), 'utf8')

const bytesOf = (name: string): number => readFileSync(join(folder, `${name}.gz`)).length
const total = (files: Iterable<string>): number => [...files].reduce((sum, name) => sum + bytesOf(name), 0)
const scripts = names.filter((name) => name.endsWith('.js'))
const styles = names.filter((name) => name.endsWith('.css'))

/** The script of a module and all that it imports at once. */
function closureOf(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found
  found.add(name)
  const text = readFileSync(join(folder, name), 'utf8')
  for (const [, imported = ''] of text.matchAll(/(?:^|[;}])(?:import|export)\b[^;"'`()]*?["'`]\.\/([\w.-]+\.js)["'`]/g))
    closureOf(imported, found)
  return found
}

/** The script that a part of the console begins with. Of several with this name, the largest. */
function partNamed(name: string): string {
  const found = scripts.filter((each) => new RegExp(`^${name}-[\\w-]{8}\\.js$`).test(each))
  const [first] = found.sort((one, other) => bytesOf(other) - bytesOf(one))
  if (first === undefined) throw new Error(`the build has no part ${name}`)
  return first
}
const union = (...sets: readonly Iterable<string>[]): ReadonlySet<string> => new Set(sets.flatMap((set) => [...set]))
const without = (files: ReadonlySet<string>, loaded: ReadonlySet<string>): readonly string[] =>
  [...files].filter((name) => !loaded.has(name))

// The last script of the page is the one that begins; the others are parts of it.
const entry = [...page.matchAll(/<script type="module"[^>]* src="\.\/assets\/([^"]+)"/g)].at(-1)?.[1] ?? ''
const start = closureOf(entry)
const messages = scripts.filter((name) => /^(en|ru)-/.test(name))
const isOfSignIn = (name: string): boolean => readFileSync(join(folder, name), 'utf8').includes('signIn.again')
/** Messages that the page has when it begins: those of the sign-in page, then those of lists, which have them, too (console/message-parts.ts). */
const firstMessages = (language: string): readonly string[] => {
  const found = messages.filter((name) => name.startsWith(language) && isOfSignIn(name))
  if (found.length !== 2) throw new Error(`the build has ${found.length} parts of ${language} for sign-in and lists`)
  return found.sort((one, other) => bytesOf(one) - bytesOf(other))
}
/** The longer one of the two languages counts. */
const longest = (...names: readonly string[]): string =>
  [...names].sort((one, other) => bytesOf(other) - bytesOf(one))[0] ?? ''
const [[enSignIn = '', enLists = ''], [ruSignIn = '', ruLists = '']] = [firstMessages('en'), firstMessages('ru')]
const signIn = union(start, [longest(enSignIn, ruSignIn)])
const [, app = ''] = /import\([`"']\.\/(app-[\w-]{8}\.js)[`"']\)/.exec(readFileSync(join(folder, entry), 'utf8')) ?? []
const firstList = union(start, closureOf(app), [longest(enLists, ruLists), partNamed('painted-list')])

const form = closureOf(partNamed('form-page'))

const rows: readonly (readonly [what: string, bytes: number, budget: number])[] = [
  ['JavaScript of the sign-in page', total(signIn), 90_000],
  ['JavaScript of the first list', total(firstList), 220_000],
  ['CSS of all pages', total(styles), 25_000],
  // Started once for all tabs, when the first list is there.
  ['worker of the event stream', bytesOf(partNamed('event-worker')), 10_000],
  ['form, on demand', total(without(form, firstList)), 60_000],
  [
    'editor of rich text, on demand',
    total(without(closureOf(partNamed('rich-text-editor')), union(firstList, form))),
    75_000,
  ],
  ['API page, on demand', total(without(closureOf(partNamed('api-page')), firstList)), 60_000],
]
for (const [what, bytes, budget] of rows) {
  const line = `${what}: ${bytes} bytes of ${budget}`
  if (bytes <= budget) console.log(line)
  else {
    console.error(`${line}: too large`)
    process.exitCode = 1
  }
}
