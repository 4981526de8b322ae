import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { docket } from '../docket.ts'
import { loadPart } from '../load-part.ts'
import { currentLanguage, t } from '../messages/i18n.ts'
import { FirstRead } from '../ui/first-read.tsx'
import { Empty } from '../ui/loading.tsx'
import { ErrorPage } from '../ui/states.tsx'
import ui from '../ui/ui.module.css'
import css from './api.module.css'
import { type Api, inWords, isTable, operationsOf, resolve, typeText } from './describe.ts'
import { OperationPart } from './operation-part.tsx'
import { TextWithCode } from './text-with-code.tsx'

const route = getRouteApi('/api')
const queryKey = ['openapi']

/** The OpenAPI document for this user: the tables and columns that they may read, with requests to try. */
export function ApiPage() {
  const { table, operation } = route.useSearch()
  const api = useQuery({
    queryKey,
    staleTime: 300_000,
    queryFn: async ({ signal }): Promise<Api> => {
      const response = await docket.send({ method: 'GET', path: '/openapi.json', signal })
      const words = currentLanguage() === 'ru' ? (await loadPart(() => import('./russian.ts'))).russian : {}
      return { ...((await response.json()) as Omit<Api, 'words'>), words }
    },
  })
  const { data, error, refetch } = api
  useEffect(() => {
    document.title = `API · Docket`
  }, [])
  if (error !== null) return <ErrorPage error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <FirstRead queryKey={queryKey} read={api} lines={12} isPage />
  const tag = data.tags.find(({ name }) => name === table)
  return (
    <div className={css.page}>
      <Index api={data} chosen={tag?.name} />
      <div className={css.part}>
        {tag === undefined ? <Intro /> : <Part key={tag.name} api={data} tag={tag.name} operation={operation} />}
      </div>
    </div>
  )
}

function Index({ api, chosen }: { readonly api: Api; readonly chosen: string | undefined }) {
  const [text, setText] = useState('')
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean)
  const found = api.tags.filter(({ name, description }) =>
    wanted.every((word) => `${name} ${inWords(api, name)} ${description}`.toLowerCase().includes(word)),
  )
  return (
    <nav className={css.index} aria-label={t('api.parts')} data-chosen={chosen !== undefined}>
      <input
        type="search"
        className={ui.input}
        placeholder={t('api.find')}
        aria-label={t('api.find')}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <ul>
        {found.map(({ name, description }) => (
          <li key={name}>
            <Link to="/api" search={{ table: name }} className={css.entry} aria-current={name === chosen || undefined}>
              {isTable(name) ? <code>{name}</code> : inWords(api, name)}
              {isTable(name) && <small>{description}</small>}
            </Link>
          </li>
        ))}
      </ul>
      {found.length === 0 && <Empty>{t('picker.nothing')}</Empty>}
    </nav>
  )
}

function Intro() {
  return (
    <div className={css.intro}>
      <h1>{t('nav.api')}</h1>
      <p>{t('api.intro')}</p>
      <p>{t('api.introKey')}</p>
      <p>
        <Link to="/me">{t('nav.settings')}</Link>
      </p>
    </div>
  )
}

interface PartProps {
  readonly api: Api
  readonly tag: string
  readonly operation: string | undefined
}

function Part({ api, tag, operation }: PartProps) {
  const description = api.tags.find(({ name }) => name === tag)?.description ?? ''
  return (
    <>
      <header className={css.head}>
        <Link to="/api" className={css.back}>
          {t('api.all')}
        </Link>
        <h1>{isTable(tag) ? <code>{tag}</code> : inWords(api, tag)}</h1>
        <p>
          <TextWithCode text={description} />
        </p>
      </header>
      {operationsOf(api, tag).map((each) => (
        <OperationPart key={each.operationId} api={api} operation={each} isOpen={each.operationId === operation} />
      ))}
      {isTable(tag) && <Columns api={api} table={tag} />}
    </>
  )
}

function Columns({ api, table }: { readonly api: Api; readonly table: string }) {
  const { schemas } = api.components
  const schema = schemas[table]
  if (schema === undefined) return null
  const written = (schemas[`${table}.put`] ?? schemas[`${table}.create`])?.properties ?? {}
  const columns = Object.entries(resolve(api, schema).properties ?? {})
  return (
    <section className={css.columns}>
      <h2>{t('api.columns', { count: columns.length })}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by keyboard */}
      <div className={css.wide} tabIndex={0} role="region" aria-label={t('api.columnsOf', { table })}>
        <table>
          <thead>
            <tr>
              {(['api.name', 'api.columnTitle', 'api.type', 'api.use', 'api.notes'] as const).map((key) => (
                <th key={key} scope="col">
                  {t(key)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {columns.map(([name, column]) => (
              <tr key={name}>
                <th scope="row">
                  <code>{name}</code>
                </th>
                <td>{column.title}</td>
                <td>{typeText(api, column)}</td>
                <td>{t(name in written ? 'api.readWrite' : 'api.read')}</td>
                <td>
                  <TextWithCode text={column.description ?? ''} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
