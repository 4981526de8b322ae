import { useQueryClient } from '@tanstack/react-query'
import { AccessDenied } from 'docket-client'
import { useEffect, useMemo, useRef, useState } from 'react'
import { endIfSignedOut } from '../app.tsx'
import { docket } from '../docket.ts'
import { outdateRecords } from '../live/outdate-records.ts'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { messageOf } from '../ui/states.tsx'
import { clearToast, showToast } from '../ui/toast.tsx'
import { useIsGone } from '../ui/use-is-gone.ts'
import { forgetInput } from '../unsaved-input.ts'
import { changesOf, conflictAgain } from './conflict-again.ts'
import { draftKeyOf, type EditedVersion, forgetSent, idempotencyKeyOf, readDraft, writeDraft } from './draft.ts'
import { differingColumns, editsAfterSave, mergeThreeWay, type Texts } from './merge.ts'
import { RICH_AS_JSON, recordOf, rememberVersion, type Version } from './record-query.ts'
import { reportSaved } from './report-saved.ts'
import {
  type ConflictState,
  describeChanges,
  editedVersion,
  faultsBefore,
  faultsOf,
  type InitialValues,
  isStale,
  type Outdated,
  type RequiredState,
  type Saved,
} from './saved-record.ts'
import { authorOf, bodyOf, textsOf } from './texts.ts'
import { useMutex } from './use-mutex.ts'

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
  const [draftKey] = useState(() => draftKeyOf(`${name}/${sysId}`, first === null ? preset : {}, idPrefix))
  const [opened, setOpened] = useState(first)
  const [draft] = useState(() => readDraft(draftKey))
  const [edits, setEdits] = useState<Texts>({ ...(first === null ? preset : {}), ...draft.edits })
  /** The version on which the edits of a draft were made; null: all edits were made on the opened one. */
  const draftBase = useRef(draft.base)
  const [fieldErrors, setFieldErrors] = useState<Texts>({})
  const [error, setError] = useState<unknown>(null)
  const [conflict, setConflict] = useState<ConflictState | null>(null)
  const [required, setRequired] = useState<RequiredState | null>(null)
  const { isLocked: isSaving, isRunning, runExclusive: whileBusy } = useMutex()
  /** Values that the last save wrote beside the edits; a retry writes them again. */
  const [lastExtraValues, setLastExtraValues] = useState<Texts>({})
  const stop = useRef(new AbortController())
  /** The edits that a save is sending. */
  const sending = useRef<Texts>({})
  /** A save that was wanted meanwhile, with its values beside the edits. */
  const wantedNext = useRef<Texts | null>(null)
  /** The form is no longer in the page: what it had begun ends by itself. */
  const isGone = useIsGone()
  /** Repeats what has failed; null: it was a save. */
  const [repeat, setRepeat] = useState<(() => void) | null>(null)
  /** Versions that the form has displayed. */
  const versionCount = useRef(0)
  const firstDefaults = useRef(defaults)
  const firstPreset = useRef(preset)
  const openedTexts = useMemo(
    () => (opened === null ? firstDefaults.current : textsOf(opened.row, info)),
    [opened, info],
  )
  /** Names the record in messages that outlive its form. */
  const title = opened?.row[info.displayColumn]?.display_value ?? info.entry.title
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
  const baseOf = (version: Version): EditedVersion => editedVersion(version, info, draftBase.current)
  useEffect(() => {
    if (!isDirty) draftBase.current = null
    const texts = { ...openedTexts, ...draftBase.current?.texts }
    const base = opened === null ? null : { etag: draftBase.current?.etag ?? opened.etag, texts }
    // What is typed after the record was created is a draft of that record, not of the next new one. Its form reads it a moment later.
    const key = sysId === 'new' && opened !== null ? recordOf(name, opened) : draftKey
    writeDraft(key, { edits: isDirty ? edits : {}, base })
  }, [draftKey, name, sysId, edits, isDirty, opened, openedTexts])

  const edit = (column: string, text: string): void => {
    setFieldErrors(({ [column]: _, ...others }) => others)
    setEdits(({ [column]: _, ...others }) =>
      text === (openedTexts[column] ?? '') ? others : { ...others, [column]: text },
    )
  }
  /**
   * @param written the edits that are in the version; text typed during the write stays
   * @param base for the text that stays, if the version has changes of others, which the next save must not overwrite
   */
  const accept = (version: Version, written: Texts, base: EditedVersion | null = null): void => {
    const saved = textsOf(version.row, info)
    const left = editsAfterSave({
      opened: openedTexts,
      sent: sending.current,
      written,
      now: latestEdits.current,
      saved,
    })
    const ofLeft = Object.keys(left).map((column) => [column, (base?.texts ?? saved)[column] ?? ''] as const)
    const leftBase = { etag: base?.etag ?? version.etag, texts: Object.fromEntries(ofLeft) }
    draftBase.current = base === null ? null : leftBase
    versionCount.current += 1
    setOpened(version)
    setEdits(left)
    setFieldErrors({})
    setError(null)
    setConflict(null)
    setRequired(null)
    // A form of the same record that was opened since has a draft of its own.
    if (!isGone.current) {
      forgetInput()
      forgetSent(draftKey)
      writeDraft(draftKey, { edits: {}, base: null })
      writeDraft(recordOf(name, version), { edits: left, base: leftBase })
    }
    if (sysId !== 'new') rememberVersion(client, name, sysId, version)
    outdateRecords(client)
    void client.invalidateQueries({ queryKey: ['activity'] })
  }
  const write = (values: Texts, etag: string): Promise<Version> =>
    docket.table(name).update(sysId, bodyOf(values, info), {
      ifMatch: etag,
      signal: stop.current.signal,
      display: 'all',
      inputDisplayValue: true,
      parameters: RICH_AS_JSON,
    })

  const fail = (problem: unknown, wanted: Texts, again: (() => void) | null): void => {
    setError(null)
    setRepeat(() => again)
    if (endIfSignedOut(problem)) return
    if (isGone.current) {
      showToast(t('form.notSaved', { title, reason: messageOf(problem) }))
      return
    }
    // The dialog of a conflict stays, with what was chosen and typed there.
    const prefix = conflict === null ? idPrefix : 'conflict'
    const typedSince = conflict === null ? differingColumns(sending.current, latestEdits.current) : new Set<string>()
    const { errors, isAtFields, missing, first: firstField } = faultsOf(problem, info, prefix, typedSince)
    setFieldErrors(errors)
    // What helps against a missing right is displayed above the fields.
    setError(isAtFields && !(problem instanceof AccessDenied) ? null : problem)
    const isOfColumns = missing.length > 0 && missing.every(({ name: column }) => column !== 'state')
    if (wanted['state'] !== undefined && isOfColumns) {
      setConflict(null)
      setRequired({ state: wanted['state'], columns: missing })
      setError(null)
      return
    }
    // Who is typing in another field goes on there.
    if (firstField !== undefined && typedSince.size === 0) document.getElementById(`${prefix}-${firstField}`)?.focus()
  }

  /** @returns the written version; null if something prevents the save, which the page then displays */
  const save = async (extraValues: Texts = {}): Promise<Version | null> => {
    // Two saves at once would send the same version: the second one would conflict with the first.
    if (isRunning()) {
      wantedNext.current = { ...wantedNext.current, ...extraValues }
      return null
    }
    const wanted = { ...edits, ...extraValues }
    const faults = faultsBefore(wanted, opened === null ? { ...openedTexts, ...wanted } : null, info)
    const [faulty] = Object.keys(faults)
    if (faulty !== undefined) {
      setError(null)
      setFieldErrors(faults)
      document.getElementById(`${idPrefix}-${faulty}`)?.focus()
      return null
    }
    setLastExtraValues(extraValues)
    return whileBusy(() => send(wanted))
  }
  const send = async (wanted: Texts): Promise<Version | null> => {
    stop.current = new AbortController()
    sending.current = edits
    try {
      if (opened === null) return await create(wanted)
      const version = await write(wanted, baseOf(opened).etag)
      return finish(version, { sent: wanted, before: opened, done: wanted, base: null })
    } catch (problem) {
      if (isStale(problem) && opened !== null)
        return await rebase({ wanted, base: baseOf(opened), done: wanted, isUndo: false })
      fail(problem, wanted, null)
      return null
    } finally {
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
    // Always in the same order: a draft that comes back may have its columns in another one.
    const values = bodyOf(Object.fromEntries(Object.entries(wanted).sort()), info)
    const created = await docket.table(name).create(values, {
      idempotencyKey: idempotencyKeyOf(draftKey, JSON.stringify(values)),
      signal: stop.current.signal,
      display: 'all',
      inputDisplayValue: true,
      parameters: RICH_AS_JSON,
    })
    accept(created, wanted)
    showToast(t('form.created', { name: created.row[info.displayColumn]?.display_value ?? '' }))
    return created
  }

  const finish = (version: Version, saved: Saved): Version => {
    const { sent, before, done, base, changes = '', isUndo = false } = saved
    const now = textsOf(version.row, info)
    const written = Object.fromEntries(Object.keys(sent).map((column) => [column, now[column] ?? '']))
    accept(version, done, base === null ? null : { etag: base.etag, texts: { ...base.texts, ...written } })
    if (isUndo) {
      showToast(changes === '' ? t('edit.undone') : t('form.undoneMerged', { changes }))
      return version
    }
    const was = textsOf(before.row, info)
    const old = Object.fromEntries(Object.keys(sent).map((column) => [column, was[column] ?? '']))
    const message = changes === '' ? t('edit.saved') : t('form.merged', { changes })
    void reportSaved(message, { table: name, sysId, old, run: () => undo(old, version) })
    return version
  }

  /** Writes the values from before a save. If others have written since, their changes stay, as after a save. */
  const undo = (old: Texts, saved: Version): Promise<void> =>
    whileBusy(async () => {
      stop.current = new AbortController()
      try {
        const version = await write(old, saved.etag)
        finish(version, { sent: old, before: saved, done: {}, base: null, isUndo: true })
      } catch (problem) {
        const base = { etag: saved.etag, texts: textsOf(saved.row, info) }
        if (isStale(problem)) await rebase({ wanted: old, base, done: {}, isUndo: true })
        else failUndo(problem, () => void undo(old, saved))
      }
    })

  /** The message with undo outlives the form. */
  const failUndo = (problem: unknown, again: () => void): void => {
    if (!isGone.current) fail(problem, {}, again)
    else if (!endIfSignedOut(problem)) showToast(t('form.notUndone', { reason: messageOf(problem) }))
  }

  /** Another user has written meanwhile. Their other columns are kept; for columns that both changed, the user decides. */
  const rebase = async (attempt: Outdated): Promise<Version | null> => {
    const { wanted, base, done, isUndo, decided } = attempt
    try {
      const theirs = await docket.table(name).get(sysId, { display: 'all', parameters: RICH_AS_JSON })
      const merge = mergeThreeWay({ opened: base.texts, mine: wanted, theirs: textsOf(theirs.row, info) })
      if (merge.conflicts.length > 0 || merge.foreign.includes('state')) {
        if (isGone.current) {
          const who = authorOf(theirs.row)
          showToast(isUndo ? t('form.undoMet', { who }) : t('form.saveMet', { who, title }))
          return null
        }
        setError(null)
        // "Saved" is about an earlier change.
        clearToast()
        const met = { theirs, conflicts: merge.conflicts, edits: merge.edits, base, isUndo }
        setConflict(decided === undefined ? met : conflictAgain(decided, theirs, info))
        return null
      }
      if (Object.keys(merge.edits).length === 0) {
        // The response to a save was lost: the record already has the values.
        showToast(t(isUndo ? 'edit.undone' : 'edit.saved'))
        accept(theirs, done, base)
        return theirs
      }
      const changes = describeChanges(merge.foreign, theirs, info)
      const version = await write(merge.edits, theirs.etag)
      return finish(version, { sent: merge.edits, before: theirs, done, base, changes, isUndo })
    } catch (problem) {
      if (isUndo) failUndo(problem, () => void whileBusy(() => rebase(attempt)))
      else fail(problem, wanted, null)
      return null
    }
  }

  const resolve = async (chosen: Texts): Promise<void> => {
    if (conflict === null) return
    const decided = { met: conflict, chosen }
    const { theirs, base, isUndo } = conflict
    const done = isUndo ? {} : edits
    const sent = changesOf(decided, info)
    if (Object.keys(sent).length === 0) return accept(theirs, done, base)
    await whileBusy(async () => {
      stop.current = new AbortController()
      try {
        finish(await write(sent, theirs.etag), { sent, before: theirs, done, base, isUndo })
      } catch (problem) {
        const others = Object.entries(base.texts).filter(([column]) => column in edits && !(column in sent))
        const again = { etag: theirs.etag, texts: { ...textsOf(theirs.row, info), ...Object.fromEntries(others) } }
        if (isStale(problem)) await rebase({ wanted: sent, base: again, done, isUndo, decided })
        else fail(problem, sent, null)
      }
    })
  }

  /** Takes over the changes of others and keeps the edits. If both changed the same column, the user decides. */
  const refresh = async (): Promise<void> => {
    const displayed = versionCount.current
    try {
      const now = await docket.table(name).get(sysId, { display: 'all', parameters: RICH_AS_JSON })
      // Something was saved meanwhile: this response may be older.
      if (versionCount.current !== displayed) return
      const base = opened === null ? { etag: '', texts: openedTexts } : baseOf(opened)
      const merge = mergeThreeWay({ opened: base.texts, mine: latestEdits.current, theirs: textsOf(now.row, info) })
      if (merge.conflicts.length > 0)
        return setConflict({ theirs: now, conflicts: merge.conflicts, edits: merge.edits, base, isUndo: false })
      draftBase.current = null
      setOpened(now)
      // What a save is sending stays until its response: it may be in this version already.
      const isSent = ([column, text]: readonly [string, string]): boolean => sending.current[column] === text
      setEdits({ ...Object.fromEntries(Object.entries(latestEdits.current).filter(isSent)), ...merge.edits })
      rememberVersion(client, name, sysId, now)
    } catch (problem) {
      if (!isGone.current) fail(problem, {}, () => void refresh())
    }
  }

  /** Followers are a separate list: no version is sent, because changes of followers cannot conflict. */
  const follow = async (userId: string, isFollowing: boolean): Promise<void> => {
    try {
      const change = isFollowing ? { add: [userId] } : { remove: [userId] }
      const options = { ifMatch: false, fields: ['sys_id'] } as const
      await whileBusy(() => docket.table(name).update(sysId, { followers_list: change }, options).then(refresh))
    } catch (problem) {
      fail(problem, {}, () => void follow(userId, isFollowing))
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
    repeat,
    lastExtraValues,
    cancelSave: () => stop.current.abort(),
    cancelRequired: () => setRequired(null),
    follow,
    whileBusy,
    isDirty,
    cancelConflict: () => {
      setConflict(null)
      setError(null)
      setFieldErrors({})
    },
    discard: () => {
      const base = opened && baseOf(opened)
      sending.current = {}
      forgetSent(draftKey)
      setError(null)
      setFieldErrors({})
      setEdits(opened === null ? firstPreset.current : {})
      return () => {
        draftBase.current = base
        setEdits((now) => ({ ...edits, ...now }))
      }
    },
  }
}

export type RecordEdits = ReturnType<typeof useRecordEdits>
