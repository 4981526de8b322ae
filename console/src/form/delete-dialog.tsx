import { Dialog } from '@base-ui/react/dialog'
import { useQuery } from '@tanstack/react-query'
import { docket } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import { useTables } from '../table/use-table.ts'
import { Button } from '../ui/button.tsx'
import { Loading } from '../ui/loading.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import ui from '../ui/ui.module.css'
import css from './form.module.css'
import { useFailure } from './use-failure.ts'

interface Dependents {
  readonly blocked: { readonly message: string } | null
  readonly dependents: readonly {
    readonly table: string
    readonly column: string
    readonly action: 'restrict' | 'clear' | 'cascade'
    readonly count: number
    readonly more: boolean
  }[]
}

interface DeleteDialogProps {
  readonly table: string
  readonly sysId: string
  readonly title: string
  readonly onClose: () => void
  readonly onDeleted: () => void
}

/** Lists what is deleted together with the record, before the delete. */
export function DeleteDialog({ table, sysId, title, onClose, onDeleted }: DeleteDialogProps) {
  const { data: tables = [] } = useTables()
  const failure = useFailure((reason) => t('delete.failed', { title, reason }))
  const { data, error, refetch } = useQuery({
    queryKey: ['dependents', table, sysId],
    staleTime: 0,
    queryFn: ({ signal }) =>
      docket.request<Dependents>({
        method: 'GET',
        path: `/rest/v1/table/${encodeURIComponent(table)}/${sysId}/dependents`,
        signal,
      }),
  })
  const remove = async (): Promise<void> => {
    try {
      await docket.table(table).delete(sysId)
      onDeleted()
    } catch (problem) {
      failure.report(problem)
    }
  }
  const nameOf = (name: string): string => tables.find((each) => each.name === name)?.title ?? name
  const mayDelete = data !== undefined && data.blocked === null
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={ui.backdrop} />
        <Dialog.Popup className={ui.dialog} role="alertdialog">
          <Dialog.Title render={<h2 />}>{t('delete.title', { title })}</Dialog.Title>
          {error !== null && <ErrorBanner error={error} onRetry={() => void refetch()} />}
          {failure.error !== null && <ErrorBanner error={failure.error} />}
          {data === undefined && error === null && <Loading lines={3} />}
          {data?.blocked != null && <p className={css.fieldError}>{data.blocked.message}</p>}
          {data !== undefined && data.dependents.length > 0 && (
            <ul className={css.dependents}>
              {data.dependents.map(({ table: name, column, action, count, more }) => (
                <li key={`${name} ${column}`}>
                  {t(`delete.${action}`, { table: nameOf(name), count: `${count}${more ? '+' : ''}` })}
                </li>
              ))}
            </ul>
          )}
          {mayDelete && data.dependents.length === 0 && <p>{t('delete.nothingElse')}</p>}
          <div className={`${ui.row} ${ui.end}`}>
            <Dialog.Close render={<Button>{t('action.cancel')}</Button>} />
            <Button className={ui.danger} disabled={!mayDelete} onClick={() => void remove()}>
              {t('delete.submit')}
            </Button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
