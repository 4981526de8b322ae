const longestTitleUnits = 200

/**
 * The title of a plain text: its first line, if it stands alone above a longer text. Many clients that load texts put
 * the title only there.
 */
export function titleOfText(text: string): string | null {
  // One expression for all of it would read a text of a million spaces a million times.
  const from = text.search(/\S/)
  const to = text.indexOf('\n', from)
  if (from < 0 || to < 0) return null
  const below = text.slice(to + 1)
  if (!/^[^\S\n]*\n/.test(below)) return null
  const title = text.slice(from, to).trim()
  return title.length <= longestTitleUnits && below.trim().length > title.length ? title : null
}
