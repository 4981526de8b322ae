export type Language = 'en' | 'ru'
export type InBoth<T> = { readonly [language in Language]: T }
