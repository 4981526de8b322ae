import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { dialogPrefixes, pagePrefixes } from '../../console/message-parts.ts'
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

/** Keys of the messages of pages, as sources name them. */
const ofPages = new RegExp(`['"\`](${pagePrefixes.join('|')})\\.\\w`, 'g')
const ofDialogs = new RegExp(`['"\`](${dialogPrefixes.join('|')})\\.\\w`)

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

  test('what only pages say is said by no list, frame or home: these load without it', () => {
    const source = fileURLToPath(new URL('../../console/src', import.meta.url))
    const isOfPages = /^(access|api|form|me|messages|search)\//
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))
    const used = files
      .filter((name) => !isOfPages.test(name))
      .flatMap((name) => readFileSync(`${source}/${name}`, 'utf8').match(ofPages) ?? [])
    expect(used).toEqual([])
    expect(readFileSync(`${source}/form/activity.tsx`, 'utf8').match(ofPages)).not.toBe(null)
  })

  test('what only dialogs of lists say is said by files that load with them', () => {
    const folder = fileURLToPath(new URL('../../console/src/', import.meta.url))
    const saying = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('messages/'))
      .filter((name) => ofDialogs.test(readFileSync(folder + name, 'utf8')))
    expect(saying.length).toBeGreaterThan(2)
    expect(
      saying.filter(
        (name) =>
          !/^list\/(bulk-|columns-for-all|complete-query|import-|paste-|query-text|recent-menu|save-columns)/.test(
            name,
          ),
      ),
    ).toEqual([])
  })

  test('a Russian message has no English words, but for abbreviations', () => {
    const isEnglish = (text: string): boolean => /[a-z]{2,}/.test(text) && !/[А-Яа-яЁё]/.test(text)
    const literal = (tokens: readonly Token[]): string => tokens.filter((token) => typeof token === 'string').join(' ')
    expect(keys.filter((key) => isEnglish(literal(compileMessage(ru[key]))))).toEqual([])
  })
})
