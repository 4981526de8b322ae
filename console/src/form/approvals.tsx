import { Dialog } from '@base-ui/react/dialog'
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import type { CellRow } from 'docket-client'
import { useState } from 'react'
import { useSession } from '../app.tsx'
import { docket } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { useTables } from '../table/use-table.ts'
import { Button, classes } from '../ui/button.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'
import ui from '../ui/ui.module.css'
import { drafts } from './draft.ts'
import { emptyIfForbidden } from './empty-if-forbidden.ts'
import css from './form.module.css'
import { useFailure } from './use-failure.ts'
import type { RecordEdits } from './use-record.ts'

const fields = ['sys_id', 'approver', 'state', 'comment', 'decided_at', 'sys_created_at', 'sys_created_by']

/** Approvals of a task that the user may read; they are rows of their own. Records of other tables have none. */
export function useApprovals(info: TableInfo, sysId: string): UseQueryResult<readonly CellRow[]> {
  const mayRead = useTables().data?.some(({ name }) => name === 'sys_approval') ?? false
  return useQuery({
    queryKey: ['activity', sysId, 'approvals'],
    enabled: mayRead && sysId !== 'new' && info.chain.includes('task'),
    queryFn: ({ signal }) =>
      docket
        .table('sys_approval')
        .list(`task=${sysId}`, { fields, display: 'all', signal })
        .toArray({ max: Number.POSITIVE_INFINITY })
        .catch(emptyIfForbidden),
  })
}

interface ApprovalBarProps {
  readonly info: TableInfo
  readonly sysId: string
  /** Names the record. */
  readonly title: string
  readonly edits: Pick<RecordEdits, 'refresh' | 'whileBusy'>
}

/** Asks the approver for the decision. A rejection needs a comment: both are one request. */
export function ApprovalBar({ info, sysId, title, edits }: ApprovalBarProps) {
  const { user } = useSession()
  const client = useQueryClient()
  /** sys_id of the approval that is being rejected. */
  const [rejected, setRejected] = useState<string | null>(null)
  const draft = `approval/${sysId}`
  const [comment, setComment] = useState(() => drafts.read(draft)['comment'] ?? '')
  const typeComment = (text: string): void => {
    setComment(text)
    drafts.write(draft, text === '' ? {} : { comment: text })
  }
  const [isBusy, setBusy] = useState(false)
  const { error, report, clear } = useFailure((reason) => t('approval.notSaved', { record: title, reason }))
  const own = useApprovals(info, sysId).data?.find(
    ({ approver, state }) => approver?.value === user.sys_id && state?.value === 'requested',
  )
  const requested = own === undefined ? null : String(own['sys_id']?.value)
  // The dialog stays when the request is withdrawn: what was typed there does not disappear without a message.
  if (requested === null && rejected === null) return null
  const decide = async (
    approval: string | null,
    values: { readonly state: 'approved' | 'rejected'; readonly comment?: string },
  ): Promise<void> => {
    if (approval === null) return
    setBusy(true)
    try {
      const write = (): Promise<unknown> =>
        docket.table('sys_approval').update(approval, values, { ifMatch: false, fields: ['sys_id'] })
      // The record follows the decision.
      await edits.whileBusy(() => write().then(edits.refresh))
      clear()
      setRejected(null)
      typeComment('')
      showToast(t(`approval.${values.state}`))
      await client.invalidateQueries({ queryKey: ['activity', sysId] })
    } catch (problem) {
      report(problem)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      {requested !== null && (
        <div className={classes(ui.banner, ui.bannerNote)} role="group" aria-label={t('approval.title')}>
          <p>{t('approval.ask')}</p>
          <div className={ui.row}>
            <Button
              disabled={isBusy}
              data-command={t('approval.approve')}
              onClick={() => void decide(requested, { state: 'approved' })}
            >
              {t('approval.approve')}
            </Button>
            <Button disabled={isBusy} data-command={t('approval.reject')} onClick={() => setRejected(requested)}>
              {t('approval.reject')}
            </Button>
          </div>
          {error !== null && rejected === null && <ErrorBanner error={error} isWrite />}
        </div>
      )}
      <Dialog.Root open={rejected !== null} onOpenChange={(isOpen) => !isOpen && setRejected(null)}>
        <Dialog.Portal>
          <Dialog.Backdrop className={ui.backdrop} />
          <Dialog.Popup className={ui.dialog}>
            <Dialog.Title render={<h2 />}>{t('approval.rejectTitle')}</Dialog.Title>
            <form
              className={css.section}
              onSubmit={(event) => {
                event.preventDefault()
                event.stopPropagation()
                if (comment.trim() !== '') void decide(requested, { state: 'rejected', comment })
              }}
            >
              <label className={css.field}>
                <span className={css.label}>{t('approval.comment')}</span>
                <textarea
                  className={ui.input}
                  required
                  value={comment}
                  onChange={(event) => typeComment(event.target.value)}
                />
              </label>
              {requested === null && <p role="status">{t('approval.gone')}</p>}
              {error !== null && <ErrorBanner error={error} isWrite />}
              <div className={`${ui.row} ${ui.end}`}>
                <Dialog.Close render={<Button>{t('action.cancel')}</Button>} />
                <Button type="submit" look="primary" disabled={isBusy || requested === null || comment.trim() === ''}>
                  {t('approval.rejectTitle')}
                </Button>
              </div>
            </form>
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
    </>
  )
}
