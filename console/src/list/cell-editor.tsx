import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Cell, type CellRow, ConflictError, type Page, type ReadRecord, Unauthenticated } from 'docket-client'
import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { endIfSignedOut } from '../app.tsx'
import { docket } from '../docket.ts'
import { reportSaved } from '../form/report-saved.ts'
import { authorColumns, authorOf, bodyOf, textOf } from '../form/texts.ts'
import { areRowsHeld, useHoldRows } from '../live/held-rows.ts'
import { t } from '../messages/i18n.ts'
import type { Column, TableInfo } from '../table/table-info.ts'
import { tooLong } from '../table/too-long.ts'
import { Button } from '../ui/button.tsx'
import { holdKeys, releaseKeys } from '../ui/held-keys.ts'
import { messageOf } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'
import { confirmClosing } from '../unsaved-input.ts'
import css from './list.module.css'
import { addOpenCell } from './open-cells.ts'
import { ValueInput } from './value-input.tsx'

/** Where the focus goes when the editor closes. */
export type EditEnd = 'stay' | 'next' | 'previous' | 'away'

interface CellEditorProps {
  readonly info: TableInfo
  readonly column: Column
  readonly sysId: string
  readonly onClose: (end: EditEnd) => void
  readonly leave: LeaveEditor
}

/** While a cell is open: saves what is typed, and closes it. Resolves to `false` if it stays open. */
export type LeaveEditor = RefObject<(() => Promise<boolean>) | null>

type Version = ReadRecord<CellRow>

/** Reads the record first, so that nobody edits an outdated value. */
export function CellEditor(props: CellEditorProps) {
  const { info, column, sysId, onClose } = props
  const { name } = info.entry
  useHoldRows(name)
  const { data, error } = useQuery({
    queryKey: ['cell', name, sysId, column.name],
    staleTime: 0,
    gcTime: 0,
    queryFn: ({ signal }) =>
      docket
        .table(name)
        .get(sysId, { fields: [column.name], display: 'all', signal, parameters: { sysparm_rights: '1' } }),
  })
  // It may be read again, as after the session has ended: what the user types is a change of the first version.
  const opened = useRef(data)
  opened.current ??= data
  const first = opened.current
  const rights = first?.body['rights'] as { readonly write: readonly string[] } | undefined
  // After the user has signed in again, the record is read, and the cell opens.
  const isUnread = error !== null && !(error instanceof Unauthenticated)
  const isClosed = first === undefined ? isUnread : rights !== undefined && !rights.write.includes(column.name)
  useEffect(() => {
    if (!isClosed) return
    showToast(error === null ? t('edit.closed') : messageOf(error))
    onClose('stay')
  }, [isClosed, error, onClose])
  return first === undefined || isClosed ? <span className={css.waiting} /> : <OpenedCell {...props} first={first} />
}

/** Open cells with a text that is not saved, and saves of cells whose list is gone. */
const unsaved = new Set<object>()
confirmClosing(() => unsaved.size > 0)

const fields = 'input, select, textarea'

const focusIn = (box: RefObject<HTMLElement | null>, selector: string): void =>
  box.current?.querySelector<HTMLElement>(selector)?.focus()

