import type { SearchWarning } from '../../documents/rank/rank-hybrid.ts'
import type { Principal } from '../../identity/principal.ts'

type Language = Principal['language']
type WarningCause = Extract<SearchWarning, { readonly error: unknown }>['error']

const addresses = {
  'embeddings-failed': { en: 'The embeddings address', ru: 'Адрес эмбеддингов' },
  'reranker-failed': { en: 'The reranking address', ru: 'Адрес переранжирования' },
} as const

const errors: Readonly<Record<WarningCause, Readonly<Record<Language, string>>>> = {
  unreachable: { en: 'cannot be reached', ru: 'недоступен' },
  'too-slow': { en: 'did not respond in time', ru: 'не ответил вовремя' },
  refused: { en: 'rejected the request', ru: 'отклонил запрос' },
  failed: { en: 'responded with an error', ru: 'ответил ошибкой' },
  'wrong-response': { en: 'gave an unusable response', ru: 'дал непригодный ответ' },
}

const consequences = {
  'embeddings-failed': { en: 'the search is by words only', ru: 'поиск выполнен только по словам' },
  'reranker-failed': { en: 'the order is that of the search', ru: 'сохранён порядок поиска' },
} as const

const others = {
  'embeddings-not-configured': {
    en: 'No embeddings address is configured: the search is by words only.',
    ru: 'Адрес эмбеддингов не настроен: поиск выполнен только по словам.',
  },
  'vector-needed': {
    en: 'Callers give the vectors of some collections: without `vector` these are searched by words only.',
    ru: 'Векторы некоторых коллекций задают вызывающие: без `vector` поиск в них выполнен только по словам.',
  },
  'vector-lengths': {
    en: 'Some collections have vectors of another length: these are searched by words only.',
    ru: 'Векторы некоторых коллекций имеют другую длину: поиск в них выполнен только по словам.',
  },
  'index-behind': {
    en: 'The search index of this server is behind: what was loaded a moment ago is not found yet.',
    ru: 'Поисковый индекс этого сервера отстаёт: загруженное только что ещё не находится.',
  },
  'vectors-behind': {
    en: 'This server does not have all vectors at the moment: the search of some collections is by words only.',
    ru: 'У этого сервера сейчас есть не все векторы: поиск в некоторых коллекциях выполнен только по словам.',
  },
  'vectors-incomplete': {
    en: 'Vectors of some documents are still being made: until then these are found by their words only.',
    ru: 'Векторы некоторых документов ещё вычисляются: пока они находятся только по словам.',
  },
} as const

/** Describes what a response lacks; never contains an address. */
export function warningSentence(warning: SearchWarning, language: Language): string {
  if (!('error' in warning)) return others[warning.kind][language]
  const { kind, error } = warning
  return `${addresses[kind][language]} ${errors[error][language]}: ${consequences[kind][language]}.`
}
