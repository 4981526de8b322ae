import type { TableInfo } from '../table/table-info.ts'
import { type Conflict, mergeThreeWay, type Texts } from './merge.ts'
import type { Version } from './record-query.ts'
import type { ConflictState, Decided } from './saved-record.ts'
import { textsOf } from './texts.ts'

/**
 * The conflict that others have changed once more while its decisions were saved. What was to be decided stays to be decided, beside what
 * they have written by now, also where that is the value from before: only the user knows whether their decision still holds.
 */
export function conflictAgain({ met, chosen }: Decided, theirs: Version, info: TableInfo): ConflictState {
  const texts = textsOf(theirs.row, info)
  const before = met.conflicts.map((each): Conflict => ({ ...each, theirs: texts[each.column] ?? '' }))
  const isOpen = ({ column, mine, theirs: now }: Conflict): boolean => mine !== now || chosen[column] !== now
  const merge = mergeThreeWay({ opened: met.base.texts, mine: met.edits, theirs: texts })
  return {
    ...met,
    theirs,
    conflicts: [...before.filter(isOpen), ...merge.conflicts],
    edits: merge.edits,
    isAgain: true,
  }
}

/** What the decisions write over the other user's version. */
export function changesOf({ met, chosen }: Decided, info: TableInfo): Texts {
  const theirs = textsOf(met.theirs.row, info)
  return Object.fromEntries(
    Object.entries({ ...met.edits, ...chosen }).filter(([column, text]) => text !== (theirs[column] ?? '')),
  )
}
