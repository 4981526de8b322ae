/** JSON.stringify writes both as escapes; a backslash of the text itself stands doubled before them. */
const UNSTORABLE = /(?:^|[^\\])(?:\\\\)*\\u(?:0000|d[89a-f])/

/** As deep as a body may be. PostgreSQL follows nesting by recursion and gives up at some depth of its own. */
const MAX_DEPTH = 100

/** The value's JSON text; null when jsonb cannot hold it: U+0000 or half a surrogate pair in a text, or nested too deep. */
export function storableJson(value: unknown): string | null {
  if (isDeeperThan(value, MAX_DEPTH)) return null
  const text = JSON.stringify(value)
  return UNSTORABLE.test(text) ? null : text
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1))
}
