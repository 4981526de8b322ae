import { useQueryClient } from '@tanstack/react-query'
import { Unauthenticated } from 'docket-client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { endIfSignedOut } from '../app.tsx'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { Button } from '../ui/button.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import ui from '../ui/ui.module.css'
import { useIsGone } from '../ui/use-is-gone.ts'
import { BulkEdits, changesOf, type Edits, EditWords, isComplete } from './bulk-edits.tsx'
import { Failures, Progress, refreshRecords, TypedNumber } from './bulk-parts.tsx'
import { type BulkResult, changeTargets, readTargets, selectedQuery, type Target } from './bulk-run.ts'
import { type BulkUndo, offerBulkUndo, prepareUndo } from './bulk-undo.ts'
import css from './list.module.css'
import type { Selection } from './use-selection.ts'
import type { EscapeRef } from './writing-dialog.tsx'

interface BulkUpdateProps {
  readonly info: TableInfo
  readonly selection: Selection
  readonly query: string
  readonly onEscape: EscapeRef
  readonly onClose: () => void
}

type Step =
  | { readonly kind: 'edit' }
  | { readonly kind: 'checking' | 'running'; readonly done: number; readonly failed: number; readonly total: number }
  | { readonly kind: 'checked'; readonly targets: readonly Target[]; readonly result: BulkResult }
  | { readonly kind: 'done'; readonly result: BulkResult }

/** Whether the records that were not reached are known to be unchanged. After the end of the session the server takes none. */
const leavesOthers = ({ isStopped, broken }: BulkResult): boolean =>
  isStopped || broken?.error instanceof Unauthenticated

/** From this number of records on, the user confirms by typing the number. */
const typedFrom = 1_000

/** Bulk update: choose columns and values, check without writing, write in batches, list failures. */
export function BulkUpdate({ info, selection, query, onEscape, onClose }: BulkUpdateProps) {
  const client = useQueryClient()
  const [selected] = useState(() => selectedQuery(query, selection))
  const [edits, setEdits] = useState<Edits>({})
  const [step, setStep] = useState<Step>({ kind: 'edit' })
  const [error, setError] = useState<unknown>(null)
  const [typed, setTyped] = useState('')
  const stop = useRef(new AbortController())
  const isGone = useIsGone()
  const runs = useRef<readonly BulkUndo[]>([])
  const table = info.entry.name
  /** When the dialog is closed, and the user has read what is changed: undo is offered for some seconds only. */
  const offer = useCallback((): void => {
    if (runs.current.length > 0) offerBulkUndo(runs.current, table)
    runs.current = []
  }, [table])
  useEffect(
    () => () => {
      stop.current.abort()
      offer()
    },
    [offer],
  )
  const changes = changesOf(edits)
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    stop.current = new AbortController()
    setError(null)
    try {
      await work()
    } catch (problem) {
      setStep({ kind: 'edit' })
      if (!endIfSignedOut(problem) && !stop.current.signal.aborted) setError(problem)
    }
  }
  const write = (targets: readonly Target[], isDry: boolean): Promise<BulkResult> => {
    const kind = isDry ? 'checking' : 'running'
    const onProgress = (done: number, failed: number): void => setStep({ kind, done, failed, total: targets.length })
    onProgress(0, 0)
    return changeTargets(targets, changes, { info, isDry, signal: stop.current.signal, onProgress })
  }
  const refresh = (): void => {
    refreshRecords(client)
  }
  const check = (): Promise<void> =>
    attempt(async () => {
      setStep({ kind: 'checking', done: 0, failed: 0, total: 0 })
      const targets = await readTargets(info, selected, Object.keys(changes), stop.current.signal)
      const result = await write(targets, true)
      setStep(result.isStopped ? { kind: 'edit' } : { kind: 'checked', targets, result })
    })
  const run = (targets: readonly Target[]): Promise<void> =>
    attempt(async () => {
      const result = await write(targets, false)
      refresh()
      setStep({ kind: 'done', result })
      const { changed, broken } = result
      if (broken !== null && !endIfSignedOut(broken.error)) setError(broken.error)
      const uncertain = broken?.targets ?? []
      if (changed.length + uncertain.length === 0) return
      runs.current = [...runs.current, prepareUndo({ changed, uncertain, changes, info }, refresh)]
      if (isGone.current) offer()
      else if (result.failures.length === 0 && !result.isStopped && broken === null) onClose()
    })
  const isBusy = step.kind === 'checking' || step.kind === 'running'
  // The result says what is changed, and what is not.
  onEscape.current = step.kind === 'running' ? () => stop.current.abort() : null
  const count = step.kind === 'checked' ? step.result.changed.length : 0
  const unchanged = step.kind === 'checked' ? step.result.unchanged.length : 0
  return (
    <div className={css.bulkBody}>
      {error !== null && <ErrorBanner error={error} />}
      {step.kind === 'edit' && <BulkEdits info={info} edits={edits} onEdits={setEdits} />}
      {isBusy && <Progress {...step} label={t(step.kind === 'checking' ? 'bulk.checking' : 'bulk.running')} />}
      {step.kind === 'checked' && (
        <>
          <ul>
            {Object.entries(edits).map(([name, edit]) => {
              const column = info.columns.get(name)
              return column === undefined ? null : <EditWords key={name} column={column} edit={edit} />
            })}
          </ul>
          <p role="status">
            {t('bulk.wouldChange', { count })} {unchanged > 0 && t('bulk.unchanged', { count: unchanged })}{' '}
            {step.result.failures.length > 0 && t('bulk.wouldFail', { count: step.result.failures.length })}
          </p>
          <Failures failures={step.result.failures} table={info.entry.name} />
          {count > typedFrom && <TypedNumber count={count} value={typed} onChange={setTyped} />}
        </>
      )}
      {step.kind === 'done' && (
        <>
          <p role="status">
            {t('bulk.changed', { count: step.result.changed.length })} {leavesOthers(step.result) && t('bulk.stopped')}
          </p>
          <Failures failures={step.result.failures} table={info.entry.name} />
        </>
      )}
      <div className={`${ui.row} ${ui.end}`}>
        {isBusy ? (
          <Button onClick={() => stop.current.abort()}>{t('action.cancel')}</Button>
        ) : (
          <Button onClick={onClose}>{t(step.kind === 'done' ? 'action.close' : 'action.cancel')}</Button>
        )}
        {step.kind === 'edit' && (
          <Button look="primary" disabled={!isComplete(edits, info)} onClick={() => void check()}>
            {t('bulk.check')}
          </Button>
        )}
        {step.kind === 'done' && step.result.broken !== null && (
          <Button onClick={() => setStep({ kind: 'edit' })}>{t('bulk.back')}</Button>
        )}
        {step.kind === 'checked' && (
          <>
            <Button onClick={() => setStep({ kind: 'edit' })}>{t('bulk.back')}</Button>
            <Button
              look="primary"
              disabled={count === 0 || (count > typedFrom && typed !== String(count))}
              onClick={() => void run(step.targets)}
            >
              {t('bulk.changeNow', { count })}
            </Button>
          </>
        )}
      </div>
    </div>
  )
}
