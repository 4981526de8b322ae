import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useSession } from '../app.tsx'
import { listen } from '../live/event-stream.ts'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { isBookkeeping } from './texts.ts'

/** Reports changes by others in the open record. The form stays as it is until the user refreshes it; the activity is refreshed at once. */
export function useRecordEvents(info: TableInfo, sysId: string) {
  const client = useQueryClient()
  const { user } = useSession()
  const [notice, setNotice] = useState<string | null>(null)
  const { name } = info.entry
  useEffect(() => {
    if (sysId === 'new') return undefined
    return listen([name], (event) => {
      if (event.kind !== 'change' || event.change.sys_id !== sysId) return
      void client.invalidateQueries({ queryKey: ['activity', sysId] })
      if (event.change.changed_by === user.sys_id) return
      if (event.change.operation === 'delete') setNotice(t('live.deleted'))
      const titles = Object.keys(event.change.changes)
        .filter((column) => !isBookkeeping(column) && info.columns.get(column)?.type !== 'journal_input')
        .map((column) => info.columns.get(column)?.title ?? column)
      if (titles.length > 0) setNotice(t('live.changed', { columns: titles.join(', ') }))
    })
  }, [client, info, name, sysId, user.sys_id])
  return { notice, clear: () => setNotice(null) }
}
