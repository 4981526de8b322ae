/**
 * Whether a list of entity tags, as `If-Match` and `If-None-Match` have it, names this one or anything at all (RFC 9110, 8.8.3).
 *
 * @param tag as the header ETag has it; strong
 * @param comparison `strong`: a tag that somebody sends as weak names nothing
 */
export function namesTag(header: string, tag: string, comparison: 'strong' | 'weak'): boolean {
  if (header.trim() === '*') return true
  // Tags hold commas: the list is read tag by tag.
  for (const [whole] of header.matchAll(/(?:W\/)?"[^"]*"/g)) {
    if (whole === tag || (comparison === 'weak' && whole === `W/${tag}`)) return true
  }
  return false
}
