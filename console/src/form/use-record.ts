import { useQueryClient } from '@tanstack/react-query'
import { AccessDenied, ConflictError, DocketError, randomKey } from 'docket-client'
import { useEffect, useMemo, useRef, useState } from 'react'
import { endIfSignedOut } from '../app.tsx'
import { docket } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import type { Column, TableInfo } from '../table/table-info.ts'
import { clearToast, showToast } from '../ui/toast.tsx'
import { forgetInput } from '../unsaved-input.ts'
import { type EditedVersion, readDraft, writeDraft } from './draft.ts'
import { withTitle } from './error-text.ts'
import { type Conflict, editsAfterSave, mergeThreeWay, type Texts } from './merge.ts'
import { missingOf } from './new-record.ts'
import { RICH_AS_JSON, type Version } from './record-query.ts'
import { reportSaved } from './report-saved.ts'
import { bodyOf, brokenJson, isBookkeeping, textsOf } from './texts.ts'

export interface ConflictState {
  readonly theirs: Version
  readonly conflicts: readonly Conflict[]
  /** Edits that do not conflict with the other user's changes. */
  readonly edits: Texts
}

/** A change of state that the server accepts only with these columns. */
export interface RequiredState {
  readonly state: string
  readonly columns: readonly Column[]
}

interface Saved {
  readonly sent: Texts
  readonly before: Version
  /** Edits that this save writes; other edits stay. Default: those that were sent. */
  readonly done?: Texts
  readonly message?: string
}

/** Replaces the column name of the server's error by the title that users know. */
function labelled(
  { field = '', message }: { readonly field?: string; readonly message: string },
  info: TableInfo,
): string {
  const title = info.columns.get(field)?.title
  return title === undefined ? message : withTitle(message, field, t('form.quoted', { title }))
}

/** Initial values of a new record. */
interface InitialValues {
  /** Filled in for the user, and sent with the create. */
  readonly preset: Texts
  /** Default values of the server, not sent. */
  readonly defaults: Texts
}

/**
 * Edits of one record: the typed texts, saving them, and conflicts or errors.
 *
 * @param idPrefix of the elements of its fields
 */
