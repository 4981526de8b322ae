import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { dialogPrefixes, pagePrefixes, signInPrefixes } from '../../console/message-parts.ts'
import { en } from '../../console/src/messages/en.ts'
import { ru } from '../../console/src/messages/ru.ts'

type Token = string | readonly [name: string, format?: string, options?: unknown]

const { compileMessage } = createRequire(new URL('../../console/package.json', import.meta.url))(
  '@lingui/message-utils/compileMessage',
) as { compileMessage(text: string): readonly Token[] }

const isOptions = (options: unknown): options is Readonly<Record<string, unknown>> =>
  typeof options === 'object' && options !== null && !Array.isArray(options)

/** Names of the values, also of those within plural forms. */
function valuesOf(tokens: readonly Token[]): readonly string[] {
  const inner = (option: unknown): readonly string[] =>
    Array.isArray(option) ? valuesOf(option as readonly Token[]) : []
  const names = tokens.flatMap((token) => {
    if (typeof token === 'string' || token[0] === '#') return []
    return [token[0], ...(isOptions(token[2]) ? Object.values(token[2]).flatMap(inner) : [])]
  })
  return [...new Set(names)].sort()
}

const plurals = (tokens: readonly Token[]): readonly Readonly<Record<string, unknown>>[] =>
  tokens.flatMap((token) =>
    typeof token !== 'string' && token[1] === 'plural' && isOptions(token[2]) ? [token[2]] : [],
  )

const formsOf = (language: string): readonly string[] =>
  [...new Intl.PluralRules(language).resolvedOptions().pluralCategories].sort()

/** Keys of messages with these prefixes, as sources name them. The last part may be computed: `type.${kind}`. */
const keysOf = (prefixes: readonly string[]): RegExp =>
  new RegExp(`['"\`](?:${prefixes.join('|')})\\.\\w|\\bt\\(\`(?:${prefixes.join('|')})\\.\\$`, 'g')
const ofPages = keysOf(pagePrefixes)
const ofDialogs = keysOf(dialogPrefixes)
const ofSignIn = keysOf(signInPrefixes)

const folder = fileURLToPath(new URL('../../console/src/', import.meta.url))
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))
const textOf = (name: string): string => readFileSync(folder + name, 'utf8')
const says = (name: string, keys: RegExp): boolean => textOf(name).search(keys) >= 0

/** Files that load with this one. */
const importsOf = (name: string): readonly string[] =>
  [...textOf(name).matchAll(/^(?:import|export) (?!type\b)[^']*? from '(\.[^']+\.tsx?)'/gm)].map(([, path = '']) =>
    join(dirname(name), path),
  )

/** Files that this one loads on demand without the messages of dialogs. */
const withoutDialogs = (name: string): readonly string[] =>
  [...textOf(name).matchAll(/\bimport\('(\.[^']+\.tsx?)'\)(?!, 'dialogs'\))/g)].map(([, path = '']) =>
    join(dirname(name), path),
  )

const keys = Object.keys(en) as (keyof typeof en)[]

describe('messages of the console (issue 13)', () => {
  test('every message has the same values in both languages', () => {
    const values = (texts: typeof en | typeof ru) => keys.map((key) => [key, valuesOf(compileMessage(texts[key]))])
    expect(keys.length).toBeGreaterThan(400)
    expect(values(ru)).toEqual(values(en))
  })

  test('every plural has all the forms of its language', () => {
    let count = 0
    for (const [language, texts] of [
      ['en', en],
      ['ru', ru],
    ] as const) {
      for (const key of keys) {
        for (const options of plurals(compileMessage(texts[key]))) {
          count += 1
          const forms = Object.keys(options).filter((each) => each !== 'offset' && !/^\d+$/.test(each))
          expect({ language, key, forms: forms.sort() }).toEqual({ language, key, forms: formsOf(language) })
        }
      }
    }
    expect(count).toBeGreaterThan(20)
  })

  test('what only pages say is said by no list, frame or home, nor by what these import: they load without it', () => {
    const ofPage =
      /^(access|api|form|me|messages|search)\/|^home\/(admin-home|denials|health|jobs)\.|^ui\/(copy-text|granters)\./
    const eager = new Set<string>()
    const add = (name: string): void => {
      if (eager.has(name) || name.startsWith('messages/')) return
      eager.add(name)
      for (const imported of importsOf(name)) add(imported)
    }
    for (const name of sources.filter((each) => !ofPage.test(each))) add(name)
    expect(eager).toContain('form/texts.ts')
    expect(eager).not.toContain('form/form-page.tsx')
    expect([...eager].flatMap((name) => textOf(name).match(ofPages) ?? [])).toEqual([])
    expect(textOf('form/activity.tsx').match(ofPages)).not.toBe(null)
  })

  test('what only dialogs say is said by files that load with them', () => {
    const loaded = new Set<string>()
    const add = (name: string): void => {
      if (loaded.has(name) || name.startsWith('messages/')) return
      loaded.add(name)
      for (const imported of [...importsOf(name), ...withoutDialogs(name)]) add(imported)
    }
    for (const name of ['main.tsx', 'server/paint-list.tsx']) add(name)
    expect([...loaded]).toEqual(
      expect.arrayContaining(['list/list.tsx', 'form/form-page.tsx', 'list/column-chooser.tsx']),
    )
    expect([...loaded].filter((name) => says(name, ofDialogs))).toEqual([])
    const saying = sources.filter((name) => !name.startsWith('messages/') && says(name, ofDialogs))
    expect(saying).toEqual(expect.arrayContaining(['list/column-list.tsx', 'table/field-picker.tsx']))
  })

  test('what only the sign-in page says is said nowhere else', () => {
    const saying = sources.filter((name) => !name.startsWith('messages/') && says(name, ofSignIn))
    expect(saying).toEqual(['sign-in/sign-in-page.tsx'])
  })

  test('a Russian message has no English words, but for abbreviations', () => {
    const isEnglish = (text: string): boolean => /[a-z]{2,}/.test(text) && !/[А-Яа-яЁё]/.test(text)
    const literal = (tokens: readonly Token[]): string => tokens.filter((token) => typeof token === 'string').join(' ')
    expect(keys.filter((key) => isEnglish(literal(compileMessage(ru[key]))))).toEqual([])
  })
})
