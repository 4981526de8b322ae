import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { endIfSignedOut } from '../app.tsx'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { Button } from '../ui/button.tsx'
import { ErrorBanner, messageOf } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'
import ui from '../ui/ui.module.css'
import { useIsGone } from '../ui/use-is-gone.ts'
import css from './list.module.css'
import { listAddress } from './list-address.ts'
import { OutcomeUnknown, SavedMeanwhile, saveColumnsForAll } from './save-columns.ts'

interface ColumnsForAllProps {
  readonly info: TableInfo
  readonly paths: readonly string[]
  /** `isLeft`: the page displays something else meanwhile. */
  readonly onSaved: (isLeft: boolean) => void
  readonly onCancel: () => void
}

/** Says whom the change affects, before it is made. */
export function ColumnsForAll({ info, paths, onSaved, onCancel }: ColumnsForAllProps) {
  const client = useQueryClient()
  const [isSaving, setSaving] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const isGone = useIsGone()
  const { name, title } = info.entry
  const fail = (problem: unknown): void => {
    const hasEnded = endIfSignedOut(problem)
    const reason = hasEnded ? '' : messageOf(problem)
    if (!isGone.current) setError(hasEnded ? null : problem)
    else if (problem instanceof OutcomeUnknown) showToast(t('forAll.unknown'))
    else showToast(t('forAll.notSaved', { table: title, reason }))
  }
  const save = async (): Promise<void> => {
    const address = listAddress()
    setSaving(true)
    setError(null)
    try {
      await saveColumnsForAll(name, paths)
      // Tables below it may take their columns from this view.
      await client.invalidateQueries({ queryKey: ['table'] })
      showToast(t('forAll.saved', { table: title }))
      onSaved(listAddress() !== address)
    } catch (problem) {
      fail(problem)
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
