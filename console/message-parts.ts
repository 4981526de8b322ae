/** Messages with these prefixes are said only by pages that load on demand: form, search, settings, API, administration. Lists load without them. */
export const pagePrefixes = [
  'access',
  'activity',
  'api',
  'approval',
  'check',
  'copy',
  'delete',
  'denials',
  'files',
  'form',
  'grant',
  'health',
  'jobs',
  'leave',
  'me',
  'reference',
  'related',
  'required',
  'rich',
  'search',
  'suggested',
  'tabs',
  'versions',
  'viewers',
] as const

/** Only dialogs of lists and of the frame, and the text of a query, say these. */
export const dialogPrefixes = [
  'bulk',
  'columns',
  'complete',
  'filterGroup',
  'forAll',
  'import',
  'keys',
  'palette',
  'paste',
  'recent',
  'savedFilter',
  'selected',
  'sentence',
  'span',
  'type',
] as const

/** Only the sign-in page says these. */
export const signInPrefixes = ['demo'] as const

const prefixOf = (key: string): string => key.slice(0, key.indexOf('.'))
const isOneOf =
  (prefixes: readonly string[]) =>
  (key: string): boolean =>
    prefixes.includes(prefixOf(key))

/** Which messages a part has (src/messages/i18n.ts). */
export const messageParts: Readonly<Record<string, (key: string) => boolean>> = {
  'sign-in': isOneOf(['action', 'signIn', 'state', ...signInPrefixes]),
  lists: (key) => !isOneOf([...pagePrefixes, ...dialogPrefixes, ...signInPrefixes])(key),
  dialogs: isOneOf(dialogPrefixes),
  pages: isOneOf(pagePrefixes),
}
