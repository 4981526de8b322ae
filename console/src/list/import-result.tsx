import { useMemo } from 'react'
import { t } from '../messages/i18n.ts'
import ui from '../ui/ui.module.css'
import { useTextFile } from './bulk-parts.tsx'
import type { ImportFile } from './import-file.ts'
import { type ImportReport, type RejectedRow, rejectedFile } from './import-run.ts'
import css from './list.module.css'

interface ImportResultProps {
  readonly file: ImportFile
  readonly table: string
  readonly report: ImportReport
  /** Nothing was written. */
  readonly isDry: boolean
}

export function ImportResult({ file, table, report, isDry }: ImportResultProps) {
  const { done, inserted, updated, rejected, ignored } = report
  return (
    <>
      <div role="status">
        <p>{t(isDry ? 'import.wouldInsert' : 'import.inserted', { count: inserted })}</p>
        <p>{t(isDry ? 'import.wouldUpdate' : 'import.updated', { count: updated })}</p>
        {rejected.length > 0 && (
          <p>{t(isDry ? 'import.wouldReject' : 'import.rejected', { count: rejected.length })}</p>
        )}
        {done < file.rows.length && <p>{t('import.stopped', { count: file.rows.length - done })}</p>}
      </div>
      {ignored.length > 0 && <p className={css.hint}>{t('import.ignored', { columns: ignored.join(', ') })}</p>}
      <Rejected file={file} table={table} rejected={rejected} />
    </>
  )
}

const maxListed = 20

interface RejectedProps {
  readonly file: ImportFile
  readonly table: string
  readonly rejected: readonly RejectedRow[]
}

/** The first errors by line, and a file with all rejected rows. */
function Rejected({ file, table, rejected }: RejectedProps) {
  const text = useMemo(() => (rejected.length === 0 ? null : rejectedFile(file, rejected)), [file, rejected])
  const address = useTextFile(text, 'text/plain')
  if (rejected.length === 0) return null
  return (
    <div className={css.failures}>
      <ul aria-label={t('import.errors')}>
        {rejected.slice(0, maxListed).map(({ row, message }) => (
          <li key={row.line}>
            <strong>{t('import.line', { line: row.line })}</strong> {message}
          </li>
        ))}
      </ul>
      {address !== null && (
        <a className={ui.row} href={address} download={`${table}-rejected.${file.kind}`}>
          {t('import.rejectedFile', { count: rejected.length })}
        </a>
      )}
    </div>
  )
}
