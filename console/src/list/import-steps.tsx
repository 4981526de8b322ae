import { useQueryClient } from '@tanstack/react-query'
import { randomKey } from 'docket-client'
import { useEffect, useRef, useState } from 'react'
import { endIfSignedOut } from '../app.tsx'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { Button } from '../ui/button.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import ui from '../ui/ui.module.css'
import { Progress, refreshRecords } from './bulk-parts.tsx'
import type { ImportFile } from './import-file.ts'
import { firstMapping, MappingFields } from './import-mapping.tsx'
import { ImportResult } from './import-result.tsx'
import { type ImportReport, nothingYet, runImport } from './import-run.ts'
import css from './list.module.css'
import type { EscapeRef } from './writing-dialog.tsx'

type Step =
  | { readonly kind: 'map' }
  | { readonly kind: 'checking' | 'checked' | 'running' | 'done'; readonly report: ImportReport }

interface ImportStepsProps {
  readonly info: TableInfo
  readonly file: ImportFile
  /** Another file is wanted. */
  readonly onOther: () => void
  readonly onEscape: EscapeRef
  readonly onClose: () => void
}

export function ImportSteps({ info, file, onOther, onEscape, onClose }: ImportStepsProps) {
  const { mapping, setMapping, step, setStep, error, check, run, stop } = useImport(info, file)
  const total = file.rows.length
  const isBusy = step.kind === 'checking' || step.kind === 'running'
  // The report says what is written, and offers to import the rest.
  onEscape.current = step.kind === 'running' ? stop : null
  const isMapped = mapping.columns.some((column) => column !== '')
  const writable = step.kind === 'checked' ? step.report.inserted + step.report.updated : 0
  return (
    <div className={css.bulkBody}>
      {error !== null && <ErrorBanner error={error} />}
      {step.kind === 'map' && <MappingFields {...{ info, file, mapping }} onMapping={setMapping} />}
      {(step.kind === 'checking' || step.kind === 'running') && (
        <Progress
          done={step.report.done}
          failed={0}
          total={total}
          label={t(step.kind === 'checking' ? 'import.checking' : 'import.running')}
        />
      )}
      {(step.kind === 'checked' || step.kind === 'done') && (
        <ImportResult file={file} table={info.entry.name} report={step.report} isDry={step.kind === 'checked'} />
      )}
      <div className={`${ui.row} ${ui.end}`}>
        {isBusy ? (
          <Button onClick={stop}>{t('action.cancel')}</Button>
        ) : (
          <Button onClick={onClose}>{t(step.kind === 'done' ? 'action.close' : 'action.cancel')}</Button>
        )}
        {step.kind === 'map' && (
          <>
            <Button onClick={onOther}>{t('import.other')}</Button>
            <Button look="primary" disabled={!isMapped} onClick={() => void check()}>
              {t('import.check')}
            </Button>
          </>
        )}
        {step.kind === 'checked' && (
          <>
            <Button onClick={() => setStep({ kind: 'map' })}>{t('import.back')}</Button>
            <Button look="primary" disabled={writable === 0} onClick={() => void run(nothingYet)}>
              {t('import.now', { count: writable })}
            </Button>
          </>
        )}
        {step.kind === 'done' && step.report.done < total && (
          <Button look="primary" onClick={() => void run(step.report)}>
            {t('import.goOn')}
          </Button>
        )}
      </div>
    </div>
  )
}

function useImport(info: TableInfo, file: ImportFile) {
  const client = useQueryClient()
  const [mapping, setMapping] = useState(() => firstMapping(info, file))
  const [step, setStep] = useState<Step>({ kind: 'map' })
  const [error, setError] = useState<unknown>(null)
  const stopper = useRef(new AbortController())
  const [id] = useState(randomKey)
  useEffect(() => () => stopper.current.abort(), [])
  const plan = { info, file, ...mapping }
  const attempt = async (from: ImportReport, isDry: boolean): Promise<{ report: ImportReport; isWhole: boolean }> => {
    stopper.current = new AbortController()
    setError(null)
    let report = from
    const show = (next: ImportReport): void => {
      report = next
      setStep({ kind: isDry ? 'checking' : 'running', report })
    }
    show(from)
    try {
      await runImport(plan, from, { isDry, id, signal: stopper.current.signal, onProgress: show })
    } catch (problem) {
      if (!endIfSignedOut(problem)) setError(problem)
    }
    return { report, isWhole: report.done === file.rows.length }
  }
  const check = async (): Promise<void> => {
    const { report, isWhole } = await attempt(nothingYet, true)
    setStep(isWhole ? { kind: 'checked', report } : { kind: 'map' })
  }
  /** What was written before an error or Cancel stays, and the user can go on after it. */
  const run = async (from: ImportReport): Promise<void> => {
    const { report } = await attempt(from, false)
    refreshRecords(client)
    setStep({ kind: 'done', report })
  }
  return { mapping, setMapping, step, setStep, error, check, run, stop: () => stopper.current.abort() }
}
