/**
 * The normalized request target: repeated slashes become one, no slash at the end, no scheme and host (proxies send the absolute form). The
 * query string is not changed.
 *
 * Nearly every target is normalized already and is returned as the same string.
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

/** The text after the first `?`; '' without one. */
export function queryOf(target: string): string {
  const mark = target.indexOf('?')
  return mark === -1 ? '' : target.slice(mark + 1)
}
