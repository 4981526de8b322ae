import { Dialog } from '@base-ui/react/dialog'
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { endIfSignedOut } from '../app.tsx'
import { docket } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import ui from '../ui/ui.module.css'
import { readFilesAgain } from './attachments.tsx'
import { emptyIfForbidden } from './empty-if-forbidden.ts'

/** sys_ids of the files of the record that the user may remove. A change of the files reads them again. */
export const useRemovableFiles = (table: string, sysId: string, isWanted: boolean): UseQueryResult<readonly string[]> =>
  useQuery({
    queryKey: ['attachments', sysId, 'removable'],
    enabled: isWanted,
    queryFn: ({ signal }) =>
      docket
        .request<readonly string[]>({ method: 'GET', path: `/v1/attachments/removable/${table}/${sysId}`, signal })
        .catch(emptyIfForbidden),
  })

interface RemoveFileProps {
  /** sys_id of the record. */
  readonly record: string
  /** sys_id of sys_attachment. */
  readonly file: string
  readonly name: string
}

/** Asks before it removes a file: its bytes are not kept, so there is no undo. */
export function RemoveFile({ record, file, name }: RemoveFileProps) {
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const remove = async (): Promise<void> => {
    setBusy(true)
    setFailure(null)
    try {
      await docket.request({ method: 'DELETE', path: `/v1/attachments/${file}` })
      await readFilesAgain(client, record)
      void client.invalidateQueries({ queryKey: ['activity', record] })
      setOpen(false)
    } catch (problem) {
      if (!endIfSignedOut(problem)) setFailure(problem)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog.Root
      open={isOpen}
      onOpenChange={(isWanted) => {
        setOpen(isWanted)
        setFailure(null)
      }}
    >
      <Dialog.Trigger
        render={
          <Button look="quiet" isIcon aria-label={t('files.remove', { name })}>
            <Icon name="close" />
          </Button>
        }
      />
      <Dialog.Portal>
        <Dialog.Backdrop className={ui.backdrop} />
        <Dialog.Popup className={ui.dialog} role="alertdialog">
          <Dialog.Title render={<h2 />}>{t('files.removeTitle', { name })}</Dialog.Title>
          {failure !== null && <ErrorBanner error={failure} />}
          <Dialog.Description>{t('files.removeHint')}</Dialog.Description>
          <div className={`${ui.row} ${ui.end}`}>
            <Dialog.Close render={<Button>{t('action.cancel')}</Button>} />
            <Button className={ui.danger} disabled={isBusy} onClick={() => void remove()}>
              {t('files.removeSubmit')}
            </Button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
