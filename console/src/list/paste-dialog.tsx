import { Dialog } from '@base-ui/react/dialog'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { endIfSignedOut } from '../app.tsx'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { Button } from '../ui/button.tsx'
import { ErrorBanner, messageOf } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'
import ui from '../ui/ui.module.css'
import { FailureList, Progress, refreshRecords } from './bulk-parts.tsx'
import css from './list.module.css'
import { hasState, type Paste, type PastedRow, placeBlock } from './paste-block.ts'
import { checkBlock, type PasteResult, undoBlock, writeBlock } from './paste-run.ts'
import { PasteTable } from './paste-table.tsx'

interface PasteDialogProps {
  readonly info: TableInfo
  readonly paste: Paste
  readonly onClose: () => void
}

type Step =
  | { readonly kind: 'checking' | 'running'; readonly done: number; readonly total: number }
  | { readonly kind: 'checked'; readonly rows: readonly PastedRow[] }
  | { readonly kind: 'failed' }
  | { readonly kind: 'done'; readonly result: PasteResult }

/** A block of a spreadsheet: shows what each cell would become, and writes when the user says so. */
export function PasteDialog({ info, paste, onClose }: PasteDialogProps) {
  const { block, step, error, write, stop } = usePaste(info, paste, onClose)
  const [leavesOut, setLeavesOut] = useState(false)
  const isBusy = step.kind === 'checking' || step.kind === 'running'
  const rows = step.kind === 'checked' ? step.rows : []
  const faulty = rows.flatMap(({ cells }) => cells).filter(({ reason }) => reason !== null).length
  const count = rows.filter((row) => hasState(row, 'change')).length
  return (
    <Dialog.Root
      open
      onOpenChange={(isOpen) => !isOpen && (step.kind === 'running' ? stop : onClose)()}
      disablePointerDismissal
    >
      <Dialog.Portal>
        <Dialog.Backdrop className={ui.backdrop} />
        <Dialog.Popup className={`${ui.dialog} ${css.wideDialog}`}>
          <Dialog.Title render={<h2 />}>{t('paste.title', { table: info.entry.title })}</Dialog.Title>
          <div className={css.bulkBody}>
            {error !== null && <ErrorBanner error={error} />}
            {(step.kind === 'checking' || step.kind === 'running') && (
              <Progress {...step} failed={0} label={t(step.kind === 'checking' ? 'paste.checking' : 'paste.running')} />
            )}
            {step.kind === 'checked' && (
              <>
                <p role="status">
                  {t('paste.wouldChange', { count })} {faulty > 0 && t('paste.faulty', { count: faulty })}
                </p>
                {block.rowsOutside > 0 && <p>{t('paste.rowsOutside', { count: block.rowsOutside })}</p>}
                {block.columnsOutside > 0 && <p>{t('paste.columnsOutside', { count: block.columnsOutside })}</p>}
                <PasteTable columns={block.columns} rows={rows} />
                {faulty > 0 && count > 0 && (
                  <label className={ui.row}>
                    <input type="checkbox" checked={leavesOut} onChange={() => setLeavesOut(!leavesOut)} />
                    {t('paste.leaveOut', { count: faulty })}
                  </label>
                )}
              </>
            )}
            {step.kind === 'done' && <Done {...step.result} />}
            <div className={`${ui.row} ${ui.end}`}>
              {step.kind === 'running' ? (
                <Button onClick={stop}>{t('action.cancel')}</Button>
              ) : (
                <Button onClick={onClose}>{t(step.kind === 'done' ? 'action.close' : 'action.cancel')}</Button>
              )}
              {(isBusy || step.kind === 'checked') && (
                <Button
                  look="primary"
                  disabled={isBusy || count === 0 || (faulty > 0 && !leavesOut)}
                  onClick={() => void write(rows)}
                >
                  {t('paste.now')}
                </Button>
              )}
            </div>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Done({ written, failed, left }: PasteResult) {
  return (
    <>
      <p role="status">
        {t('bulk.changed', { count: written.length })} {left > 0 && t('bulk.stopped')}
      </p>
      {failed.length > 0 && (
        <div className={css.failures}>
          <p>{t('bulk.failed', { count: failed.length })}</p>
          <FailureList failures={failed.map(({ row, message }) => ({ target: row, message }))} />
        </div>
      )}
    </>
  )
}

function usePaste(info: TableInfo, paste: Paste, onClose: () => void) {
  const client = useQueryClient()
  const [block] = useState(() => placeBlock(paste))
  const total = block.rows.length
  const [step, setStep] = useState<Step>({ kind: 'checking', done: 0, total })
  const [error, setError] = useState<unknown>(null)
  const stopper = useRef(new AbortController())
  const fail = (problem: unknown): void => {
    if (!endIfSignedOut(problem)) setError(problem)
    setStep({ kind: 'failed' })
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a block is checked once
  useEffect(() => {
    const { signal } = stopper.current
    checkBlock(block, { info, signal, onProgress: (done) => setStep({ kind: 'checking', done, total }) })
      .then((rows) => setStep({ kind: 'checked', rows }))
      .catch((problem: unknown) => signal.aborted || fail(problem))
    return () => stopper.current.abort()
  }, [])
  const refresh = (): void => refreshRecords(client)
  const write = async (rows: readonly PastedRow[]): Promise<void> => {
    stopper.current = new AbortController()
    const changing = rows.filter((row) => hasState(row, 'change')).length
    const onProgress = (done: number): void => setStep({ kind: 'running', done, total: changing })
    onProgress(0)
    const result = await writeBlock(rows, { info, signal: stopper.current.signal, onProgress })
    refresh()
    setStep({ kind: 'done', result })
    const count = result.written.length
    if (count === 0) return
    const undo = (): void => {
      undoBlock(result.written, info)
        .then((undone) => showToast(t('bulk.undone', { count: undone })))
        .catch((problem: unknown) => showToast(messageOf(problem)))
        .finally(refresh)
    }
    showToast(t('bulk.changed', { count }), { label: t('action.undo'), run: undo })
    if (result.failed.length === 0 && result.left === 0) onClose()
  }
  return { block, step, error, write, stop: () => stopper.current.abort() }
}
