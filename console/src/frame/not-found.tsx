import { Link } from '@tanstack/react-router'
import { t } from '../messages/i18n.ts'
import { Empty } from '../ui/loading.tsx'

export function NotFoundPage() {
  return (
    <Empty>
      <h1>{t('state.notFoundTitle')}</h1>
      <p>{t('state.notFound')}</p>
      <Link to="/">{t('nav.home')}</Link>
    </Empty>
  )
}
