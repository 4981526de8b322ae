/** A change of a record in the response of GET /rest/v1/history. */
export interface HistoryEntry {
  readonly change: string
  readonly operation: string
  readonly changed_at: string
  readonly changed_by: { readonly display_value: string | null } | null
  readonly changes: readonly {
    readonly column: string
    readonly title: string
    readonly old_value: unknown
    readonly new_value: unknown
    readonly old_display_value: string | null
    readonly new_display_value: string | null
  }[]
}

export interface Difference {
  readonly column: string
  readonly title: string
  readonly before: string
  readonly after: string
}

/**
 * Columns that differ between the version after the change at `from` and the version after the change at `to`. Columns that were changed
 * and changed back do not differ.
 *
 * @param entries newest first, as the server lists them
 * @param from index of the older version; `entries.length`: before the first change
 * @param to index of the newer version
 * @param textOf how a value is displayed
 */
export function differences(
  entries: readonly HistoryEntry[],
  [from, to]: readonly [from: number, to: number],
  textOf: (display: string | null, value: unknown, column: string) => string,
): readonly Difference[] {
  const between = entries.slice(to, from).toReversed()
  const first = new Map<string, HistoryEntry['changes'][number]>()
  const last = new Map<string, HistoryEntry['changes'][number]>()
  for (const { changes } of between) {
    for (const change of changes) {
      if (!first.has(change.column)) first.set(change.column, change)
      last.set(change.column, change)
    }
  }
  return [...first].flatMap(([column, oldest]): readonly Difference[] => {
    const newest = last.get(column) ?? oldest
    if (JSON.stringify(oldest.old_value) === JSON.stringify(newest.new_value)) return []
    const before = textOf(oldest.old_display_value, oldest.old_value, column)
    const after = textOf(newest.new_display_value, newest.new_value, column)
    return [{ column, title: newest.title, before, after }]
  })
}
