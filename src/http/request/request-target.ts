/**
 * The request target as the router wants it: one slash where the caller wrote several, none at the end, no scheme and
 * host in front (proxies send the absolute form). The query string is left as it is.
 *
 * Nearly every target needs none of this and comes back as the same string.
 */
export function normalizeTarget(target: string): string {
  const mark = target.indexOf('?')
  const path = mark === -1 ? target : target.slice(0, mark)
  const tidied = path.startsWith('/') ? path : withoutOrigin(path)
  if (!tidied.includes('//') && (tidied.length < 2 || !tidied.endsWith('/'))) {
    return tidied === path ? target : tidied + target.slice(path.length)
  }
  return onceSlashed(tidied) + target.slice(path.length)
}

/** `http://host/path` → `/path`. */
function withoutOrigin(path: string): string {
  const origin = path.indexOf('://')
  if (origin === -1) return path
  const slash = path.indexOf('/', origin + 3)
  return slash === -1 ? '/' : path.slice(slash)
}

function onceSlashed(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '')
  return `/${segments.join('/')}`
}

/** What stands behind the first `?`; '' where there is none. */
export function queryOf(target: string): string {
  const mark = target.indexOf('?')
  return mark === -1 ? '' : target.slice(mark + 1)
}
