import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { type CellRow, type HistoryEntry, randomKey } from 'docket-client'
import { type FormEvent, type KeyboardEvent, type ReactNode, useState } from 'react'
import { useIsStaff, useSession } from '../app.tsx'
import { docket } from '../docket.ts'
import { initialsOf } from '../frame/user-menu.tsx'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { useTables } from '../table/use-table.ts'
import { Button, classes } from '../ui/button.tsx'
import { FailedReads } from '../ui/failed-reads.tsx'
import { FirstRead } from '../ui/first-read.tsx'
import { sizeText } from '../ui/size-text.ts'
import { ErrorBanner } from '../ui/states.tsx'
import ui from '../ui/ui.module.css'
import { dateTimeText, instantOf } from '../ui/value.tsx'
import { approvalEntries, type Entry } from './activity-entry.ts'
import { useApprovals } from './approvals.tsx'
import { type RemovedFile, useAttachments, useRemovedFiles } from './attachments.tsx'
import { historyText } from './change-text.ts'
import { ChangedText } from './changed-text.tsx'
import { emptyIfForbidden } from './empty-if-forbidden.ts'
import { displayAddress } from './file-kind.ts'
import { Folded } from './folded.tsx'
import css from './form.module.css'
import { recordKey } from './record-query.ts'
import { isBookkeeping } from './texts.ts'
import { readUnsent, useUnsent, writeUnsent } from './unsent-entry.ts'
import { useFailure } from './use-failure.ts'

/** Journals that callers cannot read. */
const isInternal = (column: string): boolean => column === 'work_notes'
/** Entries of each kind that are read first, and further ones each time that the user asks for older ones. */
const pageEntries = 100

interface ActivityProps {
  readonly info: TableInfo
  readonly sysId: string
  /** Names the record. */
  readonly title: string
  /** Columns that the user may write. */
  readonly writable: readonly string[]
  /** Whether the user may read who changed what. */
  readonly hasHistory: boolean
  /** The files of the record: they belong to what people say about it. */
  readonly children: ReactNode
}

export function Activity({ info, sysId, title, writable, hasHistory, children }: ActivityProps) {
  const { time_zone } = useSession()
  const [filter, setFilter] = useState<'all' | 'talk' | 'changes'>('all')
  const [max, setMax] = useState(pageEntries)
  const queryKey = ['activity', sysId, hasHistory, max]
  const activity = useQuery({
    queryKey,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => readActivity({ info, sysId, hasHistory, max, timeZone: time_zone, signal }),
  })
  const { data, isPlaceholderData } = activity
  const { data: files = [] } = useAttachments(sysId)
  const removed = useRemovedFiles(info.entry.name, sysId)
  const approvals = useApprovals(info, sysId)
  // The files have their own place. The tables say which of these parts there are.
  const reads = [activity, removed, approvals, useTables()]
  const isComplete = reads.every(({ error }) => error === null)
  const since = data?.since ?? ''
  const all = [
    ...(data?.entries ?? []),
    ...files.map(fileEntry),
    ...(removed.data ?? []).flatMap(removedEntries),
    ...(approvals.data ?? []).flatMap(approvalEntries),
  ]
  const entries = newestFirst(all).filter(
    ({ kind, at }) =>
      at >= since && (filter === 'all' || (filter === 'changes') === (kind === 'change' || kind === 'created')),
  )
  return (
    <aside id="form-activity" tabIndex={-1} className={css.activity} aria-label={t('activity.title')}>
      <Composer info={info} sysId={sysId} title={title} writable={writable} />
      {children}
      <div className={css.activityHead}>
        <h2>{t('activity.title')}</h2>
        {hasHistory && (
          <div role="group" aria-label={t('activity.filter')} className={css.segments}>
            {(['all', 'talk', 'changes'] as const).map((each) => (
              <button key={each} type="button" aria-pressed={filter === each} onClick={() => setFilter(each)}>
                {t(`activity.${each}`)}
              </button>
            ))}
          </div>
        )}
      </div>
      <FailedReads reads={reads} />
      {data === undefined && activity.error === null && <FirstRead queryKey={queryKey} read={activity} lines={4} />}
      {data !== undefined && isComplete && since === '' && entries.length === 0 && (
        <p className={css.quiet}>{t('activity.none')}</p>
      )}
      <ol className={css.entries}>
        {entries.map((entry) => {
          const at = instantOf(entry.at)
          return (
            <li key={entry.key} className={css.entry} data-kind={entry.kind}>
              <span className={css.face} aria-hidden="true">
                {initialsOf(entry.who)}
              </span>
              <div>
                <p className={css.entryHead}>
                  <strong>{entry.who}</strong>
                  {entry.title !== '' && <span className={css.kind}>{entry.title}</span>}
                  {at !== null && (
                    <time dateTime={at.toISOString()} title={dateTimeText(at, time_zone, true)}>
                      {dateTimeText(at, time_zone)}
                    </time>
                  )}
                </p>
                {entry.text !== '' && (
                  <Folded units={entry.text.length}>
                    <p className={css.entryText}>
                      {entry.kind === 'removed' ? (
                        <del>{entry.text}</del>
                      ) : entry.href === undefined ? (
                        entry.text
                      ) : (
                        <a href={entry.href} target="_blank" rel="noopener noreferrer">
                          {entry.text}
                        </a>
                      )}
                    </p>
                  </Folded>
                )}
                {entry.changes.map((change) => (
                  <Folded key={change.title} units={change.from.length + change.to.length}>
                    <p className={css.change}>
                      <span>{change.title}</span> <ChangedText from={change.from} to={change.to} />
                    </p>
                  </Folded>
                ))}
              </div>
            </li>
          )
        })}
      </ol>
      {since !== '' && (
        <Button disabled={isPlaceholderData} onClick={() => setMax(max + pageEntries)}>
          {t('activity.older')}
        </Button>
      )}
    </aside>
  )
}

