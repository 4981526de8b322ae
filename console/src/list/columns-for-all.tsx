import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { endIfSignedOut } from '../app.tsx'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { Button } from '../ui/button.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'
import ui from '../ui/ui.module.css'
import css from './list.module.css'
import { OutcomeUnknown, SavedMeanwhile, saveColumnsForAll } from './save-columns.ts'

interface ColumnsForAllProps {
  readonly info: TableInfo
  readonly paths: readonly string[]
  readonly onSaved: () => void
  readonly onCancel: () => void
}

/** Says whom the change affects, before it is made. */
export function ColumnsForAll({ info, paths, onSaved, onCancel }: ColumnsForAllProps) {
  const client = useQueryClient()
  const [isSaving, setSaving] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const { name, title } = info.entry
  const save = async (): Promise<void> => {
    setSaving(true)
    setError(null)
    try {
      await saveColumnsForAll(name, paths)
      // Tables below it may take their columns from this view.
      await client.invalidateQueries({ queryKey: ['table'] })
      showToast(t('forAll.saved', { table: title }))
      onSaved()
    } catch (problem) {
      if (!endIfSignedOut(problem)) setError(problem)
      setSaving(false)
    }
  }
  return (
    <div className={css.forAll}>
      {error !== null && (
        <>
          <ErrorBanner error={error} />
          {!(error instanceof SavedMeanwhile) && (
            <p className={css.hint}>{t(error instanceof OutcomeUnknown ? 'forAll.unknown' : 'forAll.failed')}</p>
          )}
        </>
      )}
      <p>{t('forAll.effect', { count: paths.length, table: title })}</p>
      <div className={ui.row}>
        <Button look="primary" disabled={isSaving} onClick={() => void save()}>
          {t('forAll.save')}
        </Button>
        <Button disabled={isSaving} autoFocus onClick={onCancel}>
          {t('action.cancel')}
        </Button>
      </div>
    </div>
  )
}
