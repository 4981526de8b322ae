import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ComponentProps, type FormEvent, type ReactNode, useEffect } from 'react'
import { stringifySearch } from '../address.ts'
import { useSession } from '../app.tsx'
import { t } from '../messages/i18n.ts'
import type { AccessSearch } from '../router.tsx'
import { useTables } from '../table/use-table.ts'
import { Button } from '../ui/button.tsx'
import ui from '../ui/ui.module.css'
import css from './access.module.css'
import { Explanation } from './explanation.tsx'

/** Which rules decide what a user may do with a table, a record or a column. The address has the question. */
export function AccessPage() {
  const search = useSearch({ from: '/admin/access' })
  const navigate = useNavigate()
  useEffect(() => {
    document.title = `${t('access.title')} · Docket`
  }, [])
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const fields = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value).trim()])
    void navigate({ to: '/admin/access', search: Object.fromEntries(fields.filter(([, value]) => value !== '')) })
  }
  return (
    <div className={css.page}>
      <h1>{t('access.title')}</h1>
      <form className={css.form} onSubmit={submit}>
        {/* Not the whole form: its button keeps the focus. */}
        <Question key={JSON.stringify(search)} search={search} />
        <Button type="submit" look="primary">
          {t('access.explain')}
        </Button>
      </form>
      {search.table !== undefined && <Explanation query={stringifySearch({ ...search }).slice(1)} />}
    </div>
  )
}

const OPERATIONS = ['read', 'create', 'write', 'delete'] as const

function Question({ search }: { readonly search: AccessSearch }) {
  const { user } = useSession()
  const { data: tables = [] } = useTables()
  // A table that administrators of rules may not read has no title for them.
  const others = [search.table ?? ''].filter((name) => name !== '' && !tables.some((each) => each.name === name))
  return (
    <>
      <TextField name="user" label={t('access.user')} defaultValue={search.user ?? user.user_name} required />
      <Labelled label={t('access.table')}>
        {/* The titles arrive after the first rendering, and with them the option of the address. */}
        <select key={tables.length} name="table" className={ui.input} defaultValue={search.table} required>
          {others.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
          {tables.map(({ name, title }) => (
            <option key={name} value={name}>
              {`${title} (${name})`}
            </option>
          ))}
        </select>
      </Labelled>
      <Labelled label={t('access.operation')}>
        <select name="operation" className={ui.input} defaultValue={search.operation}>
          {OPERATIONS.map((each) => (
            <option key={each} value={each}>
              {t(`access.${each}`)}
            </option>
          ))}
        </select>
      </Labelled>
      <TextField name="sys_id" label={t('access.record')} defaultValue={search.sys_id} />
      <TextField name="column" label={t('access.column')} defaultValue={search.column} />
    </>
  )
}

function Labelled({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is its content
    <label>
      <span>{label}</span>
      {children}
    </label>
  )
}

function TextField({ label, ...input }: { readonly label: string } & ComponentProps<'input'>) {
  return (
    <Labelled label={label}>
      <input className={ui.input} autoCapitalize="none" spellCheck={false} {...input} />
    </Labelled>
  )
}
