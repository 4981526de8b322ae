import { Link } from '@tanstack/react-router'
import { Suspense, useEffect } from 'react'
import { useIsStaff, useSession } from '../app.tsx'
import { t, withMessages } from '../messages/i18n.ts'
import { useTables } from '../table/use-table.ts'
import { Icon } from '../ui/icon.tsx'
import { Loading } from '../ui/loading.tsx'
import { lazyPart } from '../ui/part.tsx'
import css from './home.module.css'
import { Queue } from './queue.tsx'
import { QueueEvents } from './queue-events.tsx'

const AdminHome = lazyPart(async () => (await withMessages(import('./admin-home.tsx'))).AdminHome)

/**
 * The user's next work. Administrators: health, denials and background work. Agents: their own tickets and those of their groups. Callers:
 * their own tickets.
 */
export function HomePage() {
  const { user, roles, landing_page } = useSession()
  const { data: tables = [] } = useTables()
  useEffect(() => {
    document.title = `${t('nav.home')} · Docket`
  }, [])
  const isAgent = useIsStaff()
  const isAdministrator = landing_page === 'administrator'
  const hasQueues = isAgent && (!isAdministrator || roles.includes('itil'))
  const isCaller = !isAgent && !isAdministrator
  const canCreate = tables.some(({ name, may_create }) => name === 'itsm_incident' && may_create)
  return (
    <div className={css.page}>
      <header className={css.head}>
        <h1>{t('home.hello', { name: user.display_name })}</h1>
        {canCreate && (
          <Link to="/t/$table/$sysId" params={{ table: 'itsm_incident', sysId: 'new' }} className={css.ask}>
            <Icon name="plus" /> {t(isAgent ? 'home.newIncident' : 'home.ask')}
          </Link>
        )}
      </header>
      {isAdministrator && (
        <Suspense fallback={<Loading lines={8} />}>
          <AdminHome />
        </Suspense>
      )}
      {(hasQueues || isCaller) && <QueueEvents />}
      {hasQueues && (
        <div className={css.columns}>
          <Queue
            title={t('home.mine')}
            query="active=true^assigned_user=javascript:gs.getUserID()^ORDERBYpriority^ORDERBYDESCsys_updated_at"
            none={t('home.mineNone')}
          />
          <Queue
            title={t('home.team')}
            query="active=true^assigned_userISEMPTY^assignment_groupINjavascript:gs.getMyGroups()^ORDERBYpriority^ORDERBYDESCsys_updated_at"
            none={t('home.teamNone')}
          />
        </div>
      )}
      {isCaller && (
        <Queue
          title={t('home.myTickets')}
          query="ORDERBYDESCactive^ORDERBYDESCsys_updated_at"
          none={t('home.myTicketsNone')}
        />
      )}
    </div>
  )
}
