import { useSyncExternalStore } from 'react'
import { t } from '../messages/i18n.ts'
import { isServerUpdated, onServerUpdate, reloadForUpdate } from '../server-update.ts'
import ui from '../ui/ui.module.css'

/** The page is older than the server, and something is not saved: the user decides when to reload. */
export function UpdateNotice() {
  const isUpdated = useSyncExternalStore(onServerUpdate, isServerUpdated)
  return (
    <div role="status">
      {isUpdated && (
        <div className={`${ui.toast} ${ui.update}`}>
          <span>
            {t('state.updated')} {t('state.updatedUnsaved')}
          </span>
          <button type="button" onClick={reloadForUpdate}>
            {t('action.reload')}
          </button>
        </div>
      )}
    </div>
  )
}
