/**
 * Whether an Accept header allows this media type in the response. Without the header, every type is accepted.
 *
 * @param type such as `application/json`
 */
export function accepts(header: string | undefined, type: string): boolean {
  if (header === undefined || header === '*/*' || header === type || header.trim() === '') return true
  const [kind] = type.split('/')
  // The most specific entry decides: `application/json;q=0, */*` accepts everything but JSON.
  const ranges = [type, `${kind}/*`, '*/*']
  const entries = header.toLowerCase().split(',').map(readEntry)
  for (const range of ranges) {
    const entry = entries.find(({ media }) => media === range)
    if (entry !== undefined) return entry.isWelcome
  }
  return false
}

/** Whether the caller prefers JSON to a page: browsers request a page, programs JSON. */
export function prefersJson(header: string | undefined): boolean {
  const json = header?.indexOf('application/json') ?? -1
  const html = header?.indexOf('text/html') ?? -1
  return json !== -1 && (html === -1 || json < html) && accepts(header, 'application/json')
}

function readEntry(entry: string): { readonly media: string; readonly isWelcome: boolean } {
  const [media = '', ...parameters] = entry.split(';').map((part) => part.trim())
  return { media, isWelcome: !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) }
}

/** Whether a browser requests something to display: its Accept names HTML, and not after JSON. */
export function prefersPage(header: string | undefined): boolean {
  return header?.includes('text/html') === true && !prefersJson(header)
}
