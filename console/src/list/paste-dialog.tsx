import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { endIfSignedOut, onceSignedIn } from '../app.tsx'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { Button } from '../ui/button.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import ui from '../ui/ui.module.css'
import { useIsGone } from '../ui/use-is-gone.ts'
import { FailureList, Progress, refreshRecords } from './bulk-parts.tsx'
import css from './list.module.css'
import { offerUndo } from './offer-undo.tsx'
import { hasState, type Paste, type PastedRow, placeBlock } from './paste-block.ts'
import { checkBlock } from './paste-run.ts'
import { PasteTable } from './paste-table.tsx'
import { type PasteResult, toUndo, toWrite, undoBlock, writeBlock } from './paste-write.ts'
import { type EscapeRef, WritingDialog } from './writing-dialog.tsx'

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
export function PasteDialog(props: PasteDialogProps) {
  const { info, onClose } = props
  const onEscape = useRef<(() => void) | null>(null)
  return (
    <WritingDialog
      title={t('paste.title', { table: info.entry.title })}
      className={css.wideDialog}
      onEscape={onEscape}
      onClose={onClose}
    >
      <PasteSteps {...props} onEscape={onEscape} />
    </WritingDialog>
  )
}

interface PasteStepsProps extends PasteDialogProps {
  readonly onEscape: EscapeRef
}

/**
 * The check begins when the dialog is open. If it began before, the dialog that asks to sign in again could open at the same moment: then each
 * hides the other one, and the keys go to the lower one.
 */
function PasteSteps({ info, paste, onClose, onEscape }: PasteStepsProps) {
  const { block, step, error, check, write, stop } = usePaste(info, paste, onClose)
  const [leavesOut, setLeavesOut] = useState(false)
  const isBusy = step.kind === 'checking' || step.kind === 'running'
  // A run that is stopped displays what it has written.
  onEscape.current = step.kind === 'running' ? stop : null
  const rows = step.kind === 'checked' ? step.rows : []
  const faulty = rows.flatMap(({ cells }) => cells).filter(({ reason }) => reason !== null).length
  const count = rows.filter((row) => hasState(row, 'change')).length
  return (
    <div className={css.bulkBody}>
      {error !== null && <ErrorBanner error={error} onRetry={step.kind === 'failed' ? check : undefined} />}
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
        <Button onClick={step.kind === 'running' ? stop : onClose}>
          {t(step.kind === 'done' ? 'action.close' : 'action.cancel')}
        </Button>
        {(isBusy || step.kind === 'checked') && (
          <Button
            look="primary"
            disabled={isBusy || count === 0 || (faulty > 0 && !leavesOut)}
            onClick={() => void write(toWrite(rows))}
          >
            {t('paste.now')}
          </Button>
        )}
        {step.kind === 'done' && step.result.rest.length > 0 && (
          <Button look="primary" onClick={() => void write(step.result)}>
            {t('import.goOn')}
          </Button>
        )}
      </div>
    </div>
  )
}

function Done({ written, failed, rest, isUnclear }: PasteResult) {
  const [unclear] = isUnclear ? rest : []
  return (
    <>
      <p role="status">
        {t('bulk.changed', { count: written.length })}{' '}
        {unclear !== undefined && t('paste.unclear', { name: unclear.name })}{' '}
        {rest.length > (isUnclear ? 1 : 0) && t('bulk.stopped')}
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

/** Offers to undo what is written. */
function offerPasteUndo(result: PasteResult, info: TableInfo, onUndone: () => void): void {
  let undone = toUndo(result)
  if (undone.rest.length === 0) return
  offerUndo(t('bulk.changed', { count: result.written.length }), info.entry.name, async () => {
    undone = await undoBlock(undone, info)
    onUndone()
    const failed = undone.failed.map(({ row: { sysId, name }, message }) => ({ sysId, name, message }))
    return { ...undone, failed }
  })
}

function usePaste(info: TableInfo, paste: Paste, onClose: () => void) {
  const client = useQueryClient()
  const isGone = useIsGone()
  const [block] = useState(() => placeBlock(paste))
  const total = block.rows.length
  const [step, setStep] = useState<Step>({ kind: 'checking', done: 0, total })
  const [error, setError] = useState<unknown>(null)
  const stopper = useRef(new AbortController())
  const outcome = useRef<PasteResult>(null)
  const refresh = (): void => refreshRecords(client)
  const check = (): void => {
    stopper.current = new AbortController()
    const { signal } = stopper.current
    const onProgress = (done: number): void => setStep({ kind: 'checking', done, total })
    setError(null)
    onProgress(0)
    checkBlock(block, { info, signal, onProgress })
      .then((rows) => setStep({ kind: 'checked', rows }))
      .catch((problem: unknown) => {
        if (signal.aborted) return
        setStep({ kind: 'failed' })
        if (endIfSignedOut(problem)) onceSignedIn(() => isGone.current || check())
        else setError(problem)
      })
  }
  /** When the dialog is closed, so that the rest is not written after an undo. */
  const offer = (): void => {
    const result = outcome.current
    outcome.current = null
    if (result !== null) offerPasteUndo(result, info, refresh)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a block is checked once
  useEffect(() => {
    check()
    return () => {
      stopper.current.abort()
      offer()
    }
  }, [])
  const write = async (from: PasteResult): Promise<void> => {
    stopper.current = new AbortController()
    const onProgress = (done: number): void => setStep({ kind: 'running', done, total: from.rest.length })
    setError(null)
    onProgress(0)
    const result = await writeBlock(from, { info, signal: stopper.current.signal, onProgress })
    refresh()
    outcome.current = result
    const hasEnded = endIfSignedOut(result.error)
    if (isGone.current) return offer()
    setStep({ kind: 'done', result })
    if (!hasEnded) setError(result.error)
    if (result.failed.length === 0 && result.rest.length === 0) onClose()
  }
  return { block, step, error, check, write, stop: () => stopper.current.abort() }
}
