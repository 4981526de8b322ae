/** Values of columns as edited texts. */
export type Texts = Readonly<Record<string, string>>

export interface Conflict {
  readonly column: string
  readonly opened: string
  readonly mine: string
  readonly theirs: string
}

export interface Merge {
  /** Edits to write on top of the other user's version. */
  readonly edits: Texts
  /** Columns that both users changed, to different values. */
  readonly conflicts: readonly Conflict[]
  /** Columns that only the other user changed. */
  readonly foreign: readonly string[]
}

/** Merges three versions of a record: as opened, as edited here, and as stored now. No edit is lost, and none is invented. */
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

interface SavedEdits {
  /** Before the save. */
  readonly opened: Texts
  /** When the save began. */
  readonly sent: Texts
  /** Edits that are in the saved version. */
  readonly written: Texts
  /** When the response came. */
  readonly now: Texts
  readonly saved: Texts
}

/** Edits that remain after a save: what was typed during the save, also where the text from before was typed back. */
export function editsAfterSave({ opened, sent, written, now, saved }: SavedEdits): Texts {
  const typed = Object.entries(now).filter(([column, text]) => written[column] !== text)
  const typedBack = Object.keys(sent).flatMap((column) =>
    column in written && !(column in now) ? [[column, opened[column] ?? ''] as const] : [],
  )
  return Object.fromEntries([...typed, ...typedBack.filter(([column, text]) => text !== (saved[column] ?? ''))])
}

/** Columns whose texts differ, or that only one of the two has. */
export const differingColumns = (one: Texts, other: Texts): ReadonlySet<string> =>
  new Set(Object.keys({ ...one, ...other }).filter((column) => one[column] !== other[column]))
