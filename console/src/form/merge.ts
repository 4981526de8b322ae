/** Values of columns as texts, as they are edited. */
export type Texts = Readonly<Record<string, string>>

export interface Conflict {
  readonly column: string
  readonly opened: string
  readonly mine: string
  readonly theirs: string
}

export interface Merge {
  /** What is still to be written over the other user's version. */
  readonly edits: Texts
  /** Columns that both have changed, to different values. */
  readonly conflicts: readonly Conflict[]
  /** Columns that only the other user has changed. */
  readonly foreign: readonly string[]
}

/** Three versions of a record: as it was opened, as I have edited it, and as it stands now. Loses no edit and makes none up. */
export function mergeThreeWay({
  opened,
  mine,
  theirs,
}: {
  readonly opened: Texts
  readonly mine: Texts
  readonly theirs: Texts
}): Merge {
  const changedByThem = (column: string): boolean => (opened[column] ?? '') !== (theirs[column] ?? '')
  const edited = Object.entries(mine)
  const wanted = edited.filter(([column, text]) => text !== (theirs[column] ?? ''))
  const conflicts = wanted.filter(([column]) => changedByThem(column))
  return {
    edits: Object.fromEntries(wanted.filter(([column]) => !changedByThem(column))),
    conflicts: conflicts.map(([column, text]) => ({
      column,
      opened: opened[column] ?? '',
      mine: text,
      theirs: theirs[column] ?? '',
    })),
    foreign: Object.keys(theirs).filter((column) => changedByThem(column) && !(column in mine)),
  }
}