function OpenedCell({ info, column, sysId, leave, first, ...props }: CellEditorProps & { readonly first: Version }) {
  const client = useQueryClient()
  const box = useRef<HTMLDivElement>(null)
  const [opened, setOpened] = useState(first)
  const [text, setText] = useState(() => textOf(opened.row[column.name], column))
  const [displayText, setDisplayText] = useState(() => displayedText(opened.row[column.name]))
  const [errorText, setErrorText] = useState<string | null>(null)
  const [theirs, setTheirs] = useState<Version | null>(null)
  const saving = useRef<Promise<boolean> | null>(null)
  /** The text that is to be saved after the one that is being saved; null: there is none. */
  const wanted = useRef<string | null>(null)
  /** What is typed is saved, or the user does not want it. */
  const isDone = useRef(false)
  const onClose = (end: EditEnd): void => {
    isDone.current = true
    props.onClose(end)
  }
  /** Where the save that is running leads to. */
  const to = useRef<EditEnd>('stay')
  /** The save has met the end of the session. The dialog that asks to sign in takes the focus: that saves nothing, and would meet it again. */
  const hasEnded = useRef(false)
  const typed = useRef(text)
  typed.current = text
  // Before the next event: what is typed at once belongs into the field.
  useLayoutEffect(() => focusIn(box, fields), [])
  const { name } = info.entry
  const storedText = (version: Version): string => textOf(version.row[column.name], column)
  /** @returns whether the cell is closed */
  const save = (end: EditEnd, over: Version = opened): Promise<boolean> => {
    // Meanwhile the user may have gone elsewhere.
    to.current = end
    if (saving.current !== null) {
      wanted.current = typed.current
      holdNext(end)
    }
    saving.current ??= attempt(end, over).finally(() => {
      saving.current = null
      wanted.current = null
    })
    return saving.current
  }
  const close = (end: EditEnd): true => {
    // It was left meanwhile: another one may be open, or another page.
    if (box.current !== null) onClose(end)
    else if (end === 'next' || end === 'previous') releaseKeys()
    return true
  }
  /** Of a text that is stored with more characters than the column allows by now, nothing is said until it is edited. */
  const faultOf = (next: string, stored: Version): string | undefined =>
    next === storedText(stored) ? undefined : tooLong(column, next)
  const fault = errorText ?? faultOf(text, opened) ?? null
  const attempt = async (end: EditEnd, over: Version): Promise<boolean> => {
    const next = typed.current
    if (next === storedText(over)) return close(end)
    const tooMuch = faultOf(next, over)
    if (tooMuch !== undefined) return report(tooMuch)
    holdNext(end)
    return send(next, over)
  }
  /** What is typed from now on belongs into the next field. */
  const holdNext = (end: EditEnd): void => {
    if (end === 'next' || end === 'previous')
      holdKeys(() => {
        to.current = 'stay'
      })
  }
  const send = async (next: string, over: Version): Promise<boolean> => {
    try {
      return await write(next, over, t('edit.saved'))
    } catch (problem) {
      releaseKeys()
      hasEnded.current = endIfSignedOut(problem)
      return !hasEnded.current && report(messageOf(problem))
    }
  }
  /** The cell stays open. If the user has left the list, a message is all that is left. */
  const report = (message: string, meanwhile: Version | null = null): false => {
    releaseKeys()
    if (box.current === null) showToast(message)
    else if (meanwhile === null) setErrorText(message)
    else setTheirs(meanwhile)
    return false
  }
  const write = async (sent: string, over: Version, message: string): Promise<boolean> => {
    try {
      const edit = { client, info, column, sysId }
      const saved = await writeCell(edit, sent, over.etag)
      reportEdit(edit, storedText(over), saved, message)
      return closeOrSaveRest(sent, saved)
    } catch (problem) {
      if (!(problem instanceof ConflictError && problem.reason === 'stale')) throw problem
      return rebase(sent, over)
    }
  }
  /** Closes the cell, unless something was typed meanwhile. */
  const closeOrSaveRest = (sent: string, saved: Version): boolean | Promise<boolean> => {
    if (typed.current === sent) return close(to.current)
    setOpened(saved)
    const { current: more } = wanted
    wanted.current = null
    if (more === null || more === sent) return false
    const tooMuch = faultOf(more, saved)
    return tooMuch === undefined ? send(more, saved) : report(tooMuch)
  }
  /** Another user has written meanwhile. If they changed other fields, this one is written on top; if they changed this one, the user decides. */
  const rebase = async (sent: string, over: Version): Promise<boolean> => {
    const now = await docket.table(name).get(sysId, { fields: [column.name, ...authorColumns(info)], display: 'all' })
    if (storedText(now) === sent) {
      // Both wrote the same, or the response to my write was lost.
      updateLists(client, name, now.row, sysId)
      return closeOrSaveRest(sent, now)
    }
    if (storedText(now) !== storedText(over)) return report(t('edit.conflict', { who: authorOf(now.row) }), now)
    setOpened(now)
    return write(sent, now, t('edit.merged', { who: authorOf(now.row) }))
  }
  useImperativeHandle(leave, () => async () => {
    const isLeft = theirs === null && (await save('away'))
    if (!isLeft) focusIn(box, theirs === null ? fields : '[role=alertdialog] button')
    return isLeft
  })
  useEffect(() => {
    if (box.current === null) return undefined
    return addOpenCell(box.current, () => leave.current?.() ?? Promise.resolve(true))
  }, [leave])
  const isUnsaved = text !== storedText(opened)
  useEffect(() => {
    if (!isUnsaved) return undefined
    unsaved.add(box)
    return () => void unsaved.delete(box)
  }, [isUnsaved])
  // "Back" of the browser removes the list, and the field gets no blur event.
  const saveWhenGone = useRef<() => void>(null)
  saveWhenGone.current = () => {
    if (theirs !== null || errorText !== null || hasEnded.current || isDone.current) return
    // No next field follows: the keys belong to the page that replaces the list.
    if (saving.current !== null && (to.current === 'next' || to.current === 'previous')) releaseKeys()
    const write = save('away')
    unsaved.add(write)
    void write.finally(() => unsaved.delete(write))
  }
  useEffect(() => () => saveWhenGone.current?.(), [])
  const onKeyDown = (event: KeyboardEvent): void => {
    event.stopPropagation()
    const isListOpen = (event.target as HTMLElement).getAttribute('aria-expanded') === 'true'
    if (event.key === 'Escape' && !isListOpen) {
      wanted.current = null
      onClose('stay')
    } else if (theirs !== null) return
    else if (event.key === 'Tab') void save(event.shiftKey ? 'previous' : 'next')
    else if (event.key === 'Enter' && !isListOpen && !event.shiftKey) void save('stay')
    else return
    event.preventDefault()
  }
  const onFocus = (): void => {
    hasEnded.current = false
  }
  const onBlur = (event: FocusEvent): void => {
    const to = event.relatedTarget as Element | null
    const isInside = to === null || box.current?.contains(to) === true || to.closest('[role=listbox]') !== null
    if (!isInside && theirs === null && errorText === null && !hasEnded.current) void save('away')
  }
  const takeTheirs = (version: Version): void => {
    updateLists(client, info.entry.name, version.row, sysId)
    onClose('stay')
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles the keys of the field inside
    <div ref={box} className={css.cellEditor} onKeyDown={onKeyDown} onFocus={onFocus} onBlur={onBlur}>
      <ValueInput
        column={column}
        text={text}
        displayText={displayText}
        isInvalid={fault !== null}
        describedBy={fault === null ? undefined : 'cell-fault'}
        onChange={(next, nextDisplayText) => {
          setText(next)
          setDisplayText(nextDisplayText)
          setErrorText(null)
        }}
      />
      {fault !== null && (
        <p role="alert" id="cell-fault" className={css.cellFault}>
          {fault}
        </p>
      )}
      {theirs !== null && (
        <div role="alertdialog" aria-label={t('conflict.title')} className={css.cellConflict}>
          <p>{t('edit.conflict', { who: authorOf(theirs.row) })}</p>
          <Button autoFocus onClick={() => takeTheirs(theirs)}>
            {t('conflict.theirs')}: {displayedText(theirs.row[column.name]) || '—'}
          </Button>
          <Button
            onClick={() => {
              setOpened(theirs)
              setTheirs(null)
              void save('stay', theirs)
            }}
          >
            {t('conflict.mine')}: {displayText || '—'}
          </Button>
        </div>
      )}
    </div>
  )
}