export function useRecordEdits(
  info: TableInfo,
  sysId: string,
  { version: first, isCached }: { readonly version: Version | null; readonly isCached: boolean },
  { preset, defaults }: InitialValues,
  idPrefix = 'field',
) {
  const client = useQueryClient()
  const { name } = info.entry
  const draftKey = `${name}/${sysId}`
  const [opened, setOpened] = useState(first)
  const [draft] = useState(() => readDraft(draftKey))
  const [edits, setEdits] = useState<Texts>({ ...(first === null ? preset : {}), ...draft.edits })
  /** The version on which the edits of a draft were made; null: all edits were made on the opened one. */
  const draftBase = useRef(draft.base)
  const [fieldErrors, setFieldErrors] = useState<Texts>({})
  const [error, setError] = useState<unknown>(null)
  const [conflict, setConflict] = useState<ConflictState | null>(null)
  const [required, setRequired] = useState<RequiredState | null>(null)
  const [isSaving, setSaving] = useState(false)
  /** Values that the last save wrote beside the edits; a retry writes them again. */
  const [lastExtraValues, setLastExtraValues] = useState<Texts>({})
  const stop = useRef(new AbortController())
  /** The edits that a save is sending. */
  const sending = useRef<Texts>({})
  /** A save is on its way. Unlike the state, it is known at once. */
  const isBusy = useRef(false)
  /** A save that was wanted meanwhile, with its values beside the edits. */
  const wantedNext = useRef<Texts | null>(null)
  /** Versions that the form has displayed. */
  const versionCount = useRef(0)
  const createKey = useRef<{ readonly key: string; readonly body: string } | null>(null)
  const firstDefaults = useRef(defaults)
  const firstPreset = useRef(preset)
  const openedTexts = useMemo(
    () => (opened === null ? firstDefaults.current : textsOf(opened.row, info)),
    [opened, info],
  )
  const latestEdits = useRef(edits)
  latestEdits.current = edits
  const isDirty = Object.entries(edits).some(
    ([column, text]) => opened !== null || firstPreset.current[column] !== text,
  )
  // A record that was opened before is displayed at once; what was read since then replaces it, unless something was typed.
  const waits = useRef(isCached)
  useEffect(() => {
    if (isCached || !waits.current) return
    waits.current = false
    if (!isDirty) setOpened(first)
  }, [isCached, first, isDirty])
  /** What the edits are compared with. */
  const baseOf = (version: Version): EditedVersion => ({
    etag: draftBase.current?.etag ?? version.etag,
    texts: { ...textsOf(version.row, info), ...draftBase.current?.texts },
  })
  useEffect(() => {
    if (!isDirty) draftBase.current = null
    const texts = { ...openedTexts, ...draftBase.current?.texts }
    const base = opened === null ? null : { etag: draftBase.current?.etag ?? opened.etag, texts }
    // What was typed while the record was being created is a draft of that record, not of the next new one.
    if (sysId === 'new' && opened !== null) return
    writeDraft(draftKey, { edits: isDirty ? edits : {}, base })
  }, [draftKey, sysId, edits, isDirty, opened, openedTexts])

  const edit = (column: string, text: string): void => {
    setFieldErrors(({ [column]: _, ...others }) => others)
    setEdits(({ [column]: _, ...others }) =>
      text === (openedTexts[column] ?? '') ? others : { ...others, [column]: text },
    )
  }
  /** @param written the edits that are in the version; text typed during the write stays */
  const accept = (version: Version, written: Texts = latestEdits.current): void => {
    const saved = textsOf(version.row, info)
    const left = editsAfterSave({
      opened: openedTexts,
      sent: sending.current,
      written,
      now: latestEdits.current,
      saved,
    })
    draftBase.current = null
    versionCount.current += 1
    setOpened(version)
    setEdits(left)
    setFieldErrors({})
    setError(null)
    setConflict(null)
    setRequired(null)
    forgetInput()
    writeDraft(draftKey, { edits: {}, base: null })
    const base = { etag: version.etag, texts: saved }
    writeDraft(`${name}/${String(version.row['sys_id']?.value ?? sysId)}`, { edits: left, base })
    client.setQueryData(['record', name, sysId], version)
    for (const key of ['rows', 'total', 'queue', 'activity']) void client.invalidateQueries({ queryKey: [key] })
  }
  const write = (values: Texts, etag: string): Promise<Version> =>
    docket.table(name).update(sysId, bodyOf(values, info), {
      ifMatch: etag,
      signal: stop.current.signal,
      display: 'all',
      inputDisplayValue: true,
      parameters: RICH_AS_JSON,
    })

  const fail = (problem: unknown, wanted: Texts = {}): void => {
    setError(null)
    if (endIfSignedOut(problem)) return
    const located =
      problem instanceof DocketError
        ? problem.errors.filter((each) => each.field !== undefined && info.columns.has(each.field))
        : []
    setFieldErrors(Object.fromEntries(located.map((each) => [each.field ?? '', labelled(each, info)])))
    // The form has no field for the state, and none for a column of "All fields" while they are closed.
    const isDisplayed = located.every((each) => document.getElementById(`${idPrefix}-${each.field}`) !== null)
    const isAtFields =
      isDisplayed && located.length > 0 && problem instanceof DocketError && located.length === problem.errors.length
    // What helps against a missing right is said above the fields.
    setError(isAtFields && !(problem instanceof AccessDenied) ? null : problem)
    const missing = located.flatMap((each) => info.columns.get(each.field ?? '') ?? [])
    if (
      wanted['state'] !== undefined &&
      missing.length > 0 &&
      missing.every(({ name: column }) => column !== 'state')
    ) {
      setRequired({ state: wanted['state'], columns: missing })
      setError(null)
      return
    }
    const [firstField] = located
    if (firstField?.field !== undefined) document.getElementById(`${idPrefix}-${firstField.field}`)?.focus()
  }

  /** @returns the written version; null if something prevents the save, which the page then displays */
  const save = async (extraValues: Texts = {}): Promise<Version | null> => {
    // Two saves at once would send the same version: the second one would conflict with the first.
    if (isBusy.current) {
      wantedNext.current = { ...wantedNext.current, ...extraValues }
      return null
    }
    const wanted = { ...edits, ...extraValues }
    const broken = brokenJson(wanted, info)
    if (broken.length > 0) {
      setError(null)
      setFieldErrors(Object.fromEntries(broken.map((column) => [column, t('form.notJson')])))
      return null
    }
    const missing = opened === null ? missingOf(info, { ...openedTexts, ...wanted }) : []
    if (missing.length > 0) {
      setError(null)
      setFieldErrors(Object.fromEntries(missing.map((column) => [column, t('form.mandatory')])))
      document.getElementById(`${idPrefix}-${missing[0]}`)?.focus()
      return null
    }
    stop.current = new AbortController()
    isBusy.current = true
    setSaving(true)
    setLastExtraValues(extraValues)
    sending.current = edits
    try {
      if (opened === null) return await create(wanted)
      return finish(await write(wanted, baseOf(opened).etag), { sent: wanted, before: opened })
    } catch (problem) {
      if (problem instanceof ConflictError && problem.reason === 'stale' && opened !== null)
        return await rebase(wanted, baseOf(opened).texts)
      fail(problem, wanted)
      return null
    } finally {
      isBusy.current = false
      setSaving(false)
      sending.current = {}
    }
  }
  useEffect(() => {
    const next = wantedNext.current
    if (isSaving || next === null) return
    wantedNext.current = null
    // The record has just been created: its own form has what was typed since.
    if (sysId === 'new' && opened !== null) return
    const hasFailed = error !== null || conflict !== null || required !== null || Object.keys(fieldErrors).length > 0
    if (!hasFailed && (isDirty || Object.keys(next).length > 0)) void save(next)
  })

  const create = async (wanted: Texts): Promise<Version> => {
    const values = bodyOf(wanted, info)
    const body = JSON.stringify(values)
    // A create whose response was lost is sent again with the same key: retries never create a second record.
    if (createKey.current?.body !== body) createKey.current = { key: randomKey(), body }
    const created = await docket.table(name).create(values, {
      idempotencyKey: createKey.current.key,
      signal: stop.current.signal,
      display: 'all',
      inputDisplayValue: true,
      parameters: RICH_AS_JSON,
    })
    accept(created, wanted)
    showToast(t('form.created', { name: created.row[info.displayColumn]?.display_value ?? '' }))
    return created
  }

  const finish = (version: Version, { sent, before, done = sent, message = t('edit.saved') }: Saved): Version => {
    accept(version, done)
    const was = textsOf(before.row, info)
    const old = Object.fromEntries(Object.keys(sent).map((column) => [column, was[column] ?? '']))
    void reportSaved(message, { table: name, sysId, old, run: () => undo(old, version.etag) })
    return version
  }

  const undo = async (old: Texts, etag: string): Promise<void> => {
    try {
      accept(await write(old, etag), {})
      showToast(t('edit.undone'))
    } catch (problem) {
      fail(problem)
    }
  }

  /** Another user has written meanwhile. Their other columns are kept; for columns that both changed, the user decides. */
  const rebase = async (wanted: Texts, before: Texts, done: Texts = wanted): Promise<Version | null> => {
    try {
      const theirs = await docket.table(name).get(sysId, { display: 'all', parameters: RICH_AS_JSON })
      const merge = mergeThreeWay({
        opened: before,
        mine: wanted,
        theirs: textsOf(theirs.row, info),
      })
      const isStateChanged = merge.foreign.includes('state')
      if (merge.conflicts.length > 0 || isStateChanged) {
        setError(null)
        // "Saved" is about an earlier change.
        clearToast()
        setConflict({ theirs, conflicts: merge.conflicts, edits: merge.edits })
        return null
      }
      if (Object.keys(merge.edits).length === 0) {
        // The response to a save was lost: the record already has the values.
        showToast(t('edit.saved'))
        accept(theirs, done)
        return theirs
      }
      const changes = describeChanges(merge.foreign, theirs)
      const message = changes === '' ? t('edit.saved') : t('form.merged', { changes })
      const saved = { sent: merge.edits, before: theirs, done, message }
      return finish(await write(merge.edits, theirs.etag), saved)
    } catch (problem) {
      fail(problem)
      return null
    }
  }

  /** Empty if nothing but system columns has changed, as after one's own note. */
  const describeChanges = (foreign: readonly string[], theirs: Version): string => {
    const changes = foreign
      .filter((column) => !isBookkeeping(column))
      .map((column) => `${info.columns.get(column)?.title ?? column}: ${theirs.row[column]?.display_value ?? '—'}`)
    const who = theirs.row['sys_updated_by']?.display_value
    if (changes.length === 0) return ''
    return [who, changes.join(', ')].filter((part) => part != null && part !== '').join(': ')
  }

  const resolve = async (chosen: Texts): Promise<void> => {
    if (conflict === null) return
    const { theirs } = conflict
    const left = Object.entries({ ...conflict.edits, ...chosen }).filter(
      ([column, text]) => text !== (textsOf(theirs.row, info)[column] ?? ''),
    )
    setConflict(null)
    if (left.length === 0) return accept(theirs)
    const sent = Object.fromEntries(left)
    try {
      finish(await write(sent, theirs.etag), { sent, before: theirs, done: edits })
    } catch (problem) {
      if (problem instanceof ConflictError && problem.reason === 'stale')
        await rebase(sent, textsOf(theirs.row, info), edits)
      else fail(problem)
    }
  }

  /** Takes over the changes of others and keeps the edits. If both changed the same column, the user decides. */
  const refresh = async (): Promise<void> => {
    const displayed = versionCount.current
    try {
      const now = await docket.table(name).get(sysId, { display: 'all', parameters: RICH_AS_JSON })
      // Something was saved meanwhile: this response may be older.
      if (versionCount.current !== displayed) return
      const before = opened === null ? openedTexts : baseOf(opened).texts
      const merge = mergeThreeWay({ opened: before, mine: latestEdits.current, theirs: textsOf(now.row, info) })
      if (merge.conflicts.length > 0)
        return setConflict({ theirs: now, conflicts: merge.conflicts, edits: merge.edits })
      draftBase.current = null
      setOpened(now)
      setEdits(merge.edits)
      client.setQueryData(['record', name, sysId], now)
    } catch (problem) {
      fail(problem)
    }
  }

  /** Followers are a separate list: no version is sent, because changes of followers cannot conflict. */
  const follow = async (userId: string, isFollowing: boolean): Promise<void> => {
    try {
      const change = isFollowing ? { add: [userId] } : { remove: [userId] }
      await docket.table(name).update(sysId, { followers_list: change }, { ifMatch: false, fields: ['sys_id'] })
      await refresh()
    } catch (problem) {
      fail(problem)
    }
  }

  return {
    opened,
    openedTexts,
    edits,
    edit,
    save,
    isSaving,
    error,
    fieldErrors,
    conflict,
    resolve,
    refresh,
    required,
    lastExtraValues,
    cancelSave: () => stop.current.abort(),
    cancelRequired: () => setRequired(null),
    follow,
    isDirty,
    cancelConflict: () => setConflict(null),
    discard: () => {
      sending.current = {}
      setEdits(opened === null ? firstPreset.current : {})
    },
  }
}

export type RecordEdits = ReturnType<typeof useRecordEdits>
