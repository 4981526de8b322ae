/**
 * Whether a list of entity tags, as in `If-Match` and `If-None-Match`, contains this one or is `*` (RFC 9110, 8.8.3).
 *
 * @param tag as in the header ETag; strong
 * @param comparison `strong`: weak tags in the list match nothing
 */
export function namesTag(header: string, tag: string, comparison: 'strong' | 'weak'): boolean {
  if (header.trim() === '*') return true
  // Tags hold commas: the list is read tag by tag.
  for (const [whole] of header.matchAll(/(?:W\/)?"[^"]*"/g)) {
    if (whole === tag || (comparison === 'weak' && whole === `W/${tag}`)) return true
  }
  return false
}
