import { t } from '../messages/i18n.ts'
import ui from '../ui/ui.module.css'

/** Over a painted list whose script cannot be loaded. */
export const StartFailed = ({ address }: { readonly address: string }) => (
  <p id="start-failure" role="alert" hidden className={ui.banner}>
    {t('state.partMissing')} <a href={address}>{t('action.retry')}</a>
  </p>
)