interface ActivityRequest {
  readonly info: TableInfo
  readonly sysId: string
  readonly hasHistory: boolean
  /** Max. entries of each kind. */
  readonly max: number
  readonly timeZone: string
  readonly signal: AbortSignal
}

interface ReadActivity {
  readonly entries: readonly Entry[]
  /** Older entries have not been read; empty: there are none. */
  readonly since: string
}

/** Journal entries and changes. Without the right to read the history, there are no changes. */
async function readActivity(request: ActivityRequest): Promise<ReadActivity> {
  const { info, hasHistory, max } = request
  const [journal, changes] = await Promise.all([readJournal(request), hasHistory ? readHistory(request) : []])
  const oldest = [
    journal.length < max ? '' : String(journal.at(-1)?.['sys_created_at']?.value),
    changes.length < max ? '' : (changes.at(-1)?.changed_at ?? ''),
  ]
  return {
    entries: [
      ...journal.map((row) => journalEntry(info, row)),
      ...changes.flatMap((each) => changeEntries(request, each)),
    ],
    since: oldest.toSorted().at(-1) ?? '',
  }
}

const newestFirst = (entries: readonly Entry[]): readonly Entry[] =>
  entries.toSorted(
    (one, other) => other.at.localeCompare(one.at) || Number(one.kind === 'created') - Number(other.kind === 'created'),
  )

function fileEntry(row: CellRow): Entry {
  const id = String(row['sys_id']?.value)
  return {
    key: id,
    kind: 'file',
    who: row['sys_created_by']?.display_value ?? 'Docket',
    at: String(row['sys_created_at']?.value),
    title: t('activity.attached'),
    text: row['file_name']?.display_value ?? id,
    href: displayAddress(id),
    changes: [],
  }
}

/** When the file was attached, and when it was removed. */
function removedEntries(file: RemovedFile): readonly Entry[] {
  const size = file.size_bytes === null ? '' : ` (${sizeText(file.size_bytes)})`
  const entry = { kind: 'removed', text: `${file.file_name ?? file.sys_id}${size}`, changes: [] } as const
  const whoOf = (user: RemovedFile['removed_by']): string => user?.display_value ?? 'Docket'
  return [
    {
      ...entry,
      key: `removed ${file.sys_id}`,
      who: whoOf(file.removed_by),
      at: file.removed_at ?? '',
      title: t('activity.removed'),
    },
    {
      ...entry,
      key: `attached ${file.sys_id}`,
      who: whoOf(file.attached_by),
      at: file.attached_at ?? '',
      title: t('activity.attached'),
    },
  ]
}

const readJournal = ({ sysId, max, signal }: ActivityRequest): Promise<readonly CellRow[]> =>
  docket
    .table('sys_journal_entry')
    .list(`record_id=${sysId}^ORDERBYDESCsys_created_at`, {
      fields: ['sys_id', 'column_name', 'value', 'sys_created_at', 'sys_created_by'],
      display: 'all',
      signal,
    })
    .toArray({ max })
    .catch(emptyIfForbidden)

function journalEntry(info: TableInfo, row: CellRow): Entry {
  const column = String(row['column_name']?.value)
  return {
    key: String(row['sys_id']?.value),
    kind: isInternal(column) ? 'note' : 'comment',
    who: row['sys_created_by']?.display_value ?? 'Docket',
    at: String(row['sys_created_at']?.value),
    title: info.columns.get(column)?.title ?? column,
    text: row['value']?.display_value ?? '',
    changes: [],
  }
}

async function readHistory({ info, sysId, max, signal }: ActivityRequest): Promise<readonly HistoryEntry[]> {
  const changes: HistoryEntry[] = []
  try {
    for await (const change of docket.table(info.entry.name).history(sysId, { signal })) {
      changes.push(change)
      if (changes.length === max) break
    }
  } catch (error) {
    return emptyIfForbidden(error)
  }
  return changes
}

