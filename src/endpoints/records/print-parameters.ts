import { LastResults } from '../../kernel/last-results.ts'

/** By the map of the parameters: equal query strings give the same one (http/request/known-queries.ts). */
const printed = new LastResults<ReadonlyMap<string, string>, string>()

const NONE: ReadonlySet<string> = new Set()

/** Parameters as a query string, for addresses of other pages. @param without names that are left out; the same set each time */
export const printParameters = (parameters: ReadonlyMap<string, string>, without: ReadonlySet<string> = NONE): string =>
  printed.get(parameters, [without], () =>
    String(new URLSearchParams([...parameters].filter(([name]) => !without.has(name)))),
  )
