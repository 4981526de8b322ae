/** Void elements, and elements that the next one of their kind closes: a sequence of them is not nesting. */
const NOT_NESTING: ReadonlySet<string> = new Set([
  ...['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'track', 'wbr'],
  ...['p', 'li', 'td', 'th', 'tr', 'dd', 'dt', 'option', 'optgroup', 'rp', 'rt', 'tbody', 'thead', 'tfoot'],
])

/** For each closing tag, parsers search the open tags, so deep nesting takes quadratic time. */
export const MAX_HTML_NESTING = 500

/** Whether more tags are open at one place than any editor makes; one pass over the text. */
export function isNestedTooDeeply(html: string): boolean {
  let depth = 0
  for (const [, slash, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9:-]*)/gi)) {
    if (NOT_NESTING.has(name.toLowerCase())) continue
    depth = slash === '' ? depth + 1 : Math.max(0, depth - 1)
    if (depth > MAX_HTML_NESTING) return true
  }
  return false
}
