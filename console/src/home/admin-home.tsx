import { useSession } from '../app.tsx'
import { Denials } from './denials.tsx'
import { Health } from './health.tsx'
import css from './home.module.css'
import { Jobs } from './jobs.tsx'

/** Security administrators see denied requests; health and background work need the role admin. */
export function AdminHome() {
  const isAdmin = useSession().roles.includes('admin')
  return (
    <>
      {isAdmin && <Health />}
      <div className={css.columns}>
        <Denials />
        {isAdmin && <Jobs />}
      </div>
    </>
  )
}
