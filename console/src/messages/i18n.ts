import { i18n } from '@lingui/core'
import { loadPart } from '../load-part.ts'
import { isolated } from './isolate.ts'
import type { MessageKey, Translate } from './keys.ts'

export type { MessageKey }
export type Language = 'en' | 'ru'

/** `pages`: what only pages beside home and lists say. `dialogs`: what only dialogs of lists say. `lists`: all other messages. */
type Part = 'sign-in' | 'lists' | 'dialogs' | 'pages'

const loaders = {
  'en sign-in': async () => (await import('./en.ts?sign-in')).en,
  'ru sign-in': async () => (await import('./ru.ts?sign-in')).ru,
  'en lists': async () => (await import('./en.ts?lists')).en,
  'ru lists': async () => (await import('./ru.ts?lists')).ru,
  'en dialogs': async () => (await import('./en.ts?dialogs')).en,
  'ru dialogs': async () => (await import('./ru.ts?dialogs')).ru,
  'en pages': async () => (await import('./en.ts?pages')).en,
  'ru pages': async () => (await import('./ru.ts?pages')).ru,
}
const loaded = new Set<string>()

/** The browser's language; replaced by the user's language after sign-in. */
export const browserLanguage = (): Language => (navigator.language.toLowerCase().startsWith('ru') ? 'ru' : 'en')

/** Loads the messages into the browser's cache before they are needed. */
export const fetchMessages = (language: Language): Promise<unknown> => loaders[`${language} lists`]()

/** @param part the sign-in page needs only a few messages */
export async function loadLanguage(language: Language, part: Part = 'lists'): Promise<void> {
  const key = `${language} ${part}` as const
  if (!loaded.has(key)) i18n.load(language, await loadPart(loaders[key]))
  loaded.add(key)
  i18n.activate(language)
  if (!import.meta.env.SSR) document.documentElement.lang = language
}

/** What is loaded on demand, and its messages in the language of the user. */
export const withMessages = async <T>(loading: Promise<T>, part: 'pages' | 'dialogs' = 'pages'): Promise<T> =>
  (await Promise.all([loading, loadLanguage(currentLanguage(), part)]))[0]

export const t: Translate = (key, values) => i18n._(key, values === undefined ? undefined : isolatedValues(values))

const isolatedValues = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? isolated(value) : value]),
  )

export const currentLanguage = (): Language => (i18n.locale === 'ru' ? 'ru' : 'en')
