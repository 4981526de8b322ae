import { useEffect, useRef, useState } from 'react'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { Button } from '../ui/button.tsx'
import ui from '../ui/ui.module.css'
import { type ImportFile, maxFileMb, readFile, type UnreadableFile } from './import-file.ts'
import { ImportSteps } from './import-steps.tsx'
import css from './list.module.css'
import { WritingDialog } from './writing-dialog.tsx'

interface ImportDialogProps {
  readonly info: TableInfo
  /** null: the user chooses it in the dialog. */
  readonly dropped: File | null
  readonly onClose: () => void
}

/** Imports a file of records: choose it, map its columns, check without writing, import in batches, correct what was rejected. */
export function ImportDialog({ info, dropped, onClose }: ImportDialogProps) {
  const [file, setFile] = useState<ImportFile | null>(null)
  const [fault, setFault] = useState<UnreadableFile | null>(null)
  const onEscape = useRef<(() => void) | null>(null)
  const take = async (given: File): Promise<void> => {
    const read = await readFile(given)
    setFault(typeof read === 'string' ? read : null)
    setFile(typeof read === 'string' ? null : read)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the dropped file is read once
  useEffect(() => {
    if (dropped !== null) void take(dropped)
  }, [dropped])
  return (
    <WritingDialog title={t('import.title', { table: info.entry.title })} onEscape={onEscape} onClose={onClose}>
      {file === null ? (
        <ChooseFile fault={fault} onFile={(given) => void take(given)} onClose={onClose} />
      ) : (
        <ImportSteps key={file.name} {...{ info, file, onEscape, onClose }} onOther={() => setFile(null)} />
      )}
    </WritingDialog>
  )
}

const faultTexts = { tooLarge: 'import.tooLarge', notUtf8: 'import.notUtf8', empty: 'import.empty' } as const

interface ChooseFileProps {
  readonly fault: UnreadableFile | null
  readonly onFile: (file: File) => void
  readonly onClose: () => void
}

function ChooseFile({ fault, onFile, onClose }: ChooseFileProps) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the field chooses a file, too
    <div
      className={css.bulkBody}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        const [file] = event.dataTransfer.files
        if (file !== undefined) onFile(file)
      }}
    >
      {fault !== null && (
        <div role="alert" className={ui.banner}>
          <p>{t(faultTexts[fault], { max: maxFileMb })}</p>
        </div>
      )}
      <label className={css.labelled}>
        {t('import.choose')}
        <input
          type="file"
          className={ui.input}
          accept=".csv,.tsv,.txt,.ndjson,.jsonl,text/csv,application/x-ndjson"
          onChange={(event) => {
            const [file] = event.target.files ?? []
            if (file !== undefined) onFile(file)
          }}
        />
      </label>
      <p className={css.hint}>{t('import.about')}</p>
      <div className={`${ui.row} ${ui.end}`}>
        <Button onClick={onClose}>{t('action.cancel')}</Button>
      </div>
    </div>
  )
}
