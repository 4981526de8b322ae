const longestTitleUnits = 200

/**
 * The title of a plain text: its first line, if it stands alone above a longer text. Many clients that load texts put
 * the title only there.
 */
export function titleOfText(text: string): string | null {
  const found = /^\s*([^\n]+)\n[^\S\n]*\n/.exec(text)
  const title = found?.[1]?.trim() ?? ''
  const rest = text.slice(found?.[0].length ?? 0).trim()
  return title !== '' && title.length <= longestTitleUnits && rest.length > title.length ? title : null
}