/** A reference to a record that the user may not read has a value and nothing to display. */
const displayedText = (cell: Cell | undefined): string =>
  cell?.value == null ? '' : (cell.display_value ?? t('value.notVisible'))

interface CellEdit {
  readonly client: QueryClient
  readonly info: TableInfo
  readonly column: Column
  readonly sysId: string
}

async function writeCell({ client, info, column, sysId }: CellEdit, text: string, etag: string): Promise<Version> {
  const { name } = info.entry
  const saved = await docket
    .table(name)
    .update(sysId, bodyOf({ [column.name]: text }, info), { ifMatch: etag, display: 'all', inputDisplayValue: true })
  updateLists(client, name, saved.row, sysId)
  void client.invalidateQueries({ queryKey: ['record', name, sysId] })
  for (const key of ['total', 'queue']) void client.invalidateQueries({ queryKey: [key] })
  // The next cell may be open already: its group stays until it is closed (live/use-table-events.ts).
  void client.invalidateQueries({ queryKey: ['groups'], refetchType: areRowsHeld(name) ? 'none' : 'active' })
  return saved
}

/** Offers undo as long as the message is displayed. A change that another user made meanwhile stays. */
function reportEdit(edit: CellEdit, old: string, { etag }: Version, message: string): void {
  const { info, sysId, column } = edit
  const undo = async (): Promise<void> => {
    try {
      await writeCell(edit, old, etag)
      showToast(t('edit.undone'))
    } catch (problem) {
      if (!endIfSignedOut(problem)) showToast(messageOf(problem))
    }
  }
  void reportSaved(message, { table: info.entry.name, sysId, old: { [column.name]: old }, run: undo })
}

/** Puts the written values into the cached lists at once, whatever these are reading. The other values stay as old as they are. */
function updateLists(client: QueryClient, table: string, written: CellRow, sysId: string): void {
  const isWritten = (row: CellRow): boolean => String(row['sys_id']?.value) === sysId
  for (const { queryKey, state } of client.getQueryCache().findAll({ queryKey: ['rows', table] })) {
    const page = state.data as Page<CellRow> | undefined
    if (page?.rows.some(isWritten) !== true) continue
    const rows = page.rows.map((row) => {
      if (!isWritten(row)) return row
      const known = Object.entries(written).filter(([name]) => name in row)
      return { ...row, ...Object.fromEntries(known) }
    })
    client.setQueryData(queryKey, { ...page, rows }, { updatedAt: state.dataUpdatedAt })
  }
}
