/** Messages with these prefixes are said only by pages that load on demand: form, search, settings, API. Lists load without them. */
export const pagePrefixes = [
  'activity',
  'approval',
  'files',
  'leave',
  'me',
  'reference',
  'related',
  'required',
  'rich',
  'search',
  'tabs',
  'versions',
  'viewers',
] as const

/** Only dialogs of lists, and the text of a query, say these. */
export const dialogPrefixes = ['bulk', 'complete', 'forAll', 'import', 'paste', 'recent'] as const

const prefixOf = (key: string): string => key.slice(0, key.indexOf('.'))
const isOfPages = (key: string): boolean => pagePrefixes.some((each) => each === prefixOf(key))
const isOfDialogs = (key: string): boolean => dialogPrefixes.some((each) => each === prefixOf(key))

/** Which messages a part has (src/messages/i18n.ts). */
export const messageParts: Readonly<Record<string, (key: string) => boolean>> = {
  'sign-in': (key) => ['action', 'signIn', 'state'].includes(prefixOf(key)),
  lists: (key) => !isOfPages(key) && !isOfDialogs(key),
  dialogs: isOfDialogs,
  pages: isOfPages,
}
