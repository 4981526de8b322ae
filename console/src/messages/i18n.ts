import { i18n } from '@lingui/core'
import type { en } from './en.ts'

export type MessageKey = keyof typeof en
export type Language = 'en' | 'ru'

const loaders = {
  en: async () => (await import('./en.ts')).en,
  ru: async () => (await import('./ru.ts')).ru,
}

/** The language of the browser; of a signed-in user, the user's. */
export const browserLanguage = (): Language => (navigator.language.toLowerCase().startsWith('ru') ? 'ru' : 'en')

export async function loadLanguage(language: Language): Promise<void> {
  if (i18n.locale === language) return
  i18n.load(language, await loaders[language]())
  i18n.activate(language)
  document.documentElement.lang = language
}

export const t = (key: MessageKey, values?: Readonly<Record<string, unknown>>): string =>
  i18n._(key, values === undefined ? undefined : { ...values })

export const currentLanguage = (): Language => (i18n.locale === 'ru' ? 'ru' : 'en')
