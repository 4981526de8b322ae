import { ConflictError, DocketError } from 'docket-client'
import { t } from '../messages/i18n.ts'
import type { Column, TableInfo } from '../table/table-info.ts'
import { changeText } from './change-text.ts'
import type { EditedVersion } from './draft.ts'
import { withTitle } from './error-text.ts'
import type { Conflict, Texts } from './merge.ts'
import { missingOf } from './new-record.ts'
import type { Version } from './record-query.ts'
import { brokenJson, isBookkeeping, textsOf } from './texts.ts'

export interface ConflictState {
  readonly theirs: Version
  readonly conflicts: readonly Conflict[]
  /** Edits that do not conflict with the other user's changes. */
  readonly edits: Texts
  /** What both changed, and what else is being edited, was based on this version. */
  readonly base: EditedVersion
  /** The edits are values from before an earlier save. */
  readonly isUndo: boolean
  /** Others have changed it once more since something was decided. */
  readonly isAgain?: boolean
}

/** What edits are compared with: a version as the form displays it, but for the columns of a draft that was begun on an earlier one. */
export const editedVersion = (version: Version, info: TableInfo, draft: EditedVersion | null): EditedVersion => ({
  etag: draft?.etag ?? version.etag,
  texts: { ...textsOf(version.row, info), ...draft?.texts },
})

/** What the user has decided about a conflict. */
export interface Decided {
  readonly met: ConflictState
  readonly chosen: Texts
}

/** A change of state that the server accepts only with these columns. */
export interface RequiredState {
  readonly state: string
  readonly columns: readonly Column[]
}

export interface Saved {
  readonly sent: Texts
  readonly before: Version
  /** Edits that this save writes; other edits stay. */
  readonly done: Texts
  /** The version from before the changes of others; null: there are none. */
  readonly base: EditedVersion | null
  /** What others have changed meanwhile; empty: nothing. */
  readonly changes?: string
  readonly isUndo?: boolean
}

/** A write that met the change of another user. */
export interface Outdated {
  readonly wanted: Texts
  /** The version on which `wanted` was based. */
  readonly base: EditedVersion
  readonly done: Texts
  readonly isUndo: boolean
  /** `wanted` is what was decided about an earlier conflict. */
  readonly decided?: Decided
}

export const isStale = (problem: unknown): boolean => problem instanceof ConflictError && problem.reason === 'stale'

/** Replaces the column name of the server's error by the title that users know. */
function labelled(
  { field = '', message }: { readonly field?: string; readonly message: string },
  info: TableInfo,
): string {
  const title = info.columns.get(field)?.title
  return title === undefined ? message : withTitle(message, field, t('form.quoted', { title }))
}

/** Initial values of a new record. */
export interface InitialValues {
  /** Filled in for the user, and sent with the create. */
  readonly preset: Texts
  /** Default values of the server, not sent. */
  readonly defaults: Texts
}

/** Empty if nothing but system columns has changed, as after one's own note. */
export function describeChanges(foreign: readonly string[], theirs: Version, info: TableInfo): string {
  const changes = foreign
    .filter((column) => !isBookkeeping(column))
    .map((column) => changeText(column, theirs.row, info))
  const who = theirs.row['sys_updated_by']?.display_value
  if (changes.length === 0) return ''
  return [who, changes.join(', ')].filter((part) => part != null && part !== '').join(': ')
}

/** What prevents a save before anything is sent, by column. @param created all texts of a new record; null: it is none */
export function faultsBefore(wanted: Texts, created: Texts | null, info: TableInfo): Texts {
  const broken = brokenJson(wanted, info).map((column) => [column, t('form.notJson')] as const)
  if (broken.length > 0 || created === null) return Object.fromEntries(broken)
  return Object.fromEntries(missingOf(info, created).map((column) => [column, t('form.mandatory')]))
}

/**
 * What an error says about the fields of a form. `isAtFields`: all of it is displayed there.
 *
 * @param typedSince columns with another text than the rejected one
 */
export function faultsOf(problem: unknown, info: TableInfo, idPrefix: string, typedSince: ReadonlySet<string>) {
  const located =
    problem instanceof DocketError
      ? problem.errors.filter((each) => each.field !== undefined && info.columns.has(each.field))
      : []
  // The form has no field for the state, and none for a column of "All fields" while they are closed.
  const isDisplayed = located.every((each) => document.getElementById(`${idPrefix}-${each.field}`) !== null)
  const current = located.filter((each) => !typedSince.has(each.field ?? ''))
  return {
    errors: Object.fromEntries(current.map((each) => [each.field ?? '', labelled(each, info)])),
    isAtFields:
      isDisplayed && current.length > 0 && problem instanceof DocketError && current.length === problem.errors.length,
    missing: located.flatMap((each) => info.columns.get(each.field ?? '') ?? []),
    first: current[0]?.field,
  }
}