/** No entry for a change of columns that say nothing to a user. */
function changeEntries({ info, timeZone }: ActivityRequest, entry: HistoryEntry): readonly Entry[] {
  const columns = entry.changes.filter(
    ({ column }) => !isBookkeeping(column) && info.columns.get(column)?.type !== 'journal_input',
  )
  const isCreate = entry.operation === 'create'
  if (columns.length === 0 && !isCreate) return []
  const changes = columns.map((each) => ({
    title: each.title,
    from: historyText(each.old_display_value, each.old_value, info.columns.get(each.column), timeZone),
    to: historyText(each.new_display_value, each.new_value, info.columns.get(each.column), timeZone),
  }))
  return [
    {
      key: entry.change,
      kind: isCreate ? 'created' : 'change',
      who: entry.changed_by?.display_value ?? 'Docket',
      at: entry.changed_at,
      title: isCreate ? t('activity.created') : '',
      text: '',
      changes: isCreate ? [] : changes,
    },
  ]
}

/**
 * Journals never conflict, so no version is sent. A bulk change has a key: if its response is lost, a retry does not write the entry twice.
 */
const sendEntry = (table: string, sysId: string, values: object, idempotencyKey: string): Promise<unknown> =>
  docket.request({
    method: 'POST',
    path: `/rest/v1/bulk/${table}`,
    body: { query: `sys_id=${sysId}`, action: 'update', values, expected_count: 1 },
    idempotencyKey,
  })

type ComposerProps = Pick<ActivityProps, 'info' | 'sysId' | 'title' | 'writable'>

function Composer({ info, sysId, title: record, writable }: ComposerProps) {
  const client = useQueryClient()
  const columns = [...info.columns.values()].filter(
    ({ type, name }) => type === 'journal_input' && name !== 'additional_comments',
  )
  const isStaff = useIsStaff()
  // Keys are unique within a table and those that extend it: the record may be open as one of any of them.
  const entryKey = `${info.chain.at(-1) ?? info.entry.name}/${sysId}`
  const note = useUnsent(entryKey)
  const { error, report, clear } = useFailure((reason) => t('activity.notSent', { record, reason }))
  // A right can end while something is typed. The text stays with its journal: in another one, it might be displayed to callers.
  const isTyped = (name: string): boolean => name === note.column && note.text !== ''
  const journals = columns
    .filter(({ name }) => isTyped(name) || (writable.includes(name) && (isStaff || !isInternal(name))))
    .sort((one, other) => Number(isInternal(other.name)) - Number(isInternal(one.name)))
  const column = journals.find(({ name }) => name === note.column) ?? journals[0]
  const [isSending, setSending] = useState(false)
  if (column === undefined) return null
  const audience = isInternal(column.name) ? 'note' : isStaff ? 'comment' : 'ask'
  const { text } = note
  const send = async (): Promise<void> => {
    if (text.trim() === '' || isSending) return
    setSending(true)
    const { sentAs = randomKey() } = note
    writeUnsent(entryKey, { column: column.name, text, sentAs })
    try {
      await sendEntry(info.entry.name, sysId, { [column.name]: text }, sentAs)
      clear()
      // What was typed meanwhile stays. The form may have been left.
      const now = readUnsent(entryKey)
      if (now.text === text) writeUnsent(entryKey, { text: '' })
      await client.invalidateQueries({ queryKey: ['activity', sysId] })
      await client.invalidateQueries({ queryKey: recordKey(info.entry.name, sysId) })
    } catch (problem) {
      report(problem)
    } finally {
      setSending(false)
    }
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    void send()
  }
  return (
    <form
      className={classes(css.composer, isInternal(column.name) && css.internal)}
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        void send()
      }}
    >
      <div role="group" aria-label={t('activity.journal')} className={css.segments}>
        {journals.map(({ name, title }) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === column.name}
            onClick={() => writeUnsent(entryKey, { text, column: name })}
          >
            {title}
          </button>
        ))}
      </div>
      <label className="off-screen" htmlFor="composer">
        {column.title}
      </label>
      <textarea
        id="composer"
        aria-keyshortcuts="C"
        data-command={t(`activity.${audience}Hint`)}
        className={ui.input}
        value={text}
        placeholder={t(`activity.${audience}Hint`)}
        onChange={(event) => writeUnsent(entryKey, { column: column.name, text: event.target.value })}
        onKeyDown={onKeyDown}
      />
      {error !== null && <ErrorBanner error={error} isWrite onRetry={() => void send()} />}
      <div className={css.composerFoot}>
        <small>{t(`activity.${audience}Who`)}</small>
        <Button type="submit" title="Ctrl + Enter" disabled={isSending || text.trim() === ''}>
          {t('activity.send')}
        </Button>
      </div>
    </form>
  )
}
